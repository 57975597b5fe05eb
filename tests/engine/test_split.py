"""Splitting costs what is touched, and says what the engine relies on."""

from __future__ import annotations

import tracemalloc
from itertools import islice

import numpy as np
import pytest

from zom.engine.index import Index
from zom.engine.selection import basic_or_numpy, outer
from zom.engine.split import count_parts, split, walk
from zom.extension.axis import Axis
from zom.extension.keys import KeyForm


def chunks_of(index, axes):
    return [part.chunk for part in split(index, axes)]


def test_a_step_over_chunks_touches_only_those_it_hits():
    axes = (Axis(100, 3),)
    assert chunks_of(Index((slice(1, 100, 40),)), axes) == [(0,), (13,), (27,)]
    assert count_parts(Index((slice(1, 100, 40),)), axes) == 3


def test_a_step_over_unequal_chunks_touches_only_those_it_hits():
    axes = (Axis.with_edges(30, [(1, 10), (10, 2)]),)
    assert chunks_of(Index((slice(0, 30, 7),)), axes) == [(0,), (7,), (10,), (11,)]


def test_the_parts_of_a_million_million_chunks_are_made_one_by_one():
    axes = (Axis(10**6, 1), Axis(10**6, 1))
    index = Index((slice(0, 10**6, 1), slice(5, 10**6, 1)))
    assert count_parts(index, axes) == 10**6 * (10**6 - 5)
    axes, index = (Axis(10**4, 1),) * 4, Index((slice(0, 10**4, 1),) * 4)
    tracemalloc.start()
    first = [part.chunk for part in islice(split(index, axes), 2)]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert first == [(0, 0, 0, 0), (0, 0, 0, 1)]
    assert most < 20_000_000


def test_chunks_that_are_not_touched_cost_nothing():
    axes = (Axis(10**15, 1), Axis.with_edges(10**12, [(1, 10**12)]))
    index = Index((slice(10**14, 10**14 + 1, 1), slice(10**11, 10**11 + 2, 1)))
    assert chunks_of(index, axes) == [(10**14, 10**11), (10**14, 10**11 + 1)]


def test_points_in_a_grid_that_has_more_chunks_than_a_number_has_values():
    axes = (Axis(10**12, 1), Axis(10**12, 1), Axis(10**12, 10))
    points = tuple(np.array(column) for column in ([10**11, 5, 10**11], [7, 8, 7], [11, 99, 12]))
    parts = list(split(Index(points, joint=True), axes))
    assert [part.chunk for part in parts] == [(5, 8, 9), (10**11, 7, 1)]
    assert [part.inside.entries[2].tolist() for part in parts] == [[9], [1, 2]]
    assert [np.arange(3)[part.outside].tolist() for part in parts] == [[1], [0, 2]]


def test_points_whose_indices_have_32_bits_are_found_in_a_grid_of_more_chunks():
    """As masks give them on machines of 32 bits."""
    axes = (Axis(10**5, 1), Axis(10**5, 1))
    points = tuple(np.array(column, np.int32) for column in ([99_999, 42_950, 1], [99_999, 0, 32_704]))
    parts = list(split(Index(points, joint=True), axes))
    assert [part.chunk for part in parts] == [(1, 32_704), (42_950, 0), (99_999, 99_999)]


def test_what_is_selected_twice_stays_in_order():
    parts = list(split(Index((np.array([5, 0, 5, 1, 5]),)), (Axis(6, 3),)))
    assert [part.chunk for part in parts] == [(0,), (1,)]
    assert [np.arange(5)[part.outside].tolist() for part in parts] == [[1, 3], [0, 2, 4]]


@pytest.mark.parametrize("chosen", [[3, 4, 5, 0], [0, 1, 2, 3, 4, 5], [0, 2, 3, 4, 5]])
def test_indices_that_make_up_a_whole_chunk_are_told(chosen):
    index = outer(chosen, (8,)).index
    assert [part.whole for part in split(index, (Axis(8, 3),)) if part.chunk == (1,)] == [True]


def test_a_chunk_out_of_order_is_not_whole():
    assert [part.whole for part in split(outer([0, 2, 1], (3,)).index, (Axis(3, 3),))] == [False]


def test_overhang_does_not_count():
    assert [part.whole for part in split(Index((slice(4, 6, 1),)), (Axis(6, 4),))] == [True]


def test_an_array_without_dimensions_is_one_chunk():
    (part,) = split(Index(()), ())
    assert (part.chunk, part.inside.entries, part.whole) == ((), (), True)
    value = np.array(5)
    assert value[part.inside.as_numpy()].base is value
    assert value[part.outside].base is value
    assert list(walk(Index(()), ()).keys(KeyForm("c/", "/", "c"), "a/")) == ["a/c"]
    assert list(walk(Index(()), ()).numbers(())) == [0]


def test_empty_entries_have_no_parts():
    axes = (Axis(6, 3), Axis(6, 3))
    none = np.zeros(0, np.intp)
    for entries in [(slice(0, 6, 1), slice(0, 0, 1)), (none, slice(0, 6, 1)), (none, none)]:
        for joint in (False, True):
            assert chunks_of(Index(entries, joint), axes) == []
            assert count_parts(Index(entries, joint), axes) == 0


def test_an_open_mesh_is_no_list_of_points():
    mesh = np.ix_([4, 0, 9], [True, False, True], [1, 2])
    selection = basic_or_numpy(mesh, (10, 3, 5))
    assert not selection.index.joint
    assert selection.shape == selection.work_shape == (3, 2, 2)


def test_arrays_that_count_up_are_slices():
    assert basic_or_numpy([1, 3, 5], (10,)).index.basic
    assert outer((np.arange(10) % 2 == 0, [3]), (10, 10)).index.entries == (slice(0, 9, 2), slice(3, 4, 1))


def test_a_false_mask_of_no_dimensions_is_empty_even_where_there_are_none():
    selection = basic_or_numpy(False, ())
    assert (selection.shape, selection.is_empty, selection.index.entries) == ((0,), True, ())
    assert selection.work_of(np.zeros(0))[1] is False
    assert selection.spread(np.zeros(0)).shape == ()
    assert basic_or_numpy(False, (3,)).index.shape == (0,)


def test_a_value_without_dimensions_is_not_copied():
    spread = basic_or_numpy((), (1000, 1000)).spread(np.array(7.0))
    assert spread.shape == (1000, 1000)
    assert spread.strides == (0, 0)


def test_values_of_the_shape_are_not_copied():
    values = np.zeros((5, 2))
    assert np.shares_memory(basic_or_numpy((slice(None, None, -1), [3, 1]), (5, 4)).spread(values), values)
