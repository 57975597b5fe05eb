"""Obstacles in a directory: links, files in place of directories, permissions, names that are too long.

Nothing is opened for writing, and no link is followed. Inaccessible paths are not obstacles: there, the
change itself fails, as it would without this check.
"""

from __future__ import annotations

import os
import stat
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from zom.dataclass import dataclass
from zom.stores.local.files import kind, names_in
from zom.stores.local.names import reserved_in
from zom.stores.local.temporary import OWN, TEMPORARY
from zom.stores.obstacles import NO_LINK, Obstacle, reserved_keys
from zom.stores.system import BY_DESCRIPTORS, calls

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zom.stores.obstacles import Wanted

__all__ = ["file_obstacles"]


def file_obstacles(root: int, wanted: Wanted) -> Iterator[Obstacle]:
    """Yield the obstacles in the directory with the descriptor `root`."""
    look = _Look(root)
    for key in wanted.writes:
        yield from look.write(key, new=key in wanted.new)
    yield from look.removal(wanted.removes)
    for old, new in wanted.moves:
        yield from look.move(old[:-1], new[:-1])


_UNLINK: Final = "replace the link with its target, or choose another path"
_MODE: Final = "change its permissions, or choose another path"
_FEW: Final = 8
"""Number of files in a directory that are checked one by one; for more, the directory is listed."""


