"""Applying: all or nothing, whatever fails, whoever else is at it, and nothing foreign is touched."""

from __future__ import annotations

import errno
import hashlib
import multiprocessing
import os
import random
import signal
import threading
import time
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zom
from zom import draft, v2, v3
from zom.errors import ConflictError, NotFound, SelectionError, StoreError, ZomError
from zom.hierarchy.journal.journal import JOURNAL
from zom.hierarchy.stored.pending import pending
from zom.stores.local import LocalStore
from zom.stores.local.directories import Directories
from zom.stores.memory import MemoryStore
from zom.stores.wrap import WrapperStore
from zom.testing.faulty import FaultyStore
from zom.testing.logged import LoggedStore
from zom.testing.strategies import group_specs

MODULES = {"v2": zom.v2, "v3": zom.v3, "draft": zom.draft}
FORMS = pytest.mark.parametrize("form", MODULES)


def array_of(form="v3", **changes):
    facts = {"shape": (4,), "dtype": "int8", "chunks": (2,), **changes}
    return MODULES[form].ArraySpec.build(**facts)


def tree_of(form="v3", n=1):
    module = MODULES[form]
    return module.GroupSpec(
        attributes={"n": n},
        members={
            "a": array_of(form, attributes={"n": n}),
            "g": module.GroupSpec(attributes={"n": n}, members={"b": array_of(form)}),
        },
    )


def changed(spec, **members):
    return spec.replace(members={**spec.members, **members})


def contents(store):
    return {key: store.get(key) for key in store.list()}


def filled(form):
    store = MemoryStore()
    zom.materialize(tree_of(form), store, data={"a": [1, 2, 3, 4], "g/b": [5, 6, 7, 8]})
    return store


def copy_of(store):
    return MemoryStore(contents(store))


def state(store):
    """What a reader sees: the tree with all values, or nothing."""
    try:
        spec = zom.read(store)
    except NotFound:
        return None
    arrays = {path: zom.open(store, path)[...].tolist() for path, node in spec.walk() if node.kind == "array"}
    return spec.to_json(), arrays


def own_keys(store):
    """The keys of zom's own: journals, and what waits beside them."""
    return [key for key in store.list() if ".zom." in key]


class FullStore(WrapperStore):
    """A store without room: keys are removed and moved, and nothing is written."""

    def _write(self, key, value):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _write_many(self, items):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _create(self, key, value):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _replace(self, key, value, version):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _write_partial(self, key, start, value):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


# --- what each change does when any operation fails ------------------------------------------------------


def resized(form, store):
    zom.materialize(changed(tree_of(form, 2), a=array_of(form, shape=(3,))), store, on_conflict="update")


def replaced(form, store):
    spec = changed(tree_of(form, 2), a=array_of(form, dtype="int16"), g=array_of(form))
    zom.materialize(spec, store, on_conflict="replace")


def pruned(form, store):
    spec = MODULES[form].GroupSpec(attributes={"n": 1}, members={"new": tree_of(form)})
    zom.materialize(spec, store, prune=True)


CHANGES = {
    "create": lambda form, store: zom.materialize(tree_of(form), store, "x/y"),
    "create with data": lambda form, store: zom.materialize(
        tree_of(form), store, "x", data={"g/b": [1, 2, 3, 4]}
    ),
    "update": lambda form, store: zom.materialize(tree_of(form, 2), store, on_conflict="update"),
    "resize": resized,
    "replace": replaced,
    "prune": pruned,
    "delete": lambda form, store: zom.delete(store, "g"),
    "delete all": lambda form, store: zom.delete(store, whole=True),
    "rename": lambda form, store: zom.rename(store, "g", "h"),
}


def ends_of(change, start):
    """The states before and after a change, and all keys after it."""
    whole = copy_of(start)
    change(whole)
    before, after = state(start), state(whole)
    assert before != after
    return before, after, contents(whole)


