"""GDAL as rasterio brings it: rasters as hierarchies of v2 and v3."""

from __future__ import annotations

import itertools
import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import rasterio
from rasterio.transform import from_origin
from written import Node, Store, data

if TYPE_CHECKING:
    from collections.abc import Iterator

TYPES = (
    "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64", "complex64",
    "complex128",
)  # fmt: skip
COMPRESSORS = {
    "v2": ("NONE", "BLOSC", "ZLIB", "GZIP", "LZMA", "ZSTD", "LZ4"),
    "v3": ("NONE", "BLOSC", "GZIP", "ZSTD"),
}

GROUPS = False
"""It lists no groups."""


def versions() -> str:
    python = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
    return f"GDAL {rasterio.__gdal_version__} (rasterio {rasterio.__version__}) on {python}"


def nodes(place: str, form: str) -> Iterator[Node]:
    """The arrays by the folders that hold them: through rasterio, GDAL doesn't list groups."""
    name = ".zarray" if form == "v2" else "zarr.json"
    for path in sorted(Path(place).rglob(name)):
        document = json.loads(path.read_bytes())
        if document.get("node_type") == "group":
            continue
        inner = path.parent.relative_to(place).as_posix()
        with rasterio.open(f'ZARR:"{place}":/{inner}') as dataset:
            bands = dataset.read()
        yield Node(f"/{inner}", None, _as_stored(bands, document["shape"]))


def _as_stored(bands: Any, shape: list[int]) -> Any:
    """The elements in the shape of the array: GDAL makes two dimensions of one, and bands of a third."""
    if len(shape) == 3 and shape[0] != len(bands):
        return np.moveaxis(bands, 0, -1)
    return bands.reshape(shape)


def raster(options: dict[str, Any], place: str, form: str) -> None:
    given = {
        "driver": "Zarr",
        "height": 7,
        "width": 5,
        "count": 1,
        "dtype": "float32",
        "ARRAY_NAME": "a",
        **options,
    }
    attributes = given.pop("attributes", {})
    with rasterio.open(place, "w", FORMAT=f"ZARR_{form.upper()}", **given) as dataset:
        dtype = np.dtype(given["dtype"])
        for band in range(given["count"]):
            dataset.write(data(dtype, (7, 5), str(band)), band + 1)
        if attributes:
            dataset.update_tags(**attributes)


def every(form: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for dtype in TYPES:
        yield f"type {dtype}", {"dtype": dtype}
    for compressor, layout in itertools.product(COMPRESSORS[form], "CF"):
        chunks = {"BLOCKSIZE": "3,4", "COMPRESS": compressor, "CHUNK_MEMORY_LAYOUT": layout}
        yield f"codecs {compressor} {layout}", {**chunks, "dtype": "int16"}
    for separator in "./":
        yield f"separator {separator}", {"DIM_SEPARATOR": separator, "BLOCKSIZE": "3,4"}
    yield "bands", {"count": 3}
    yield "bands in one array", {"count": 3, "SINGLE_ARRAY": "YES", "INTERLEAVE": "PIXEL"}
    yield "bands in arrays", {"count": 3, "SINGLE_ARRAY": "NO"}
    yield "place on Earth", {"crs": "EPSG:32633", "transform": from_origin(5e5, 4e6, 10, 10)}
    yield "no data", {"nodata": -1.0}
    yield "no data, NaN", {"nodata": float("nan")}
    yield "tags", {"attributes": {"title": "é", "AREA_OR_POINT": "Point"}}
    yield "filter", {"FILTER": "DELTA", "dtype": "int32"}


def stores() -> Iterator[Store]:
    for form in ("v2", "v3"):
        for name, options in every(form):
            yield Store(f"{form} {name}", form, partial(raster, options))
