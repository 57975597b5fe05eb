"""Small arrays of many chains of codecs, and what can happen to a stored chunk of each."""

from __future__ import annotations

import numpy as np

import zom
from zom import draft, v2, v3
from zom.stores.memory import MemoryStore

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
CRC = {"name": "crc32c"}
GZIP = {"name": "gzip", "configuration": {"level": 1}}
ZSTD = {"name": "zstd", "configuration": {"level": 1, "checksum": False}}
BLOSC = {
    "name": "blosc",
    "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 2, "blocksize": 0},
}


def shards(*codecs, inner=(2, 2), index=(LITTLE, CRC), location="end"):
    configuration = {
        "chunk_shape": list(inner),
        "codecs": list(codecs),
        "index_codecs": list(index),
        "index_location": location,
    }
    return {"name": "sharding_indexed", "configuration": configuration}


def array_v3(*codecs, dtype="int16", fill=0, shape=(4, 4)):
    return v3.ArraySpec.parse(
        {
            "zarr_format": 3,
            "node_type": "array",
            "shape": list(shape),
            "data_type": dtype,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 4]}},
            "chunk_key_encoding": {"name": "default"},
            "fill_value": fill,
            "codecs": list(codecs),
        }
    )


def array_v2(compressor=None, filters=None, **members):
    return v2.ArraySpec.parse(
        {
            "zarr_format": 2,
            "shape": [4, 4],
            "chunks": [4, 4],
            "dtype": "<i2",
            "compressor": compressor,
            "fill_value": 0,
            "order": "C",
            "filters": filters,
            **members,
        }
    )


SUMMED = {
    "default": v3.ArraySpec.build(shape=(4, 4), dtype="int16", chunks=(4, 4)),
    "default shards": v3.ArraySpec.build(shape=(4, 4), dtype="int16", chunks=(2, 2), shards=(4, 4)),
    "default strings": v3.ArraySpec.build(shape=(4, 4), dtype="string", chunks=(4, 4)),
    "default gzip": v3.ArraySpec.build(shape=(4, 4), dtype="int16", chunks=(4, 4), compress="gzip"),
    "default blosc shards": v3.ArraySpec.build(
        shape=(4, 4), dtype="int16", chunks=(2, 2), shards=(4, 4), compress="blosc"
    ),
    "default plain shards": v3.ArraySpec.build(
        shape=(4, 4), dtype="int16", chunks=(2, 2), shards=(4, 4), compress=None
    ),
    "default v2": v2.ArraySpec.build(shape=(4, 4), dtype="int16", chunks=(4, 4)),
    "asked blosc": v3.ArraySpec.build(
        shape=(4, 4), dtype="int16", chunks=(4, 4), compress="blosc", checksum=True
    ),
    "crc32c": array_v3(LITTLE, CRC),
    "gzip crc32c": array_v3(LITTLE, GZIP, CRC),
    "blosc crc32c": array_v3(LITTLE, BLOSC, CRC),
    "shards index first": array_v3(shards(LITTLE, CRC, location="start")),
    "shards in shards": array_v3(shards(shards(LITTLE, CRC, inner=(1, 2)))),
    "shards crc32c": array_v3(shards(LITTLE, index=(LITTLE,)), CRC),
    "transpose crc32c": array_v3(
        {"name": "transpose", "configuration": {"order": [1, 0]}}, LITTLE, CRC, dtype="float64", fill="NaN"
    ),
    "v2 crc32c": array_v2({"id": "crc32c"}),
    "v2 adler32": array_v2(None, [{"id": "adler32"}], order="F"),
}
"""Chains with a checksum over all elements."""

