"""Selections agree with numpy: what is read, what is written, and what is refused.

Arrays are cut into chunks in memory, and what a selection means is put together from its parts of them.
ZOM_EXAMPLES is how many cases hypothesis makes of each kind.
"""

from __future__ import annotations

import math
import os
from contextlib import suppress
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from zom.engine.selection import basic_or_numpy, blocks, count_parts, outer, split, vectorized
from zom.engine.split import walk
from zom.errors import SelectionError
from zom.model.axis import Axis
from zom.model.chunk_key_encoding import KeyForm

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


def slices(length):
    bound = st.none() | st.integers(-length - 2, length + 2)
    step = st.none() | st.integers(1, length + 2) | st.integers(-length - 2, -1)
    return st.builds(slice, bound, bound, step)


def integers(length):
    """Mostly ones that fit; numpy's own integers, and arrays of one, are integers, too."""
    fitting = st.integers(-length, length - 1) if length else st.nothing()
    number = st.one_of(fitting, fitting, fitting, fitting, st.integers(-length - 2, length + 1))
    return st.one_of(number, number, number.map(np.int16), number.map(np.array))


@st.composite
def index_arrays(draw, length, shape):
    low, high = (-length, length - 1) if length and draw(st.integers(0, 15)) else (-length - 1, length)
    array = np.array(draw(st.lists(st.integers(low, high), min_size=math.prod(shape),
                                   max_size=math.prod(shape))), np.int64).reshape(shape)  # fmt: skip
    if draw(st.booleans()):
        array = np.sort(array, axis=None).reshape(shape)
    kind = draw(st.sampled_from(["array", "list", "int8", "order"]))
    if kind == "list" and array.ndim:
        return array.tolist()
    return {"int8": array.astype("i1"), "order": np.asfortranarray(array)}.get(kind, array)


def masks(shape):
    if not shape:
        return st.booleans() | st.booleans().map(np.bool_) | st.booleans().map(np.array)
    count = math.prod(shape)
    made = st.lists(st.booleans(), min_size=count, max_size=count).map(
        lambda flat: np.array(flat, bool).reshape(shape)
    )
    return made | made.map(np.ndarray.tolist) if count else made


@st.composite
def numpy_keys(draw, shape, arrays=1):
    """A key as numpy knows them, which may be out of bounds, or have parts that don't fit each other."""
    spread = tuple(draw(st.lists(st.sampled_from([3, 4, 2, 1, 0, 6]), min_size=1, max_size=2)))
    kinds = ["number", "slice", "slice", "new", "dots"] + ["array", "array", "mask", "scalar mask"] * arrays
    parts, place, dots = [], 0, False
    while True:
        kind = draw(st.sampled_from(kinds))
        if place == len(shape) and kind not in {"new", "dots", "scalar mask"}:
            break
        if kind == "new":
            parts.append(None)
        elif kind == "scalar mask":
            parts.append(draw(masks(())))
        elif kind == "dots":
            if not dots:
                dots = True
                parts.append(...)
                place += draw(st.integers(0, len(shape) - place))
        elif kind == "mask":
            rank = draw(st.integers(1, len(shape) - place))
            lengths = shape[place : place + rank]
            if not draw(st.integers(0, 15)):
                lengths = tuple(draw(st.lists(st.integers(0, 6), min_size=rank, max_size=rank)))
            parts.append(draw(masks(lengths)))
            place += rank
        elif kind == "array":
            parts.append(draw(index_arrays(shape[place], draw(spreading(spread)))))
            place += 1
        else:
            parts.append(draw(integers(shape[place]) if kind == "number" else slices(shape[place])))
            place += 1
    return parts[0] if len(parts) == 1 and draw(st.booleans()) else tuple(parts)


@st.composite
def spreading(draw, shape):
    """A shape that numpy spreads to `shape`."""
    form = tuple(1 if draw(st.integers(0, 3)) == 0 else length for length in shape)
    return form[draw(st.integers(0, len(form) - 1)) :]


