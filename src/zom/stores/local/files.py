"""Files and directories by descriptors: opened one name at a time, never through a symbolic link."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from zom.stores.ranges import ByteRange, Suffix
from zom.stores.system import calls, is_gone

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

__all__ = [
    "DIRECTORY",
    "LONG",
    "NO_LINKS",
    "READ",
    "CircleError",
    "bounds",
    "contents",
    "contents_into",
    "give_back",
    "is_file_there",
    "is_there",
    "kind",
    "link",
    "mode_of",
    "names_in",
    "open_directory",
    "open_followed",
    "read_at",
    "refuse_dangling",
    "size_of",
    "write_all",
]

LONG = 1000
"""Characters from which a path may exceed the system's limit of 4095 bytes in UTF-8."""

_READS_INTO = hasattr(calls, "preadv")
"""Whether this system can read into a buffer: an old macOS can't."""

_MOST = 0x7FFFF000
"""Maximum bytes of one read on Linux: a longer request doesn't reach the spare byte."""

NO_LINKS = frozenset(
    {
        errno.EPERM,
        errno.EACCES,
        errno.EXDEV,
        errno.EOPNOTSUPP,
        errno.ENOTSUP,
        errno.ENOSYS,
        errno.EMLINK,
        errno.EIO,
    }
)
"""Errors of systems without hard links; Android reports a denied access, rclone mounts a failure."""

# Without O_NONBLOCK, opening a pipe waits for a writer, maybe forever.
READ = calls.O_RDONLY | calls.O_NONBLOCK | calls.O_CLOEXEC
DIRECTORY = calls.O_RDONLY | calls.O_DIRECTORY | calls.O_NOFOLLOW | calls.O_CLOEXEC


def link(file: str | PathLike[str], name: str | PathLike[str], **places: Any) -> None:
    """As `os.link`; raises an error of NO_LINKS on systems without that call, such as WebAssembly."""
    if not hasattr(os, "link"):
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    calls.link(file, name, **places)


def open_directory(root: int, names: Sequence[str], *, create: bool = False, durable: bool = False) -> int:
    """Open the directory at the path `names` below the open `root`, without following links.

    With `durable`, every directory on the way is written to disk, since it may be new.
    """
    if not names:
        return calls.dup(root)
    here = root
    for name in names:
        try:
            below = _open_below(here, name, create=create)
            try:
                if durable:
                    calls.fsync(here)
            except BaseException:
                calls.close(below)
                raise
        finally:
            if here != root:
                calls.close(here)
        here = below
    return here


