"""New files, which hold a complete value before they get the name of a key.

On Linux a file needs no name while it is written: if the writer is killed, the file disappears, and its
directory only ever sees the final name. File systems without such files, and replacements, use a temporary
name. The writer holds a lock on it: a sweep only deletes files that nobody holds.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from zom.stores.local.files import NO_LINKS, is_file_there, link, write_all
from zom.stores.local.temporary import hold, temporary_name
from zom.stores.locks import remake_in_children
from zom.stores.system import BY_DESCRIPTORS, calls
from zom.stores.system.whole_locks import unlock

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

__all__ = [
    "NEW",
    "NameNeeded",
    "Nameless",
    "NewFile",
    "Place",
    "Temporary",
    "create",
    "has_nameless",
    "replace",
]

NEW = calls.O_WRONLY | calls.O_CREAT | calls.O_EXCL | calls.O_NOFOLLOW | calls.O_CLOEXEC
_NAMELESS = calls.O_WRONLY | getattr(os, "O_TMPFILE", 0) | calls.O_CLOEXEC
_OPEN_FILES = "/proc/self/fd"

_UNKNOWN = {errno.EOPNOTSUPP, errno.ENOTSUP, errno.EISDIR, errno.EINVAL, errno.ENOSYS}
"""Errors of file systems without nameless files."""


class NameNeeded(OSError):
    """The file system has no nameless files, or can't name them later."""


class NewFile(Protocol):
    """A file that holds a value and doesn't have the name of its key yet."""

    def replace(self, name: str) -> bool:
        """Give the file the name `name`, replacing an existing file in one step; return True."""
        ...

    def create(self, name: str) -> bool:
        """Give the file the name `name` if no file has it; return whether it did."""
        ...

    def close(self) -> None:
        """Close the file; without the name of a key, it is deleted."""


Place: TypeAlias = "Callable[[NewFile, str], bool]"
"""Gives a file its name."""


def replace(made: NewFile, name: str) -> bool:
    """See `NewFile.replace`."""
    return made.replace(name)


def create(made: NewFile, name: str) -> bool:
    """See `NewFile.create`."""
    return made.create(name)


@lru_cache(maxsize=1)
def has_nameless() -> bool:
    """Whether this system has nameless files, and a way to name them."""
    return BY_DESCRIPTORS and hasattr(os, "O_TMPFILE") and os.path.isdir(_OPEN_FILES)  # noqa: PTH112


class _Writing:
    """The new files that are being written: a child process closes its copies.

    An open copy keeps the parent's lock, even if the parent is killed, and keeps a nameless file on the disk.
    """

    def __init__(self) -> None:
        self.descriptors: set[int] = set()
        remake_in_children(self)

    def after_fork(self) -> None:
        """Close the copies."""
        for descriptor in self.descriptors:
            with suppress(OSError):
                calls.close(descriptor)
        self.descriptors = set()


_writing = _Writing()


class Temporary:
    """A new file with a temporary name in the open `directory`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     directory = calls.open(folder, calls.O_RDONLY)
    ...     made = Temporary(directory, b"1", sync=False)
    ...     made.replace("a"), made.close(), calls.listdir(folder)
    ...     calls.close(directory)
    (True, None, ['a'])
    """

    __slots__ = ("_directory", "descriptor", "name")

    def __init__(self, directory: int, value: bytes | memoryview[int], *, sync: bool) -> None:
        self._directory = directory
        self.name = temporary_name()
        self.descriptor = calls.open(self.name, NEW, 0o666, dir_fd=directory)
        try:
            _writing.descriptors.add(self.descriptor)
            hold(self.descriptor)
            _fill(self.descriptor, value, sync=sync)
        except BaseException:
            self.close()
            raise

    def replace(self, name: str) -> bool:
        """As the protocol says."""
        calls.rename(self.name, name, src_dir_fd=self._directory, dst_dir_fd=self._directory)
        self.name = ""
        return True

    def create(self, name: str) -> bool:
        """As the protocol says."""
        here = self._directory
        try:
            link(self.name, name, src_dir_fd=here, dst_dir_fd=here, follow_symlinks=False)
        except FileExistsError:
            return False
        return True

    def close(self) -> None:
        """Close the file, and release its lock."""
        if self.name:
            _remove(self._directory, self.name, self.descriptor)
        _let_go(self.descriptor)


class Nameless:
    """A nameless new file for the open `directory`; NameNeeded if unsupported.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     directory = calls.open(folder, calls.O_RDONLY)
    ...     made = Nameless(directory, b"1", sync=False)
    ...     calls.listdir(folder), made.create("a"), made.close(), calls.listdir(folder)
    ...     calls.close(directory)
    ([], True, None, ['a'])
    """

    __slots__ = ("_descriptor", "_directory")

    def __init__(self, directory: int, value: bytes | memoryview[int], *, sync: bool) -> None:
        self._directory = directory
        try:
            self._descriptor = calls.open(".", _NAMELESS, 0o666, dir_fd=directory)
        except OSError as error:
            if error.errno in _UNKNOWN:
                raise NameNeeded from error
            if calls.fstat(directory).st_nlink == 0:
                # ext4 reports "not permitted" for a deleted directory.
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from error
            raise
        try:
            _writing.descriptors.add(self._descriptor)
            _fill(self._descriptor, value, sync=sync)
        except BaseException:
            self.close()
            raise

    def create(self, name: str) -> bool:
        """As the protocol says."""
        try:
            link(f"{_OPEN_FILES}/{self._descriptor}", name, dst_dir_fd=self._directory)
        except FileExistsError:
            return False
        except OSError as error:
            # If the directory still exists, the file can't be found by its /proc path.
            is_lost = error.errno == errno.ENOENT and calls.fstat(self._directory).st_nlink > 0
            if is_lost or error.errno in NO_LINKS:
                raise NameNeeded from error
            raise
        return True

    def replace(self, name: str) -> bool:
        """As the protocol says; replaces a file that another writer may have created meanwhile."""
        while not self.create(name):
            if is_file_there(self._directory, name):
                self._replace(name)
                break
        return True

    def _replace(self, name: str) -> None:
        here, temporary = self._directory, temporary_name()
        try:
            hold(self._descriptor)
            self.create(temporary)
            try:
                calls.rename(temporary, name, src_dir_fd=here, dst_dir_fd=here)
            except BaseException:
                _remove(here, temporary, self._descriptor)
                raise
        finally:
            unlock(self._descriptor)

    def close(self) -> None:
        """Close the file, which deletes it if it has no name."""
        _writing.descriptors.discard(self._descriptor)
        calls.close(self._descriptor)


def _fill(descriptor: int, value: bytes | memoryview[int], *, sync: bool) -> None:
    """Write `value` to a new file, and raise disk errors now."""
    write_all(descriptor, value)
    if sync:
        calls.fsync(descriptor)
    else:
        # Network file systems report a full disk only on close.
        calls.close(calls.dup(descriptor))


def _remove(directory: int, name: str, descriptor: int) -> None:
    """Delete the temporary file `name`, unless another file has that name by now."""
    with suppress(OSError):
        there = calls.stat(name, dir_fd=directory, follow_symlinks=False)
        if os.path.samestat(there, calls.fstat(descriptor)):
            calls.unlink(name, dir_fd=directory)


def _let_go(descriptor: int) -> None:
    """Close a file with a temporary name, and release its lock."""
    _writing.descriptors.discard(descriptor)
    # Unlock before the close: a child that is being forked has a copy.
    unlock(descriptor)
    calls.close(descriptor)
