from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zom.errors import CodecError, ExtensionError
from zom.extension.bound import Block
from zom.extension.bound_chain import bind_chain
from zom.extension.link import parse_links
from zom.extension.resolve import data_type

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}


def bound(made, count=1, **configuration):
    links = parse_links([{"name": "scale_offset", "configuration": configuration}, LITTLE])
    return bind_chain(links, Block((count,), data_type(made), None))


def exact(value, offset, scale):
    """(x - offset) * scale in integers, and whether each step stays within int8."""
    steps = (value - offset, (value - offset) * scale)
    return steps[1], all(-128 <= step <= 127 for step in steps)


@settings(max_examples=500, deadline=None)
@given(st.integers(-128, 127), st.integers(-128, 127), st.integers(-128, 127).filter(bool))
def test_integers_are_shifted_and_scaled_exactly_or_refused(value, offset, scale):
    chain = bound("int8", offset=offset, scale=scale)
    array = np.array([value], "i1")
    made, fits = exact(value, offset, scale)
    if not fits:
        with pytest.raises(CodecError, match="expected a number that stays within int8"):
            chain.encode(array)
        return
    assert np.frombuffer(chain.encode(array), "i1") == [made]
    # -128 divided by -1 is one more than int8 holds, though it was made of 128 less.
    assert chain.decode(bytes(chain.encode(array))).tolist() == [value]


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(st.integers(-128, 127), st.integers(-128, 127), st.integers(-128, 127).filter(bool))
def test_integers_are_divided_without_a_rest_or_refused(stored, offset, scale):
    chain = bound("int8", offset=offset, scale=scale)
    ratio = Fraction(stored, scale)
    fits = -128 <= ratio <= 127 and -128 <= ratio + offset <= 127
    data = np.array([stored], "i1").tobytes()
    if ratio.denominator != 1:
        with pytest.raises(CodecError, match=f"expected a multiple of {scale}"):
            chain.decode(data)
    elif not fits:
        with pytest.raises(CodecError, match="expected a number that stays within int8"):
            chain.decode(data)
    else:
        assert chain.decode(data).tolist() == [int(ratio) + offset]


def test_integers_of_64_bits_are_exact():
    array = np.array([2**64 - 1, 2**63 + 1, 2**63], "u8")
    chain = bound("uint64", 3, offset=2**63)
    assert np.frombuffer(chain.encode(array), "u8").tolist() == [2**63 - 1, 1, 0]
    assert chain.decode(bytes(chain.encode(array))).tolist() == array.tolist()


def test_the_place_of_a_number_that_leaves_the_type_is_named():
    chain = bound("uint8", 3, offset=5)
    message = (
        r"^scale_offset: expected a number that stays within uint8, found 4, which becomes -1, at \(2\)$"
    )
    with pytest.raises(CodecError, match=message):
        chain.encode(np.array([9, 5, 4], "u1"))


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f4", "f8", "c8", "c16"])
def test_floats_are_computed_in_their_own_type(dtype):
    native = np.dtype(dtype).newbyteorder("=")
    array = np.array([1.1, -2.7, np.nan, np.inf, -0.0, 3e-5]).astype(native)
    offset, scale = ([0.3, 0], [7.0, 0]) if native.kind == "c" else (0.3, 7.0)
    chain = bound(np.dtype(dtype), 6, offset=offset, scale=scale)
    with np.errstate(all="ignore"):
        stored = (array - native.type(0.3)) * native.type(7.0)
        back = stored / native.type(7.0) + native.type(0.3)
    encoded = chain.encode(array.astype(dtype))
    assert bytes(encoded) == stored.tobytes()
    found = chain.decode(bytes(encoded))
    assert found.astype(native).tobytes() == back.tobytes()


def test_an_absent_offset_or_scale_changes_no_bit():
    array = np.array([-0.0, 1.5, np.nan], "f4")
    assert bytes(bound("float32", 3).encode(array)) == array.tobytes()


def test_a_float_that_becomes_infinite_is_refused():
    message = r"expected a number that stays finite, found 3e\+38, which becomes inf at \(1\)"
    with pytest.raises(CodecError, match=message):
        bound("float32", 2, scale=4.0).encode(np.array([np.inf, 3e38], "f4"))


def test_narrow_types_are_shifted_too():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="pip install ml_dtypes")
    array = np.array([1, -4], ml_dtypes.int4)
    chain = bound("int4", 2, scale=2)
    assert chain.decode(bytes(chain.encode(array))).astype(int).tolist() == [1, -4]
    with pytest.raises(CodecError, match="stays within int4, found -5"):
        chain.encode(np.array([1, -5], ml_dtypes.int4))
    array = np.array([1, -4], ml_dtypes.bfloat16)
    chain = bound("bfloat16", 2, scale=2.0, offset=0.5)
    assert chain.decode(bytes(chain.encode(array))).astype(float).tolist() == [1, -4]


def test_not_a_time_stays_not_a_time():
    array = np.array(["NaT", "2020-01-01"], "M8[s]")
    chain = bound(array.dtype, 2, offset=1_000_000, scale=2)
    stored = np.frombuffer(chain.encode(array), "<i8")
    ticks = int(array.view("i8")[1])
    assert stored.tolist() == [-(2**63), (ticks - 1_000_000) * 2]
    found = chain.decode(bytes(chain.encode(array)))
    assert found.tobytes() == array.tobytes()


def test_a_time_never_becomes_not_a_time():
    array = np.array([-(2**62)], "i8").view("m8[s]")
    with pytest.raises(CodecError, match=r"stays within numpy\.timedelta64, found"):
        bound(array.dtype, scale=2).encode(array)


@pytest.mark.parametrize(("made", "scale"), [("int16", 0), ("float32", 0.0), ("complex64", [0, 0])])
def test_a_scale_of_zero_is_refused(made, scale):
    with pytest.raises(ExtensionError, match="a scale of 0 makes all elements equal"):
        bound(made, scale=scale)


def test_an_array_without_dimensions_and_one_without_elements():
    links = parse_links([{"name": "scale_offset", "configuration": {"offset": 7}}, LITTLE])
    for shape in ((), (0, 2)):
        array = np.full(shape, 5, "i2")
        chain = bind_chain(links, Block(shape, data_type("int16"), None))
        assert chain.decode(bytes(chain.encode(array))).tolist() == array.tolist()