OTHERS = {
    "bytes": array_v3(LITTLE),
    "bool": array_v3({"name": "bytes"}, dtype="bool", fill=False),
    "gzip": array_v3(LITTLE, GZIP),
    "zstd": array_v3(LITTLE, ZSTD),
    "zstd checksum": array_v3(LITTLE, {"name": "zstd", "configuration": {"level": 1, "checksum": True}}),
    "blosc": array_v3(LITTLE, BLOSC),
    "vlen-utf8": array_v3({"name": "vlen-utf8"}, dtype="string", fill=""),
    "vlen-bytes": array_v3({"name": "vlen-bytes"}, dtype="bytes", fill=""),
    "packbits": array_v3({"name": "packbits"}, dtype="bool", fill=False),
    "shards of bytes": array_v3(shards(LITTLE)),
    "shards of gzip": array_v3(shards(LITTLE, GZIP)),
    "shards gzip": array_v3(shards(LITTLE), GZIP),
    "v2": array_v2(),
    "v2 zlib": array_v2({"id": "zlib", "level": 1}),
    "v2 bz2": array_v2({"id": "bz2", "level": 1}),
    "v2 lzma": array_v2({"id": "lzma", "format": 1, "check": -1, "preset": None, "filters": None}),
    "v2 lz4": array_v2({"id": "lz4", "acceleration": 1}),
    "v2 blosc": array_v2({"id": "blosc", "cname": "zstd", "clevel": 5, "shuffle": 2, "blocksize": 0}),
    "v2 delta shuffle": array_v2(
        {"id": "zstd", "level": 1}, [{"id": "delta", "dtype": "<i2"}, {"id": "shuffle", "elementsize": 2}]
    ),
    "v2 vlen-utf8": array_v2({"id": "zlib", "level": 1}, [{"id": "vlen-utf8"}], dtype="|O", fill_value=""),
    "v2 json2": array_v2(
        None,
        [
            {
                "id": "json2",
                "encoding": "utf-8",
                "skipkeys": False,
                "ensure_ascii": True,
                "check_circular": True,
            }
        ],
        dtype="|O",
        fill_value=None,
    ),
    "v2 fletcher32": array_v2(None, [{"id": "fletcher32"}]),
    "v2 base64": array_v2({"id": "base64"}),
    "v2 msgpack2": array_v2(
        None, [{"id": "msgpack2", "raw": False, "use_bin_type": True}], dtype="|O", fill_value=None
    ),
    "v2 categorize": array_v2(
        {"id": "zlib", "level": 1},
        [
            {
                "id": "categorize",
                "labels": [f"text {i}" for i in range(16)],
                "dtype": "<U7",
                "astype": "|u1",
            }
        ],
        dtype="<U7",
        fill_value="",
    ),
    "v2 fixedscaleoffset": array_v2(
        None,
        [{"id": "fixedscaleoffset", "scale": 1, "offset": 0, "dtype": "<f8", "astype": "<i4"}],
        dtype="<f8",
    ),
    "reshape": array_v3({"name": "reshape", "configuration": {"shape": [16]}}, LITTLE, ZSTD),
    "shards of shards of gzip": array_v3(shards(shards(LITTLE, GZIP, inner=(2, 1)))),
    "shards of strings": array_v3(shards({"name": "vlen-utf8"}), dtype="string", fill=""),
    "draft": draft.ArraySpec.build(shape=(4, 4), dtype="int16", chunks=(4, 4)),
}
"""Chains in which a flipped bit may go unnoticed."""

CHAINS = {**SUMMED, **OTHERS}


def written(name):
    """An array of the chain whose only chunk is full, its key, the chunk, and the elements."""
    array = zom.create_array(MemoryStore(), CHAINS[name], "x")
    elements = values(array)
    array[...] = elements
    return array, chunk_key(array), elements


def chunk_key(array):
    (key,) = (key for key in array.store.list() if not key.endswith((".json", ".zarray", ".zgroup")))
    return key


def values(array):
    dtype = array.dtype
    if dtype.kind in "TU":
        return np.array([f"text {i}" for i in range(16)], dtype).reshape(4, 4)
    if dtype.kind == "O":
        made = np.empty(16, object)
        texts = [f"text {i}" for i in range(16)]
        made[:] = [text.encode() for text in texts] if array.plan.data_type.name == "bytes" else texts
        return made.reshape(4, 4)
    if dtype.kind == "b":
        return (np.arange(16).reshape(4, 4) % 3).astype(bool)
    return (np.arange(1, 17).reshape(4, 4) * 7).astype(dtype)