@dataclass(slots=True)
class _Look:
    """What is known of the directories below a root; each is checked once."""

    root: int
    seen: dict[str, Obstacle | bool] = field(default_factory=dict[str, "Obstacle | bool"])
    """By path: why it can't be a directory, or whether it is one."""
    told: set[str] = field(default_factory=set[str])
    """The directories with an obstacle that was reported already."""
    longest: int = -1

    def write(self, key: str, *, new: bool) -> Iterator[Obstacle]:
        """Yield why `key` can't be written."""
        path, _, name = key.rpartition("/")
        above = self.directory(path)
        if reserved_in(key):
            yield from reserved_keys([key])
        elif isinstance(above, Obstacle):
            yield from self._once(above)
        elif (too_long := self._too_long(key, name)) is not None:
            yield too_long
        elif above:
            found = self._kind(key)
            if found is not None and not stat.S_ISREG(found):
                fix = "remove it, or choose another path"
                yield Obstacle(key, "a regular file or nothing", kind(found), fix)
            elif found is not None and new and not self._is_listed(path, name):
                fix = "choose a name that differs by more than case and Unicode form"
                yield Obstacle(key, "nothing", "a file whose name is the same on this disk", fix)
            else:
                yield from self._locked(path)

    def removal(self, keys: Sequence[str]) -> Iterator[Obstacle]:
        """Yield why any of `keys` can't be deleted."""
        folders: dict[str, list[str]] = {}
        for key in keys:
            path, _, name = key.rpartition("/")
            folders.setdefault(path, []).append(name)
        for path, names in folders.items():
            above = self.directory(path)
            if isinstance(above, Obstacle):
                yield from self._once(above)
            elif above:
                yield from self._locked(path)
                yield from self._no_files(path, names)

    def move(self, old: str, new: str) -> Iterator[Obstacle]:
        """Yield why the directory `old` can't be renamed to `new`."""
        above = [self.directory(path.rpartition("/")[0]) for path in (old, new)]
        source, target = self.directory(old), self._kind(new) if above[1] is True else None
        yield from (
            each for state in (*above, source) if isinstance(state, Obstacle) for each in self._once(state)
        )
        if isinstance(source, Obstacle) or any(isinstance(state, Obstacle) for state in above):
            return
        for path in (old, new):
            yield from self._locked(self._nearest(path.rpartition("/")[0]))
        if (too_long := self._too_long(new, new.rpartition("/")[2])) is not None:
            yield too_long
            return
        here, there = self._found(old), self._found(new)
        if target is not None and source and here and there and os.path.samestat(here, there):
            fix = "this disk ignores case: rename it to a third name first"
            yield Obstacle(new, f"another name than {old!r}", "the same directory", fix)
        elif target is not None:
            yield from self._not_empty(new, target)
        nearest = self._found(self._nearest(new.rpartition("/")[0]))
        if source and (here and here.st_dev) != (nearest and nearest.st_dev):
            yield Obstacle(old, "both paths on one disk", "two disks", "copy it with zom.copy instead")

    # --- directories ---------------------------------------------------------------------------------

    def directory(self, path: str) -> Obstacle | bool:
        """Return whether the directory exists, without following links, or why it can't."""
        if not path:
            return True
        known = self.seen.get(path)
        if known is None:
            known = self.seen[path] = self._directory(path)
        return known

    def _directory(self, path: str) -> Obstacle | bool:
        parent, _, name = path.rpartition("/")
        above = self.directory(parent)
        if isinstance(above, Obstacle):
            return above
        if (too_long := self._too_long(path, name)) is not None:
            return too_long
        found = self._kind(path) if above else None
        if found is None:
            if above and not self._is_open(parent):
                return self._denied(parent)
            return False
        if stat.S_ISDIR(found):
            return True
        fix = _UNLINK if stat.S_ISLNK(found) else "move it away, or choose another path"
        return Obstacle(path, NO_LINK, kind(found), fix)

    def _kind(self, path: str) -> int | None:
        try:
            return calls.stat(path, dir_fd=self.root, follow_symlinks=False).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            return self._kind_by_steps(path)

    def _kind_by_steps(self, path: str) -> int | None:
        """Return the mode of a path that is too long for one call; None if it is inaccessible."""
        parent, _, name = path.rpartition("/")
        flags = calls.O_RDONLY | calls.O_DIRECTORY | calls.O_NOFOLLOW | calls.O_CLOEXEC
        here = calls.dup(self.root)
        try:
            for each in parent.split("/") if parent else ():
                below = calls.open(each, flags, dir_fd=here)
                calls.close(here)
                here = below
            return calls.stat(name, dir_fd=here, follow_symlinks=False).st_mode
        except OSError:
            return None
        finally:
            calls.close(here)

    def _nearest(self, path: str) -> str:
        """Return `path`, or the nearest existing directory above it."""
        while path and self.directory(path) is not True:
            path = path.rpartition("/")[0]
        return path

    def _found(self, path: str) -> os.stat_result | None:
        try:
            return calls.stat(path or ".", dir_fd=self.root, follow_symlinks=False)
        except OSError:
            return None

    def _is_listed(self, path: str, name: str) -> bool:
        """Whether the directory lists exactly this name: another process may have created it meanwhile."""
        return name in names_in(self.root, path)

    def _is_open(self, path: str) -> bool:
        """Whether names can be added to the directory and removed from it."""
        try:
            return calls.access(path or ".", os.W_OK | os.X_OK, dir_fd=self.root, effective_ids=True)
        except OSError:  # pragma: no cover - a path longer than one call takes
            return True

    def _locked(self, path: str) -> Iterator[Obstacle]:
        if not self._is_open(path):
            yield from self._once(self._denied(path))

    def _denied(self, path: str) -> Obstacle:
        return Obstacle(path, "a writable directory", "one that is not writable", _MODE)

    def _once(self, obstacle: Obstacle) -> Iterator[Obstacle]:
        if obstacle.key not in self.told:
            self.told.add(obstacle.key)
            yield obstacle

    # --- names ---------------------------------------------------------------------------------------

    def _too_long(self, path: str, name: str) -> Obstacle | None:
        if len(name) * 4 <= 255:
            return None
        if self.longest < 0:
            try:
                self.longest = calls.fpathconf(self.root, "PC_NAME_MAX")
            except OSError:
                self.longest = 255
        unit = "bytes" if BY_DESCRIPTORS else "UTF-16 units"
        length = (
            len(os.fsencode(name)) if BY_DESCRIPTORS else len(name.encode("utf-16-le", "surrogatepass")) // 2
        )
        if length <= self.longest:
            return None
        return Obstacle(
            path, f"names of at most {self.longest} {unit}", f"one of {length} {unit}", "shorten it"
        )

    def _no_files(self, path: str, names: list[str]) -> Iterator[Obstacle]:
        """Yield an obstacle for each of the names that is not a regular file."""
        join = f"{path}/" if path else ""
        if len(names) > _FEW:
            odd = self._odd(path)
            names = [name for name in names if name in odd]
        for name in names:
            found = self._kind(join + name)
            if found is not None and not stat.S_ISREG(found):
                yield Obstacle(
                    join + name, "a regular file", kind(found), "remove it yourself: zom deletes no links"
                )

    def _odd(self, path: str) -> set[str]:
        descriptor = calls.open(
            path or ".", calls.O_RDONLY | calls.O_DIRECTORY | calls.O_CLOEXEC, dir_fd=self.root
        )
        try:
            with calls.scandir(descriptor) as entries:
                return {entry.name for entry in entries if not entry.is_file(follow_symlinks=False)}
        finally:
            calls.close(descriptor)

    def _not_empty(self, path: str, mode: int) -> Iterator[Obstacle]:
        """Yield what blocks replacing `path`: anything but empty directories and files of killed writers."""
        fix = "remove it, or choose another path"
        if not stat.S_ISDIR(mode):
            yield Obstacle(path, "nothing", kind(mode), fix)
            return
        descriptor = calls.open(
            path, calls.O_RDONLY | calls.O_DIRECTORY | calls.O_NOFOLLOW | calls.O_CLOEXEC, dir_fd=self.root
        )
        try:
            for here, folders, files, at in calls.fwalk(".", dir_fd=descriptor):
                folders[:] = [name for name in folders if not name.startswith(TEMPORARY)]
                linked = [
                    each
                    for each in folders
                    if stat.S_ISLNK(calls.stat(each, dir_fd=at, follow_symlinks=False).st_mode)
                ]
                there = sorted([name for name in files if not name.startswith(OWN)] + linked)
                if there:
                    inner = str(Path(path, here, there[0]))
                    yield Obstacle(inner, f"nothing at {path!r}", repr(there[0]), fix)
                    return
        finally:
            calls.close(descriptor)
