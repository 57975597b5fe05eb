"""Parts of shards of stores that answer late: two round trips, whatever is selected, and checked as ever."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zom
from zom import v3
from zom.engine import gathering
from zom.errors import ChunkError, MissingChunk, StoreError
from zom.stores.interface import Part, Range, Versioned, cut
from zom.stores.memory import MemoryStore
from zom.stores.object import ObjectStore
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

    def _read_parts(self, parts):
        self.batches.append([(part.key, part.byte_range) for part in parts])
        return self.inner.get_parts(parts)


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


class Changing(LateStore):
    """Does something to a shard after its index was read, and tells versions, or none."""

    def __init__(self, inner, change, *, knows_versions=True, notices=True, times=1):
        super().__init__(inner)
        self.change, self.knows_versions, self.notices, self.times = change, knows_versions, notices, times

    def _read_parts(self, parts):
        found = []
        for part in parts:
            whole = self.inner.get_version(part.key)
            if whole is None or (
                part.version is not None and (not self.notices or whole.version != part.version)
            ):
                found.append(None)
                continue
            value = cut(whole.value, part.byte_range)
            found.append(Versioned(value, whole.version if self.knows_versions else None))
        self.batches.append([part.key for part in parts])
        if self.times and any(part.version is None and part.key == "a/c/1/0" for part in parts):
            self.times -= 1
            self.change(self.inner)
        return found


@pytest.mark.parametrize("threads", [1, 4])
def test_a_shard_that_goes_between_the_round_trips_is_missing(threads):
    store = Changing(made().store, lambda inner: inner.delete("a/c/1/0"))
    array = zom.open_array(store, "a").with_options(threads=threads)
    expected = VALUES.copy()
    expected[40:80, :40] = -1
    np.testing.assert_array_equal(array[30:50, 5:105], expected[30:50, 5:105])
    with pytest.raises(MissingChunk):
        array.with_options(missing="error")[30:50, 5:105]


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("compress", ["zstd", None])
def test_a_shard_that_is_replaced_between_the_round_trips_is_read_as_it_is_now(times, threads, compress):
    spec = v3.ArraySpec.build(
        shape=SHAPE,
        dtype="int16",
        shards=(40, 40),
        chunks=(8, 10),
        compress=compress,
        checksum=False,
        fill_value=-1,
    )
    inner = MemoryStore()
    zom.create_array(inner, spec, "a")[:] = VALUES
    new = VALUES.copy()

    def change(inner):
        # Where nothing but fill is, nothing is stored, so that all others lie elsewhere.
        new[40:64, :30] += 1
        new[72:80, :30] = -1
        zom.open_array(inner, "a", mode="r+")[40:80, :40] = new[40:80, :40]

    store = Changing(inner, change, times=times)
    array = zom.open_array(store, "a").with_options(threads=threads)
    np.testing.assert_array_equal(array[30:50, 5:105], new[30:50, 5:105])
    assert (new != VALUES).any()
    assert sum("a/c/1/0" in batch for batch in store.batches) >= 2 + times


def test_a_shard_that_is_replaced_each_time_is_an_error():
    def change(inner):
        array = zom.open_array(inner, "a", mode="r+")
        array[40:80, :40] = array[40:80, :40] + 1

    store = Changing(made().store, change, times=1000)
    with pytest.raises(
        StoreError,
        match=r"'a/c/1/0' of /a: it was replaced or deleted while it was read in parts; read it again$",
    ):
        zom.open_array(store, "a")[30:50, 5:105]


def test_a_store_that_answers_no_question_for_a_version_is_asked_without():
    array = zom.open_array(Changing(made().store, None, notices=False, times=0), "a")
    np.testing.assert_array_equal(array[30:50, 5:105], VALUES[30:50, 5:105])


def test_a_wrapper_that_gives_other_bytes_gives_them_in_parts_of_shards_too():
    class Lowered(WrapperStore):
        def _read(self, key, byte_range):
            value = self.inner.get(key)
            return None if value is None else cut(bytes(byte ^ 0xFF for byte in value), byte_range)

        def _read_many(self, requests):
            return [self._read(*each) for each in requests]

    inner = MemoryStore({"a": bytes(range(9))})
    [found] = Lowered(inner).get_parts([Part("a", Range(0, 2))])
    assert found.value == bytes([255, 254])


@pytest.mark.parametrize("below", ["", "pre/fix/"])
@pytest.mark.parametrize("codec", [None, "zstd"])
def test_who_reads_parts_of_a_shard_that_is_written_reads_one_version(below, codec):
    """By obstore's memory, which knows tags as the services do: writer and reader race."""
    from obstore.store import MemoryStore as Bucket

    store = ObjectStore(Bucket(), below)
    spec = v3.ArraySpec.build(
        shape=(64, 64), dtype="int32", shards=(64, 64), chunks=(4, 4), compress=codec, checksum=False
    )
    array = zom.create_array(store, spec, "a")
    values = np.arange(64 * 64, dtype="i4").reshape(64, 64)

    def version(number):
        made = values + 10_000 * number
        made[4 * (number % 16) :][:4] = 0  # is not stored, so that what follows lies elsewhere
        return made

    array[:] = version(1)
    ended = threading.Event()

    def write():
        number = 1
        while not ended.wait(0.003):
            number += 1
            array[:] = version(number)

    writer = threading.Thread(target=write)
    writer.start()
    seen = set()
    try:
        other = zom.open_array(store, "a").with_options(threads=1)
        for _ in range(60):
            try:
                found = other[2:62, 3:61]
            except StoreError as error:
                assert "it was replaced or deleted while it was read in parts" in str(error)  # noqa: PT017
                continue
            number = int(found.max()) // 10_000
            np.testing.assert_array_equal(found, version(number)[2:62, 3:61])
            seen.add(number)
    finally:
        ended.set()
        writer.join()
    assert len(seen) > 1


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("times", [0, 1, 3])
def test_large_shards_of_which_all_is_wanted_are_read_by_several_requests_of_one_version(
    monkeypatch, times, threads
):
    monkeypatch.setattr("zom.engine.reading.READ_AT_ONCE", 0)
    monkeypatch.setattr(gathering, "_LONGEST", 500)
    new = VALUES.copy()

    def change(inner):
        new[40:64, :30] += 1
        new[72:80, :30] = -1
        zom.open_array(inner, "a", mode="r+")[40:80, :40] = new[40:80, :40]

    store = Changing(made().store, change, times=times)
    array = zom.open_array(store, "a").with_options(threads=threads)
    np.testing.assert_array_equal(array[...], new)
    asked = [key for batch in store.batches for key in batch]
    assert asked.count("a/c/0/0") > 3


