"""Locks of keys among threads and processes: a file for each key that is locked, gone afterwards.

The way that works wherever files can be locked as a whole; `range_locks` is faster where it works. The
file is locked with flock(2), so that the lock of a process ends with the process. Whoever gets the lock of
a file that was removed meanwhile has nothing, and tries again.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from zom.stores.locks import KeyLocks, remake_in_children
from zom.stores.temporary import OWN

if TYPE_CHECKING:
    from collections.abc import Generator

    from zom.stores.locks import Taken

__all__ = ["LOCK", "FileLocks"]

LOCK = f"{OWN}lock-"
"""How the names of lock files begin."""


class FileLocks:
    """The locks of keys, as files of one directory.

    >>> import tempfile
    >>> locks = FileLocks()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     directory = os.open(folder, os.O_RDONLY)
    ...     with locks.hold("a", directory):
    ...         len(os.listdir(folder))
    ...     os.listdir(folder)
    ...     os.close(directory)
    1
    []
    """

    def __init__(self) -> None:
        self._threads = KeyLocks()
        self._held: set[Taken] = set()
        remake_in_children(self)

    def after_fork(self) -> None:
        """Close the parent's lock files: a copy that stays open would keep them locked for ever."""
        for taken in self._held:
            with suppress(OSError):
                os.close(taken.mark)
        self._held = set()

    @contextmanager
    def hold(self, key: str, directory: int) -> Generator[None]:
        """Hold the lock of `key`, by a file in the open `directory`; a thread may take it again."""
        name = LOCK + hashlib.blake2b(key.encode(), digest_size=16).hexdigest()
        taken = self._threads.take(key)
        try:
            if taken.depth == 1:
                taken.mark = _locked(name, directory)
                self._held.add(taken)
            try:
                yield
            finally:
                # A child that was forked meanwhile holds nothing.
                if taken.depth == 1 and taken in self._held:
                    self._held.discard(taken)
                    _release(taken.mark, name, directory)
        finally:
            self._threads.give(key, taken)


def _locked(name: str, directory: int) -> int:
    import fcntl  # noqa: PLC0415 - not there on Windows

    while True:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(name, flags, 0o666, dir_fd=directory)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            there = os.stat(name, dir_fd=directory, follow_symlinks=False)
            if os.path.samestat(there, os.fstat(descriptor)):
                return descriptor
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _release(descriptor: int, name: str, directory: int) -> None:
    import fcntl  # noqa: PLC0415 - not there on Windows

    with suppress(OSError):
        os.unlink(name, dir_fd=directory)
    # Unlocked, not only closed: a child process may have a copy of the descriptor.
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)
