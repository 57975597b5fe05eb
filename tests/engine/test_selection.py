"""Selections agree with numpy: what is read, what is written, and what is refused.

Arrays are cut into chunks in memory, and what a selection means is put together from its parts of them.
ZOM_EXAMPLES is how many cases hypothesis makes of each kind.
"""

from __future__ import annotations

import math
import os
from contextlib import suppress
from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from numpy_keys import (
    block_get,
    block_keys,
    block_set,
    numpy_get,
    numpy_keys,
    numpy_set,
    outer_get,
    outer_keys,
    outer_set,
    point_keys,
    values_for,
    vectorized_get,
    vectorized_set,
)

from zom.engine.selection import basic_or_numpy, blocks, count_parts, outer, split, vectorized
from zom.engine.split import walk
from zom.errors import SelectionError
from zom.extension.axis import Axis
from zom.extension.keys import KeyForm

EXAMPLES = int(os.environ.get("ZOM_EXAMPLES", "250"))
many = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))

OVERHANG = -99
FORM = KeyForm("c/", "/", "c")


def cut(array, axes):
    """Each chunk as it is stored: whole, even where it hangs over the end of the array."""
    chunks = {}
    for chunk in product(*[range(axis.count) for axis in axes]):
        made = np.full(
            [axis.size(number) for axis, number in zip(axes, chunk, strict=True)], OVERHANG, array.dtype
        )
        part = array[extent(axes, chunk)]
        made[(*map(slice, part.shape), ...)] = part
        chunks[chunk] = made
    return chunks


def extent(axes, chunk):
    pairs = list(zip(axes, chunk, strict=True))
    # With "..." numpy gives an array where there are no dimensions, too.
    return (
        *[slice(axis.start(number), axis.start(number) + axis.size(number)) for axis, number in pairs],
        ...,
    )


def joined(chunks, axes):
    """The array that the chunks hold; overhang is as it was."""
    array = np.zeros([axis.length for axis in axes], np.int64)
    for chunk, stored in chunks.items():
        part = array[extent(axes, chunk)]
        held = (*map(slice, part.shape), ...)
        part[...] = stored[held]
        rest = stored.copy()
        rest[held] = OVERHANG
        assert (rest == OVERHANG).all()
    return array


def checked_parts(index, axes):
    """The parts, of which all that they promise is true."""
    found = walk(index, axes)
    parts = list(split(index, axes))
    assert count_parts(index, axes) == found.count == len(parts)
    chunks = [part.chunk for part in parts]
    assert len(set(chunks)) == len(chunks)
    assert list(found.chunks()) == chunks
    assert list(found.keys(FORM, "a/")) == ["a/" + FORM.key(chunk) for chunk in chunks]
    grid = tuple(axis.count for axis in axes)
    assert list(found.numbers(grid)) == [
        int(np.ravel_multi_index(chunk, grid)) if grid else 0 for chunk in chunks
    ]
    for part in parts:
        held = [
            min(axis.size(n), axis.length - axis.start(n)) for axis, n in zip(axes, part.chunk, strict=True)
        ]
        numbers = np.arange(math.prod(held)).reshape(held)
        taken = numbers[part.inside.as_numpy()]
        assert taken.size
        assert taken.shape == part.inside.shape
        same = np.array_equal(taken, numbers)
        assert same or not part.whole
        assert not (same and part.inside.basic) or part.whole
    return parts


def read(chunks, index, axes, inner=None):
    """What the index selects, put together from chunks, and with `inner` from the chunks in them."""
    work = np.full(index.shape, -7)
    for part in checked_parts(index, axes):
        stored = chunks[part.chunk]
        if inner is None:
            work[part.outside] = stored[part.inside.as_numpy()]
        else:
            nested = inner(stored.shape)
            work[part.outside] = read(cut(stored, nested), part.inside, nested)
    return work


def write(chunks, index, axes, values, inner=None):
    """Put values into the chunks."""
    for part in checked_parts(index, axes):
        stored = chunks[part.chunk]
        if inner is None:
            stored[part.inside.as_numpy()] = values[part.outside]
        else:
            nested = inner(stored.shape)
            pieces = cut(stored, nested)
            write(pieces, part.inside, nested, values[part.outside])
            stored[...] = joined(pieces, nested)


# --- cases -------------------------------------------------------------------------------------------

SHAPES = st.lists(st.integers(0, 6), max_size=4).map(tuple)
LARGER = st.lists(st.integers(1, 7), min_size=2, max_size=4).map(tuple)


@st.composite
def axis_of(draw, length):
    if draw(st.booleans()):
        return Axis(length, draw(st.integers(1, length + 2)))
    edges = draw(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3)), max_size=5))
    return Axis.with_edges(length, [*edges, (draw(st.integers(1, 3)), length)])


