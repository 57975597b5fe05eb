"""Variables in xarray's stored form: CF values, attributes and data types, encoded by xarray's own coders.

A coder's result depends on a variable's data type, attributes and encoding. Only datetimes, durations and
objects need their values: for missing units, and for the type of the objects. So data that is not in memory
is never read for a document: a variable without elements replaces it.
"""

from __future__ import annotations

from functools import cache
from inspect import signature
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from zom.model.builders.chunking import refuse
from zom.packages import imported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.errors import SpecError

__all__ = [
    "encoded",
    "encoded_attributes",
    "encoded_fill",
    "holds_text",
    "is_lazy",
    "is_loaded",
    "prepared",
    "with_known_type",
]

_BY_VALUE: Final = "OMmT"
"""The kinds of data types whose encoding depends on the values."""

_UNITS: Final = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}


def prepared(
    dataset: Any, encoding: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the variables and attributes of a dataset, with coordinate names in the attribute `coordinates`.

    An entry of `encoding` replaces the variable's own encoding.

    >>> import xarray as xr
    >>> ds = xr.Dataset({"t": ("x", [1, 2])}, {"label": ("x", ["a", "b"])})
    >>> prepared(ds)[0]["t"].attrs
    {'coordinates': 'label'}
    """
    conventions = imported("xarray.conventions", "xarray")
    variables, attributes = conventions.encode_dataset_coordinates(dataset)
    for name, own in (encoding or {}).items():
        if name not in variables:
            raise refuse("encoding", f"names of variables: {', '.join(map(str, variables))}", name)
        variables[name].encoding = dict(own)
    for name in variables:
        if not isinstance(name, str) or not name:
            raise refuse("dataset", "variables whose names are text", name, "rename them with .rename()")
    return variables, encoded_attributes(attributes)


def is_lazy(variable: Any) -> bool:
    """Whether the data is split into chunks that tasks compute, as in dask.

    >>> import xarray as xr
    >>> is_lazy(xr.Variable("x", [1, 2])), is_lazy(xr.Variable("x", [1, 2]).chunk())
    (False, True)
    """
    return variable.chunks is not None


def is_loaded(variable: Any) -> bool:
    """Whether the values are in memory.

    >>> import xarray as xr
    >>> is_loaded(xr.Variable("x", [1, 2])), is_loaded(xr.Variable("x", [1, 2]).chunk())
    (True, False)
    """
    # Public members would read data that is not in memory.
    return bool(variable._in_memory)  # noqa: SLF001


def encoded(name: str, variable: Any, number: int, *, values: bool) -> Any:
    """Return the variable encoded for Zarr format `number`; without `values`, its data is meaningless.

    >>> import xarray as xr
    >>> packed = xr.Variable("x", [2.0, 4.0], encoding={"dtype": "i2", "scale_factor": 2.0, "_FillValue": 0})
    >>> made = encoded("t", packed, 3, values=True)
    >>> made.dtype, made.values.tolist(), sorted(made.attrs)
    (dtype('int16'), [1, 2], ['_FillValue', 'scale_factor'])
    """
    coder, takes_format = _coder()
    given: dict[str, Any] = {"name": name, "zarr_format": number} if takes_format else {"name": name}
    return coder(_timed(variable) if values else _stand_in(name, _timed(variable), number), **given)


@cache
def _coder() -> tuple[Callable[..., Any], bool]:
    """Return xarray's encoder, and whether it takes the format, as newer versions do for text."""
    coder = imported("xarray.backends.zarr", "xarray").encode_zarr_variable
    return coder, "zarr_format" in signature(coder).parameters


def with_known_type(variable: Any) -> Any:
    """Return the variable, loaded if its encoding depends on values; only writing may load data.

    >>> import xarray as xr
    >>> with_known_type(xr.Variable("x", np.array(["a", "b"], object)).chunk()).chunks is None
    True
    """
    kind = getattr(variable.dtype, "kind", "O")
    if kind not in _BY_VALUE or is_loaded(variable) or (kind in "Mm" and is_lazy(variable)):
        return variable
    return variable if holds_text(variable.dtype) else variable.compute()


def encoded_attributes(attributes: Mapping[Any, Any]) -> dict[str, Any]:
    """Convert attributes to JSON values.

    >>> encoded_attributes({"a": np.float32(0.5), "b": np.arange(2)})
    {'a': 0.5, 'b': [0, 1]}
    """
    coder = imported("xarray.backends.zarr", "xarray").encode_zarr_attr_value
    return {str(name): coder(value) for name, value in attributes.items()}


def encoded_fill(value: Any, dtype: np.dtype[Any]) -> Any:
    """Encode the attribute `_FillValue` of v3 as xarray does.

    >>> encoded_fill(-1, np.dtype("int16")), encoded_fill(np.nan, np.dtype("float32"))
    (-1, 'AAAAAAAA+H8=')
    """
    return imported("xarray.backends.zarr", "xarray").FillValueCoder.encode(value, dtype)


def holds_text(dtype: np.dtype[Any]) -> bool:
    """Whether a data type has the metadata of xarray or h5py that marks objects as text.

    >>> holds_text(np.dtype("O")), holds_text(np.dtype("O", metadata={"element_type": str}))
    (False, True)
    """
    metadata: Any = dtype.metadata or {}
    return dtype.kind == "O" and metadata.get("element_type", metadata.get("vlen")) is str


def _timed(variable: Any) -> Any:
    """Add default units to a time that is on disk, neither loaded nor lazy: xarray would read it for them."""
    if is_loaded(variable) or is_lazy(variable) or getattr(variable.dtype, "kind", "") not in "Mm":
        return variable
    if "units" in variable.encoding or "units" in variable.attrs:
        return variable
    units = _UNITS.get(np.datetime_data(variable.dtype)[0], "nanoseconds")
    since = " since 1970-01-01" if variable.dtype.kind == "M" else ""
    made = variable.copy(deep=False)
    made.encoding = {"dtype": np.dtype("int64"), **variable.encoding, "units": f"{units}{since}"}
    return made


def _stand_in(name: str, variable: Any, number: int) -> Any:
    """Return a stand-in for encoding: the variable if its values matter, else one without elements."""
    dtype = variable.dtype
    kind = getattr(dtype, "kind", "O")
    if kind in _BY_VALUE:
        if is_loaded(variable) or (kind in "Mm" and is_lazy(variable)):
            return variable  # xarray encodes lazy times without computing them
        if kind == "O":
            dtype = _type_of_objects(name, variable)
        if kind == "T" and number == 2:
            raise _unknown_type(
                name, "text of variable length, which xarray stores in v2 with the length of the longest item"
            )
    elements = np.zeros((0,) * variable.ndim, dtype)
    return imported("xarray", "xarray").Variable(
        variable.dims, elements, dict(variable.attrs), dict(variable.encoding)
    )


def _type_of_objects(name: str, variable: Any) -> np.dtype[Any]:
    """Return the data type that encodes objects which are not in memory."""
    if holds_text(variable.dtype):
        found: np.dtype[Any] = variable.dtype
        return found
    if " since " in str(variable.encoding.get("units", "")) and "calendar" in variable.encoding:
        return np.dtype("datetime64[us]")  # dates in a non-standard calendar, from a file
    raise _unknown_type(name, "objects")


def _unknown_type(name: str, found: str) -> SpecError:
    fix = "load it with .load(), or set its type with .astype()"
    return refuse(name, "an element type that is known without computing the elements", found, fix)
