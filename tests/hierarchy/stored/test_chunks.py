"""Which chunks of an array are stored: counted by numpy from what was written, told by zom from a listing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stored_trees import Far

import zom
from zom import v2, v3
from zom.errors import ChunkError, SelectionError, StoreError
from zom.stores.memory import MemoryStore
from zom.testing.logged import LoggedStore

PLAIN = [{"name": "bytes", "configuration": {"endian": "little"}}]


def made(spec, store=None, path=""):
    return zom.create_array(MemoryStore() if store is None else store, spec, path)


def written(array, mask):
    """Write the elements where `mask` is true, with values that are not the fill value."""
    array[...] = np.where(mask, 7, 0).astype(array.dtype)
    return array


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_is_stored_is_what_numpy_counts(data):
    rank = data.draw(st.integers(0, 3))
    shape = tuple(data.draw(st.integers(0, 7)) for _ in range(rank))
    chunks = tuple(data.draw(st.integers(1, 4)) for _ in range(rank))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=math.prod(shape), max_size=math.prod(shape))))
    mask = mask.reshape(shape).astype(bool)
    array = written(made(v3.ArraySpec.build(shape=shape, dtype="int16", chunks=chunks, codecs=PLAIN)), mask)
    grid = tuple(-(-n // c) for n, c in zip(shape, chunks, strict=True))
    exists = np.zeros(grid, bool)
    elements = 0
    for place in np.ndindex(*grid):
        part = mask[tuple(slice(p * c, p * c + c) for p, c in zip(place, chunks, strict=True))]
        exists[place] = part.any()
        elements += part.size * bool(part.any())
    stored = array.stored()
    assert np.array_equal(stored.exists, exists)
    assert sorted(stored) == sorted(map(tuple, np.argwhere(exists)))
    assert (stored.count, stored.total, stored.missing) == (exists.sum(), exists.size, (~exists).sum())
    assert stored.memory_nbytes == elements * 2
    assert stored.nbytes == exists.sum() * math.prod(chunks) * 2
    assert (len(stored), bool(stored)) == (stored.count, stored.count > 0)


def test_all_chunks_hold_the_bytes_of_the_array():
    array = made(v3.ArraySpec.build(shape=(5, 7), dtype="float32", chunks=(2, 3)))
    array[:] = 1
    assert array.stored().memory_nbytes == array.nbytes


def test_an_array_of_a_huge_grid_costs_what_is_stored():
    store = LoggedStore(MemoryStore())
    array = made(v3.ArraySpec.build(shape=(10**9, 10**9), dtype="int8", chunks=(10, 10)), store)
    array[123_456_789, 5] = 1
    store.log.calls.clear()
    stored = array.stored()
    assert (stored.count, stored.total, list(stored)) == (1, 10**16, [(12_345_678, 0)])
    assert dict(store.log.counts) == {"list": 1}
    with pytest.raises(SelectionError, match="a grid of 10000000000000000 chunks is too large"):
        _ = stored.exists


def test_foreign_keys_and_chunks_outside_are_not_counted():
    array = made(v3.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,)))
    array[:] = 1
    array.store.set_many(dict.fromkeys(["c/2", "c/1/0", "c/01", "0", "note.txt", "c/0.tmp", "x/c/0"], b"1"))
    assert sorted(array.stored()) == [(0,), (1,)]


def test_arrays_beside_it_are_not_counted():
    store = MemoryStore()
    first = made(v2.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,)), store, "a")
    second = made(v2.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,)), store, "aa")
    second[:] = 1
    assert (first.stored().count, second.stored().count) == (0, 2)


@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
def test_the_chunk_of_a_scalar_is_found(form):
    module = getattr(zom, form)
    array = made(module.ArraySpec.build(shape=(), dtype="int8"))
    assert array.stored().exists.tolist() is False
    array[...] = 3
    assert (array.stored().exists.tolist(), list(array.stored())) == (True, [()])


def test_elements_without_a_fixed_size_have_no_ratio():
    array = made(v3.ArraySpec.build(shape=(4,), dtype="string"))
    array[:] = ["a", "b", "c", "d"]
    stored = array.stored()
    assert (stored.count, stored.memory_nbytes, stored.ratio) == (1, None, None)


def test_uneven_chunks_count_with_the_elements_they_have():
    grid = {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[2, 3, 5]]}}
    array = made(v3.ArraySpec.build(shape=(9,), dtype="int16", chunks=(2,)).replace(chunk_grid=grid))
    array[1:4] = 7
    assert array.stored().memory_nbytes == (2 + 3) * 2
    array[8] = 7
    assert array.stored().memory_nbytes == 9 * 2


# --- shards -------------------------------------------------------------------------------------------


def sharded(store=None, shape=(10, 10), location="end"):
    inner = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]
    shard = {"chunk_shape": [2, 3], "codecs": inner, "index_codecs": inner, "index_location": location}
    codecs = [{"name": "sharding_indexed", "configuration": shard}]
    return made(v3.ArraySpec.build(shape=shape, dtype="int16", chunks=(4, 6)).replace(codecs=codecs), store)


@pytest.mark.parametrize("location", ["start", "end"])
@pytest.mark.parametrize("far", [False, True])
def test_chunks_inside_of_shards_are_counted(location, far):
    array = sharded(Far(MemoryStore()) if far else None, location=location)
    mask = np.zeros((10, 10), bool)
    mask[0, 0] = mask[3, 5] = mask[9, 9] = True
    written(array, mask)
    outer, inner = array.stored(), array.stored(inner=True)
    assert (outer.inner_count, outer.inner_total) == (None, None)
    assert (inner.count, inner.total) == (outer.count, outer.total) == (2, 6)
    assert (inner.inner_count, inner.inner_total) == (3, 5 * 4)


def test_a_far_store_is_asked_for_many_indexes_at_once():
    store = Far(LoggedStore(MemoryStore()))
    array = sharded(store, shape=(40, 60))
    array[:] = 1
    store.inner.log.calls.clear()
    assert array.stored(inner=True).inner_count == 20 * 20
    assert dict(store.inner.log.counts) == {"list": 1, "read": 1}


def test_the_chunks_of_nested_shards_are_the_smallest():
    plain = [{"name": "bytes", "configuration": {"endian": "little"}}]
    middle = {"chunk_shape": [2], "codecs": plain, "index_codecs": plain}
    shard = {
        "chunk_shape": [6],
        "codecs": [{"name": "sharding_indexed", "configuration": middle}],
        "index_codecs": plain,
    }
    codecs = [{"name": "sharding_indexed", "configuration": shard}]
    array = made(v3.ArraySpec.build(shape=(21,), dtype="int16", chunks=(12,)).replace(codecs=codecs))
    array[:] = 1
    stored = array.stored(inner=True)
    # 12 elements are 2 × 3 chunks; of the other 9, 6 are 3 chunks and 3 are 2.
    assert (stored.count, stored.inner_count, stored.inner_total) == (2, 11, 11)
    array[2:4] = 0
    assert array.stored(inner=True).inner_count == 10


def test_without_shards_there_is_nothing_inside():
    array = made(v3.ArraySpec.build(shape=(4,), dtype="int8"))
    assert array.stored(inner=True).inner_total is None


def test_a_damaged_index_is_an_error_and_no_count():
    array = sharded()
    array[:] = 1
    array.store.set("c/0/0", bytes(200))
    assert array.stored().count == 6
    with pytest.raises(ChunkError, match=r"'c/0/0' of /: sharding_indexed: index.*checksum mismatch"):
        array.stored(inner=True)


# --- text and failures ----------------------------------------------------------------------------------


def test_it_reads_as_one_line():
    array = made(v3.ArraySpec.build(shape=(4, 6), dtype="int16", chunks=(2, 3), codecs=PLAIN))
    array[:2] = 7
    assert str(array.stored()) == "2 of 4 chunks, 24 B stored of 24 B in memory, ratio 1.00"
    assert str(made(v3.ArraySpec.build(shape=(4,), dtype="string")).stored()) == "0 of 1 chunk, 0 B stored"


def test_shards_and_their_chunks_are_told_apart():
    array = sharded()
    array[:] = 7
    text = str(array.stored(inner=True))
    assert text == "6 of 6 shards with 20 of 20 chunks, 728 B stored of 200 B in memory, ratio 0.27"


def test_a_store_that_cannot_list_says_so():

    class Unlisted(MemoryStore):
        def _keys(self, prefix):
            raise NotImplementedError

        _sizes = _keys

    array = made(v3.ArraySpec.build(shape=(4,), dtype="int8"))
    broken = Unlisted({"zarr.json": array.store.get("zarr.json")})
    with pytest.raises(StoreError, match="cannot list"):
        zom.open_array(broken).stored()
