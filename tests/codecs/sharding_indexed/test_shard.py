"""Shards as bytes: `sharding_indexed` bound, against shards that are put together by hand."""

from __future__ import annotations

import itertools
import struct
import zlib

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from zom.codecs.sharding_indexed.grid import ShardGrid
from zom.codecs.sharding_indexed.index import MISSING, index_block
from zom.codecs.sharding_indexed.shard import ShardCoder
from zom.errors import CodecError, ExtensionError, SpecError, UnknownName
from zom.extension.bound import Block, Stream
from zom.extension.bound_chain import bind_chain
from zom.extension.link import parse_links
from zom.extension.resolve import data_type, parse_v3

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
BIG = {"name": "bytes", "configuration": {"endian": "big"}}
GZIP = {"name": "gzip", "configuration": {"level": 1}}
ZSTD = {"name": "zstd", "configuration": {"level": 1, "checksum": False}}
GONE = (MISSING, MISSING)


def shard(chunk_shape, codecs=(LITTLE,), index_codecs=(LITTLE,), **more):
    configuration = {
        "chunk_shape": list(chunk_shape),
        "codecs": list(codecs),
        "index_codecs": list(index_codecs),
        **more,
    }
    return {"name": "sharding_indexed", "configuration": configuration}


def transposed(*order):
    return {"name": "transpose", "configuration": {"order": list(order)}}


def bound(shape, *codecs, dtype="uint8", fill=0):
    made = parse_v3(dtype, [])
    return bind_chain(parse_links(list(codecs)), Block(shape, made, made.numpy().type(fill)))


def numbers(*shape, dtype="u1"):
    """An array that has the fill value 0 nowhere."""
    return (np.arange(np.prod(shape, dtype=int)) % 250 + 1).astype(dtype).reshape(shape)


def by_hand(chunks, location="end"):
    """A shard of encoded inner chunks, as the specification puts it."""
    offset = 16 * len(chunks) if location == "start" else 0
    index, data = b"", b""
    for chunk in chunks:
        pair = GONE if chunk is None else (offset + len(data), len(chunk))
        index += struct.pack("<QQ", *pair)
        data += chunk or b""
    return index + data if location == "start" else data + index


def pieces(array, *chunk_shape):
    """The inner chunks of an array, in C order."""
    starts = itertools.product(
        *[range(0, length, step) for length, step in zip(array.shape, chunk_shape, strict=True)]
    )
    for start in starts:
        yield array[tuple(slice(i, i + n) for i, n in zip(start, chunk_shape, strict=True))]


def refused(act, reason):
    with pytest.raises(CodecError) as caught:
        act()
    assert str(caught.value) == f"sharding_indexed: {reason}"


@pytest.mark.parametrize("location", ["start", "end"])
@pytest.mark.parametrize("dtype", ["u1", "<i4", "<c16"])
def test_a_shard_is_its_inner_chunks_and_an_index(location, dtype):
    array = numbers(4, 6, dtype=dtype)
    name = np.dtype(dtype).name
    chain = bound((4, 6), shard((2, 3), index_location=location), dtype=name)
    expected = by_hand([piece.tobytes() for piece in pieces(array, 2, 3)], location)
    assert bytes(chain.encode(array)) == expected
    assert np.array_equal(chain.decode(expected), array)


def test_inner_chunks_go_through_their_own_codecs():
    array = numbers(4, 6, dtype="<i4")
    chain = bound((4, 6), shard((2, 3), [transposed(1, 0), BIG, GZIP]), dtype="int32")
    stored = by_hand([zlib.compress(p.T.astype(">i4").tobytes(), wbits=31) for p in pieces(array, 2, 3)])
    assert np.array_equal(chain.decode(stored), array)
    index = chain.serializer.parse(chain.encode(array))
    for span, piece in zip(index.ranges(), pieces(array, 2, 3), strict=True):
        made = zlib.decompress(bytes(chain.encode(array))[slice(*span)], wbits=31)
        assert made == piece.T.astype(">i4").tobytes()


def test_the_index_goes_through_its_own_codecs():
    array = numbers(2, 2)
    chain = bound((2, 2), shard((1, 2), index_codecs=[transposed(1, 2, 0), BIG]))
    stored = bytes(chain.encode(array))
    # Two inner chunks of two bytes: (0, 2) and (2, 2), turned so that the offsets come first.
    assert stored[4:] == struct.pack(">4Q", 0, 2, 2, 2)
    assert np.array_equal(chain.decode(stored), array)


