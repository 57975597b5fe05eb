"""A call of Linux that Python lacks: openat2(2).

It opens a directory at any depth below another without following symbolic links; opening name by name
takes three calls each. That is the fallback if the call is missing or forbidden, as in some containers.
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
    """Return the call, or None if this system lacks it."""
    if not (BY_DESCRIPTORS and sys.platform.startswith("linux")):
        return None
    import ctypes  # noqa: PLC0415 - loads slowly, and reading doesn't need it

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
    """The result of trying the call."""

    is_tried = False
    call: Callable[..., int] | None = None


def open_below(directory: int, path: str) -> int:
    """Open the directory `path` below the open `directory`; return -1 if this call can't open it.

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
