from __future__ import annotations

import numpy as np
import pytest

from zom.errors import ExtensionError
from zom.extension.bound import Block
from zom.extension.bound_chain import bind_chain
from zom.extension.link import parse_links
from zom.extension.resolve import data_type

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}


def rounded(array, keepbits, made=None):
    links = parse_links([{"name": "bitround", "configuration": {"keepbits": keepbits}}, LITTLE])
    block = Block(array.shape, data_type(made or array.dtype), None)
    chain = bind_chain(links, block)
    return chain.decode(bytes(chain.encode(array)))


def magnitude(size, keepbits, most):
    """The nearest number of `keepbits` bits, ties to even; the one below where that is too large."""
    drop = size.bit_length() - keepbits
    if drop <= 0:
        return size
    low = size >> drop << drop
    rest, half = size - low, 1 << drop - 1
    up = rest > half or (rest == half and size >> drop & 1)
    made = low + (1 << drop) if up else low
    return made if made <= most else low


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4"])
def test_integers_keep_their_highest_bits(dtype):
    info = np.iinfo(dtype)
    noise = np.random.default_rng(2).integers(
        info.min, info.max, 300, dtype=np.dtype(dtype).newbyteorder("=")
    )
    edges = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 3, 5, 7, 100]
    edges += [-1, -3, -100] if info.min else []
    array = np.concatenate([noise, np.array(edges, noise.dtype)]).astype(dtype)
    for keepbits in (1, 2, 3, 7, 8 * array.itemsize):
        expected = [
            (-1 if value < 0 else 1) * magnitude(abs(value), keepbits, info.max) for value in array.tolist()
        ]
        assert rounded(array, keepbits).tolist() == expected


def test_positive_integers_are_rounded_as_zarrs_rounds_them():
    # From the tests of zarrs: keepbits 3, and each number from its own highest bit.
    array = np.array([0, 1, 10, 100, 200, 255], "u4")
    assert rounded(array, 3).tolist() == [0, 1, 10, 96, 192, 256]


def test_a_float_is_the_nearest_with_fewer_bits():
    array = np.array([1.0, 1.125, 1.25, 1.375, 1.376, 0.1, -1e30, 3.4e38], "f4")
    assert rounded(array, 2).tolist()[:5] == [1.0, 1.0, 1.25, 1.5, 1.5]
    assert rounded(array, 2)[7] == np.inf
    assert rounded(array, 23).tobytes() == array.tobytes()


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_a_nan_stays_a_nan_whatever_its_payload(dtype):
    width = np.dtype(dtype).itemsize
    infinity = int(np.array(np.inf, dtype).view(f"u{width}"))
    sign = 1 << 8 * width - 1
    patterns = [infinity + 1, sign - 1, sign | infinity + 1, 2 * sign - 1]
    array = np.array(patterns, f"u{width}").view(dtype)
    for keepbits in (1, 4):
        found = rounded(array, keepbits)
        assert np.isnan(found).all()
        assert np.signbit(found).tolist() == [False, False, True, True]


def test_complex_numbers_are_rounded_by_parts():
    array = np.array([[1.3 + 2.7j], [complex(np.inf, np.nan)]], "c8")
    found = rounded(array, 2)
    assert found[0, 0] == 1.25 + 2.5j
    assert found[1].view("f4").tobytes() == np.array([np.inf, np.nan], "f4").tobytes()


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3", "float8_e5m2", "float8_e3m4", "float8_e4m3fn"])
def test_narrow_floats_are_rounded_like_wide_ones(name):
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="pip install ml_dtypes")
    dtype = np.dtype(getattr(ml_dtypes, name))
    width = dtype.itemsize
    array = np.arange(1 << 8 * width).astype(f"u{width}").view(dtype)
    found = rounded(array, 1, name)
    with np.errstate(invalid="ignore"):
        wide, made = array.astype("f8"), found.astype("f8")
    assert (np.isnan(made) == np.isnan(wide)).all()
    normal = np.isfinite(wide) & (np.abs(wide) >= float(ml_dtypes.finfo(dtype).smallest_normal))
    expected = rounded(wide, 1)
    limit = float(ml_dtypes.finfo(dtype).max)
    inside = normal & (np.abs(expected) <= limit)
    assert (made[inside] == expected[inside]).all()
    beyond = normal & ~inside
    assert (np.isinf(made[beyond]) | (np.abs(made[beyond]) <= limit)).all()


def test_zero_does_not_become_nan_where_it_has_no_sign():
    pytest.importorskip("ml_dtypes", reason="pip install ml_dtypes")
    patterns = np.arange(256).astype("u1")
    array = patterns.view(data_type("float8_e4m3fnuz").numpy())
    found = rounded(array, 1, "float8_e4m3fnuz")
    assert (np.isnan(found.astype("f4")) == np.isnan(array.astype("f4"))).all()


def test_not_a_time_stays_not_a_time():
    array = np.array([-(2**63), -(2**63) + 1, 1000], "i8").view("m8[s]")
    found = rounded(array, 2)
    assert np.isnat(found).tolist() == [True, False, False]
    assert found.view("i8").tolist()[1:] == [-(2**62 + 2**61), 1024]


def test_integers_of_a_few_bits_are_refused():
    pytest.importorskip("ml_dtypes", reason="pip install ml_dtypes")
    with pytest.raises(ExtensionError, match="the bitround codec can't round elements of int4"):
        rounded(np.zeros(3, data_type("int4").numpy()), 2, "int4")
