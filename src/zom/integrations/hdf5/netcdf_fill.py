"""Fill values that netCDF reads beyond the end of a variable whose dataset has no fill value."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from zom.integrations.hdf5.attributes import mask_of

__all__ = ["netcdf_fill"]

_FLOAT: Final = 9.9692099683868690e36

_DEFAULTS: Final = {
    "i1": -127,
    "u1": 255,
    "i2": -32767,
    "u2": 65535,
    "i4": -2147483647,
    "u4": 4294967295,
    "i8": -9223372036854775806,
    "u8": 18446744073709551614,
    "f4": _FLOAT,
    "f8": _FLOAT,
}
"""NC_FILL_BYTE and others of netcdf.h."""


def netcdf_fill(dataset: Any, dtype: Any) -> Any:
    """Return the attribute `_FillValue`, or else netCDF's default, or None for types without one.

    >>> import h5py
    >>> with h5py.File("a.h5", "w", driver="core", backing_store=False) as file:
    ...     file["x"] = np.array([1, 2], "i2")
    ...     netcdf_fill(file["x"], np.dtype("i2"))
    np.int16(-32767)
    """
    name = "" if isinstance(dtype, str) else dtype.str[1:]
    if name not in _DEFAULTS:
        return None
    mask = mask_of(dataset)
    found = _DEFAULTS[name] if mask is None or mask.dtype.kind not in "iuf" else mask[()]
    return np.asarray(found).astype(dtype)[()]
