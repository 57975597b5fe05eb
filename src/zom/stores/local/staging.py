"""New directories, filled where nobody looks, and put in their places whole.

In a directory that exists, a value is written aside, locked, renamed and unlocked. Below one that is missing there is
nobody to keep out: whoever writes a key, or holds its lock, has a file in its directory. So missing directories are
filled below a hidden one, without locks, and the topmost of them takes its name in one step. That step fails where there is
anything by then but an empty directory, and its values are written one by one.

The hidden directory holds a file that its writer keeps locked: a sweep removes what has no living writer.
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
"""For how many values below one existing directory a hidden one is made."""


def write_new(
    items: Sequence[tuple[str, bytes]], open_path: Callable[[str], int], *, sync: bool
) -> list[str]:
    """Write those of the values whose directories are missing; their keys. `sync` writes their bytes to disk.

    `open_path` gives a descriptor of a directory that exists. What is missing in the answer was not written.
    """
    # An interrupt between a call and the note of what it gave would leave a descriptor, or a hidden directory
    # that a sweep takes for one of a living writer: it waits for the end of each step.
    block = Uninterrupted()
    written: list[str] = []
    with block:
        for home, trees in _new_trees(items, open_path, block).items():
            if sum(map(len, trees.values())) >= _WORTH:
                with suppress(OSError):  # the values are written one by one, which tells what is wrong
                    written += _write_below(home, trees, open_path, block, sync=sync)
    return written


def _new_trees(
    items: Sequence[tuple[str, bytes]], open_path: Callable[[str], int], block: Uninterrupted
) -> dict[str, dict[str, dict[str, bytes]]]:
    """The values whose directories are missing, by the existing directory above, then by the topmost missing one."""
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
    """Write new directories in the existing one at `home`; the keys of those that took their names."""
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
    """Which directories are missing: each is looked for once."""

    def __init__(self, open_path: Callable[[str], int]) -> None:
        self._open_path = open_path
        self._tops: dict[str, str | None] = {"": None}
        self._above = ""
        self._descriptor = -1

    def top_of(self, path: str) -> str | None:
        """The topmost missing directory of `path`; None where it exists."""
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
        """Whether anything has that name; True where nobody knows."""
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
        """Give the descriptor back."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            give_back(descriptor)


class Staging:
    """A hidden directory in the open directory `parent`, which others can't enter; made and closed without interrupts."""

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
        """Lock the mark. Where files can't be locked, locks of keys are no files, and can't be seen either."""
        lock(mark.descriptor, wait=False)
        if not is_in_place(mark.descriptor, self.directory, mark.name):
            raise BlockingIOError  # a sweep had the lock first

    def new_tree(self) -> str:
        """The name in the hidden directory for one more new directory."""
        return str(next(self._numbers))

    def put(self, name: str, files: Mapping[str, bytes], block: Uninterrupted, *, sync: bool) -> bool:
        """Make the new directory `name` of `files` by their paths in it; False where that could not be done."""
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
        """Write the new file `place` in the hidden directory, and the directories above it that are not in `made`."""
        _make(place.rpartition("/")[0], self.directory, made)
        descriptor = calls.open(place, NEW, 0o666, dir_fd=self.directory)
        try:
            write_all(descriptor, value)
            if sync:
                calls.fsync(descriptor)
        except BaseException:
            give_back(descriptor)
            raise
        calls.close(descriptor)  # network file systems tell only here that the disk is full

    def rename(self, tree: str, name: str) -> None:
        """Give the new directory its name; OSError where anything has it but an empty directory."""
        calls.rename(tree, name, src_dir_fd=self.directory, dst_dir_fd=self._parent)

    def remove(self, tree: str) -> None:
        """Remove the new directory, as far as that can be done."""
        _remove_tree(tree, self.directory)

    def close(self) -> None:
        """Remove the directory, in which nothing is left; what can't be removed is swept."""
        if self._mark is not None:
            with suppress(OSError):
                self._mark.close()
        directory, self.directory = self.directory, -1
        if directory >= 0:
            give_back(directory)
        with suppress(OSError):
            calls.rmdir(self._name, dir_fd=self._parent)


def _make(path: str, here: int, made: set[str]) -> None:
    """Make the directory `path` and those above it that are not in `made`."""
    below: list[str] = []
    while path and path not in made:
        below.append(path)
        path = path.rpartition("/")[0]
    for each in reversed(below):
        with suppress(FileExistsError):  # another thread was faster
            calls.mkdir(each, dir_fd=here)
        made.add(each)


def _remove_tree(name: str, directory: int) -> None:
    """Remove the directory `name` with all that is below it, as far as that can be done."""
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
    """Remove the hidden directory `name` of the open `directory` unless it has a living writer; whether it is gone."""
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
        # Its writer may be about to lock it: then it is not empty any more.
        try:
            calls.rmdir(name, dir_fd=directory)
        except OSError:
            return False
    return True
