"""Mounts of file systems that a program implements (FUSE), according to proc_pid_mountinfo(5) on Linux.

Such a program opens files by name, and may get another file that has this name by then; some number files by
their names. So two descriptors may have the same number but different locks, as with gocryptfs and rclone.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from zom.stores.system import BY_DESCRIPTORS, calls

__all__ = ["is_by_program"]

_MOUNTS = Path("/proc/self/mountinfo")


def is_by_program(descriptor: int) -> bool:
    """Whether the open file or directory is on such a file system, as far as known.

    >>> is_by_program(0)
    False
    """
    return BY_DESCRIPTORS and _kind_of(calls.fstat(descriptor).st_dev).startswith("fuse")


@lru_cache(maxsize=64)
def _kind_of(device: int) -> str:
    """Return the kind of the file system on a device; "" if unknown."""
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    wanted = f"{os.major(device)}:{os.minor(device)}"
    for line in lines:
        facts, _, more = line.partition(" - ")
        if facts.split()[2] == wanted:
            return more.split()[0]
    return ""