@st.composite
def point_keys(draw, shape):
    """A key with at least two arrays, or a mask of two dimensions, between other parts."""
    count = draw(st.sampled_from([3, 5, 2, 9]))
    arrays = draw(st.lists(st.integers(0, len(shape) - 1), min_size=2, unique=True))
    parts = []
    for place, length in enumerate(shape):
        if draw(st.integers(0, 5)) == 0:
            parts.append(None)
        if place in arrays:
            parts.append(draw(index_arrays(length, (count,))))
        else:
            parts.append(draw(st.one_of(integers(length), slices(length), slices(length))))
    if arrays[0] + 1 == arrays[-1] and draw(st.booleans()):
        first = next(number for number, part in enumerate(parts) if isinstance(part, (list, np.ndarray)))
        parts[first : first + 2] = [draw(masks(shape[arrays[0] : arrays[0] + 2]))]
    return tuple(parts)


@st.composite
def cases(draw, keys, shapes=SHAPES):
    grid = draw(grids(shapes))
    return *grid, draw(keys(grid[0].shape))


@st.composite
def values_for(draw, shape):
    """Values that spread to the shape, and sometimes don't."""
    form = tuple(1 if not draw(st.integers(0, 3)) else length for length in shape)
    form = (
        (1,) * draw(st.integers(0, 1)) + form[draw(st.integers(0, len(form))) :]
        if draw(st.booleans())
        else shape
    )
    if not draw(st.integers(0, 9)):
        form = (*form[:-1], draw(st.integers(0, 4)))
    return -np.arange(1, math.prod(form) + 1).reshape(form)


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
    except IndexError:
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


# --- numpy's own indexing ----------------------------------------------------------------------------


def numpy_get(array, key):
    return np.asarray(array[key])


def numpy_set(array, key, values):
    numbers = numpy_get(numbers_of(array), key)
    if len(np.unique(numbers)) < numbers.size:
        # Of values for one element the last wins, but numpy doesn't always go through them in C order.
        numpy_assign(array.copy(), key, values)
        put(array, numbers, values)
    else:
        numpy_assign(array, key, values)


def numpy_assign(array, key, values):
    try:
        array[key] = values
    except TypeError:
        # numpy wants one dimension for a single mask, and nowhere else.
        array[key] = values.reshape(-1)
    except ValueError as error:
        # numpy wants no dimension for a single element, and nowhere else.
        if "element with a sequence" not in str(error):
            raise
        array[(*key, ...) if isinstance(key, tuple) else (key, ...)] = values


@many
@given(data=st.data(), case=cases(numpy_keys))
def test_indexing_agrees_with_numpy(data, case):
    shape = case[0].shape
    agrees(data, case, lambda key: basic_or_numpy(key, shape), numpy_get, numpy_set)


@many
@given(data=st.data(), case=cases(point_keys, LARGER))
def test_arrays_that_go_together_agree_with_numpy(data, case):
    shape = case[0].shape
    agrees(data, case, lambda key: basic_or_numpy(key, shape), numpy_get, numpy_set)


@many
@given(data=st.data(), case=cases(lambda shape: numpy_keys(shape, arrays=0)))
def test_basic_indexing_agrees_with_numpy_and_gives_views(data, case):
    shape = case[0].shape
    agrees(data, case, lambda key: basic_or_numpy(key, shape), numpy_get, numpy_set)
    with suppress(SelectionError):
        selection = basic_or_numpy(case[3], shape)
        assert selection.work_of(data.draw(outs(selection.shape)))[1]


# --- oindex, vindex, blocks --------------------------------------------------------------------------


@st.composite
def outer_keys(draw, shape):
    parts = []
    for length in shape[: draw(st.integers(0, len(shape)))]:
        count = draw(st.integers(0, 6))
        arrays = index_arrays(length, (count,))
        wrong = masks((length + 1,))
        parts.append(
            draw(st.one_of(integers(length), slices(length), arrays, arrays, masks((length,)), arrays, wrong))
        )
    at = draw(st.integers(0, len(parts)))
    if len(parts) == len(shape) and draw(st.booleans()):
        parts[at:at] = [...]
    elif draw(st.booleans()):
        parts[at:] = (
            [..., *parts[at + len(shape) - len(parts) :]] if len(parts) == len(shape) else [*parts[at:], ...]
        )
    return parts[0] if len(parts) == 1 and draw(st.booleans()) else tuple(parts)


