"""Blocks: every method, against the same done with Python's own numbers."""

from __future__ import annotations

import itertools
import math
import statistics
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from zom.pyramids.blocks import reduced, reduced_shape
from zom.pyramids.method import METHODS, method_of

INTEGERS = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8"]


def blocks_of(values, factors):
    """The elements of each block, in C order; the last ones may be smaller."""
    for place in np.ndindex(*reduced_shape(values.shape, factors)):
        here = tuple(slice(i * f, (i + 1) * f) for i, f in zip(place, factors, strict=True))
        yield place, values[here].ravel().tolist()


def naive(values, factors, element):
    found = np.empty(reduced_shape(values.shape, factors), values.dtype)
    for place, block in blocks_of(values, factors):
        found[place] = element(block)
    return found


def exact_mean(block):
    return round(Fraction(sum(block), len(block)))  # Fraction rounds half to even


def smallest_mode(block):
    counts = Counter(block)
    return min(value for value, count in counts.items() if count == max(counts.values()))


NAIVE = {
    "mean": exact_mean,
    "median": lambda block: (
        sorted(block)[len(block) // 2]
        if len(block) % 2
        else exact_mean(sorted(block)[len(block) // 2 - 1 :][:2])
    ),
    "mode": smallest_mode,
    "max": max,
    "min": min,
    "stride": lambda block: block[0],
}


@st.composite
def integers_and_factors(draw):
    dtype = np.dtype(draw(st.sampled_from(INTEGERS)))
    shape = draw(arrays.array_shapes(min_dims=1, max_dims=3, max_side=9))
    factors = tuple(draw(st.integers(1, 5)) for _ in shape)
    limits = np.iinfo(dtype)
    near = st.sampled_from([limits.min, limits.min + 1, limits.max, limits.max - 1, 0, 1, 2, 3])
    elements = draw(st.sampled_from([st.integers(int(limits.min), int(limits.max)), near, st.integers(0, 3)]))
    return draw(arrays.arrays(dtype, shape, elements=elements)), factors


@pytest.mark.parametrize("name", METHODS)
@given(drawn=integers_and_factors())
def test_integers_agree_with_exact_arithmetic(name, drawn):
    values, factors = drawn
    found = reduced(values, factors, METHODS[name])
    assert found.dtype == values.dtype
    np.testing.assert_array_equal(found, naive(values, factors, NAIVE[name]))


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("factors", [(2, 2), (3, 3), (4, 1), (6, 5), (16, 16), (20, 17)])
def test_sums_of_the_largest_and_smallest_integers_do_not_overflow(dtype, factors):
    limits = np.iinfo(dtype)
    for extreme in (limits.max, limits.min):
        values = np.full(factors, extreme, dtype)
        values[-1, 0] = limits.max
        expected = exact_mean(values.ravel().tolist())
        assert reduced(values, factors, METHODS["mean"]).tolist() == [[expected]]


def test_halves_are_rounded_to_even_below_zero_too():
    values = np.array([0, 1, 1, 2, 2, 3, -1, 0, -2, -1, -3, -2], "i2")
    assert reduced(values, (2,), METHODS["mean"]).tolist() == [0, 2, 2, 0, -2, -2]
    sixths = np.array([0, 0, 0, 0, 0, 3, 1, 1, 1, 1, 1, 4, -3, 0, 0, 0, 0, 0], "i2")
    assert reduced(sixths, (6,), METHODS["mean"]).tolist() == [0, 2, 0]


@st.composite
def floats_and_factors(draw):
    dtype = np.dtype(draw(st.sampled_from(["f2", "f4", "f8"])))
    shape = draw(arrays.array_shapes(min_dims=1, max_dims=2, max_side=7))
    factors = tuple(draw(st.integers(1, 4)) for _ in shape)
    elements = st.floats(width=8 * dtype.itemsize, allow_nan=False, allow_infinity=False)
    return draw(arrays.arrays(dtype, shape, elements=elements)), factors


@given(floats_and_factors())
def test_means_of_floats_are_those_of_exact_arithmetic_to_the_last_digits(drawn):
    values, factors = drawn
    found = reduced(values, factors, METHODS["mean"])
    assert found.dtype == values.dtype
    for place, block in blocks_of(values, factors):
        exact = float(sum(map(Fraction, block)) / len(block))
        size = max(map(abs, block))
        tiny = float(np.finfo(values.dtype).smallest_subnormal)
        error = 2 * float(np.finfo(values.dtype).eps) * len(block)
        assert abs(float(found[place]) - exact) <= size * error + tiny * len(block)
        assert min(block) <= found[place] <= max(block)


@given(floats_and_factors(), st.sampled_from(["mode", "max", "min", "stride"]))
def test_floats_are_chosen_as_by_python(drawn, name):
    values, factors = drawn
    np.testing.assert_array_equal(
        reduced(values, factors, METHODS[name]), naive(values, factors, NAIVE[name])
    )


@given(floats_and_factors())
def test_medians_of_floats_are_those_of_statistics(drawn):
    values, factors = drawn
    found = reduced(values, factors, METHODS["median"])
    expected = naive(values.astype("f8") / 2, factors, statistics.median).astype("f8") * 2
    np.testing.assert_allclose(
        found.astype("f8"), expected.astype(values.dtype).astype("f8"), rtol=2e-3, atol=1e-7
    )


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 12))
def test_the_mean_of_equal_values_is_that_value_bit_for_bit(value, count):
    for dtype in ("f8", "f4"):
        with np.errstate(over="ignore"):
            values = np.full(count, value, dtype)
        assert reduced(values, (count,), METHODS["mean"]).tobytes() == values[:1].tobytes()


def test_a_mean_of_large_floats_does_not_overflow():
    top = np.finfo("f8").max
    assert reduced(np.array([top, top, top, -top, np.inf, 1.0]), (2,), METHODS["mean"]).tolist() == [
        top,
        0,
        math.inf,
    ]


@pytest.mark.parametrize("name", ["mean", "median", "max", "min"])
def test_a_block_with_a_nan_is_nan(name):
    values = np.array([1.0, np.nan, 3.0, 4.0])
    found = reduced(values, (2,), METHODS[name])
    assert np.isnan(found[0])
    assert not np.isnan(found[1])


def test_nan_is_a_value_as_any_other_for_the_mode():
    values = np.array([np.nan, np.nan, 1.0, np.nan, 1.0, 1.0])
    found = reduced(values, (3,), METHODS["mode"])
    assert np.isnan(found[0])
    assert found[1] == 1


def test_a_date_that_is_none_comes_last_for_the_mode_as_nan_does():
    first, last = np.iinfo("i8").min + 1, np.iinfo("i8").max
    blocks = [
        [5, 6, 7, None],
        [None, None, 1, 2],
        [None] * 4,
        [first, None, last, last],
        [last, None, None, last],
    ]
    expected = [5, None, None, last, last]
    for dtype in ("M8[s]", "m8[ns]"):
        numbers = [first - 1 if each is None else each for block in blocks for each in block]
        times = np.array(numbers, "i8").view(dtype)
        found = reduced(times, (4,), METHODS["mode"])
        assert [None if np.isnat(each) else int(each.view("i8")) for each in found] == expected
    floats = np.array([5, 6, 7, np.nan, np.nan, np.nan, 1, 2])
    np.testing.assert_array_equal(reduced(floats, (4,), METHODS["mode"]), [5, np.nan])


def test_the_mean_of_complex_numbers_is_that_of_their_parts():
    values = np.array([[1 + 2j, 3 + 4j, 5], [1, 2, 3j]], "c8")
    found = reduced(values, (2, 2), METHODS["mean"])
    assert found.dtype == values.dtype
    assert found.tolist() == [[7 / 4 + 6 / 4 * 1j, 2.5 + 1.5j]]


def test_times_are_numbers_of_their_unit_and_a_missing_one_makes_the_mean_missing():
    values = np.array([10, 21, 30, "NaT"], "M8[s]")
    found = reduced(values, (2,), METHODS["mean"])
    assert found[0] == np.datetime64(16, "s")
    assert np.isnat(found[1])
    assert reduced(values, (2,), METHODS["max"])[0] == np.datetime64(21, "s")


def test_booleans_have_a_mode_and_a_largest_value():
    values = np.array([[True, False, False, True], [True, False, True, False]])
    assert reduced(values, (2, 2), METHODS["mode"]).tolist() == [[False, False]]
    assert reduced(values, (1, 2), METHODS["max"]).tolist() == [[True, True], [True, True]]


def test_other_byte_orders_have_the_same_values():
    values = np.arange(12, dtype=">u2").reshape(3, 4)
    for name in METHODS:
        expected = reduced(values.astype("<u2"), (2, 2), METHODS[name])
        np.testing.assert_array_equal(reduced(values, (2, 2), METHODS[name]), expected)


@pytest.mark.parametrize("count", [*range(1, 36), 64])
def test_blocks_of_every_size_are_sorted(count):
    chance = np.random.default_rng(count)
    values = chance.integers(0, 9, (count, 200))
    for name in ("mode", "median"):
        expected = naive(values, (count, 1), NAIVE[name])
        np.testing.assert_array_equal(reduced(values, (count, 1), METHODS[name]), expected)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *itertools.product(["mean", "median"], ["?", "S3", "U2", "V4"]),
        *itertools.product(["mode", "max", "min"], ["S3", "c8", "V4", "O"]),
    ],
)
def test_types_without_the_method_are_refused_with_those_that_they_have(name, dtype):
    with pytest.raises(
        TypeError, match=rf"^method: {name!r} is not defined for elements of type .*; use .*'stride'"
    ):
        METHODS[name].check(np.dtype(dtype))


def test_a_misspelled_method_is_told_of():
    with pytest.raises(
        ValueError, match=r"^method: expected one of mean, .*, got 'strid'; did you mean 'stride'\?$"
    ):
        method_of("strid")
