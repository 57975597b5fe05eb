from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zom.dtypes  # noqa: F401 - registers the data types
from zom.codecs.cast_value.array_cast import ArrayCast
from zom.codecs.cast_value.number_form import FloatForm, number_form
from zom.codecs.cast_value.scalar_cast import cast_scalar, number
from zom.errors import CodecError
from zom.extension.resolve import data_type

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
NARROW = ["int2", "uint2", "int4", "uint4", "bfloat16", "float8_e4m3", "float8_e4m3fn", "float8_e4m3fnuz"]
NARROW += ["float8_e5m2", "float8_e8m0fnu", "float8_e3m4", "float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn"]
TIMES = [
    {"name": f"numpy.{name}", "configuration": {"unit": "s", "scale_factor": 1}}
    for name in ("datetime64", "timedelta64")
]
ROUNDINGS = ["nearest-even", "towards-zero", "towards-positive", "towards-negative", "nearest-away"]


def edges(target):
    """Numbers around everything that is special about a type."""
    form = number_form(target)
    if isinstance(form, FloatForm):
        step = 2.0 ** max(math.frexp(form.largest)[1] - 1 - form.digits, -1000)
        some = [form.largest, form.largest - step, form.largest + step / 4, form.largest + step / 2]
        some += [form.largest + step, form.largest * 2, form.least, 2.0**form.lowest]
        some += [2.0**form.lowest * part for part in (0.25, 0.5, 0.75, 1.25, 1.5, 2.5, 3.5)]
        some += [1 + 2.0**-form.digits * part for part in (0.25, 0.5, 0.75, 1, 1.25, 1.5)]
    else:
        some = [
            form.low - 1,
            form.low,
            form.low + 1,
            form.high - 1,
            form.high,
            form.high + 1,
            2 * form.high + 7,
        ]
        some += [float(value) + part for value in some for part in (-0.5, 0.5)]
    return some + [-value for value in some]


COMMON = [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 3, 7, 100, 1e-320, 1e300, -1e300, math.inf, -math.inf]
COMMON += [math.nan, 2**53 + 1, 2**53 + 3, 2**62 + 2**37 + 1, 2**63 - 1, -(2**63) + 1, 2**64 - 1, 1 - 2**-53]
COMMON += [2**24 + 1, 2**60 + 2**36, 2**60 + 2**36 + 1, -(2**60) - 2**36 - 1, 0.49999999999999994]


def values_of(source, target):
    """All of them that the source type holds, as an array of it."""
    made = []
    for value in [*COMMON, *edges(source), *edges(target)]:
        found = cast_scalar(value, source, "towards-zero", None)
        if found is not None:
            made.append(source.cast(found))
    array = np.empty(len(made), source.numpy())
    for place, scalar in enumerate(made):
        array[place] = scalar
    return array


def one_by_one(array, source, target, rounding, out_of_range):
    """The casts of the scalars; None stands for what can't be cast."""
    made = []
    for scalar in array:
        found = cast_scalar(number(scalar), target, rounding, out_of_range)
        made.append(None if found is None else target.cast(found))
    return made


def agree(source, target, rounding, out_of_range):
    array = values_of(source, target)
    expected = one_by_one(array, source, target, rounding, out_of_range)
    cast = ArrayCast(source, target, (), rounding=rounding, out_of_range=out_of_range)
    good = np.array([made is not None for made in expected], bool)
    for place in np.flatnonzero(~good):
        with pytest.raises(CodecError, match="expected a number that"):
            cast(array[place : place + 1])
    wanted = np.empty(int(good.sum()), target.numpy())
    for place, made in enumerate(made for made in expected if made is not None):
        wanted[place] = made
    found = cast(array[good])
    assert found.dtype == target.numpy()
    if "int" in target.name and found.dtype.kind == "V":
        # Scalars have the sign in the bits that don't count; ml_dtypes leaves them 0.
        found, wanted = found.astype("i1"), wanted.astype("i1")
    same = found.view(f"V{found.itemsize}") == wanted.view(f"V{found.itemsize}")
    assert same.all(), [array[good][~same], found[~same], wanted[~same]]


@pytest.mark.slow
@pytest.mark.parametrize("source", [*INTEGERS, *FLOATS])
def test_arrays_are_cast_as_scalars_are(source):
    for target, rounding, out_of_range in product([*INTEGERS, *FLOATS], ROUNDINGS, [None, "clamp", "wrap"]):
        if out_of_range != "wrap" or target not in FLOATS:
            agree(data_type(source), data_type(target), rounding, out_of_range)


@pytest.mark.slow
@pytest.mark.parametrize("narrow", NARROW)
def test_narrow_types_are_cast_as_their_scalars_are(narrow):
    pytest.importorskip("ml_dtypes", reason="pip install ml_dtypes")
    others = ["uint64", "int64", "float64", "float4_e2m1fn"]
    for other, rounding, out_of_range in product(others, ROUNDINGS, [None, "clamp"]):
        agree(data_type(narrow), data_type(other), rounding, out_of_range)
        agree(data_type(other), data_type(narrow), rounding, out_of_range)
    if "int" in narrow:
        agree(data_type("int64"), data_type(narrow), "nearest-even", "wrap")


# Of the powers of two ml_dtypes takes the upper one where another number lies half way between two.
PEERS = [name for name in NARROW if "float" in name and name != "float8_e8m0fnu"]


