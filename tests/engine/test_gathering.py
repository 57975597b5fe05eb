"""Parts of shards of stores that answer late: two round trips, whatever is selected, and checked as ever."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zom
from zom import v3
from zom.engine import gathering
from zom.errors import ChunkError, MissingChunk, StoreError
from zom.stores.memory import MemoryStore
from zom.stores.wrap import WrapperStore

SHAPE = (90, 110)


class LateStore(WrapperStore):
    """Says that it answers many requests at once, and notes each batch."""

    def __init__(self, inner, parallel=64):
        super().__init__(inner)
        self.capabilities = replace(inner.capabilities, parallel=parallel)
        self.batches = []

    def _read(self, key, byte_range):
        self.batches.append([(key, byte_range)])
        return super()._read(key, byte_range)

    def _read_many(self, requests):
        self.batches.append(list(requests))
        return super()._read_many(requests)


@pytest.fixture(autouse=True)
def _small_shards_are_read_in_parts(monkeypatch):
    monkeypatch.setattr("zom.engine.reading.READ_WHOLE", 0)


def made(store=None, *, fill=True, **facts):
    spec = v3.ArraySpec.build(
        shape=SHAPE, dtype="int16", shards=(40, 40), chunks=(8, 10), compress="zstd", fill_value=-1, **facts
    )
    array = zom.create_array(MemoryStore() if store is None else store, spec, "a")
    if fill:
        array[:] = VALUES
    return array


VALUES = np.arange(SHAPE[0] * SHAPE[1], dtype="i2").reshape(SHAPE)


def late(array, parallel=64):
    found = zom.open_array(LateStore(array.store, parallel), "a").with_options(threads=1)
    found.store.batches.clear()
    return found


def test_parts_of_many_shards_take_two_round_trips():
    array = late(made())
    assert np.array_equal(array[30:50, 5:105], VALUES[30:50, 5:105])
    indexes, parts = array.store.batches
    assert len(indexes) == 6
    assert {key for key, _ in parts} == {key for key, _ in indexes}


def test_inner_chunks_that_lie_together_are_one_request():
    array = late(made())
    assert np.array_equal(array[0:16, 0:40], VALUES[0:16, 0:40])
    assert [len(batch) for batch in array.store.batches] == [1, 1]


def test_inner_chunks_far_from_each_other_are_not(monkeypatch):
    monkeypatch.setattr(gathering, "_GAP", 0)
    array = late(made())
    assert np.array_equal(array[:, 5:6], VALUES[:, 5:6])
    assert [len(batch) for batch in array.store.batches] == [3, 12]


def test_small_shards_are_read_whole_in_one_round_trip(monkeypatch):
    monkeypatch.setattr("zom.engine.reading.READ_WHOLE", 1 << 19)
    array = late(made())
    assert np.array_equal(array[30:50, 5:105], VALUES[30:50, 5:105])
    (batch,) = array.store.batches
    assert {byte_range for _, byte_range in batch} == {None}


def test_more_than_the_store_answers_at_once_is_asked_for_in_batches():
    array = late(made(), parallel=2)
    assert np.array_equal(array[30:50, 5:105], VALUES[30:50, 5:105])
    assert max(len({key for key, _ in batch}) for batch in array.store.batches) == 2


def test_what_fills_the_memory_of_a_batch_is_read_before_more_is_asked_for(monkeypatch):
    monkeypatch.setattr(gathering, "_BATCH", 300)
    array = late(made())
    assert np.array_equal(array[30:50, 5:105], VALUES[30:50, 5:105])
    assert len(array.store.batches) > 4


KEYS = st.tuples(
    *(
        st.one_of(
            st.tuples(st.integers(0, n), st.integers(0, n), st.integers(1, 5)).map(
                lambda bounds: slice(min(bounds[:2]), max(bounds[:2]), bounds[2])
            ),
            st.integers(0, n - 1),
            st.lists(st.integers(0, n - 1), min_size=1, max_size=4),
        )
        for n in SHAPE
    )
)


@settings(max_examples=60, deadline=None)
@given(KEYS)
def test_any_selection_is_what_numpy_gives(key):
    array = late(made())
    expected = VALUES[key[0]] if isinstance(key[0], int) else VALUES[key[0], :]
    assert np.array_equal(array.oindex[key], expected[..., key[1]])


def test_points_are_gathered():
    array = late(made())
    rows, columns = [1, 80, 41, 3], [100, 2, 60, 3]
    assert array.vindex[rows, columns].tolist() == VALUES[rows, columns].tolist()


@pytest.mark.parametrize("location", ["start", "end"])
def test_an_index_at_either_end_is_found(location):
    spec = made(fill=False).spec
    codec = spec.document["codecs"][0]
    changed = {**codec, "configuration": {**codec["configuration"], "index_location": location}}
    array = zom.create_array(MemoryStore(), spec.replace(codecs=[changed]), "a")
    array[:] = VALUES
    assert np.array_equal(late(array)[30:50, 5:105], VALUES[30:50, 5:105])


@pytest.mark.parametrize("longest", [1 << 22, 0])
def test_shards_inside_of_shards_are_read(monkeypatch, longest):
    monkeypatch.setattr("zom.engine.reading.LONGEST_INNER", longest)
    spec = made(fill=False).spec
    outer = spec.document["codecs"][0]
    within = {"name": "sharding_indexed", "configuration": {**outer["configuration"], "chunk_shape": [4, 5]}}
    changed = {
        "name": "sharding_indexed",
        "configuration": {**outer["configuration"], "chunk_shape": [20, 20], "codecs": [within]},
    }
    array = zom.create_array(MemoryStore(), spec.replace(codecs=[changed]), "a")
    array[:] = VALUES
    found = late(array)
    assert np.array_equal(found[30:50, 5:105], VALUES[30:50, 5:105])
    assert (len(found.store.batches) == 2) == (longest > 0)


def test_missing_shards_and_missing_inner_chunks_are_fill():
    array = made(fill=False)
    array[0:3, 0:3] = 7
    found = late(array)[0:60, 0:60]
    assert found[:3, :3].tolist() == [[7] * 3] * 3
    assert (found == -1).sum() == 3600 - 9


def test_a_missing_shard_is_an_error_where_that_is_asked_for():
    array = late(made(fill=False)).with_options(missing="error")
    with pytest.raises(MissingChunk, match="cannot read chunk 'a/c/0/0'"):
        array[0:30, 0:30]


def test_a_damaged_index_names_its_shard():
    array = made()
    value = array.store.get("a/c/1/0")
    array.store.set("a/c/1/0", value[:-3] + b"abc")
    with pytest.raises(ChunkError, match=r"cannot decode chunk 'a/c/1/0'.*index"):
        late(array)[30:50, 5:105]


def test_a_damaged_inner_chunk_names_its_shard_and_its_place():
    array = made()
    value = array.store.get("a/c/1/0")
    array.store.set("a/c/1/0", b"\0" * 40 + value[40:])
    with pytest.raises(ChunkError, match=r"cannot decode chunk 'a/c/1/0'.*inner chunk \(0, 0\), bytes 0 to"):
        late(array)[30:50, 5:105]


def test_a_shard_that_is_cut_off_is_an_error():
    array = made()
    value = array.store.get("a/c/1/0")
    array.store.set("a/c/1/0", value[-404:])
    with pytest.raises(ChunkError, match=r"cannot decode chunk 'a/c/1/0'.*inner chunk \(0, 0\)"):
        late(array)[30:50, 5:105]


def test_a_shard_that_goes_between_the_round_trips_is_an_error():
    array = late(made())

    class Going(LateStore):
        def _read_many(self, requests):
            found = super()._read_many(requests)
            if any(key == "a/c/1/0" for key, _ in requests):
                self.inner.delete("a/c/1/0")
            return found

    array = zom.open_array(Going(array.store.inner), "a")
    with pytest.raises(StoreError, match="deleted while it was read in parts"):
        array[30:50, 5:105]
