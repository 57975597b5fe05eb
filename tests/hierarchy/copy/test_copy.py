"""Copies hold what their sources hold: raw where chunks mean the same, encoded again where they don't."""

from __future__ import annotations

import json
import os
import signal
import threading
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zom
from zom import draft, v2, v3
from zom.engine import compile as compiling
from zom.extension.memo import Memo
from zom.hierarchy.copy import copy as copying
from zom.hierarchy.stored.layout import DRAFT_2021
from zom.stores.interface import Store, cut
from zom.stores.local import LocalStore
from zom.stores.memory import MemoryStore
from zom.stores.wrap import PrefixStore, ReadOnlyStore, WrapperStore
from zom.stores.zip import ZipStore
from zom.testing.faulty import FaultyStore
from zom.testing.logged import LoggedStore

from stored_trees import ENTRIES, Far, tree_draft  # isort: skip

PLAIN = [{"name": "bytes", "configuration": {"endian": "little"}}]
V2_KEYS = {"name": "v2", "configuration": {"separator": "."}}


def array(**more):
    return v3.ArraySpec.build(**{"shape": (10, 7), "dtype": "float32", "chunks": (3, 2), **more})


def source(**more):
    """A hierarchy of a group with two arrays, one of which lacks chunks."""
    tree = v3.GroupSpec(
        attributes={"title": "a"},
        members={
            "a": array(**more),
            "g": v3.GroupSpec(members={"b": v3.ArraySpec.build(shape=(9,), dtype="int8", chunks=(2,))}),
        },
    )
    root = zom.materialize(tree, MemoryStore())
    root["a"][:] = np.arange(70).reshape(10, 7)
    root["g/b"][2:4] = 1
    return root


def same(left, right):
    arrays = [path for path, node in zom.read(left).walk() if node.kind == "array"]
    for path in arrays:
        a, b = zom.open_array(left, path)[...], zom.open_array(right, path)[...]
        assert a.astype(a.dtype.newbyteorder("=")).tobytes() == b.astype(b.dtype.newbyteorder("=")).tobytes()
    return True


def keys_of(store, verb, part):
    """The keys with `part` in them to which a store was asked to do something."""
    return [key for done, key in store.operations if done == verb and part in key]


def changed(root, **more):
    return zom.read(root.store).map(lambda _, node: node.replace(**more) if node.kind == "array" else node)


def with_array(root, spec):
    return zom.read(root.store).map(lambda path, node: spec if path == "/a" else node)


# --- raw ------------------------------------------------------------------------------------------------


def test_a_copy_has_the_keys_and_the_bytes_of_its_source():
    root, target = source(), MemoryStore()
    zom.copy(root, target)
    assert {key: target.get(key) for key in target.list()} == {
        key: root.store.get(key) for key in root.store.list()
    }


def test_the_report_counts_what_was_copied():
    report = zom.copy(source(), MemoryStore())
    facts = [(node.path, node.way, node.raw, node.encoded) for node in report.nodes]
    assert facts == [
        ("/", "document", 0, 0),
        ("/a", "raw", 16, 0),
        ("/g", "document", 0, 0),
        ("/g/b", "raw", 1, 0),
    ]
    assert (report.arrays, report.raw, report.encoded, report.skipped) == (2, 17, 0, 0)
    assert json.loads(report.to_json())["nbytes"] == report.nbytes > 0


def test_the_text_of_a_report_is_this():
    root = zom.create_array(
        "memory:", v3.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,), codecs=[{"name": "bytes"}])
    )
    root[:] = 1
    root.store.set("photo.jpg", b"")
    assert str(zom.copy(root, MemoryStore(), verify=True)) == (
        "memory:// -> memory://: 1 array; 2 chunks as they are, 4 B; verified\n"
        "  /  array  chunks as they are, 2 copied, 4 B\n"
        "  not Zarr's, and not copied: 'photo.jpg'"
    )


def test_other_keys_need_no_decoding(monkeypatch):
    root, target = source(), MemoryStore()
    monkeypatch.setattr(copying, "copy_encoded", None)
    report = zom.copy(root, target, changed(root, chunk_key_encoding=V2_KEYS))
    assert report.raw == 17
    assert target.get("a/3.3") == root.store.get("a/c/3/3")
    assert same(root.store, target)


def test_chunks_that_mean_the_same_are_not_decoded_for_another_format(monkeypatch):
    old = v2.ArraySpec(
        shape=(6, 4),
        chunks=(3, 2),
        dtype=">i2",
        compressor={"id": "zlib", "level": 1},
        fill_value=None,
        order="F",
        filters=[{"id": "delta", "dtype": ">i2"}],
    )
    root = zom.create_array(MemoryStore(), old)
    root[:] = np.arange(24).reshape(6, 4)
    target = MemoryStore()
    monkeypatch.setattr(copying, "copy_encoded", None)
    zom.copy(root, target, zom.convert(old, "v3").spec)
    assert zom.open_array(target).spec.family.form == "v3"
    np.testing.assert_array_equal(zom.open_array(target)[:], np.arange(24).reshape(6, 4))


