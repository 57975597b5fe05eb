"""Replacements, by path, for calls of `os` that take the descriptor of a directory: Windows has none.

An open directory is a number for its path; real descriptors are smaller. Nothing holds the directory open,
so other programs can rename and delete it. Links are checked before a file is opened or deleted: one that
another program creates at that moment is followed. Paths have no length limit, and no name is a device.
"""

from __future__ import annotations

import errno
import os
import stat as modes
import sys
from itertools import count
from typing import TYPE_CHECKING, Any

from zom.stores.system import windows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "O_CLOEXEC",
    "O_CREAT",
    "O_DIRECTORY",
    "O_EXCL",
    "O_NOFOLLOW",
    "O_NONBLOCK",
    "O_RDONLY",
    "O_RDWR",
    "O_WRONLY",
    "access",
    "close",
    "dup",
    "fpathconf",
    "fstat",
    "fsync",
    "fwalk",
    "link",
    "listdir",
    "mkdir",
    "open",
    "pread",
    "pwrite",
    "rename",
    "rmdir",
    "scandir",
    "stat",
    "unlink",
]

_IS_WINDOWS = sys.platform == "win32"

O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL = os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_EXCL
O_NONBLOCK: int = getattr(os, "O_NONBLOCK", 0)
O_CLOEXEC: int = getattr(os, "O_CLOEXEC", getattr(os, "O_NOINHERIT", 0))
O_DIRECTORY, O_NOFOLLOW = 1 << 28, 1 << 29
"""Bits that are unused on all systems."""

_FIRST = 1 << 30
"""The first number of an open directory."""

_JUNCTION = 0xA000_0003
"""IO_REPARSE_TAG_MOUNT_POINT."""

_numbers = count(_FIRST)
_paths: dict[int, str] = {}
"""The paths of the open directories."""


def open(  # noqa: A001 - as in os
    path: str | os.PathLike[str], flags: int, mode: int = 0o777, *, dir_fd: int | None = None
) -> int:
    """As os.open; directories need O_DIRECTORY."""
    where = _path(path, dir_fd)
    if flags & O_NOFOLLOW and _is_link(where):
        raise _error(errno.ENOTDIR if flags & O_DIRECTORY else errno.ELOOP)
    if flags & O_DIRECTORY:
        if not modes.S_ISDIR(os.stat(where).st_mode):
            raise _error(errno.ENOTDIR)
        return _opened(where)
    flags &= ~O_NOFOLLOW
    try:
        return windows.open_file(where, flags) if _IS_WINDOWS else os.open(where, flags, mode)
    except PermissionError:
        if os.path.isdir(where):
            raise IsADirectoryError(errno.EISDIR, "expected a regular file, found a directory") from None
        raise
    except FileNotFoundError:
        if _is_below_file(where):
            raise _error(errno.ENOTDIR) from None
        raise


def close(descriptor: int) -> None:
    """As os.close."""
    if _paths.pop(descriptor, None) is None:
        os.close(descriptor)


def dup(descriptor: int) -> int:
    """As os.dup."""
    return os.dup(descriptor) if descriptor < _FIRST else _opened(_path("", descriptor))


def fstat(descriptor: int) -> os.stat_result:
    """As os.fstat; FileNotFoundError of a directory that was deleted."""
    return os.fstat(descriptor) if descriptor < _FIRST else os.stat(_path("", descriptor))


