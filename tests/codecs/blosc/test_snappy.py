"""Snappy inside of blosc: what zarrs wrote decodes, and what is damaged is an error."""

from __future__ import annotations

import base64
import json
import random
from pathlib import Path

import numpy as np
import pytest
from numcodecs import blosc

from zom.codecs.blosc.coder import BloscCoder
from zom.codecs.blosc.snappy import decode_snappy
from zom.errors import CodecError
from zom.extension.bound import Stream

FIXTURE = Path(__file__).parents[2] / "fixtures" / "blosc" / "snappy.json"
CHUNKS = {name: base64.b64decode(text) for name, text in json.loads(FIXTURE.read_text("utf-8")).items()}


def coder(size, width=4, cname="snappy"):
    return BloscCoder(Stream(size, size, width), cname=cname, clevel=5, shuffle=1, blocksize=0)


def expected(name):
    return (np.arange(3001) // 7 % 97).astype(name.split()[0]).tobytes()


@pytest.mark.parametrize("name", CHUNKS)
def test_chunks_of_zarrs_decode(name):
    data = expected(name)
    assert CHUNKS[name][2] >> 5 == 2
    bound, target = coder(len(data)), bytearray(len(data))
    assert bytes(bound.decode(CHUNKS[name])) == data
    bound.decode_into(CHUNKS[name], memoryview(target))
    assert target == data


@pytest.mark.parametrize("name", CHUNKS)
def test_damaged_chunks_give_bytes_of_the_right_number_or_an_error(name):
    size, source = len(expected(name)), random.Random(1)
    bound = coder(size)
    for _ in range(300):
        chunk = bytearray(CHUNKS[name])
        chunk[source.randrange(16, len(chunk))] ^= 1 << source.randrange(8)
        try:
            made = bound.decode(bytes(chunk))
        except CodecError:
            continue
        assert len(made) == size


def test_new_chunks_are_compressed_by_what_every_reader_has():
    data = np.arange(1000, dtype="<u4").tobytes()
    chunk = coder(4000).encode(data)
    assert len(chunk) < 1000
    assert blosc.decompress(chunk) == data
    assert bytes(coder(4000).decode(chunk)) == data


LITERALS = {
    "short": (b"\x03\x08abc", b"abc"),
    "of one byte of length": (b"\x3d\xf0\x3c" + bytes(61), bytes(61)),
    "of two bytes of length": (b"\x80\x02\xf4\xff\x00" + bytes(256), bytes(256)),
    "of four bytes of length": (b"\x01\xfc\0\0\0\0a", b"a"),
    "nothing": (b"\0", b""),
    "a copy of one byte of offset": (b"\x08\x0cabcd\x01\x04", b"abcdabcd"),
    "a copy of two bytes of offset": (b"\x06\x08abc\x0a\x03\0", b"abcabc"),
    "a copy of four bytes of offset": (b"\x06\x08abc\x0b\x03\0\0\0", b"abcabc"),
    "a copy of itself": (b"\x09\x00a\x1e\x01\0", b"a" * 9),
}


@pytest.mark.parametrize(("data", "made"), LITERALS.values(), ids=LITERALS)
def test_each_element_of_the_format_is_decoded(data, made):
    assert decode_snappy(data, len(made)) == made


DAMAGED = {
    "no length": (b"", "damaged snappy data: it doesn't begin with a length"),
    "an endless length": (b"\xff" * 6, "damaged snappy data: it doesn't begin with a length"),
    "another length": (b"\x04\x08abc", "damaged snappy data: expected 3 bytes, found a stated size of 4"),
    "a literal too long": (b"\x03\x0cabcd", "damaged snappy data: expected 3 bytes, found more"),
    "too few bytes": (b"\x03\x04ab", "damaged snappy data: expected 3 bytes, found 2"),
    "a literal cut off": (b"\x03\x08ab", "truncated snappy data: it continues after the last byte, 3"),
    "a copy cut off": (b"\x03\x00a\x06\x01", "truncated snappy data: it continues after the last byte, 4"),
    "a copy of nothing": (b"\x03\x00a\x06\0\0", "damaged snappy data: a copy from 0 bytes before byte 1"),
    "a copy of what is before": (b"\x03\x00a\x06\x02\0", "damaged snappy data: a copy from 2 bytes before byte 1"),
    "a bomb": (b"\x03\x00a" + b"\xfe\x01\0" * 9, "damaged snappy data: expected 3 bytes, found more"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "reason"), DAMAGED.values(), ids=DAMAGED)
def test_damage_is_told(data, reason):
    with pytest.raises(CodecError) as caught:
        decode_snappy(data, 3)
    assert str(caught.value) == reason
