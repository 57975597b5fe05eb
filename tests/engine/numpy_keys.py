"""Keys at random, and what they mean: numpy's own indexing, and the others by way of it.

What is selected is told by indexing the numbers of all elements; values go to these numbers in order.
"""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st


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


# --- numpy's own indexing ----------------------------------------------------------------------------


def numpy_get(array, key):
    return np.asarray(array[key], array.dtype)


def numpy_set(array, key, values):
    numbers = numpy_get(numbers_of(array), key)
    if len(np.unique(numbers)) < numbers.size:
        # Of values for one element the last wins, but numpy doesn't always go through them in C order.
        numpy_assign(array.copy(), key, values)
        put(array, numbers, values)
    else:
        numpy_assign(array, key, values)


def numpy_assign(array, key, values):
    parts = key if isinstance(key, tuple) else (key,)
    # With "..." numpy takes an element for an array without dimensions, as every other part.
    key = parts if any(part is ... for part in parts) else (*parts, ...)
    try:
        array[key] = values
    except TypeError:
        # numpy wants one dimension for a single mask, and nowhere else.
        array[key] = values.reshape(-1)


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
    dtype = array.dtype
    for place, part in reversed(dimension_by_dimension(array, key)):
        array = array[(*[slice(None)] * place, part)]
    return np.asarray(array, dtype)


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


@st.composite
def block_keys(draw, counts):
    parts = [draw(integers(count) | slices(count)) for count in counts[: draw(st.integers(0, len(counts)))]]
    return (*parts, ...) if draw(st.booleans()) else tuple(parts)


def block_get(array, key, axes):
    for place, part in reversed(dimension_by_dimension(array, key)):
        chunks = np.arange(axes[place].count)[part]
        spans = [
            np.arange(axes[place].start(n), axes[place].start(n) + axes[place].size(n))
            for n in np.atleast_1d(chunks)
        ]
        elements = np.concatenate([np.zeros(0, int), *spans])
        array = array.take(elements[elements < axes[place].length], axis=place)
    return array


def block_set(array, key, values, axes):
    put(array, block_get(numbers_of(array), key, axes), values)
