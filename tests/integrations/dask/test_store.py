"""Dask arrays written into arrays of a hierarchy."""

from __future__ import annotations

import importlib
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zom
from zom import draft, v2, v3
from zom.errors import ConcurrentWriteError, ConflictError, ExtensionError, ReadOnlyError, StoreError
from zom.stores.interface import Capabilities
from zom.stores.memory import MemoryStore

da = pytest.importorskip("dask.array", reason="dask is not installed (pip install 'zom[dask]')")
dask = pytest.importorskip("dask", reason="dask is not installed (pip install 'zom[dask]')")

from dask.delayed import Delayed  # noqa: E402

from zom.integrations.dask.tasks import writing  # noqa: E402

VALUES = np.arange(20 * 12, dtype="i4").reshape(20, 12)


class WritingStore(MemoryStore):
    """A store that notes each key that is written."""

    def __init__(self):
        super().__init__()
        self.written = []

    def _write(self, key, value):
        self.written.append(key)
        super()._write(key, value)

    def _write_many(self, items):
        for key, value in items:
            self._write(key, value)


def lazy(chunks=(4, 6)):
    return da.from_array(VALUES, chunks=chunks)


def group_in(place="memory:", classes=v3, **facts):
    return zom.create_group(place, classes.GroupSpec(**facts))


def array_in(place="memory:", **facts):
    spec = v3.ArraySpec.build(**{"shape": (20, 12), "dtype": "int32", "chunks": (4, 6), **facts})
    return zom.create_array(place, spec)


# --- what is written -----------------------------------------------------------------------------------


@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
@pytest.mark.parametrize("classes", [v2, v3, draft])
def test_missing_arrays_are_created_with_the_chunks_of_the_data(classes, scheduler):
    group = group_in(classes=classes, attributes={"title": "t"})
    data = {"a": lazy(), "b/c": lazy((7, 12)).astype("f8") / 2, "n": da.from_array(np.array(3))}
    names = {"a": ("x", None)} if classes is v3 else None
    found = zom.dask.store(data, group, dimension_names=names, scheduler=scheduler)
    assert list(found) == ["a", "b/c", "n"]
    np.testing.assert_array_equal(found["a"], VALUES, strict=True)
    np.testing.assert_array_equal(found["b/c"], VALUES / 2, strict=True)
    np.testing.assert_array_equal(found["n"], 3)
    assert (found["a"].chunks, found["b/c"].chunks, found["n"].chunks) == ((4, 6), (7, 12), ())
    if classes is v3:
        assert found["a"].dimension_names == ("x", None)
    assert type(zom.open(group.store, "b").spec) is classes.GroupSpec
    assert zom.open(group.store).attrs["title"] == "t"
    assert zom.validate(group, conventions=(), data="all").problems == ()


def test_missing_arrays_are_created_in_one_change(monkeypatch):
    from zom.integrations.dask import new_arrays

    made = []
    plan = new_arrays.plan
    monkeypatch.setattr(new_arrays, "plan", lambda *a, **k: made.append(a) or plan(*a, **k))
    zom.dask.store({f"a{n}": lazy() for n in range(20)}, group_in())
    assert len(made) == 1


def test_arrays_that_are_there_are_written_beside_new_ones():
    group = group_in()
    old = group.create(
        "old", v3.ArraySpec.build(shape=(20, 12), dtype="int32", chunks=(2, 3), attributes={"n": 1})
    )
    zom.dask.store({"old": lazy(), "new": lazy() + 1}, group)
    np.testing.assert_array_equal(old, VALUES)
    np.testing.assert_array_equal(group["new"], VALUES + 1)
    assert old.attrs["n"] == 1


@pytest.mark.parametrize("shards", [None, (8, 12)])
def test_a_region_is_written_and_nothing_else(shards):
    array = array_in(shards=shards)
    array[...] = -1
    region = (slice(8, None), slice(None))
    assert zom.dask.store(lazy((8, 12))[8:], array, regions=region) is array
    np.testing.assert_array_equal(array[8:], VALUES[8:])
    assert (array[:8] == -1).all()


