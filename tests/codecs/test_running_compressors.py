"""The compressors, run beside those of numcodecs, and on what is no work of theirs."""

from __future__ import annotations

import contextlib
import random
import tracemalloc

import numcodecs
import numpy as np
import pytest

from zom.errors import CodecError

XZ, ALONE, RAW = 1, 2, 3
RAW_FILTERS = [{"id": 3, "dist": 4}, {"id": 33, "preset": 1}]
# Name, configuration, what numcodecs calls it, and whether a sum guards all data.
CASES = [
    ("gzip", {"level": 5}, "gzip", True),
    ("gzip", {"level": 0}, "gzip", True),
    ("numcodecs.gzip", {}, "gzip", True),
    ("numcodecs.zlib", {"level": 9}, "zlib", True),
    ("numcodecs.zlib", {"level": -1}, "zlib", True),
    ("numcodecs.bz2", {}, "bz2", True),
    ("numcodecs.lzma", {"preset": 1}, "lzma", True),
    ("numcodecs.lzma", {"preset": 0, "check": 1}, "lzma", True),
    ("numcodecs.lzma", {"preset": 0, "check": 0}, "lzma", False),
    ("numcodecs.lzma", {"format": ALONE, "preset": 0}, "lzma", False),
    ("numcodecs.lzma", {"format": RAW, "filters": RAW_FILTERS}, "lzma", False),
    ("numcodecs.lz4", {}, "lz4", False),
    ("numcodecs.lz4", {"acceleration": 100}, "lz4", False),
    ("zstd", {"level": 3, "checksum": True}, "zstd", True),
    ("zstd", {"level": 3}, "zstd", False),
    ("zstd", {"level": -7}, "zstd", False),
    ("numcodecs.zstd", {"checksum": True}, "zstd", True),
    ("numcodecs.base64", {}, "base64", False),
]


def name_of(case):
    name, configuration, *_ = case
    return "-".join([name, *(f"{key}={value}" for key, value in configuration.items() if key != "filters")])


every_codec = pytest.mark.parametrize(
    ("name", "configuration", "peer", "guarded"), CASES, ids=map(name_of, CASES)
)


def samples():
    field = np.cumsum(np.random.default_rng(5).normal(size=3000)).astype("f4")
    yield from (b"a", b"ab", bytes(7), bytes(100_000), field.tobytes(), random.Random(1).randbytes(4097))


def theirs(peer, configuration):
    return numcodecs.get_codec({"id": peer, **configuration})


@every_codec
def test_numcodecs_reads_what_is_written(stream_coder, name, configuration, peer, guarded):
    for data in samples():
        encoded = stream_coder(name, len(data), configuration).encode(data)
        assert bytes(theirs(peer, configuration).decode(encoded)) == data


@every_codec
def test_what_numcodecs_writes_is_read(stream_coder, name, configuration, peer, guarded):
    for data in samples():
        coder = stream_coder(name, len(data), configuration)
        encoded = bytes(theirs(peer, configuration).encode(data))
        assert bytes(coder.decode(encoded)) == data
        target = memoryview(bytearray(len(data)))
        coder.decode_into(encoded, target)
        assert target == data


@every_codec
def test_it_is_read_where_no_size_is_known(stream_coder, name, configuration, peer, guarded):
    for data in samples():
        encoded = bytes(theirs(peer, configuration).encode(data))
        for most in (len(data), len(data) + 1, 10 * len(data) + 99):
            assert bytes(stream_coder(name, None, configuration, most=most).decode(encoded)) == data


@every_codec
def test_a_chunk_of_nothing_stays_one(stream_coder, name, configuration, peer, guarded):
    coder = stream_coder(name, 0, configuration)
    encoded = coder.encode(b"")
    assert bytes(coder.decode(encoded)) == b""
    coder.decode_into(encoded, memoryview(bytearray()))
    assert bytes(stream_coder(name, None, configuration, most=9).decode(encoded)) == b""


@every_codec
@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_all_kinds_of_bytes_are_taken(stream_coder, name, configuration, peer, guarded, kind):
    coder = stream_coder(name, 1000, configuration)
    encoded = coder.encode(kind(bytes(1000)))
    assert bytes(coder.decode(kind(encoded))) == bytes(1000)
    assert bytes(coder.decode(memoryview(b"xx" + bytes(encoded))[2:])) == bytes(1000)


@every_codec
def test_what_is_encoded_twice_is_the_same(stream_coder, name, configuration, peer, guarded):
    coder = stream_coder(name, 1000, configuration)
    assert bytes(coder.encode(bytes(1000))) == bytes(coder.encode(bytes(1000)))


@every_codec
def test_a_chunk_of_another_size_is_told(stream_coder, name, configuration, peer, guarded):
    encoded = bytes(theirs(peer, configuration).encode(bytes(1000)))
    for size, found in [(999, "1000|more"), (10, "1000|more"), (1001, "1000"), (5000, "1000")]:
        coder = stream_coder(name, size, configuration)
        expected = f"^expected (base64 characters for )?{size} bytes, found ({found}|1336 characters)$"
        for call in (coder.decode, lambda data: coder.decode_into(data, memoryview(bytearray(size)))):  # noqa: B023
            with pytest.raises(CodecError, match=expected):
                call(encoded)
    with pytest.raises(
        CodecError,
        match=r"^expected (base64 characters for )?at most 10 bytes, found (1000|more|1336 characters)$",
    ):
        stream_coder(name, None, configuration, most=10).decode(encoded)


