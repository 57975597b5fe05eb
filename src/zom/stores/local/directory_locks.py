"""Locks of whole directories, for full disks and for file systems where lock files may not work.

They take no space, and replace the locks of all keys in a directory. All threads of a store share such a
lock, since a block may change other keys, also in other threads; among threads, the locks of keys decide.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from zom.stores.local.files import give_back
from zom.stores.locks import remake_in_children
from zom.stores.system import BY_DESCRIPTORS, calls

fcntl: Any
try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["DirectoryLocks"]


class _Held:
    """A lock: its descriptor, and the number of blocks that hold it."""

    __slots__ = ("descriptor", "users")

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.users = 1

    def close(self) -> None:
        """Release the lock; a child that was forked meanwhile has done so already."""
        descriptor, self.descriptor = self.descriptor, -1
        if descriptor >= 0:
            give_back(descriptor)


class DirectoryLocks:
    """The directories that the threads of a store have locked.

    >>> locks = DirectoryLocks()
    >>> first, second = (calls.open("/", calls.O_RDONLY) for _ in range(2))
    >>> with locks.hold(first), locks.hold(second):
    ...     "once for both"
    'once for both'
    >>> calls.close(first), calls.close(second)
    (None, None)
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held: dict[tuple[int, int], _Held] = {}
        remake_in_children(self)

    def after_fork(self) -> None:
        """Close the parent's locks: a copy that stays open would keep them."""
        for held in self._held.values():
            held.close()
        self._guard = threading.Lock()
        self._held = {}

    @contextmanager
    def hold(self, directory: int) -> Generator[None]:
        """Hold the lock of an open directory in a block; does nothing on systems without such locks."""
        found = calls.fstat(directory)
        place = (found.st_dev, found.st_ino)
        held = self._take(place, directory)
        try:
            yield
        finally:
            self._give(place, held)

    def _take(self, place: tuple[int, int], directory: int) -> _Held:
        with self._guard:
            held = self._held.get(place)
            if held is not None:
                held.users += 1
                return held
        # Open it again: a copy of the descriptor would be unlocked with any other copy.
        held = _Held(calls.open(".", calls.O_RDONLY | calls.O_DIRECTORY | calls.O_CLOEXEC, dir_fd=directory))
        if BY_DESCRIPTORS:
            with suppress(OSError):
                fcntl.flock(held.descriptor, fcntl.LOCK_EX)
        with self._guard:
            self._held.setdefault(place, held)
        return held

    def _give(self, place: tuple[int, int], held: _Held) -> None:
        with self._guard:
            held.users -= 1
            if held.users:
                return
            if self._held.get(place) is held:
                del self._held[place]
        held.close()
