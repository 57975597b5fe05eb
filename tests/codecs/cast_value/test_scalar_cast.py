from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zom.dtypes  # noqa: F401 - registers the data types
from zom.codecs.cast_value.scalar_cast import cast_scalar, number, same_scalar
from zom.extension.resolve import parse_v3


def typed(name):
    made = parse_v3(name, [], ())
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("rounding", "expected"),
    [
        ("nearest-even", [-2, -2, 0, 2, 2]),
        ("towards-zero", [-2, -1, 0, 1, 2]),
        ("towards-positive", [-2, -1, 1, 2, 3]),
        ("towards-negative", [-3, -2, 0, 1, 2]),
        ("nearest-away", [-3, -2, 1, 2, 3]),
    ],
)
def test_rounding_to_integers(rounding, expected):
    values = [-2.5, -1.5, 0.5, 1.5, 2.5]
    assert [cast_scalar(value, typed("int8"), rounding, None) for value in values] == expected


@pytest.mark.parametrize(("value", "wrapped"), [(32768, -32768), (32769, -32767), (-32769, 32767)])
def test_wrapping_as_in_the_specification(value, wrapped):
    assert cast_scalar(value, typed("int16"), "nearest-even", "wrap") == wrapped


@given(st.floats(allow_nan=False, allow_infinity=False, width=64))
def test_the_nearest_float_is_that_of_numpy(value):
    with np.errstate(all="ignore"):
        expected = float(np.float32(value))
    found = cast_scalar(value, typed("float32"), "nearest-even", "clamp")
    assert found == expected


@given(st.floats(min_value=-1e30, max_value=1e30))
def test_directed_rounding_encloses_the_value(value):
    low = cast_scalar(value, typed("float32"), "towards-negative", None)
    high = cast_scalar(value, typed("float32"), "towards-positive", None)
    zero = cast_scalar(value, typed("float32"), "towards-zero", None)
    assert low <= value <= high
    assert zero == (low if value >= 0 else high)


def test_a_tie_between_floats_goes_away_from_zero():
    tie = 1 + 2.0**-24
    assert cast_scalar(tie, typed("float32"), "nearest-even", None) == 1.0
    assert cast_scalar(tie, typed("float32"), "nearest-away", None) == 1 + 2.0**-23
    assert cast_scalar(-tie, typed("float32"), "nearest-away", None) == -(1 + 2.0**-23)


def test_infinity_is_not_clamped_to_an_integer():
    assert cast_scalar(math.inf, typed("int8"), "nearest-even", "clamp") is None


def test_nan_does_not_become_what_has_none():
    assert math.isnan(cast_scalar(math.nan, typed("float32"), "nearest-even", None))
    assert cast_scalar(math.nan, typed("int8"), "nearest-even", "wrap") is None


@pytest.mark.parametrize("scalar", [np.complex64(1), np.str_("1"), np.bytes_(b"1"), None, "x"])
def test_what_is_no_real_number_is_none(scalar):
    assert number(scalar) is None
    assert not same_scalar(scalar, scalar)


def test_times_are_their_ticks():
    assert number(np.datetime64(7, "s")) == 7