@pytest.mark.parametrize("codecs", [[LITTLE], [BIG], [LITTLE, GZIP], [transposed(1, 0), LITTLE]], ids=str)
def test_missing_inner_chunks_are_the_fill_value(codecs):
    array = numbers(4, 6, dtype="<i2")
    array[:2, 3:] = -7
    array[2:, :3] = -7
    chain = bound((4, 6), shard((2, 3), codecs), dtype="int16", fill=-7)
    stored = chain.encode(array)
    assert [span is None for span in chain.serializer.parse(stored).ranges()] == [False, True, True, False]
    assert np.array_equal(chain.decode(stored), array)


@pytest.mark.parametrize("codecs", [[LITTLE], [LITTLE, ZSTD]], ids=str)
def test_a_shard_of_fill_is_an_index_alone(codecs):
    chain = bound((4, 6), shard((2, 3), codecs), fill=9)
    stored = chain.encode(np.full((4, 6), 9, "u1"))
    assert bytes(stored) == by_hand([None] * 4)
    assert chain.decode(stored).tolist() == [[9] * 6] * 4


def test_fill_is_told_by_its_bits():
    array = np.array([0.0, 0.0, -0.0, 0.0, 1.0, 0.0, 0.0, 0.0], "<f4")
    chain = bound((8,), shard((2,)), dtype="float32", fill=0.0)
    stored = bytes(chain.encode(array))
    assert stored == by_hand([None, array[2:4].tobytes(), array[4:6].tobytes(), None])
    assert chain.decode(stored).tobytes() == array.tobytes()


def test_all_bits_of_a_nan_come_back():
    array = np.array([0x7FC00001, 0x7F800001, 0x7FC00000, 0x7FC00000], "<u4").view("<f4")
    block = Block((4,), data_type("float32"), array[0])
    chain = bind_chain(parse_links([shard((1,))]), block)
    stored = chain.encode(array)
    assert len(stored) == 3 * 4 + 4 * 16
    assert chain.decode(stored).tobytes() == array.tobytes()


@pytest.mark.parametrize("codecs", [[LITTLE], [LITTLE, "crc32c"], [LITTLE, ZSTD]], ids=str)
@pytest.mark.parametrize("order", [[2, 0, 3, 1], [3, 2, 1, 0]])
def test_inner_chunks_may_lie_in_any_order(codecs, order):
    array = numbers(4, 6)
    inner = bound((2, 3), *codecs)
    encoded = [bytes(inner.encode(piece)) for piece in pieces(array, 2, 3)]
    data, index = b"", {}
    for place in order:
        index[place] = (len(data), len(encoded[place]))
        data += encoded[place]
    stored = data + b"".join(struct.pack("<QQ", *index[place]) for place in range(4))
    assert np.array_equal(bound((4, 6), shard((2, 3), codecs)).decode(stored), array)


@pytest.mark.parametrize("gap", [1, 4, 24, 1000])
def test_gaps_between_inner_chunks_are_passed_over(gap):
    array = numbers(2, 4)
    first, second = (piece.tobytes() for piece in pieces(array, 2, 2))
    stored = b"#" * gap + first + b"#" * gap + second + b"#" * gap
    stored += struct.pack("<4Q", gap, 4, 2 * gap + 4, 4)
    assert np.array_equal(bound((2, 4), shard((2, 2))).decode(stored), array)


def test_inner_chunks_may_share_their_bytes():
    stored = b"abcd" + struct.pack("<4Q", 0, 4, 0, 4)
    assert bound((2, 4), shard((2, 2))).decode(stored).tobytes() == b"ababcdcd"


def test_ranges_that_overlap_in_part_are_refused():
    stored = b"abcdef" + struct.pack("<4Q", 0, 4, 2, 4)
    with pytest.raises(CodecError, match=r"inner chunk \(0, 0\): bytes 0 to 4 overlap bytes 2 to 6 of inner"):
        bound((2, 4), shard((2, 2))).decode(stored)


