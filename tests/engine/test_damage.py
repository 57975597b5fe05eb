"""Damaged chunks: a `ChunkError` that says where, or the elements; nothing else, and nothing is written over."""

from __future__ import annotations

import gzip
import os
import random
import re

import numpy as np
import pytest
from damage_chains import CHAINS, CRC, LITTLE, SUMMED, array_v3, chunk_key, shards, values, written

import zom
from zom.errors import ChunkError, CodecError, MissingChunk, StoreError, UnknownName, ZomError
from zom.stores.memory import MemoryStore


def names_the_place(error, array, key):
    assert isinstance(error, ChunkError)
    assert (error.store, error.node, error.key) == ("memory://", "/x", key)
    assert error.codec
    assert error.reason
    assert str(error).startswith(f"memory://: cannot {error.verb} chunk {key!r} of /x: {error.codec}: ")


def outcome(array, key, act):
    """What `act` gives, or the error that it raises, which must be one of a chunk."""
    try:
        return act()
    except ChunkError as error:
        names_the_place(error, array, key)
        return error


def refused_everywhere(array, key, damaged):
    """That no way to touch the chunk takes it for sound, and that nobody writes over it."""
    array.store.set(key, damaged)
    element = values(array)[0, 0]

    def change():
        array[0, 0] = element

    def change_some():
        array[::2, 1::2] = element

    assert isinstance(outcome(array, key, lambda: array[...]), ChunkError)
    for act in [
        change,
        change_some,
        lambda: array[1, 2],
        lambda: array[:, ::2],
        lambda: array.vindex[[0], [3]],
    ]:
        found = outcome(array, key, act)
        # A part of a shard may be sound, and its index with it.
        assert isinstance(found, ChunkError) or array.plan.sharded
        if isinstance(found, ChunkError):
            assert array.store.get(key) == damaged
        elif array.store.get(key) != damaged:
            # The part that is damaged is still there.
            assert isinstance(outcome(array, key, lambda: array[...]), ChunkError)
            array.store.set(key, damaged)


