"""Keys that don't fit are refused in words that say what was wrong, and where."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import zom
from zom.engine.selection import basic_or_numpy, blocks, outer, vectorized
from zom.errors import SelectionError
from zom.extension.axis import Axis

WANTED = "expected an integer, a slice, '...', None, or an array of integers or booleans, found"


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ((0, 4), "index 4 is out of bounds for dimension 1 of length 4"),
        (-4, "index -4 is out of bounds for dimension 0 of length 3"),
        (2**70, f"index {2**70} is out of bounds for dimension 0 of length 3"),
        ((..., [0, -5, 1]), "index -5 is out of bounds for dimension 1 of length 4"),
        (([[0], [3]], [0, 1]), "index 3 is out of bounds for dimension 0 of length 3"),
        (np.array([2**64 - 1], "u8"), f"index {2**64 - 1} is out of bounds for every array"),
        ((0, 0, 0), "expected a key for 2 dimensions or fewer, found one for 3"),
        (np.zeros((3, 4, 1), bool), "expected a key for 2 dimensions or fewer, found one for 3"),
        ((..., 0, ...), "expected '...' at most once in a key, found it twice"),
        ((slice(None), [True, False]), "expected a mask of length 4 for dimension 1, found length 2"),
        (np.ones((3, 3), bool), "expected a mask of length 4 for dimension 1, found length 3"),
        (
            ([0, 1], [0, 1, 2]),
            "expected arrays of indices that broadcast together, found the shapes (2,), (3,)",
        ),
        (slice(None, None, 0), "dimension 0 of length 3: slice step cannot be zero"),
        (
            (0, slice("a")),
            "dimension 1 of length 4: slice indices must be integers or None or have an __index__ method",
        ),
        ("x", f"{WANTED} 'x'"),
        (1.0, f"{WANTED} 1.0"),
        ({1}, f"{WANTED} {{1}}"),
        ([1.5], f"{WANTED} [1.5]"),
        ([None], f"{WANTED} [None]"),
        ([[0], [1, 2]], f"{WANTED} lists of different lengths"),
        (np.array([1.0]), f"{WANTED} an array of float64"),
        (np.array("2020", "M8[Y]"), f"{WANTED} an array of datetime64[Y]"),
        (np.zeros(0), f"{WANTED} an array of float64"),
    ],
)
def test_what_is_wrong_is_said(key, message):
    for select in (basic_or_numpy, vectorized):
        with pytest.raises(SelectionError) as caught:
            select(key, (3, 4))
        assert str(caught.value) == message


def test_a_selection_error_is_an_index_error():
    with pytest.raises(IndexError):
        basic_or_numpy(3, (3,))


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (None, "expected no None in a key of oindex: add the new axis to the result"),
        ([[0, 1]], "expected arrays and masks of 1 dimension in a key of oindex, found one of 2"),
        (
            np.ones((3, 4), bool),
            "expected arrays and masks of 1 dimension in a key of oindex, found one of 2",
        ),
        (True, "expected arrays and masks of 1 dimension in a key of oindex, found one of 0"),
        (([0], [9]), "index 9 is out of bounds for dimension 1 of length 4"),
    ],
)
def test_what_oindex_does_not_take_is_said(key, message):
    with pytest.raises(SelectionError) as caught:
        outer(key, (3, 4))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ((0, 2), "chunk 2 is out of bounds for dimension 1 of length 2"),
        ([0], "expected integers and slices of chunks in a key of blocks, found something else"),
        (None, "expected integers and slices of chunks in a key of blocks, found something else"),
        ((0, 0, 0), "expected a key for 2 dimensions or fewer, found one for 3"),
    ],
)
def test_what_blocks_does_not_take_is_said(key, message):
    with pytest.raises(SelectionError) as caught:
        blocks(key, (Axis(9, 3), Axis(4, 2)))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("shape", "text"),
    [((3, 5), "(3, 5)"), ((3,), "(3,)"), ((2, 3, 4), "(2, 3, 4)"), ((3, 1, 1), "(3, 1, 1)"), ((0,), "(0,)")],
)
def test_values_that_do_not_fit_are_refused_with_both_shapes(shape, text):
    with pytest.raises(SelectionError) as caught:
        basic_or_numpy((), (3, 4)).spread(np.zeros(shape))
    assert str(caught.value) == f"expected values of the shape (3, 4), or that broadcast to it, found {text}"


def test_slices_may_have_numpy_integers_as_bounds():
    selection = basic_or_numpy(slice(np.int64(1), np.uint8(3)), (4,))
    assert selection.index.entries == (slice(1, 3, 1),)


def test_what_has_an_index_is_an_integer():
    class Third:
        def __index__(self):
            return 2

    assert basic_or_numpy(Third(), (4,)).index.entries == (slice(2, 3, 1),)


def test_whatever_numpy_makes_an_array_of_is_one():
    class Column:
        def __array__(self, dtype=None, copy=None):
            return np.array([2, 0])

    assert basic_or_numpy(Column(), (4,)).index.entries[0].tolist() == [2, 0]
    assert basic_or_numpy(range(1, 3), (4,)).index.entries == (slice(1, 3, 1),)


class Corner(NamedTuple):
    row: int
    column: int


def test_a_tuple_of_a_class_of_its_own_is_a_key_like_others():
    values = np.arange(20).reshape(4, 5)
    array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4, 5), dtype="int64"))
    array[:] = values
    assert array[Corner(3, 2)] == values[3, 2]
    array[Corner(3, 2)] = values[3, 2] = -1
    np.testing.assert_array_equal(array[:], values)
