"""A million chunks: what is touched costs, what isn't does not. Counted are calls and requests, not seconds."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from damage_chains import LITTLE

import zom
from zom import v3
from zom.stores.memory import MemoryStore
from zom.testing.logged import LoggedStore

SIDE = 10_000


def sparse(side=SIDE, chunk=10):
    """An array of (side / chunk) squared chunks, of which none is there."""
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [side, side],
        "data_type": "int16",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [chunk, chunk]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 3,
        "codecs": [LITTLE],
    }
    array = zom.create_array(LoggedStore(MemoryStore()), v3.ArraySpec.parse(document), "x")
    return array.with_options(threads=1)


def requests(array, act):
    before = len(array.store.log.calls)
    act()
    return len(array.store.log.calls) - before


def test_there_are_a_million_chunks():
    assert sparse().nchunks == 10**6


@pytest.mark.parametrize(
    "key",
    [
        pytest.param((5, 7777), id="element"),
        pytest.param((slice(15, 16), slice(9, 10)), id="slice"),
        pytest.param((slice(0, None, 9000), slice(0, None, 9000)), id="strides"),
    ],
)
def test_what_is_not_touched_costs_nothing(key, calls):
    small, large = sparse(100_000, 10_000), sparse(100_000, 10)
    counts = []
    for array in (small, large):
        array[key]
        counts.append(calls(lambda array=array: array[key]))
    touched = requests(large, lambda: large[key]) - requests(small, lambda: small[key])
    assert counts[1] <= counts[0] + 40 * touched + 40


def test_opening_costs_the_same_whatever_the_number_of_chunks(calls):
    counts = []
    for array in (sparse(100), sparse(1_000_000, 1)):
        zom.open_array(array.store, "x")
        counts.append(calls(lambda array=array: zom.open_array(array.store, "x").shape))
        assert requests(array, lambda array=array: zom.open_array(array.store, "x")) <= 3
    assert counts[1] <= counts[0] + 20


def test_an_element_takes_one_request():
    array = sparse()
    array[0, 0]  # the first read that finds nothing looks for chunks under other keys, once
    assert requests(array, lambda: array[123, 4567]) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("few", "many"),
    [
        pytest.param(np.s_[:300:10, :300:10], np.s_[:3000:10, :300:10], id="strides"),
        pytest.param(np.s_[:300, :300], np.s_[:3000, :300], id="blocks"),
    ],
)
def test_what_is_touched_costs_as_much_for_each_chunk(few, many, calls):
    array = sparse()
    array[few]
    assert requests(array, lambda: array[few]) == 900
    less, more = calls(lambda: array[few]), calls(lambda: array[many])
    assert requests(array, lambda: array[many]) == 9000
    assert 9 < more / less < 10.5


def test_points_cost_as_much_for_each_chunk(calls):
    array = sparse()
    rng = np.random.default_rng(0)
    points = rng.integers(0, SIDE, (2, 5000))
    few = tuple(points[:, :500])
    array.vindex[few]
    less, more = calls(lambda: array.vindex[few]), calls(lambda: array.vindex[tuple(points)])
    assert 8 < more / less < 10.5
    assert (array.vindex[tuple(points)] == 3).all()


def test_memory_grows_with_the_result_and_not_with_the_chunks():
    array = zom.open_array(sparse().store.inner, "x").with_options(threads=1)
    array[::100, ::100]
    tracemalloc.start()
    try:
        found = array[::10, :500:10]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.shape == (1000, 50)
    # Each dimension's chunks are listed once: 1050 of them, not 50,000.
    assert peak < found.nbytes + 1050 * 1000


def test_writing_a_part_touches_no_other_chunk():
    array = sparse()
    array[5000:5010, 20:40] = 9
    array[7, 7] = 9
    assert len(list(array.store.list("x/c/"))) == 3
    assert array[::10, 20].sum() == 3 * 999 + 9


def test_resizing_a_large_array_of_few_chunks_asks_for_few():
    array = sparse()
    array[0, 0] = array[SIDE - 1, SIDE - 1] = 9
    asked = requests(array, lambda: array.resize((20, 20)))
    assert asked < 20
    assert list(array.store.list("x/c/")) == ["x/c/0/0"]
    assert requests(array, lambda: array.resize((SIDE * 1000, SIDE * 1000))) < 20
    assert array[0, 0] == 9
    assert array[SIDE - 1, SIDE - 1] == 3
