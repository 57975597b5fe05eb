"""Removing and moving nodes: what is there afterwards, and what is refused."""

from __future__ import annotations

import errno
import os
import re
import stat
import threading
from contextlib import suppress

import pytest

import zom
from zom.engine import workers
from zom.errors import ConflictError, NotFound, PathError, ZomError
from zom.handles.changes import plan_delete, plan_rename
from zom.stores.local import LocalStore
from zom.stores.memory import MemoryStore
from zom.stores.sqlite import SQLiteStore
from zom.stores.system import calls
from zom.stores.zip import ZipStore
from zom.testing.logged import LoggedStore

MODULES = {"v2": zom.v2, "v3": zom.v3, "draft": zom.draft}
FORMS = pytest.mark.parametrize("form", MODULES)


def array_of(form="v3", shape=(4,)):
    return MODULES[form].ArraySpec.build(shape=shape, dtype="int8", chunks=(2,))


def tree_of(form="v3"):
    module = MODULES[form]
    group = module.GroupSpec(attributes={"n": 1}, members={"b": array_of(form)})
    return module.GroupSpec(attributes={}, members={"a": array_of(form), "g": group})


def filled(form="v3"):
    store = MemoryStore()
    zom.materialize(tree_of(form), store, data={"a": 1, "g/b": 2})
    return store


def contents(store):
    return {key: store.get(key) for key in store.list()}


PLACES = {
    "memory": lambda folder: MemoryStore(),
    "local": lambda folder: LocalStore(folder / "x"),
    "sqlite": lambda folder: SQLiteStore(folder / "x.sqlite"),
    "zip": lambda folder: ZipStore(folder / "x.zip", mode="w"),
}


@pytest.mark.parametrize("place", PLACES)
def test_data_are_brought_along_by_several_threads_on_every_store(place, tmp_path, monkeypatch):
    """The plan holds a lock meanwhile, for which the threads must not wait."""
    monkeypatch.setattr(workers, "_DOUBTFUL", (0.0, 0.0))
    monkeypatch.setattr(workers, "processors", lambda: 2)
    source = MemoryStore()
    zom.materialize(array_of("v3", shape=(40,)), source, data={"": range(40)})
    values = []

    def make():
        with PLACES[place](tmp_path) as store:
            root = zom.materialize(array_of("v3", shape=(40,)), store, data={"": zom.open(source)[...]})
            values.extend(root[...].tolist())

    thread = threading.Thread(target=make, daemon=True)
    thread.start()
    thread.join(60)
    assert values == list(range(40))


@FORMS
@pytest.mark.parametrize("place", PLACES)
def test_a_hierarchy_is_made_moved_and_removed_on_every_store(form, place, tmp_path):
    with PLACES[place](tmp_path) as store:
        zom.materialize(tree_of(form), store, data={"g/b": [1, 2, 3, 4]})
        zom.rename(store, "g", "x")
        assert zom.read(store)["x"] == tree_of(form)["g"]
        assert zom.open(store, "x/b")[...].tolist() == [1, 2, 3, 4]
        zom.delete(store, "x")
        assert list(zom.read(store).members) == ["a"]
        zom.delete(store, whole=True)
        assert contents(store) == {}


@FORMS
def test_the_document_goes_before_the_chunks(form):
    store = LoggedStore(filled(form))
    zom.delete(store, "a")
    gone = [
        key for call in store.log.calls if call.verb == "delete" for key in call.keys if ".zom" not in key
    ]
    assert gone[0].endswith(("zarr.json", ".zarray", "array.json"))
    assert len(gone) == 3


@FORMS
def test_what_is_planned_to_be_removed_is_told_and_left(form):
    store = filled(form)
    before = contents(store)
    plan = plan_delete(store, "g")
    assert [(action.path, action.verb) for action in plan.actions] == [("/g", "delete"), ("/g/b", "delete")]
    assert contents(store) == before


@pytest.mark.parametrize("path", ["", "/"])
@pytest.mark.parametrize("work", [zom.delete, plan_delete])
def test_a_whole_store_is_deleted_only_on_request(work, path):
    store = filled()
    before = contents(store)
    told = "expected the path of a node; pass whole=True to delete the whole store"
    with pytest.raises(PathError, match=re.escape(told)):
        work(store, path)
    with pytest.raises(PathError, match="'g': expected no path with whole=True"):
        work(store, "g", whole=True)
    assert contents(store) == before


def test_what_is_not_there_is_not_removed():
    with pytest.raises(NotFound, match=r"expected a node at /x, found nothing; / is a group with 'a', 'g'"):
        zom.delete(filled(), "x")


@FORMS
def test_a_node_moves_into_another_group(form):
    store = filled(form)
    zom.rename(store, "a", "g/c")
    assert zom.open(store, "g/c")[...].tolist() == [1] * 4
    assert "a" not in zom.read(store).members