def test_missing_chunks_stay_missing():
    target = MemoryStore()
    zom.copy(source(), target)
    assert [key for key in target.list("g/b/") if "/c/" in key] == ["g/b/c/1"]


def test_a_chunk_of_nothing_but_fill_is_copied_where_it_is_stored():
    root = zom.create_array(MemoryStore(), array()).with_options(write_empty_chunks=True)
    root[:] = 0
    assert zom.copy(root, MemoryStore()).raw == 16


@pytest.mark.parametrize("name", ["draft", "draft 2021"])
def test_a_draft_keeps_its_layout(name):
    tree = tree_draft()
    store = MemoryStore({"zarr.json": json.dumps(ENTRIES[name]).encode()})
    for path, node in tree.walk():
        layout = DRAFT_2021 if name == "draft 2021" else zom.hierarchy.stored.layout.DRAFT_2022
        for key, document in layout.documents(path, node).items():
            store.set(key, json.dumps(document).encode())
    zom.open_array(store, "t", mode="r+")[:] = 3
    target = MemoryStore()
    zom.copy(store, target)
    assert sorted(target.list()) == sorted(store.list())
    assert zom.open_array(target, "t")[2, 1] == 3
    zom.copy(store, target, path="t", target_path="more")
    assert zom.open_array(target, "more")[2, 1] == 3


def test_a_draft_is_copied_as_v3():
    root = zom.create_array(MemoryStore(), draft.ArraySpec.build(shape=(5,), dtype="int16", chunks=(2,)), "a")
    root[:] = [1, 2, 3, 4, 5]
    target = MemoryStore()
    report = zom.copy(root.store, target, zom.convert(zom.read(root.store), "v3").spec)
    assert report.raw == 3
    assert zom.open_array(target, "a")[:].tolist() == [1, 2, 3, 4, 5]


# --- encoded again --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"chunks": (4, 4)}, "chunks differ"),
        ({"chunks": (2, 2), "shards": (6, 4)}, "chunks differ"),
        ({"codecs": PLAIN}, "codecs differ"),
        ({"fill_value": 5.0}, "fill values differ"),
    ],
    ids=lambda value: str(value) if isinstance(value, str) else "",
)
def test_what_differs_is_encoded_again(more, why):
    root, target = source(), MemoryStore()
    report = zom.copy(root, target, with_array(root, array(**more)), verify=True)
    assert [(node.way, node.why) for node in report.nodes if node.path == "/a"] == [("encode", why)]
    assert same(root.store, target)


def test_another_fill_value_changes_no_element():
    """What is missing in the source is the old fill value, which must be written then."""
    root = zom.create_array(MemoryStore(), array())
    target = MemoryStore()
    zom.copy(root, target, array(fill_value=5.0))
    assert not zom.open_array(target)[:].any()


def test_a_nan_with_another_payload_is_another_fill_value():
    root = zom.create_array(MemoryStore(), array().replace(fill_value="NaN"))
    target = MemoryStore()
    zom.copy(root, target, array().replace(fill_value="0x7fc00001"))
    assert zom.open_array(target)[:].tobytes() == root[:].tobytes()


def test_from_shards_to_chunks():
    root, target = source(chunks=(2, 2), shards=(6, 4)), MemoryStore()
    zom.copy(root, target, with_array(root, array(chunks=(5, 7))), verify=True)
    assert same(root.store, target)


def test_regions_without_chunks_are_neither_read_nor_written():
    root = zom.create_array(MemoryStore(), v3.ArraySpec.build(shape=(10**9,), dtype="int8", chunks=(10,)))
    root[500] = 1
    target = MemoryStore()
    spec = v3.ArraySpec.build(shape=(10**9,), dtype="int8", chunks=(100,))
    report = zom.copy(root, target, spec)
    assert (report.encoded, sorted(target.list())) == (1, ["c/5", "zarr.json"])


def test_each_chunk_is_read_and_written_once_where_there_is_memory():
    root, target = source(), FaultyStore(MemoryStore())
    log = FaultyStore(root.store)
    zom.copy(log, target, with_array(root, array(chunks=(4, 4))), jobs=1)
    reads = keys_of(log, "read", "a/c/")
    writes = keys_of(target, "write", "a/c/")
    assert sorted(reads) == sorted(set(reads))
    assert len(reads) == 16
    assert len(writes) == len(set(writes)) == 6


def test_text_goes_from_v2_to_v3():
    old = v2.ArraySpec(
        shape=(5,),
        chunks=(2,),
        dtype="|O",
        compressor=None,
        fill_value="",
        order="C",
        filters=[{"id": "vlen-utf8"}],
    )
    root = zom.create_array(MemoryStore(), old)
    root[:] = np.array(["a", "", "ä", "long" * 100, "z"], object)
    target = MemoryStore()
    zom.copy(root, target, v3.ArraySpec.build(shape=(5,), dtype="string", chunks=(3,)), verify=True)
    assert list(zom.open_array(target)[:]) == list(root[:])


