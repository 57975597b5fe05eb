"""Locks of files among threads and processes: `KEY.__lock` beside KEY, as in tensorstore.

A writer that changes a part of a file creates its lock file, locks it, and checks that it still has its name;
then it reads, writes, and deletes the lock file. The lock ends with its process, and the next writer reuses a
lock file that was left. On FUSE file systems, a lock file that is opened while another replaces it may have a
separate lock: there, lock files are created, opened and deleted under the lock of their directory, without
waiting for an open one. A read-modify-write holds the lock of the directory all the time.

Lock files are never written to: one that a killed writer leaves is empty and harmless. tensorstore writes
into existing lock files without truncating them, so the end of a longer content would remain in its value.
"""

from __future__ import annotations

import errno
import os
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from zom.digests import blake2b
from zom.stores.interrupts import Uninterrupted, interruptible
from zom.stores.local.directory_locks import DirectoryLocks
from zom.stores.local.files import give_back, remove_lock_file
from zom.stores.local.recycled_lock import RecycledLock
from zom.stores.local.temporary import OWN
from zom.stores.locks import KeyLocks, remake_in_children
from zom.stores.system import calls
from zom.stores.system.mounts import is_by_program
from zom.stores.system.whole_locks import (
    LONGEST_PAUSE,
    SHORTEST_PAUSE,
    UNLOCKABLE,
    is_possible,
    lock,
    unlock,
)

if TYPE_CHECKING:
    from collections.abc import Generator
    from contextlib import AbstractContextManager

    from zom.stores.locks import Taken

__all__ = ["LOCK_END", "LockFiles", "is_in_place", "is_lock_file", "lock_name", "remove_abandoned_lock"]

LOCK_END = ".__lock"
"""The suffix of lock files."""

_LOCK = f"{OWN}lock-"
"""The prefix of lock files whose file name is too long for the suffix."""

_SHORT, _LONGEST = 60, 255
"""Characters of a name that always leave room for the suffix; maximum bytes of most file systems."""

_OPEN = calls.O_RDWR | calls.O_NOFOLLOW | calls.O_CLOEXEC | calls.O_NONBLOCK

_FULL = {errno.ENOSPC, errno.EDQUOT}


def lock_name(name: str) -> str:
    """Return the name of the lock file of the file `name`.

    >>> lock_name("zarr.json")
    'zarr.json.__lock'
    """
    if len(name) > _SHORT and len(os.fsencode(name)) > _LONGEST - len(LOCK_END):
        return _LOCK + blake2b(os.fsencode(name), digest_size=16).hexdigest()
    return name + LOCK_END


def is_lock_file(name: str) -> bool:
    """Whether a file of that name is a lock file."""
    return name.endswith(LOCK_END) or name.startswith(_LOCK)


