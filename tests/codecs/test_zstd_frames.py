"""zstd chunks of all shapes that RFC 8878 allows, and of some that it doesn't."""

from __future__ import annotations

import random
import struct
import tracemalloc

import numcodecs.zstd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zom.codecs.zstd import coder as zstd_coder
from zom.codecs.zstd.coder import ZstdCoder
from zom.codecs.zstd.frame import frames_of, stated_size
from zom.errors import CodecError
from zom.extension.bound import Stream

MAGIC = b"\x28\xb5\x2f\xfd"
DATA = bytes(random.Random(7).choices(range(12), k=5000))


@pytest.fixture(scope="module")
def peer():
    return pytest.importorskip("zstandard", reason="the package zstandard is not installed")


def coder(nbytes, most=None):
    return ZstdCoder(Stream(nbytes, most if nbytes is None else nbytes), 3, checksum=False)


def skippable(data=b"", number=0):
    return struct.pack("<II", 0x184D2A50 + number, len(data)) + data


def frame(data, checksum=False):
    return numcodecs.zstd.compress(data, 3, checksum)


def streamed(peer, data, *, flush=None, checksum=False, level=3):
    """A frame that doesn't state its size."""
    compressor = peer.ZstdCompressor(level=level, write_content_size=False, write_checksum=checksum)
    if flush is None:
        return compressor.compress(data)
    stream = compressor.compressobj()
    made = b""
    for start in range(0, len(data), flush):
        made += stream.compress(data[start : start + flush]) + stream.flush(peer.COMPRESSOBJ_FLUSH_BLOCK)
    return made + stream.flush()


def block(kind, size, body, last=False):
    return (size << 3 | kind << 1 | last).to_bytes(3, "little") + body


def refused(data, nbytes=None, most=10_000):
    with pytest.raises(CodecError) as caught:
        coder(nbytes, most).decode(data)
    if nbytes:
        with pytest.raises(CodecError):
            coder(nbytes).decode_rows([frame(bytes(nbytes)), data], memoryview(bytearray(2 * nbytes)))
    return str(caught.value)


def both(data, expected):
    """`data` is read as `expected`, its size known or not."""
    assert bytes(coder(len(expected)).decode(data)) == expected
    target = memoryview(bytearray(len(expected)))
    coder(len(expected)).decode_into(data, target)
    assert target == expected
    if expected:
        rows = memoryview(bytearray(3 * len(expected)))
        coder(len(expected)).decode_rows([frame(expected, checksum=True), data, frame(expected)], rows)
        assert rows == 3 * expected
    for most in (len(expected), len(expected) + 1, 10 * len(expected) + 1000):
        assert bytes(coder(None, most).decode(data)) == expected


@pytest.mark.parametrize("checksum", [False, True])
@pytest.mark.parametrize("flush", [None, 100, 1000, 4999])
def test_a_frame_that_states_no_size_is_read(peer, flush, checksum):
    data = streamed(peer, DATA, flush=flush, checksum=checksum)
    assert stated_size(data) is None
    both(data, DATA)


def test_a_long_frame_that_states_no_size_is_read(peer):
    data = random.Random(1).randbytes(300_000) + bytes(300_000) + DATA
    both(streamed(peer, data), data)
    both(streamed(peer, data, flush=70_000), data)


@pytest.mark.parametrize("nbytes", [len(DATA), None])
def test_such_a_frame_that_holds_too_much_is_refused(peer, nbytes):
    for more in (1, 100, 200_000):
        data = streamed(peer, DATA + bytes(more), flush=3000)
        expected = f"expected {'' if nbytes else 'at most '}5000 bytes, found more"
        assert refused(data, nbytes, 5000) == expected


def test_such_a_frame_that_holds_too_little_is_refused(peer):
    assert refused(streamed(peer, DATA[:-1]), 5000) == "expected 5000 bytes, found 4999"
    assert refused(streamed(peer, b""), 5000) == "expected 5000 bytes, found 0"


def test_several_frames_are_one_chunk(peer):
    a, b, c = DATA[:1000], DATA[1000:1001], DATA[1001:]
    plain = [frame(a), frame(b, checksum=True), frame(c)]
    long = [streamed(peer, a), streamed(peer, b, checksum=True), streamed(peer, c, flush=500)]
    for choice in range(8):
        parts = [(long if choice >> k & 1 else plain)[k] for k in range(3)]
        both(b"".join(parts), DATA)


def test_frames_to_be_skipped_are_skipped(peer):
    for one in (frame(DATA), streamed(peer, DATA)):
        both(skippable() + one, DATA)
        both(skippable(b"note", 15) + skippable() + one + skippable(MAGIC * 9, 7), DATA)
    both(skippable(b"abc") + frame(DATA[:9]) + skippable(b"abc") + streamed(peer, DATA[9:]), DATA)
    both(skippable(b"abc"), b"")


