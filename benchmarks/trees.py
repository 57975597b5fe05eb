"""The trees that the benchmarks are made of: v3 documents, as plain dicts and as JSON text."""

from __future__ import annotations

import json
from typing import Any

GROUPS, ARRAYS = 100, 99
TYPES = ("float32", "float64", "int16", "uint8", "int64", "uint32", "int8", "uint64", "float16", "int32")


def array(group: int, index: int) -> dict[str, Any]:
    """An array as a data set has many: shapes and attributes differ, the rest repeats."""
    length = 100 + 7 * index + group
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [length, 512, 256 + group],
        "data_type": TYPES[index % 4],
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [100, 256, 256]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": [
            {"name": "bytes", "configuration": {"endian": "little"}},
            {"name": "zstd", "configuration": {"level": 3, "checksum": False}},
        ],
        "attributes": {"title": f"variable {index} of {group}", "units": "K", "valid_range": [0.5, length]},
        "storage_transformers": [],
        "dimension_names": ["time", "y", "x"],
    }


def strange_array(group: int, index: int) -> dict[str, Any]:
    """An array like no other: chunk shape, data type and codecs differ, so that nothing is remembered."""
    made = array(group, index)
    number = group * ARRAYS + index
    made["data_type"] = TYPES[number % len(TYPES)]
    made["chunk_grid"] = {
        "name": "regular",
        "configuration": {"chunk_shape": [1 + number, 1 + number % 97, 2 + number % 31]},
    }
    made["fill_value"] = number % 120
    compressor = (
        ("gzip", {"level": number % 10}) if number % 2 else ("zstd", {"level": number % 20, "checksum": True})
    )
    made["codecs"] = [
        {"name": "transpose", "configuration": {"order": [[0, 1, 2], [2, 1, 0], [1, 0, 2]][number % 3]}},
        {"name": "bytes", "configuration": {"endian": "little" if number % 5 else "big"}},
        {"name": compressor[0], "configuration": compressor[1]},
        {"name": "crc32c"},
    ]
    return made


def group(members: dict[str, Any], number: int = 0) -> dict[str, Any]:
    return {
        "zarr_format": 3,
        "node_type": "group",
        "attributes": {"number": number, "history": "made"},
        "members": members,
    }


def tree(groups: int = GROUPS, arrays: int = ARRAYS, *, strange: bool = False) -> dict[str, Any]:
    """One root, `groups` groups below it, `arrays` arrays in each: 10,001 nodes."""
    make = strange_array if strange else array
    return group(
        {f"g{g:04d}": group({f"a{i:04d}": make(g, i) for i in range(arrays)}, g) for g in range(groups)}
    )


def chain(length: int = 1000) -> str:
    """The text of groups, each in the one before it; json has no room for so many levels."""
    head = '{"zarr_format":3,"node_type":"group","attributes":{"n":1},"members":{"a":'
    last = '{"zarr_format":3,"node_type":"group","attributes":{},"members":{}}'
    return head * (length - 1) + last + "}}" * (length - 1)


def nodes(document: dict[str, Any]) -> list[str]:
    """The text of each node's own document, without its members."""
    texts: list[str] = []
    waiting = [document]
    while waiting:
        node = waiting.pop()
        texts.append(json.dumps({name: value for name, value in node.items() if name != "members"}))
        waiting.extend(node.get("members", {}).values())
    return texts
