"""Locks of whole open files: open-file-description locks, fcntl_locking(2), as tensorstore takes them.

They end with the process, or when all copies of the descriptor are closed. Systems without such locks,
like gVisor and macOS, use flock(2) in all processes; Windows has locks of its own. WebAssembly has only
one process, and its flock excludes nobody.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
import time
from typing import Any

from zom.stores.interrupts import interruptible

fcntl: Any
try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None

__all__ = ["LONGEST_PAUSE", "SHORTEST_PAUSE", "UNLOCKABLE", "is_possible", "lock", "unlock"]

UNLOCKABLE = frozenset({errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK})
"""Errors of a file system without locks."""

SHORTEST_PAUSE, LONGEST_PAUSE = 5e-4, 2e-2
"""Seconds between two attempts to take a lock by polling."""

_READ, _WRITE, _NONE = (
    struct.pack("hhqqi", getattr(fcntl, name, 0), os.SEEK_SET, 0, 0, 0)
    for name in ("F_RDLCK", "F_WRLCK", "F_UNLCK")
)
"""A shared lock, an exclusive lock and an unlock of a whole file, as the system call takes them."""


def is_possible() -> bool:
    """Whether locks of this system exclude others.

    >>> is_possible()
    True
    """
    return sys.platform != "emscripten"


def lock(descriptor: int, *, wait: bool, shared: bool = False) -> None:
    """Lock an open file, writable unless `shared`; BlockingIOError if it is locked and not `wait`."""
    kind = _READ if shared else _WRITE
    try:
        _lock(descriptor, kind, wait=False)
    except BlockingIOError:
        if not wait:
            raise
        with interruptible():
            _lock(descriptor, kind, wait=True)


def _lock(descriptor: int, kind: bytes, *, wait: bool) -> None:
    if fcntl is None:
        _lock_on_windows(descriptor, shared=kind is _READ, wait=wait)
    elif not _described(descriptor, kind, wait=wait):
        how = fcntl.LOCK_SH if kind is _READ else fcntl.LOCK_EX
        fcntl.flock(descriptor, how if wait else how | fcntl.LOCK_NB)


def _lock_on_windows(descriptor: int, *, shared: bool, wait: bool) -> None:
    """Poll: a blocking call could not be interrupted."""
    from zom.stores.system import windows  # noqa: PLC0415 - as above

    pause = SHORTEST_PAUSE
    while True:
        try:
            windows.lock(descriptor, shared=shared)
        except BlockingIOError:
            if not wait:
                raise
        else:
            return
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


def unlock(descriptor: int) -> None:
    """Unlock an open file, even if there are copies of its descriptor."""
    try:
        if fcntl is None:
            from zom.stores.system import windows  # noqa: PLC0415 - ctypes loads slowly

            windows.unlock(descriptor)
        elif not _described(descriptor, _NONE, wait=False):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    except OSError:
        pass


def _described(descriptor: int, kind: bytes, *, wait: bool) -> bool:
    """Set the lock of the open file description; False if the system has no such locks."""
    call = getattr(fcntl, "F_OFD_SETLKW" if wait else "F_OFD_SETLK", None)
    if call is None:
        return False
    try:
        fcntl.fcntl(descriptor, call, kind)
    except OSError as error:
        if error.errno == errno.EINVAL:
            return False
        raise
    return True