def test_an_unaligned_index_at_the_start_is_read():
    array = numbers(2, 4, dtype="<i8")
    chain = bound(
        (2, 4), shard((2, 2), [LITTLE, "crc32c"], [LITTLE, "crc32c"], index_location="start"), dtype="int64"
    )
    stored = b"-" + bytes(chain.encode(array))
    assert np.array_equal(chain.decode(memoryview(stored)[1:]), array)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("codecs", [[LITTLE], [LITTLE, "crc32c"], [LITTLE, ZSTD]], ids=str)
def test_shards_nest(depth, codecs):
    array = numbers(16, 16, dtype="<i2")
    array[:5, :5] = 0
    definition = list(codecs)
    for level in range(depth):
        location = "start" if level % 2 else "end"
        definition = [
            shard((2 << level, 1 << level), definition, [LITTLE, "crc32c"], index_location=location)
        ]
    chain = bound((16, 16), *definition, dtype="int16")
    stored = chain.encode(array)
    assert np.array_equal(chain.decode(stored), array)
    whole = np.full((20, 20), 77, "<i2")
    chain.decode_into(stored, whole[2:18, 2:18])
    assert np.array_equal(whole[2:18, 2:18], array)
    assert (whole[:2] == 77).all()


def test_shards_decode_into_their_place_without_a_copy_of_the_whole(monkeypatch):
    definition = shard((8, 4), [shard((2, 2), [LITTLE, ZSTD])])
    chain = bound((16, 16), transposed(1, 0), definition, GZIP, dtype="int16")
    array = numbers(16, 16, dtype="<i2")
    stored = chain.encode(array)
    monkeypatch.setattr(ShardCoder, "decode", lambda self, chunk: pytest.fail("the shard was decoded apart"))
    target = np.zeros((16, 32), "<i2")[:, ::2]
    chain.decode_into(stored, target)
    assert np.array_equal(target, array)


def test_a_nested_shard_may_be_mostly_index():
    """65,536 inner chunks of a byte: the index alone is sixteen times the data."""
    array = np.ones(1 << 16, "u1")
    chain = bound((1 << 16,), shard((1 << 15,), [shard((1,))]))
    stored = chain.encode(array)
    assert len(stored) == 17 * 65_536 + 32
    assert len(stored) <= chain.most
    assert np.array_equal(chain.decode(stored), array)


def test_a_compressor_may_follow_a_shard():
    array = numbers(4, 6, dtype="<i4")
    chain = bound((4, 6), transposed(1, 0), shard((3, 2)), GZIP, dtype="int32")
    stored = bytes(chain.encode(array))
    assert zlib.decompress(stored, wbits=31) == by_hand([p.tobytes() for p in pieces(array.T, 3, 2)])
    assert np.array_equal(chain.decode(stored), array)
    target = np.zeros((4, 6), "<i4")
    chain.decode_into(stored, target)
    assert np.array_equal(target, array)


def test_a_shard_may_have_no_dimensions():
    for codecs in ([LITTLE], [LITTLE, GZIP]):
        chain = bound((), shard((), codecs), dtype="int16")
        assert chain.decode(chain.encode(np.array(7, "<i2"))).tolist() == 7
        assert bytes(chain.encode(np.array(0, "<i2"))) == by_hand([None])
        assert chain.decode(by_hand([None])).shape == ()


@pytest.mark.parametrize("rank", [32, 33, 63])
def test_a_shard_may_have_many_dimensions(rank):
    shape = (4, *(1,) * (rank - 2), 3)
    array = numbers(*shape)
    chain = bound(shape, shard((2, *(1,) * (rank - 2), 3)))
    assert np.array_equal(chain.decode(chain.encode(array)), array)


def test_text_is_sharded_too():
    array = np.array([["a", ""], ["", ""], ["ä" * 50, "b"], ["", "c"]], np.dtypes.StringDType())
    chain = bind_chain(parse_links([shard((1, 2), ["vlen-utf8"])]), Block((4, 2), data_type("string"), ""))
    stored = chain.encode(array)
    assert [span is None for span in chain.serializer.parse(stored).ranges()] == [False, True, False, False]
    assert chain.decode(stored).tolist() == array.tolist()