@pytest.mark.parametrize("narrow", PEERS)
def test_floats_are_rounded_to_even_as_ml_dtypes_rounds_them(narrow):
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="pip install ml_dtypes")
    halves = np.arange(1 << 16).astype("u2").view("f2")
    values = halves[np.isfinite(halves)].astype("f4")
    made = values.astype(getattr(ml_dtypes, narrow))
    form = number_form(data_type(narrow))
    held = np.abs(values) <= form.largest
    cast = ArrayCast(data_type("float32"), data_type(narrow), ())
    assert cast(values[held]).tobytes() == made[held].tobytes()


@pytest.mark.parametrize("target", ["float16", "float32"])
@pytest.mark.parametrize("source", ["int64", "uint64"])
def test_integers_are_rounded_once(source, target):
    noise = np.random.default_rng(4).integers(0, 1 << 63, 4000, dtype="u8")
    some = np.concatenate([noise, noise >> 20, noise >> 47, noise & 0x7FF]).astype(source)
    cast = ArrayCast(data_type(source), data_type(target), (), out_of_range="clamp")
    # A C compiler rounds to float32 once; beyond the numbers of float16 there is nothing but infinity.
    with np.errstate(over="ignore"):
        expected = some.astype("f4") if target == "float32" else some.astype("f8").astype("f2")
    assert cast(some).tobytes() == expected.tobytes()


@pytest.mark.parametrize("time", TIMES, ids=["datetime", "timedelta"])
def test_times_are_cast_by_their_ticks(time):
    for other, out_of_range in product(["int64", "int32", "uint64", "float64"], [None, "clamp"]):
        agree(data_type(time), data_type(other), "nearest-even", out_of_range)
        agree(data_type(other), data_type(time), "nearest-even", out_of_range)


def test_not_a_time_becomes_not_a_number_and_no_integer():
    time = data_type("datetime64[s]")
    nat = np.array(["NaT"], "M8[s]")
    assert np.isnan(ArrayCast(time, data_type("float64"), ())(nat)).all()
    assert np.isnat(ArrayCast(data_type("float32"), time, ())(np.array([np.nan], "f4"))).all()
    with pytest.raises(CodecError, match=r"expected a number that int64 holds, found NaT at \(0\)"):
        ArrayCast(time, data_type("int64"), (), out_of_range="clamp")(nat)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([*INTEGERS, *FLOATS]),
    st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=20),
    st.sampled_from([*INTEGERS, *FLOATS]),
    st.sampled_from(ROUNDINGS),
)
def test_any_bits_are_cast_as_scalars_are(source, patterns, target, rounding):
    one, other = data_type(source), data_type(target)
    array = np.array(patterns, "u8").view(source)
    expected = one_by_one(array, one, other, rounding, "clamp")
    cast = ArrayCast(one, other, (), rounding=rounding, out_of_range="clamp")
    for value, made in zip(array, expected, strict=True):
        if made is None:
            with pytest.raises(CodecError):
                cast(np.array([value]))
        else:
            assert cast(np.array([value])).tobytes() == made.tobytes()


@pytest.mark.parametrize("target", ["float64", "float16", "bfloat16"])
@pytest.mark.parametrize("rounding", ["nearest-even", "towards-zero"])
def test_a_signalling_nan_is_cast_without_a_warning(target, rounding):
    signalling = np.array([0x7F800001], "u4").view("f4")
    made = ArrayCast(data_type("float32"), data_type(target), (), rounding=rounding)(signalling)
    assert np.isnan(made.astype("f8")).all()
    with pytest.raises(CodecError, match="expected a number that int8 holds, found nan"):
        ArrayCast(data_type("float32"), data_type("int8"), (), rounding=rounding)(signalling)


def test_mapped_scalars_are_not_cast():
    float64, uint8 = data_type("float64"), data_type("uint8")
    pairs = [(np.float64("nan"), np.uint8(0)), (np.float64(300), np.uint8(1)), (np.float64(300), np.uint8(2))]
    found = ArrayCast(float64, uint8, pairs)(np.array([[np.nan, 300.0], [7.0, -0.0]]))
    assert found.tolist() == [[0, 1], [7, 0]]


def test_what_is_not_mapped_is_still_an_error():
    pairs = [(np.float64("nan"), np.uint8(0))]
    cast = ArrayCast(data_type("float64"), data_type("uint8"), pairs)
    with pytest.raises(CodecError, match=r"expected a number that uint8 holds, found inf at \(1, 0\)"):
        cast(np.array([[np.nan, 3.0], [np.inf, 4.0]]))


def test_the_first_wrong_number_of_a_large_array_is_found():
    array = np.zeros((300, 400), "i4")
    array[250, 399] = -1
    array[299, 0] = -2
    cast = ArrayCast(data_type("int32"), data_type("uint16"), ())
    with pytest.raises(CodecError, match=r"found -1 at \(250, 399\)"):
        cast(array)


def test_an_array_without_dimensions_has_no_place():
    cast = ArrayCast(data_type("int32"), data_type("uint16"), ())
    with pytest.raises(CodecError, match=r"^expected a number that uint16 holds, found -1$"):
        cast(np.array(-1, "i4"))


@pytest.mark.parametrize("order", ["little", "big"])
def test_the_order_of_bytes_does_not_matter(order):
    mark = "<" if order == "little" else ">"
    source, target = data_type(np.dtype(f"{mark}f4")), data_type(np.dtype(f"{mark}i2"))
    array = np.array([1.5, -2.5], f"{mark}f4")
    found = ArrayCast(source, target, ())(array)
    assert found.dtype == np.dtype(f"{mark}i2")
    assert found.tolist() == [2, -2]


def test_an_empty_array_stays_empty():
    assert ArrayCast(data_type("int32"), data_type("uint8"), ())(np.zeros((0, 3), "i4")).shape == (0, 3)
