"""Locks of keys among threads and processes: a byte for each key, in one hidden file that stays open.

The bytes are locked with open-file-description locks, fcntl_locking(2): they end with the process, or with
the store that holds them, and cost a call each. The threads of one store share the open file, and so its
locks: among them, `KeyLocks` decide.

Byte 0 is locked by everybody who has the file open, together with others. Who can lock it alone is the
last, and may remove the file.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
import threading
import zlib
from contextlib import ExitStack, nullcontext, suppress
from typing import TYPE_CHECKING, Any

from zom.stores.file_locks import FileLocks
from zom.stores.locks import KeyLocks, remake_in_children
from zom.stores.temporary import OWN, remove_abandoned

fcntl: Any
try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from zom.stores.locks import Taken

__all__ = ["LOCKS", "RangeLocks", "remove_unused"]

LOCKS = f"{OWN}locks"
"""The name of the file whose bytes are locked."""

_OPEN = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_TRIES = 100
_flock = struct.Struct("hhqqi")

# Where a system knows no such locks, or a file system does not, a file for each key must do.
_UNKNOWN = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
_UNLOCKABLE = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT}


class RangeLocks:
    """The locks of keys, in a file of one directory.

    >>> import tempfile
    >>> locks = RangeLocks()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     directory = os.open(folder, os.O_RDONLY)
    ...     with locks.hold("a", directory), locks.hold("a", directory):
    ...         "twice"
    ...     locks.close(directory)
    ...     os.listdir(folder)
    ...     os.close(directory)
    'twice'
    []
    """

    def __init__(self) -> None:
        self._threads = KeyLocks()
        self._guard = threading.Lock()
        self._descriptor = -1
        self._links = 1
        self._held: set[int] = set()
        self._files = None if hasattr(fcntl, "F_OFD_SETLKW") else FileLocks()
        remake_in_children(self)

    def after_fork(self) -> None:
        """Close the parent's file: as long as a copy is open, what the parent locked stays locked."""
        self._guard = threading.Lock()
        for descriptor in self._held:
            with suppress(OSError):
                os.close(descriptor)
        self._descriptor = -1
        self._held = set()

    def hold(self, key: str, directory: int) -> AbstractContextManager[None]:
        """Hold the lock of `key`, by the file in the open `directory`; a thread may take it again."""
        if self._descriptor < 0 and self._files is None:
            self._open(directory)
        if self._files is not None:
            return self._files.hold(key, directory)
        return _Block(self, key, directory)

    def exclude(self, key: str, directory: int) -> AbstractContextManager[None]:
        """The same for a write that doesn't ask what was there before, and so needs no lock itself.

        Where there can't be a file to lock, nobody can hold a lock, and nobody need be kept out.
        """
        if self._descriptor >= 0:
            return _Block(self, key, directory)
        try:
            block = self.hold(key, directory)
        except OSError as error:
            if error.errno in _UNLOCKABLE or (error.errno in _FORBIDDEN and not _is_there(directory)):
                return nullcontext()
            raise
        return block if self._files is None else _IfLockable(block)

    def take(self, place: int, directory: int) -> Taken:
        """Take the lock of a byte; what `give` is given."""
        taken = self._threads.take(place)
        if taken.depth == 1:
            try:
                taken.mark = self._locked(place, directory)
            except BaseException:
                self._threads.give(place, taken)
                raise
        return taken

    def give(self, place: int, taken: Taken) -> None:
        """Give it back; in a child that was forked meanwhile, there is nothing to give."""
        try:
            if taken.depth == 1 and self._threads.has(place, taken) and taken.mark in self._held:
                _lock(taken.mark, fcntl.F_UNLCK, place)
        finally:
            self._threads.give(place, taken)

    def _locked(self, place: int, directory: int) -> int:
        for _ in range(_TRIES):
            descriptor = self._descriptor
            if descriptor < 0:
                descriptor = self._open(directory)
            _wait_for_lock(descriptor, fcntl.F_WRLCK, place)
            # Where somebody removed the file by hand, others would lock another.
            if os.fstat(descriptor).st_nlink >= self._links:
                return descriptor
            _lock(descriptor, fcntl.F_UNLCK, place)
            with self._guard:
                if self._descriptor == descriptor:
                    self._descriptor = -1
        raise _removed_again()

    def _open(self, directory: int) -> int:
        with self._guard:
            if self._descriptor >= 0:
                return self._descriptor
            try:
                self._descriptor, self._links = _opened(directory)
            except OSError as error:
                if error.errno not in _UNKNOWN:
                    raise
                self._files = FileLocks()
                return -1
            self._held.add(self._descriptor)
            return self._descriptor

    def rest(self, directory: int) -> bool:
        """Close the file where no lock is held; whether it could be removed, as nobody else has it open."""
        return self._threads.if_idle(lambda: self._shut(directory)) or False

    def close(self, directory: int) -> None:
        """Close the file, and remove it where nobody else has it open; locks that are held are lost."""
        self._shut(directory)

    def _shut(self, directory: int) -> bool:
        with self._guard:
            descriptors, self._held = self._held, set()
            current, self._descriptor = self._descriptor, -1
            removed = False
            for descriptor in descriptors:
                with suppress(OSError):
                    removed |= descriptor == current and _remove(current, directory)
                with suppress(OSError):
                    os.close(descriptor)
            return removed


