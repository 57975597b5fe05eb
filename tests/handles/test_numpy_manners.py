"""Arrays as numpy sees them: `__array__`, empty selections, `numpy.testing`, DLPack."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zom
from zom import v3
from zom.stores.memory import MemoryStore

VALUES = np.arange(24, dtype="i2").reshape(4, 6)


class CountingStore(MemoryStore):
    """A store that notes the keys that are read."""

    def __init__(self):
        super().__init__()
        self.read = []

    def _read(self, key, byte_range):
        self.read.append(key)
        return super()._read(key, byte_range)

    def _read_many(self, requests):
        self.read.extend(key for key, _ in requests)
        return super()._read_many(requests)

    def _read_into(self, key, target):
        self.read.append(key)
        return super()._read_into(key, target)


def made(store="memory:", **facts):
    spec = v3.ArraySpec.build(**{"shape": (4, 6), "dtype": "int16", "chunks": (2, 3), **facts})
    array = zom.create_array(store, spec)
    array[...] = VALUES
    return array


@pytest.fixture
def array():
    return made()


# --- __array__ -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("copy", [None, True])
@pytest.mark.parametrize("dtype", [None, "i2", "f8", "u1", "S3"])
def test_an_array_becomes_one_of_numpy(array, dtype, copy):
    found = array.__array__(dtype, copy=copy)
    assert type(found) is np.ndarray
    assert found.dtype == np.dtype(dtype or "i2")
    np.testing.assert_array_equal(found, VALUES.astype(dtype or "i2"))


@pytest.mark.parametrize("dtype", [None, "f8"])
def test_elements_can_not_be_had_without_a_copy(array, dtype):
    # numpy 2: "If copy=False, a copy must never be made; raise ValueError if one is needed."
    with pytest.raises(
        ValueError, match=r"memory:// /: expected copy=None or True, got copy=False: .*leave out copy"
    ):
        np.asarray(array, dtype=dtype, copy=False)


def test_what_numpy_made_is_ones_own(array):
    found = np.asarray(array)
    found[...] = 0
    np.testing.assert_array_equal(array, VALUES)


def test_an_array_without_dimensions_becomes_one_of_numpy():
    array = zom.create_array("memory:", v3.ArraySpec.build(shape=(), dtype="int16"))
    array[...] = 7
    found = np.asarray(array)
    assert (found.shape, found.dtype, int(found)) == ((), np.dtype("i2"), 7)


def test_numpy_runs_on_what_it_reads_and_calls_no_handle(array):
    # With these, dask and numpy would take the handle itself for data.
    for name in (
        "__array_function__",
        "__array_ufunc__",
        "__array_namespace__",
        "__array_priority__",
        "copy",
    ):
        assert not hasattr(array, name)
    assert type(np.add(array, 1)) is np.ndarray
    assert type(np.concatenate([array, array])) is np.ndarray
    assert np.mean(array) == VALUES.mean()


# --- numpy.testing -------------------------------------------------------------------------------------


def test_the_checks_of_numpy_take_arrays(array):
    np.testing.assert_array_equal(array, VALUES)
    np.testing.assert_array_equal(VALUES, array, strict=True)
    np.testing.assert_array_equal(array, made())
    np.testing.assert_equal(array, VALUES)
    np.testing.assert_allclose(array, VALUES + 1e-9, atol=1e-8)
    np.testing.assert_array_less(array, VALUES + 1)
    np.testing.assert_array_almost_equal(array, VALUES)


@pytest.mark.parametrize("check", ["assert_array_equal", "assert_allclose", "assert_equal"])
def test_the_checks_of_numpy_find_what_differs(array, check):
    with pytest.raises(AssertionError, match="Mismatched elements: 1 / 24"):
        getattr(np.testing, check)(array, np.where(VALUES == 5, 50, VALUES))


# --- empty selections ----------------------------------------------------------------------------------

EMPTY = [
    (slice(0, 0), slice(0, 0)),
    (slice(0, 0),),
    (slice(2, 2), 3),
    (slice(3, 1), slice(None)),
    (..., slice(6, None)),
    (slice(None, None, -1), slice(0, 6, -1)),
    ([], slice(None)),
    (np.zeros(4, bool),),
]


@pytest.mark.parametrize("key", EMPTY, ids=repr)
@pytest.mark.parametrize("shards", [None, (4, 6)])
def test_an_empty_selection_reads_nothing(key, shards):
    array = made(CountingStore(), shards=shards)
    array.store.read.clear()
    found = array[key]
    assert found.shape == VALUES[key].shape
    assert found.dtype == VALUES.dtype
    assert array.store.read == []


@given(st.tuples(*[st.slices(length) for length in VALUES.shape]))
def test_a_selection_reads_only_where_it_has_elements(key):
    array = made(CountingStore())
    array.store.read.clear()
    found = array[key]
    np.testing.assert_array_equal(found, VALUES[key])
    assert bool(array.store.read) == bool(found.size)


def test_indexers_read_nothing_of_an_empty_selection():
    array = made(CountingStore())
    array.store.read.clear()
    assert array.oindex[[], [1, 2]].shape == (0, 2)
    assert array.vindex[[], []].shape == (0,)
    assert array.blocks[0:0].shape == (0, 6)
    assert array.store.read == []


def test_writing_an_empty_selection_writes_nothing():
    array = made(CountingStore())
    before = dict.fromkeys(array.store.list())
    stored = {key: array.store.get(key) for key in before}
    array[0:0] = np.zeros((0, 6))
    assert {key: array.store.get(key) for key in array.store.list()} == stored


# --- DLPack --------------------------------------------------------------------------------------------


def test_what_was_read_goes_on_by_dlpack_without_a_copy(array):
    values = array[1:3]
    again = np.from_dlpack(values)
    assert np.shares_memory(values, again)
    np.testing.assert_array_equal(again, VALUES[1:3])


def test_an_array_in_a_store_has_no_memory_to_share(array):
    with pytest.raises((AttributeError, TypeError, BufferError), match="__dlpack"):
        np.from_dlpack(array)


@pytest.mark.parametrize("kind", [int, float, complex])
@pytest.mark.parametrize("value", [np.int16(-3), np.float32(2.5), np.uint64(2**60), np.float64("inf")])
def test_an_array_without_dimensions_is_a_number(kind, value):
    if kind is int and value == np.inf:
        with pytest.raises(OverflowError):
            int(zom.array(value))
        return
    assert kind(zom.array(value)) == kind(np.asarray(value))
    for several in ([1], [1, 2], [[1]]):
        with pytest.raises(
            TypeError, match="only an array without dimensions converts to a number; select an element"
        ):
            kind(zom.array(several))