def test_fields_are_sharded_too():
    fields = [{"name": "a", "data_type": "int16"}, {"name": "b", "data_type": "float64"}]
    struct_type = parse_v3({"name": "struct", "configuration": {"fields": fields}}, [])
    array = np.array([(1, -0.0), (0, 0.0), (0, 0.0), (5, 6.0)], struct_type.numpy())
    block = Block((4,), struct_type, np.zeros((), struct_type.numpy())[()])
    chain = bind_chain(parse_links([shard((1,))]), block)
    stored = chain.encode(array)
    assert len(stored) == 2 * 10 + 4 * 16
    assert chain.decode(stored).tobytes() == array.tobytes()


def test_an_array_in_the_other_byte_order_is_stored_right():
    chain = bound((4,), shard((2,)), dtype="int32")
    assert bytes(chain.encode(numbers(4, dtype=">i4"))) == bytes(chain.encode(numbers(4, dtype="<i4")))


def test_encoding_leaves_the_array_as_it_was():
    array = numbers(4, 6)
    array.flags.writeable = False
    for codecs in ([LITTLE], [LITTLE, ZSTD]):
        bound((4, 6), shard((2, 3), codecs)).encode(array)


def test_what_is_decoded_can_be_written_to_and_shares_no_memory():
    stored = bytearray(bound((4, 6), shard((2, 3))).encode(numbers(4, 6)))
    made = bound((4, 6), shard((2, 3))).decode(stored)
    stored[:] = bytes(len(stored))
    made += 1
    assert np.array_equal(made, numbers(4, 6) + 1)


@st.composite
def cases(draw):
    chunk_shape = draw(st.lists(st.integers(1, 4), max_size=3))
    counts = [draw(st.integers(1, 4)) for _ in chunk_shape]
    shape = tuple(n * count for n, count in zip(chunk_shape, counts, strict=True))
    codecs = draw(
        st.sampled_from([[LITTLE], [BIG], [LITTLE, "crc32c"], [LITTLE, ZSTD], [LITTLE, GZIP, "crc32c"]])
    )
    if draw(st.booleans()):
        codecs = [transposed(*draw(st.permutations(range(len(shape))))), *codecs]
    outer = draw(st.booleans())
    order = draw(st.permutations(range(len(shape)))) if outer else None
    location = draw(st.sampled_from(["start", "end"]))
    return shape, tuple(chunk_shape), codecs, order, location, draw(st.integers(0, 2**32 - 1))


@given(cases())
@settings(max_examples=300, deadline=None)
def test_what_is_sharded_comes_back(case):
    shape, chunk_shape, codecs, order, location, seed = case
    random = np.random.default_rng(seed)
    array = random.choice(np.array([0, 0, 0, 5, -3], "<i4"), shape).astype("<i4")
    definition = [shard(chunk_shape, codecs, [LITTLE, "crc32c"], index_location=location)]
    if order is not None:
        array = array.transpose(np.argsort(order, kind="stable"))
        definition = [transposed(*order), *definition]
    chain = bound(array.shape, *definition, dtype="int32")
    stored = chain.encode(array)
    assert len(stored) <= chain.most
    assert np.array_equal(chain.decode(stored), array)
    whole = np.full([2 * n + 2 for n in array.shape], 99, "<i4")
    target = whole[tuple(slice(1, 2 * n + 1, 2) for n in array.shape)] if array.ndim else whole
    chain.decode_into(stored, target)
    assert np.array_equal(target, array)
    assert (whole == 99).sum() == whole.size - array.size
    # As the specification puts a shard together: each inner chunk by itself.
    turned = array if order is None else array.transpose(order)
    inner = bound(chunk_shape, *codecs, dtype="int32")
    parse = chain.serializer.parse(stored)
    for span, piece in zip(parse.ranges(), pieces(turned, *chunk_shape), strict=True):
        assert (span is None) == (not piece.any())
        if span is not None:
            assert bytes(stored)[slice(*span)] == bytes(inner.encode(piece.copy()))


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=4),
    st.data(),
)
@settings(max_examples=200, deadline=None)
def test_cutting_an_array_never_copies_it(lengths, data):
    shape = [count * n for count, n in lengths]
    axes = data.draw(st.permutations(range(len(shape))))
    steps = [data.draw(st.sampled_from([1, 2, -1, -3])) for _ in shape]
    whole = np.zeros([shape[axis] * abs(step) for axis, step in zip(axes, steps, strict=True)], "i2")
    view = whole[tuple(slice(None, None, step) for step in steps)].transpose(np.argsort(axes))
    grid = ShardGrid(view.shape, tuple(n for _, n in lengths))
    grid.split(view)[...] = 1
    assert view.all()
    assert grid.split(view).shape == (*[count for count, _ in lengths], *[n for _, n in lengths])


