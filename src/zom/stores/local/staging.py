"""New directories that are filled below a hidden one, then renamed into place.

In an existing directory, a value is written to a temporary file, locked, renamed and unlocked. A missing one
has no other users: writers of a key and holders of its lock have a file in its directory. So missing
directories are filled below a hidden one, without locks, and one rename publishes the topmost of them. If
anything but an empty directory is there by then, the rename fails, and the values are written one by one.

The hidden directory holds a file that its writer keeps locked: a sweep deletes those without a living writer.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

from zom.stores.interrupts import Uninterrupted
from zom.stores.local.files import DIRECTORY, LONG, give_back, write_all
from zom.stores.local.lock_files import is_in_place, is_lock_file
from zom.stores.local.new_file import NEW, Temporary
from zom.stores.local.temporary import TEMPORARY, remove_abandoned, temporary_name
from zom.stores.system import calls
from zom.stores.system.whole_locks import lock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["Missing", "Staging", "remove_abandoned_staging", "write_new"]

_WORTH = 4
"""Minimum number of values below an existing directory that are worth a hidden one."""


def write_new(
    items: Sequence[tuple[str, bytes]], open_path: Callable[[str], int], *, sync: bool
) -> list[str]:
    """Write the values whose directories are missing, and return their keys; `sync` writes bytes to disk.

    `open_path` opens an existing directory. Keys missing from the result were not written.
    """
    # An interrupt between a call and the assignment of its result would leak a descriptor, or a hidden
    # directory that a sweep takes for one of a living writer: defer it to the end of each step.
    block = Uninterrupted()
    written: list[str] = []
    with block:
        for home, trees in _new_trees(items, open_path, block).items():
            if sum(map(len, trees.values())) >= _WORTH:
                with suppress(OSError):  # writing one by one reports the error
                    written += _write_below(home, trees, open_path, block, sync=sync)
    return written


def _new_trees(
    items: Sequence[tuple[str, bytes]], open_path: Callable[[str], int], block: Uninterrupted
) -> dict[str, dict[str, dict[str, bytes]]]:
    """Group values with missing directories by the existing parent, then by the topmost missing one."""
    missing = Missing(open_path)
    by_home: dict[str, dict[str, dict[str, bytes]]] = {}
    try:
        for key, value in items:
            block.check()
            directory, _, name = key.rpartition("/")
            top = None if len(key) >= LONG or is_lock_file(name) else missing.top_of(directory)
            if top is not None:
                trees = by_home.setdefault(top.rpartition("/")[0], {})
                trees.setdefault(top, {})[key] = value
    finally:
        missing.close()
    return by_home


def _write_below(
    home: str,
    trees: Mapping[str, Mapping[str, bytes]],
    open_path: Callable[[str], int],
    block: Uninterrupted,
    *,
    sync: bool,
) -> list[str]:
    """Write new directories in the existing one at `home`; return the keys of the published ones."""
    written: list[str] = []
    parent = open_path(home)
    try:
        staging = Staging(parent)
        try:
            for top, values in trees.items():
                files = {key[len(top) + 1 :]: value for key, value in values.items()}
                if staging.put(top[len(home) :].lstrip("/"), files, block, sync=sync):
                    written += values
        finally:
            staging.close()
    finally:
        give_back(parent)
    return written


class Missing:
    """Finds missing directories; each is checked once."""

    def __init__(self, open_path: Callable[[str], int]) -> None:
        self._open_path = open_path
        self._tops: dict[str, str | None] = {"": None}
        self._above = ""
        self._descriptor = -1

    def top_of(self, path: str) -> str | None:
        """Return the topmost missing directory of `path`; None if `path` exists."""
        below: list[str] = []
        at = path
        while at not in self._tops:
            below.append(at)
            at = at.rpartition("/")[0]
        top = self._tops[at]
        for each in reversed(below):
            if top is None and not self._exists(each):
                top = each
            self._tops[each] = top
        return top

    def _exists(self, path: str) -> bool:
        """Whether the path exists; True if unknown."""
        above, _, name = path.rpartition("/")
        try:
            if self._descriptor < 0 or self._above != above:
                self.close()
                self._descriptor = self._open_path(above)
                self._above = above
            calls.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return self._descriptor < 0
        except OSError:
            return True
        return True

    def close(self) -> None:
        """Close the cached descriptor."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            give_back(descriptor)