def test_an_array_without_dimensions_and_one_without_elements_are_copied():
    tree = v3.GroupSpec(
        members={
            "zero": v3.ArraySpec.build(shape=(), dtype="int8"),
            "none": v3.ArraySpec.build(shape=(0, 3), dtype="int8", chunks=(1, 3)),
        }
    )
    root = zom.materialize(tree, MemoryStore(), data={"zero": 4})
    target = MemoryStore()
    other = tree.map(
        lambda _, node: node.replace(codecs=[{"name": "bytes"}]) if node.kind == "array" else node
    )
    zom.copy(root, target, other, verify=True)
    assert zom.open_array(target, "zero")[...] == 4
    assert zom.open_array(target, "none").shape == (0, 3)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_chunks_become_any_others(data):
    shape = tuple(data.draw(st.lists(st.integers(0, 13), max_size=3)))

    def spec():
        chunks = tuple(data.draw(st.integers(1, 6)) for _ in shape)
        shards = None
        if shape and data.draw(st.booleans()):
            shards = tuple(size * data.draw(st.integers(1, 3)) for size in chunks)
        return v3.ArraySpec.build(shape=shape, dtype="uint16", chunks=chunks, shards=shards)

    old, new = spec(), spec()
    root = zom.create_array(MemoryStore(), old)
    values = np.arange(root.size, dtype="u2").reshape(shape) % data.draw(st.sampled_from([2, 1000]))
    root[...] = values
    target = MemoryStore()
    original = copying.read_original(root.store, "/")
    memory = data.draw(st.sampled_from([1, 64, 300, 1 << 26]))
    choices = copying.Choices(verify=True, memory=memory, jobs=data.draw(st.integers(1, 3)))
    copying.copy_hierarchy(original, target, "/", new, choices)
    np.testing.assert_array_equal(zom.open_array(target)[...], values)


# --- what is copied -------------------------------------------------------------------------------------


def test_a_selection_comes_with_the_groups_above_it():
    target = MemoryStore()
    zom.copy(source(), target, select="g/*")
    assert [path for path, _ in zom.read(target).walk()] == ["/", "/g", "/g/b"]
    assert zom.open_array(target, "g/b")[2] == 1


def test_a_selection_of_nothing_is_an_error():
    with pytest.raises(
        zom.NotFound, match=r"^memory://: expected nodes that match \"x\*\" in /, found none$"
    ):
        zom.copy(source(), MemoryStore(), select="x*")


def test_a_part_is_copied_into_a_hierarchy_that_is_there():
    root, target = source(), MemoryStore()
    zom.create_group(target, v3.GroupSpec(attributes={"mine": 1}))
    zom.copy(root["g"], target, target_path="new/g")
    assert zom.read(target).attributes == {"mine": 1}
    assert [path for path, _ in zom.read(target).walk()] == ["/", "/new", "/new/g", "/new/g/b"]


def test_nodes_that_the_spec_leaves_out_are_told():
    root = source()
    spec = v3.GroupSpec(members={"a": zom.read(root.store)["a"]})
    assert zom.copy(root, MemoryStore(), spec).left_out == ("/g", "/g/b")


def test_consolidated_metadata_is_made_anew():
    root, target = source(), MemoryStore()
    zom.consolidate(root.store)
    report = zom.copy(root, target, select="g/**")
    assert report.consolidated == ("/",)
    with_it = zom.read(target, consolidated="only")
    assert [path for path, _ in with_it.walk()] == ["/", "/g", "/g/b"]


def test_consolidated_metadata_above_the_target_is_put_right():
    root, target = source(), MemoryStore()
    zom.create_group(target, v3.GroupSpec())
    zom.consolidate(target)
    zom.copy(root, target, target_path="x")
    assert zom.read(target, consolidated="only") == zom.read(target, consolidated="ignore")


def test_foreign_files_stay_behind_and_are_told():
    root, target = source(), MemoryStore()
    for key in ("photo.jpg", "a/readme.txt", "a/c/99/0", "thesis/x.tex"):
        root.store.set(key, b"1")
    report = zom.copy(root, target)
    assert report.foreign == ("a/c/99/0", "a/readme.txt", "photo.jpg", "thesis/")
    assert not {"photo.jpg", "a/readme.txt", "a/c/99/0", "thesis/x.tex"} & set(target.list())


def test_a_store_that_cannot_be_listed_is_copied_by_its_consolidated_metadata():
    root, target = source(), MemoryStore()
    zom.consolidate(root.store)
    zom.copy(Far(root.store, listable=False), target, verify=True)
    assert same(root.store, target)


class Hostile(Store):
    """A store that says that it has keys outside of itself."""

    def __init__(self, inner):
        self.inner = inner

    url = "hostile:"

    def _read(self, key, byte_range):
        value = self.inner.get(key)
        return cut(b"evil" if value is None else value, byte_range) if value or ".." in key else None

    def _keys(self, prefix):
        return [*self.inner.list(prefix), f"{prefix}../../evil", f"{prefix}c/../../../evil", "/etc/passwd"]