# What the engine asks of a shard.


def test_the_index_lies_in_a_range_that_is_known_beforehand():
    def coder(**more):
        return bound((4, 6), shard((2, 3), **more)).serializer

    assert coder().index_range() == ("end", 64)
    checked = {"index_codecs": [LITTLE, "crc32c"], "index_location": "start"}
    assert coder(**checked).index_range() == ("start", 68)


def test_parts_are_found_with_the_index_alone():
    array = numbers(4, 6, dtype="<i4")
    chain = bound((4, 6), shard((2, 3), [LITTLE, ZSTD], [LITTLE, "crc32c"]), dtype="int32")
    coder = chain.serializer
    stored = bytes(chain.encode(array))
    _, nbytes = coder.index_range()
    start, stop = coder.parse_index(stored[-nbytes:]).entry(3)
    assert np.array_equal(coder.inner.decode(stored[start:stop]), array[2:, 3:])
    assert (coder.counts, coder.count, coder.chunk_shape) == ((2, 2), 4, (2, 3))


@pytest.mark.parametrize("location", ["start", "end"])
def test_a_shard_is_built_of_encoded_inner_chunks(location):
    coder = bound((4, 6), shard((2, 3), [LITTLE, GZIP], index_location=location)).serializer
    chunks = [b"one", None, memoryview(b"three"), None]
    assert bytes(coder.build(chunks)) == by_hand([b"one", None, b"three", None], location)


BLOSC = {
    "name": "blosc",
    "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 4, "blocksize": 0},
}
SUMMED = {"name": "zstd", "configuration": {"level": 3, "checksum": True}}


@pytest.mark.parametrize("codecs", [[ZSTD], [SUMMED, "crc32c"], [BLOSC], [GZIP, "crc32c"], ["crc32c"]])
@pytest.mark.parametrize("missing", [(), (1, 5), (0, 1, 2, 3, 4, 5, 6, 7)])
def test_inner_chunks_are_encoded_together_as_each_would_be(codecs, missing):
    array = numbers(64, 8, dtype="<i4")
    chain = bound((64, 8), shard((8, 8), [LITTLE, *codecs]), dtype="int32")
    for place in missing:
        array[8 * place : 8 * place + 8] = 0
    inner = chain.serializer.inner
    each = [
        None if place in missing else bytes(inner.encode(np.array(piece)))
        for place, piece in enumerate(pieces(array, 8, 8))
    ]
    assert bytes(chain.encode(array)) == by_hand(each)


def test_the_inner_chunk_that_can_not_be_encoded_is_named(monkeypatch):
    chain = bound((4, 6), shard((2, 3), [LITTLE, GZIP, "crc32c"]))
    plain = chain.serializer.inner.coders[1].encode

    def encode(chunk):
        if bytes(chunk) == bytes([16, 17, 18, 22, 23, 24]):
            raise CodecError("there is no room")
        return plain(chunk)

    inner = chain.serializer.inner
    monkeypatch.setattr(inner.coders[1], "encode", encode)
    monkeypatch.setattr(
        inner,
        "_encoders",
        tuple((name, coder.encode) for name, coder in zip(inner.names, inner.coders, strict=True)),
    )
    with pytest.raises(CodecError, match=r"^sharding_indexed: inner chunk \(1, 1\): gzip: there is no room$"):
        chain.encode(numbers(4, 6))


def test_inner_chunks_that_stay_are_copied_as_they_are():
    array = numbers(4, 6)
    coder = bound((4, 6), shard((2, 3), [LITTLE, GZIP])).serializer
    # Another level than ours: encoding it again would change the bytes.
    old = [zlib.compress(piece.tobytes(), 9, wbits=31) for piece in pieces(array, 2, 3)]
    stored = by_hand(old)
    index = coder.parse(stored)
    index.check()
    chunks = [stored[slice(*span)] for span in index.ranges()]
    chunks[1] = coder.inner.encode(np.full((2, 3), 9, "u1"))
    made = bytes(coder.build(chunks))
    assert [made[slice(*span)] for span in coder.parse(made).ranges()] == [old[0], chunks[1], *old[2:]]


