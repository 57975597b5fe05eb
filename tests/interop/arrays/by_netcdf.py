"""netCDF-C, through netCDF4: its Zarr of format 2, without what it adds of its own."""

from __future__ import annotations

import sys
from typing import Any

import netCDF4
import numpy as np

KINDS = {"i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"}


class Unsupported(Exception):
    """netCDF has no such thing."""


def versions() -> str:
    python = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
    return f"netCDF-C {netCDF4.__netcdf4libversion__} (netCDF4 {netCDF4.__version__}) on {python}"


def _filters(document: dict[str, Any]) -> dict[str, Any]:
    compressor, filters = document["compressor"], document["filters"] or []
    made: dict[str, Any] = {}
    for one in filters:
        if one["id"] == "shuffle":
            made["shuffle"] = True
        elif one["id"] == "fletcher32":
            made["fletcher32"] = True
        else:
            raise Unsupported(f"filter {one['id']}")
    if compressor is None:
        return made
    name = {"zlib": "zlib", "zstd": "zstd", "bz2": "bzip2"}.get(compressor["id"])
    if name is None:
        raise Unsupported(f"compressor {compressor['id']}")
    return {"shuffle": False, **made, "compression": name, "complevel": max(compressor["level"], 1)}


def write(folder: str, form: str, document: dict[str, Any], data: Any, region: Any) -> None:
    if form != "v2":
        raise Unsupported("it writes v2 only")
    if data.dtype.str[1:] not in KINDS or not data.ndim or 0 in data.shape:
        raise Unsupported(f"not asked for {data.dtype} of shape {data.shape}")
    if document["order"] == "F" or document.get("dimension_separator", ".") != ".":
        raise Unsupported("it writes C order and a period only")
    fill = document["fill_value"]
    # A file that was opened, and then not made, is written whenever Python forgets it: over the next one.
    filters = _filters(document)
    with netCDF4.Dataset(f"file://{folder}#mode=zarr,file", "w") as dataset:
        dataset.set_auto_maskandscale(False)
        for number, length in enumerate(data.shape):
            dataset.createDimension(f"d{number}", length)
        variable = dataset.createVariable(
            "a",
            data.dtype.str[1:],
            tuple(f"d{number}" for number in range(data.ndim)),
            chunksizes=[min(pair) for pair in zip(document["chunks"], data.shape, strict=True)],
            fill_value=float(fill) if isinstance(fill, str) else fill,
            endian="big" if data.dtype.byteorder == ">" else "little",
            **filters,
        )
        variable.set_auto_maskandscale(False)
        variable[region] = data[region]


def read(folder: str, form: str, document: dict[str, Any], dtype: Any) -> Any:
    if form != "v2":
        raise Unsupported("it reads v2 only")
    if dtype is None or dtype.str[1:] not in KINDS:
        raise Unsupported("only numbers are asked for")
    with netCDF4.Dataset(f"file://{folder}#mode=zarr,file", "r") as dataset:
        variable = dataset["a"]
        variable.set_auto_maskandscale(False)
        return np.asarray(variable[...])
