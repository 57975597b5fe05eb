"""gzip and zlib chunks of several members, with something behind them, or with sums that don't fit."""

from __future__ import annotations

import gzip
import random
import tracemalloc
import zlib

import pytest

from zom.codecs.gzip.libdeflate import ends_with
from zom.errors import CodecError

DATA = bytes(random.Random(7).choices(range(12), k=5000))


@pytest.fixture
def refused(stream_coder):
    def reason(data, nbytes=5000, most=5000, name="gzip"):
        with pytest.raises(CodecError) as caught:
            stream_coder(name, nbytes, most=most).decode(data)
        return str(caught.value)

    return reason


@pytest.fixture
def both(stream_coder):
    """A function that asserts what a chunk is read as, its size known or not."""

    def check(data, expected, name="gzip"):
        assert bytes(stream_coder(name, len(expected)).decode(data)) == expected
        target = memoryview(bytearray(len(expected)))
        stream_coder(name, len(expected)).decode_into(data, target)
        assert target == expected
        for most in (len(expected), len(expected) + 1, 10 * len(expected) + 1000):
            assert bytes(stream_coder(name, None, most=most).decode(data)) == expected

    return check


def test_members_are_one_chunk(both):
    both(gzip.compress(DATA[:1]) + gzip.compress(DATA[1:3000]) + gzip.compress(DATA[3000:]), DATA)
    both(gzip.compress(b"") + gzip.compress(DATA) + gzip.compress(b""), DATA)
    both(gzip.compress(DATA) * 2, DATA * 2)


def test_long_members_are_one_chunk(both):
    data = random.Random(0).randbytes(200_000)
    both(gzip.compress(data) * 3, data * 3)


def test_what_stands_in_the_header_of_a_member_is_no_data(both):
    # A name, a comment, a sum of the header: RFC 1952, section 2.3.1.
    header = b"\x1f\x8b\x08\x1e" + bytes(5) + b"\xff" + b"\x04\0extra"[:6] + b"name\0comment\0"
    header += (zlib.crc32(header) & 0xFFFF).to_bytes(2, "little")
    both(header + gzip.compress(DATA)[10:], DATA)


@pytest.mark.parametrize("zeros", [1, 7, 8, 9, 512, 100_000])
def test_zeros_may_follow_a_member(both, zeros):
    both(gzip.compress(DATA) + bytes(zeros), DATA)
    both(gzip.compress(DATA[:9]) + bytes(zeros) + gzip.compress(DATA[9:]) + bytes(zeros), DATA)


@pytest.mark.parametrize("more", [b"x", b"xx", b"\x1f", b"\0\0x", b"PK\x03\x04" * 30])
def test_anything_else_behind_a_member_is_an_error(refused, more):
    for nbytes in (5000, None):
        reason = refused(gzip.compress(DATA) + more, nbytes)
        count = len(more.lstrip(b"\0"))
        start = more.lstrip(b"\0")[:4].hex(" ")
        assert reason == f"expected nothing after the gzip data, found {count} bytes, {start}"


def test_what_only_looks_like_the_end_of_the_member_is_an_error(refused):
    # libdeflate stops at the end of the first member; the chunk ends with the same eight bytes.
    encoded = gzip.compress(DATA)
    for nbytes in (5000, None):
        assert refused(encoded + b"junk" + encoded[-8:], nbytes).startswith(
            "expected nothing after the gzip data"
        )
    assert refused(encoded * 2) == "expected 5000 bytes, found more"
    zlib_data = zlib.compress(DATA)
    assert refused(zlib_data + b"junk" + zlib_data[-4:], name="numcodecs.zlib") == (
        "expected nothing after the zlib data, found 8 bytes, 6a 75 6e 6b"
    )


def test_a_second_member_that_is_damaged_or_cut_off_is_an_error(refused):
    first, second = gzip.compress(DATA[:2000]), bytearray(gzip.compress(DATA[2000:]))
    for size in range(1, len(second), 7):
        reason = refused(first + second[:size])
        assert reason.startswith("truncated gzip data: expected 5000 bytes and an end, found ") or size == 1
    second[-8] ^= 1
    assert refused(first + second) == "damaged gzip data: incorrect data check"