def test_a_shard_can_be_made_without_a_document():
    """As the draft's storage transformer has them: without a checksum, and without an array->bytes codec."""
    whole, part = (Block(shape, data_type("int16"), np.int16(0)) for shape in [(2, 4), (2, 2)])
    coder = ShardCoder(whole, bind_chain([], part), bind_chain([], index_block((1, 2))), name="sharding")
    array = numbers(2, 4, dtype="<i2")
    stored = bytes(coder.encode(array))
    assert stored == by_hand([piece.tobytes() for piece in pieces(array, 2, 2)])
    assert np.array_equal(coder.decode(stored), array)
    with pytest.raises(CodecError) as caught:
        coder.decode(b"")
    assert str(caught.value) == "sharding: expected at least 32 bytes, for the index, found 0"


# What is wrong, and how it is said.


def test_a_damaged_inner_chunk_is_named_with_its_bytes_and_codec():
    chain = bound((4, 6), shard((2, 3), [LITTLE, "crc32c"]))
    stored = bytearray(chain.encode(numbers(4, 6)))
    stored[12] ^= 1
    with pytest.raises(CodecError) as caught:
        chain.decode(stored)
    assert caught.value.codec == "sharding_indexed"
    assert caught.value.reason.startswith("inner chunk (0, 1), bytes 10 to 20: crc32c: ")


def test_a_damaged_inner_chunk_of_a_nested_shard_is_named_all_the_way():
    inner = shard((2, 2), [LITTLE, "crc32c"])
    chain = bound((4, 8), shard((4, 4), [inner]))
    stored = bytearray(chain.encode(numbers(4, 8)))
    stored[-32 - 64 - 1] ^= 1
    with pytest.raises(CodecError) as caught:
        chain.decode(stored)
    assert str(caught.value).startswith(
        "sharding_indexed: inner chunk (0, 1), bytes 96 to 192: "
        "sharding_indexed: inner chunk (1, 1), bytes 24 to 32: crc32c: "
    )


def test_a_damaged_index_of_a_nested_shard_is_named():
    chain = bound((2, 4), shard((2, 2), [shard((1, 2))]))
    nested = by_hand([b"ab", None])
    broken = nested[:-8] + struct.pack("<Q", 7)
    refused(
        lambda: chain.decode(by_hand([nested, broken])),
        "inner chunk (0, 1), bytes 34 to 68: sharding_indexed: "
        "inner chunk (1, 0): only its offset is 2**64 - 1; a missing chunk has it twice",
    )


def test_an_inner_chunk_of_the_wrong_length_is_refused_by_the_index():
    refused(
        lambda: bound((2, 2), shard((1, 2))).decode(by_hand([b"ab", b"abc"])),
        "inner chunk (1, 0): expected 2 bytes, found 3 in the index",
    )


def test_a_byte_that_is_no_bool_is_named_with_its_inner_chunk():
    chain = bound((2, 2), shard((1, 2)), dtype="bool", fill=False)
    assert chain.decode(by_hand([b"\0\1", None])).tolist() == [[False, True], [False, False]]
    with pytest.raises(CodecError) as caught:
        chain.decode(by_hand([b"\0\1", b"\1\2"]))
    assert str(caught.value).startswith("sharding_indexed: inner chunk (1, 0), bytes 2 to 4: bytes: ")


def test_an_inner_chunk_that_can_not_be_encoded_is_named():
    block = Block((4,), parse_v3("bytes", []), b"")
    chain = bind_chain(parse_links([shard((2,), ["vlen-bytes"])]), block)
    with pytest.raises(CodecError) as caught:
        chain.encode(np.array([b"a", b"b", b"c", 5], object))
    assert str(caught.value).startswith("sharding_indexed: inner chunk (1): vlen-bytes: ")


@pytest.mark.parametrize("location", ["start", "end"])
def test_a_shard_that_is_cut_off_anywhere_is_refused(location):
    definition = shard((2, 3), [LITTLE, "crc32c"], [LITTLE, "crc32c"], index_location=location)
    chain = bound((4, 6), definition)
    stored = bytes(chain.encode(numbers(4, 6)))
    for length in range(len(stored)):
        with pytest.raises(CodecError):
            chain.decode(stored[:length])