def _open_below(here: int, name: str, *, create: bool) -> int:
    try:
        return calls.open(name, DIRECTORY, dir_fd=here)
    except FileNotFoundError:
        if not create:
            raise
    except NotADirectoryError:
        if stat.S_ISLNK(calls.stat(name, dir_fd=here, follow_symlinks=False).st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from None
        raise
    with suppress(FileExistsError):
        calls.mkdir(name, dir_fd=here)
    return calls.open(name, DIRECTORY, dir_fd=here)


def give_back(descriptor: int) -> None:
    """Close a descriptor that was not written to, ignoring errors."""
    with suppress(OSError):
        calls.close(descriptor)


def remove_lock_file(name: str, directory: int) -> None:
    """Delete an unneeded lock file; try twice, then leave it to a sweep.

    A directory that holds nothing else counts as a group in the draft.
    """
    for _ in range(2):
        try:
            calls.unlink(name, dir_fd=directory)
        except FileNotFoundError:
            return
        except OSError:
            continue
        return


class CircleError(OSError):
    """A link leads to a directory above it: listing below it would never end."""

    def __init__(self) -> None:
        super().__init__(errno.ELOOP, "a symbolic link that leads to a directory above it")


def open_followed(root: int, path: str) -> int:
    """Open the directory `path` below the open `root` for listing; links are followed.

    Raises CircleError if `path` is a link to a directory above it.
    """
    flags = calls.O_RDONLY | calls.O_DIRECTORY | calls.O_CLOEXEC
    if len(path) >= LONG:
        return _open_step_by_step(root, path, flags)
    try:
        return calls.open(path or ".", flags | calls.O_NOFOLLOW, dir_fd=root)
    except OSError as cause:
        if cause.errno not in {errno.ELOOP, errno.ENOTDIR}:
            raise
    if _leads_back(root, path):
        raise CircleError
    return calls.open(path, flags, dir_fd=root)


def _open_step_by_step(root: int, path: str, flags: int) -> int:
    here = calls.dup(root)
    above = {_identity(here)}
    for name in path.split("/"):
        try:
            below = calls.open(name, flags, dir_fd=here)
        finally:
            calls.close(here)
        here = below
        found = _identity(here)
        if found in above:
            calls.close(here)
            raise CircleError
        above.add(found)
    return here


def _identity(descriptor: int) -> tuple[int, int]:
    found = calls.fstat(descriptor)
    return found.st_dev, found.st_ino


def size_of(descriptor: int) -> int:
    """Return the size of the open file in bytes; OSError if it is not a regular file."""
    found = calls.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        number = errno.EISDIR if stat.S_ISDIR(found.st_mode) else errno.EINVAL
        raise OSError(number, f"expected a regular file, found {kind(found.st_mode)}")
    return found.st_size


def contents(descriptor: int, byte_range: ByteRange | None) -> bytes:
    """Return the bytes of an open regular file, or those in `byte_range`."""
    size = size_of(descriptor)
    if byte_range is None:
        value = calls.pread(descriptor, size, 0)
        if not size or len(value) != size:
            # Some system files report the size 0, but have content.
            value = read_at(descriptor, 0, size, to_end=True)
            _check_end(descriptor, len(value))
        return value
    start, length = bounds(byte_range, size)
    value = read_at(descriptor, start, length)
    if len(value) < length:
        _check_end(descriptor, start + len(value))
    return value


def contents_into(descriptor: int, target: memoryview[Any]) -> int:
    """Read an open regular file into `target`; return its size, which may differ from that of `target`.

    A spare byte after `target` tells whether the file ends there, without another call. `preadv` itself
    rejects pipes and directories. Endless devices fill the spare byte; the kind of empty ones is checked.
    """
    length = target.nbytes
    if not _READS_INTO:
        value = contents(descriptor, None)
        if value and len(value) == length:
            target.cast("B")[:] = value
        return len(value)
    # The spare byte goes to a buffer that is never read.
    got = calls.preadv(descriptor, (target, bytearray(1)), 0)
    if got == length and 0 < length < _MOST:
        return length
    size = size_of(descriptor)
    rest = target.cast("B") if length else target
    while 0 < got < length:
        more = calls.preadv(descriptor, (rest[got:],), got)
        if not more:
            break
        got += more
    if got < length:
        _check_end(descriptor, got)
        return got
    if got == length:
        got += len(calls.pread(descriptor, 1, length))
    return got if got <= length else max(size, got)


def _check_end(descriptor: int, end: int) -> None:
    """Raise OSError if a read ended before the end of the file, as rclone mounts do for files in transfer."""
    if calls.fstat(descriptor).st_size > end:
        raise OSError(errno.EIO, os.strerror(errno.EIO))


def bounds(byte_range: ByteRange, size: int) -> tuple[int, int]:
    """Return start and length of `byte_range` in a value of `size` bytes.

    >>> bounds(Suffix(3), 10)
    (7, 3)
    """
    if isinstance(byte_range, Suffix):
        length = min(byte_range.length, size)
        return size - length, length
    start, asked = byte_range
    rest = max(0, size - start)
    return start, rest if asked is None else min(asked, rest)


def read_at(descriptor: int, start: int, length: int, *, to_end: bool = False) -> bytes:
    """Read `length` bytes from `start` on, or all with `to_end`, in as many calls as needed."""
    if not length and not to_end:
        return b""
    value = calls.pread(descriptor, length + to_end, start)
    if len(value) == length:
        return value
    pieces = [value]
    got = len(value)
    while pieces[-1] and (to_end or got < length):
        pieces.append(calls.pread(descriptor, (1 << 20) if to_end else length - got, start + got))
        got += len(pieces[-1])
    return b"".join(pieces)


def write_all(descriptor: int, value: bytes | memoryview[int]) -> None:
    """Write `value`, in as many calls as needed."""
    written = os.write(descriptor, value) if value else 0
    while written < len(value):
        written += os.write(descriptor, memoryview(value)[written:])


def refuse_dangling(root: int, path: str) -> None:
    """Raise OSError if `path` was not found because of a dangling symbolic link or a deleted `root`.

    An unmounted disk is not a missing value.
    """
    while len(path) >= LONG:
        path = path.rpartition("/")[0]
    while path:
        try:
            found = calls.stat(path, dir_fd=root, follow_symlinks=False)
        except FileNotFoundError:
            path = path.rpartition("/")[0]
            continue
        if stat.S_ISLNK(found.st_mode):
            try:
                calls.stat(path, dir_fd=root)
            except FileNotFoundError:
                raise OSError(errno.ESTALE, f"the target of the symbolic link {path!r} is missing") from None
        return
    if is_gone(root):
        raise OSError(errno.ESTALE, "the directory of the store was deleted")


def is_file_there(directory: int, name: str) -> bool:
    """Whether the file exists; OSError if it is not a regular file, as links are not replaced or deleted."""
    try:
        mode = calls.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, f"expected a regular file or nothing, found {kind(mode)}")
    return True


def _leads_back(root: int, path: str) -> bool:
    """Whether the symbolic link `path` leads to a directory above it."""
    target = calls.stat(path, dir_fd=root)
    above = path
    while above:
        above = above.rpartition("/")[0]
        if os.path.samestat(target, calls.stat(above or ".", dir_fd=root)):
            return True
    return False


def mode_of(entry: os.DirEntry[str], *, follow: bool) -> int:
    """Return the kind of an entry; 0 for a dangling or circular link, and for other kinds of files."""
    try:
        if entry.is_dir(follow_symlinks=follow):
            return stat.S_IFDIR
        if entry.is_file(follow_symlinks=follow):
            return stat.S_IFREG
    except OSError as error:
        # Such a link must not hide other entries; reading it reports the error.
        if error.errno != errno.ELOOP:
            raise
        return 0
    return stat.S_IFLNK if entry.is_symlink() and not follow else 0


def is_there(path: str | os.PathLike[str]) -> bool:
    """Whether there is a file, a directory or a link at `path`; OSError if access is denied.

    `os.path.exists` and similar functions return False if a directory on the way can't be entered.

    >>> is_there("/"), is_there("/no/such/file")
    (True, False)
    """
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def names_in(root: int, path: str) -> list[str]:
    """List all names in the directory `path` below the descriptor `root`; links are followed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     calls.mkdir(f"{folder}/a"); root = calls.open(folder, DIRECTORY)
    ...     names_in(root, ""), names_in(root, "a"), calls.close(root)
    (['a'], [], None)
    """
    descriptor = calls.open(path or ".", calls.O_RDONLY | calls.O_DIRECTORY | calls.O_CLOEXEC, dir_fd=root)
    try:
        return calls.listdir(descriptor)
    finally:
        calls.close(descriptor)


def kind(mode: int) -> str:
    """Describe the kind of a file of this mode.

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