def check_every_failure(change, start, mishap):
    """Let each operation fail in turn: a change that raises was undone, any other was made."""
    before, after, all_after = ends_of(change, start)
    number = failures = 0
    while True:
        inner = copy_of(start)
        store = FaultyStore(inner, {number: mishap})
        try:
            change(store)
        except ZomError:
            failures += 1
            # The answer to the one step of a change may be what is lost.
            assert state(inner) in ((before,) if mishap == "fail" else (before, after)), number
        else:
            assert state(inner) == after, number
        if number >= len(store.operations):
            break
        assert own_keys(inner) == [], number
        if state(inner) == before:
            change(inner)
        assert contents(inner) == all_after
        number += 1
    assert failures


def check_every_end(change, start, *, resizes=False):
    """Let all fail from each operation on, as for a process that is killed: others read the one tree or the other.

    Where an array `resizes`, what a full disk leaves beyond the end of a chunk goes when it grows.
    """
    before, after, all_after = ends_of(change, start)
    number, seen = 0, []
    while True:
        inner = copy_of(start)
        store = FaultyStore(inner, dict.fromkeys(range(number, 9999), "fail"))
        with suppress(ZomError):
            change(store)
        if number >= len(store.operations):
            break
        seen.append(state(inner))
        assert seen[-1] in (before, after), number
        planned = zom.plan_repair(inner)
        assert [each.outcome + "ed" for each in planned] == [
            {"undone": "undoed"}.get(done.outcome, done.outcome) for done in zom.repair(FullStore(inner))
        ]
        assert state(inner) == seen[-1], number
        assert own_keys(inner) == []
        if seen[-1] == after and not resizes:
            assert contents(inner) == all_after
        number += 1
    assert before in seen
    assert contents(inner) == all_after


@pytest.mark.slow
@FORMS
@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("mishap", ["fail", "fail after"])
def test_a_change_that_fails_is_undone_or_made(form, what, mishap):
    check_every_failure(lambda store: CHANGES[what](form, store), filled(form), mishap)


@pytest.mark.slow
@FORMS
@pytest.mark.parametrize("what", CHANGES)
def test_a_change_that_ends_anywhere_is_read_through_and_repaired_on_a_full_disk(form, what):
    check_every_end(lambda store: CHANGES[what](form, store), filled(form), resizes=what == "resize")


@FORMS
def test_a_new_tree_that_ends_anywhere_is_undone_on_a_full_disk(form):
    check_every_end(lambda store: zom.materialize(tree_of(form), store), MemoryStore())


@pytest.mark.slow
@pytest.mark.parametrize("form", ["v2", "v3"])
@pytest.mark.parametrize(
    "what", ["create", "create with data", "update", "resize", "replace", "prune", "delete", "rename"]
)
def test_a_consolidated_tree_that_ends_anywhere_is_read_through_and_repaired(form, what):
    start = filled(form)
    zom.consolidate(start)
    check_every_end(lambda store: CHANGES[what](form, store), start, resizes=what == "resize")


@pytest.mark.parametrize("form", ["v2", "v3"])
@pytest.mark.parametrize("mishap", ["fail", "fail after"])
def test_data_below_a_consolidated_group_are_brought_along_or_taken_back(form, mishap):
    start = filled(form)
    zom.consolidate(start)
    check_every_failure(lambda store: CHANGES["create with data"](form, store), start, mishap)
    root = zom.materialize(array_of(form), start, "g/c", data={"": [1, 2, 3, 4]})
    assert root[...].tolist() == [1, 2, 3, 4]
    assert "c" in zom.read(start, consolidated="only")["g"].members
    before = contents(start)
    with pytest.raises(SelectionError):
        zom.materialize(array_of(form), start, "g/d", data={"": [1, 2, 3, 4, 5]})
    assert contents(start) == before


@FORMS
@pytest.mark.parametrize("mishap", ["fail", "fail after"])
def test_a_new_tree_that_fails_leaves_nothing_to_be_seen(form, mishap):
    check_every_failure(lambda store: zom.materialize(tree_of(form), store), MemoryStore(), mishap)


