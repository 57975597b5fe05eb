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
"""The length of a path from which on it may be longer than the system takes: 4095 bytes, in UTF-8."""

_READS_INTO = hasattr(calls, "preadv")
"""Whether this system reads into memory at all: an old macOS doesn't."""

_MOST = 0x7FFFF000
"""How many bytes Linux reads in one call: with so many asked for, the spare one was not."""

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
"""What a system answers that gives a file no further name: Android says that this is denied, rclone's mounts that it failed."""

# Without O_NONBLOCK, opening a pipe waits for a writer, for ever if need be.
READ = calls.O_RDONLY | calls.O_NONBLOCK | calls.O_CLOEXEC
DIRECTORY = calls.O_RDONLY | calls.O_DIRECTORY | calls.O_NOFOLLOW | calls.O_CLOEXEC


def link(file: str | PathLike[str], name: str | PathLike[str], **places: Any) -> None:
    """Give a file one more name, as `os.link` does; an error of NO_LINKS where the system has no such call, as WebAssembly."""
    if not hasattr(os, "link"):
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    calls.link(file, name, **places)


def open_directory(root: int, names: Sequence[str], *, create: bool = False, durable: bool = False) -> int:
    """A descriptor of the directory that `names` lead to from the open `root`, links not followed.

    Where `durable`, every directory that is made, or may have been made just now, is written to disk.
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
    """Close a descriptor that nothing was written through: an error of its own says nothing."""
    with suppress(OSError):
        calls.close(descriptor)


def remove_lock_file(name: str, directory: int) -> None:
    """Remove a lock file that is not needed any more; what fails is tried once more, and then left to a sweep.

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
    """A link leads to a directory above it: nobody who lists what is below would come to an end."""

    def __init__(self) -> None:
        super().__init__(errno.ELOOP, "a symbolic link that leads to a directory above it")


def open_followed(root: int, path: str) -> int:
    """A descriptor of the directory `path` below the open `root`, for listing; links are followed.

    CircleError where `path` is a link to a directory above it.
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
    """How many bytes the open file has; an error where it is no regular file."""
    found = calls.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        number = errno.EISDIR if stat.S_ISDIR(found.st_mode) else errno.EINVAL
        raise OSError(number, f"expected a regular file, found {kind(found.st_mode)}")
    return found.st_size


def contents(descriptor: int, byte_range: ByteRange | None) -> bytes:
    """The bytes of an open file, or those that `byte_range` means; only of a regular file."""
    size = size_of(descriptor)
    if byte_range is None:
        value = calls.pread(descriptor, size, 0)
        if not size or len(value) != size:
            # Files of the system say that they have no bytes, and have some.
            value = read_at(descriptor, 0, size, to_end=True)
            _check_end(descriptor, len(value))
        return value
    start, length = bounds(byte_range, size)
    value = read_at(descriptor, start, length)
    if len(value) < length:
        _check_end(descriptor, start + len(value))
    return value


def contents_into(descriptor: int, target: memoryview[Any]) -> int:
    """Put the bytes of an open regular file into `target`; how many it has, which may be others.

    The byte beside `target` tells whether the file ends where it should: where it does, nothing more
    need be asked. `preadv` refuses pipes and directories itself. Devices without end have a byte too many,
    and those without bytes are asked what they are.
    """
    length = target.nbytes
    if not _READS_INTO:
        value = contents(descriptor, None)
        if value and len(value) == length:
            target.cast("B")[:] = value
        return len(value)
    # The byte that a value has too many goes where nobody reads it.
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
    """Refuse to take for all of a file what ends before it does: a mount of rclone gives nothing of what it still moves."""
    if calls.fstat(descriptor).st_size > end:
        raise OSError(errno.EIO, os.strerror(errno.EIO))


def bounds(byte_range: ByteRange, size: int) -> tuple[int, int]:
    """Where the bytes that `byte_range` means begin in a value of `size` bytes, and how many they are.

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
    """`length` bytes from `start` on, however few one call gives; all there are where `to_end`."""
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
    """Write `value`, however little one call takes."""
    written = os.write(descriptor, value) if value else 0
    while written < len(value):
        written += os.write(descriptor, memoryview(value)[written:])


def refuse_dangling(root: int, path: str) -> None:
    """OSError where `path`, which was not found, leads over a symbolic link to nowhere.

    A disk that is not mounted is no missing value.
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
                raise OSError(errno.ESTALE, f"the symbolic link {path!r} leads nowhere") from None
        return
    if is_gone(root):
        raise OSError(errno.ESTALE, "the directory of the store was deleted")


def is_file_there(directory: int, name: str) -> bool:
    """Whether there is a file; OSError where it is no regular one: no link to somewhere else is replaced or removed."""
    try:
        mode = calls.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, f"expected a regular file or nothing, found {kind(mode)}")
    return True


def _leads_back(root: int, path: str) -> bool:
    """Whether the directory `path`, which is a symbolic link, is one of those above it."""
    target = calls.stat(path, dir_fd=root)
    above = path
    while above:
        above = above.rpartition("/")[0]
        if os.path.samestat(target, calls.stat(above or ".", dir_fd=root)):
            return True
    return False


def mode_of(entry: os.DirEntry[str], *, follow: bool) -> int:
    """The kind of an entry; 0 for a link to nowhere, or in a circle."""
    try:
        if entry.is_dir(follow_symlinks=follow):
            return stat.S_IFDIR
        if entry.is_file(follow_symlinks=follow):
            return stat.S_IFREG
    except OSError as error:
        # One such link hides nothing beside it; whoever reads it is told.
        if error.errno != errno.ELOOP:
            raise
        return 0
    return stat.S_IFLNK if entry.is_symlink() and not follow else 0


def is_there(path: str | os.PathLike[str]) -> bool:
    """Whether there is a file, a directory or a link at `path`; OSError where nobody may know.

    `os.path.exists` and its like answer False to whoever may not enter a directory on the way.

    >>> is_there("/"), is_there("/no/such/file")
    (True, False)
    """
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def names_in(root: int, path: str) -> list[str]:
    """The names in the directory `path` below the descriptor `root`, whatever they are of; links are followed.

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
