"""Migrated hierarchies hold what they held, and read as the old one or the new one at every moment."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

import zom
from zom import draft, v2, v3
from zom.handles.group import handle_of
from zom.hierarchy.stored.layout import DRAFT_2021, DRAFT_2022
from zom.stores.local import LocalStore
from zom.stores.memory import MemoryStore
from zom.stores.wrap import ReadOnlyStore
from zom.testing.faulty import FaultyStore

from stored_trees import ENTRIES  # isort: skip

VALUES = np.arange(24, dtype="i2").reshape(6, 4)


def array_v2(**more):
    return v2.ArraySpec.parse(
        {
            "zarr_format": 2,
            "shape": [6, 4],
            "chunks": [4, 3],
            "dtype": ">i2",
            "compressor": {"id": "zlib", "level": 1},
            "fill_value": 7,
            "order": "F",
            "filters": [{"id": "delta", "dtype": ">i2"}],
            "attributes": {"units": "K", "_ARRAY_DIMENSIONS": ["y", "x"]},
            **more,
        }
    )


def store_v2(*, consolidated=False):
    tree = v2.GroupSpec(
        attributes={"title": "a"},
        members={
            "a": array_v2(),
            "g": v2.GroupSpec(members={"b": array_v2(dimension_separator="/"), "empty": v2.GroupSpec()}),
        },
    )
    store = MemoryStore()
    root = zom.materialize(tree, store)
    root["a"][:] = VALUES
    root["g/b"][:4] = VALUES[:4]
    if consolidated:
        zom.consolidate(store)
    return store


def store_v3(keys="default", *, consolidated=False):
    def array(separator):
        return v3.ArraySpec.build(
            shape=(6, 4),
            dtype="int16",
            chunks=(4, 3),
            compress="gzip:1",
            checksum=False,
            attributes={"units": "K"},
        ).replace(chunk_key_encoding={"name": keys, "configuration": {"separator": separator}})

    tree = v3.GroupSpec(
        attributes={"title": "a"}, members={"a": array("/"), "g": v3.GroupSpec(members={"b": array(".")})}
    )
    store = MemoryStore()
    root = zom.materialize(tree, store)
    root["a"][:] = VALUES
    root["g/b"][:4] = VALUES[:4]
    if consolidated:
        zom.consolidate(store)
    return store


def store_draft(name="draft", base=""):
    def array():
        return draft.ArraySpec.build(shape=(6, 4), dtype="int16", chunks=(4, 3), attributes={"units": "K"})

    tree = draft.GroupSpec(
        attributes={"title": "a"},
        members={
            "a": array(),
            "g": draft.GroupSpec(
                members={"b": array(), "zero": draft.ArraySpec.build(shape=(), dtype="int8")}
            ),
        },
    )
    layout = DRAFT_2021 if name == "draft 2021" else DRAFT_2022
    store = MemoryStore({"zarr.json": json.dumps(ENTRIES[name]).encode()})
    for path, node in tree.walk():
        for key, document in layout.documents(path, node).items():
            store.set(key, json.dumps(document).encode())
    for path, values in (("/a", VALUES), ("/g/b", VALUES), ("/g/zero", 3)):
        handle_of(tree[path[1:]], store, path, layout, mode="r+")[...] = values
    return store


STORES = {
    "v2": (store_v2, "v3"),
    "v2 consolidated": (lambda: store_v2(consolidated=True), "v3"),
    "v3": (store_v3, "v2"),
    "v3 with the keys of v2": (lambda: store_v3("v2"), "v2"),
    "v3 consolidated": (lambda: store_v3(consolidated=True), "v2"),
    "draft": (store_draft, "v3"),
    "draft 2021": (lambda: store_draft("draft 2021"), "v3"),
}


def contents(store):
    return {key: store.get(key) for key in store.list()}


def quiet(problem):
    """Documents of two formats lie side by side while a migration is interrupted."""


def read(store, **choices):
    return zom.read(store, on_warning=quiet, **choices)


def values(store):
    found = {}
    for path, node in read(store).walk():
        if node.kind == "array":
            array = zom.open_array(store, path)
            found[path] = array[...].astype(array.dtype.newbyteorder("=")).tobytes()
    return found


@pytest.mark.parametrize("name", STORES)
def test_every_element_is_what_it_was(name):
    make, to = STORES[name]
    store = make()
    before, expected = values(store), zom.convert(read(store), to).spec
    migration = zom.migrate(store, to, in_place=True)
    assert values(store) == before
    assert read(store) == expected
    assert read(store).family.form == to == migration.to


@pytest.mark.parametrize("name", STORES)
def test_nothing_of_the_old_format_remains(name):
    make, to = STORES[name]
    store = make()
    zom.migrate(store, to, in_place=True)
    ends = {
        "v2": ("zarr.json",),
        "v3": (".zarray", ".zgroup", ".zattrs", ".zmetadata", ".array.json", ".group.json"),
    }
    assert [
        key for key in store.list() if key.endswith(ends[to]) or key.startswith(("meta/", "data/", ".zom"))
    ] == []
    fresh = MemoryStore()
    zom.copy(store, fresh)
    assert sorted(fresh.list()) == sorted(store.list())


@pytest.mark.parametrize("name", STORES)
def test_a_dry_run_tells_every_document_and_writes_nothing(name):
    make, to = STORES[name]
    store = make()
    before = contents(store)
    planned = zom.migrate(store, to, dry_run=True)
    assert contents(store) == before
    done = zom.migrate(store, to, in_place=True)
    arrays = tuple(replace(each, nbytes=0) for each in done.arrays)  # known once they are written
    assert (planned.writes, planned.removes, planned.arrays) == (done.writes, done.removes, arrays)
    after = contents(store)
    assert {key: json.loads(after[key]) for key in planned.writes} == json.loads(planned.to_json())["writes"]
    assert not set(planned.removes) & after.keys()


def test_the_chunks_of_v2_are_not_touched():
    store = store_v2()
    chunks = {key: value for key, value in contents(store).items() if "/." not in f"/{key}"}
    log = FaultyStore(store)
    zom.migrate(log, in_place=True)
    assert chunks.items() <= contents(store).items()
    assert not [key for verb, key in log.operations if verb != "list" and key in chunks]


def test_what_is_lost_is_told():
    store = MemoryStore()
    zom.create_array(store, array_v2(fill_value=None))
    (loss,) = zom.migrate(store, in_place=True).losses
    assert str(loss) == "fill_value: expected a fill value, found null; it becomes 0"


def test_what_cannot_be_said_is_refused_before_anything_is_written():
    store = MemoryStore()
    spec = v3.ArraySpec.build(shape=(8,), dtype="int8", chunks=(2,), shards=(4,))
    zom.materialize(v3.GroupSpec(members={"a": spec}), store)
    before = contents(store)
    with pytest.raises(
        zom.ConversionError, match=r"^memory://: conversion to v2: /a: .*; change or delete the node first$"
    ):
        zom.migrate(store, "v2", in_place=True)
    assert contents(store) == before


def test_the_text_of_a_migration_is_this():
    assert str(zom.migrate(store_v3(), "v2", dry_run=True)) == (
        "memory://: v3 -> v2: 7 documents to write, 4 to remove, the chunks of 2 arrays to move, "
        "nothing done: this is a dry run\n"
        "  + g/b/.zattrs\n  + g/b/.zarray\n  + a/.zattrs\n  + a/.zarray\n  + g/.zgroup\n"
        "  + .zattrs\n  + .zgroup\n"
        "  - zarr.json\n  - g/b/zarr.json\n  - a/zarr.json\n  - g/zarr.json\n"
        "  > /a: chunks to move (v3 has other chunk keys): 4\n"
        "  > /g/b: chunks to move (v3 has other chunk keys): 2\n"
        "lost:\n"
        '  /a: chunk_key_encoding: expected the keys of v2, found "default"; move the chunks: c/0/0 becomes 0/0\n'
        '  /g/b: chunk_key_encoding: expected the keys of v2, found "default"; move the chunks: c.0.0 becomes 0.0'
    )


def test_the_text_of_a_migration_that_was_done_says_what_was_done():
    done = str(zom.migrate(store_v3(), "v2", in_place=True)).splitlines()
    assert done[0] == (
        "memory://: v3 -> v2: 7 documents written, 4 removed, the chunks of 2 arrays moved, 282 B of chunks written"
    )
    assert [line for line in done if ">" in line][1:] == [
        "  > /a: chunks moved (v3 has other chunk keys): 4, 188 B",
        "  > /g/b: chunks moved (v3 has other chunk keys): 2, 94 B",
    ]


def test_a_migration_elsewhere_says_what_was_copied():
    old, new = store_v3(), MemoryStore()
    planned = str(zom.migrate(old, "v2", target=new, dry_run=True))
    assert "the chunks of 2 arrays to copy, nothing done" in planned
    done = zom.migrate(old, "v2", target=new)
    assert "the chunks of 2 arrays copied, 282 B of chunks written" in str(done)
    assert "  > /a: chunks copied: 4, 188 B\n" in str(done)
    assert sum(each.nbytes for each in done.arrays) == done.copied.nbytes == 282


def test_a_hierarchy_of_that_format_is_left_alone():
    store = store_v3()
    before = contents(store)
    migration = zom.migrate(store, in_place=True)
    assert (migration.is_empty, contents(store)) == (True, before)
    assert str(migration) == "memory://: already v3; nothing to do"


def test_consolidated_metadata_comes_along():
    store = store_v2(consolidated=True)
    zom.migrate(store, in_place=True)
    assert read(store, consolidated="only") == read(store, consolidated="ignore")


def test_foreign_files_stay():
    for make, to in STORES.values():
        store = make()
        for key in ("photo.jpg", "a/readme.txt", "data/thesis.tex", "g/x/y"):
            store.set(key, key.encode())
        zom.migrate(store, to, in_place=True)
        assert all(
            store.get(key) == key.encode()
            for key in ("photo.jpg", "a/readme.txt", "data/thesis.tex", "g/x/y")
        )


def test_a_single_array_is_migrated():
    store = MemoryStore()
    zom.create_array(store, array_v2())[:] = VALUES
    zom.migrate(store, in_place=True)
    assert zom.open_array(store).dimension_names == ("y", "x")
    np.testing.assert_array_equal(zom.open_array(store)[:], VALUES)


def test_a_hierarchy_below_a_path_is_migrated(tmp_path):
    zom.copy(store_v2(), tmp_path, target_path="")
    zom.copy(store_draft(), tmp_path / "inner" / "d.zarr")
    zom.migrate(tmp_path, path="inner/d.zarr", in_place=True)
    assert read(LocalStore(tmp_path), path="inner/d.zarr", form="v3").family.form == "v3"


def test_a_part_of_a_hierarchy_is_refused():
    store = store_v2()
    before = contents(store)
    with pytest.raises(
        zom.ConflictError, match="/g: expected the root of a hierarchy, found a node of the v2"
    ):
        zom.migrate(store, path="g", in_place=True)
    drafted = store_draft()
    with pytest.raises(
        zom.ConflictError, match="/g: expected the root of a hierarchy, found a node of the draft"
    ):
        zom.migrate(drafted, path="g", in_place=True)
    assert contents(store) == before


def test_another_document_in_the_way_is_a_conflict():
    store = store_v2()
    store.set("a/zarr.json", b'{"zarr_format": 3, "node_type": "group"}')
    before = contents(store)
    with pytest.raises(
        zom.ConflictError, match=r"/a: expected nothing at 'a/zarr\.json', found another document"
    ):
        zom.migrate(store, in_place=True)
    assert contents(store) == before


def test_files_where_chunks_are_to_lie_are_a_conflict():
    store = store_v3()
    store.set("a/0/0", b"mine")
    before = contents(store)
    with pytest.raises(zom.ConflictError, match="/a: expected no chunks of the new format, found 'a/0/0'"):
        zom.migrate(store, "v2", in_place=True)
    assert contents(store) == before


def test_a_draft_with_a_node_called_data_is_migrated_into_another_place_only():
    store = MemoryStore()
    zom.create_array(store, draft.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,)), "data/x")[:] = 1
    with pytest.raises(zom.ConflictError, match="found a node named 'data', like a directory of the draft"):
        zom.migrate(store, in_place=True)
    target = MemoryStore()
    zom.migrate(store, target=target)
    assert zom.open_array(target, "data/x")[:].tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("name", STORES)
def test_into_another_place_the_source_stays(name):
    make, to = STORES[name]
    store, target = make(), MemoryStore()
    before = contents(store)
    migration = zom.migrate(store, to, target=target)
    assert contents(store) == before
    assert values(target) == values(store)
    assert read(target) == zom.convert(read(store), to).spec
    assert {each.chunks for each in migration.arrays} == {"copy"}


def test_a_read_only_store_is_refused():
    with pytest.raises(zom.errors.ReadOnlyError, match="read-only"):
        zom.migrate(ReadOnlyStore(store_v2()), in_place=True)


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ({"to": "draft"}, 'expected "v3" or "v2"'),
        ({"in_place": True, "target": "x.zarr"}, "expected in_place=True or a target, got both"),
        ({}, "pass in_place=True to change the store itself, or target= to leave it as it is"),
    ],
)
def test_a_store_is_migrated_in_place_only_on_request(choice, told):
    store = store_v2()
    before = {key: store.get(key) for key in store.list()}
    with pytest.raises(ValueError, match=told):
        zom.migrate(store, **choice)
    assert {key: store.get(key) for key in store.list()} == before


def test_another_place_given_as_in_place_is_refused_and_nothing_is_migrated():
    store = store_v2()
    before = {key: store.get(key) for key in store.list()}
    with pytest.raises(TypeError, match="pass another place as target="):
        zom.migrate(store, in_place="elsewhere.zarr")
    assert {key: store.get(key) for key in store.list()} == before


# --- interruptions --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("mishap", ["fail", "fail after"])
@pytest.mark.parametrize("name", STORES)
def test_a_migration_that_fails_is_undone_or_made(name, mishap):
    make, to = STORES[name]
    old, whole = make(), FaultyStore(make())
    zom.migrate(whole, to, in_place=True)
    start, end, expected = contents(old), contents(whole.inner), values(old)
    failures = 0
    for number in range(len(whole.operations)):
        inner = MemoryStore(start)
        try:
            zom.migrate(FaultyStore(inner, {number: mishap}), to, in_place=True)
        except zom.ZomError:
            failures += 1
            assert contents(inner) in ((start,) if number < len(whole.operations) - 2 else (start, end)), (
                number
            )
        else:
            assert contents(inner) == end, number
        assert values(inner) == expected
    assert failures


@pytest.mark.slow
@pytest.mark.parametrize("name", STORES)
def test_a_migration_that_ends_anywhere_reads_as_old_or_new_and_is_repaired(name):
    make, to = STORES[name]
    old, whole = make(), FaultyStore(make())
    zom.migrate(whole, to, in_place=True)
    old_spec, new_spec, expected = read(old), read(whole.inner), values(old)
    start, end, seen = contents(old), contents(whole.inner), []
    for number in range(len(whole.operations)):
        inner = MemoryStore(start)
        with suppress(zom.ZomError):
            zom.migrate(FaultyStore(inner, dict.fromkeys(range(number, 9999), "fail")), to, in_place=True)
        seen.append(read(inner))
        assert seen[-1] in (old_spec, new_spec)
        assert values(inner) == expected
        if zom.plan_repair(inner):
            with pytest.raises(zom.ZomError, match=r"zom\.repair"):
                zom.migrate(inner, to, in_place=True)
        zom.repair(inner)
        assert read(inner) == seen[-1]
        assert contents(inner) in (start, end)
        zom.migrate(inner, to, in_place=True)
        assert contents(inner) == end
    assert old_spec in seen
    assert new_spec in seen


def test_progress_ends_with_everything():
    seen = []
    zom.migrate(store_v3(), "v2", progress=lambda done, total: seen.append((done, total)), in_place=True)
    assert seen[-1] == (15, 15)
    assert seen == sorted(seen)


def test_a_legacy_structured_array_is_judged_alike_in_place_and_elsewhere():
    """`structured` is the older name of `struct`: the same elements, the same chunks."""
    fields = [["x", "float32"], ["y", "int16"]]
    document = zom.v3.ArraySpec.build(shape=(4,), dtype=[("x", "<f4"), ("y", "<i2")], chunks=2).to_dict()
    document["data_type"] = {"name": "structured", "configuration": {"fields": fields}}
    document["fill_value"] = {"x": 0, "y": 0}
    texts = {
        "zarr.json": b'{"zarr_format": 3, "node_type": "group"}',
        "a/zarr.json": json.dumps(document).encode(),
    }
    store, target = MemoryStore(texts), MemoryStore({})
    zom.open_array(store, "a", mode="r+")[:2] = np.array([(1, 2), (3, 4)], [("x", "<f4"), ("y", "<i2")])
    wanted = zom.open_array(store, "a")[:].tolist()
    migration = zom.migrate(store, "v2", target=target)
    assert [each.chunks for each in migration.arrays] == ["copy"]
    assert zom.open_array(target, "a")[:].tolist() == wanted
    zom.migrate(store, "v2", in_place=True)
    assert zom.open_array(store, "a")[:].tolist() == wanted
    assert {key: target.get(key) for key in target.list()} == {key: store.get(key) for key in store.list()}