def flipped(data, place):
    damaged = bytearray(data)
    damaged[place // 8] ^= 1 << place % 8
    return bytes(damaged)


def is_harmless(array, elements):
    """Whether a chunk reads as what was written: headers of zstd and gzip have bits that say nothing."""
    found = outcome(array, chunk_key(array), lambda: array[...])
    return not isinstance(found, ChunkError) and np.array_equal(found, elements)


@pytest.mark.parametrize("name", SUMMED)
def test_no_flipped_bit_gives_other_elements_where_there_is_a_checksum(name):
    array, key, elements = written(name)
    data = array.store.get(key)
    silent = 0
    for place in range(len(data) * 8):
        array.store.set(key, flipped(data, place))
        found = outcome(array, key, lambda: array[...])
        if not isinstance(found, ChunkError):
            assert np.array_equal(found, elements), place
            silent += 1
    # Of gzip: time, flags of no meaning, system. Of zstd, in each frame: the bit that is not used.
    headers = 80 if "gzip" in name and "crc32c" not in name else 8
    assert silent <= headers


@pytest.mark.parametrize("name", SUMMED)
def test_damage_is_not_written_over_where_there_is_a_checksum(name):
    array, key, elements = written(name)
    data = array.store.get(key)
    for place in range(0, len(data) * 8, 61):
        array.store.set(key, flipped(data, place))
        if not is_harmless(array, elements):
            refused_everywhere(array, key, flipped(data, place))


@pytest.mark.parametrize("name", CHAINS)
def test_flipped_bits_give_elements_or_an_error(name):
    array, key, elements = written(name)
    data = array.store.get(key)
    for place in range(0, len(data) * 8, 3):
        damaged = bytearray(data)
        damaged[place // 8] ^= 1 << place % 8
        array.store.set(key, bytes(damaged))
        found = outcome(array, key, lambda: array[...])
        assert isinstance(found, ChunkError) or found.shape == elements.shape


@pytest.mark.parametrize("name", CHAINS)
def test_every_truncation_is_an_error(name):
    array, key, _ = written(name)
    data = array.store.get(key)
    for length in range(len(data)):
        array.store.set(key, data[:length])
        found = outcome(array, key, lambda: array[...])
        assert isinstance(found, ChunkError), length


@pytest.mark.parametrize("name", CHAINS)
def test_a_truncated_chunk_is_not_written_over_by_parts(name):
    array, key, _ = written(name)
    data = array.store.get(key)
    for length in {0, 1, len(data) // 2, len(data) - 1}:
        refused_everywhere(array, key, data[:length])


@pytest.mark.parametrize("name", CHAINS)
def test_what_is_too_long_is_an_error_or_read_right(name):
    array, key, elements = written(name)
    data = array.store.get(key)
    for more in [b"\0", b"\0" * 32, data, b"\xff" * 1000]:
        array.store.set(key, data + more)
        found = outcome(array, key, lambda: array[...])
        assert isinstance(found, ChunkError) or (found == elements).all()


@pytest.mark.parametrize("name", CHAINS)
def test_garbage_gives_elements_or_an_error(name):
    array, key, elements = written(name)
    rng = random.Random(1)
    size = len(array.store.get(key))
    for length in [1, 2, 3, 4, 8, 15, 16, 17, size, size, size, 4096]:
        for data in [rng.randbytes(length), b"\0" * length, b"\xff" * length]:
            array.store.set(key, data)
            found = outcome(array, key, lambda: array[...])
            assert isinstance(found, ChunkError) or found.shape == elements.shape


@pytest.mark.parametrize("name", CHAINS)
def test_a_damaged_chunk_is_replaced_as_a_whole(name):
    array, key, elements = written(name)
    array.store.set(key, b"garbage")
    array[...] = elements
    assert (array[...] == elements).all()


@pytest.mark.parametrize("name", SUMMED)
def test_the_chunk_of_another_array_is_refused(name):
    array, key, _ = written(name)
    other = zom.create_array(MemoryStore(), array_v3(LITTLE, dtype="int64"), "y")
    other[...] = 5
    refused_everywhere(array, key, other.store.get(chunk_key(other)))


# --- shards ------------------------------------------------------------------------------------------

MISSING = 2**64 - 1
DATA = 4 * 8
"""Four inner chunks of 2 x 2 elements of two bytes."""


def shard_with(entries, location="end", data=None):
    """A shard of int16 whose index has these entries, without a checksum that would tell first."""
    array = zom.create_array(MemoryStore(), array_v3(shards(LITTLE, index=(LITTLE,), location=location)), "x")
    array[...] = values(array)
    key = chunk_key(array)
    stored = array.store.get(key)
    index = np.array(entries, "<u8").tobytes()
    body = stored[:-64] if location == "end" else stored[64:]
    body = body if data is None else data
    array.store.set(key, body + index if location == "end" else index + body)
    return array, key


BAD_INDEXES = {
    "beyond the end": ((0, 8), (8, 8), (16, 8), (1000, 8)),
    "partly beyond the end": ((0, 8), (8, 8), (16, 8), (92, 8)),
    "far beyond": ((0, 8), (8, 8), (16, 8), (2**63, 8)),
    "wrapped": ((0, 8), (8, 8), (16, 8), (2**64 - 8, 8)),
    "wrapped length": ((0, 8), (8, 8), (16, 8), (24, 2**64 - 24)),
    "length of another chunk": ((0, 8), (8, 8), (16, 8), (24, 7)),
    "no bytes": ((0, 8), (8, 8), (16, 8), (0, 0)),
    "only the offset missing": ((0, 8), (8, 8), (16, 8), (MISSING, 8)),
    "only the length missing": ((0, 8), (8, 8), (16, 8), (24, MISSING)),
    "in the index": ((0, 8), (8, 8), (16, 8), (32, 8)),
    "partly in the index": ((0, 8), (8, 8), (16, 8), (28, 8)),
}


@pytest.mark.parametrize("entries", BAD_INDEXES.values(), ids=BAD_INDEXES)
def test_an_index_that_can_not_be_true_is_refused(entries):
    array, key = shard_with(entries)
    stored = array.store.get(key)
    for act in [
        lambda: array[...],
        lambda: array[3, 3],
        lambda: array[::2, ::3],
        lambda: array.__setitem__((0, 0), 1),
        lambda: array.__setitem__((3, 3), 1),
    ]:
        found = outcome(array, key, act)
        assert isinstance(found, ChunkError)
        assert "inner chunk (1, 1)" in str(found)
    assert array.store.get(key) == stored
    array[...] = 3
    assert (array[...] == 3).all()


@pytest.mark.parametrize("location", ["start", "end"])
def test_inner_chunks_that_overlap_in_part_are_neither_read_nor_written_over(location):
    first = 64 if location == "start" else 0
    spans = [(first + start, 8) for start in (0, 4, 16, 24)]
    array, _ = shard_with(spans, location)
    key = chunk_key(array)
    stored = array.store.get(key)
    found = (
        rf"inner chunk \(0, 0\): bytes {first} to {first + 8} overlap bytes {first + 4} to {first + 12} of"
    )
    for act in [
        lambda: array[...],
        lambda: array[0, 0],
        lambda: array[3, 3],
        lambda: array[::2, ::3],
        lambda: array.vindex[[3], [3]],
        lambda: array.__setitem__((3, 3), 1),
    ]:
        with pytest.raises(ChunkError, match=found):
            act()
    assert array.store.get(key) == stored
    array[...] = 3
    assert (array[...] == 3).all()


def test_inner_chunks_with_the_same_range_are_read_and_written():
    array, _ = shard_with([(0, 8), (0, 8), (16, 8), (24, 8)])
    assert (array[:2, :2] == array[:2, 2:]).all()
    before = int(array[0, 2])
    array[0, 0] = before + 1
    assert (array[0, 0], array[0, 2]) == (before + 1, before)


@pytest.mark.parametrize("location", ["start", "end"])
def test_an_index_with_a_wrong_checksum_is_refused(location):
    array = zom.create_array(MemoryStore(), array_v3(shards(LITTLE, location=location)), "x")
    array[...] = values(array)
    key = chunk_key(array)
    damaged = bytearray(array.store.get(key))
    damaged[0 if location == "start" else -1] ^= 1
    refused_everywhere(array, key, bytes(damaged))
    with pytest.raises(ChunkError, match=r"sharding_indexed: index, bytes \d+ to \d+: crc32c: "):
        array[0, 0]


def damaged_inner():
    """An array of shards in shards, one of whose innermost chunks has a wrong checksum."""
    array = zom.create_array(MemoryStore(), array_v3(shards(LITTLE, CRC)), "x")
    array[...] = values(array)
    key = chunk_key(array)
    data = bytearray(array.store.get(key))
    data[13] ^= 1
    array.store.set(key, bytes(data))
    return array, key, bytes(data)


PLACE = re.escape("sharding_indexed: inner chunk (0, 1), bytes 12 to 24: crc32c: ")


@pytest.mark.parametrize(
    "act",
    [lambda a: a[...], lambda a: a[0], lambda a: a[1, 3], lambda a: a.__setitem__((0, 2), 5)],
    ids=["all", "row", "element", "change"],
)
def test_a_damaged_inner_chunk_is_named_with_its_bytes(act):
    array, key, data = damaged_inner()
    with pytest.raises(ChunkError, match=PLACE) as caught:
        act(array)
    assert caught.value.byte_range == (12, 24)
    assert array.store.get(key) == data


def test_the_bytes_of_a_damaged_index_are_told():
    array = zom.create_array(MemoryStore(), array_v3(shards(LITTLE)), "x")
    array[...] = values(array)
    data = bytearray(array.store.get(chunk_key(array)))
    data[-1] ^= 1
    array.store.set(chunk_key(array), bytes(data))
    for act in [lambda: array[...], lambda: array[0, 0], lambda: array.__setitem__((0, 0), 1)]:
        with pytest.raises(ChunkError, match="index") as caught:
            act()
        assert caught.value.byte_range == (len(data) - 4 * 16 - 4, len(data))


GZIP = {"name": "gzip", "configuration": {"level": 1}}


def test_bytes_of_a_shard_that_is_not_stored_as_it_is_are_not_told():
    array = zom.create_array(MemoryStore(), array_v3(shards(LITTLE, CRC), GZIP), "x")
    array[...] = values(array)
    data = bytearray(gzip.decompress(array.store.get(chunk_key(array))))
    data[13] ^= 1
    array.store.set(chunk_key(array), gzip.compress(bytes(data)))
    with pytest.raises(ChunkError, match=PLACE) as caught:
        array[0]
    assert caught.value.byte_range is None


def test_the_rest_of_a_shard_with_a_damaged_inner_chunk_is_read_and_written():
    array, _, _ = damaged_inner()
    array[3, 3] = 5
    assert array[3, 2:].tolist() == [15 * 7, 5]
    with pytest.raises(ChunkError, match=PLACE):
        array[0]


def test_a_damaged_inner_chunk_is_replaced_as_a_whole():
    array, _, _ = damaged_inner()
    array[:2, 2:] = 5
    assert array[0].tolist() == [7, 14, 5, 5]


def test_a_damaged_chunk_in_a_shard_in_a_shard_is_named_by_both():
    array = zom.create_array(MemoryStore(), array_v3(shards(shards(LITTLE, CRC, inner=(1, 2)))), "x")
    array[...] = values(array)
    key = chunk_key(array)
    data = bytearray(array.store.get(key))
    inner = len(data) - 4 * 16 - 4
    data[inner // 4] ^= 1
    array.store.set(key, bytes(data))
    both = r"inner chunk \(0, 1\), bytes (\d+) to \d+: sharding_indexed: inner chunk \(0, 0\), bytes 0 to 8: crc32c: "
    for act in [lambda: array[0, 2], lambda: array[...], lambda: array.__setitem__((0, 2), 1)]:
        with pytest.raises(ChunkError, match=both) as caught:
            act()
        assert caught.value.byte_range == (inner // 4, inner // 4 + 8)
    assert array.store.get(key) == bytes(data)


# --- in the place of a chunk -------------------------------------------------------------------------


@pytest.mark.parametrize("spec", [array_v3(LITTLE), array_v3(LITTLE, CRC), array_v3(shards(LITTLE))])
@pytest.mark.parametrize("kind", ["directory", "fifo", "file above"])
def test_what_is_no_file_is_an_error_of_the_store(tmp_path, spec, kind):
    array = zom.create_array(tmp_path, spec, "x")
    place = tmp_path / "x" / "c" / "0" / "0"
    if kind == "file above":
        place.parent.parent.mkdir()
        place.parent.write_bytes(b"")
    elif kind == "directory":
        place.mkdir(parents=True)
    else:
        place.parent.mkdir(parents=True)
        os.mkfifo(place)
    for act in [lambda: array[...], lambda: array[0, 0], lambda: array.__setitem__((0, 0), 1)]:
        with pytest.raises(StoreError) as caught:
            act()
        assert caught.value.key == "x/c/0/0"
        assert str(tmp_path) in str(caught.value)


def test_a_missing_chunk_is_the_only_thing_that_reads_as_fill():
    array, key, _ = written("default")
    array.store.delete(key)
    assert not array[...].any()
    with pytest.raises(MissingChunk, match=r"memory://: cannot read chunk 'x/c/0/0' of /x: it is missing"):
        array.with_options(missing="error")[...]
    array.store.set(key, b"")
    with pytest.raises(ChunkError, match="cannot decode chunk"):
        array[...]


# --- chunks that no memory holds ---------------------------------------------------------------------


@pytest.mark.parametrize("codecs", [[LITTLE], [LITTLE, CRC]], ids=len)
def test_a_chunk_that_no_memory_holds_is_refused(codecs):
    spec = array_v3(*codecs)
    grid = {"name": "regular", "configuration": {"chunk_shape": [2**40, 4]}}
    array = zom.create_array(MemoryStore(), spec.replace(chunk_grid=grid), "x")
    assert not array[...].any()
    array.store.set("x/c/0/0", b"12345678")
    for act in [lambda: array[...], lambda: array[0, 0], lambda: array.__setitem__((0, 0), 1)]:
        with pytest.raises(ChunkError, match=r"chunk 'x/c/0/0' of /x"):
            act()
    with pytest.raises(ChunkError, match=r"not enough memory: \d+ x 4 elements"):
        array[...] = 1


# --- names that nobody registered --------------------------------------------------------------------


def test_an_array_with_an_unknown_codec_opens_and_tells_the_name_when_a_chunk_is_touched():
    store = MemoryStore()
    zom.create_array(store, array_v3(LITTLE, {"name": "x-nobody"}), "x")
    array = zom.open_array(store, "x", mode="r+")
    array.attrs["n"] = 1
    assert (array.shape, array.dtype, array.chunks, dict(array.attrs)) == ((4, 4), np.int16, (4, 4), {"n": 1})
    for act in [lambda: array[0], lambda: array.__setitem__(0, 1), lambda: array.__setitem__(..., 1)]:
        with pytest.raises(
            UnknownName,
            match=r"^memory://: /x: /codecs/1: no codec named 'x-nobody' is registered; .*zom\.codecs",
        ):
            act()


def test_an_unknown_codec_in_a_shard_is_named():
    array = zom.create_array(MemoryStore(), array_v3(shards(LITTLE, {"name": "x-nobody"})), "x")
    with pytest.raises(UnknownName, match="no codec named 'x-nobody' is registered"):
        array[0]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"data_type": "x-nobody"}, 'data_type: no data type named "x-nobody" is registered'),
        ({"chunk_grid": {"name": "x-nobody"}}, 'chunk_grid: no chunk grid named "x-nobody" is registered'),
        (
            {"chunk_key_encoding": {"name": "x-nobody"}},
            'chunk_key_encoding: no chunk key encoding named "x-nobody" is registered',
        ),
    ],
)
def test_an_array_with_other_unknown_names_opens_and_tells_the_name(change, text):
    store = MemoryStore()
    zom.create_array(store, array_v3(LITTLE).replace(**change), "x")
    array = zom.open_array(store, "x")
    assert array.shape == (4, 4)
    repr(array)
    for act in [lambda: array[0], lambda: array[...]]:
        with pytest.raises(UnknownName, match=text):
            act()


def test_errors_of_chunks_are_of_one_tree():
    assert issubclass(ChunkError, ZomError)
    assert issubclass(CodecError, ZomError)