def test_regions_of_several_arrays_are_given_by_path():
    group = group_in()
    zom.dask.store({"a": lazy(), "b": lazy()}, group)
    zom.dask.store({"a": -lazy()[4:8], "b": -lazy()}, group, regions={"a": (slice(4, 8), slice(None))})
    np.testing.assert_array_equal(group["a"][4:8], -VALUES[4:8])
    np.testing.assert_array_equal(group["a"][8:], VALUES[8:])
    np.testing.assert_array_equal(group["b"], -VALUES)


def test_each_chunk_is_written_once():
    store = WritingStore()
    array = array_in(store)
    store.written.clear()
    zom.dask.store(lazy((8, 6)), array)
    assert sorted(store.written) == sorted(f"c/{i}/{j}" for i in range(5) for j in range(2))


def test_a_delayed_writes_when_it_is_computed():
    group = group_in()
    later = zom.dask.store({"a": lazy(), "b": lazy() + 1}, group, compute=False)
    assert (group["a"][...] == 0).all()
    assert dask.compute(later) == (None,)
    np.testing.assert_array_equal(group["a"], VALUES)
    np.testing.assert_array_equal(group["b"], VALUES + 1)


def test_a_delayed_makes_its_graph_once_when_it_is_asked_for(tmp_path, monkeypatch):
    made = []
    module = importlib.import_module("zom.integrations.dask.store")
    monkeypatch.setattr(module, "writing", lambda task: made.append(task) or writing(task))
    array = array_in(tmp_path / "a.zarr")
    later = zom.dask.store(lazy(), array, compute=False)
    assert not made
    again = pickle.loads(pickle.dumps(later))
    assert (len(made), again.key, isinstance(later, Delayed)) == (1, later.key, True)
    later.persist(scheduler="synchronous").compute(scheduler="synchronous")
    np.testing.assert_array_equal(array, VALUES)
    assert len(made) == 1
    assert dask.delayed(lambda done: done is None)(later).compute(scheduler="synchronous")


def test_what_two_arrays_are_made_of_is_computed_once():
    seen = []
    source = lazy().map_blocks(
        lambda block: seen.append(1) or block, meta=np.empty((0, 0), "i4"), name="source"
    )
    zom.dask.store({"a": source + 1, "b": source + 2}, group_in(), scheduler="synchronous")
    assert len(seen) == 10


def test_what_is_written_again_is_computed_again():
    array = array_in()
    for sign in (1, -1, 1):
        zom.dask.store(lazy() * sign, array)
        np.testing.assert_array_equal(array, VALUES * sign)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (1,)])
def test_any_shape_goes(shape):
    found = zom.dask.store({"a": da.ones(shape)}, group_in())["a"]
    np.testing.assert_array_equal(found, np.ones(shape), strict=True)


# --- alignment -----------------------------------------------------------------------------------------


def test_data_that_shares_chunks_is_refused_before_anything_is_written():
    group = group_in(store := WritingStore())
    group.create(
        "a", v3.ArraySpec.build(shape=(20, 12), dtype="int32", chunks=(4, 6), dimension_names=("t", "x"))
    )
    store.written.clear()
    with pytest.raises(ConflictError) as caught:
        zom.dask.store({"new": lazy(), "a": lazy((5, 12))}, group)
    text = str(caught.value)
    assert "/a: expected chunks of data that share no chunk of the array" in text
    assert "data chunk 0 along t, which writes [0:5] and shares chunk 1 ([4:8]) with data chunk 1" in text
    assert "legal regions around it are [0:4] and [0:8]; rechunk the dask array, or pass rechunk=True" in text
    assert store.written == []
    assert list(group) == ["a"]


def test_a_shard_is_what_tasks_must_not_share():
    array = array_in(shards=(8, 12))
    with pytest.raises(ConflictError, match=r"shares chunk 0 \(\[0:8\]\)"):
        zom.dask.store(lazy((4, 12)), array)
    zom.dask.store(lazy((16, 12)), array)
    np.testing.assert_array_equal(array, VALUES)