def test_wrong_sums_and_sizes_are_told(refused):
    encoded = bytearray(gzip.compress(DATA))
    encoded[-5] ^= 1
    assert refused(encoded) == "damaged gzip data: incorrect data check"
    encoded[-5] ^= 1
    encoded[-1] ^= 1
    for nbytes in (5000, None):
        assert refused(encoded, nbytes, 1 << 31) == "damaged gzip data: incorrect length check"
    assert refused(zlib.compress(DATA)) == "damaged gzip data: incorrect header check"
    assert refused(gzip.compress(DATA), name="numcodecs.zlib") == "damaged zlib data: incorrect header check"
    spoilt = bytearray(zlib.compress(DATA))
    spoilt[-1] ^= 1
    assert refused(spoilt, name="numcodecs.zlib") == "damaged zlib data: incorrect data check"


def test_a_chunk_cut_off_is_told(refused):
    encoded = gzip.compress(DATA)
    assert refused(encoded[:-1]) == "truncated gzip data: expected 5000 bytes and an end, found 5000 bytes"
    assert refused(encoded[:9]) == "truncated gzip data: expected 5000 bytes and an end, found 0 bytes"
    assert refused(b"", None) == "truncated gzip data: expected at most 5000 bytes and an end, found 0 bytes"


def test_a_stated_size_of_gibibytes_takes_no_memory(stream_coder):
    data = bytearray(gzip.compress(bytes(1000)))
    data[-4:] = b"\xff\xff\xff\xff"
    for nbytes in (None, 0xFFFFFFFF):
        coder = stream_coder("gzip", nbytes, most=1 << 32)
        tracemalloc.start()
        with pytest.raises(CodecError, match="incorrect length check"):
            coder.decode(data)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 5_000_000 or nbytes  # that it is asked for


def test_a_limit_beyond_what_the_machine_counts_is_none(stream_coder):
    # As 4 GiB is where addresses have 32 bits.
    encoded = gzip.compress(DATA)
    assert stream_coder("gzip", None, most=1 << 70).decode(encoded) == DATA
    assert stream_coder("gzip", None, most=1 << 70).decode(encoded + encoded) == DATA * 2


def test_very_many_members_are_read(both, refused):
    # Were what is left copied for each of them, this would take minutes.
    both(gzip.compress(b"") * 20_000 + gzip.compress(DATA), DATA)
    assert refused(gzip.compress(b"ab") * 20_000) == "expected 5000 bytes, found more"


@pytest.mark.parametrize("level", range(10))
def test_every_level_is_read_by_zlib(stream_coder, level):
    encoded = bytes(stream_coder("gzip", 5000, {"level": level}).encode(DATA))
    assert gzip.decompress(encoded) == DATA
    assert zlib.decompress(stream_coder("numcodecs.zlib", 5000, {"level": level}).encode(DATA)) == DATA
    assert (len(encoded) < 5000) == (level > 0)


def test_v2_has_the_level_of_the_library(stream_coder):
    encoded = stream_coder("gzip", 5000, {"level": -1}, v2=True).encode(DATA)
    assert gzip.decompress(encoded) == DATA


def test_no_time_is_written(stream_coder):
    encoded = stream_coder("gzip", 5000, {"level": 5}).encode(DATA)
    assert bytes(encoded[4:8]) == bytes(4)


def test_libdeflate_is_used_where_it_can_be(stream_coder, monkeypatch):
    coder = stream_coder("gzip", 5000, {"level": 5})
    monkeypatch.setattr("zom.codecs.gzip.inflate.Inflater.decode", lambda *_: b"by zlib")
    for encoded in (gzip.compress(DATA), coder.encode(DATA), memoryview(gzip.compress(DATA))):
        assert bytes(coder.decode(encoded)) == DATA


@pytest.mark.parametrize("size", [100, 20_000, 20_001, 20_002, 20_003])
@pytest.mark.parametrize("length", [4, 8])
def test_an_end_is_found_elsewhere_wherever_it_stands(size, length):
    data = bytearray(random.Random(size).randbytes(size))
    tail = bytes(data[-length:])
    assert ends_with(bytes(data), tail)
    assert ends_with(memoryview(data), tail)
    assert not ends_with(bytes(data) + b"x", tail)
    for place in {*range(40), *range(size - length - 40, size - length - 7), size // 2, size // 2 + 1}:
        if 0 <= place <= size - 2 * length:
            changed = data[:]
            changed[place : place + length] = tail
            assert not ends_with(bytes(changed), tail)


def test_an_end_may_overlap_itself():
    for size in (50, 20_000):
        data = bytes(random.Random(1).randbytes(size))
        assert ends_with(data + b"\1" + bytes(8), bytes(8))
        assert not ends_with(data + bytes(9), bytes(8))
        assert not ends_with(data + b"abababababab", b"abababab")
