"""Files on Windows that other programs can rename, replace and delete while they are open.

Win32 API: CreateFileW, ReadFile, WriteFile, LockFileEx, SetFileInformationByHandle. Python's own calls open files without
sharing for deletion, and read at a file pointer that threads share.
"""

from __future__ import annotations

import ctypes
import errno
import os
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

msvcrt: Any
try:
    import msvcrt
except ImportError:  # everywhere else
    msvcrt = None

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

__all__ = [
    "UNKNOWN",
    "lock",
    "long_path",
    "open_file",
    "patiently",
    "read_at",
    "replace_file",
    "short_path",
    "unlock",
    "write_at",
]

_READ, _WRITE, _DELETE = 0x8000_0000, 0x4000_0000, 0x0001_0000
_SHARED = 7
"""FILE_SHARE_READ, _WRITE and _DELETE."""
_NEW, _EXISTING, _EITHER = 1, 3, 4
_NORMAL, _NO_LINK = 0x80, 0x0020_0000

_RENAME, _REPLACING = 22, 1 | 2
"""FileRenameInfoEx, and its flags: replace the target, even if it is open."""

_ALONE, _AT_ONCE = 2, 1
_END = 0xFFFF_FFFF

_DENIED, _SHARING, _LOCKED, _AT_END = 5, 32, 33, 38
UNKNOWN = {1, 50, 87}
"""Errors for calls that the system or file system does not support."""
_PENDING = -0x3FFFFFAA
"""STATUS_DELETE_PENDING: on older systems a deleted file keeps its name until its last handle is closed."""

_PATIENCE = 1.0
"""Seconds to retry while another program, such as a virus scanner, holds a file."""

_MOST = 1 << 30

_T = TypeVar("_T")


class _Overlapped(ctypes.Structure):
    """OVERLAPPED: the offset of a read, write or lock."""

    _fields_ = (
        ("internal", ctypes.c_size_t),
        ("internal_high", ctypes.c_size_t),
        ("offset", ctypes.c_uint32),
        ("offset_high", ctypes.c_uint32),
        ("event", ctypes.c_void_p),
    )


def _at(offset: int) -> Any:
    return ctypes.byref(_Overlapped(offset=offset & _END, offset_high=offset >> 32))


@lru_cache(maxsize=1)
def _system() -> Any:
    """kernel32, with the argument types of its functions."""
    system: Any = vars(ctypes)["WinDLL"]("kernel32", use_last_error=True)
    handle, text, number, place = ctypes.c_void_p, ctypes.c_wchar_p, ctypes.c_uint32, ctypes.c_void_p
    system.CreateFileW.argtypes = [text, number, number, place, number, number, handle]
    system.CreateFileW.restype = handle
    system.ReadFile.argtypes = system.WriteFile.argtypes = [handle, place, number, place, place]
    system.LockFileEx.argtypes = [handle, number, number, number, number, place]
    system.UnlockFileEx.argtypes = [handle, number, number, number, place]
    system.SetFileInformationByHandle.argtypes = [handle, ctypes.c_int, place, number]
    system.CloseHandle.argtypes = [handle]
    return system


def _last_error(path: str | None = None) -> OSError:
    library: Any = ctypes
    return _error(library.get_last_error(), path)


def _error(number: int, path: str | None = None) -> OSError:
    library: Any = ctypes
    return OSError(0, library.FormatError(number).strip(), path, number)


def long_path(path: str) -> str:
    r"""The absolute `path` in the form that has no length limit and no device names.

    >>> long_path(r"C:\data"), long_path(r"\\server\share\data")
    ('\\\\?\\C:\\data', '\\\\?\\UNC\\server\\share\\data')
    """
    if path.startswith("\\\\?\\"):
        return path
    return f"\\\\?\\UNC{path[1:]}" if path.startswith("\\\\") else f"\\\\?\\{path}"


def short_path(path: str) -> str:
    r"""The inverse of `long_path`.

    >>> [short_path(long_path(each)) for each in (r"C:\data", r"\\server\share")] == [r"C:\data", r"\\server\share"]
    True
    """
    if path.startswith("\\\\?\\UNC\\"):
        return f"\\{path[7:]}"
    return path.removeprefix("\\\\?\\")


