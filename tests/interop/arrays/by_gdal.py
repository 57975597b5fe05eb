"""GDAL by its own Python package: arrays of any rank, in v2, and in the draft of 2021 before GDAL 3.8."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from gdal_options import Unsupported, options
from osgeo import gdal, gdal_array

gdal.UseExceptions()


def versions() -> str:
    return f"GDAL {gdal.__version__} on Python {sys.version_info[0]}.{sys.version_info[1]}"


def _format(form: str) -> str:
    # Up to 3.7 what GDAL calls v3 is the draft of 2021.
    draft = int(gdal.VersionInfo()) < 3080000
    if (form == "draft") != draft and form != "v2":
        raise Unsupported(f"this version has no {form}")
    return "ZARR_V2" if form == "v2" else "ZARR_V3"


def write(folder: str, form: str, document: dict[str, Any], data: Any, region: Any) -> None:
    version = _format(form)
    if document["dtype"] != data.dtype.str or data.dtype.byteorder == ">" or data.dtype.kind not in "iufc":
        raise Unsupported(f"it creates no {data.dtype}")
    if 0 in document["shape"]:
        raise Unsupported("it makes no empty dimensions")
    driver = gdal.GetDriverByName("Zarr")
    dataset = driver.CreateMultiDimensional(folder, [], [f"FORMAT={version}"])
    root = dataset.GetRootGroup()
    code = gdal_array.NumericTypeCodeToGDALTypeCode(data.dtype.type)
    if code is None:
        raise Unsupported(f"it has no {data.dtype}")
    dimensions = [root.CreateDimension(f"d{i}", None, None, n) for i, n in enumerate(document["shape"])]
    arguments = [f"{name}={value}" for name, value in options(form, document).items()]
    array = root.CreateMDArray("a", dimensions, gdal.ExtendedDataType.Create(code), arguments)
    if array is None:
        raise Unsupported(gdal.GetLastErrorMsg())
    fill = document["fill_value"]
    if data.dtype.kind in "iuf" and fill is not None:
        array.SetNoDataValue(float(fill) if isinstance(fill, str) else fill)
    elif data.dtype.kind == "c" and region is not Ellipsis:
        raise Unsupported("it has no fill value of complex numbers")
    part = np.ascontiguousarray(data[region])
    starts = [s.start for s in region] if region is not Ellipsis else [0] * data.ndim
    array.Write(part.tobytes(), starts, list(part.shape), None, None, array.GetDataType())


def read(folder: str, form: str, document: dict[str, Any], dtype: Any) -> Any:
    _format(form)
    dataset = gdal.OpenEx(f'ZARR:"{folder}"', gdal.OF_MULTIDIM_RASTER)
    array = dataset.GetRootGroup().OpenMDArray("a")
    if array is None:
        raise Unsupported(gdal.GetLastErrorMsg())
    kind = array.GetDataType()
    if kind.GetClass() != gdal.GEDTC_NUMERIC:
        raise Unsupported("only numbers are asked for")
    code = gdal_array.GDALTypeCodeToNumericTypeCode(kind.GetNumericDataType())
    if dtype is None or np.dtype(code) != dtype.newbyteorder("="):
        raise Unsupported(f"it reads them as {np.dtype(code)}")
    shape = [d.GetSize() for d in array.GetDimensions()]
    return np.frombuffer(array.Read(), np.dtype(code)).reshape(shape)