def test_keys_that_lead_out_of_a_store_are_not_copied(tmp_path):
    target = tmp_path / "in" / "t.zarr"
    zom.copy(Hostile(source().store), target)
    assert [each.name for each in tmp_path.iterdir()] == ["in"]
    assert [each.name for each in (tmp_path / "in").iterdir()] == ["t.zarr"]
    assert not [each for each in target.rglob("*") if "evil" in each.name]


# --- what is refused ------------------------------------------------------------------------------------


def test_a_copy_into_itself_is_refused(tmp_path):
    root = zom.materialize(zom.read(source().store), tmp_path / "s")
    (tmp_path / "link").symlink_to(tmp_path / "s")
    for target, path, reason in [
        (root.store, "", "it is the source of the copy"),
        (tmp_path / "s", "", "it is the source of the copy"),
        (tmp_path / "link", "", "it is the source of the copy"),
        (LocalStore(tmp_path), "s", "it is the source of the copy"),
        (
            PrefixStore(ReadOnlyStore(LocalStore(tmp_path)), "s/"),
            "x/y",
            "it is inside /, the source of the copy",
        ),
        (tmp_path / "s" / "g", "", "it is inside /, the source of the copy"),
    ]:
        with pytest.raises(zom.StoreError, match=reason):
            zom.copy(root, target, target_path=path)
    with pytest.raises(zom.StoreError, match="/g, the source of the copy, is inside it"):
        zom.copy(root["g"], tmp_path, target_path="s", on_conflict="replace")


def test_a_copy_beside_itself_is_made():
    root = source()
    zom.copy(root["g"], root.store, target_path="h")
    assert root["h/b"][:].tolist() == root["g/b"][:].tolist()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (array(shape=(10, 8)), r"^copy: /a: shape: expected \(10, 7\), found \(10, 8\); copy it first, then"),
        (array(dtype="float64"), r"^copy: /a: expected float32, found float64; a copy converts no elements$"),
    ],
)
def test_another_shape_or_type_is_refused(spec, message):
    root, target = source(), MemoryStore()
    with pytest.raises(zom.SpecError, match=message):
        zom.copy(root, target, with_array(root, spec))
    assert list(target.list()) == []


def test_an_array_that_the_source_does_not_have_is_refused():
    with pytest.raises(
        zom.SpecError, match=r"^copy: /x: expected an array in the source, found nothing; omit"
    ):
        zom.copy(source(), MemoryStore(), v3.GroupSpec(members={"x": array()}))


def test_a_node_in_the_way_is_a_conflict():
    root, target = source(), MemoryStore()
    zom.create_array(target, array(), "a")
    before = dict(target._data)
    with pytest.raises(
        zom.ConflictError, match="/a: expected nothing, to copy an array there, found an array"
    ):
        zom.copy(root, target)
    assert target._data == before


def test_files_in_the_way_are_a_conflict():
    target = MemoryStore({"photo.jpg": b"1"})
    with pytest.raises(zom.ConflictError, match=r"photo\.jpg"):
        zom.copy(source(), target)


def test_update_adds_what_is_missing():
    root, target = source(), MemoryStore()
    zom.copy(root, target, select="a")
    report = zom.copy(root, target, on_conflict="update")
    assert [(node.path, node.way) for node in report.nodes if node.kind == "array"] == [
        ("/a", "keep"),
        ("/g/b", "raw"),
    ]
    assert same(root.store, target)


def test_update_refuses_an_array_of_another_layout():
    root, target = source(), MemoryStore()
    zom.create_array(target, array(chunks=(5, 5)), "a")
    with pytest.raises(zom.ConflictError, match="/a: "):
        zom.copy(root, target, on_conflict="update")


def test_replace_removes_what_was_there_but_no_foreign_file():
    root, target = source(), MemoryStore()
    old = zom.create_array(target, array(chunks=(1, 1), dtype="int8"), "a")
    old[:] = 1
    zom.create_array(target, array(), "more")
    target.set("a/readme.txt", b"1")
    zom.copy(root, target, on_conflict="replace")
    assert [path for path, _ in zom.read(target).walk()] == ["/", "/a", "/g", "/g/b"]
    assert target.get("a/readme.txt") == b"1"
    assert same(root.store, target)


def test_a_store_that_cannot_be_written_is_refused():
    with pytest.raises(zom.StoreError, match="read-only"):
        zom.copy(source(), ReadOnlyStore(MemoryStore()))


def test_a_codec_that_nobody_knows_is_no_obstacle_for_raw_chunks():
    spec = v3.ArraySpec.parse(
        {**array().to_dict(), "codecs": [*PLAIN, {"name": "https://example.org/secret"}]}, "lenient"
    )
    store = MemoryStore({"zarr.json": spec.to_json().encode(), "c/0/0": b"secret"})
    target = MemoryStore()
    zom.copy(store, target)
    assert target.get("c/0/0") == b"secret"