def test_frames_of_nothing_hold_nothing(peer):
    empty = [frame(b""), frame(b"", checksum=True), streamed(peer, b""), streamed(peer, b"", checksum=True)]
    for each in empty:
        both(each, b"")
        both(each + frame(DATA) + each, DATA)
        both(each + streamed(peer, DATA) + each, DATA)


def test_a_frame_of_repeated_bytes_is_read():
    data = MAGIC + b"\x00\x58" + block(1, 70_000, b"z") + block(0, 3, b"end", last=True)
    both(data, b"z" * 70_000 + b"end")


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("nbytes", [0, 1, 255, 256, 257, 65_791, 65_792, 70_000])
def test_the_stated_size_is_found_in_all_its_forms(peer, nbytes, single):
    data = frame(bytes(nbytes)) if single else peer.ZstdCompressor(level=1).compress(bytes(nbytes))
    assert stated_size(data) == peer.frame_content_size(data) == nbytes
    assert [found.size for found in frames_of(data)] == [nbytes]


def test_the_largest_stated_sizes_are_found(peer):
    for size in (1 << 31, 1 << 40):
        made = peer.ZstdCompressor(level=1).compressobj(size=size)
        data = made.compress(bytes(100_000)) + made.flush(peer.COMPRESSOBJ_FLUSH_BLOCK)
        assert stated_size(data) == size


@pytest.mark.parametrize("nbytes", [5000, None])
@pytest.mark.parametrize(
    "more", [b"x", b"\0", b"\0" * 50, MAGIC[:2], MAGIC, skippable(b"abc")[:-1], b"AAAAAAAA"]
)
def test_what_is_no_frame_behind_one_is_refused(peer, nbytes, more):
    for one in (frame(DATA), streamed(peer, DATA)):
        reason = refused(one + more, nbytes)
        place = f"at byte {len(one)}"
        assert place in reason
        assert reason.startswith(("truncated zstd frame", "expected a zstd frame (28 b5 2f fd)"))


def test_one_chunk_more_is_one_too_many():
    assert refused(frame(DATA) * 2, 5000) == "expected 5000 bytes, found 10000"
    assert refused(frame(DATA) * 2, None, 9999) == "expected at most 9999 bytes, found 10000"


def test_a_stated_size_is_compared_before_anything_is_made():
    made = bytearray(frame(bytes(100_000)))
    place = 5  # of the size: four bytes in a frame of one segment
    assert stated_size(made) == 100_000
    made[place : place + 4] = (1 << 31).to_bytes(4, "little")
    reason = "damaged zstd frame at byte 0: it states 2147483648 bytes, but its blocks have at most "
    tracemalloc.start()
    assert refused(made, 100_000).startswith(reason)
    assert refused(made, None, 1 << 40).startswith(reason)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


@pytest.mark.parametrize("nbytes", [700, None])
@pytest.mark.parametrize("checksum", [False, True])
def test_a_frame_cut_off_anywhere_is_refused_and_nothing_hangs(peer, nbytes, checksum):
    data = DATA[:700]
    for whole in (
        streamed(peer, data, checksum=checksum),
        frame(data, checksum),
        frame(b"a") + streamed(peer, data),
    ):
        for size in range(len(whole)):
            if whole[:size] == frame(b"a"):
                continue  # a chunk of one byte, and not cut off
            reason = refused(whole[:size], nbytes)
            assert reason.startswith("truncated zstd frame") or not size
            assert size or reason == "truncated zstd data: expected a frame, found 0 bytes"


def test_several_frames_without_a_size_cut_off_in_the_second_are_refused(peer):
    first = streamed(peer, DATA)
    second = streamed(peer, DATA)
    for size in range(1, len(second), 13):
        assert refused(first + second[:size], 10_000).startswith("truncated zstd frame at byte")


