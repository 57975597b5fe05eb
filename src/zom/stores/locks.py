"""Locks of keys among the threads of a process, recreated in a child process.

A thread that holds a lock doesn't exist after a fork: in the child, the lock would be held forever.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from zom.stores.interrupts import interruptible

if TYPE_CHECKING:
    from collections.abc import Hashable
    from contextlib import AbstractContextManager

__all__ = ["KeyLocks", "Reborn", "Taken", "remake_in_children"]

T = TypeVar("T")


class Reborn(Protocol):
    """An object that resets itself in a child process."""

    def after_fork(self) -> None:
        """Called in the child, before anything else runs there."""


_reborn: weakref.WeakSet[Any] = weakref.WeakSet()


def remake_in_children(thing: Reborn) -> None:
    """Call `thing.after_fork()` in every child process, as long as `thing` lives."""
    _reborn.add(thing)


def _after_fork() -> None:
    for thing in list(_reborn):
        thing.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Taken:
    """The lock of one key, its number of users, and how often its holder has taken it."""

    __slots__ = ("depth", "lock", "mark", "users")

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.users = 0
        """Number of requests by threads that hold it or wait for it."""
        self.depth = 0
        self.mark = -1
        """Data of the holder, such as the descriptor of a file that it locked."""


class KeyLocks:
    """One reentrant lock for each key, which exists only while it is used.

    >>> locks = KeyLocks()
    >>> with locks.hold("a"), locks.hold("a"):
    ...     "twice"
    'twice'
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._taken: dict[Hashable, Taken] = {}
        remake_in_children(self)

    def after_fork(self) -> None:
        """Forget the locks of the parent's threads."""
        self._guard = threading.Lock()
        self._taken = {}

    def hold(self, key: Hashable) -> AbstractContextManager[None]:
        """Hold the lock of `key` in a block."""
        return _Block(self, key)

    def take(self, key: Hashable) -> Taken:
        """Take the lock of `key`; its `depth` is how often the thread holds it now."""
        with self._guard:
            taken = self._taken.get(key)
            if taken is None:
                taken = self._taken[key] = Taken()
            taken.users += 1
        if not taken.lock.acquire(blocking=False):
            self._wait(key, taken)
        taken.depth += 1
        return taken

    def _wait(self, key: Hashable, taken: Taken) -> None:
        # Interrupts can't split `extend` and `map`: the list tells whether the lock was taken.
        acquired: list[bool] = []
        try:
            with interruptible():
                acquired.extend(map(taken.lock.acquire, (True,)))
        except BaseException:
            if acquired:
                taken.lock.release()
            self._forget(key, taken)
            raise

    def give(self, key: Hashable, taken: Taken) -> None:
        """Release the lock of `key`; does nothing in a child that was forked while it was held."""
        if not self.has(key, taken):
            return
        taken.depth -= 1
        taken.lock.release()
        self._forget(key, taken)

    def is_taken(self, key: Hashable) -> bool:
        """Whether a thread holds the lock of `key` or waits for it."""
        return key in self._taken

    def has(self, key: Hashable, taken: Taken) -> bool:
        """Whether `taken` is a lock of this process: a child forked within a block holds none."""
        return self._taken.get(key) is taken

    def _forget(self, key: Hashable, taken: Taken) -> None:
        with self._guard:
            taken.users -= 1
            if not taken.users:
                del self._taken[key]


class _Block:
    __slots__ = ("key", "locks", "taken")

    def __init__(self, locks: KeyLocks, key: Hashable) -> None:
        self.locks = locks
        self.key = key

    def __enter__(self) -> None:
        self.taken = self.locks.take(self.key)

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.locks.give(self.key, self.taken)