def dimension_by_dimension(array, key):
    """Each part of the key, and the dimension that it is for."""
    parts = list(key) if isinstance(key, tuple) else [key]
    dots = next((number for number, part in enumerate(parts) if part is ...), len(parts))
    rest = [slice(None)] * (array.ndim - len(parts) + (dots < len(parts)))
    return [*enumerate([*parts[:dots], *rest, *parts[dots + 1 :]])]


def outer_get(array, key):
    for place, part in reversed(dimension_by_dimension(array, key)):
        array = array[(*[slice(None)] * place, part)]
    return np.asarray(array)


def outer_set(array, key, values):
    put(array, outer_get(numbers_of(array), key), values)


def numbers_of(array):
    return np.arange(array.size).reshape(array.shape)


def put(array, numbers, values):
    """Values to the elements of these numbers: what is there twice is written twice, in order."""
    flat = array.reshape(-1)
    if values.ndim > numbers.ndim and set(values.shape[: values.ndim - numbers.ndim]) == {1}:
        values = values.reshape(values.shape[values.ndim - numbers.ndim :])
    flat[numbers.reshape(-1)] = np.broadcast_to(values, numbers.shape).reshape(-1)


@many
@given(data=st.data(), case=cases(outer_keys))
def test_oindex_is_one_dimension_after_the_other(data, case):
    shape = case[0].shape
    agrees(data, case, lambda key: outer(key, shape), outer_get, outer_set)


def vectorized_get(array, key):
    """By moving the dimensions of arrays to the front, where numpy leaves them."""
    numbered = dimension_numbers(array, key)
    moved = [
        (place, part)
        for place, part in numbered
        if isinstance(part, (int, np.integer, list, np.ndarray, bool, np.bool_))
    ]
    stay = [(place, part) for place, part in numbered if isinstance(part, slice) or part is None]
    order = [axis for place, _ in [*moved, *stay] for axis in place]
    return array.transpose(order)[(*[part for _, part in moved], *[part for _, part in stay], ...)]


def dimension_numbers(array, key):
    """Each part of the key, and the dimensions that it is for."""
    parts = list(key) if isinstance(key, tuple) else [key]
    ranks = [rank_of(part) for part in parts]
    if (left := array.ndim - sum(ranks)) < 0:
        raise IndexError
    dots = next((number for number, part in enumerate(parts) if part is ...), len(parts))
    parts[dots : dots + 1] = [slice(None)] * left
    ranks[dots : dots + 1] = [1] * left
    starts = np.cumsum([0, *ranks])
    return [
        (range(start, start + rank), part) for start, rank, part in zip(starts, ranks, parts, strict=False)
    ]


def rank_of(part):
    if part is None or part is ...:
        return 0
    if isinstance(part, (list, np.ndarray, bool, np.bool_)) and np.asarray(part).dtype == bool:
        return np.ndim(part)
    return 1


def vectorized_set(array, key, values):
    put(array, vectorized_get(numbers_of(array), key), values)


@many
@given(data=st.data(), case=cases(numpy_keys) | cases(point_keys, LARGER))
def test_vindex_puts_the_axes_of_arrays_first(data, case):
    shape = case[0].shape
    agrees(data, case, lambda key: vectorized(key, shape), vectorized_get, vectorized_set)


@st.composite
def block_keys(draw, counts):
    parts = [draw(integers(count) | slices(count)) for count in counts[: draw(st.integers(0, len(counts)))]]
    return (*parts, ...) if draw(st.booleans()) else tuple(parts)


@many
@given(data=st.data(), grid=grids(SHAPES))
def test_blocks_are_whole_chunks(data, grid):
    _, axes, _ = grid
    key = data.draw(block_keys([axis.count for axis in axes]))

    def get(array, key):
        for place, part in reversed(dimension_by_dimension(array, key)):
            chunks = np.arange(axes[place].count)[part]
            spans = [
                np.arange(axes[place].start(n), axes[place].start(n) + axes[place].size(n))
                for n in np.atleast_1d(chunks)
            ]
            elements = np.concatenate([np.zeros(0, int), *spans])
            array = array.take(elements[elements < axes[place].length], axis=place)
        return array

    def assign(array, key, values):
        put(array, get(numbers_of(array), key), values)

    agrees(data, (*grid, key), lambda key: blocks(key, axes), get, assign)
    with suppress(SelectionError):
        assert all(part.whole for part in split(blocks(key, axes).index, axes))
