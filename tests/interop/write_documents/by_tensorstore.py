"""tensorstore as a writer of v2 and v3."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import tensorstore as ts
from cases import ATTRIBUTES, SHAPES, SIMPLE, SWAPPED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from collected import Collected


def write(collected: Collected) -> None:
    """tensorstore: v2 and v3."""

    def create(driver: str, metadata: dict[str, Any]) -> list[tuple[str, Any]]:
        place = {"driver": "memory", "path": ""}
        context = ts.Context()
        spec = {"driver": driver, "kvstore": place, "metadata": metadata, "create": True}
        if isinstance(metadata.get("dtype"), list):
            spec["field"] = metadata["dtype"][0][0]
        elif isinstance(metadata.get("data_type"), dict):
            spec["field"] = "x"
        ts.open(spec, context=context).result()
        store = ts.KvStore.open(place, context=context).result()
        return [(key.decode(), store[key]) for key in store.list().result()]

    for metadata in tensorstore_v2():
        collected.attempt(lambda m=metadata: create("zarr", m))
    for metadata in tensorstore_v3():
        collected.attempt(lambda m=metadata: create("zarr3", m))


def tensorstore_v2() -> Iterator[dict[str, Any]]:
    compressors: list[Any] = [
        None,
        *(
            {"id": "blosc", "cname": c, "clevel": 5, "shuffle": s}
            for c in ("lz4", "zstd")
            for s in (-1, 0, 1, 2)
        ),
        {"id": "blosc", "cname": "blosclz", "clevel": 1, "shuffle": 1, "blocksize": 256},
        {"id": "zlib", "level": 1},
        {"id": "gzip", "level": 9},
        {"id": "bz2", "level": 3},
        {"id": "zstd", "level": 5},
        {"id": "zstd"},
    ]
    dtypes = (*SIMPLE, *SWAPPED, "|S3", "|V4", "bfloat16", "int4", "float8_e4m3fn", "float8_e5m2", "<M8[ns]")
    structs = ([["x", "<i4"], ["y", "<f8"]], [["m", "<f4", [2, 3]], ["n", "|i1"]])
    base = {"zarr_format": 2, "shape": [7, 5], "chunks": [3, 4], "filters": None}
    for dtype, order, separator, compressor in itertools.product(
        (*dtypes, *structs), "CF", "./", compressors
    ):
        yield {
            **base,
            "dtype": dtype,
            "order": order,
            "dimension_separator": separator,
            "compressor": compressor,
            "fill_value": None,
        }
    for dtype in dtypes:
        for fill in (
            0,
            1,
            -1,
            1.5,
            "NaN",
            "Infinity",
            "-Infinity",
            [1, 2],
            ["NaN", 0.0],
            True,
            "YWJj",
            "AQIDBA==",
        ):
            yield {**base, "dtype": dtype, "order": "C", "compressor": None, "fill_value": fill}
    for shape, chunks in SHAPES:
        yield {
            **base,
            "dtype": "<i4",
            "order": "C",
            "compressor": None,
            "fill_value": 3,
            "shape": shape,
            "chunks": chunks,
        }


def tensorstore_v3() -> Iterator[dict[str, Any]]:
    types = (
        "bool",
        "int4",
        "int8",
        "uint8",
        "int16",
        "uint16",
        "int32",
        "uint32",
        "int64",
        "uint64",
        "float16",
        "bfloat16",
        "float32",
        "float64",
        "complex64",
        "complex128",
        "float8_e5m2",
        "float8_e4m3fn",
        "int2",
    )  # r16 ends its process
    grid = {"name": "regular", "configuration": {"chunk_shape": [4, 4]}}
    base = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [8, 8],
        "chunk_grid": grid,
        "chunk_key_encoding": {"name": "default"},
    }
    little = {"name": "bytes", "configuration": {"endian": "little"}}
    tails: list[list[dict[str, Any]]] = [
        [],
        [{"name": "gzip", "configuration": {"level": 5}}],
        [{"name": "zstd", "configuration": {"level": 3, "checksum": True}}],
        [{"name": "zstd", "configuration": {"level": 3}}, {"name": "crc32c"}],
        [{"name": "blosc", "configuration": {"cname": "zstd", "clevel": 3, "shuffle": "bitshuffle"}}],
        [
            {
                "name": "blosc",
                "configuration": {
                    "cname": "lz4",
                    "clevel": 9,
                    "shuffle": "shuffle",
                    "typesize": 4,
                    "blocksize": 64,
                },
            }
        ],
        [{"name": "crc32c"}],
    ]
    heads: list[list[dict[str, Any]]] = [[], [{"name": "transpose", "configuration": {"order": [1, 0]}}]]
    encodings = [{"name": n, "configuration": {"separator": s}} for n in ("default", "v2") for s in "./"]
    for data_type, encoding, head, tail in itertools.product(types, encodings, heads, tails):
        for serializer in (little, {"name": "bytes", "configuration": {"endian": "big"}}, {"name": "bytes"}):
            yield {
                **base,
                "data_type": data_type,
                "chunk_key_encoding": encoding,
                "codecs": [*head, serializer, *tail],
                "fill_value": _zero(data_type),
            }
        shard = {
            "name": "sharding_indexed",
            "configuration": {
                "chunk_shape": [2, 2],
                "codecs": [*head, little, *tail],
                "index_codecs": [little, {"name": "crc32c"}],
                "index_location": "start" if tail else "end",
            },
        }
        yield {
            **base,
            "data_type": data_type,
            "chunk_key_encoding": encoding,
            "codecs": [*head, shard],
            "fill_value": _zero(data_type),
        }
    for data_type in types:
        for fill in (
            0,
            1,
            -1,
            1.5,
            True,
            "NaN",
            "Infinity",
            "-Infinity",
            "0x7fc00001",
            "0x7ff8000000000001",
            [0.0, "NaN"],
            [1, 2],
            "AQI=",
        ):
            yield {**base, "data_type": data_type, "codecs": [little], "fill_value": fill}
    struct = {
        "name": "struct",
        "configuration": {
            "fields": [{"name": "x", "data_type": "int32"}, {"name": "y", "data_type": "float64"}]
        },
    }
    yield {**base, "data_type": struct, "codecs": [little], "fill_value": {"x": 1, "y": "NaN"}}
    for names, attributes in itertools.product((["y", "x"], [None, "x"], ["a", ""]), ATTRIBUTES):
        yield {
            **base,
            "data_type": "int32",
            "codecs": [little],
            "fill_value": 0,
            "dimension_names": names,
            "attributes": attributes,
        }


def _zero(data_type: str) -> Any:
    if data_type == "bool":
        return False
    return [0.0, 0.0] if data_type.startswith("complex") else 0