@st.composite
def grids(draw, shapes):
    """An array, its axes, and axes for the chunks inside of chunks of each shape, as shards have them."""
    shape = draw(shapes)
    array = np.arange(1, math.prod(shape) + 1).reshape(shape)
    sizes = draw(st.lists(st.integers(1, 4), min_size=4, max_size=4))
    nested = st.sampled_from([None, lambda shape: tuple(map(Axis, shape, sizes))])
    return array, tuple(draw(axis_of(length)) for length in shape), draw(nested)


@st.composite
def cases(draw, keys, shapes=SHAPES):
    grid = draw(grids(shapes))
    return *grid, draw(keys(grid[0].shape))


@st.composite
def outs(draw, shape):
    """An array of the shape in some order of memory, not always without gaps."""
    order = draw(st.permutations(range(len(shape))))
    gap = draw(st.integers(1, 2))
    made = np.zeros([shape[axis] * gap for axis in order], np.int64)
    return made[(*[slice(None, None, gap)] * len(shape), ...)].transpose(np.argsort(order).astype(int))


def agrees(data, case, select, expected, assign):
    """That a selection reads and writes what numpy does, and is refused where numpy refuses it."""
    array, axes, inner, key = case
    try:
        wanted = expected(array, key)
    except (IndexError, DeprecationWarning):  # older versions of numpy only warn where nothing is selected
        with pytest.raises(SelectionError):
            select(key)
        event("refused")
        return
    selection = select(key)
    event("empty" if selection.is_empty else "joint" if selection.index.joint else "each dimension by itself")
    assert selection.shape == wanted.shape
    assert selection.is_empty == (not wanted.size)
    assert selection.work_shape == selection.index.shape
    out = data.draw(outs(wanted.shape))
    work, is_view = selection.work_of(out)
    assert work.shape == selection.work_shape
    if is_view:
        assert np.shares_memory(work, out) or not out.size
    if not selection.is_empty:
        work[...] = read(cut(array, axes), selection.index, axes, inner)
        if not is_view:
            selection.put_back(work, out)
        np.testing.assert_array_equal(out, wanted)
    values = data.draw(values_for(wanted.shape))
    changed = array.copy()
    try:
        assign(changed, key, values)
    except ValueError:
        with pytest.raises(SelectionError, match=r"^expected values of the shape"):
            selection.spread(values)
        event("values that don't fit")
        return
    spread = selection.spread(values)
    assert spread.shape == selection.work_shape
    chunks = cut(array, axes)
    if not selection.is_empty:
        write(chunks, selection.index, axes, spread, inner)
    np.testing.assert_array_equal(joined(chunks, axes), changed)


@pytest.mark.slow
@many
@given(data=st.data(), case=cases(numpy_keys))
def test_indexing_agrees_with_numpy(data, case):
    shape = case[0].shape
    agrees(data, case, lambda key: basic_or_numpy(key, shape), numpy_get, numpy_set)


@pytest.mark.slow
@many
@given(data=st.data(), case=cases(point_keys, LARGER))
def test_arrays_that_go_together_agree_with_numpy(data, case):
    shape = case[0].shape
    agrees(data, case, lambda key: basic_or_numpy(key, shape), numpy_get, numpy_set)


@pytest.mark.slow
@many
@given(data=st.data(), case=cases(lambda shape: numpy_keys(shape, arrays=0)))
def test_basic_indexing_agrees_with_numpy_and_gives_views(data, case):
    shape = case[0].shape
    agrees(data, case, lambda key: basic_or_numpy(key, shape), numpy_get, numpy_set)
    with suppress(SelectionError):
        selection = basic_or_numpy(case[3], shape)
        assert selection.work_of(data.draw(outs(selection.shape)))[1]


# --- oindex, vindex, blocks --------------------------------------------------------------------------


@many
@given(data=st.data(), case=cases(outer_keys))
def test_oindex_is_one_dimension_after_the_other(data, case):
    shape = case[0].shape
    agrees(data, case, lambda key: outer(key, shape), outer_get, outer_set)


@pytest.mark.slow
@many
@given(data=st.data(), case=cases(numpy_keys) | cases(point_keys, LARGER))
def test_vindex_puts_the_axes_of_arrays_first(data, case):
    shape = case[0].shape
    agrees(data, case, lambda key: vectorized(key, shape), vectorized_get, vectorized_set)


@pytest.mark.slow
@many
@given(data=st.data(), grid=grids(SHAPES))
def test_blocks_are_whole_chunks(data, grid):
    _, axes, _ = grid
    key = data.draw(block_keys([axis.count for axis in axes]))

    get, put = partial(block_get, axes=axes), partial(block_set, axes=axes)
    agrees(data, (*grid, key), lambda key: blocks(key, axes), get, put)
    with suppress(SelectionError):
        assert all(part.whole for part in split(blocks(key, axes).index, axes))
