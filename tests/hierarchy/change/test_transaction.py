"""Transactional stores: all verbs work without journals and marks, and a failure is taken back."""

from __future__ import annotations

import numpy as np
import pytest
from session_store import SessionStore

import zom
from zom import v2, v3
from zom.errors import ConflictError, ReadOnlyError, StoreError
from zom.hierarchy.change.transaction import UNDONE
from zom.stores.memory import MemoryStore
from zom.stores.wrap import PrefixStore, ReadOnlyStore
from zom.testing.faulty import FaultyStore


def array_of(shape=(10,), chunks=(4,), **changes):
    return v3.ArraySpec.build(shape=shape, dtype="int8", chunks=chunks, **changes)


def tree_of(n=1):
    return v3.GroupSpec(
        attributes={"n": n},
        members={"a": array_of(), "g": v3.GroupSpec(members={"b": array_of((4, 6), (2, 4))})},
    )


def filled():
    store = SessionStore()
    root = zom.materialize(tree_of(), store)
    root["a"][:] = np.arange(10)
    root["g/b"][:] = np.arange(24).reshape(4, 6)
    return store


def held(store):
    return {key: store.get(key) for key in store.list()}


def test_a_tree_is_made_without_journals():
    store = SessionStore()
    zom.materialize(tree_of(), store)
    assert zom.read(store) == tree_of()
    assert sorted(store.writes) == ["a/zarr.json", "g/b/zarr.json", "g/zarr.json", "zarr.json"]
    assert zom.plan(tree_of(), store).is_empty


def test_values_come_along_with_a_new_array():
    store = SessionStore()
    array = zom.materialize(array_of(), store, "a", data={"": np.arange(10)})
    assert array[:].tolist() == list(range(10))


def test_groups_above_a_new_array_are_made():
    store = SessionStore()
    zom.create_array(store, array_of(), "x/y/a")
    assert sorted(store.list()) == ["x/y/a/zarr.json", "x/y/zarr.json", "x/zarr.json", "zarr.json"]


def test_an_array_is_appended_to_and_resized():
    store = filled()
    array = zom.open_array(store, "a", mode="r+")
    assert array.append(np.arange(9)) == (19,)
    assert zom.open_array(store, "a")[:].tolist() == [*range(10), *range(9)]
    array.resize((3,))
    array.resize((12,))
    assert array[:].tolist() == [0, 1, 2, *[0] * 9]


@pytest.mark.parametrize("shape", [(2, 9), (9, 2), (1, 1), (9, 9), (4, 5), (0, 7)])
@pytest.mark.parametrize("by_plan", [True, False])
def test_any_resize_keeps_what_is_in_both_shapes(shape, by_plan):
    store, plain = filled(), MemoryStore()
    zom.copy(store, plain)
    # What a writer without care left beyond the end shows nowhere.
    expected = np.zeros(shape, "i1")
    both = tuple(map(min, shape, (4, 6)))
    expected[: both[0], : both[1]] = np.arange(24).reshape(4, 6)[: both[0], : both[1]]
    for each in (store, plain):
        array = zom.open_array(each, "g/b", mode="r+")
        if by_plan:
            array.plan_resize(shape).apply()
        else:
            array.resize(shape)
        assert np.array_equal(zom.open_array(each, "g/b")[:], expected)
    assert held(store) == held(plain)


def test_what_lies_beyond_the_end_never_comes_back():
    store = filled()
    document = store.get("a/zarr.json")
    store.set("a/zarr.json", document.replace(b"10", b"4"))  # as zarr-python's resize leaves it
    array = zom.open_array(store, "a", mode="r+")
    array.resize((10,))
    assert array[:].tolist() == [0, 1, 2, 3, *[0] * 6]


def test_a_node_moves_with_all_that_lies_below_it():
    store = filled()
    zom.rename(store, "g", "h")
    assert zom.open_array(store, "h/b")[:].tolist() == np.arange(24).reshape(4, 6).tolist()
    assert not [key for key in store.list() if key.startswith("g")]


def test_a_node_is_deleted_with_its_chunks():
    store = filled()
    zom.delete(store, "g")
    assert sorted(store.list()) == ["a/c/0", "a/c/1", "a/c/2", "a/zarr.json", "zarr.json"]


KINDS = {
    "array": lambda: array_of((3,), (2,)),
    "group": lambda: v3.GroupSpec(attributes={"new": 1}, members={}),
    "tree": tree_of,
}


@pytest.mark.parametrize(("old", "new"), [("a", kind) for kind in KINDS] + [("g", kind) for kind in KINDS])
def test_a_node_is_replaced_by_one_of_any_kind(old, new):
    store, spec = filled(), KINDS[new]()
    zom.materialize(spec, store, old, on_conflict="replace", prune=True)
    assert zom.read(store, old) == spec
    assert not [key for key in store.list() if key.startswith(f"{old}/") and "/c/" in key]


