"""What a power cut leaves, at each level of durability: the log of system calls, replayed with losses.

The calls of a store are logged. For every prefix of the log a disk is worked out that kept what was synced, and of
the rest anything: of a file any beginning of what was written since, of each name in a directory any of the files
that it had since. A store on any such disk must hold what was promised.
"""

from __future__ import annotations

import itertools
import os
import random
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

import pytest

import zom
from zom.stores import local, system
from zom.stores.local import LocalStore, durability

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

OF_LOCAL = [
    import_module(each.name)
    for package in (local, system)
    for each in iter_modules(package.__path__, f"{package.__name__}.")
]
MODULES = [local, *OF_LOCAL]
NAMELESS = getattr(os, "O_TMPFILE", -1)
OLD = b"old" * 100
NEW = b"the new value" * 500


# --- a disk that may lose what was not synced ----------------------------------------------------------------


@dataclass
class File:
    """A file: what is on the disk, and what was written since."""

    synced: bytes = b""
    now: bytes = b""

    def contents(self) -> list[bytes]:
        """What a power cut may leave."""
        if self.synced == self.now:
            return [self.now]
        return [self.synced, self.now[: len(self.now) // 2], self.now]


@dataclass
class Directory:
    """A directory: the names on the disk, and those that each name had since."""

    synced: dict[str, int] = field(default_factory=dict)
    since: dict[str, list[int | None]] = field(default_factory=dict)

    def put(self, name: str, number: int | None) -> None:
        """Give `name` to a file, or take it away."""
        self.since.setdefault(name, []).append(number)

    def choices(self, name: str) -> list[int | None]:
        """What a power cut may leave under `name`."""
        return [self.synced.get(name), *self.since.get(name, [])]

    def current(self) -> dict[str, int]:
        """What is under each name now."""
        last = {name: numbers[-1] for name, numbers in self.since.items()}
        return {name: number for name, number in {**self.synced, **last}.items() if number is not None}

    def sync(self) -> None:
        """All that is now is on the disk."""
        self.synced, self.since = self.current(), {}


class Disk:
    """The files and directories below a folder, by number."""

    def __init__(self, root: Path) -> None:
        self.numbers = itertools.count()
        self.things: dict[int, File | Directory] = {}
        self.by_inode: dict[int, int] = {}
        self.root = self._found(root)

    def _found(self, path: Path) -> int:
        number = self.add(path.stat().st_ino, is_directory=path.is_dir())
        thing = self.things[number]
        if isinstance(thing, File):
            thing.synced = thing.now = path.read_bytes()
        else:
            thing.synced = {each.name: self._found(each) for each in path.iterdir()}
        return number

    def add(self, inode: int, *, is_directory: bool) -> int:
        """A new file or directory."""
        number = next(self.numbers)
        self.things[number] = Directory() if is_directory else File()
        self.by_inode[inode] = number
        return number

    def directory(self, number: int) -> Directory:
        thing = self.things[number]
        assert isinstance(thing, Directory)
        return thing

    def values(self, key: str, at: int | None = None) -> set[bytes | None]:
        """What a power cut may leave under `key`."""
        name, _, rest = key.partition("/")
        found: set[bytes | None] = set()
        for number in self.directory(self.root if at is None else at).choices(name):
            thing = None if number is None else self.things[number]
            if isinstance(thing, File) and not rest:
                found.update(thing.contents())
            elif isinstance(thing, Directory) and rest:
                found.update(self.values(rest, number))
            else:
                found.add(None)
        return found

    def build(self, place: Path, choose: Callable[[list[Any]], Any], at: int | None = None) -> None:
        """Make one disk that a power cut may leave."""
        place.mkdir()
        directory = self.directory(self.root if at is None else at)
        for name in {**directory.synced, **directory.since}:
            number = choose(directory.choices(name))
            thing = None if number is None else self.things[number]
            if isinstance(thing, File):
                (place / name).write_bytes(choose(thing.contents()))
            elif isinstance(thing, Directory):
                self.build(place / name, choose, number)


# --- the log of system calls ---------------------------------------------------------------------------------


class Recorder:
    """`os`, as the modules of a store see it, which changes a disk as it changes the real one."""

    def __init__(self, disk: Disk, after: Callable[[], None]) -> None:
        self.disk = disk
        self.after = after
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def _done(self) -> None:
        self.calls += 1
        self.after()

    def _number(self, descriptor: int) -> int:
        return self.disk.by_inode[os.fstat(descriptor).st_ino]

    def _names(self, descriptor: int) -> Directory:
        return self.disk.directory(self._number(descriptor))

    def open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        is_new = bool(flags & os.O_CREAT) and path not in self._names(dir_fd or -1).current()
        descriptor = os.open(path, flags, mode, dir_fd=dir_fd)
        if flags & NAMELESS == NAMELESS:
            self.disk.add(os.fstat(descriptor).st_ino, is_directory=False)
            self._done()
        elif is_new:
            number = self.disk.add(os.fstat(descriptor).st_ino, is_directory=False)
            self._names(dir_fd or -1).put(path, number)
            self._done()
        return descriptor

    def write(self, descriptor: int, value: Any) -> int:
        written = os.write(descriptor, value)
        thing = self.disk.things[self._number(descriptor)]
        assert isinstance(thing, File)
        thing.now += bytes(value)[:written]
        self._done()
        return written

    def mkdir(self, name: str, *, dir_fd: int) -> None:
        os.mkdir(name, dir_fd=dir_fd)
        inode = os.stat(name, dir_fd=dir_fd).st_ino
        self._names(dir_fd).put(name, self.disk.add(inode, is_directory=True))
        self._done()

    def _take(self, name: str, dir_fd: int) -> int:
        number = self._names(dir_fd).current()[name]
        self._names(dir_fd).put(name, None)
        return number

    def unlink(self, name: str, *, dir_fd: int) -> None:
        os.unlink(name, dir_fd=dir_fd)
        self._take(name, dir_fd)
        self._done()

    def rmdir(self, name: str, *, dir_fd: int) -> None:
        os.rmdir(name, dir_fd=dir_fd)
        self._take(name, dir_fd)
        self._done()

    def rename(self, old: str, new: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        os.rename(old, new, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        self._names(dst_dir_fd).put(new, self._take(old, src_dir_fd))
        self._done()

    def link(
        self,
        old: str,
        new: str,
        *,
        dst_dir_fd: int,
        src_dir_fd: int | None = None,
        follow_symlinks: bool = True,
    ) -> None:
        os.link(old, new, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd, follow_symlinks=follow_symlinks)
        # A file without a name is named by its descriptor.
        number = (
            self._number(int(old.rpartition("/")[2]))
            if src_dir_fd is None
            else self._names(src_dir_fd).current()[old]
        )
        self._names(dst_dir_fd).put(new, number)
        self._done()

    def fsync(self, descriptor: int) -> None:
        thing = self.disk.things[self._number(descriptor)]
        if isinstance(thing, Directory):
            thing.sync()
        else:
            thing.synced = thing.now
        self._done()

    def sync(self) -> None:
        for thing in self.disk.things.values():
            if isinstance(thing, Directory):
                thing.sync()
            else:
                thing.synced = thing.now
        self._done()


def recorded(monkeypatch: pytest.MonkeyPatch, disk: Disk, after: Callable[[], None]) -> Recorder:
    """Log all calls that the modules of a store make from now on."""
    recorder = Recorder(disk, after)
    for module in MODULES:
        for name in {"os", "calls"} & set(vars(module)):
            monkeypatch.setattr(module, name, recorder)
    return recorder


def test_the_disk_is_the_real_one(tmp_path, monkeypatch):
    """Where nothing is lost, the replay ends with the files that there are."""
    with LocalStore(tmp_path / "x", durability="file") as store:
        store.set("a/b", OLD)
        disk = Disk(tmp_path / "x")
        recorded(monkeypatch, disk, lambda: None)
        for _, change in CHANGES.values():
            change(store)
    disk.build(tmp_path / "y", lambda choices: choices[-1])
    monkeypatch.undo()
    assert tree(tmp_path / "x") == tree(tmp_path / "y")
    assert len(tree(tmp_path / "x")) > 2


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# --- single keys ---------------------------------------------------------------------------------------------

CHANGES: dict[str, tuple[dict[str, set[bytes | None]], Callable[[LocalStore], object]]] = {
    "set": ({"a/b": {OLD, NEW}}, lambda store: store.set("a/b", NEW)),
    "set below a new directory": ({"x/y/z": {None, NEW}}, lambda store: store.set("x/y/z", NEW)),
    "create": ({"c/new": {None, NEW}}, lambda store: store.create("c/new", NEW)),
    "set_partial": (
        {"a/b": {OLD, NEW, NEW[:3] + OLD + NEW[303:], OLD[:3] + OLD}},
        lambda store: store.set_partial("a/b", 3, OLD),
    ),
    "replace": (
        {"a/b": {OLD, NEW}},
        lambda store: store.replace("a/b", NEW, store.get_version("a/b").version),
    ),
    "set_many": (
        {key: {None, NEW} for key in ("m/0", "m/1", "n/o/0")},
        lambda store: store.set_many({"m/0": NEW, "m/1": NEW, "n/o/0": NEW}),
    ),
    "move": (
        {"x/y/z": {None, NEW}, "q/z": {None, NEW}},
        lambda store: (store.set("x/y/z", NEW), store.move("x/y/z", "q/z")),
    ),
    "rename": (
        {"m/0": {None, NEW}, "w/0": {None, NEW}},
        lambda store: (store.set("m/0", NEW), store.rename("m/", "w/")),
    ),
    "delete": ({"a/b": {OLD, NEW, None}}, lambda store: (store.set("a/b", NEW), store.delete("a/b"))),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("level", ["file", "full"])
def test_a_key_is_old_or_new_after_a_power_cut_at_any_call(tmp_path, monkeypatch, name, level):
    allowed, change = CHANGES[name]
    with LocalStore(tmp_path, durability="full") as store:
        store.set("a/b", OLD)
    with LocalStore(tmp_path, durability=level) as store:
        disk = Disk(tmp_path)
        torn: list[Any] = []

        def check() -> None:
            for key, values in allowed.items():
                found = disk.values(key)
                torn.extend((recorder.calls, key, value and value[:20]) for value in found - values)

        recorder = recorded(monkeypatch, disk, check)
        change(store)
        assert not torn
        assert recorder.calls > 3
        if level == "full":
            for key in {*allowed, "a/b"}:
                assert disk.values(key) == {store.get(key)}, f"{key!r} was promised"


@pytest.mark.parametrize(
    "change",
    [lambda store: store.move("a/b", "new/b"), lambda store: store.rename("a/", "new/")],
    ids=["move", "rename"],
)
def test_what_is_moved_is_in_one_place_at_least(tmp_path, monkeypatch, change):
    """Its new name is on the disk before the old one goes."""
    with LocalStore(tmp_path, durability="full") as store:
        store.set_many({"a/b": OLD, "new-/x": OLD})
        disk = Disk(tmp_path)
        lost: list[int] = []

        def check() -> None:
            if disk.values("a/b") == {None} and None in disk.values("new/b"):
                lost.append(recorder.calls)

        recorder = recorded(monkeypatch, disk, check)
        change(store)
        assert not lost
        assert disk.values("new/b") == {OLD}


def test_with_none_a_power_cut_may_leave_an_empty_file_and_flush_ends_that(tmp_path, monkeypatch):
    """What the documentation says of the default."""
    with LocalStore(tmp_path) as store:
        store.set("a/b", OLD)
        store.flush()
        disk = Disk(tmp_path)
        recorded(monkeypatch, disk, lambda: None)
        store.set("a/b", NEW)
        assert {b"", OLD, NEW} < disk.values("a/b")
        store.set("c/d", NEW)
        store.delete("c/d")
        store.flush()
        assert disk.values("a/b") == {NEW}
        assert disk.values("c/d") == {None}


def test_a_flush_that_notes_too_many_keys_makes_all_of_them_durable(tmp_path, monkeypatch):
    monkeypatch.setattr(durability, "_MANY", 2)
    with LocalStore(tmp_path) as store:
        disk = Disk(tmp_path)
        recorded(monkeypatch, disk, lambda: None)
        store.set_many({f"a/{number}": NEW for number in range(5)})
        store.flush()
        assert all(disk.values(f"a/{number}") == {NEW} for number in range(5))


# --- trees ---------------------------------------------------------------------------------------------------


def spec_of(number: int, *names: str) -> zom.v3.GroupSpec:
    array = zom.v3.ArraySpec.build(shape=(4,), dtype="int8", attributes={"n": number})
    return zom.v3.GroupSpec(
        attributes={"n": number},
        members={"a": array, "g": zom.v3.GroupSpec(members=dict.fromkeys(names, array))},
    )


TREES: dict[str, tuple[Any, Callable[[Any], object]]] = {
    "materialize": (None, lambda store: zom.materialize(spec_of(1, "b", "c"), store)),
    "update": (
        spec_of(1, "b"),
        lambda store: zom.materialize(spec_of(2, "b", "c"), store, on_conflict="update"),
    ),
    "replace": (
        spec_of(1, "b", "c"),
        lambda store: zom.materialize(spec_of(2, "d"), store, on_conflict="replace"),
    ),
    "delete": (spec_of(1, "b", "c"), lambda store: zom.delete(store, "g/b")),
    "rename": (spec_of(1, "b", "c"), lambda store: zom.rename(store, "g/b", "g/d")),
}


def stored(place: Path) -> str | None:
    """The hierarchy at `place`, as text; None where there is none."""
    return zom.read(place).to_json() if any(path.name == "zarr.json" for path in place.rglob("*")) else None


def cuts(disk: Disk, source: random.Random) -> Iterator[Callable[[list[Any]], Any]]:
    """Ways to choose what a power cut leaves: as little as may be, all, and a few in between."""
    yield lambda choices: choices[0]
    yield lambda choices: choices[-1]
    for _ in range(2):
        yield source.choice


@pytest.mark.slow
@pytest.mark.parametrize("name", TREES)
def test_a_tree_is_old_or_new_after_a_power_cut_at_any_call_and_a_repair(tmp_path, monkeypatch, name):
    before, change = TREES[name]
    place = tmp_path / "x"
    with LocalStore(place, durability="full") as store:
        if before is not None:
            zom.materialize(before, store)
        allowed = [stored(place)]
        disk = Disk(place)
        source = random.Random(name)
        numbers = itertools.count()

        def cut() -> None:
            for choose in cuts(disk, source):
                disk.build(tmp_path / f"cut-{next(numbers)}", choose)

        recorder = recorded(monkeypatch, disk, cut)
        change(store)
    monkeypatch.undo()
    assert recorder.calls > 2
    allowed.append(stored(place))
    seen = set()
    for number in range(next(numbers)):
        left = tmp_path / f"cut-{number}"
        zom.repair(left)
        found = stored(left)
        assert found in allowed, f"cut {number}"
        seen.add(found)
    assert seen == set(allowed)
