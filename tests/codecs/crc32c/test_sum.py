"""CRC-32C, against the vectors of RFC 3720 and a table of 256 entries."""

from __future__ import annotations

import random

import pytest

from zom.codecs.crc32c.sum import crc32c_function

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
    assert crc32c_function()(data) == expected


@pytest.mark.parametrize("size", [*range(80), 4095, 4096, 4100, 65_540, 200_003])
def test_the_sum_is_that_of_a_table(size):
    data = random.Random(size).randbytes(size)
    assert crc32c_function()(data) == by_table(data)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_all_kinds_of_bytes_are_taken(kind):
    assert crc32c_function()(kind(b"123456789")) == 0xE3069283
    assert crc32c_function()(memoryview(b"  123456789")[2:]) == 0xE3069283
