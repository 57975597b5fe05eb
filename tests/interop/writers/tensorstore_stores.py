"""tensorstore, through its drivers `zarr` and `zarr3`: arrays, for which it knows no groups."""

from __future__ import annotations

import json
import sys
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import tensorstore as ts
from written import Node, Store, data

if TYPE_CHECKING:
    from collections.abc import Iterator

TYPES = (
    "bool", "int4", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16",
    "float32", "float64", "complex64", "complex128", "float8_e5m2", "float8_e5m2fnuz", "float8_e4m3fn",
    "float8_e4m3fnuz", "float8_e4m3b11fnuz", "int2", "float4_e2m1fn",
)  # fmt: skip
DRIVERS = {"v2": "zarr", "v3": "zarr3"}

GROUPS = False
"""It lists no groups."""


def versions() -> str:
    return f"tensorstore {version('tensorstore')} on Python {sys.version_info[0]}.{sys.version_info[1]}"


def opened(place: str, form: str, name: str, **options: Any) -> Any:
    spec: dict[str, Any] = {
        "driver": DRIVERS[form],
        "kvstore": {"driver": "file", "path": f"{place}/{name}/"},
        "context": {"file_io_sync": False},
    }
    for key in ("metadata", "schema", "field"):
        if key in options:
            spec[key] = options.pop(key)
    return ts.open(spec, **(options or {"open": True})).result()


def nodes(place: str, form: str) -> Iterator[Node]:
    """The arrays below a folder; the attributes of v3, which it keeps."""
    ends = ".zarray" if form == "v2" else "zarr.json"
    for path in sorted(Path(place).rglob(ends)):
        document = json.loads(path.read_text(encoding="utf-8"))
        name = path.parent.relative_to(place).as_posix()
        if "shape" not in document:
            continue
        fields = document["dtype"] if isinstance(document.get("dtype"), list) else None
        attributes = document.get("attributes", {}) if form == "v3" else None
        if fields is None:
            read = np.asarray(opened(place, form, name).read().result())
            yield Node(f"/{name}", attributes, read)
            continue
        made = np.empty(document["shape"], [(one, kind, *map(tuple, more)) for one, kind, *more in fields])
        for one, *_ in fields:
            made[one] = np.asarray(opened(place, form, name, field=one).read().result())
        yield Node(f"/{name}", attributes, made)


# --- what it writes --------------------------------------------------------------------------------------


def fill(array: Any, part: Any = ...) -> None:
    dtype = array.dtype.numpy_dtype
    elements = data(dtype, tuple(array.shape))
    array[part].write(elements[part]).result()


def schema(dtype: str, place: str, form: str) -> None:
    """What it chooses itself, where it is told a data type and a shape."""
    made = {"dtype": getattr(ts, dtype), "create": True}
    fill(opened(place, form, "default", shape=(7, 5), **made))
    fill(opened(place, form, "scalar", shape=(), **made))
    fill(opened(place, form, "unbounded", shape=(0, 5), **made))
    layout = ts.ChunkLayout(read_chunk_shape=(3, 4), inner_order=(1, 0))
    fill(opened(place, form, "g/inner", shape=(7, 5), chunk_layout=layout, **made))
    opened(place, form, "unwritten", shape=(7, 5), **made)
    if form == "v3":
        sharded = ts.ChunkLayout(read_chunk_shape=(2, 2), write_chunk_shape=(4, 4))
        fill(opened(place, form, "sharded", shape=(7, 5), chunk_layout=sharded, **made), np.s_[1:6, :4])
        named = {
            **made,
            "dimension_units": ["m", None],
            "domain": ts.IndexDomain(labels=["y", "x"], shape=[7, 5]),
        }
        fill(opened(place, form, "named", **named))
    grown = opened(place, form, "grown", shape=(4, 5), **made)
    fill(grown)
    fill(grown.resize(exclusive_max=[9, 3]).result())


def documents(form: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The documents that tensorstore was given elsewhere, one for each combination of codecs."""
    from by_tensorstore import tensorstore_v2, tensorstore_v3

    seen: set[str] = set()
    for metadata in tensorstore_v2() if form == "v2" else tensorstore_v3():
        kind = metadata.get("dtype", metadata.get("data_type"))
        chain = {
            "codecs": metadata.get("codecs"),
            "compressor": metadata.get("compressor"),
            "order": metadata.get("order"),
        }
        told = json.dumps([chain, metadata.get("dimension_separator"), metadata.get("chunk_key_encoding")])
        extra = json.dumps([metadata["shape"], metadata.get("attributes"), metadata.get("dimension_names")])
        if kind in ("<f4", ">i2", "float32", "int32") or not isinstance(kind, str):
            key = f"{kind} {told} {extra}"
            if key not in seen:
                seen.add(key)
                yield f"{len(seen)}", metadata


def codecs(place: str, form: str) -> None:
    for name, metadata in documents(form):
        field = {}
        if isinstance(metadata.get("dtype"), list):
            field = {"field": metadata["dtype"][0][0]}
        elif isinstance(metadata.get("data_type"), dict):
            continue
        try:
            array = opened(place, form, name, metadata=metadata, create=True, open=True, **field)
        except ValueError:
            continue
        fill(array, np.s_[1:] if array.shape and array.shape[0] > 1 else ...)


def stores() -> Iterator[Store]:
    for form in ("v2", "v3"):
        for dtype in TYPES:
            yield Store(f"{form} type {dtype}", form, partial(schema, dtype))
        yield Store(f"{form} codecs", form, codecs)
