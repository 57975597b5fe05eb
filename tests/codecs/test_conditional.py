"""Codecs that are applied to some chunks and not to others."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import zom
from zom import v3
from zom.errors import ChunkError
from zom.stores.memory import MemoryStore

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
GZIP = {"name": "gzip", "configuration": {"level": 6}}
ZSTD = {"name": "zstd", "configuration": {"level": 3, "checksum": False}}
SHUFFLE = {"name": "numcodecs.shuffle", "configuration": {"elementsize": 4}}


def conditional(*codecs, **more):
    return {"name": "conditional", "configuration": {"codecs": list(codecs), **more}}


def made(*chain):
    spec = v3.ArraySpec.build(shape=(200,), dtype="int32", chunks=(100,), codecs=[LITTLE, *chain])
    return zom.create_array(MemoryStore(), spec)


def values():
    noise = np.random.default_rng(1).integers(-(2**31), 2**31, 100)
    return np.concatenate([np.arange(100), noise])


def test_a_compressor_is_skipped_where_it_saves_nothing():
    array = made(conditional(GZIP))
    array[...] = values()
    assert array.store.get("c/0")[:3] == b"\x01\x1f\x8b"
    assert array.store.get("c/1") == b"\0" + values()[100:].astype("<i4").tobytes()
    assert np.array_equal(array[...], values())


@pytest.mark.parametrize(
    "chain",
    [
        [conditional()],
        [conditional(SHUFFLE, ZSTD, {"name": "crc32c"})],
        [conditional({"name": "crc32c"}, GZIP, header_bits=24), {"name": "crc32c"}],
        [GZIP, conditional(*[{"name": "crc32c"}] * 9)],
        [conditional(conditional(GZIP), ZSTD)],
    ],
    ids=["none", "three", "a long header", "nine", "nested"],
)
def test_what_is_written_is_read(chain):
    array = made(*chain)
    array[...] = values()
    array[95:105] = 5
    expected = values()
    expected[95:105] = 5
    assert np.array_equal(array[...], expected)
    assert zom.validate(array, conventions=(), data="all").ok


def test_checksums_and_shuffles_are_always_applied():
    array = made(conditional(SHUFFLE, ZSTD, {"name": "crc32c"}))
    array[...] = values()
    assert [array.store.get(key)[0] for key in ("c/0", "c/1")] == [0b111, 0b101]


def test_any_choice_of_others_is_read():
    data = values()[:100].astype("<i4").tobytes()
    array = made(conditional(GZIP, ZSTD, header_bits=16))
    array.store.set("c/0", b"\0\0" + data)
    assert np.array_equal(array[:100], values()[:100])
    array.store.set("c/0", b"\1\0" + gzip.compress(data))
    assert np.array_equal(array[:100], values()[:100])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\0", "truncated: expected a header of 2 bytes, found 1"),
        (b"\4\0", "the header 0x4 names codecs beyond the existing 2"),
        (b"\0\0abc", "expected 400 bytes, found 3"),
        (b"\1\0abc", "gzip"),
    ],
)
def test_damaged_chunks_are_refused(data, reason):
    array = made(conditional(GZIP, ZSTD, header_bits=16))
    array.store.set("c/0", data)
    with pytest.raises(ChunkError, match="cannot decode chunk 'c/0' of /: conditional: ") as caught:
        array[0]
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("codec", "code", "place", "said"),
    [
        (
            conditional(LITTLE),
            "codec/order",
            ("codecs", 0),
            ("a bytes->bytes codec", '"bytes", an array->bytes codec'),
        ),
        (
            conditional(GZIP, header_bits=7),
            "codec/conditional-header",
            ("header_bits",),
            ("a multiple of 8 from 1 on", "7"),
        ),
        (
            conditional(*[GZIP] * 9, header_bits=8),
            "codec/conditional-header",
            ("header_bits",),
            ("a multiple of 8 from 9 on", "8"),
        ),
        (
            conditional({"name": "gzip", "configuration": {"level": 11}}),
            "codec/encoding-parameter",
            ("codecs", 0, "configuration", "level"),
            ("an integer from 0 to 9", "11"),
        ),
        (
            {"name": "conditional", "configuration": {"codecs": 3}},
            "codec/configuration",
            ("codecs",),
            ("a list", "3"),
        ),
    ],
)
def test_documents_are_checked(chain, codec, code, place, said):
    faults = chain([LITTLE, codec], (4,), "int32")
    assert faults.codes == [code]
    assert faults.places == [("codecs", 1, "configuration", *place)]
    assert faults.said == [said]


def test_a_codec_that_nobody_knows_is_told_when_it_is_used():
    array = made(conditional({"name": "acme.zip"}))
    with pytest.raises(zom.UnknownName, match=r"no codec named 'acme.zip' is registered"):
        array[...] = 1