def test_a_region_that_cuts_chunks_is_refused():
    array = array_in()
    with pytest.raises(
        ConflictError, match=r"\[2:14\] along 0, which covers chunk 0 .*\[4:12\] and \[0:16\]; choose a"
    ):
        zom.dask.store(lazy((12, 12))[2:14].rechunk(-1), array, regions=(slice(2, 14), slice(None)))
    assert list(array.store.list()) == ["zarr.json"]


def test_irregular_chunks_make_no_new_array():
    with pytest.raises(
        ConflictError, match=r"expected chunks of one length along 0, .* found 5, 7, 8; rechunk"
    ):
        zom.dask.store({"a": lazy(((5, 7, 8), (12,)))}, group := group_in())
    assert list(group) == []


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_rechunked_data_is_written_whatever_its_chunks(data):
    def cuts(length):
        ends = [*sorted(data.draw(st.sets(st.integers(1, length - 1), max_size=4))), length]
        return tuple(b - a for a, b in zip([0, *ends], ends, strict=False))

    source = lazy((cuts(20), cuts(12)))
    shards = data.draw(st.sampled_from([None, (8, 12), (4, 6)]))
    group = group_in()
    array = group.create(
        "a", v3.ArraySpec.build(shape=(20, 12), dtype="int32", chunks=(4, 6), shards=shards, fill_value=-1)
    )
    found = zom.dask.store({"a": source, "new": source}, group, rechunk=True, scheduler="synchronous")
    np.testing.assert_array_equal(array, VALUES)
    np.testing.assert_array_equal(found["new"], VALUES)


# --- what is refused -----------------------------------------------------------------------------------


def test_a_group_that_is_open_for_reading_is_refused():
    group = zom.open_group(group_in().store)
    with pytest.raises(ReadOnlyError, match='open it with mode="r\\+"'):
        zom.dask.store({"a": lazy()}, group)


def test_an_array_that_is_open_for_reading_is_refused():
    with pytest.raises(ReadOnlyError, match='open it with mode="r\\+"'):
        zom.dask.store(lazy(), zom.open_array(array_in().store))


def test_an_array_that_others_have_cut_is_refused():
    array = array_in()
    zom.open_array(array.store, mode="r+").resize((4, 12))
    with pytest.raises(ConcurrentWriteError, match="the array has changed since it was opened"):
        zom.dask.store(lazy(), array)


@pytest.mark.parametrize("compute", [True, False])
def test_a_store_in_memory_is_not_sent_to_other_processes(compute):
    group = group_in(store := WritingStore())
    store.written.clear()
    with pytest.raises(
        StoreError, match="memory://: cannot pickle: a store in memory belongs to its process"
    ):
        zom.dask.store({"a": lazy()}, group, scheduler="processes", compute=compute)
    assert store.written == []


class Forked(MemoryStore):
    """As the fork of an icechunk session: a pickle takes what is in it along, and nobody gets back what changes."""

    capabilities = Capabilities(transactional=True)

    def __reduce__(self):
        return (Forked, ({key: self.get(key) for key in self.list()},))


def test_a_session_is_no_target_since_what_others_write_there_is_lost():
    group = group_in(Forked())
    with pytest.raises(StoreError, match="writes of other processes go to copies of it and are lost"):
        zom.dask.store({"a": lazy()}, group, scheduler="processes")
    assert list(group) == []
    zom.dask.store({"a": lazy()}, group, scheduler="threads")
    np.testing.assert_array_equal(group["a"], VALUES)


class Merging(Forked):
    """The same, which takes over what was written into its copies, as they hold it, and knows what it has written."""

    capabilities = Capabilities(transactional=True, merges=True)
    uncommitted: Any = {}  # noqa: RUF012 - as the property

    def __reduce__(self):
        return (Merging, ({key: self.get(key) for key in self.list()},))

    def absorb(self, other):
        self.set_many({key: other.get(key) for key in other.list()})


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", ["processes", "threads"])
def test_what_tasks_write_into_copies_of_a_fork_is_merged(scheduler):
    group = group_in(Merging())
    data = {"a": lazy(), "n": da.from_array(np.array(3)), "e": da.ones((0, 3))}
    zom.dask.store(data, group, scheduler=scheduler)
    np.testing.assert_array_equal(group["a"], VALUES)
    assert group["n"][()] == 3


