"""xarray on zarr-python 3: the variable as it is stored, with nothing decoded."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Any

import numpy as np
import xarray


def versions() -> str:
    return f"xarray {version('xarray')} on Python {sys.version_info[0]}.{sys.version_info[1]}"


def read(folder: str, form: str, document: dict[str, Any], dtype: Any) -> Any:
    with xarray.open_zarr(
        folder, consolidated=False, decode_cf=False, zarr_format=3 if form == "v3" else 2
    ) as dataset:
        return np.asarray(dataset["a"].values)