class Staging:
    """A private hidden directory in the open directory `parent`; create and close it without interrupts."""

    def __init__(self, parent: int) -> None:
        self._parent = parent
        self._name = temporary_name()
        self._numbers = count()
        self.directory = -1
        """The open directory."""
        self._mark: Temporary | None = None
        calls.mkdir(self._name, 0o700, dir_fd=parent)
        try:
            self.directory = calls.open(self._name, DIRECTORY, dir_fd=parent)
            self._mark = Temporary(self.directory, b"", sync=False)
            self._hold(self._mark)
        except BaseException:
            self.close()
            raise

    def _hold(self, mark: Temporary) -> None:
        """Lock the mark; OSError if that fails: without file locks, locks of keys would be invisible."""
        lock(mark.descriptor, wait=False)
        if not is_in_place(mark.descriptor, self.directory, mark.name):
            raise BlockingIOError  # a sweep had the lock first

    def new_tree(self) -> str:
        """Return a name in the hidden directory for another new directory."""
        return str(next(self._numbers))

    def put(self, name: str, files: Mapping[str, bytes], block: Uninterrupted, *, sync: bool) -> bool:
        """Create the directory `name` with `files` by their relative paths; return False if that failed."""
        tree = self.new_tree()
        made: set[str] = set()
        try:
            for path, value in files.items():
                block.check()
                self.write(f"{tree}/{path}", value, made, sync=sync)
            self.rename(tree, name)
        except OSError:
            self.remove(tree)
            return False
        except BaseException:
            self.remove(tree)
            raise
        return True

    def write(self, place: str, value: bytes | memoryview[int], made: set[str], *, sync: bool) -> None:
        """Write the new file `place` in the hidden directory, and create parents that are not in `made`."""
        _make(place.rpartition("/")[0], self.directory, made)
        descriptor = calls.open(place, NEW, 0o666, dir_fd=self.directory)
        try:
            write_all(descriptor, value)
            if sync:
                calls.fsync(descriptor)
        except BaseException:
            give_back(descriptor)
            raise
        calls.close(descriptor)  # network file systems report a full disk only here

    def rename(self, tree: str, name: str) -> None:
        """Rename the new directory into place; OSError if anything but an empty directory is there."""
        calls.rename(tree, name, src_dir_fd=self.directory, dst_dir_fd=self._parent)

    def remove(self, tree: str) -> None:
        """Delete the new directory, as far as possible."""
        _remove_tree(tree, self.directory)

    def close(self) -> None:
        """Delete the empty hidden directory; a sweep deletes what remains."""
        if self._mark is not None:
            with suppress(OSError):
                self._mark.close()
        directory, self.directory = self.directory, -1
        if directory >= 0:
            give_back(directory)
        with suppress(OSError):
            calls.rmdir(self._name, dir_fd=self._parent)


def _make(path: str, here: int, made: set[str]) -> None:
    """Create the directory `path` and its parents that are not in `made`."""
    below: list[str] = []
    while path and path not in made:
        below.append(path)
        path = path.rpartition("/")[0]
    for each in reversed(below):
        with suppress(FileExistsError):  # another thread was faster
            calls.mkdir(each, dir_fd=here)
        made.add(each)


def _remove_tree(name: str, directory: int) -> None:
    """Delete the directory `name` and everything below it, as far as possible."""
    with suppress(OSError):
        top = calls.open(name, DIRECTORY, dir_fd=directory)
        try:
            for _, folders, files, at in calls.fwalk(".", topdown=False, dir_fd=top):
                for each in files:
                    with suppress(OSError):
                        calls.unlink(each, dir_fd=at)
                for each in folders:
                    with suppress(OSError):
                        calls.rmdir(each, dir_fd=at)
        finally:
            give_back(top)
        calls.rmdir(name, dir_fd=directory)


def remove_abandoned_staging(name: str, directory: int) -> bool:
    """Delete the hidden directory `name` unless it has a living writer; return whether it was deleted."""
    try:
        here = calls.open(name, DIRECTORY, dir_fd=directory)
    except FileNotFoundError:
        return False
    try:
        with calls.scandir(here) as entries:
            inside = [entry.name for entry in entries]
        marks = [each for each in inside if each.startswith(TEMPORARY)]
        if not all(remove_abandoned(mark, here) for mark in marks):
            return False
    finally:
        give_back(here)
    if inside:
        _remove_tree(name, directory)
    else:
        # Its writer may be about to lock it; then it is no longer empty.
        try:
            calls.rmdir(name, dir_fd=directory)
        except OSError:
            return False
    return True