def test_damaged_chunks_are_an_error_where_they_are_decoded():
    root = source()
    root.store.set("a/c/1/1", b"damaged")
    target = MemoryStore()
    with pytest.raises(zom.ChunkError, match="a/c/1/1"):
        zom.copy(root, target, with_array(root, array(chunks=(4, 4))))
    with pytest.raises(zom.NotFound):
        zom.open(target)


# --- interruptions --------------------------------------------------------------------------------------


def specs_for_failures():
    root = source()
    return {"raw": None, "encoded": with_array(root, array(chunks=(4, 4)))}


@pytest.mark.slow
@pytest.mark.parametrize("how", ["raw", "encoded"])
@pytest.mark.parametrize("mishap", ["fail", "fail after"])
def test_after_a_failure_anywhere_nothing_half_made_reads_and_a_second_copy_completes_it(how, mishap):
    root, spec = source(), specs_for_failures()[how]
    zom.consolidate(root.store)
    whole = FaultyStore(MemoryStore())
    zom.copy(root, whole, spec, jobs=1)
    resumed = 0
    for number in range(len(whole.operations)):
        inner = MemoryStore()
        with suppress(zom.ZomError):
            zom.copy(root, FaultyStore(inner, {number: mishap}), spec, jobs=1)
        for path in ("", "a", "g/b"):
            try:
                node = zom.open(inner, path)
            except zom.NotFound:
                continue
            if node.spec.kind == "array":
                np.testing.assert_array_equal(node[...], zom.open_array(root.store, path)[...])
            else:
                assert same(root.store, inner)
        try:
            report = zom.copy(root, inner, spec, verify=True)
        except zom.ConflictError:
            # All is there, the mark gone: the failure came when the work was done.
            assert same(root.store, inner)
            continue
        resumed += report.resumed
        assert same(root.store, inner)
        assert ".zom.copy" not in inner.list()
        assert zom.read(inner, consolidated="only") == zom.read(inner, consolidated="ignore")
    assert resumed > 20


def test_an_array_that_a_copy_replaces_is_seen_from_the_root_wherever_the_copy_ends(tmp_path):
    """Between the old document and the new one the directory has none, only the journal."""
    root, seen = source(), []
    for number in range(400):
        with LocalStore(tmp_path / str(number)) as inner:
            zom.materialize(v3.GroupSpec(members={"old": array(shape=(3, 3))}), inner)
            failing = FaultyStore(inner, dict.fromkeys(range(number, 9999), "fail"))
            with suppress(zom.ZomError):
                zom.copy(root, failing, path="a", target_path="old", on_conflict="replace", jobs=1)
            seen.append(zom.read(inner)["old"].shape)
            if number >= len(failing.operations):
                break
    assert set(seen) == {(3, 3), (10, 7)}


class Waited(WrapperStore):
    """A store whose lock is free only when somebody else has done something."""

    def __init__(self, inner, others):
        super().__init__(inner)
        self.others = others

    def _presence(self, key):
        others, self.others = self.others, None
        if key.endswith(".zom.copy") and others is not None:
            others()
        return super()._presence(key)


@pytest.mark.slow
@pytest.mark.parametrize("path", ["", "g"])
@pytest.mark.parametrize("on_conflict", ["refuse", "replace"])
def test_a_copy_that_waits_for_a_repair_of_its_own_leavings_copies_all_chunks(tmp_path, path, on_conflict):
    """A soak lost chunks: the copy took those for copied that the repair had removed meanwhile."""
    root = source()
    ends = 0
    for number in range(400):
        with LocalStore(tmp_path / str(number)) as inner:
            zom.materialize(v3.GroupSpec(members={"g": v3.GroupSpec(attributes={"old": 1})}), inner)
            options = {"path": path, "target_path": "g/x" if on_conflict == "refuse" else "g"}
            options.update(on_conflict=on_conflict, jobs=1)
            failing = FaultyStore(inner, dict.fromkeys(range(number, 9999), "fail"))
            with suppress(zom.ZomError):
                zom.copy(root, failing, **options)
            if number >= len(failing.operations):
                break
            if not any(key.endswith(".zom.copy") for key in inner.list()):
                continue
            if any(key.endswith(".zom.journal") for key in inner.list()):
                continue
            ends += 1
            # Where all is there, and only the mark was not gone, nothing is left to copy.
            with suppress(zom.ConflictError):
                zom.copy(root, Waited(inner, lambda store=inner: zom.repair(store)), **options)
            assert same(
                PrefixStore(root.store, "g/" if path else ""),
                PrefixStore(inner, f"{options['target_path']}/"),
            )
    assert ends > 5


def test_of_two_same_copies_the_one_that_waits_is_refused(tmp_path):
    """It would write over what the other's user has changed since."""
    root = source()
    with LocalStore(tmp_path) as inner:

        def others():
            zom.copy(root, inner)
            zom.open_array(inner, "a", mode="r+")[0, 0] = -1

        with pytest.raises(zom.ConflictError, match="to copy an array there"):
            zom.copy(root, Waited(inner, others))
        assert zom.open_array(inner, "a")[0, 0] == -1


