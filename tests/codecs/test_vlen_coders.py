"""Text and bytes of any length: as numcodecs writes them, and what is wrong with damaged ones."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numcodecs import VLenBytes, VLenUTF8

import zom.dtypes  # noqa: F401 - registers the types
from zom.codecs.vlen_bytes import VlenRaw
from zom.codecs.vlen_utf8 import VlenText
from zom.errors import CodecError
from zom.extension.bound import Block, Stream
from zom.extension.codec import codecs
from zom.extension.resolve import data_type

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=300)


def texts(*shape):
    return VlenText(Block(shape, data_type("string"), ""))


def raws(*shape):
    return VlenRaw(Block(shape, data_type("bytes"), b""))


def objects(items):
    made = np.empty(len(items), object)
    for index, item in enumerate(items):
        made[index] = item
    return made


@given(st.lists(TEXTS, max_size=40))
def test_text_is_stored_as_numcodecs_stores_it(items):
    stored = bytes(VLenUTF8().encode(objects(items)))
    assert bytes(texts(len(items)).encode(np.array(items, "T"))) == stored
    decoded = texts(len(items)).decode(stored)
    assert decoded.dtype == np.dtypes.StringDType()
    assert decoded.tolist() == items


@given(st.lists(st.binary(max_size=300), max_size=40))
def test_bytes_are_stored_as_numcodecs_stores_them(items):
    stored = bytes(VLenBytes().encode(objects(items)))
    assert bytes(raws(len(items)).encode(objects(items))) == stored
    decoded = raws(len(items)).decode(stored)
    assert decoded.dtype == np.dtype(object)
    assert decoded.tolist() == items
    assert {type(item) for item in decoded.tolist()} <= {bytes}


@pytest.mark.parametrize("longest", [3, 20, 255, 256, 5000])
@pytest.mark.parametrize("letter", ["x", "é", "€", "\0"])
def test_items_of_every_length_come_back(longest, letter):
    chance = np.random.default_rng(longest)
    items = [letter * int(length) for length in chance.integers(0, longest + 1, 500)]
    items[7] = letter * longest
    stored = bytes(VLenUTF8().encode(objects(items)))
    assert texts(500).decode(stored).tolist() == items
    assert raws(500).decode(stored).tolist() == [item.encode() for item in items]
    assert bytes(texts(500).encode(np.array(items, "T"))) == stored


def test_one_long_item_among_short_ones_makes_no_table_of_long_ones():
    items = ["a"] * 100_000 + ["b" * 3_000_000]
    stored = bytes(VLenUTF8().encode(objects(items)))
    assert texts(len(items)).decode(stored).tolist() == items


@pytest.mark.parametrize("shape", [(), (6,), (2, 3), (0,), (3, 0)])
def test_a_chunk_has_the_shape_of_its_block(shape):
    items = np.array([f"n{index}" for index in range(int(np.prod(shape)))], "T").reshape(shape)
    stored = bytes(texts(*shape).encode(items))
    assert stored == bytes(VLenUTF8().encode(items.astype(object)))
    decoded = texts(*shape).decode(stored)
    assert decoded.shape == shape
    assert (decoded == items).all()


def test_elements_are_stored_in_c_order():
    items = np.array([["a", "b"], ["c", "d"]], "T")
    assert bytes(texts(2, 2).encode(items.T)) == bytes(texts(2, 2).encode(items.T.copy()))


def parts(*items, count=None):
    head = struct.pack("<I", len(items) if count is None else count)
    return head + b"".join(struct.pack("<I", len(item)) + item for item in items)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "truncated: expected the number of items in 4 bytes, found 0"),
        (parts(b"a", count=2), "truncated: 2 items take at least 12 bytes, found 9"),
        (parts(b"a"), "expected 2 items, found 1"),
        (parts(b"a", b"b", count=2**32 - 1), "expected 2 items, found 4294967295"),
        (parts(b"abcd", count=2), "truncated: no length for the item at (1): the data ends at byte 12"),
        (parts(b"a", b"bcd")[:-1], "truncated: the item at (1) has 3 bytes, but only 2 are left"),
        (
            parts(b"a", b"b")[:9] + b"\xff" * 4 + b"b",
            "truncated: the item at (1) has 4294967295 bytes, but only 1 are left",
        ),
        (parts(b"a", b"b") + b"!", "trailing bytes: the items end at byte 14 of 15"),
    ],
)
@pytest.mark.parametrize("coder", [texts(2), raws(2)], ids=["vlen-utf8", "vlen-bytes"])
def test_damaged_items_are_refused(coder, data, message):
    with pytest.raises(CodecError) as caught:
        coder.decode(data)
    assert str(caught.value) == message


@pytest.mark.parametrize("filler", [b"", b"x" * 1000], ids=["short", "long"])
@pytest.mark.parametrize(
    ("first", "second", "reason", "where"),
    [
        (b"ok\xff", b"b", "invalid start byte", (0, 0)),
        (b"a", b"\xc3", "unexpected end of data", (0, 1)),
        (b"\xc3", b"\xa9", "unexpected end of data", (0, 0)),
        (b"a", b"\xed\xa0\x80", "invalid continuation byte", (0, 1)),
    ],
)
def test_text_that_is_no_utf8_is_refused_with_its_place(filler, first, second, reason, where):
    data = parts(first, second, filler, filler)
    with pytest.raises(CodecError) as caught:
        texts(2, 2).decode(data)
    byte = 10 if first == b"ok\xff" else 8 if where == (0, 0) else 4 + 4 + len(first) + 4
    assert str(caught.value) == f"the text at {where} is not UTF-8: {reason}, at byte {byte} of the chunk"


def test_every_truncation_is_refused():
    stored = parts("grüße".encode(), b"", b"x" * 300)
    for length in range(len(stored)):
        for coder in (texts(3), raws(3)):
            with pytest.raises(CodecError):
                coder.decode(stored[:length])


def test_every_flipped_bit_is_refused_or_gives_other_items():
    stored = parts("grüße".encode(), b"", b"abc\0")
    for bit in range(8 * len(stored)):
        flipped = bytearray(stored)
        flipped[bit // 8] ^= 1 << bit % 8
        for coder in (texts(3), raws(3)):
            try:
                made = coder.decode(flipped)
            except CodecError:
                continue
            assert made.shape == (3,)


@pytest.mark.parametrize(
    ("coder", "items", "message"),
    [
        (texts(1, 2), [["a", None]], "expected text at (0, 1), found NoneType"),
        (texts(1, 2), [[1, "b"]], "expected text at (0, 0), found int"),
        (texts(1, 2), [["a", b"b"]], "expected text at (0, 1), found bytes"),
        (raws(1, 2), [[b"a", None]], "expected bytes at (0, 1), found NoneType"),
        (raws(1, 2), [["a", b"b"]], "expected bytes at (0, 0), found str"),
        (
            texts(1, 2),
            [["a", "b\ud800"]],
            "the text at (0, 1) can't be encoded in UTF-8: a lone surrogate at its character 1",
        ),
    ],
)
def test_what_is_neither_text_nor_bytes_is_not_stored(coder, items, message):
    with pytest.raises(CodecError) as caught:
        coder.encode(np.array(items, object))
    assert str(caught.value) == message


def test_an_array_among_bytes_is_not_taken_for_bytes():
    with pytest.raises(CodecError, match=r"^expected bytes at \(0\), found ndarray$"):
        raws(1).encode(objects([np.zeros(3)]))


@pytest.mark.parametrize("name", ["vlen-utf8", "vlen-bytes"])
def test_the_codecs_bind_in_every_format(name):
    codec = codecs[name]
    kind = data_type("string" if name == "vlen-utf8" else "bytes")
    for configuration in (codec.configuration(), codec.v2_configuration()):
        coder = codec.bind(configuration, Block((1,), kind, kind.default()), Stream(None, 100))
        assert coder.decode(parts(b"a")).shape == (1,)
