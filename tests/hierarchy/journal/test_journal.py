"""Journals: they speak of the place where they lie, and what names anything else is refused."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import zom
from zom import v3
from zom.errors import ConflictError, NotFound, ReadOnlyError, StoreError, ZomError
from zom.hierarchy.journal.journal import JOURNAL, Clearing, Journal
from zom.hierarchy.journal.text import parse_journal
from zom.hierarchy.stored.text import document_text
from zom.stores.local import LocalStore
from zom.stores.memory import MemoryStore
from zom.stores.wrap import PrefixStore, ReadOnlyStore
from zom.testing.faulty import FaultyStore

MODULES = {"v2": zom.v2, "v3": zom.v3, "draft": zom.draft}


def array_of(form="v3"):
    return MODULES[form].ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,))


def fill(store, form="v3"):
    """Twins: /a and /g/a hold the same, and so do /a/... of two roots."""
    module = MODULES[form]
    group = module.GroupSpec(attributes={}, members={"a": array_of(form), "b": array_of(form)})
    tree = module.GroupSpec(attributes={}, members={"a": array_of(form), "g": group})
    data = {"a": [1, 2, 3, 4], "g/a": [1, 2, 3, 4], "g/b": [5, 6, 7, 8]}
    zom.materialize(tree, store, data=data)
    return store


def contents(store):
    return {key: store.get(key) for key in store.list()}


def cut_short(inner, change):
    """Let `change` end after each of its operations in turn, in copies of the store."""
    for number in range(999):
        copy = MemoryStore(contents(inner))
        store = FaultyStore(copy, dict.fromkeys(range(number, 9999), "fail"))
        with suppress(ZomError):
            change(store)
        if number >= len(store.operations):
            return
        yield copy
    raise AssertionError("it never came to an end")


ROOTS = {
    "the root": lambda store: (store, ""),
    "a parent": lambda store: (store, "g"),
    "the group": lambda store: (PrefixStore(store, "g/"), ""),
}


@pytest.mark.parametrize("form", ["v2", "v3"])
@pytest.mark.parametrize("root", ROOTS)
def test_a_repair_touches_what_the_journal_names_whatever_root_it_is_opened_from(form, root):
    """A change made through S/g, repaired from S, deleted /a, which nobody had touched."""
    start = fill(MemoryStore(), form)
    foreign = {key: value for key, value in contents(start).items() if not key.startswith("g/")}
    seen = set()
    for store in cut_short(start, lambda each: zom.delete(PrefixStore(each, "g/"), "a")):
        there, path = ROOTS[root](store)
        seen.update(str(done) for done in zom.repair(there, path))
        after = contents(store)
        assert {key: value for key, value in after.items() if not key.startswith("g/")} == foreign
        assert not [key for key in after if ".zom" in key]
        assert zom.open(store, "g/b")[...].tolist() == [5, 6, 7, 8]
        assert ("g/a/zarr.json" in after) == ("g/a/c/0" in after) or form == "v2"
    assert seen == {"/a: finished" if root == "the group" else "/g/a: finished"}


def test_a_journal_means_its_own_directory_in_a_copy_of_it(tmp_path):
    store = fill(LocalStore(tmp_path / "s"))
    journal = Journal(
        "/g", "finish", removes=("g/a/zarr.json",), old={"g/a/zarr.json": store.get("g/a/zarr.json")}
    )
    store.set("g/.zom.journal", journal.text())
    shutil.copytree(tmp_path / "s" / "g", tmp_path / "t")
    assert [str(done) for done in zom.repair(tmp_path / "t")] == ["/: finished"]
    assert not (tmp_path / "t" / "a" / "zarr.json").exists()
    assert store.exists("g/a/zarr.json")


ARRAY = array_of().to_json()
GROUP = '{"zarr_format": 3, "node_type": "group"}'
DOCUMENT = document_text(array_of().to_documents()["zarr.json"]).decode()


def facts(**changes):
    """A journal of /g that removes the array g/a, as JSON."""
    clearing = {
        "path": "/a",
        "prefix": "a/",
        "form": "v3",
        "old": ARRAY,
        "new": None,
        "kept": None,
        "scalar": None,
    }
    return {
        "form": "zom journal 2",
        "token": "",
        "way": "finish",
        "first": {},
        "removes": ["a/zarr.json"],
        "clears": [clearing],
        "writes": {},
        "old": {"a/zarr.json": DOCUMENT},
        "data": [],
        "swap": None,
        "beside": False,
        "moves": [],
        **changes,
    }


def clearing(**changes):
    return {**facts()["clears"][0], **changes}


CRAFTED = {
    "no JSON": (b"{", "the end of the text"),
    "nested deeply": (b"[" * 100_000, "the end of the text"),
    "nested deeply in an object": (
        b'{"form": ' + b"[" * 9000 + b"]" * 9000 + b"}",
        "values nested at most 128 deep",
    ),
    "another value": (b"[]", "a list instead of an object at 'the journal'"),
    "a name twice": (b'{"form": 1, "form": 2}', '"form" again'),
    "no members": (b"{}", "the journal without the member"),
    "a member too many": (facts(more=1), 'the journal with the member "more"'),
    "another form": (facts(form="zom journal 1"), "the form \"zom journal 1\" instead of 'zom journal 2'"),
    "another way": (facts(way="delete"), 'the way "delete"'),
    "a number for a key": (facts(removes=[1]), "a number instead of a string at 'removes'"),
    "an object for a list": (facts(removes={}), "an object instead of a list at 'removes'"),
    "null for a text": (facts(writes={"a/zarr.json": None}), "null instead of a string at 'writes'"),
    "a text of no bytes": (
        facts(writes={"a/zarr.json": "\u2026"}),
        "a string at 'writes' that doesn't encode bytes",
    ),
    "a number for a prefix": (facts(swap=1), "a number instead of a string at 'swap'"),
    "a way out": (
        facts(removes=["../a/zarr.json"], old={"../a/zarr.json": DOCUMENT}),
        "a key that leads elsewhere",
    ),
    "an absolute key": (
        facts(removes=["/a/zarr.json"], old={"/a/zarr.json": DOCUMENT}),
        "a key that leads elsewhere",
    ),
    "a backslash": (
        facts(removes=["..\\zarr.json"], old={"..\\zarr.json": ""}),
        "a key that leads elsewhere",
    ),
    "no document": (
        facts(removes=["notes.txt"], old={"notes.txt": "x"}),
        "'notes.txt' in 'removes', which is not a document",
    ),
    "a chunk": (
        facts(removes=["b/c/0"], old={"b/c/0": "x"}),
        "'b/c/0' in 'removes', which is not a document of a node",
    ),
    "a document of the draft": (
        facts(removes=["meta/x.array.json"], old={"meta/x.array.json": "x"}),
        "'g/meta/x.array.json', which is not a document of a node",
    ),
    "what waits": (
        facts(removes=[".zom.new/zarr.json"], old={".zom.new/zarr.json": "x"}),
        "which is not a document",
    ),
    "without the old text": (facts(old={}), "no entry in 'old' for 'g/a/zarr.json', which changes"),
    "a removal of nothing": (facts(old={"a/zarr.json": None}), "which did not exist before"),
    "chunks of another array": (
        facts(clears=[clearing(prefix="b/")]),
        "the prefix 'b/' for the chunks of '/a'",
    ),
    "chunks elsewhere": (
        facts(clears=[clearing(path="/../a", prefix="../a/")]),
        "a key that leads elsewhere",
    ),
    "chunks of an array that it doesn't tell of": (
        facts(clears=[clearing(path="/b", prefix="b/")]),
        "chunks of /g/b, without the array's document",
    ),
    "chunks under other keys": (
        facts(clears=[clearing(old=zom.convert(array_of(), "v2").spec.to_json(), form="v2")]),
        "chunks of /g/a, without the array's document",
    ),
    "chunks of another rank": (
        facts(clears=[clearing(old=v3.ArraySpec.build(shape=(4, 4), dtype="int8").to_json())]),
        "chunks of /g/a at keys that don't match the array's document",
    ),
    "chunks of no array": (
        facts(clears=[clearing(old="[" * 5000)]),
        "at keys that don't match the array's document",
    ),
    "chunks of a draft": (
        facts(clears=[clearing(form="draft", prefix="data/a/")]),
        "chunks of /g/a below 'g/data/a/'",
    ),
    "a form that nobody knows": (facts(clears=[clearing(form="v4")]), "the format \"v4\" in 'clears'"),
    "new chunks among old ones": (
        facts(data=[clearing()]),
        "new chunks in a change that does not only create",
    ),
    "a move of all": (facts(moves=[["", "x/"]]), "a move from '' to 'x/'"),
    "a move out": (facts(moves=[["a/", "../x/"]]), "a key that leads elsewhere"),
    "a move into itself": (facts(moves=[["a/", "a/b/"]]), "one inside the other"),
    "a move of three": (facts(moves=[["a/", "b/", "c/"]]), "3 prefixes in an entry of 'moves' instead of 2"),
    "a move of no node": (facts(moves=[["photos/", "x/"]]), "a move of 'g/photos/', which is not a node"),
}


@pytest.mark.parametrize("case", CRAFTED)
def test_a_journal_that_does_not_fit_its_place_is_refused_and_nothing_is_removed(case):
    text, found = CRAFTED[case]
    store = fill(MemoryStore())
    store.set_many({"g/notes.txt": b"x", "g/photos/1.jpg": b"y", "notes.txt": b"z"})
    store.set("g/.zom.journal", text if isinstance(text, bytes) else json.dumps(text).encode())
    before = contents(store)
    told = "memory://: cannot read 'g/.zom.journal' of /g: expected the journal of a change of /g, found "
    advice = "; nothing was removed: check it, and delete it if zom didn't write it here"
    for on_conflict in ("refuse", "replace"):
        for act in (zom.repair, zom.plan_repair):
            with pytest.raises(StoreError) as caught:
                act(store, on_conflict=on_conflict)
            assert str(caught.value).startswith(told)
            assert found in str(caught.value)
            assert str(caught.value).endswith(advice)
    assert contents(store) == before


def test_the_journal_that_the_crafted_ones_are_made_from_is_followed():
    store = fill(MemoryStore())
    store.set("g/a/notes.txt", b"x")
    store.set("g/.zom.journal", json.dumps(facts()).encode())
    plan = zom.plan_repair(store)
    assert str(plan[0]) == "/g: to finish\n  - g/a/zarr.json\n  - chunks of /g/a"
    assert plan[0].to_dict() == {
        "path": "/g",
        "outcome": "finish",
        "removes": ["g/a/zarr.json"],
        "arrays": ["/g/a"],
    }
    assert zom.repair(store)[0].outcome == "finished"
    assert [key for key in store.list() if key.startswith("g/a/")] == ["g/a/notes.txt"]


def test_a_document_that_somebody_changed_since_is_told_beforehand():
    store = fill(MemoryStore())
    store.set("g/.zom.journal", json.dumps(facts()).encode())
    store.set("g/a/zarr.json", store.get("g/a/zarr.json") + b"\n")
    plan = zom.plan_repair(store)[0]
    assert "  ! /g/a: expected 'g/a/zarr.json' unchanged since the interrupted change, found another" in str(
        plan
    )
    with pytest.raises(ConflictError, match="it was written after that"):
        plan.check()
    assert zom.plan_repair(store, on_conflict="replace")[0].problems == ()


def test_a_journal_keeps_texts_that_are_not_utf8():
    work = Journal("/", "undo", writes={"zarr.json": b"\xff\xfe\x00"}, old={"zarr.json": None})
    assert parse_journal(work.text(), "memory://", JOURNAL) == work


def test_a_journal_of_keys_outside_its_place_can_not_be_made():
    work = Journal("/g", "undo", writes={"a/zarr.json": b""}, old={"a/zarr.json": None})
    with pytest.raises(ValueError, match=r"'a/zarr\.json' is not below /g, the place of the journal"):
        work.text()
    chunks = Clearing("/g/a", "g/a/", "v3", ARRAY)
    assert json.loads(Journal("/g", "undo", clears=(chunks,)).text())["clears"][0]["prefix"] == "a/"


# --- a journal above the root of the store ---------------------------------------------------------------


def interrupted(tmp_path):
    """A directory in which the removal of /g counts as made, and nothing of it is done."""
    store = fill(LocalStore(tmp_path / "s"))
    keys = ["g/a/zarr.json", "g/b/zarr.json", "g/zarr.json"]
    store.set(
        JOURNAL, Journal("/", "finish", removes=tuple(keys), old={key: store.get(key) for key in keys}).text()
    )
    return store


@pytest.mark.parametrize("inside", ["g", "g/a"])
def test_a_journal_above_the_root_of_a_store_is_seen(tmp_path, inside):
    interrupted(tmp_path)
    root = tmp_path / "s"
    told = (
        f"a change of / in {root}, which contains it, is running or was interrupted: wait until it ends, or "
    )
    for store in (root / inside, PrefixStore(LocalStore(root), f"{inside}/")):
        with pytest.raises(StoreError) as caught:
            zom.read(store)
        assert told + f"finish or undo it with zom.repair({str(root)!r})" in str(caught.value)
        with pytest.raises(StoreError, match="cannot change"):
            zom.open(store, mode="r+")
    assert zom.read(root / "a") == array_of()
    zom.repair(root)
    with pytest.raises((NotFound, StoreError)):
        zom.read(root / inside)


def test_a_journal_in_a_directory_that_is_no_hierarchy_is_nobodys(tmp_path):
    store = fill(LocalStore(tmp_path / "x" / "s"))
    (tmp_path / JOURNAL).write_text("{}")
    assert zom.read(store, "a") == array_of()


@pytest.mark.parametrize("name", [JOURNAL, "zarr.json"])
@pytest.mark.parametrize("error", [errno.EIO, errno.ESTALE])
def test_an_error_above_the_root_of_a_store_is_no_absent_journal(tmp_path, monkeypatch, name, error):
    fill(LocalStore(tmp_path / "s"))
    real = os.stat
    bad = tmp_path / "s" / name

    def failing(path, *arguments, **options):
        if path == bad:
            raise OSError(error, os.strerror(error), str(bad))
        return real(path, *arguments, **options)

    with LocalStore(tmp_path / "s" / "g") as store:
        monkeypatch.setattr(os, "stat", failing)
        monkeypatch.setattr(os, "lstat", lambda path, **options: failing(path, follow_symlinks=False))
        with pytest.raises(StoreError) as caught:
            zom.read(store, "a")
    reason = os.strerror(error).lower()
    assert str(caught.value).startswith(f"{tmp_path / 's'}: cannot read {name!r} of /: {reason}")


# --- who writes looks for a journal ----------------------------------------------------------------------

WRITES = {
    "attributes": lambda array: array.attrs.update(n=1),
    "resize": lambda array: array.resize((2,)),
    "append": lambda array: array.append([1, 2]),
    "create": lambda array: zom.create_array(array.store, array_of(), "g/new"),
    "create a group": lambda array: zom.create_group(array.store, v3.GroupSpec(), "g/new"),
    "materialize": lambda array: zom.materialize(array_of(), array.store, "g/new"),
    "delete": lambda array: zom.delete(array.store, "g/a"),
    "rename": lambda array: zom.rename(array.store, "g/a", "g/new"),
    "consolidate": lambda array: zom.consolidate(array.store, "g"),
}


@pytest.mark.parametrize("what", WRITES)
@pytest.mark.parametrize("above", ["/", "/g"])
def test_who_writes_looks_for_an_unfinished_change_first(what, above):
    store = fill(MemoryStore())
    array = zom.open_array(store, "g/a", mode="r+")
    keys = ["g/b/zarr.json", "g/zarr.json"]
    work = Journal(above, "finish", removes=("g/b/zarr.json",), old={key: store.get(key) for key in keys})
    store.set(f"{above}/{JOURNAL}".lstrip("/"), work.text())
    before = contents(store)
    with pytest.raises((StoreError, ConflictError), match=r"zom\.repair"):
        WRITES[what](array)
    assert contents(store) == before
    zom.repair(store)
    WRITES[what](zom.open_array(store, "g/a", mode="r+"))


def test_a_group_that_is_read_through_a_change_is_not_written():
    store = fill(MemoryStore())
    store.set(JOURNAL, Journal("/", "undo", writes={"x/zarr.json": b""}, old={"x/zarr.json": None}).text())
    with pytest.raises(ReadOnlyError, match="open it with mode"):
        zom.open(store)["a"].attrs["n"] = 1
    found = zom.open(store)["a"]
    with pytest.raises(StoreError, match=r"zom\.repair"):
        zom.Array(found.spec, found.store, "a", found.layout, mode="r+").attrs["n"] = 1


# --- processes -------------------------------------------------------------------------------------------

PROGRAM = """
import sys, zom
from zom import v3
store = zom.store(sys.argv[1])
array = lambda kind: v3.ArraySpec.build(shape=(40,), dtype=kind, chunks=(2,))
tree = lambda n, kind: v3.GroupSpec(attributes={"n": n}, members={
    "a": array(kind), "g": v3.GroupSpec(attributes={"n": n}, members={"b": array(kind)})})