def patiently(call: Callable[[], _T], in_use: Collection[int] = (_DENIED, _SHARING)) -> _T:
    """Return the result of `call`; retry while it fails with one of the error numbers `in_use`."""
    ends = time.monotonic() + _PATIENCE
    pause = 0.001
    while True:
        try:
            return call()
        except PermissionError as error:
            if getattr(error, "winerror", None) not in in_use or time.monotonic() > ends:
                raise
        time.sleep(pause)
        pause = min(2 * pause, 0.05)


def open_file(path: str, flags: int) -> int:
    """As os.open, in binary mode and shared with all other access."""
    return patiently(lambda: _opened(path, flags), in_use=(_SHARING,))


def _opened(path: str, flags: int) -> int:
    access = {os.O_RDONLY: _READ, os.O_WRONLY: _WRITE}.get(flags & (os.O_WRONLY | os.O_RDWR), _READ | _WRITE)
    how = _EXISTING if not flags & os.O_CREAT else _NEW if flags & os.O_EXCL else _EITHER
    handle = _handle(path, access, how, _NORMAL)
    descriptor: int
    try:
        # O_BINARY | O_NOINHERIT
        descriptor = msvcrt.open_osfhandle(handle, flags & ~(os.O_CREAT | os.O_EXCL) | 0x8080)
    except BaseException:
        _system().CloseHandle(handle)
        raise
    return descriptor


def _handle(path: str, access: int, how: int, attributes: int) -> int:
    handle: int | None = _system().CreateFileW(path, access, _SHARED, None, how, attributes, None)
    if handle is not None and handle != ctypes.c_void_p(-1).value:
        return handle
    library: Any = ctypes
    is_pending = library.windll.ntdll.RtlGetLastNtStatus() == _PENDING
    if is_pending and how == _EXISTING:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    raise _error(_SHARING, path) if is_pending else _last_error(path)


def replace_file(source: str, target: str) -> None:
    """As os.replace for files; also replaces a target that is open with full sharing."""
    handle = _handle(source, _DELETE, _EXISTING, _NO_LINK)
    try:
        name = target.encode("utf-16-le", "surrogatepass")

        class _Rename(ctypes.Structure):
            """FILE_RENAME_INFO."""

            _fields_ = (
                ("flags", ctypes.c_uint32),
                ("root", ctypes.c_void_p),
                ("length", ctypes.c_uint32),
                ("name", ctypes.c_ubyte * (len(name) + 2)),
            )

        wanted = _Rename(flags=_REPLACING, length=len(name))
        wanted.name[: len(name)] = name
        if _system().SetFileInformationByHandle(handle, _RENAME, ctypes.byref(wanted), ctypes.sizeof(wanted)):
            return
        error = _last_error(target)
    finally:
        _system().CloseHandle(handle)
    # Not supported by older systems and by file systems other than NTFS.
    if getattr(error, "winerror", None) not in UNKNOWN:
        raise error
    os.replace(source, target)


def read_at(descriptor: int, length: int, offset: int) -> bytes:
    """As os.pread: independent of the shared file pointer."""
    length = min(length, _MOST)
    value = ctypes.create_string_buffer(length)
    got = ctypes.c_uint32()
    handle = msvcrt.get_osfhandle(descriptor)
    if not _system().ReadFile(handle, value, length, ctypes.byref(got), _at(offset)):
        error = _last_error()
        if getattr(error, "winerror", None) != _AT_END:
            raise error
    return value.raw if got.value == length else value.raw[: got.value]


def write_at(descriptor: int, value: bytes | memoryview[int], offset: int) -> int:
    """As os.pwrite."""
    part = bytes(value[:_MOST])
    done = ctypes.c_uint32()
    handle = msvcrt.get_osfhandle(descriptor)
    if not _system().WriteFile(handle, part, len(part), ctypes.byref(done), _at(offset)):
        raise _last_error()
    return done.value


def lock(descriptor: int, *, shared: bool = False) -> None:
    """Lock an open file for its handle, as tensorstore does; BlockingIOError if another handle holds it."""
    how = _AT_ONCE if shared else _AT_ONCE | _ALONE
    handle = msvcrt.get_osfhandle(descriptor)
    if not _system().LockFileEx(handle, how, 0, _END, _END, _at(0)):
        error = _last_error()
        number = getattr(error, "winerror", None)
        if number == _LOCKED:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        if number in UNKNOWN:
            raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
        raise error


def unlock(descriptor: int) -> None:
    """Release the lock."""
    handle = msvcrt.get_osfhandle(descriptor)
    if not _system().UnlockFileEx(handle, 0, _END, _END, _at(0)):
        raise _last_error()
