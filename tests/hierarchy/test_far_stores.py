"""How often a store that answers late is asked: documents go in batches, and none is asked for by itself."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

import zom
from zom import v3
from zom.errors import ConflictError, StoreError
from zom.stores.memory import MemoryStore
from zom.testing.logged import LoggedStore

ARRAY = v3.ArraySpec.build(shape=(48, 181), dtype="float32", chunks=(24, 91))


class FarStore(LoggedStore):
    """As S3: many requests at once, conditional puts, no moves and no locks of other processes."""

    def __init__(self, inner):
        super().__init__(inner)
        self.capabilities = replace(
            inner.capabilities, parallel=64, move=False, rename=False, process_locks=False
        )

    def trips(self):
        """The calls so far; locks are of this process, and travel nowhere."""
        found = [(call.verb, len(call.keys)) for call in self.log.calls if call.verb != "lock"]
        self.log.calls.clear()
        return found


def tree(count, name="a"):
    return v3.GroupSpec(members={f"{name}{n:03d}": ARRAY for n in range(count)})


@pytest.fixture
def store():
    made = FarStore(MemoryStore())
    zom.materialize(tree(100), made)
    made.log.calls.clear()
    return made


def test_a_hundred_arrays_are_created_in_one_batch_between_journal_and_publication():
    store = FarStore(MemoryStore())
    zom.materialize(tree(100), store)
    assert store.trips() == [
        ("list", 1),
        ("create", 1),
        ("list", 1),
        ("write", 100),
        ("create", 1),
        ("delete", 1),
    ]


def test_small_arrays_bring_their_values_in_one_batch():
    store = FarStore(MemoryStore())
    root = zom.materialize(tree(20), store, data={f"a{n:03d}": np.full((48, 181), n) for n in range(1, 20)})
    assert [(verb, count) for verb, count in store.trips() if verb == "write"] == [
        ("write", 20),
        ("write", 76),
    ]
    assert [root[f"a{n:03d}"][47, 180] for n in (0, 1, 19)] == [0, 1, 19]


def test_arrays_that_are_not_small_write_their_own_chunks():
    store = FarStore(MemoryStore())
    large = v3.ArraySpec.build(shape=(600, 600), dtype="float64", chunks=(300, 600))
    spec = v3.GroupSpec(members={"a": large, "b": large, "c": ARRAY, "d": ARRAY})
    data = {name: np.ones(spec[name].shape) for name in spec.members}
    root = zom.materialize(spec, store, data=data)
    chunks = [call.keys for call in store.log.calls if call.verb == "write"]
    assert sorted(map(len, chunks)) == [1, 1, 1, 1, 8]
    assert all((root[name][...] == 1).all() for name in data)


def test_many_small_arrays_are_handed_over_in_several_batches(monkeypatch):
    monkeypatch.setattr("zom.hierarchy.change.values._HELD", 100_000)
    store, told = FarStore(MemoryStore()), []
    noise = np.random.default_rng(0).random((48, 181), "f4")
    data = {f"a{n:03d}": noise for n in range(20)}
    root = zom.materialize(tree(20), store, data=data, progress=lambda done, of: told.append((done, of)))
    assert [call.verb for call in store.log.calls].count("write") in range(4, 12)
    assert told[-1] == (41, 41)
    assert all(np.array_equal(root[path][...], noise) for path in data)


def test_a_chunk_that_cant_be_written_names_its_array_and_nothing_is_left():
    class Full(FarStore):
        def _write_many(self, items):
            if any(key == "a007/c/0/0" for key, _ in items):
                raise StoreError(self.url, "a007/c/0/0", "write", "no space")
            super()._write_many(items)

    store = Full(MemoryStore())
    data = {f"a{n:03d}": np.ones((48, 181)) for n in range(20)}
    with pytest.raises(StoreError, match="memory://: cannot write 'a007/c/0/0' of /a007: no space"):
        zom.materialize(tree(20), store, data=data)
    assert list(store.list()) == []


def test_documents_above_and_keys_below_are_looked_for_at_once(store):
    both = threading.Barrier(2, timeout=10)  # broken, unless two calls wait at once

    class Waiting(FarStore):
        def _read_many(self, requests):
            both.wait()
            return super()._read_many(requests)

        def _keys(self, prefix):
            both.wait()
            return super()._keys(prefix)

    assert zom.plan(v3.GroupSpec(), Waiting(store.inner), "g").counts == {"create": 1}


def test_a_few_new_arrays_are_created_in_one_conditional_batch(store):
    more = tree(100).replace(members={**tree(100).members, **tree(5, "b").members})
    zom.materialize(more, store)
    calls = store.trips()
    assert [count for verb, count in calls if verb == "create"] == [1, 4, 1]
    assert len(calls) <= 8


def test_of_a_few_arrays_made_meanwhile_none_is_overwritten(store):
    more = tree(100).replace(members={**tree(100).members, **tree(5, "b").members})

    class Rival(FarStore):
        def _create_many(self, items):
            self.inner.set("b002/zarr.json", b"theirs")
            return super()._create_many(items)

    with pytest.raises(ConflictError, match=r"b002/zarr\.json.*as it was when the plan was made"):
        zom.materialize(more, Rival(store.inner))
    assert store.get("b002/zarr.json") == b"theirs"
    assert [key for key in store.list() if key.startswith("b")] == ["b002/zarr.json"]


def test_a_plan_that_changes_nothing_takes_two_round_trips(store):
    zom.materialize(tree(100), store)
    assert store.trips() == [("list", 1), ("read", 101)]


def test_attributes_of_a_hundred_arrays_are_written_in_one_batch(store):
    changed = v3.GroupSpec(members={name: ARRAY.replace(attributes={"n": 1}) for name in tree(100).members})
    zom.materialize(changed, store, on_conflict="update")
    calls = store.trips()
    assert [count for verb, count in calls if verb == "write"] == [100]
    assert len(calls) <= 9


def test_members_are_found_by_one_listing_and_one_batch_of_reads(store):
    root = zom.open_group(store)
    assert len(store.trips()) == 1
    assert [member.shape for member in root.values()] == [(48, 181)] * 100
    assert [verb for verb, _ in store.trips()] == ["read", "list", "read"]


def test_members_are_told_by_kind_without_a_request_for_each(store):
    root = zom.open_group(store, mode="r+")
    root.create_group("g")
    for ask, count in [(root.arrays, 100), (root.groups, 1), (root.members, 101)]:
        store.trips()
        assert len(ask()) == count
        assert [verb for verb, _ in store.trips()] == ["read", "list", "read"]


def test_an_array_and_its_values_are_created_in_few_round_trips(store):
    root = zom.open_group(store, mode="r+")
    store.trips()
    root.create_array("empty", shape=(4,), dtype="int8")
    assert [verb for verb, _ in store.trips()] == ["read", "read", "list", "create", "read"]
    root["values"] = list(range(100))
    assert len(store.trips()) <= 14


def test_the_names_of_a_group_are_listed_once(store):
    root = zom.open_group(store)
    for take in (list, sorted, tuple, lambda group: [*group], len):
        store.log.calls.clear()
        assert take(root) in ([*tree(100).members], tuple(tree(100).members), 100)
        assert [verb for verb, _ in store.trips()] == ["read", "list", "read"]


def test_a_group_is_counted_anew_once_its_names_are_taken(store):
    root = zom.open_group(store)
    names = iter(root)
    assert len(root) == 100
    next(names)
    zom.delete(store, "a007")
    assert len(root) == 99
    assert len([*names]) == 99  # as it was when it was listed


def test_a_tree_of_a_hundred_arrays_is_read_in_three_round_trips(store):
    assert zom.read(store) == tree(100)
    assert [verb for verb, _ in store.trips()] == ["read", "list", "read"]


def test_one_array_is_created_in_few_round_trips(store):
    zom.create_array(store, ARRAY, "new")
    assert [verb for verb, _ in store.trips()] == ["read", "read", "list", "create", "read"]


def test_deep_groups_are_created_in_one_batch(store):
    zom.create_array(store, ARRAY, "x/y/z/new")
    assert [count for verb, count in store.trips() if verb == "create"] == [1, 3, 1]