def test_a_shard_shorter_than_its_index_is_told_so():
    chain = bound((4, 6), shard((2, 3)))
    refused(lambda: chain.decode(bytes(63)), "expected at least 64 bytes, for the index, found 63")
    refused(lambda: chain.decode(b""), "expected at least 64 bytes, for the index, found 0")


@pytest.mark.parametrize("codecs", [[LITTLE], [LITTLE, "crc32c"]], ids=["plain", "checked"])
def test_every_flipped_bit_is_found_where_there_are_checksums(codecs):
    chain = bound((4, 4), shard((2, 2), codecs, [LITTLE, "crc32c"]))
    array = numbers(4, 4)
    array[:2, :2] = 0
    stored = bytes(chain.encode(array))
    data = len(stored) - 68 if codecs == [LITTLE] else 0
    for bit in range(8 * data, 8 * len(stored)):
        flipped = bytearray(stored)
        flipped[bit // 8] ^= 1 << bit % 8
        with pytest.raises(CodecError):
            chain.decode(flipped)


@given(st.binary(max_size=300), st.sampled_from(["start", "end"]), st.booleans())
@settings(max_examples=500, deadline=None)
def test_any_bytes_are_a_shard_or_an_error(data, location, nested):
    inner = [shard((1, 2))] if nested else [LITTLE, GZIP]
    chain = bound((2, 4), shard((2, 2), inner, index_location=location))
    try:
        made = chain.decode(data)
    except CodecError:
        return
    assert made.shape == (2, 4)


@given(
    st.lists(st.tuples(st.integers(0, 80), st.integers(0, 20)) | st.just(GONE), min_size=4, max_size=4),
    st.sampled_from([[LITTLE], [LITTLE, "crc32c"]]),
)
@example([GONE, (0, 4), (0, 4), (1, 4)], [LITTLE])
@example([GONE, (0, 4), (0, 4), (4, 4)], [LITTLE])
@settings(max_examples=300, deadline=None)
def test_whatever_an_index_says_all_readers_agree(pairs, codecs):
    chain = bound((4, 4), shard((2, 2), codecs))
    coder = chain.serializer
    stored = bytes(range(100)) + b"".join(struct.pack("<QQ", *pair) for pair in pairs)
    index = coder.parse(stored)

    def part(place):
        index.check()  # as every reader of parts does: entries that overlap are wrong, each alone is not
        span = index.entry(place)
        return np.zeros((2, 2), "u1") if span is None else coder.inner.decode(stored[slice(*span)])

    def outcome(act):
        try:
            return act().tolist()
        except CodecError:
            return "an error"

    parts = [outcome(lambda place=place: part(place)) for place in range(4)]
    whole = outcome(lambda: chain.decode(stored))
    if "an error" in parts:
        assert whole == "an error"
    else:
        assert [piece.tolist() for piece in pieces(np.array(whole), 2, 2)] == parts


def test_a_codec_that_nobody_knows_is_named_with_its_place_in_the_shard():
    with pytest.raises(UnknownName) as caught:
        bound((4,), shard((2,), [LITTLE, "unheard-of"]))
    assert str(caught.value) == (
        "sharding_indexed: /configuration/codecs/1: no codec named 'unheard-of' is registered; "
        'install the package that provides it: zom loads installed entry points of "zom.codecs"'
    )
    with pytest.raises(UnknownName) as caught:
        bound((4,), shard((2,), index_codecs=[LITTLE, "unheard-of"]))
    assert str(caught.value).startswith("sharding_indexed: /configuration/index_codecs/1: no codec named")


def test_shards_that_are_not_cut_evenly_are_not_bound():
    with pytest.raises(SpecError, match="a length that divides 4"):
        bound((4,), shard((3,)))


def test_a_shard_of_too_many_inner_chunks_is_not_bound():
    with pytest.raises(ExtensionError) as caught:
        bound((1 << 25,), shard((1,)))
    assert str(caught.value) == (
        "sharding_indexed: a shard of 33554432 inner chunks; zom supports at most 16777216"
    )


def test_a_shard_wants_elements():
    codec = parse_links([shard((2,))])[0]
    with pytest.raises(ExtensionError, match="the sharding_indexed codec expects elements"):
        codec.codec.bind(codec.configuration, Stream(4, 4), Stream(None, 100))
