"""Temporary files of writers: never listed, and told apart from those that killed writers left.

A writer holds a lock on its file as long as it lives, whatever way it ends; a sweep takes only files
that nobody holds.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from itertools import count

from zom.stores.local.files import write_all
from zom.stores.local.whole_locks import is_possible, lock, unlock
from zom.stores.locks import remake_in_children

__all__ = [
    "NEW",
    "OWN",
    "TEMPORARY",
    "discard",
    "hold",
    "let_go",
    "link_in_place",
    "put_in_place",
    "remove_abandoned",
    "temporary_name",
    "write_temporary",
]

OWN = ".zom-"
"""How the names of zom's own files begin: no key may use them, and they are never listed."""

TEMPORARY = f"{OWN}tmp-"
"""How the names of temporary files begin."""

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class _Names:
    """Names that no other process makes, told apart by a number."""

    def __init__(self) -> None:
        remake_in_children(self)
        self.after_fork()

    def after_fork(self) -> None:
        """Begin names of this process's own."""
        self._start = f"{TEMPORARY}{secrets.token_hex(8)}-"
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
    if not is_possible():  # pragma: no cover - Windows, where nothing is swept
        return False
    try:
        descriptor = os.open(name, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
    except FileNotFoundError:
        return False
    try:
        lock(descriptor, wait=False)
        # Removed while it is held: who waits for it finds that it is not the file of that name any more.
        there = os.stat(name, dir_fd=directory, follow_symlinks=False)
        if not os.path.samestat(there, os.fstat(descriptor)):
            return False
        os.unlink(name, dir_fd=directory)
    except (BlockingIOError, FileNotFoundError):
        # A writer lives, or has just given the file its own name.
        return False
    else:
        return True
    finally:
        os.close(descriptor)


class _Writing:
    """The temporary files that are being written: a child process closes its copies.

    As long as a copy is open, what the parent has locked stays locked, even when the parent is killed.
    """

    def __init__(self) -> None:
        self.descriptors: set[int] = set()
        remake_in_children(self)

    def after_fork(self) -> None:
        """Close the copies."""
        for descriptor in self.descriptors:
            with suppress(OSError):
                os.close(descriptor)
        self.descriptors = set()


_writing = _Writing()


def write_temporary(directory: int, value: bytes | memoryview[int], *, sync: bool) -> tuple[str, int]:
    """The name of a temporary file that holds `value`, and its descriptor, open as long as it is held."""
    name = _names.next()
    descriptor = os.open(name, NEW, 0o666, dir_fd=directory)
    try:
        _writing.descriptors.add(descriptor)
        hold(descriptor)
        write_all(descriptor, value)
        if sync:
            os.fsync(descriptor)
        else:
            # Network file systems tell only at a close that the disk is full.
            os.close(os.dup(descriptor))
    except BaseException:
        discard(directory, descriptor, name)
        raise
    return name, descriptor


def discard(directory: int, descriptor: int, *names: str) -> None:
    """Remove a temporary file that is not needed after all; it has one of `names`, or none any more."""
    try:
        for name in names:
            with suppress(OSError):
                there = os.stat(name, dir_fd=directory, follow_symlinks=False)
                if os.path.samestat(there, os.fstat(descriptor)):
                    os.unlink(name, dir_fd=directory)
    finally:
        let_go(descriptor)


def let_go(descriptor: int) -> None:
    """Close a temporary file that has its name now, and free whoever waits for it."""
    _writing.descriptors.discard(descriptor)
    # Unlocked, not only closed: a child that is being forked has a copy.
    unlock(descriptor)
    os.close(descriptor)


def put_in_place(directory: int, temporary: str, name: str) -> bool:
    """Make `temporary` the file `name`, in one step, whatever file there was; True, as it was made."""
    os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
    return True


def link_in_place(directory: int, temporary: str, name: str) -> bool:
    """Make `temporary` the file `name` unless there is one; whether it was made."""
    try:
        os.link(temporary, name, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
    except FileExistsError:
        return False
    finally:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=directory)
    return True
