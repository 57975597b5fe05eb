"""GDAL as rasterio brings it: arrays of two dimensions, in v2 and v3."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import rasterio
from gdal_options import Unsupported, options


def versions() -> str:
    python = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
    return f"GDAL {rasterio.__gdal_version__} (rasterio {rasterio.__version__}) on {python}"


def write(folder: str, form: str, document: dict[str, Any], data: Any, region: Any) -> None:
    shape = document["shape"]
    if form == "draft" or len(shape) != 2 or not all(shape):
        raise Unsupported("it makes arrays of two dimensions in v2 and v3")
    if region is not Ellipsis:
        raise Unsupported("it is asked for whole arrays only")
    if data.dtype.byteorder == ">":
        raise Unsupported("it creates little-endian arrays only")
    arguments = options(form, document)
    if arguments.get("BLOSC_CNAME") == "snappy":
        raise Unsupported("its blosc was built without snappy, and it writes all the same")
    if "@ENDIAN" in arguments:
        raise Unsupported("it creates little-endian arrays only")
    layout = {
        "driver": "Zarr",
        "height": shape[0],
        "width": shape[1],
        "count": 1,
        "dtype": data.dtype.name,
        "FORMAT": "ZARR_V3" if form == "v3" else "ZARR_V2",
        "ARRAY_NAME": "a",
        **arguments,
    }
    with rasterio.open(folder, "w", **layout) as dataset:
        dataset.write(data, 1)


def read(folder: str, form: str, document: dict[str, Any], dtype: Any) -> Any:
    if form == "draft" or len(document["shape"]) != 2:
        raise Unsupported("it reads arrays of two dimensions in v2 and v3")
    with rasterio.open(f'ZARR:"{folder}":/a') as dataset:
        return np.asarray(dataset.read(1))