def tree_in(form, value):
    """A small tree in a store of its own."""
    module = {"v2": v2, "v3": v3, "draft": draft}[form]
    small = module.ArraySpec.build(shape=(3,), dtype="int32", chunks=(2,))
    inner = module.GroupSpec(attributes={"n": value}, members={"c": small})
    store = MemoryStore()
    tree = module.GroupSpec(attributes={}, members={"a": small, f"g{value}": inner})
    zom.materialize(tree, store, "t", data={"a": value, f"g{value}/c": value})
    return store


def seen(store):
    spec = zom.read(store, "t")
    arrays = [path for path, each in spec.walk() if each.kind == "array"]
    return spec, {path: zom.open(store, f"t{path}")[...].tolist() for path in arrays}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
@pytest.mark.parametrize("ends", [True, False])
def test_a_copy_that_replaces_keeps_the_old_tree_until_the_new_one_is_whole(form, ends):
    """A process that was killed while it copied had lost the old target at 44 of 51 points."""
    new, old = zom.open(tree_in(form, 2), "t"), tree_in(form, 1)
    old.set("t/notes.txt", b"mine")
    if form != "draft":
        zom.consolidate(old)
    start = {key: old.get(key) for key in old.list()}
    whole = MemoryStore(start)
    zom.copy(new, whole, target_path="t", on_conflict="replace", jobs=1)
    before, after = seen(old), seen(whole)
    number, states = 0, []
    while True:
        inner = MemoryStore(start)
        store = FaultyStore(inner, dict.fromkeys(range(number, 9999 if ends else number + 1), "fail"))
        with suppress(zom.ZomError):
            zom.copy(new, store, target_path="t", on_conflict="replace", jobs=1)
        if number >= len(store.operations):
            break
        states.append(seen(inner))
        assert states[-1] in (before, after), number
        planned = [each.outcome for each in zom.plan_repair(inner)]
        done = [each.outcome for each in zom.repair(inner)]
        assert [len(planned), "finish" in planned] == [len(done), "finished" in done]
        assert seen(inner) == states[-1], number
        wanted = whole if states[-1] == after else old
        assert {key: inner.get(key) for key in inner.list()} == {
            key: wanted.get(key) for key in wanted.list()
        }
        number += 1
    assert before in states
    assert after in states
    if form != "draft":
        assert zom.read(whole, consolidated="only") == zom.read(whole, consolidated="ignore")


def test_what_an_interrupted_copy_has_left_is_removed_by_a_repair():
    root = source()
    whole = FaultyStore(MemoryStore())
    zom.copy(root, whole, jobs=1)
    for number in range(len(whole.operations)):
        inner = MemoryStore({"g/notes.txt": b"mine"})
        with suppress(zom.ZomError):
            zom.copy(root, FaultyStore(inner, dict.fromkeys(range(number, 9999), "fail")), jobs=1)
        with suppress(zom.NotFound):
            assert same(root.store, zom.open(inner).store)
            continue
        zom.repair(inner)
        assert list(inner.list()) == ["g/notes.txt"], number


def test_what_waits_for_the_end_of_a_copy_is_no_node():
    root, target = source(), MemoryStore()
    zom.create_group(target, v3.GroupSpec(attributes={"title": "a"}), "t")
    whole = FaultyStore(MemoryStore({key: target.get(key) for key in target.list()}))
    zom.copy(root, whole, target_path="t", on_conflict="update", jobs=1)
    before = zom.read(target)
    for number in range(len(whole.operations)):
        inner = MemoryStore({key: target.get(key) for key in target.list()})
        with suppress(zom.ZomError):
            store = FaultyStore(inner, dict.fromkeys(range(number, 9999), "fail"))
            zom.copy(root, store, target_path="t", on_conflict="update", jobs=1)
        seen = zom.read(inner)
        assert seen in (before, zom.read(whole.inner)), number
        zom.repair(inner)
        assert zom.read(inner) == seen
        assert not [key for key in inner.list() if ".zom" in key]


def test_a_mark_that_is_none_is_refused_and_nothing_is_removed():
    for text in (b"{", b"[]", b'{"form": "zom copy 1"}', b'{"form": "zom copy 2", "source": 1}'):
        store = MemoryStore({".zom.copy": text, "c/0": b"1"})
        with pytest.raises(
            zom.StoreError, match=r"expected the mark of a copy, found .*; nothing was removed: check"
        ):
            zom.repair(store)
        assert sorted(store.list()) == [".zom.copy", "c/0"]


def test_a_copy_that_fails_says_what_to_do():
    target = FaultyStore(MemoryStore(), dict.fromkeys(range(20, 9999), "fail"))
    with pytest.raises(zom.StoreError) as caught:
        zom.copy(source(), target, jobs=1)
    assert caught.value.__notes__[-1] == (
        "repeat the same copy to finish it, or remove its remains with zom.repair (memory://: '.zom.copy')"
    )


