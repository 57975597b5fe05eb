"""Blocks of N5: documents, and what is stored. tests/interop/n5.py exchanges them with tensorstore."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import zom
from zom import v3
from zom.errors import ChunkError
from zom.stores.memory import MemoryStore

BIG = {"name": "bytes", "configuration": {"endian": "big"}}
GZIP = {"name": "gzip", "configuration": {"level": 1}}


def turn(*order):
    return {"name": "transpose", "configuration": {"order": list(order)}}


def n5(*codecs):
    return {"name": "n5_default", "configuration": {"codecs": list(codecs)}}


def made(*codecs, shape=(3, 5), chunks=(2, 3), dtype="int16", fill=7):
    codec = n5(turn(1, 0), BIG, *codecs)
    spec = v3.ArraySpec.build(shape=shape, dtype=dtype, chunks=chunks, codecs=[codec], fill_value=fill)
    return zom.create_array(MemoryStore(), spec)


def block(values, mode=0, rank=None):
    values = np.asarray(values, ">i2")
    head = struct.pack(f">HH{values.ndim}I", mode, values.ndim if rank is None else rank, *values.shape)
    return head + values.tobytes(order="F")


def test_a_block_has_a_header_and_its_elements_with_the_first_dimension_first():
    array = made()
    array[:2, :3] = [[1, 2, 3], [4, 5, 6]]
    assert array.store.get("c/0/0") == bytes.fromhex(
        "00000002 00000002 00000003 0001 0004 0002 0005 0003 0006"
    )


@pytest.mark.parametrize("codecs", [(), (GZIP,), ({"name": "crc32c"},)], ids=len)
def test_what_is_written_is_read(codecs):
    array = made(*codecs)
    values = np.arange(15).reshape(3, 5)
    array[...] = values
    array[1, 2:4] = -1
    values[1, 2:4] = -1
    assert np.array_equal(array[...], values)
    assert zom.validate(array, conventions=(), data="all").ok


def test_blocks_of_any_shape_are_padded_or_cut():
    array = made()
    array.store.set("c/0/1", block([[1, 2], [3, 4]]))
    array.store.set("c/1/0", block([[5, 6, 7]]))
    array.store.set("c/0/0", block(np.arange(12).reshape(3, 4)))
    assert array[...].tolist() == [[0, 1, 2, 1, 2], [4, 5, 6, 3, 4], [5, 6, 7, 7, 7]]
    array.store.set("c/0/0", block([[8]]))
    assert array[:2, :3].tolist() == [[8, 7, 7], [7, 7, 7]]


DAMAGED = {
    "empty": (b"", "truncated: the header of a block has 12 bytes, found 0"),
    "half a header": (block([[1]])[:9], "truncated: the header of a block has 12 bytes, found 9"),
    "another mode": (block([[1]], mode=1), "expected a block of mode 0 (default), found mode 1"),
    "another rank": (block([1]), "expected a block of 2 dimensions, found 1"),
    "a huge block": (
        struct.pack(">HHII", 0, 2, 2**31, 2**31),
        "expected at most 16777228 bytes, found a block of 2147483648 x 2147483648 elements",
    ),
    "too few bytes": (block([[1, 2]])[:-1], "bytes: expected 4 bytes, found 3"),
    "too many bytes": (block([[1, 2]]) + b"\0", "bytes: expected 4 bytes, found 5"),
}


@pytest.mark.parametrize(("data", "reason"), DAMAGED.values(), ids=DAMAGED)
def test_damaged_blocks_are_refused(data, reason):
    array = made()
    array.store.set("c/0/0", data)
    with pytest.raises(ChunkError) as caught:
        array[0, 0]
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("codecs", "place", "expected", "found"),
    [
        ([turn(0, 1), BIG], (0, "configuration", "order"), "[1,0]", "[0, 1]"),
        ([BIG], (0,), 'the codec "transpose"', '"bytes"'),
        ([turn(1, 0), "vlen-utf8"], (1,), 'the codec "bytes"', '"vlen-utf8"'),
        (
            [turn(1, 0), {"name": "bytes", "configuration": {"endian": "little"}}],
            (1, "configuration", "endian"),
            '"big"',
            '"little"',
        ),
        ([turn(1, 0), BIG, GZIP, GZIP], (3,), "at most one codec after bytes", '"gzip"'),
    ],
)
def test_only_what_n5_has_is_permitted(chain, codecs, place, expected, found):
    faults = chain([n5(*codecs)], (2, 3), "int16")
    told = dict(zip(faults.places, faults.said, strict=True))
    assert told["codecs", 0, "configuration", "codecs", *place] == (expected, found)
    assert "codec/n5-codecs" in faults.codes


def test_the_data_types_are_those_of_n5(chain):
    faults = chain([n5(turn(0), BIG)], (4,), "complex64")
    assert faults.codes == ["codec/n5-type"]
    wanted = "an integer of 8 to 64 bits, float32 or float64"
    assert faults.said == [(wanted, 'the data type "complex64"')]


def test_lengths_fit_into_the_header(chain):
    faults = chain([n5(turn(0), "bytes")], (2**32,), "uint8")
    assert faults.codes == ["codec/n5-size"]
    assert faults.said == [("chunks of at most 4294967295 elements along each dimension", "4294967296")]
