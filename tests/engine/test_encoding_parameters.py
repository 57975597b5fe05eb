"""Parameters that only encoding needs: chunks are read without them, and written with others."""

from __future__ import annotations

import json

import numcodecs
import numpy as np
import pytest

import zom
from zom.errors import SpecWarning
from zom.stores.memory import MemoryStore

VALUES = np.arange(6, dtype="<i4")


def v2_store(compressor, chunk):
    document = {
        "zarr_format": 2,
        "shape": [6],
        "chunks": [6],
        "dtype": "<i4",
        "compressor": compressor,
        "fill_value": 0,
        "order": "C",
        "filters": None,
    }
    return {".zarray": json.dumps(document).encode(), "0": bytes(chunk)}


def v3_store(codec, chunk):
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [6],
        "data_type": "int32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [6]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, codec],
    }
    return {"zarr.json": json.dumps(document).encode(), "c/0": bytes(chunk)}


BLOSC = {"cname": "brotli", "clevel": 99, "shuffle": "shuffle", "typesize": 4, "blocksize": -1}
STORES = {
    "v3 zstd": v3_store({"name": "zstd", "configuration": {"level": 100}}, numcodecs.Zstd().encode(VALUES)),
    "v3 gzip": v3_store({"name": "gzip", "configuration": {"level": -3}}, numcodecs.GZip().encode(VALUES)),
    "v3 blosc": v3_store({"name": "blosc", "configuration": BLOSC}, numcodecs.Blosc().encode(VALUES)),
    "v2 zlib": v2_store({"id": "zlib", "level": "best"}, numcodecs.Zlib().encode(VALUES)),
    "v2 bz2": v2_store({"id": "bz2", "level": 0}, numcodecs.BZ2().encode(VALUES)),
    "v2 lz4": v2_store({"id": "lz4", "acceleration": 2**40}, numcodecs.LZ4().encode(VALUES)),
    "v2 lzma": v2_store({"id": "lzma", "preset": 12}, numcodecs.LZMA().encode(VALUES)),
}


@pytest.mark.filterwarnings("ignore::zom.errors.SpecWarning")
@pytest.mark.parametrize("name", STORES)
def test_chunks_are_read_whatever_they_say_and_written_so_that_they_come_back(name):
    store = MemoryStore(STORES[name])
    array = zom.open(store, mode="r+")
    assert array[...].tolist() == VALUES.tolist()
    array[...] = VALUES[::-1]
    assert zom.open(store)[...].tolist() == VALUES[::-1].tolist()


def test_the_level_of_a_store_stays_as_it_is_spelled():
    with pytest.warns(SpecWarning, match="from -131072 to 22, found 100"):
        spec = zom.read(MemoryStore(STORES["v3 zstd"]))
    assert spec.to_dict()["codecs"][1]["configuration"] == {"level": 100}
