"""Grids that zarr-python repairs when it reads them: read here alike, and written so that it reads them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import zom
from zom.stores.memory import MemoryStore

pytestmark = pytest.mark.filterwarnings("ignore::zom.errors.SpecWarning")

BYTES = {"name": "bytes"}
INDEX = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]


def sharded(inner):
    configuration = {"chunk_shape": inner, "codecs": [BYTES], "index_codecs": INDEX}
    return [{"name": "sharding_indexed", "configuration": configuration}]


def v3_document(shape, sizes, codecs=(BYTES,)):
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": "uint8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": sizes}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 7,
        "codecs": list(codecs),
    }


def v2_document(shape, chunks):
    return {
        "zarr_format": 2,
        "shape": shape,
        "chunks": chunks,
        "dtype": "|u1",
        "compressor": None,
        "fill_value": 7,
        "order": "C",
        "filters": None,
    }


CASES = {
    "v3 zero": (v3_document([3], [0]), "c/2"),
    "v3 true": (v3_document([3, 4], [True, 4]), "c/2/0"),
    "v3 shard of zero": (v3_document([10], [0], sharded([4])), "c/2"),
    "v3 inner true": (v3_document([4], [2], sharded([True])), "c/1"),
    "v3 edges": (v3_document([5, 4], [[2, 3], 2]), "c/1/1"),
    "v2 zero": (v2_document([3, 2], [0, 2]), "2.0"),
    "v2 true": (v2_document([3], [True]), "2"),
}


@pytest.mark.parametrize("name", CASES)
def test_an_odd_grid_is_read_and_written(name):
    document, last = CASES[name]
    key = "zarr.json" if document["zarr_format"] == 3 else ".zarray"
    store = MemoryStore({key: json.dumps(document).encode()})
    array = zom.open(store, mode="r+")
    assert np.unique(array[...]).tolist() == [7]
    values = np.arange(np.prod(array.shape), dtype="u1").reshape(array.shape)
    array[...] = values
    assert zom.open(store)[...].tolist() == values.tolist()
    assert last in set(store.list())
    assert [
        p
        for p in zom.validate(store, conventions=(), level="lenient", data="all").problems
        if p.severity == "error"
    ] == []


def test_an_odd_grid_equals_the_one_that_it_is_read_as():
    quiet = {"on_warning": lambda _problem: None}
    odd = zom.parse(v3_document([10], [0], sharded([4])), "lenient", **quiet)
    assert odd.like(zom.parse(v3_document([10], [4], sharded([4]))))
    assert odd.to_dict()["chunk_grid"]["configuration"]["chunk_shape"] == [0]