def test_an_empty_group_is_replaced_by_an_array():
    store = SessionStore()
    zom.create_group(store, v3.GroupSpec(), "g")
    zom.materialize(array_of(), store, "g", on_conflict="replace")
    assert zom.open_array(store, "g").shape == (10,)


def test_attributes_and_consolidated_metadata_change_together():
    store = filled()
    zom.consolidate(store)
    zom.open_array(store, "a", mode="r+").attrs["n"] = 5
    assert zom.read(store, consolidated="only")["a"].attributes == {"n": 5}
    zom.create_array(store, array_of(), "new")
    assert zom.read(store, consolidated="only")["new"] == array_of()


def test_a_hierarchy_is_copied_into_and_out_of_it():
    store, out = SessionStore(), MemoryStore()
    zom.copy(filled(), store, target_path="inner")
    zom.copy(store, out, path="inner", verify=True)
    assert held(out) == held(filled())


def test_a_copy_takes_the_place_of_what_was_there():
    store = filled()
    zom.open_array(store, "a", mode="r+")[:] = 9
    other = v3.GroupSpec(members={"a": array_of((5,), (5,))})
    source = MemoryStore()
    zom.materialize(other, source, data={"a": np.arange(5)})
    zom.copy(source, store, on_conflict="replace")
    assert zom.read(store) == other
    assert zom.open_array(store, "a")[:].tolist() == [0, 1, 2, 3, 4]


def test_a_copy_adds_what_is_missing():
    store = filled()
    zom.delete(store, "g/b")
    zom.copy(filled(), store, on_conflict="update")
    assert held(store) == held(filled())


def test_other_formats_are_refused_before_anything_is_written():
    store = SessionStore()
    for make in (
        lambda: zom.materialize(v2.ArraySpec.build(shape=(4,), dtype="int8"), store, "a"),
        lambda: zom.create_array(store, v2.ArraySpec.build(shape=(4,), dtype="int8")),
    ):
        with pytest.raises(ConflictError, match=r"expected a key of Zarr v3, found another at '.*\.z"):
            make()
    dotted = array_of().replace(chunk_key_encoding={"name": "default", "configuration": {"separator": "."}})
    for make in (
        lambda: zom.materialize(v3.GroupSpec(members={"a": dotted}), store),
        lambda: zom.create_array(store, dotted, "a"),
    ):
        with pytest.raises(ConflictError, match=r"expected a key of Zarr v3, found another at 'a/c\.0'"):
            make()
    assert held(store) == {}


def test_a_read_only_session_is_an_error_before_anything_is_written():
    store = ReadOnlyStore(SessionStore())
    for make in (
        lambda: zom.materialize(tree_of(), store),
        lambda: zom.create_array(store, array_of(), "a"),
        lambda: zom.copy(filled(), store),
    ):
        with pytest.raises(ReadOnlyError, match="the store is read-only"):
            make()


def test_a_part_of_it_is_changed_alike():
    whole = SessionStore()
    part = PrefixStore(whole, "x/")
    zom.materialize(tree_of(), part)
    zom.open_array(part, "a", mode="r+").append(np.arange(3))
    assert zom.read(whole, "x")["a"].shape == (13,)


CHANGES = {
    "materialize": lambda store: zom.materialize(tree_of(), store, "new"),
    "values": lambda store: zom.materialize(array_of(), store, "new", data={"": np.arange(10)}),
    "create": lambda store: zom.create_array(store, array_of(), "x/y/z"),
    "append": lambda store: zom.open_array(store, "a", mode="r+").append(np.arange(30)),
    "grow": lambda store: zom.open_array(store, "a", mode="r+").resize((30,)),
    "copy": lambda store: zom.copy(filled(), store, target_path="copied", jobs=1),
    "consolidate": zom.consolidate,
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_that_adds_leaves_nothing_where_it_fails(change):
    counting = FaultyStore(filled())
    CHANGES[change](counting)
    failed = 0
    for number in range(len(counting.operations)):
        store = filled()
        before = held(store)
        try:
            CHANGES[change](FaultyStore(store, {number: "fail"}))
        except StoreError:
            assert held(store) == before
            failed += 1
    assert failed > len(counting.operations) / 2


def test_what_can_not_be_taken_back_is_said():
    counting = FaultyStore(filled())
    zom.rename(counting, "g", "h")
    first = next(n for n, (verb, _) in enumerate(counting.operations) if verb == "write")
    store = filled()
    with pytest.raises(StoreError) as caught:
        zom.rename(FaultyStore(store, {first: "fail"}), "g", "h")
    assert UNDONE in getattr(caught.value, "__notes__", [])
    assert zom.open_array(store, "g/b")[:].tolist() == np.arange(24).reshape(4, 6).tolist()
