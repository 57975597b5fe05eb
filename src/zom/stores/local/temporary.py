"""Temporary files of writers: never listed, and told apart from those that killed writers left.

A writer holds a lock on its file as long as it lives, whatever way it ends; a sweep takes only files
that nobody holds.
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
"""How the names of zom's own files begin: no key may use them, and they are never listed."""

TEMPORARY = f"{OWN}tmp-"
"""How the names of temporary files begin."""


class _Names:
    """Names that no other process makes, told apart by a number."""

    def __init__(self) -> None:
        remake_in_children(self)
        self.after_fork()

    def after_fork(self) -> None:
        """Begin names of this process's own."""
        self._start = f"{TEMPORARY}{os.urandom(8).hex()}-"
        self._numbers = count()

    def next(self) -> str:
        return f"{self._start}{next(self._numbers):x}"


_names = _Names()


def temporary_name() -> str:
    """A name that no other temporary file has.

    >>> temporary_name().startswith(".zom-tmp-")
    True
    """
    return _names.next()


def hold(descriptor: int) -> None:
    """Mark the open file as one that a living process writes, where the file system can."""
    if is_possible():
        try:  # noqa: SIM105 - `suppress` takes longer than the call
            lock(descriptor, wait=False)
        except OSError:
            pass


def remove_abandoned(name: str, directory: int) -> bool:
    """Remove the file `name` of the open `directory` unless a process holds it; whether it is gone."""
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
        # Removed while it is held: who waits for it finds that it is not the file of that name any more.
        there = calls.stat(name, dir_fd=directory, follow_symlinks=False)
        if not os.path.samestat(there, calls.fstat(descriptor)):
            return False
        calls.unlink(name, dir_fd=directory)
    except (BlockingIOError, FileNotFoundError):
        # A writer lives, or has just given the file its own name.
        return False
    else:
        return True
    finally:
        calls.close(descriptor)