def test_a_fork_is_not_left_to_a_delayed_that_nobody_merges():
    group = group_in(Merging())
    message = "memory://: cannot share: writes of tasks into a fork are merged when the tasks are done; pass compute=True"
    with pytest.raises(StoreError, match=message):
        zom.dask.store({"a": lazy()}, group, compute=False)
    assert list(group) == []


def test_chunks_that_copies_of_a_fork_hold_already_are_not_written_again():
    store = Merging()
    array = group_in(store).create("a", v3.ArraySpec.build(shape=(20, 12), dtype="int32", chunks=(4, 6)))
    store.uncommitted = {"/a": [[3, 1]], "/ab": [[0, 0]]}
    message = (
        r"memory://: cannot share: chunk \(3, 1\) of /a was written since the last commit, and might not be merged; "
        "merge this fork, commit, and write into a new one"
    )
    with pytest.raises(StoreError, match=message):
        zom.dask.store(lazy(), array)
    zom.dask.store(lazy()[:12], array, regions=(slice(0, 12), slice(None)))
    np.testing.assert_array_equal(array[:12], VALUES[:12])


def test_a_group_in_the_place_of_an_array_is_refused():
    group = group_in()
    group.create("a", v3.GroupSpec())
    with pytest.raises(TypeError, match="memory:// /a: expected an array or nothing, found a group"):
        zom.dask.store({"a": lazy()}, group)


def test_a_place_below_an_array_is_refused():
    group = group_in()
    group.create("a", v3.ArraySpec.build(shape=(1,), dtype="int8"))
    with pytest.raises(ConflictError, match="/a"):
        zom.dask.store({"a/b": lazy()}, group)


@pytest.mark.parametrize(
    ("arguments", "choices", "error", "text"),
    [
        (lambda a, g: (VALUES, a), {}, TypeError, "/: expected a dask array, got ndarray"),
        (
            lambda a, g: (lazy(), g),
            {},
            TypeError,
            "expected a dask array and an Array, or a mapping .* and a Group",
        ),
        (lambda a, g: ({"x": lazy()}, a), {}, TypeError, "got dict and Array"),
        (
            lambda a, g: (lazy()[:4], a),
            {},
            ValueError,
            r"expected data of the shape \(20, 12\), got \(4, 12\); pass",
        ),
        (lambda a, g: (lazy()[0], a), {}, ValueError, r"got \(12,\); reshape it"),
        (lambda a, g: (lazy()[lazy()[:, 0] > 3], a), {}, ValueError, "call compute_chunk_sizes"),
        (lambda a, g: (lazy(), a), {"regions": (slice(None),)}, ValueError, "expected 2 slices, got 1"),
        (lambda a, g: (lazy(), a), {"regions": (0, slice(None))}, TypeError, "expected a tuple of slices"),
        (
            lambda a, g: (lazy(), a),
            {"regions": (slice(None, None, 2),) * 2},
            ValueError,
            "slices with step 1",
        ),
        (
            lambda a, g: (lazy(), a),
            {"dimension_names": {"a": "x"}},
            TypeError,
            "an existing array keeps",
        ),
        (lambda a, g: ({"x": lazy(), "/x": lazy()}, g), {}, ValueError, "expected one dask array for a path"),
        (lambda a, g: ({"x": lazy()}, g), {"regions": {"y": ()}}, ValueError, "no data is given for 'y'"),
        (lambda a, g: ({"x": lazy()}, g), {"regions": {"x": ()}}, ValueError, "there is no array at 'x' yet"),
        (
            lambda a, g: ({"x": lazy()}, g),
            {"dimension_names": {"y": ()}},
            ValueError,
            "'y' is not a new array",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, choices, error, text):
    array, group = array_in(), group_in()
    with pytest.raises(error, match=text):
        zom.dask.store(*arguments(array, group), **choices)
    assert list(array.store.list()) == ["zarr.json"]
    assert list(group) == []


def test_dask_that_is_not_installed_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "dask.array", None)
    with pytest.raises(ExtensionError, match=r"dask is not installed; pip install 'zom\[dask\]'"):
        zom.dask.store(lazy, array_in())
