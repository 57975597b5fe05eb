from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zom.dtypes  # noqa: F401
from zom.errors import SpecError
from zom.extension.resolve import data_type

NAMES = [f"{u}int{bits}" for u in ("", "u") for bits in (2, 4, 8, 16, 32, 64)]


def judged(name, value, form):
    faults = []
    found = data_type(name).parse_fill(value, form, faults, ("fill_value",))
    return found, faults


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
def test_the_range_is_exact(name, form):
    low, high = data_type(name).span
    for value in (low, high):
        found, faults = judged(name, value, form)
        assert (int(found), faults) == (value, [])
        assert data_type(name).fill_json(found, form) == value
    for value in (low - 1, high + 1):
        found, (fault,) = judged(name, value, form)
        assert found is None
        assert fault.rule.code == "fill-value/range"
        assert (fault.path, fault.expected) == (("fill_value",), f"an integer from {low} to {high}")


def test_an_integral_float_is_read_with_a_warning():
    found, (fault,) = judged("uint8", 1e2, "v3")
    assert found == 100
    assert (fault.rule.code, fault.rule.strict, fault.rule.lenient) == (
        "fill-value/fraction",
        "warning",
        "warning",
    )
    assert (fault.expected, fault.found, fault.fix) == (
        "an integer without fraction or exponent",
        "100.0",
        "write 100",
    )
    assert judged("uint8", 1.0, "v2") == (1, [])


@pytest.mark.parametrize("form", ["v2", "v3"])
def test_an_integer_as_text_is_read_with_a_warning(form):
    found, (fault,) = judged("uint8", "7", form)
    assert found == 7
    assert (fault.rule.code, fault.rule.lenient, fault.fix) == (
        "fill-value/number-text",
        "warning",
        "write 7",
    )


@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
@pytest.mark.parametrize(
    ("value", "code"),
    [
        (1.5, "fill-value/range"),
        (300.0, "fill-value/range"),
        ("300", "fill-value/type"),
        ("seven", "fill-value/type"),
        (True, "fill-value/type"),
        ("NaN", "fill-value/type"),
        ([1], "fill-value/type"),
    ],
)
def test_what_is_no_integer_is_refused(value, code, form):
    found, (fault,) = judged("uint8", value, form)
    assert found is None
    assert fault.rule.code == code
    assert fault.rule.severity("lenient") == "error"


def test_the_draft_reads_full_width_patterns():
    assert judged("int16", "0xfffe", "draft")[0] == -2
    assert judged("uint8", "0b00000101", "draft")[0] == 5
    assert judged("int4", "0x07", "draft")[0] == 7
    found, (fault,) = judged("int16", "0xfe", "draft")
    assert found is None
    assert fault.expected == '"0x" and 4 hexadecimal, or "0b" and 16 binary, digits'
    assert judged("int16", "0xfffe", "v3")[0] is None


@given(value=st.integers(-(1 << 63), (1 << 64) - 1))
def test_casting_never_wraps(value):
    for name in NAMES:
        made = data_type(name)
        low, high = made.span
        if low <= value <= high:
            assert int(made.cast(value)) == value
        else:
            with pytest.raises(SpecError, match=f"expected an integer from {low} to {high}, found"):
                made.cast(value)


@pytest.mark.parametrize(
    "value", [1.5, True, "7", None, float("nan"), np.float32(0.5), 1j, np.timedelta64(1, "s")]
)
def test_casting_refuses_what_would_lose_something(value):
    with pytest.raises(SpecError, match="expected an integer from 0 to 255, found"):
        data_type("uint8").cast(value)


def test_casting_takes_whole_numbers_of_any_type():
    made = data_type("uint8")
    assert [made.cast(value) for value in (7, np.int64(7), 7.0, np.float32(7), np.array(7))] == [7] * 5


def test_a_scalar_has_the_type_of_numpy():
    for order in ("<", ">"):
        scalar = data_type(np.dtype(f"{order}i4")).parse_fill(5, "v2", [])
        assert type(scalar) is np.int32


def test_int2_is_one_file_and_one_registration():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="pip install ml_dtypes")
    made = data_type("int2")
    assert [int(made.cast(value)) for value in (-2, -1, 0, 1)] == [-2, -1, 0, 1]
    assert type(made.default()) is ml_dtypes.int2
    assert (made.to_json("v2"), made.to_json("v3")) == ("int2", "int2")
