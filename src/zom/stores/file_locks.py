"""Locks of keys among threads and processes: a file for each key that is locked, gone afterwards.

The file is locked with flock(2), so that the lock of a process ends with the process. Whoever gets the
lock of a file that was removed meanwhile has nothing, and tries again.
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
        self._held: dict[str, tuple[int, int]] = {}
        remake_in_children(self)

    def after_fork(self) -> None:
        """Close the parent's lock files: a copy that stays open would keep them locked for ever."""
        for descriptor, _ in self._held.values():
            with suppress(OSError):
                os.close(descriptor)
        self._held = {}

    @contextmanager
    def hold(self, key: str, directory: int) -> Generator[None]:
        """Hold the lock of `key`, by a file in the open `directory`; a thread may take it again."""
        name = LOCK + hashlib.blake2b(key.encode(), digest_size=16).hexdigest()
        held = self._held
        with self._threads.hold(key):
            descriptor, depth = held.get(key, (-1, 0))
            if depth == 0:
                descriptor = _locked(name, directory)
            held[key] = (descriptor, depth + 1)
            try:
                yield
            finally:
                # A child that was forked meanwhile holds nothing.
                if held is self._held:
                    if depth == 0:
                        del held[key]
                        _release(descriptor, name, directory)
                    else:
                        held[key] = (descriptor, depth)


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