@pytest.mark.parametrize("nbytes", [300, None])
@pytest.mark.parametrize("checksum", [False, True])
def test_a_flipped_bit_of_a_frame_without_a_size_gives_no_other_size(peer, nbytes, checksum):
    data = DATA[:300]
    encoded = bytearray(streamed(peer, data, flush=100, checksum=checksum))
    for bit in range(8 * len(encoded)):
        encoded[bit // 8] ^= 1 << bit % 8
        try:
            made = bytes(coder(nbytes, 10_000).decode(bytes(encoded)))
        except CodecError:
            pass
        else:
            assert made == data or not checksum
            assert len(made) == 300 or nbytes is None
        encoded[bit // 8] ^= 1 << bit % 8


def test_a_wrong_checksum_is_told():
    encoded = bytearray(frame(DATA, checksum=True))
    encoded[-1] ^= 1
    for nbytes in (5000, None):
        reason = "damaged zstd frame at byte 0: restored data doesn't match checksum"
        assert refused(encoded, nbytes) == reason
    nothing = bytearray(frame(b"", checksum=True))
    nothing[-1] ^= 1
    assert (
        refused(nothing, 0)
        == "damaged zstd frame at byte 0: it is empty, but its checksum is not that of an empty frame"
    )


@pytest.mark.parametrize("nbytes", [1000, 300_000])
def test_no_flipped_bit_of_the_data_passes_a_checksum(nbytes):
    data = random.Random(3).randbytes(nbytes)
    bound = ZstdCoder(Stream(nbytes, nbytes), 3, checksum=True)
    encoded, target = bytearray(bound.encode(data)), bytearray(nbytes)
    for bit in range(12 * 8, len(encoded) * 8, len(encoded) * 8 // 150):
        encoded[bit // 8] ^= 1 << bit % 8
        with pytest.raises(CodecError):
            bound.decode(encoded)
        with pytest.raises(CodecError):
            bound.decode_into(encoded, memoryview(target))
        encoded[bit // 8] ^= 1 << bit % 8


def test_damaged_headers_are_told():
    assert refused(b"PK\x03\x04") == "expected a zstd frame (28 b5 2f fd) at byte 0, found 50 4b 03 04"
    assert refused(MAGIC + b"\x08\x58" + block(0, 0, b"", last=True)) == (
        "damaged zstd frame at byte 0: a reserved bit of its header is set"
    )
    assert refused(MAGIC + b"\x00\x58" + block(3, 1, b"a", last=True)) == (
        "damaged zstd frame at byte 0: a block of the reserved type at 6"
    )
    assert refused(MAGIC + b"\x20\x00" + block(2, 4, b"abcd", last=True)) == (
        "damaged zstd frame at byte 0: it states 0 bytes, but is not empty"
    )
    assert refused(MAGIC + b"\x00\x58" + block(2, 4, b"abcd", last=True)).startswith(
        "damaged zstd frame at byte 0: "
    )


def test_a_frame_that_needs_a_dictionary_is_told(peer):
    dictionary = peer.ZstdCompressionDict(DATA, dict_type=peer.DICT_TYPE_RAWCONTENT)
    samples = [bytes(random.Random(k).choices(range(12), k=300)) for k in range(200)]
    dictionary = peer.train_dictionary(2000, samples)
    encoded = peer.ZstdCompressor(dict_data=dictionary).compress(samples[0])
    assert refused(encoded, 300) == "damaged zstd frame at byte 0: dictionary mismatch"


def test_a_frame_of_a_window_of_a_gibibyte_takes_no_memory():
    data = MAGIC + b"\x00\xa0" + block(0, 3, b"abc", last=True)
    reader = coder(None, 10)
    tracemalloc.start()
    made = bytes(reader.decode(data))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert made == b"abc"
    assert peak < 100_000


@pytest.mark.slow
def test_very_many_frames_are_read():
    encoded = (frame(b"ab") + frame(b"") + skippable(b"x")) * 5000
    both(encoded, b"ab" * 5000)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_any_row_of_frames_is_one_chunk(peer, data):
    encoded = expected = b""
    for _ in range(data.draw(st.integers(1, 5))):
        part = data.draw(st.binary(max_size=40)) * data.draw(st.sampled_from([0, 1, 50]))
        kind = data.draw(st.sampled_from(["plain", "checked", "streamed", "flushed", "skipped"]))
        if kind == "skipped":
            encoded += skippable(part)
            continue
        expected += part
        if kind in {"plain", "checked"}:
            encoded += frame(part, kind == "checked")
        else:
            encoded += streamed(peer, part, flush=7 if kind == "flushed" else None)
    both(encoded, expected)


def test_the_peer_reads_what_is_written(peer):
    for level, checksum in [(0, False), (22, True), (-5, True)]:
        encoded = ZstdCoder(Stream(5000, 5000), level, checksum=checksum).encode(DATA)
        assert peer.ZstdDecompressor().decompress(encoded) == DATA
        assert peer.get_frame_parameters(encoded).has_checksum == checksum


def test_what_numcodecs_says_of_a_place_that_is_too_long_is_understood(peer):
    # The one message of numcodecs that is read: were it another, frames without a size would be refused.
    with pytest.raises(RuntimeError) as caught:
        numcodecs.zstd.decompress(streamed(peer, b"abc"), bytearray(10))
    found = zstd_coder._FEWER.search(str(caught.value))
    assert found is not None
    assert found.groups() == ("10", "3")


@pytest.mark.parametrize("length", [1, 2, 255, 256, 5000, 70_000])
def test_frames_of_one_block_are_decoded_together(peer, length, monkeypatch):
    """One by one, each would be found by its own call."""
    chance = random.Random(length)
    chunks = [chance.randbytes(length), bytes(length), (DATA * 20)[:length]]
    made = coder(length)
    monkeypatch.setattr(ZstdCoder, "decode_into", None)
    for checksum in (False, True):
        target = memoryview(bytearray(3 * length))
        made.decode_rows([memoryview(frame(chunk, checksum)) for chunk in chunks], target)
        assert target == b"".join(chunks)
