"""Written data that may not be on the disk yet, and flushing it."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from zom.stores.local.files import READ, open_directory
from zom.stores.system import BY_DESCRIPTORS, calls

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

__all__ = ["Unsynced", "sync_directory"]

_FLUSHED = (READ if BY_DESCRIPTORS else calls.O_RDWR | calls.O_CLOEXEC) | calls.O_NOFOLLOW
"""Flags to open a file for flushing; Windows needs write access for that."""

_MANY = 1 << 16
"""Number of recorded keys; beyond it, a flush syncs every file system."""


class Unsynced:
    """The keys changed since the last flush; with `files`, their bytes are unsynced, too.

    >>> unsynced = Unsynced(files=True)
    >>> unsynced.note(["a/0"]); unsynced.keys
    {'a/0'}
    """

    def __init__(self, *, files: bool) -> None:
        self.keys: set[str] = set()
        self.failures: set[str] = set()
        """The keys of failed changes: some may be changed, others may not open."""
        self._files = files
        self._too_many = False

    def note(self, keys: Iterable[str]) -> None:
        """Record that `keys` were written, deleted or moved."""
        if not self._too_many:
            self.keys.update(keys)
            if len(self.keys) > _MANY:
                self._too_many = True
                self.keys.clear()

    def note_failure(self, keys: Iterable[str]) -> None:
        """Record that a change of `keys` failed; the caller has seen the error."""
        self.failures.update(keys)
        if len(self.failures) > _MANY:
            self.failures.clear()
            self._too_many = True

    def flush(self, root: int) -> None:
        """Sync all recorded keys below the open `root`: files first, then directories, deepest first."""
        # Remove them first: concurrent writes record them again.
        everything, self._too_many = self._too_many, False
        keys = list(self.keys)
        self.keys.difference_update(keys)
        failures = list(self.failures)
        self.failures.difference_update(failures)
        try:
            if everything:
                _sync_all(root)
            else:
                for key in failures:
                    with suppress(OSError):
                        self._sync(root, [key])
                if keys:
                    self._sync(root, keys)
        except BaseException:
            self._too_many = self._too_many or everything
            self.keys.update(keys)
            self.failures.update(failures)
            raise

    def _sync(self, root: int, keys: Sequence[str]) -> None:
        folders: set[str] = set()
        for key in keys:
            folder = key.rpartition("/")[0]
            while folder and folder not in folders:
                folders.add(folder)
                folder = folder.rpartition("/")[0]
            if self._files:
                _sync_below(root, key)
        for folder in sorted(folders, key=len, reverse=True):
            _sync_below(root, folder)
        calls.fsync(root)


def _sync_below(root: int, path: str) -> None:
    """Sync a file or directory; a deleted one needs only a sync of its directory."""
    *parents, name = path.split("/")
    with suppress(FileNotFoundError):
        directory = open_directory(root, parents)
        try:
            _sync_in(directory, name)
        finally:
            calls.close(directory)


def _sync_in(directory: int, name: str) -> None:
    if not BY_DESCRIPTORS and not stat.S_ISREG(
        calls.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    ):
        return  # Windows writes directory entries itself
    descriptor = calls.open(name, _FLUSHED, dir_fd=directory)
    try:
        calls.fsync(descriptor)
    finally:
        calls.close(descriptor)


def _sync_all(root: int) -> None:
    """Flush everything below the open `root` to disk, or all file systems if one call can."""
    if hasattr(os, "sync"):
        os.sync()
        return
    for _, _, files, at in calls.fwalk(".", dir_fd=root):
        for name in files:
            with suppress(FileNotFoundError):
                _sync_in(at, name)


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable."""
    descriptor = calls.open(path, calls.O_RDONLY | calls.O_DIRECTORY | calls.O_CLOEXEC)
    try:
        calls.fsync(descriptor)
    finally:
        calls.close(descriptor)