class LockFiles:
    """The locks that the threads of a store hold.

    >>> import tempfile
    >>> locks = LockFiles()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     directory = calls.open(folder, calls.O_RDONLY)
    ...     taken = locks.take("a")
    ...     with locks.locked(taken, directory, "a"):
    ...         calls.listdir(folder)
    ...     locks.give("a", taken)
    ...     calls.listdir(folder)
    ...     calls.close(directory)
    ['a.__lock']
    []
    """

    def __init__(self) -> None:
        self._threads = KeyLocks()
        self._held: set[Taken] = set()
        self._recycled: set[RecycledLock] = set()
        self._of_thread = threading.local()
        self.directories = DirectoryLocks()
        """Locks that replace lock files on a full disk."""
        remake_in_children(self)

    def after_fork(self) -> None:
        """Close the parent's lock files: open copies would keep them locked forever."""
        for taken in self._held:
            with suppress(OSError):
                calls.close(taken.mark)
        for recycled in self._recycled:
            recycled.abandon()
        self._held = set()
        self._recycled = set()

    @contextmanager
    def recycling(self, home: int) -> Generator[RecycledLock]:
        """Open a block in which this thread's locks are links of one file in the open directory `home`."""
        recycled = self._of_thread.recycled = RecycledLock(home)
        self._recycled.add(recycled)
        try:
            yield recycled
        finally:
            with Uninterrupted():
                self._of_thread.recycled = None
                self._recycled.discard(recycled)
                recycled.close()

    @property
    def recycled(self) -> RecycledLock | None:
        """The lock file of this thread in such a block, or None."""
        return getattr(self._of_thread, "recycled", None)

    def note(self, taken: Taken) -> None:
        """Record that the lock file is held whose descriptor is the mark of `taken`."""
        self._held.add(taken)

    def forget(self, taken: Taken) -> bool:
        """Remove that record; return False in a child that was forked meanwhile, which holds nothing."""
        is_held = taken in self._held
        self._held.discard(taken)
        return is_held

    def take(self, key: str) -> Taken:
        """Exclude other threads from `key`; the `depth` of the result is how often this thread has it."""
        return self._threads.take(key)

    def give(self, key: str, taken: Taken) -> None:
        """Release `key`; does nothing in a child that was forked meanwhile."""
        self._threads.give(key, taken)

    def is_taken(self, key: str) -> bool:
        """Whether a thread of this process holds `key` or waits for it."""
        return self._threads.is_taken(key)

    def has(self, key: str, taken: Taken) -> bool:
        """Whether `taken` belongs to this process."""
        return self._threads.has(key, taken)

    def locked(
        self, taken: Taken, directory: int, name: str, *, needs_lock: bool = True, is_brief: bool = False
    ) -> AbstractContextManager[None]:
        """Hold the lock file of `name` in the open `directory` in a block, for a taken key.

        Without `needs_lock`, a file system without locks is not an error: nobody can hold one there. A block
        that `is_brief` only accesses this directory.
        """
        return _Holding(self, taken, directory, name, needs_lock=needs_lock, is_brief=is_brief)


class _Holding:
    """A block that holds a lock file: a class, since a generator is slower and every write needs one."""

    __slots__ = (
        *("_alone", "_directory", "_instead", "_is_brief", "_lock_name", "_locks", "_needs_lock"),
        *("_recycled", "_taken"),
    )

    def __init__(  # noqa: PLR0913 - the facts about the block
        self, locks: LockFiles, taken: Taken, directory: int, name: str, *, needs_lock: bool, is_brief: bool
    ) -> None:
        self._locks = locks
        self._taken = taken
        self._directory = directory
        self._lock_name = lock_name(name)
        self._needs_lock = needs_lock
        self._is_brief = is_brief
        self._alone: ExitStack | None = None
        """On a FUSE file system: holds the lock of the directory, if that is held all the time."""
        self._recycled: RecycledLock | None = None
        self._instead: AbstractContextManager[None] | None = None

    def __enter__(self) -> None:
        is_alone = is_by_program(self._directory)
        recycled = None if is_alone else self._locks.recycled
        if recycled is not None and recycled.take(self._directory, self._lock_name):
            self._recycled = recycled
            return
        try:
            if is_alone:
                self._taken.mark = self._locked_alone()
            else:
                self._taken.mark = _locked(self._directory, self._lock_name)
        except OSError as error:
            if error.errno in _FULL:
                # No space for a lock file: deletions and repairs must still work, one after the other.
                self._instead = self._locks.directories.hold(self._directory)
                self._instead.__enter__()
                return
            if self._needs_lock or error.errno not in UNLOCKABLE:
                raise
            return
        self._locks.note(self._taken)

    def __exit__(self, *error: object) -> None:
        if self._instead is not None:
            self._instead.__exit__(None, None, None)
        elif self._recycled is not None:
            self._recycled.give(self._directory, self._lock_name)
        elif self._locks.forget(self._taken):
            if self._alone is None:
                _release(self._taken.mark, self._directory, self._lock_name)
            else:
                self._release_alone(self._alone)

    def _release_alone(self, alone: ExitStack) -> None:
        with alone:
            if not self._is_brief:
                with suppress(OSError):  # the directory and the lock file may be deleted
                    alone.enter_context(self._locks.directories.hold(self._directory))
            _release(self._taken.mark, self._directory, self._lock_name)

    def _locked_alone(self) -> int:
        """As `_locked`, under the lock of the directory, but waits for the lock file without it."""
        pause = SHORTEST_PAUSE
        while True:
            with ExitStack() as alone:
                alone.enter_context(self._locks.directories.hold(self._directory))
                descriptor = _tried(self._directory, self._lock_name, wait=False)
                if descriptor >= 0:
                    self._alone = alone.pop_all() if self._is_brief else ExitStack()
                    return descriptor
            with interruptible():
                time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)