print("ready", flush=True)
n = 0
while True:
    n += 1
    zom.materialize(tree(n, "int16" if n % 2 else "int8"), store, on_conflict="replace", prune=True)
    zom.open(store, "g", mode="r+").attrs["more"] = n
    zom.consolidate(store)
"""


def stop(process, number):
    """Send the signal until the process ends: Python drops an interrupt that comes within a destructor."""
    while process.poll() is None:
        process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(20)
    process.stdout.close()


@pytest.mark.slow
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_a_process_that_is_stopped_at_any_time_leaves_one_tree_or_the_other(tmp_path, number):
    for attempt in range(6):
        place = tmp_path / str(attempt)
        command = [sys.executable, "-c", PROGRAM, str(place)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert process.stdout.readline() == b"ready\n"
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.05 + 0.13 * attempt)
        stop(process, getattr(signal, number))
        if zom.plan_repair(place):
            assert number != "SIGINT"
        with suppress(NotFound):
            seen = zom.read(place)
            assert seen["g"].attributes["n"] == seen.attributes["n"]
            assert len(seen.members) == 2
            zom.repair(place)
            assert zom.read(place) == seen


def test_a_directory_around_a_store_that_cannot_be_looked_into_has_no_part_in_it(tmp_path, monkeypatch):
    zom.create_group(tmp_path / "x.zarr", v3.GroupSpec())

    def refuse(path):
        raise OSError(errno.EIO, "input/output error")

    monkeypatch.setattr(Path, "is_file", refuse)
    assert zom.open(tmp_path / "x.zarr").attrs == {}


def test_a_repair_removes_the_files_of_killed_writers_and_what_held_only_them(tmp_path):
    zom.create_group(tmp_path, v3.GroupSpec())
    for folder in (tmp_path, tmp_path / ".zom.new" / "a", tmp_path / "c"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".zom-tmp-0123456789abcdef-0").write_bytes(b"{")
    (tmp_path / "c" / "notes.txt").write_bytes(b"mine")
    (tmp_path / "g" / ".zom.meanwhile").mkdir(parents=True)
    assert zom.repair(tmp_path) == ()
    left = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))
    assert left == ["c", "c/notes.txt", "zarr.json"]


def test_a_store_that_may_not_be_changed_is_not_swept():
    store = ReadOnlyStore(MemoryStore())
    with pytest.raises(ReadOnlyError, match="cannot sweep: the store is read-only"):
        store.sweep()
    assert MemoryStore().sweep() == 0


# --- files ------------------------------------------------------------------------------------------------


def interrupted_file(path, way="finish"):
    """A zip or SQLite file in which a change of the attributes has not ended."""
    store = fill(zom.store(path))
    new = document_text({"zarr_format": 3, "node_type": "group", "attributes": {"n": 2}})
    work = Journal("/", way, writes={"zarr.json": new}, old={"zarr.json": store.get("zarr.json")})
    store.set(".zom.journal", work.text())
    store.close()
    return path


@pytest.mark.parametrize("name", ["x.zip", "x.sqlite", "x.zarr"])
@pytest.mark.parametrize(("way", "attributes"), [("finish", {"n": 2}), ("undo", {})])
def test_a_file_is_repaired_by_its_name(tmp_path, name, way, attributes):
    """Every error says to call zom.repair, so it works on what they name."""
    path = interrupted_file(tmp_path / name, way)
    assert [each.path for each in zom.repair(path)] == ["/"]
    assert zom.repair(str(path)) == ()
    assert zom.read(path).attributes == attributes
    assert (zom.open(path, "a")[...] == [1, 2, 3, 4]).all()
    assert [each.name for each in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["x.zip", "x.sqlite"])
def test_a_plan_of_a_repair_and_a_repair_of_nothing_leave_a_file_as_it_is(tmp_path, name):
    path = interrupted_file(tmp_path / name)
    before = path.read_bytes(), path.stat().st_mtime_ns
    assert [each.outcome for each in zom.plan_repair(path)] == ["finish"]
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    zom.repair(path)
    before = path.read_bytes(), path.stat().st_mtime_ns
    assert zom.repair(path) == ()
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_a_zip_file_that_can_not_be_repaired_stays_as_it_is(tmp_path):
    path = interrupted_file(tmp_path / "x.zip")
    with zom.store(path, read_only=False) as store:
        store.set(
            "zarr.json", document_text({"zarr_format": 3, "node_type": "group", "attributes": {"n": 3}})
        )
    before = path.read_bytes()
    with pytest.raises(ConflictError, match="it was written after that"):
        zom.repair(path)
    assert path.read_bytes() == before
    assert [each.path for each in zom.repair(path, on_conflict="replace")] == ["/"]
    assert zom.read(path).attributes == {"n": 2}
