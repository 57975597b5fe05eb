"""A call of Linux that Python has not: openat2(2).

It opens a directory far below another, through no symbolic link: opening one name after the other takes three
calls for each. Where it is missing or forbidden, as in some containers, those must do.
"""

from __future__ import annotations

import os
import struct
import sys
from typing import TYPE_CHECKING

from zom.stores.system import BY_DESCRIPTORS, calls

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["open_below"]

_SYS_OPENAT2 = 437
_RESOLVE_NO_SYMLINKS = 0x04
_HOW = struct.pack(
    "QQQ",
    calls.O_RDONLY | calls.O_DIRECTORY | calls.O_CLOEXEC,
    0,
    _RESOLVE_NO_SYMLINKS,
)


def _call() -> Callable[..., int] | None:
    """The call, or None where this system has it not."""
    if not (BY_DESCRIPTORS and sys.platform.startswith("linux")):
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
    calls.close(found)
    return call


class _Known:
    """What is known of the call, once it was tried."""

    is_tried = False
    call: Callable[..., int] | None = None


def open_below(directory: int, path: str) -> int:
    """A descriptor of the directory `path` below the open `directory`; -1 where it can't be had so.

    >>> here = calls.open("/", calls.O_RDONLY)
    >>> open_below(here, "no/such/directory")
    -1
    >>> calls.close(here)
    """
    _try()
    call = _Known.call
    return -1 if call is None else call(_SYS_OPENAT2, directory, os.fsencode(path), _HOW, len(_HOW))


def _try() -> None:
    if not _Known.is_tried:
        _Known.call = _call()
        _Known.is_tried = True