class _Block:
    """Holds the lock of a key for a block."""

    __slots__ = ("directory", "locks", "place", "taken")

    def __init__(self, locks: RangeLocks, key: str, directory: int) -> None:
        self.locks = locks
        self.directory = directory
        # Two keys that had one byte would have one lock: whoever holds the one while others write the other
        # would wait for ever. Of 63 bits, two sums that differ in kind leave no such keys in practice.
        text = key.encode()
        self.place = 1 + (zlib.adler32(text) >> 2 << 32 | zlib.crc32(text))

    def __enter__(self) -> None:
        self.taken = self.locks.take(self.place, self.directory)

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.locks.give(self.place, self.taken)


class _IfLockable:
    """Holds the lock of a file for a block, where the file system knows such locks at all."""

    def __init__(self, block: AbstractContextManager[None]) -> None:
        self._held = ExitStack()
        self._block = block

    def __enter__(self) -> None:
        try:
            self._held.enter_context(self._block)
        except OSError as error:
            if error.errno not in _UNLOCKABLE:
                raise

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._held.close()


def remove_unused(directory: int) -> bool:
    """Remove the file of locks in the open `directory` unless somebody has it open; whether it is gone."""
    if not hasattr(fcntl, "F_OFD_SETLK"):
        return remove_abandoned(LOCKS, directory)
    try:
        descriptor = os.open(LOCKS, _OPEN, dir_fd=directory)
    except FileNotFoundError:
        return False
    try:
        return _remove(descriptor, directory)
    finally:
        os.close(descriptor)


def _opened(directory: int) -> tuple[int, int]:
    """A descriptor of the file, made where it is missing, with everybody's lock on it; and its links.

    Some file systems say that a file has no links while it has its name.
    """
    for _ in range(_TRIES):
        try:
            descriptor = _found_or_made(directory)
        except FileNotFoundError:
            # Gone between two looks; or the directory is.
            if not os.fstat(directory).st_nlink:
                raise
            continue
        except OSError as error:
            reason = f"{LOCKS!r}, whose bytes are the locks of keys, can't be opened: {error.strerror}"
            raise OSError(error.errno, reason) from error
        try:
            _wait_for_lock(descriptor, fcntl.F_RDLCK, 0)
            found = os.fstat(descriptor)
            if os.path.samestat(found, os.stat(LOCKS, dir_fd=directory, follow_symlinks=False)):
                return descriptor, found.st_nlink
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
    raise _removed_again()


def _removed_again() -> OSError:
    return OSError(errno.ESTALE, f"{LOCKS!r}, whose bytes are the locks of keys, is removed again and again")


def _found_or_made(directory: int) -> int:
    with suppress(FileNotFoundError):
        return os.open(LOCKS, _OPEN, dir_fd=directory)
    try:
        descriptor = os.open(LOCKS, _OPEN | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=directory)
    except FileExistsError:
        return os.open(LOCKS, _OPEN, dir_fd=directory)
    # Whoever may write in the directory may lock, whatever mask the first of them has.
    with suppress(OSError):
        os.fchmod(descriptor, stat.S_IMODE(os.fstat(directory).st_mode) & 0o666 | 0o600)
    return descriptor


def _is_there(directory: int) -> bool:
    try:
        os.stat(LOCKS, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _remove(descriptor: int, directory: int) -> bool:
    try:
        _lock(descriptor, fcntl.F_WRLCK, 0)
        there = os.stat(LOCKS, dir_fd=directory, follow_symlinks=False)
    except OSError:
        # Others have it open, or nothing can be locked here, or it is gone.
        return False
    if not os.path.samestat(there, os.fstat(descriptor)):
        return False
    os.unlink(LOCKS, dir_fd=directory)
    return True


def _lock(descriptor: int, kind: int, place: int) -> None:
    """Lock one byte, or give it up; BlockingIOError where another has it."""
    fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _flock.pack(kind, os.SEEK_SET, place, 1, 0))


def _wait_for_lock(descriptor: int, kind: int, place: int) -> None:
    fcntl.fcntl(descriptor, fcntl.F_OFD_SETLKW, _flock.pack(kind, os.SEEK_SET, place, 1, 0))
