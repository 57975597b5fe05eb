"""Files and directories by descriptors: opened one name at a time, never through a symbolic link."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from zom.stores.ranges import ByteRange, Suffix

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "LONG",
    "READ",
    "contents",
    "kind",
    "leads_back",
    "open_directory",
    "open_followed",
    "refuse_dangling",
    "write_all",
]

LONG = 1000
"""The length of a path from which on it may be longer than the system takes: 4095 bytes, in UTF-8."""

# Without O_NONBLOCK, opening a pipe waits for a writer, for ever if need be.
READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_DIRECTORY = (
    os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
)


def open_directory(root: int, names: Sequence[str], *, create: bool = False, durable: bool = False) -> int:
    """A descriptor of the directory that `names` lead to from the open `root`, links not followed.

    Where `durable`, every directory that is made, or may have been made just now, is written to disk.
    """
    here = os.dup(root)
    try:
        for name in names:
            below = _open_below(here, name, create=create)
            try:
                if durable:
                    os.fsync(here)
            except BaseException:
                os.close(below)
                raise
            os.close(here)
            here = below
    except BaseException:
        os.close(here)
        raise
    return here


def _open_below(here: int, name: str, *, create: bool) -> int:
    try:
        return os.open(name, _DIRECTORY, dir_fd=here)
    except FileNotFoundError:
        if not create:
            raise
    except NotADirectoryError:
        if stat.S_ISLNK(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from None
        raise
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=here)
    return os.open(name, _DIRECTORY, dir_fd=here)


def open_followed(root: int, path: str) -> int:
    """A descriptor of the directory `path` below the open `root`, for listing; links are followed."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    if len(path) < LONG:
        return os.open(path or ".", flags, dir_fd=root)
    here = os.dup(root)
    for name in path.split("/"):
        try:
            below = os.open(name, flags, dir_fd=here)
        finally:
            os.close(here)
        here = below
    return here


def contents(descriptor: int, byte_range: ByteRange | None) -> bytes:
    """The bytes of an open file, or those that `byte_range` means; only of a regular file."""
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, f"expected a regular file, found {kind(found.st_mode)}")
    size = found.st_size
    if byte_range is None:
        value = os.pread(descriptor, size, 0)
        # Files of the system say that they have no bytes, and have some.
        return value if size and len(value) == size else _read(descriptor, 0, size, to_end=True)
    if isinstance(byte_range, Suffix):
        start = max(0, size - byte_range.length)
        return _read(descriptor, start, size - start)
    start, length = byte_range
    rest = max(0, size - start)
    return _read(descriptor, start, rest if length is None else min(length, rest))


def _read(descriptor: int, start: int, length: int, *, to_end: bool = False) -> bytes:
    """`length` bytes from `start` on, however few one call gives; all there are where `to_end`."""
    if not length and not to_end:
        return b""
    value = os.pread(descriptor, length + to_end, start)
    if len(value) == length:
        return value
    pieces = [value]
    got = len(value)
    while pieces[-1] and (to_end or got < length):
        pieces.append(os.pread(descriptor, (1 << 20) if to_end else length - got, start + got))
        got += len(pieces[-1])
    return b"".join(pieces)


def write_all(descriptor: int, value: bytes) -> None:
    """Write `value`, however little one call takes."""
    view = memoryview(value)
    while view:
        view = view[os.write(descriptor, view) :]


def refuse_dangling(root: int, path: str) -> None:
    """OSError where `path`, which was not found, leads over a symbolic link to nowhere.

    A disk that is not mounted is no missing value.
    """
    while len(path) >= LONG:
        path = path.rpartition("/")[0]
    while path:
        try:
            found = os.stat(path, dir_fd=root, follow_symlinks=False)
        except FileNotFoundError:
            path = path.rpartition("/")[0]
            continue
        if stat.S_ISLNK(found.st_mode):
            try:
                os.stat(path, dir_fd=root)
            except FileNotFoundError:
                raise OSError(errno.ESTALE, f"the symbolic link {path!r} leads nowhere") from None
        return
    if os.fstat(root).st_nlink == 0:
        raise OSError(errno.ESTALE, "the directory of the store was deleted")


def leads_back(root: int, path: str) -> bool:
    """Whether the directory `path`, which is a symbolic link, is one of those above it."""
    target = os.stat(path, dir_fd=root)
    above = path
    while above:
        above = above.rpartition("/")[0]
        if os.path.samestat(target, os.stat(above or ".", dir_fd=root)):
            return True
    return False


def kind(mode: int) -> str:
    """What a file of that mode is, in words.

    >>> kind(stat.S_IFIFO)
    'a pipe'
    """
    names = {
        stat.S_IFDIR: "a directory",
        stat.S_IFLNK: "a symbolic link",
        stat.S_IFIFO: "a pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFBLK: "a device",
        stat.S_IFCHR: "a device",
    }
    return names.get(stat.S_IFMT(mode), "something else")
