"""CRC-32C, against the vectors of RFC 3720, a table of 256 entries, and google-crc32c."""

from __future__ import annotations

import random
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zom.codecs.crc32c import sum as crc32c_sum
from zom.codecs.crc32c.sum import crc32c_function, crc32c_in_numpy

INQUIRY = bytes.fromhex(
    "01c00000 00000000 00000000 00000000 14000000 00000400"
    "00000014 00000018 28000000 00000000 02000000 00000000".replace(" ", "")
)
VECTORS = [
    (bytes(32), 0x8A9136AA),
    (b"\xff" * 32, 0x62A8AB43),
    (bytes(range(32)), 0x46DD794E),
    (bytes(range(31, -1, -1)), 0x113FDB5C),
    (INQUIRY, 0xD9963A56),
    (b"123456789", 0xE3069283),
    (b"", 0),
]


def table():
    made = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
        made.append(value)
    return made


TABLE = table()


def by_table(data):
    register = 0xFFFFFFFF
    for byte in data:
        register = TABLE[(register ^ byte) & 255] ^ (register >> 8)
    return register ^ 0xFFFFFFFF


@pytest.mark.parametrize(("data", "expected"), VECTORS)
def test_the_vectors_of_the_standard_hold(data, expected):
    assert crc32c_in_numpy(data) == expected
    assert crc32c_function()(data) == expected


SIZES = [*range(80), 4095, 4096, 4100, *range(5683, 5700), 11370, 11371, 11393, 20000, 65540, 200_003]


@pytest.mark.parametrize("size", SIZES)
def test_numpy_makes_the_same_sum_as_a_table(size):
    data = random.Random(size).randbytes(size)
    assert crc32c_in_numpy(data) == by_table(data)


def test_pieces_are_one_sum(monkeypatch):
    data = random.Random(0).randbytes(50_000)
    monkeypatch.setattr(crc32c_sum, "_PIECE", 7_001)
    assert crc32c_in_numpy(data) == by_table(data)


def test_each_byte_of_a_long_chunk_counts():
    data = bytearray(random.Random(1).randbytes(30_000))
    whole = crc32c_in_numpy(data)
    for place in range(0, len(data), 997):
        data[place] ^= 1
        assert crc32c_in_numpy(data) != whole
        data[place] ^= 1


def test_the_relation_that_folding_rests_on_holds():
    def power(count):
        value = 1 << 31  # x^0: all is reflected
        for _ in range(8 * count):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
        return value

    assert power(5685) == power(1362) ^ power(426) ^ power(0)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
@pytest.mark.parametrize("function", [crc32c_in_numpy, crc32c_function()])
def test_all_kinds_of_bytes_are_taken(kind, function):
    assert function(kind(b"123456789")) == 0xE3069283
    assert function(memoryview(b"  123456789")[2:]) == 0xE3069283


@given(st.binary(max_size=300), st.integers(0, 20_000))
def test_googles_sum_is_the_same(data, zeros):
    google = pytest.importorskip("google_crc32c", reason="google-crc32c is not installed")
    data += bytes(zeros)
    assert crc32c_in_numpy(data) == google.value(data)


def test_without_googles_package_numpy_is_taken(monkeypatch):
    monkeypatch.setitem(sys.modules, "google_crc32c", None)
    crc32c_function.cache_clear()
    try:
        assert crc32c_function() is crc32c_in_numpy
    finally:
        crc32c_function.cache_clear()


def test_googles_package_without_its_c_code_is_not_taken(monkeypatch):
    google = pytest.importorskip("google_crc32c", reason="google-crc32c is not installed")
    monkeypatch.setattr(google, "implementation", "python")
    crc32c_function.cache_clear()
    try:
        assert crc32c_function() is crc32c_in_numpy
    finally:
        crc32c_function.cache_clear()
