"""Calls of Linux that Python has not: openat2(2) and renameat2(2).

The one opens a directory far below another, through no symbolic link: opening one name after the other takes
three calls for each. The other renames a file where nothing has the new name. Where they are missing or
forbidden, as in some containers, others must do.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["name_alone", "open_below"]

_NO_REPLACE = 1
_UNKNOWN = frozenset({errno.EINVAL, errno.ENOSYS, errno.EPERM})
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
_SYS_OPENAT2 = 437
_RESOLVE_NO_SYMLINKS = 0x04
_HOW = struct.pack(
    "QQQ",
    os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0),
    0,
    _RESOLVE_NO_SYMLINKS,
)


def _call() -> Callable[..., int] | None:
    """The call, or None where this system has it not."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes  # noqa: PLC0415 - takes its time, and who only reads needs it not

    libc = ctypes.CDLL(None)
    if not hasattr(libc, "syscall"):
        return None
    call = libc.syscall
    call.restype = ctypes.c_long
    call.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
    found = call(_SYS_OPENAT2, -100, b"/", _HOW, len(_HOW))
    if found < 0:
        return None
    os.close(found)
    return call


class _Known:
    """What is known of the calls, once they were tried."""

    rename: Callable[..., int] | None = None

    is_tried = False
    call: Callable[..., int] | None = None


def open_below(directory: int, path: str) -> int:
    """A descriptor of the directory `path` below the open `directory`; -1 where it can't be had so.

    >>> here = os.open("/", os.O_RDONLY)
    >>> open_below(here, "no/such/directory")
    -1
    >>> os.close(here)
    """
    _try()
    call = _Known.call
    return -1 if call is None else call(_SYS_OPENAT2, directory, os.fsencode(path), _HOW, len(_HOW))


def name_alone(directory: int, old: str, new: str) -> bool:
    """Whether the file `old` of the open `directory` is now named `new`, as nothing was before.

    Where there is no such call, `old` stays a second name of the file, and is removed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     directory = os.open(folder, os.O_RDONLY)
    ...     for name in ("a", "b"):
    ...         os.close(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=directory))
    ...     name_alone(directory, "a", "b"), name_alone(directory, "a", "c"), sorted(os.listdir(folder))
    ...     os.close(directory)
    (False, True, ['b', 'c'])
    """
    _try()
    rename = _Known.rename
    if rename is not None:
        import ctypes  # noqa: PLC0415 - loaded by now

        if rename(directory, os.fsencode(old), directory, os.fsencode(new), _NO_REPLACE) == 0:
            return True
        code = ctypes.get_errno()
        if code == errno.EEXIST:
            return False
        if code not in _UNKNOWN:
            raise OSError(code, os.strerror(code))
    try:
        os.link(old, new, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError as error:
        # Without hard links, the caller locks another way.
        if error.errno not in _NO_LINKS:
            raise
        return False
    os.unlink(old, dir_fd=directory)
    return True


def _try() -> None:
    if not _Known.is_tried:
        _Known.call = _call()
        _Known.rename = _rename()
        _Known.is_tried = True


def _rename() -> Callable[..., int] | None:
    if not sys.platform.startswith("linux"):
        return None
    import ctypes  # noqa: PLC0415 - takes its time, and who only reads needs it not

    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is not None:
        call.restype = ctypes.c_int
        call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    return call
