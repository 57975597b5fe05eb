"""Checksums, run beside those of numcodecs."""

from __future__ import annotations

import random

import numcodecs
import pytest

from zom.errors import CodecError

CASES = [
    ("adler32", {}),
    ("adler32", {"location": "end"}),
    ("crc32", {}),
    ("crc32", {"location": "end"}),
    ("crc32c", {}),
    ("crc32c", {"location": "start"}),
    ("fletcher32", {}),
    ("jenkins_lookup3", {}),
    ("jenkins_lookup3", {"initval": 0xFFFFFFFF}),
    ("jenkins_lookup3", {"initval": 7, "prefix": [1, 2, 3, 255, 0]}),
]
SIZES = [
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    11,
    12,
    13,
    24,
    25,
    359,
    360,
    361,
    719,
    720,
    721,
    1441,
    4095,
    4096,
    4097,
    65_537,
]


def theirs(name, configuration):
    if "prefix" in configuration:
        configuration = {**configuration, "prefix": bytes(configuration["prefix"])}
    if name == "crc32c" and not hasattr(numcodecs, "CRC32C"):
        pytest.skip("numcodecs has no crc32c: it is older than 0.16.4")
    return numcodecs.get_codec({"id": name, **configuration})


@pytest.mark.parametrize(("name", "configuration"), CASES)
@pytest.mark.parametrize("fill", ["random", "ones", "zeros"])
def test_numcodecs_writes_and_reads_the_same(stream_coder, name, configuration, fill):
    peer = theirs(name, configuration)
    for size in SIZES:
        data = {"ones": b"\xff" * size, "zeros": bytes(size)}.get(fill, random.Random(size).randbytes(size))
        for v2 in (False, True):
            coder = stream_coder(f"numcodecs.{name}", size, configuration, v2=v2)
            encoded = bytes(coder.encode(data))
            assert encoded == bytes(peer.encode(data))
            assert bytes(coder.decode(encoded)) == data
            assert bytes(memoryview(peer.decode(encoded))) == data


@pytest.mark.parametrize(("name", "configuration"), [*CASES, ("v3", {})])
def test_no_flipped_bit_goes_unseen(stream_coder, name, configuration):
    name = "crc32c" if name == "v3" else f"numcodecs.{name}"
    data = random.Random(3).randbytes(37)
    coder = stream_coder(name, len(data), configuration)
    encoded = bytearray(coder.encode(data))
    for bit in range(8 * len(encoded)):
        encoded[bit // 8] ^= 1 << bit % 8
        with pytest.raises(
            CodecError, match=r"^checksum mismatch: expected 0x[0-9a-f]{8}, found 0x[0-9a-f]{8}$"
        ):
            coder.decode(encoded)
        encoded[bit // 8] ^= 1 << bit % 8
    assert bytes(coder.decode(encoded)) == data


@pytest.mark.parametrize(("name", "configuration"), [*CASES, ("v3", {})])
def test_other_lengths_are_told(stream_coder, name, configuration):
    name = "crc32c" if name == "v3" else f"numcodecs.{name}"
    coder = stream_coder(name, 10, configuration)
    encoded = bytes(coder.encode(bytes(10)))
    for size in range(4):
        with pytest.raises(CodecError) as caught:
            coder.decode(encoded[:size])
        assert str(caught.value) == f"truncated checksum: expected at least 4 bytes, found {size}"
    for size in range(4, 14):
        with pytest.raises(CodecError) as caught:
            coder.decode(encoded[:size])
        assert str(caught.value) == f"expected 10 bytes, found {size - 4}"
    with pytest.raises(CodecError, match=r"^expected 10 bytes, found 11$"):
        coder.decode(encoded + b"x")


def test_where_no_size_is_known_it_is_bounded(stream_coder):
    coder = stream_coder("crc32c", None, most=10)
    for size in (0, 1, 10):
        assert bytes(coder.decode(coder.encode(bytes(size)))) == bytes(size)
    with pytest.raises(CodecError, match=r"^expected at most 10 bytes, found 11$"):
        coder.decode(coder.encode(bytes(11)))


@pytest.mark.parametrize(("name", "configuration"), CASES)
def test_a_chunk_of_nothing_has_a_sum(stream_coder, name, configuration):
    coder = stream_coder(f"numcodecs.{name}", 0, configuration)
    encoded = bytes(coder.encode(b""))
    assert len(encoded) == 4
    assert bytes(coder.decode(encoded)) == b""


def test_the_v3_codec_appends_four_bytes_little_endian(stream_coder):
    data = b"123456789"
    assert stream_coder("crc32c", 9).encode(data) == data + (0xE3069283).to_bytes(4, "little")


def test_a_wrong_sum_is_shown(stream_coder):
    encoded = b"123456789" + (0x12345678).to_bytes(4, "little")
    with pytest.raises(CodecError) as caught:
        stream_coder("crc32c", 9).decode(encoded)
    assert str(caught.value) == "checksum mismatch: expected 0x12345678, found 0xe3069283"


def test_the_bytes_are_not_copied(stream_coder):
    data = bytearray(stream_coder("crc32c", 9).encode(b"123456789"))
    view = stream_coder("crc32c", 9).decode(data)
    data[0] = 0
    assert view[0] == 0


def test_they_are_put_where_they_are_wanted(stream_coder):
    coder = stream_coder("crc32c", 9)
    target = memoryview(bytearray(9))
    coder.decode_into(coder.encode(b"123456789"), target)
    assert target == b"123456789"


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
@pytest.mark.parametrize(("name", "configuration"), CASES)
def test_all_kinds_of_bytes_are_taken(stream_coder, name, configuration, kind):
    coder = stream_coder(f"numcodecs.{name}", 9, configuration)
    encoded = coder.encode(kind(b"123456789"))
    assert bytes(coder.decode(kind(encoded))) == b"123456789"


def test_core_writes_the_sum_after_the_bytes(stream_coder):
    coder = stream_coder("crc32c", 9)
    assert coder.encode(b"123456789")[-4:] == (0xE3069283).to_bytes(4, "little")
