"""An axis agrees with the list of all its chunks, and never makes that list."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zom.errors import ExtensionError, SelectionError
from zom.extension.axis import Axis
from zom.extension.grid import ChunkGrid
from zom.grids.rectilinear import RectilinearConfiguration, rectilinear
from zom.grids.regular import RegularConfiguration, regular

EDGES = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 4)), max_size=6)


@st.composite
def axes_and_edges(draw):
    """An axis, and the size of every chunk of it that holds elements."""
    edges = draw(EDGES)
    every = [size for size, repeats in edges for _ in range(repeats)]
    length = draw(st.integers(0, sum(every)))
    held = [size for place, size in enumerate(every) if sum(every[:place]) < length]
    return Axis.with_edges(length, edges), length, held


@given(axes_and_edges())
def test_edges_agree_with_a_list_of_all_chunks(case):
    axis, length, sizes = case
    assert (axis.count, axis.length) == (len(sizes), length)
    assert [axis.size(chunk) for chunk in range(axis.count)] == sizes
    starts = [sum(sizes[:chunk]) for chunk in range(len(sizes))]
    assert [axis.start(chunk) for chunk in range(axis.count)] == starts
    assert axis.starts(np.arange(axis.count)).tolist() == starts
    chunk_of = [chunk for chunk, size in enumerate(sizes) for _ in range(size)][:length]
    assert axis.find(np.arange(length)).tolist() == chunk_of
    assert [axis.at(index) for index in range(length)] == [(c, starts[c], sizes[c]) for c in chunk_of]
    assert axis.sizes == tuple(dict.fromkeys(sizes))


@given(st.integers(0, 30), st.integers(1, 40))
def test_a_regular_axis_is_one_with_equal_edges(length, size):
    axis, edges = Axis(length, size), Axis.with_edges(length, [(size, 1)] * 30)
    assert axis.count == edges.count
    assert edges.regular == (size if length else None)
    indices = np.arange(length)
    assert axis.find(indices).tolist() == edges.find(indices).tolist()
    assert [axis.at(index) for index in range(length)] == [edges.at(index) for index in range(length)]


def test_no_chunk_holds_an_axis_without_length():
    assert (Axis(0, 4).count, Axis.with_edges(0, []).count, Axis.with_edges(0, [(3, 2)]).count) == (0, 0, 0)
    assert Axis.with_edges(0, []).find(np.zeros(0, np.intp)).tolist() == []


def test_a_billion_chunks_take_no_memory():
    tracemalloc.start()
    axis = Axis.with_edges(10**10, [(1, 10**9), (3, 1), (2, 10**10)])
    found = axis.find(np.array([0, 10**9, 10**9 + 3, 10**10 - 1]))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.tolist() == [0, 10**9, 10**9 + 1, 10**9 + 1 + (9 * 10**9 - 4) // 2]
    assert len(axis.runs) == 3
    assert most < 100_000


@pytest.mark.parametrize("axis", [Axis(10, 4), Axis.with_edges(10, [(6, 1), (2, 2)])])
@pytest.mark.parametrize("chunk", [-1, 3])
def test_a_chunk_outside_of_the_axis_is_refused(axis, chunk):
    message = rf"^chunk {chunk} is out of bounds: the dimension has 3 chunks$"
    with pytest.raises(SelectionError, match=message):
        axis.size(chunk)
    with pytest.raises(SelectionError, match=message):
        axis.start(chunk)


def test_edges_that_are_too_short_are_refused():
    with pytest.raises(ValueError, match=r"^expected chunks that are together at least 5 long, found 4$"):
        Axis.with_edges(5, [(2, 2)])


def test_axes_can_be_compared_and_hashed():
    assert Axis(3, 2) == Axis.with_edges(3, [(2, 1), (2, 5)])
    assert len({Axis.with_edges(3, [(2, 1), (1, 1)]), Axis.with_edges(3, [(2, 1), (1, 9)])}) == 1


def test_a_regular_grid_has_one_size_along_each_axis():
    made = regular.axes(RegularConfiguration(chunk_shape=[2, 3, 0]), (5, 3, 0))
    assert made == (Axis(5, 2), Axis(3, 3), Axis(0, 1))


def test_a_rectilinear_grid_has_runs():
    configuration = RectilinearConfiguration(kind="inline", chunk_shapes=[4, [1, [2, 3]], [3, 3], []])
    made = rectilinear.axes(configuration, (9, 6, 6, 0))
    assert made == (Axis(9, 4), Axis.with_edges(6, [(1, 1), (2, 3)]), Axis(6, 3), Axis.with_edges(0, []))


def test_a_grid_that_can_only_be_written_says_so():
    class Written(ChunkGrid):
        name = "written"
        configuration = RegularConfiguration

        def lengths(self, configuration, shape, faults, path):
            return None

    message = "^the chunk grid 'written' can be written in documents, but not used: it has no `axes`$"
    with pytest.raises(ExtensionError, match=message):
        Written().axes(None, ())