def fsync(descriptor: int) -> None:
    """As os.fsync; Windows itself writes directory entries in order."""
    if descriptor < _FIRST:
        os.fsync(descriptor)
    elif not _IS_WINDOWS:
        opened = os.open(_path("", descriptor), os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def fpathconf(descriptor: int, name: str) -> int:
    """Raise OSError: the limit is unknown."""
    del descriptor, name
    raise _error(errno.ENOSYS)


def stat(path: str, *, dir_fd: int | None = None, follow_symlinks: bool = True) -> os.stat_result:
    """As os.stat."""
    return os.stat(_path(path, dir_fd), follow_symlinks=follow_symlinks)


def access(path: str, mode: int, *, dir_fd: int | None = None, **how: bool) -> bool:
    """As os.access; F_OK does not follow links, and effective ids are ignored."""
    del how
    where = _path(path, dir_fd)
    return os.path.lexists(where) if mode == os.F_OK else os.access(where, mode)


def mkdir(path: str, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
    """As os.mkdir. Windows ignores `mode`: files keep the rights of their first directory when moved."""
    os.mkdir(_path(path, dir_fd), 0o777 if _IS_WINDOWS else mode)


def rmdir(path: str, *, dir_fd: int | None = None) -> None:
    """As os.rmdir."""
    where = _path(path, dir_fd)
    _patiently(lambda: os.rmdir(where))


def unlink(path: str | os.PathLike[str], *, dir_fd: int | None = None) -> None:
    """As os.unlink."""
    where = _path(path, dir_fd)
    _patiently(lambda: os.unlink(where))


def rename(
    old: str | os.PathLike[str],
    new: str | os.PathLike[str],
    *,
    src_dir_fd: int | None = None,
    dst_dir_fd: int | None = None,
) -> None:
    """As os.rename: a file replaces a file. On Windows a directory replaces nothing, not even an empty directory."""
    source, target = _path(old, src_dir_fd), _path(new, dst_dir_fd)
    if not _IS_WINDOWS:
        os.rename(source, target)
    elif modes.S_ISDIR(os.lstat(source).st_mode):
        _patiently(lambda: os.rename(source, target))
    else:
        _patiently(lambda: windows.replace_file(source, target))


def link(
    old: str | os.PathLike[str],
    new: str | os.PathLike[str],
    *,
    src_dir_fd: int | None = None,
    dst_dir_fd: int | None = None,
    follow_symlinks: bool = True,
) -> None:
    """As os.link, for regular files; ENOTSUP if the file system has no hard links, such as exFAT."""
    del follow_symlinks  # not supported on Windows
    try:
        os.link(_path(old, src_dir_fd), _path(new, dst_dir_fd))
    except OSError as error:
        if getattr(error, "winerror", None) in windows.UNKNOWN:
            raise _error(errno.ENOTSUP) from error
        raise


def listdir(path: int | str | os.PathLike[str]) -> list[str]:
    """As os.listdir, also of an open directory."""
    return os.listdir(_path("", path) if isinstance(path, int) else path)


def scandir(descriptor: int) -> Any:
    """As os.scandir of an open directory."""
    return os.scandir(_path("", descriptor))


def fwalk(
    top: str,
    topdown: bool = True,  # noqa: FBT001, FBT002 - as in os
    onerror: Callable[[OSError], object] | None = None,
    *,
    dir_fd: int,
) -> Iterator[tuple[str, list[str], list[str], int]]:
    """As os.fwalk."""
    start = _path(top, dir_fd)

    def inner(path: str) -> str:
        return top + path[len(start) :].replace(os.sep, "/")

    def told(error: OSError) -> None:
        error.filename = inner(str(error.filename))
        if onerror is not None:
            onerror(error)

    for here, folders, files in os.walk(start, topdown, told):
        at = _opened(here)
        try:
            yield inner(here), folders, files, at
        finally:
            close(at)


def pread(descriptor: int, length: int, offset: int) -> bytes:
    """As os.pread."""
    return (
        windows.read_at(descriptor, length, offset) if _IS_WINDOWS else os.pread(descriptor, length, offset)
    )


def pwrite(descriptor: int, value: bytes | memoryview[int], offset: int) -> int:
    """As os.pwrite."""
    return (
        windows.write_at(descriptor, value, offset) if _IS_WINDOWS else os.pwrite(descriptor, value, offset)
    )


def _opened(path: str) -> int:
    number = next(_numbers)
    _paths[number] = path
    return number


def _path(name: str | os.PathLike[str], directory: int | None) -> str:
    """The path of a name in an open directory, without a length limit."""
    name = os.fspath(name)
    if directory is None:
        return windows.long_path(os.path.abspath(name)) if _IS_WINDOWS else os.path.abspath(name)
    above = _paths.get(directory)
    if above is None:
        raise _error(errno.EBADF)
    # os.path.join would drop `above` for a name with a drive.
    return above if name in {"", "."} else f"{above}{os.sep}{name.replace('/', os.sep)}"


def _is_link(path: str) -> bool:
    """Whether `path` is a symbolic link, or a junction on Windows."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return False
    return modes.S_ISLNK(found.st_mode) or getattr(found, "st_reparse_tag", 0) == _JUNCTION


def _is_below_file(path: str) -> bool:
    """Whether a parent of `path` is a file; Windows only reports that `path` is missing."""
    above = os.path.dirname(path)
    while above != path:
        try:
            return not modes.S_ISDIR(os.stat(above).st_mode)
        except NotADirectoryError:
            return True
        except FileNotFoundError:
            path, above = above, os.path.dirname(above)
    return False


def _patiently(call: Callable[[], object]) -> None:
    if _IS_WINDOWS:
        windows.patiently(call)
    else:
        call()


def _error(number: int) -> OSError:
    return OSError(number, os.strerror(number))
