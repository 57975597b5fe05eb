"""CRC-32C, against the vectors of RFC 3720 and a table of 256 entries."""

from __future__ import annotations

import random
import sys

import pytest

from zom.codecs.crc32c import sum as sum_module
from zom.codecs.crc32c.sum import crc32c_function, sum_by_tables

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


FUNCTIONS = pytest.mark.parametrize("function", [crc32c_function(), sum_by_tables], ids=["usual", "tables"])
BLOCKS = [*range(1020, 1030), 2047, 2048, 2049, 2051, 2052, 65_535, 65_536, 65_539, 65_540, 66_560]


@FUNCTIONS
@pytest.mark.parametrize(("data", "expected"), VECTORS)
def test_the_vectors_of_the_standard_hold(function, data, expected):
    assert function(data) == expected


@FUNCTIONS
@pytest.mark.parametrize("size", [*range(80), *BLOCKS, 4095, 4096, 4100, 200_003])
def test_the_sum_is_that_of_a_table(function, size):
    data = random.Random(size).randbytes(size)
    assert function(data) == by_table(data)


@FUNCTIONS
@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_all_kinds_of_bytes_are_taken(function, kind):
    assert function(kind(b"123456789")) == 0xE3069283
    assert function(memoryview(b"  123456789")[2:]) == 0xE3069283


@pytest.fixture
def chosen():
    """The function, chosen anew."""
    crc32c_function.cache_clear()
    yield crc32c_function
    crc32c_function.cache_clear()


def test_a_module_without_compiled_code_is_passed_over_without_a_warning(chosen, monkeypatch, tmp_path):
    """As google-crc32c is on platforms for which it was not built."""
    package = tmp_path / "google_crc32c"
    package.mkdir()
    text = 'import warnings\nwarnings.warn("slow", RuntimeWarning)\nimplementation = "python"\nvalue = None\n'
    (package / "__init__.py").write_text(text)
    monkeypatch.setattr(sum_module, "has_lock", lambda: True)
    monkeypatch.delitem(sys.modules, "google_crc32c", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    assert chosen() is sum_by_tables
    assert sys.modules["google_crc32c"].implementation == "python"


def test_no_module_is_imported_that_would_bring_the_lock_back(chosen, monkeypatch):
    monkeypatch.setattr(sum_module, "has_lock", lambda: False)
    monkeypatch.setitem(sys.modules, "google_crc32c", None)  # an import of it fails
    assert chosen() is sum_by_tables