def test_a_failing_source_leaves_nothing_that_reads():
    root = source()
    whole = FaultyStore(root.store)
    zom.copy(whole, MemoryStore(), jobs=1)
    for number in range(len(whole.operations)):
        target = MemoryStore()
        failing = FaultyStore(root.store, {number: "fail"})
        try:
            zom.copy(failing, target, jobs=1)
        except zom.ZomError:
            with pytest.raises(zom.NotFound):
                zom.open(target)
        else:
            # A document that could be read at the second try.
            assert len(failing.operations) > len(whole.operations)
            assert zom.diff(root, target) == zom.diff(root, root)


def test_the_plan_of_an_array_is_made_once_however_many_arrays_there_are(monkeypatch):
    members = {f"a{number}": array(shape=(number + 1, 7)) for number in range(40)}
    root = zom.materialize(v3.GroupSpec(members=members), MemoryStore())
    monkeypatch.setattr(compiling, "_plans", Memo(8))
    made = []
    real = compiling._compile
    monkeypatch.setattr(compiling, "_compile", lambda *args: made.append(args) or real(*args))
    zom.copy(root, MemoryStore())
    assert 40 <= len(made) <= 45  # where few are remembered, some are forgotten between two uses


def test_documents_of_many_small_arrays_are_put_aside_together_and_no_thread_is_started(monkeypatch):
    members = {f"a{number}": array(attributes={"n": number}) for number in range(300)}
    root = zom.materialize(v3.GroupSpec(members=members), MemoryStore())
    root["a7"][:] = 1
    log = LoggedStore(MemoryStore())
    monkeypatch.setattr(threading.Thread, "start", lambda _: pytest.fail("a thread was started"))
    zom.copy(root, log)
    aside = [call for call in log.log.calls if call.verb == "write" and "/.zom.new/" in f"/{call.keys[0]}"]
    monkeypatch.undo()
    assert len(aside) < 10
    assert zom.read(log) == zom.read(root.store)
    assert (zom.open(log)["a7"][:] == 1).all()


def test_a_copy_taken_up_again_writes_no_chunk_twice():
    root = source()
    whole = FaultyStore(MemoryStore())
    zom.copy(root, whole, jobs=1)
    half = next(n for n, (verb, key) in enumerate(whole.operations) if (verb, key) == ("write", "g/b/c/1"))
    inner = MemoryStore()
    with pytest.raises(zom.StoreError):
        zom.copy(root, FaultyStore(inner, {half: "fail"}), jobs=1)
    again = FaultyStore(inner)
    report = zom.copy(root, again)
    assert keys_of(again, "write", "/c/") == ["g/b/c/1"]
    assert (report.resumed, [node.way for node in report.nodes if node.path == "/a"]) == (True, ["keep"])


def test_chunks_that_are_there_are_skipped():
    root, spec = source(), specs_for_failures()["encoded"]
    whole = FaultyStore(MemoryStore())
    zom.copy(root, whole, spec, jobs=1)
    half = [n for n, (verb, key) in enumerate(whole.operations) if verb == "write" and "a/c/" in key][3]
    inner = MemoryStore()
    with pytest.raises(zom.StoreError):
        zom.copy(root, FaultyStore(inner, {half: "fail"}), spec, jobs=1)
    assert zom.copy(root, inner, spec).skipped == 3


def test_another_copy_that_is_not_done_is_a_conflict():
    root, inner = source(), MemoryStore()
    whole = FaultyStore(MemoryStore())
    zom.copy(root, whole, jobs=1)
    with pytest.raises(zom.StoreError):
        zom.copy(root, FaultyStore(inner, {whole.operations.index(("write", "a/c/1/1")): "fail"}), jobs=1)
    assert ".zom.copy" in inner.list()
    with pytest.raises(
        zom.ConflictError, match="expected no other copy to this place, found one of memory:// /"
    ):
        zom.copy(root, inner, select="a")


def test_a_copy_that_was_cut_short_is_found_by_verifying():
    root, inner = source(), MemoryStore()
    whole = FaultyStore(MemoryStore())
    zom.copy(root, whole, jobs=1)
    number, key = next(
        (n, key) for n, (verb, key) in enumerate(whole.operations) if verb == "write" and "a/c/" in key
    )
    with pytest.raises(
        zom.StoreError, match=f"expected the bytes of '{key}' in memory://, found other bytes"
    ):
        zom.copy(root, FaultyStore(inner, {number: "shorten"}), jobs=1, verify=True)


def test_verifying_refuses_a_shard_whose_index_is_damaged():
    index = {"index_codecs": PLAIN, "index_location": "end"}
    codec = {"name": "sharding_indexed", "configuration": {"chunk_shape": [2], "codecs": PLAIN, **index}}
    spec = v3.ArraySpec.build(shape=(4,), dtype="int32", chunks=(4,), codecs=[codec])
    root = zom.create_array(MemoryStore(), spec)
    root[...] = [1, 2, 3, 4]
    shard = root.store.get("c/0")
    root.store.set("c/0", shard[:16] + np.array([0, 8, 4, 8], "<u8").tobytes())
    zom.copy(root, MemoryStore())
    with pytest.raises(
        zom.ChunkError,
        match=r"cannot verify chunk 'c/0' of /: sharding_indexed: inner chunk \(0\): bytes 0 to 8 overlap bytes 4",
    ):
        zom.copy(root, MemoryStore(), verify=True)


