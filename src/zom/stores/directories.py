"""The directories below the root of a store, and the values that are put into them as files.

Every path is resolved from a descriptor of the root, one name at a time and through no symbolic link. A
value is written to a temporary file, which then takes the place of the old one.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

from zom.stores.direct import open_below
from zom.stores.files import kind, open_directory, refuse_dangling
from zom.stores.temporary import discard, write_temporary

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from zom.stores.range_locks import RangeLocks

__all__ = ["Directories", "Folder"]

_TRIES = 100
"""How often others may take a directory away between our making it and our writing into it."""

_MANY = 1 << 16
"""How many directories are kept in mind as durable."""


class Folder:
    """The directory that was written to last, kept open for the next value of a batch."""

    __slots__ = ("descriptor", "path")

    def __init__(self) -> None:
        self.path: str | None = None
        self.descriptor = -1

    def close(self) -> None:
        """Give the descriptor back."""
        if self.path is not None:
            self.path = None
            os.close(self.descriptor)


class Directories:
    """The directories below the open `root`; `sync_files` and `sync_names` say what is synced at once."""

    def __init__(self, root: int, locks: RangeLocks, *, sync_files: bool, sync_names: bool) -> None:
        self.root = root
        self._locks = locks
        self._sync_files = sync_files
        self._sync_names = sync_names
        self._settled: set[str] = set()

    # --- directories -------------------------------------------------------------------------------

    def open(self, path: str, *, create: bool = False) -> int:
        """A descriptor of the directory `path`, which the caller closes."""
        durable = create and self._sync_names and path not in self._settled
        if path and not durable:
            directory = open_below(self.root, path)
            if directory >= 0:
                return directory
        names = path.split("/") if path else ()
        directory = open_directory(self.root, names, create=create, durable=durable)
        if durable and len(self._settled) < _MANY:
            self._settled.add(path)
        return directory

    @contextmanager
    def opened(self, path: str, *, create: bool = False) -> Generator[int]:
        """The same for a block."""
        directory = self.open(path, create=create)
        try:
            yield directory
        finally:
            os.close(directory)

    def have_changed(self) -> None:
        """Forget which of them are durable: one that is gone, and made again, is not."""
        self._settled.clear()

    def prune(self, path: str) -> None:
        """Remove `path` and those above it that are empty now: a store has no empty prefixes."""
        while path:
            above, _, name = path.rpartition("/")
            try:
                with self.opened(above) as directory:
                    os.rmdir(name, dir_fd=directory)
            except OSError:
                return  # not empty, or somebody else's: either way it stays
            self.have_changed()
            path = above

    # --- values ------------------------------------------------------------------------------------

    def put(self, key: str, value: bytes, place: Callable[[int, str, str], bool], folder: Folder) -> bool:
        """What `place(directory, temporary, name)` says, once a temporary file holds `value`.

        The directory is that of `folder` where it is the one of the key, and else becomes it.
        """
        path, _, name = key.rpartition("/")
        for attempt in range(_TRIES):
            try:
                if folder.path != path:
                    folder.close()
                    folder.descriptor = self.open(path, create=True)
                    folder.path = path
                return self._put_into(folder.descriptor, key, name, value, place)
            except FileNotFoundError:
                # Others have removed the directory, which was empty, before our file was in it.
                folder.close()
                self.have_changed()
                if attempt == _TRIES - 1 or os.fstat(self.root).st_nlink == 0:
                    refuse_dangling(self.root, "")
                    raise
            except BaseException:
                folder.close()
                self.prune(path)
                raise
        raise AssertionError  # pragma: no cover - the last attempt has returned or raised

    def put_alone(self, key: str, value: bytes, place: Callable[[int, str, str], bool]) -> bool:
        """The same for one value, with which the directory is closed again."""
        folder = Folder()
        try:
            return self.put(key, value, place, folder)
        finally:
            folder.close()

    def _put_into(
        self, directory: int, key: str, name: str, value: bytes, place: Callable[[int, str, str], bool]
    ) -> bool:
        temporary, descriptor = write_temporary(directory, value, sync=self._sync_files)
        try:
            # Whoever holds the lock has read what is there, and may write what he makes of it.
            with self._locks.exclude(key, self.root):
                _is_there(directory, name)
                done = place(directory, temporary, name)
        except BaseException:
            discard(directory, temporary, descriptor)
            raise
        os.close(descriptor)
        return done

    def remove(self, key: str) -> bool:
        """Remove the file of `key`; whether there was one."""
        path, _, name = key.rpartition("/")
        try:
            with self.opened(path) as directory:
                if not _is_there(directory, name):
                    refuse_dangling(self.root, key)
                    return False
                with self._locks.exclude(key, self.root):
                    os.unlink(name, dir_fd=directory)
        except FileNotFoundError:
            refuse_dangling(self.root, key)
            return False
        return True


def _is_there(directory: int, name: str) -> bool:
    """Whether there is a file; only a regular one is replaced or removed, no link to somewhere else."""
    try:
        mode = os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, f"expected a regular file or nothing, found {kind(mode)}")
    return True