@FORMS
def test_a_new_tree_whose_data_fails_is_taken_back(form):
    store = MemoryStore()
    with pytest.raises(SelectionError, match="expected values of the shape"):
        zom.materialize(tree_of(form), store, data={"g/b": [1, 2, 3, 4], "a": [1, 2, 3, 4, 5]})
    assert contents(store) == {}


class Unreadable:
    """An array whose values can't be had, as those of a lazy one behind a network."""

    def __array__(self, dtype=None, copy=None):
        raise OSError("the source is gone")


@pytest.mark.parametrize(
    ("values", "error"),
    [(np.array(["x"] * 4), ValueError), ([object()] * 4, TypeError), (Unreadable(), OSError)],
)
def test_a_new_tree_whose_data_are_no_numbers_is_taken_back(values, error):
    store = MemoryStore()
    with pytest.raises(error):
        zom.materialize(tree_of(), store, data={"a": [1, 2, 3, 4], "g/b": values})
    assert contents(store) == {}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["v2", "v3"])
@pytest.mark.parametrize(
    "what", ["create with data", "update", "resize", "replace", "prune", "delete", "rename"]
)
def test_consolidated_metadata_is_never_stale_when_a_change_fails(form, what):
    start = filled(form)
    zom.consolidate(start)
    number = 0
    while True:
        inner = copy_of(start)
        store = FaultyStore(inner, {number: "fail"})
        with suppress(ZomError):
            CHANGES[what](form, store)
        if number >= len(store.operations):
            break
        state(inner)  # a stale block would be a warning, and so an error here
        zom.repair(inner)
        zom.read(inner)
        number += 1
    assert zom.read(inner, consolidated="only") == zom.read(inner, consolidated="ignore")


class NoRename(MemoryStore):
    """A store that can't move prefixes."""

    capabilities = replace(MemoryStore.capabilities, rename=False)

    def _rename(self, old, new):
        raise AssertionError("not for such a store")


@pytest.mark.parametrize("mishap", ["fail", "fail after"])
def test_a_node_is_moved_by_copies_without_a_loss(mishap):
    first = filled("v3")
    start = NoRename(contents(first))
    before = state(start)
    number = 0
    while True:
        inner = NoRename(contents(first))
        store = FaultyStore(inner, {number: mishap})
        with suppress(ZomError):
            zom.rename(store, "g", "h")
        if number >= len(store.operations):
            break
        assert state(inner) in (before, "pending") or zom.open(inner, "h/b")[...].tolist() == [5, 6, 7, 8]
        zom.repair(inner)
        path = "h/b" if "h" in zom.read(inner).members else "g/b"
        assert zom.open(inner, path)[...].tolist() == [5, 6, 7, 8]
        assert len(zom.read(inner).members) == 2
        number += 1
    assert "h" in zom.read(inner).members


# --- nothing twice, nothing besides ----------------------------------------------------------------------


@FORMS
def test_applying_twice_writes_nothing_the_second_time(form):
    store = LoggedStore(MemoryStore())
    zom.materialize(tree_of(form), store)
    store.log.calls.clear()
    zom.materialize(tree_of(form), store)
    assert set(store.log.counts) <= {"read", "list"}


@FORMS
def test_what_is_planned_is_what_is_done(form):
    start = filled(form)
    spec = changed(tree_of(form, 2), a=array_of(form, dtype="int16"), new=array_of(form))
    before = contents(start)
    plan = zom.plan(spec, start, on_conflict="replace", prune=True)
    plan.apply()
    after = contents(start)
    gone = {key for key in before if key not in after}
    written = {key for key in after if before.get(key) != after[key]}
    assert written == set(plan.journal.writes)
    assert len(gone - set(plan.journal.removes)) == sum(action.chunks for action in plan.actions)


