"""Locks of keys among the threads of a process, made anew in a child process.

A thread that holds a lock does not exist after a fork: in the child, the lock would be held for ever.
"""

from __future__ import annotations

import os
import threading
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["KeyLocks", "Reborn", "remake_in_children"]


class Reborn(Protocol):
    """What must put itself in order in a child process."""

    def after_fork(self) -> None:
        """Called in the child, before anything else runs there."""


_reborn: weakref.WeakSet[Any] = weakref.WeakSet()


def remake_in_children(thing: Reborn) -> None:
    """See to it that `thing.after_fork()` is called in every child process, as long as `thing` lives."""
    _reborn.add(thing)


def _after_fork() -> None:
    for thing in list(_reborn):
        thing.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class _Held:
    """The locks of one process: one for each key that is held or waited for, none for others."""

    def __init__(self) -> None:
        self.guard = threading.Lock()
        self.locks: dict[str, tuple[Any, int]] = {}


class KeyLocks:
    """One lock for each key, which its holder may take again.

    >>> locks = KeyLocks()
    >>> with locks.hold("a"), locks.hold("a"):
    ...     "twice"
    'twice'
    """

    def __init__(self) -> None:
        self._held = _Held()
        remake_in_children(self)

    def after_fork(self) -> None:
        """Forget the locks of the parent's threads."""
        self._held = _Held()

    @contextmanager
    def hold(self, key: str) -> Generator[None]:
        """Hold the lock of `key`."""
        held = self._held
        with held.guard:
            lock, users = held.locks.get(key, (None, 0))
            lock = lock or threading.RLock()
            held.locks[key] = (lock, users + 1)
        try:
            with lock:
                yield
        finally:
            # A child that was forked while the lock was held leaves this block, too: it holds nothing.
            if held is self._held:
                with held.guard:
                    lock, users = held.locks[key]
                    if users == 1:
                        del held.locks[key]
                    else:
                        held.locks[key] = (lock, users - 1)
