"""The containers and filters of lzma, and what they may cost to decode."""

from __future__ import annotations

import lzma
import random
import tracemalloc

import pytest

from zom.errors import CodecError

DATA = bytes(random.Random(7).choices(range(12), k=5000))
DELTA = {"id": lzma.FILTER_DELTA, "dist": 4}


@pytest.fixture
def bound(stream_coder):
    return lambda nbytes=5000, **configuration: stream_coder("numcodecs.lzma", nbytes, configuration)


@pytest.mark.parametrize(
    "configuration",
    [
        {},
        {"preset": 9 | lzma.PRESET_EXTREME},
        {"check": lzma.CHECK_SHA256},
        {"filters": [DELTA, {"id": lzma.FILTER_LZMA2, "preset": 3}]},
        {"filters": [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "dict_size": 65536, "lc": 0}]},
        {"format": lzma.FORMAT_ALONE, "filters": [{"id": lzma.FILTER_LZMA1, "preset": 2}]},
        {"format": lzma.FORMAT_RAW, "filters": [{"id": lzma.FILTER_LZMA1, "preset": 2}]},
    ],
)
def test_every_container_with_its_filters_is_read(bound, configuration):
    # numcodecs can't read xz that it wrote with filters: it hands them to the decoder, which refuses them.
    coder = bound(**configuration)
    assert bytes(coder.decode(lzma.compress(DATA, **configuration))) == DATA
    assert bytes(coder.decode(coder.encode(DATA))) == DATA


def test_gdals_member_delta_is_the_filter_that_gdal_puts_before(stream_coder):
    plain = stream_coder("numcodecs.lzma", 4000, {"preset": 6}, v2=True)
    delta = stream_coder("numcodecs.lzma", 4000, {"preset": 6, "delta": 2}, v2=True)
    ramp = b"".join(k.to_bytes(2, "little") for k in range(0, 20_000, 10))
    filters = [{"id": lzma.FILTER_DELTA, "dist": 2}, {"id": lzma.FILTER_LZMA2, "preset": 6}]
    assert delta.encode(ramp) == lzma.compress(ramp, filters=filters)
    assert len(delta.encode(ramp)) < len(plain.encode(ramp))
    for writer in (plain, delta):
        for reader in (plain, delta):
            assert bytes(reader.decode(writer.encode(ramp))) == ramp


def test_streams_are_one_chunk(bound):
    encoded = lzma.compress(DATA[:99]) + bytes(8) + lzma.compress(b"") + lzma.compress(DATA[99:]) + bytes(4)
    assert bytes(bound().decode(encoded)) == DATA


def test_what_follows_the_streams_is_an_error(bound):
    with pytest.raises(CodecError) as caught:
        bound().decode(lzma.compress(DATA) + b"junk")
    assert str(caught.value) == "expected nothing after the xz data, found 4 bytes, 6a 75 6e 6b"
    encoded = lzma.compress(DATA, format=lzma.FORMAT_ALONE)
    with pytest.raises(CodecError) as caught:
        bound(format=lzma.FORMAT_ALONE).decode(encoded + encoded)
    assert str(caught.value).startswith("expected nothing after the lzma data, found")


def test_wrong_sums_are_told(bound):
    encoded = bytearray(lzma.compress(DATA))
    encoded[len(encoded) // 2] ^= 1
    with pytest.raises(CodecError) as caught:
        bound().decode(encoded)
    assert str(caught.value) == "damaged xz data: corrupt input data"


def test_a_stream_that_wants_a_gibibyte_is_refused(bound):
    encoded = bytearray(lzma.compress(DATA, format=lzma.FORMAT_ALONE))
    encoded[1:5] = (1 << 30).to_bytes(4, "little")
    with pytest.raises(CodecError) as caught:
        bound(format=lzma.FORMAT_ALONE).decode(encoded)
    assert str(caught.value) == "damaged lzma data: memory usage limit exceeded"


@pytest.mark.parametrize("container", [lzma.FORMAT_XZ, lzma.FORMAT_RAW])
def test_a_dictionary_is_no_longer_than_a_chunk_can_look_back(bound, container):
    coder = bound(format=container, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}])
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 20}]
    theirs = lzma.compress(DATA, container, filters=filters)
    tracemalloc.start()
    ours = coder.encode(DATA)
    made = [coder.decode(theirs), coder.decode(ours)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert made == [DATA, DATA]
    assert peak < 10_000_000