def test_progress_is_told_up_to_the_end():
    told = []
    zom.materialize(tree_of(), MemoryStore(), progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (4, 4)


def test_a_new_tree_takes_few_round_trips():
    members = {f"a{n}": array_of() for n in range(999)}
    store = LoggedStore(MemoryStore())
    zom.materialize(v3.GroupSpec(members=members), store)
    calls = [call for call in store.log.calls if call.verb != "lock"]
    assert len(calls) <= 6
    assert max(len(call.keys) for call in calls) == 999


def test_one_document_is_one_write():
    store = filled("v3")
    logged = LoggedStore(store)
    zom.materialize(tree_of().replace(attributes={"n": 5}), logged, on_conflict="update")
    assert logged.log.counts["write"] == 1
    assert "create" not in logged.log.counts


# --- data --------------------------------------------------------------------------------------------------


@FORMS
def test_data_comes_along(form):
    root = zom.materialize(tree_of(form), MemoryStore(), "x", data={"/a": np.arange(4), "g/b": 7})
    assert root["a"][...].tolist() == [0, 1, 2, 3]
    assert root["g/b"][...].tolist() == [7] * 4


def test_data_for_an_array_that_is_there_is_refused():
    store = filled("v3")
    with pytest.raises(
        ConflictError, match=r"expected a plan that only creates nodes, to write data with it, found one that"
    ):
        zom.materialize(tree_of(n=2), store, on_conflict="update", data={"a": 1})
    with pytest.raises(
        ConflictError, match=r"/nope: expected a new array, to write data to, found none in the plan"
    ):
        zom.materialize(tree_of(), MemoryStore(), data={"nope": 1})


# --- others ------------------------------------------------------------------------------------------------


def test_a_store_that_changed_since_the_plan_is_not_written():
    store = filled("v3")
    plan = zom.plan(tree_of(n=2), store, on_conflict="update")
    zom.open(store, "a", mode="r+").attrs["more"] = 1
    before = contents(store)
    wanted = r"/a: expected 'a/zarr.json' as it was when the plan was made, found another: another process .*; plan again$"
    with pytest.raises(ConflictError, match=wanted):
        plan.apply()
    assert contents(store) == before


def test_a_place_that_was_taken_since_the_plan_is_not_written():
    for count in (1, 50):
        store = MemoryStore()
        plan = zom.plan(v3.GroupSpec(members={f"a{n}": array_of() for n in range(count)}), store)
        store.set("notes.txt" if count > 16 else "a0/zarr.json", b"mine")
        before = contents(store)
        with pytest.raises(ConflictError, match="plan again"):
            plan.apply()
        assert contents(store) == before


def test_one_document_that_changed_since_the_plan_is_not_written():
    store = filled("v3")
    plan = zom.plan(tree_of().replace(attributes={}), store, on_conflict="update")
    zom.open(store, mode="r+").attrs["more"] = 1
    with pytest.raises(ConflictError, match="plan again"):
        plan.apply()
    assert zom.open(store).attrs == {"n": 1, "more": 1}


def interrupted(spec, start, when, **options):
    """The store in which every operation failed from the first on after which `when` is true."""
    for number in range(999):
        inner = copy_of(start)
        with pytest.raises(StoreError, match="input/output error"):
            zom.materialize(spec, FaultyStore(inner, dict.fromkeys(range(number, 999), "fail")), **options)
        if when(inner):
            return inner
    raise AssertionError("it never came to that")


def halfway(store):
    """Whether the change counts as made, and the document of the root is not in its place."""
    text = store.get(JOURNAL) or b""
    return (b'"way": "finish"' in text or b'"old": {"zarr.json": null' in text) and b'"n": 2' in (
        store.get("g/zarr.json") or b""
    )


def test_while_a_change_is_not_done_writers_are_refused_and_readers_see_the_new_tree():
    spec = tree_of(n=2)
    store = interrupted(spec, filled("v3"), halfway, on_conflict="update")
    assert pending(store) == pending(store, "/g") == JOURNAL
    assert zom.read(store) == spec
    assert zom.read(store, "g") == spec["g"]
    assert zom.open(store)["g/b"][...].tolist() == [5, 6, 7, 8]
    assert zom.open_group(store).read() == spec
    told = (
        "memory://: cannot change: a change of / is running or was interrupted: wait until it ends, or finish or "
        "undo it with zom.repair"
    )
    for write in (
        lambda: zom.open(store, "a", mode="r+"),
        lambda: zom.create_group(store, v3.GroupSpec(), "more"),
    ):
        with pytest.raises(StoreError) as caught:
            write()
        assert str(caught.value) == told
    plan = zom.plan(array_of(), store, "new")
    assert str(plan.problems[0]) == (
        "expected no change under way, found one that is running or was interrupted; wait until it ends, or finish "
        "or undo it with zom.repair"
    )
    assert str(zom.plan_repair(store)[0]) == "/: to finish\n  + zarr.json"
    assert str(zom.repair(store)[0]) == "/: finished"
    assert zom.read(store) == spec
    assert zom.repair(store) == zom.plan_repair(store) == ()


def test_an_interrupted_creation_is_undone():
    store = interrupted(tree_of(n=2), MemoryStore(), halfway)
    assert pending(store) == JOURNAL
    with pytest.raises(NotFound):
        zom.read(store)
    assert [str(done) for done in zom.repair(store)] == ["/: undone"]
    assert contents(store) == {}


def test_a_failed_change_says_how_it_is_finished():
    store = FaultyStore(filled("v3"))
    plan = zom.plan(tree_of(n=2), store, on_conflict="update")
    store.mishaps = dict.fromkeys(range(len(store.operations) + 5, 999), "fail")
    with pytest.raises(StoreError) as caught:
        plan.apply()
    note = "the change is incomplete: zom.repair finishes or undoes it (memory://: '.zom.journal')"
    assert caught.value.__notes__ == [note]


def test_a_repair_does_not_write_over_what_others_wrote_since():
    store = interrupted(tree_of(n=2), filled("v3"), halfway, on_conflict="update")
    store.set("a/zarr.json", store.get("a/zarr.json") + b"\n")
    before = contents(store)
    told = (
        "/a: expected 'a/zarr.json' unchanged since the interrupted change, found another: it was written "
        "after that; repair with on_conflict='replace', or delete '.zom.journal' to leave everything as it is"
    )
    with pytest.raises(ConflictError, match=told):
        zom.repair(store)
    assert contents(store) == before
    zom.repair(store, on_conflict="replace")
    assert zom.read(store) == tree_of(n=2)


def create_tree(place, number, won):
    try:
        zom.materialize(tree_of(n=number), place)
    except ConflictError:
        return
    won.put(number)


def test_of_eight_processes_one_creates_the_tree(tmp_path):
    context = multiprocessing.get_context("fork")
    for attempt in range(5):
        won = context.Queue()
        place = str(tmp_path / str(attempt))
        processes = [context.Process(target=create_tree, args=(place, n, won)) for n in range(8)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
            assert process.exitcode == 0
        winner = won.get(timeout=10)
        assert won.empty()
        assert zom.read(place) == tree_of(n=winner)


def test_of_eight_threads_one_creates_the_tree():
    for _ in range(10):
        store, barrier, won = MemoryStore(), threading.Barrier(8), []

        def run(number, store=store, barrier=barrier, won=won):
            barrier.wait()
            try:
                zom.materialize(tree_of(n=number), store)
            except ConflictError:
                return
            won.append(number)

        threads = [threading.Thread(target=run, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(won) == 1
        assert zom.read(store) == tree_of(n=won[0])


def go_on_changing(place):
    """Change the tree at `place` from one state to another, again and again, until killed."""
    store = LocalStore(place)
    states = (
        lambda: zom.materialize(tree_of(n=2), store, on_conflict="replace", prune=True),
        lambda: zom.materialize(
            changed(tree_of(n=3), a=array_of(dtype="int16"), g=array_of(), more=tree_of()),
            store,
            on_conflict="replace",
            prune=True,
        ),
        lambda: zom.delete(store, "g"),
        lambda: zom.rename(store, "a", "moved"),
        lambda: zom.delete(store, "moved"),
    )
    while True:
        for change in states:
            change()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_process_that_is_killed_leaves_what_can_be_repaired(tmp_path):
    context = multiprocessing.get_context("fork")
    chance = random.Random(7)
    store = LocalStore(tmp_path)
    foreign = {"readme.txt": b"1" * 1000, "a/notes.txt": b"2"}
    zom.materialize(tree_of(n=2), store)
    store.set_many(foreign)
    for _ in range(30):
        process = context.Process(target=go_on_changing, args=(str(tmp_path),))
        process.start()
        time.sleep(0.02 + chance.random() * 0.15)
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        zom.repair(store)
        store.sweep()
        spec = zom.read(store)
        n = spec.attributes["n"]
        wanted = (
            tree_of(n=2)
            if n == 2
            else changed(tree_of(n=3), a=array_of(dtype="int16"), g=array_of(), more=tree_of())
        )
        names = set(spec.members)
        assert names <= {*wanted.members, "moved"}
        for name in names - {"moved"}:
            assert spec[name] == wanted[name]
        moved = tmp_path / ("moved/notes.txt" if (tmp_path / "moved/notes.txt").exists() else "a/notes.txt")
        assert moved.read_bytes() == b"2"
        if moved.parent.name == "moved":
            if "moved" in names:
                zom.delete(store, "moved")
            (tmp_path / "a").mkdir(exist_ok=True)
            moved.rename(tmp_path / "a/notes.txt")
        if "a" not in names:
            (tmp_path / "a/notes.txt").unlink()
            zom.materialize(tree_of(n=2), store, on_conflict="replace", prune=True)
            store.set("a/notes.txt", b"2")
        assert store.get("readme.txt") == foreign["readme.txt"]


# --- foreign files -----------------------------------------------------------------------------------------


def digests(store, names):
    return {name: hashlib.sha256(store.get(name)).hexdigest() for name in names}


@FORMS
@pytest.mark.parametrize("what", ["update", "resize", "replace", "prune", "delete", "delete all"])
def test_files_that_are_not_zarrs_are_never_touched(form, what):
    store = filled(form)
    foreign = ["notes.txt", "a/notes.txt", "g/b/c/x.bin", "g/photos/1.jpg", "deep/er/thesis.tex"]
    store.set_many({name: name.encode() for name in foreign})
    before = digests(store, foreign)
    CHANGES[what](form, store)
    assert digests(store, foreign) == before


# --- any tree to any tree ----------------------------------------------------------------------------------


def told(spec):
    """The tree in which every group of the draft has attributes: one without is the same as one with none."""

    def change(_path, node):
        bare = node.kind == "group" and node.family.form == "draft" and "attributes" not in node.document
        return node.replace(attributes={}) if bare else node

    return spec.map(change)


@pytest.mark.slow
@pytest.mark.parametrize("form", MODULES)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(data=st.data())
def test_any_tree_becomes_any_other(form, data):
    old = data.draw(group_specs(form, members="known"))
    new = data.draw(group_specs(form, members="known"))
    store = MemoryStore()
    for spec in (old, new):
        if any("\\" in path for path, _ in spec.walk()):
            assert {problem.code for problem in zom.plan(spec, store).problems} == {"plan/name"}
            return
    odd: list[object] = []  # names that other systems refuse
    zom.materialize(old, store, on_warning=odd.append)
    assert told(zom.read(store)).like(told(old))
    zom.materialize(new, store, on_conflict="replace", prune=True, on_warning=odd.append)
    assert told(zom.read(store)).like(told(new))
    assert zom.plan(new, store, on_conflict="replace", prune=True).is_empty
    assert zom.plan(new, store).is_empty


# --- a disk without room for a directory -----------------------------------------------------------------


class NoDirectoriesStore(WrapperStore):
    """A directory on a disk that has no room for another one."""

    def _move(self, key, new):
        if not (self.inner.root / new).parent.is_dir():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        super()._move(key, new)


def fitted(form):
    """A tree in which new groups lie beside arrays and below others."""
    module = MODULES[form]
    inner = {"c": array_of(form), "d": module.GroupSpec(members={"e": array_of(form)})}
    spec = tree_of(form, 2)
    return spec.replace(members={**spec.members, "new": module.GroupSpec(members=inner)})


@FORMS
def test_a_change_is_finished_where_there_is_no_room_for_a_directory(form, tmp_path):
    ends = set()
    for number in range(400):
        folder = tmp_path / str(number)
        with zom.store(folder) as inner:
            zom.materialize(tree_of(form), inner)
            store = FaultyStore(inner, dict.fromkeys(range(number, 9999), "fail"))
            with suppress(ZomError):
                zom.materialize(fitted(form), store, on_conflict="update")
            whole = number >= len(store.operations)
            if any(key.startswith(".zom.new/") and "/new/" in key for key in inner.list()):
                ends.add(zom.plan_repair(inner)[0].outcome)
                before = zom.read(inner)
                zom.repair(NoDirectoriesStore(inner))
                assert zom.read(inner) == before
                assert own_keys(inner) == []
        if whole:
            break
    assert ends == {"undo", "finish"}


@pytest.mark.parametrize("new", [(5,), (3, 4, 2), ()], ids=["fewer", "more", "none"])
def test_an_array_of_another_rank_is_read_while_the_old_chunks_go(new, tmp_path):
    spec = v3.ArraySpec.build(shape=(4, 4), dtype="int8", chunks=(2, 2))
    other = v3.ArraySpec.build(shape=new, dtype="int8", chunks=(2,) * len(new), fill_value=7)
    seen = []
    for number in range(400):
        with zom.store(tmp_path / str(number)) as inner:
            zom.materialize(v3.GroupSpec(members={"a": spec}), inner)
            zom.open_array(inner, "a", mode="r+")[...] = 1
            store = FaultyStore(inner, dict.fromkeys(range(number, 9999), "fail"))
            with suppress(ZomError):
                zom.materialize(v3.GroupSpec(members={"a": other}), store, on_conflict="replace", prune=True)
            values = zom.open_array(inner, "a")[...]
            seen.append(values.shape)
            assert (values == (1 if values.shape == (4, 4) else 7)).all()
        if number >= len(store.operations):
            break
    assert set(seen) == {(4, 4), new}


@pytest.mark.parametrize("form", [v2, v3, draft])
def test_an_interrupt_between_a_chunk_and_its_directory_leaves_no_directory(form, tmp_path, monkeypatch):
    """The chunk `c0` of an array of one dimension has the name of a directory of one of two."""
    deep = form.ArraySpec.build(shape=(2, 2), dtype="int8", chunks=(1, 1))
    if form is v2:
        deep = deep.replace(dimension_separator="/")
    zom.materialize(deep, tmp_path / "s", data={"/": [[1, 2], [3, 4]]})
    plain, interrupts = Directories.prune, []

    def interrupted(self, path):
        if not interrupts and path.rpartition("/")[2] in {"0", "c0"}:
            interrupts.append(path)
            raise KeyboardInterrupt
        plain(self, path)

    monkeypatch.setattr(Directories, "prune", interrupted)
    flat = form.ArraySpec.build(shape=(2,), dtype="int8", chunks=(1,))
    with pytest.raises(KeyboardInterrupt):
        zom.materialize(flat, tmp_path / "s", on_conflict="replace")
    zom.repair(tmp_path / "s")
    assert interrupts
    assert zom.open_array(tmp_path / "s")[...].tolist() in ([0, 0], [[1, 2], [3, 4]])
    zom.materialize(flat, tmp_path / "s", on_conflict="replace")
    assert zom.open_array(tmp_path / "s")[...].tolist() == [0, 0]