@every_codec
def test_a_chunk_cut_off_anywhere_is_an_error(stream_coder, name, configuration, peer, guarded):
    data = bytes(random.Random(4).choices(range(9), k=150))
    coder = stream_coder(name, len(data), configuration)
    unknown = stream_coder(name, None, configuration, most=1000)
    encoded = bytes(theirs(peer, configuration).encode(data))
    for size in range(len(encoded)):
        with pytest.raises(CodecError):
            coder.decode(encoded[:size])
        if peer != "base64":  # where any four letters are a text
            with pytest.raises(CodecError):
                unknown.decode(encoded[:size])
    with pytest.raises(CodecError, match=r"^(truncated|damaged or truncated|expected 150 bytes, found 0)"):
        coder.decode(b"")


@every_codec
def test_what_follows_a_chunk_is_an_error(stream_coder, name, configuration, peer, guarded):
    encoded = bytes(theirs(peer, configuration).encode(bytes(999)))
    coder = stream_coder(name, 999, configuration)
    for more in (b"x", b"xyz" * 30, b"\0\0x", b"AAAA"):
        with pytest.raises(CodecError):
            coder.decode(encoded + more)


@every_codec
def test_a_flipped_bit_never_changes_the_size(stream_coder, name, configuration, peer, guarded):
    data = bytes(random.Random(4).choices(range(9), k=60))
    coder = stream_coder(name, len(data), configuration)
    unknown = stream_coder(name, None, configuration, most=300)
    encoded = bytearray(theirs(peer, configuration).encode(data))
    told = 0
    for bit in range(8 * len(encoded)):
        encoded[bit // 8] ^= 1 << bit % 8
        try:
            made = bytes(coder.decode(bytes(encoded)))
        except CodecError:
            told += 1
        else:
            assert made == data if guarded else len(made) == len(data)
        with contextlib.suppress(CodecError):
            assert len(unknown.decode(bytes(encoded))) <= 300
        encoded[bit // 8] ^= 1 << bit % 8
    assert told


@every_codec
def test_noise_is_an_error(stream_coder, name, configuration, peer, guarded):
    coder = stream_coder(name, 1000, configuration)
    for seed in range(200):
        noise = random.Random(seed).randbytes(seed * 7 % 300)
        with pytest.raises(CodecError):
            coder.decode(noise)


@pytest.mark.slow
@every_codec
@pytest.mark.parametrize("nbytes", [1000, None])
def test_a_bomb_takes_no_memory(stream_coder, name, configuration, peer, guarded, nbytes):
    bomb = bytes(theirs(peer, configuration).encode(bytes(30_000_000)))
    coder = stream_coder(name, nbytes, configuration, most=1000)
    tracemalloc.start()
    with pytest.raises(CodecError, match=r"^expected (base64 characters for )?(at most )?1000 bytes, found"):
        coder.decode(bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # bz2 and lzma need windows of their own, whatever a chunk holds.
    assert peak < (5_000_000 if peer in {"bz2", "lzma"} else 300_000)


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_without_a_level_the_library_takes_its_own(stream_coder, name):
    data = bytes(5000)
    coder = stream_coder(name, 5000, {})
    assert bytes(coder.decode(coder.encode(data))) == data


def test_an_lz4_block_of_nothing_holds_nothing(stream_coder):
    coder = stream_coder("numcodecs.lz4", 0)
    with pytest.raises(CodecError) as caught:
        coder.decode(b"\0\0\0\0\x10a")
    assert str(caught.value) == "expected an lz4 block of no bytes, found 2 bytes of data"


def test_an_lz4_block_that_states_too_much_is_not_believed(stream_coder):
    coder = stream_coder("numcodecs.lz4", None, most=1 << 30)
    with pytest.raises(CodecError) as caught:
        coder.decode((1 << 29).to_bytes(4, "little") + bytes(10))
    assert (
        str(caught.value)
        == "damaged or truncated lz4 block: 10 bytes can't hold the 536870912 that it states"
    )


def test_lz4_refuses_what_is_too_long_for_it(stream_coder, monkeypatch):
    monkeypatch.setattr(numcodecs.lz4.LZ4, "max_buffer_size", 10)
    with pytest.raises(CodecError) as caught:
        stream_coder("numcodecs.lz4", 11).encode(bytes(11))
    assert str(caught.value) == "expected at most 10 bytes, the maximum of lz4, found 11"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"YWJj\n", "expected base64 characters for 3 bytes, found 5 characters"),
        (b"YW-j", "damaged or truncated base64 text: only base64 data is allowed"),
        (b"YWJ", "damaged or truncated base64 text: incorrect padding"),
        (b"YQ==", "expected 3 bytes, found 1"),
    ],
)
def test_base64_is_read_to_the_letter(stream_coder, text, reason):
    with pytest.raises(CodecError) as caught:
        stream_coder("numcodecs.base64", 3).decode(text)
    assert str(caught.value) == reason