def remove_abandoned_lock(name: str, directory: int) -> bool:
    """Delete the lock file `name` of the open `directory` unless it is held; return whether it did."""
    if not is_possible():  # pragma: no cover - WebAssembly
        return False
    try:
        descriptor = calls.open(name, _OPEN, dir_fd=directory)
    except FileNotFoundError:
        return False
    try:
        lock(descriptor, wait=False)
        if not is_in_place(descriptor, directory, name):
            return False
        calls.unlink(name, dir_fd=directory)
    except (BlockingIOError, FileNotFoundError):
        return False
    else:
        return True
    finally:
        give_back(descriptor)


def _locked(directory: int, name: str) -> int:
    """Open the lock file, creating it if missing, lock it, and check that it is still in place."""
    while (descriptor := _tried(directory, name, wait=True)) < 0:
        pass
    return descriptor


def _tried(directory: int, name: str, *, wait: bool) -> int:
    """Try to open and lock the lock file; return -1 to try again."""
    descriptor, is_ours = _found_or_made(directory, name, wait=wait)
    if descriptor < 0:
        return -1
    is_held = False
    try:
        lock(descriptor, wait=wait)
        is_held = True
        if is_in_place(descriptor, directory, name):
            return descriptor
    except BlockingIOError:
        pass
    except BaseException as error:
        cannot_lock = is_ours and isinstance(error, OSError) and error.errno in UNLOCKABLE
        # A lock file left here would keep its directory, which the draft takes for a group. Don't delete
        # one that another process may hold.
        with suppress(OSError):
            if cannot_lock or (is_held and is_in_place(descriptor, directory, name)):
                calls.unlink(name, dir_fd=directory)
        calls.close(descriptor)
        raise
    give_back(descriptor)
    return -1


def _found_or_made(directory: int, name: str, *, wait: bool) -> tuple[int, bool]:
    """Open or create the lock file; return its descriptor, -1 if just deleted, and whether it was created."""
    try:
        return calls.open(name, _OPEN | calls.O_CREAT | calls.O_EXCL, 0o666, dir_fd=directory), True
    except FileExistsError:
        pass
    try:
        return calls.open(name, _OPEN, dir_fd=directory), False
    except FileNotFoundError:
        return -1, False
    except PermissionError:
        with suppress(BlockingIOError):
            _remove_others(directory, name, wait=wait)
        return -1, False


def _remove_others(directory: int, name: str, *, wait: bool) -> None:
    """Delete another user's lock file, which others can't write, once it is free."""
    descriptor = calls.open(name, _OPEN & ~calls.O_RDWR, dir_fd=directory)
    try:
        lock(descriptor, wait=wait, shared=True)
        if is_in_place(descriptor, directory, name):
            calls.unlink(name, dir_fd=directory)
    finally:
        give_back(descriptor)


def is_in_place(descriptor: int, directory: int, name: str) -> bool:
    """Whether the open file is still the file `name` of the open `directory`."""
    try:
        there = calls.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(there, calls.fstat(descriptor))


def _release(descriptor: int, directory: int, name: str) -> None:
    remove_lock_file(name, directory)
    # Unlock before the close: a child process may have a copy of the descriptor.
    with suppress(OSError):
        unlock(descriptor)
    give_back(descriptor)