@pytest.mark.parametrize("knows_versions", [True, False])
def test_of_large_shards_the_damaged_one_is_told(monkeypatch, knows_versions):
    monkeypatch.setattr("zom.engine.reading.READ_AT_ONCE", 0)
    inner = made().store
    shard = bytearray(inner.get("a/c/1/0"))
    shard[3] ^= 0xFF
    inner.set("a/c/1/0", bytes(shard))
    array = zom.open_array(Changing(inner, None, knows_versions=knows_versions, times=0), "a")
    with pytest.raises(ChunkError, match=r"'a/c/1/0' .*inner chunk"):
        array.with_options(threads=1)[:80, :80]


def test_each_of_large_shards_is_a_batch_for_the_threads_to_share(monkeypatch):
    monkeypatch.setattr("zom.engine.reading.READ_AT_ONCE", 0)
    store = Changing(made().store, None, times=0)
    array = zom.open_array(store, "a").with_options(threads=1)
    store.batches.clear()
    np.testing.assert_array_equal(array[:80, :80], VALUES[:80, :80])
    assert [set(batch) for batch in store.batches] == [
        {key} for key in ("a/c/0/0", "a/c/0/1", "a/c/1/0", "a/c/1/1") for _ in range(2)
    ]


def test_where_no_versions_are_told_a_shard_of_which_all_is_wanted_is_one_request(monkeypatch):
    monkeypatch.setattr("zom.engine.reading.READ_AT_ONCE", 0)
    array = late(made(), parallel=64)
    np.testing.assert_array_equal(array[...], VALUES)
    asked = [request for batch in array.store.batches for request in batch]
    assert asked.count(("a/c/0/0", None)) == 1
    assert len([key for key, _ in asked if key == "a/c/0/0"]) == 2, "the index, and all of it"