def test_what_lies_in_a_nodes_directory_moves_with_it():
    store = filled()
    store.set("g/notes.txt", b"1")
    zom.rename(store, "g", "h")
    assert store.get("h/notes.txt") == b"1"


def test_a_move_is_one_step_where_the_store_renames():
    store = LoggedStore(filled())
    zom.rename(store, "g", "h")
    assert {verb for verb in store.log.counts if verb not in {"read", "list", "lock"}} == {"rename"}


@FORMS
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("a", "g/b", "/g/b: expected nothing, to move a node there, found '"),
        ("g", "a/x", "/a: expected a group, to contain /a/x, found a {form} array"),
    ],
)
def test_a_node_does_not_move_where_something_is(form, old, new, told):
    store = filled(form)
    before = contents(store)
    with pytest.raises(ConflictError, match=re.escape(told.format(form=form))):
        zom.rename(store, old, new)
    assert contents(store) == before


def test_a_node_does_not_move_below_a_group_that_is_not_there():
    plan = plan_rename(filled(), "a", "x/y")
    assert str(plan.problems[0]) == "/x: expected a group, to contain /x/y, found nothing; create it first"


@pytest.mark.parametrize(("old", "new"), [("g", "g/b"), ("g/b", "g"), ("g", "g"), ("", "x"), ("g", "")])
def test_a_node_does_not_move_into_itself(old, new):
    with pytest.raises(PathError, match="expected two paths, neither inside the other"):
        zom.rename(filled(), old, new)


def test_a_name_that_the_format_forbids_is_told():
    with pytest.raises(PathError, match=r'^/__x: expected a name that does not start with "__"'):
        zom.rename(filled(), "a", "__x")


def test_what_is_not_there_does_not_move():
    with pytest.raises(NotFound, match="expected a node at /x"):
        zom.rename(filled(), "x", "y")


def test_the_other_formats_nodes_below_are_removed_too():
    store = filled()
    zom.create_array(store, array_of("v3"), "g/c")
    store.set("g/old/.zarray", zom.v2.ArraySpec.build(shape=(1,), dtype="int8").to_json().encode())
    zom.delete(store, "g")
    assert not [key for key in store.list() if key.startswith("g/")]


# --- directories that can't be renamed, as those of a container's image -------------------------------------


@pytest.fixture(params=["directories", "all"])
def across(request, monkeypatch):
    """From now on, refuses to rename directories, or files of other directories as well, and does something before."""
    plain = calls.rename

    def rename(old, new, *, src_dir_fd=None, dst_dir_fd=None):
        acts[0]()
        is_directory = stat.S_ISDIR(calls.stat(old, dir_fd=src_dir_fd, follow_symlinks=False).st_mode)
        elsewhere = request.param == "all" and not os.path.samestat(
            calls.fstat(src_dir_fd), calls.fstat(dst_dir_fd)
        )
        if is_directory or elsewhere:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        plain(old, new, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    acts = []

    def begin(act):
        acts[:] = [act]
        monkeypatch.setattr(calls, "rename", rename)

    return begin


@FORMS
def test_a_directory_that_can_not_be_renamed_moves_key_by_key(form, tmp_path, across):
    zom.materialize(tree_of(form), tmp_path, data={"a": 1, "g/b": 2})
    store = LocalStore(tmp_path)
    (kept,) = [key for key in store.list() if key.rpartition("/")[0].endswith(("g/b", "g/b/c"))][:1]
    store.set(f"{kept.rpartition('/')[0]}/notes.txt", b"kept")
    before = contents(store)
    seen = []

    def look():
        with suppress(ZomError):
            seen.append(set(zom.open(tmp_path, mode="r")["g/b"][...].tolist()))
        with suppress(ZomError):
            seen.append(set(zom.open(tmp_path, mode="r")["h/b"][...].tolist()))

    across(look)
    zom.rename(store, "g", "h")
    assert zom.open(tmp_path)["h/b"][...].tolist() == [2] * 4
    assert "g" not in zom.open(tmp_path)
    after = {re.sub(r"(^|/)h(/|\.|$)", r"\1g\2", key): value for key, value in contents(store).items()}
    assert after == before
    assert all(values == {2} for values in seen), "nobody reads fill values meanwhile"


def test_a_move_key_by_key_that_was_interrupted_is_finished(tmp_path, across):
    zom.materialize(tree_of(), tmp_path, data={"a": 1, "g/b": 2})
    calls = []

    def interrupt():
        calls.append(None)
        if len(calls) == 4:
            raise KeyboardInterrupt

    across(interrupt)
    with pytest.raises(KeyboardInterrupt):
        zom.rename(tmp_path, "g", "h")
    across(lambda: None)
    zom.repair(tmp_path)
    assert zom.open(tmp_path)["h/b"][...].tolist() == [2] * 4
    assert sorted(zom.open(tmp_path)) == ["a", "h"]
    assert not zom.validate(tmp_path, data="all").problems
