from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from zom.dtypes.float_format import FORMATS, parse_float, write_float
from zom.extension.notation import NOTATIONS

ml_dtypes = pytest.importorskip("ml_dtypes", reason="pip install ml_dtypes")
V3 = NOTATIONS["v3"]
NARROW = [name for name in FORMATS if name not in {"float16", "float32", "float64"}]


def as_numpy(made, pattern):
    kind = np.dtype(getattr(ml_dtypes, made.name))
    return np.frombuffer(pattern.to_bytes(made.size, "little"), kind)[0]


@pytest.mark.parametrize("name", NARROW)
def test_every_pattern_means_what_ml_dtypes_says(name):
    made = FORMATS[name]
    for pattern in range(1 << made.bits):
        ours, theirs = made.decode(pattern), float(as_numpy(made, pattern))
        assert struct.pack("d", ours) == struct.pack("d", theirs) or (math.isnan(ours) and math.isnan(theirs))
        assert made.is_nan(pattern) == math.isnan(theirs)
        assert made.is_infinite(pattern) == math.isinf(theirs)


@pytest.mark.parametrize("name", list(FORMATS))
@given(data=st.data())
def test_every_number_comes_back_from_its_shortest_spelling(name, data):
    made = FORMATS[name]
    pattern = data.draw(st.integers(0, made.mask))
    assert parse_float(made, write_float(made, pattern, V3), V3, [], ()) == pattern


@pytest.mark.parametrize("name", [name for name in NARROW if name != "float8_e8m0fnu"])
@given(number=st.floats(width=32, allow_nan=False, allow_infinity=False))
@example(number=-0.0)
@example(number=0.1)
@example(number=1e-45)
def test_rounding_is_to_nearest_ties_to_even(name, number):
    made = FORMATS[name]
    pattern = made.encode(number)
    if pattern is None:
        assert abs(number) > made.decode(made.largest)
        return
    theirs = np.float32(number).astype(getattr(ml_dtypes, name))
    assert struct.pack("d", made.decode(pattern)) == struct.pack("d", float(theirs))


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
@given(number=st.floats(allow_nan=False))
def test_rounding_agrees_with_numpy(name, number):
    with np.errstate(over="ignore"):
        expected = np.array(number, name).tobytes()
    made = FORMATS[name]
    assert made.encode(number).to_bytes(made.size, "little") == expected


@given(number=st.integers(-(1 << 140), 1 << 140))
def test_integers_are_rounded_once(number):
    """Through a double, 2**24 + 1 + 2**-30 and the like would be rounded twice."""
    pattern = FORMATS["float32"].encode(number)
    found = FORMATS["float32"].decode(pattern)
    if math.isfinite(found):
        for other in (pattern - 1, pattern + 1):
            if not FORMATS["float32"].is_nan(other & 0xFFFFFFFF):
                neighbour = FORMATS["float32"].decode(other & 0xFFFFFFFF)
                if math.isfinite(neighbour):
                    assert abs(int(found) - number) <= abs(int(neighbour) - number)


def test_a_halfway_integer_goes_to_the_even_neighbour():
    assert FORMATS["float32"].decode(FORMATS["float32"].encode((1 << 60) + (1 << 36))) == float(1 << 60)
    assert FORMATS["float32"].decode(FORMATS["float32"].encode((1 << 60) + (1 << 36) + 1)) > float(1 << 60)


def test_there_is_no_zero_in_an_unsigned_format():
    made = FORMATS["float8_e8m0fnu"]
    assert made.encode(0.0) is None
    assert made.encode(-1.0) is None
    assert made.decode(made.encode(3.1)) == 4.0
    assert made.decode(made.encode(1.5)) == 1.0
    assert made.encode(1e300) is None


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("bfloat16", 0x7FC0),
        ("float8_e3m4", 0x78),
        ("float8_e4m3", 0x7C),
        ("float8_e4m3fnuz", 0x80),
        ("float8_e4m3b11fnuz", 0x80),
        ("float8_e5m2", 0x7E),
        ("float8_e5m2fnuz", 0x80),
        ("float8_e8m0fnu", 0xFF),
        ("float16", 0x7E00),
        ("float32", 0x7FC00000),
        ("float64", 0x7FF8 << 48),
        ("float4_e2m1fn", None),
        ("float6_e2m3fn", None),
    ],
)
def test_nan_is_the_pattern_that_the_registry_says(name, pattern):
    assert FORMATS[name].nan == pattern
    assert FORMATS[name].encode(math.nan) == pattern