def test_verifying_finds_other_elements():
    root = source()
    lossy = array(codecs=[{"name": "bitround", "configuration": {"keepbits": 2}}, *PLAIN])
    with pytest.raises(
        zom.StoreError, match=r"reads back with elements that differ from /a in memory://; lossy codecs"
    ):
        zom.copy(root, MemoryStore(), with_array(root, lossy), verify=True)


# --- choices --------------------------------------------------------------------------------------------


def test_a_dry_run_writes_nothing(tmp_path):
    root = source()
    report = zom.copy(root, tmp_path / "new", dry_run=True)
    assert not (tmp_path / "new").exists()
    assert (report.dry_run, report.target, report.raw) == (True, str(tmp_path / "new"), 17)
    assert "nothing written, as this is a dry run" in str(report)


def test_progress_ends_with_all_chunks():
    seen = []
    zom.copy(source(), MemoryStore(), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (21, 21)
    assert seen == sorted(seen)


def test_an_error_of_progress_ends_the_copy():
    def progress(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        zom.copy(source(), MemoryStore(), progress=progress)


def test_no_thread_is_left_behind():
    before = threading.active_count()
    zom.copy(source(), MemoryStore(), jobs=8)
    assert threading.active_count() == before


def test_from_a_directory_into_a_zip_file_and_back(tmp_path):
    root = source()
    zom.copy(root, tmp_path / "a.zarr")
    zom.copy(tmp_path / "a.zarr", tmp_path / "b.zip")
    zom.copy(tmp_path / "b.zip", tmp_path / "c.zarr", verify=True)
    with ZipStore(tmp_path / "b.zip") as store:
        assert sorted(store.list()) == sorted(root.store.list())
    assert same(root.store, LocalStore(tmp_path / "c.zarr"))


@pytest.mark.parametrize("jobs", [1, 4])
def test_far_stores_are_asked_in_batches(jobs):
    root = source()
    far, target = Far(root.store), Far(MemoryStore())
    zom.copy(far, target, with_array(root, array(chunks=(4, 4))), jobs=jobs, verify=True)
    assert same(root.store, target.inner)


def test_memory_is_bounded_by_the_choice():
    """One region of 8 MiB and three chunks of 2 MiB are in memory: as elements, encoded, in the store."""
    import tracemalloc

    spec = v3.ArraySpec.build(shape=(4000, 8192), dtype="float32", chunks=(256, 256), codecs=PLAIN)
    root = zom.create_array(MemoryStore(), spec).with_options(write_empty_chunks=False)
    root[:, :256] = 1
    root[:256] = 1
    original = copying.read_original(root.store, "/")
    wide = spec.replace(chunk_grid={"name": "regular", "configuration": {"chunk_shape": [64, 8192]}})
    target = MemoryStore()
    tracemalloc.start()
    copying.copy_hierarchy(original, target, "/", wide, copying.Choices(jobs=1, memory=8 << 20))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    written = sum(len(target.get(key)) for key in target.list())
    assert peak - written < 16 << 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("name", ["x.zarr", "x.sqlite"])
@pytest.mark.parametrize("is_killed", [False, True])
def test_a_repair_waits_for_the_copy_of_a_living_process(tmp_path, name, is_killed):
    """In SQLite files it took a copy that was under way for an interrupted one."""
    begun, go_on = os.pipe(), os.pipe()

    def pause(done, total):
        del done, total
        os.write(begun[1], b"1")
        os.read(go_on[0], 1)

    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(30)
            zom.copy(source(), tmp_path / name, jobs=1, progress=pause)
            code = 0
        finally:
            os._exit(code)
    os.read(begun[0], 1)
    repaired = []
    thread = threading.Thread(target=lambda: repaired.append(zom.repair(tmp_path / name)))
    thread.start()
    thread.join(0.3)
    assert thread.is_alive()
    if is_killed:
        os.kill(child, signal.SIGKILL)
    else:
        os.write(go_on[1], b"1" * 1000)
    status = os.waitpid(child, 0)[1]
    thread.join(20)
    assert [each.outcome for each in repaired[0]] == (["undone"] if is_killed else [])
    if is_killed:
        return
    assert status == 0
    assert zom.read(tmp_path / name) == zom.read(source().store)


def test_a_report_counts_the_arrays_that_were_kept():
    target = MemoryStore()
    zom.copy(source(), target)
    again = zom.copy(source(), target, on_conflict="update")
    kept = sum(node.way == "keep" for node in again.nodes)
    assert kept
    assert f"; {kept} kept as {'it is' if kept == 1 else 'they are'}" in str(again).splitlines()[0]
