"""Temporary files of writers: never listed, and distinguished from those that killed writers left.

A writer holds a lock on its file until its process ends in any way; a sweep only deletes files that nobody
holds.
"""

from __future__ import annotations

import os
from itertools import count

from zom.stores.locks import remake_in_children
from zom.stores.system import calls
from zom.stores.system.whole_locks import is_possible, lock

__all__ = [
    "OWN",
    "TEMPORARY",
    "hold",
    "remove_abandoned",
    "temporary_name",
]

OWN = ".zom-"
"""The prefix of zom's own file names: keys can't use it, and such files are never listed."""

TEMPORARY = f"{OWN}tmp-"
"""The prefix of temporary file names."""


class _Names:
    """Names that are unique among processes, with a random part and a number."""

    def __init__(self) -> None:
        remake_in_children(self)
        self.after_fork()

    def after_fork(self) -> None:
        """Choose a new random part for this process."""
        self._start = f"{TEMPORARY}{os.urandom(8).hex()}-"
        self._numbers = count()

    def next(self) -> str:
        return f"{self._start}{next(self._numbers):x}"


_names = _Names()


def temporary_name() -> str:
    """Return a unique name for a temporary file.

    >>> temporary_name().startswith(".zom-tmp-")
    True
    """
    return _names.next()


def hold(descriptor: int) -> None:
    """Lock the open file as one that a living process writes, if the file system can."""
    if is_possible():
        try:  # noqa: SIM105 - `suppress` is slower than the call
            lock(descriptor, wait=False)
        except OSError:
            pass


def remove_abandoned(name: str, directory: int) -> bool:
    """Delete the file `name` of the open `directory` unless a process holds it; return whether it did."""
    if not is_possible():  # pragma: no cover - WebAssembly, where nothing is swept
        return False
    try:
        descriptor = calls.open(
            name, calls.O_RDWR | calls.O_NOFOLLOW | calls.O_NONBLOCK | calls.O_CLOEXEC, dir_fd=directory
        )
    except FileNotFoundError:
        return False
    try:
        lock(descriptor, wait=False)
        # Deleted while it is held: a waiting process then finds that the file lost its name.
        there = calls.stat(name, dir_fd=directory, follow_symlinks=False)
        if not os.path.samestat(there, calls.fstat(descriptor)):
            return False
        calls.unlink(name, dir_fd=directory)
    except (BlockingIOError, FileNotFoundError):
        # The writer lives, or has just renamed the file.
        return False
    else:
        return True
    finally:
        calls.close(descriptor)
