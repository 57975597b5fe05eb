"""zarrs, called as its codec pipeline for zarr-python calls it, but with the document as it is.

So zarrs itself says which data types and codecs it takes: zarr-python's opinion is left out, and so are
the kinds of numpy types that the pipeline leaves to zarr-python. It writes chunks, and no documents.
"""

from __future__ import annotations

import itertools
import json
import shutil
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from zarr.storage import LocalStore
from zarrs._internal import ChunkItem, CodecPipelineImpl

NO_TEXTS = "its Python package has no elements of variable length"


def versions() -> str:
    return f"zarrs {version('zarrs')} on Python {sys.version_info[0]}.{sys.version_info[1]}"


def edges(document: dict[str, Any]) -> list[list[tuple[int, int]]]:
    """Where the chunks begin along each dimension, and how long they are."""
    shape = document["shape"]
    if "chunks" in document:
        lengths = [_repeated(n, size) for n, size in zip(shape, document["chunks"], strict=True)]
    else:
        grid = document["chunk_grid"]["configuration"]
        if "chunk_shape" in grid:
            lengths = [_repeated(n, size) for n, size in zip(shape, grid["chunk_shape"], strict=True)]
        else:
            lengths = [_listed(n, given) for n, given in zip(shape, grid["chunk_shapes"], strict=True)]
    return [list(zip(itertools.accumulate([0, *sizes]), sizes, strict=False)) for sizes in lengths]


def _repeated(length: int, size: int) -> list[int]:
    return [size] * -(-length // size)


def _listed(length: int, given: Any) -> list[int]:
    if isinstance(given, int):
        return _repeated(length, given)
    return [one for item in given for one in ([item[0]] * item[1] if isinstance(item, list) else [item])]


def key_of(document: dict[str, Any], chunk: tuple[int, ...]) -> str:
    parts = [str(number) for number in chunk]
    if "chunks" in document:
        return document.get("dimension_separator", ".").join(parts) or "0"
    encoding = document["chunk_key_encoding"]
    default = encoding["name"] == "default"
    separator = encoding.get("configuration", {}).get("separator", "/" if default else ".")
    return separator.join(["c", *parts]) if default else separator.join(parts) or "0"


def items(document: dict[str, Any], region: Any) -> list[Any]:
    """The chunks that a region touches, as the pipeline tells zarrs of them."""
    made: list[Any] = []
    shape = document["shape"]
    bounds = [(s.start, s.stop) for s in region] if region is not Ellipsis else [(0, n) for n in shape]
    spans = [max(b - a, 0) for a, b in bounds]
    for parts in itertools.product(*map(enumerate, edges(document))):
        lows = [max(start, a) for (_, (start, _)), (a, _) in zip(parts, bounds, strict=True)]
        highs = [min(s + size, n, b) for (_, (s, size)), n, (_, b) in zip(parts, shape, bounds, strict=True)]
        if any(a >= b for a, b in zip(lows, highs, strict=True)):
            continue
        inside = [slice(a - s, b - s) for a, b, (_, (s, _)) in zip(lows, highs, parts, strict=True)]
        where = [slice(a - o, b - o) for a, b, (o, _) in zip(lows, highs, bounds, strict=True)]
        key = f"a/{key_of(document, tuple(number for number, _ in parts))}"
        made.append(ChunkItem(key, inside, [size for _, (_, size) in parts], where, spans))
    return made


def pipeline(folder: str, document: dict[str, Any]) -> Any:
    kind = str(document.get("data_type"))
    if kind.removeprefix("complex_").startswith(("float4_", "float6_", "float8_")):
        # It takes the fill values of small floats in bits only: these are 0 and 1.
        bits = "0x7f" if "e8m0" in kind else "0x00"
        document = {**document, "fill_value": [bits, bits] if kind.startswith("complex_") else bits}
    text = json.dumps(document)
    if '"|O"' in text or document.get("data_type") in ("string", "bytes"):
        raise NotImplementedError(NO_TEXTS)
    return CodecPipelineImpl(text, store_config=LocalStore(folder), validate_checksums=True, num_threads=1)


def write(folder: str, form: str, document: dict[str, Any], data: Any, region: Any) -> None:
    made = pipeline(folder, document)
    shutil.rmtree(folder, ignore_errors=True)
    path = Path(folder, "a", "zarr.json" if form == "v3" else ".zarray")
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    made.store_chunks_with_indices(items(document, region), _memory(data[region], document), True)


def read(folder: str, form: str, document: dict[str, Any], dtype: Any) -> Any:
    # zom wrote the document that it was given, in its own words: zarrs is to read those.
    path = Path(folder, "a", "zarr.json" if form == "v3" else ".zarray")
    document = json.loads(path.read_text(encoding="utf-8"))
    out = np.empty(document["shape"], _native(dtype))
    pipeline(folder, document).retrieve_chunks_and_apply_index(items(document, Ellipsis), _seen(out))
    return out


def _memory(data: Any, document: dict[str, Any]) -> Any:
    """The values in the byte order of this machine, as memory that zarrs takes."""
    values = np.asarray(data).astype(_native(data.dtype))
    return _seen(np.ascontiguousarray(values).reshape(values.shape))


def _native(dtype: Any) -> Any:
    return dtype if dtype.kind == "V" or dtype.isbuiltin == 2 else dtype.newbyteorder("=")


def _seen(values: Any) -> Any:
    if values.dtype.kind in "biufc" and values.dtype.isbuiltin == 1:
        return values
    return values.view(f"V{values.dtype.itemsize}")
