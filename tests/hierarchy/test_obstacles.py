"""What a plan sees beforehand: links, files and directories in the way, permissions, names."""

from __future__ import annotations

import os
import warnings
from contextlib import contextmanager

import pytest

import zom
from zom.errors import ConflictError
from zom.stores.interface import Wanted
from zom.stores.local import LocalStore
from zom.stores.memory import MemoryStore
from zom.stores.obstacles import long_keys
from zom.stores.wrap import PrefixStore
from zom.stores.zip import ZipStore

MODULES = {"v2": zom.v2, "v3": zom.v3, "draft": zom.draft}
FORMS = pytest.mark.parametrize("form", MODULES)
CHUNKS = {"v2": "g/b", "v3": "g/b", "draft": "data/g/b"}


def array_of(form="v3", shape=(4,)):
    return MODULES[form].ArraySpec.build(shape=shape, dtype="int8", chunks=(2,))


def group_of(form="v3", **members):
    return MODULES[form].GroupSpec(attributes={}, members=members)


def made(folder, form="v3"):
    spec = group_of(form, a=array_of(form), g=group_of(form, b=array_of(form)))
    zom.materialize(spec, folder, data={"a": 1, "g/b": 2})
    return folder


def files(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def refused(work, folder):
    """What a change says that must not have done anything."""
    before = files(folder)
    with pytest.raises(ConflictError) as caught:
        work()
    assert files(folder) == before
    return "\n".join(map(str, caught.value.problems))


# --- links, files and directories in the way -------------------------------------------------------------


@FORMS
@pytest.mark.parametrize("work", ["delete", "replace", "resize"])
def test_what_lies_behind_a_symbolic_link_is_a_conflict_of_the_plan(form, work, tmp_path):
    root = made(tmp_path / "s", form)
    inner = root / CHUNKS[form]
    inner.rename(tmp_path / "elsewhere")
    inner.symlink_to(tmp_path / "elsewhere")
    change = {
        "delete": lambda: zom.delete(root, "g"),
        "replace": lambda: zom.materialize(group_of(form), root, "g/b", on_conflict="replace"),
        "resize": lambda: zom.materialize(array_of(form, (1,)), root, "g/b", on_conflict="update"),
    }[work]
    told = "expected a directory that is not a symbolic link, found a symbolic link at"
    assert told in refused(change, tmp_path)
    assert zom.open(root, "g/b")[...].tolist() == [2] * 4


def test_a_chunk_that_is_a_symbolic_link_is_a_conflict(tmp_path):
    root = made(tmp_path / "s")
    (root / "g/b/c/1").rename(tmp_path / "chunk")
    (root / "g/b/c/1").symlink_to(tmp_path / "chunk")
    assert "expected a regular file, found a symbolic link at 'g/b/c/1'" in refused(
        lambda: zom.delete(root, "g"), tmp_path
    )
    array = zom.open_array(root, "g/b", mode="r+")
    assert "found a symbolic link at 'g/b/c/1'" in refused(lambda: array.resize((2,)), tmp_path)


def test_of_many_chunks_the_one_that_is_a_link_is_found(tmp_path):
    root = tmp_path / "s"
    zom.materialize(array_of(shape=(40,)), root, data={"": 1})
    (root / "c/7").unlink()
    (root / "c/7").symlink_to(root / "c/8")
    assert "found a symbolic link at 'c/7'" in refused(lambda: zom.delete(root, whole=True), tmp_path)


@FORMS
def test_a_node_moves_where_a_killed_writer_left_empty_directories(form, tmp_path):
    root = made(tmp_path / "s", form)
    for prefix in ("n", "meta/n", "data/n"):
        (root / prefix / "c/0").mkdir(parents=True)
        (root / prefix / "c/.zom-tmp-1").touch()
    assert not zom.plan_rename(root, "g", "n").problems
    zom.rename(root, "g", "n")
    assert zom.open(root, "n/b")[...].tolist() == [2] * 4


def test_a_node_does_not_move_where_something_lies_that_is_no_key(tmp_path):
    root = made(tmp_path / "s")
    (root / "n/x").mkdir(parents=True)
    os.mkfifo(root / "n/x/pipe")
    assert "expected nothing at 'n', found 'pipe' at 'n/x/pipe'" in refused(
        lambda: zom.rename(root, "g", "n"), tmp_path
    )
    (tmp_path / "apart").mkdir()
    (root / "link").symlink_to(tmp_path / "apart")
    assert "found a symbolic link at 'link'" in refused(lambda: zom.rename(root, "g", "link"), tmp_path)


@FORMS
def test_a_directory_in_the_place_of_a_document_is_found_before_anything_is_written(form, tmp_path):
    root = made(tmp_path / "s", form)
    key = {"v2": "x/.zarray", "v3": "x/zarr.json", "draft": "meta/x.array.json"}[form]
    (root / key).mkdir(parents=True)
    before = files(root)
    with pytest.raises(zom.StoreError, match=f"{key}' of /x: expected a regular file, found a directory"):
        zom.create_array(root, array_of(form), "x")
    with pytest.raises(zom.ZomError, match=r"expected a regular file.*, found a directory"):
        zom.materialize(array_of(form), root, "x")
    with LocalStore(root) as store:
        (found,) = store.obstacles(Wanted([key]))
    assert (found.expected, found.found) == ("a regular file or nothing", "a directory")
    assert files(root) == before


def test_a_file_in_the_place_of_a_directory_is_a_conflict(tmp_path):
    root = made(tmp_path / "s")
    (root / "x").write_bytes(b"1")
    told = refused(lambda: zom.materialize(group_of(y=array_of()), root, "x"), tmp_path)
    assert "x" in told


@contextmanager
def somebody_else():
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become somebody else")
@pytest.mark.parametrize(
    ("work", "at"),
    [
        (lambda root: zom.delete(root, "g"), "g/b"),
        (lambda root: zom.rename(root, "g", "n"), ""),
        (lambda root: zom.create_array(root, array_of(), "x/y"), ""),
        (lambda root: zom.materialize(array_of(), root, "x/y"), ""),
    ],
)
def test_a_directory_that_may_not_be_written_to_is_a_conflict(work, at, tmp_path):
    work(made(tmp_path / "loads all modules"))
    root = made(tmp_path / "s")
    for path in (each for each in tmp_path.parents if each.name.startswith(("pytest-", "popen-"))):
        path.chmod(0o711)
    for path in (tmp_path, root, *root.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    (root / at).chmod(0o555)
    before = files(root)
    with somebody_else(), pytest.raises(ConflictError) as caught:
        work(root)
    told = f"expected a writable directory, found one that is not writable at {at!r}"
    assert told in str(caught.value)
    assert files(root) == before


def test_keys_that_are_too_long_are_conflicts(tmp_path):
    root = made(tmp_path / "s")
    told = refused(lambda: zom.create_array(root, array_of(), "x" * 300), tmp_path)
    assert "expected a name of at most 255 bytes, found 'xxx" in told
    assert [each.found for each in long_keys(["a" * 1100], 1024)] == ["one of 1100 bytes"]
    with ZipStore(tmp_path / "x.zip", mode="w") as store:
        assert store.obstacles(Wanted(["a/" * 40_000 + "b"]))[0].expected == "a key of at most 65535 bytes"


def test_a_part_of_a_store_names_obstacles_by_its_own_keys(tmp_path):
    root = made(tmp_path / "s")
    (root / "g/link").symlink_to(tmp_path)
    with LocalStore(root) as whole:
        found = PrefixStore(whole, "g/").obstacles(Wanted(["link/x"]))
    assert [(each.key, each.found) for each in found] == [("link", "a symbolic link")]


# --- names -----------------------------------------------------------------------------------------------


DOCUMENT_NAMES = {
    "v2": ["zarr.json", ".zom.journal", ".zom.copy", ".zom.migrate"],
    "v3": [".zarray", ".zgroup", ".zattrs", ".zmetadata", ".zom.journal", ".zom.copy"],
    "draft": ["a.array.json", "group.json", "zarr.json", ".zom.journal"],
}
TAKEN = [(form, name) for form, names in DOCUMENT_NAMES.items() for name in names]


@pytest.mark.parametrize(("form", "name"), TAKEN)
def test_no_node_takes_the_name_of_a_document(form, name, tmp_path):
    root = made(tmp_path / "s", form)
    for work in (
        lambda: zom.create_group(root, group_of(form), f"g/{name}"),
        lambda: zom.create_array(root, array_of(form), f"g/{name}/x"),
        lambda: zom.materialize(group_of(form, **{name: array_of(form)}), root, "new"),
        lambda: zom.rename(root, "a", f"g/{name}"),
    ):
        assert (
            "doesn't use for its own files" in (told := refused(work, tmp_path))
            or "isn't a document" in told
            or "key of" in told
        )
    assert list(zom.read(root, "g").members) == ["b"]


@pytest.mark.parametrize("name", [".zarray", ".zattrs"])
def test_a_name_that_works_in_memory_alone_is_a_warning(name):
    store = MemoryStore()
    plan = zom.plan(group_of(**{name: array_of()}), store)
    assert not plan.problems
    assert [problem.code for problem in plan.warnings] == ["name/document"]
    plan.apply()
    assert list(zom.read(store).members) == [name]
    assert "name/document" in {
        problem.code for problem in zom.validate(store, conventions=(), data="keys").problems
    }


ODD = ["con", "NUL.txt", "aux", "com1", "x.", "x ", "a:b", "a?", "n" * 256]


@pytest.mark.parametrize("name", ODD)
def test_a_name_that_other_systems_reserve_is_a_warning_everywhere(name):
    spec, store = group_of(**{name: array_of()}), MemoryStore()
    plan = zom.plan(spec, store)
    assert [problem.code for problem in plan.warnings] == ["name/reserved"]
    assert "warnings:\n  /" in str(plan)
    assert plan.to_dict()["warnings"][0]["severity"] == "warning"
    plan.apply()
    assert [problem.code for problem in zom.validate(spec) if problem.severity == "warning"] == [
        "name/reserved"
    ]
    for found in (
        zom.validate(store, conventions=(), data="keys").problems,
        zom.validate(spec, conventions=()).problems,
        zom.validate(spec.to_dict(), conventions=()).problems,
        zom.validate(store),
    ):
        assert "name/reserved" in {problem.code for problem in found}
    zom.create_group(store, group_of(), "g")
    assert [each.code for each in zom.plan_rename(store, name, f"g/{name}").warnings] == ["name/reserved"]


TWINS = [("Data", "data"), ("\u00e9", "e\u0301"), ("Stra\xdfe", "STRASSE")]


@pytest.mark.parametrize("twins", TWINS)
def test_twins_are_a_warning_beside_what_is_there_and_beside_each_other(twins):
    first, second = twins
    both = group_of(**{first: array_of(), second: array_of()})
    store = MemoryStore()
    assert [problem.code for problem in zom.plan(both, store).warnings] == ["name/twins"]
    zom.create_array(store, array_of(), first)
    assert [str(problem.node) for problem in zom.plan(array_of(), store, second).warnings] == [f"/{second}"]
    assert [problem.code for problem in zom.plan(both, store).warnings] == ["name/twins"]
    zom.create_group(store, group_of(), "g")
    assert [problem.code for problem in zom.plan_rename(store, "g", second).warnings] == ["name/twins"]
    assert not zom.plan_rename(store, first, second).warnings
    with pytest.warns(zom.SpecWarning, match="expected"):
        zom.materialize(both, store, on_conflict="update")
    for found in (
        zom.validate(store, conventions=(), data="keys").problems,
        zom.validate(both, conventions=()).problems,
        zom.validate(both),
        zom.validate(store),
    ):
        assert [problem.code for problem in found if problem.code.startswith("name/")] == ["name/twins"]


class FoldingStore(MemoryStore):
    @property
    def folds_names(self):
        return True


def test_twins_are_a_conflict_where_they_are_one_file():
    both = group_of(Data=array_of(), data=array_of())
    plan = zom.plan(both, FoldingStore())
    assert [problem.code for problem in plan.problems] == ["plan/name"]
    assert not plan.warnings


def test_a_name_that_nothing_speaks_against_is_no_warning():
    assert zom.plan(group_of(t2m=array_of(), τ=array_of()), MemoryStore()).warnings == ()


# --- looking leaves nothing ------------------------------------------------------------------------------


def test_a_plan_makes_no_directory(tmp_path):
    place = tmp_path / "new/x.zarr"
    plan = zom.plan(group_of(a=array_of()), place)
    assert list(tmp_path.iterdir()) == []
    plan.apply()
    assert list(zom.read(place).members) == ["a"]


def test_a_migration_or_a_copy_that_fails_makes_no_directory(tmp_path):
    source = MemoryStore()
    zom.create_array(source, zom.v3.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,), shards=(4,)))
    with pytest.raises(zom.ConversionError):
        zom.migrate(source, "v2", target=tmp_path / "x")
    with pytest.raises(zom.NotFound):
        zom.copy(MemoryStore(), tmp_path / "x")
    with pytest.raises(ConflictError):
        zom.materialize(group_of(**{".zarray": group_of()}), tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_another_process_has_just_made_is_no_obstacle(tmp_path):
    """It is the file itself, and no other one of nearly that name: the plan tells of it by its own check."""
    store = LocalStore(tmp_path)
    store.set(".zmetadata", b"{}")
    assert store.obstacles(Wanted([".zmetadata"], new=frozenset([".zmetadata"]))) == []


def test_materialize_tells_the_warnings_of_its_plan_before_it_writes():
    """They were in the plan, which nobody sees who doesn't ask for it."""
    spec, store = group_of(data=array_of(), Data=array_of()), MemoryStore()
    with pytest.warns(zom.SpecWarning, match="memory://: /Data: expected names that differ"):
        zom.materialize(spec, store)
    told = []
    zom.materialize(spec, MemoryStore(), on_warning=told.append)
    assert [problem.code for problem in told] == ["name/twins"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(zom.SpecWarning):
            zom.materialize(spec, other := MemoryStore())
    assert list(other.list()) == []
