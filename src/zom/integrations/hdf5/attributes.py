"""Attributes of groups and datasets as JSON, without the bookkeeping of netCDF and dimension scales."""

from __future__ import annotations

import base64
import struct
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from zom.integrations.hdf5.losses import ATTRIBUTE, ATTRIBUTE_FORM
from zom.integrations.hdf5.objects import UNREADABLE, is_text, readable_attribute
from zom.packages import imported
from zom.problems import Path, show

if TYPE_CHECKING:
    from zom.conversion.losses import Report

__all__ = ["attributes_of", "fill_attribute", "mask_of"]

_BOOKKEEPING: Final = frozenset(
    {
        "DIMENSION_LABELS",
        "DIMENSION_LIST",
        "REFERENCE_LIST",
        "_NCProperties",
        "_Netcdf4Coordinates",
        "_Netcdf4Dimid",
        "_nc3_strict",
    }
)
_OF_SCALES: Final = frozenset({"CLASS", "NAME"})
_SCALING: Final = frozenset({"scale_factor", "add_offset"})


def attributes_of(found: Any, report: Report, *, is_netcdf: bool, dtype: Any = None) -> dict[str, Any]:
    """Return the attributes of a group or dataset; for an array, `dtype` is the type of its elements.

    NetCDF doesn't distinguish a number from a list of one number; in other files both stay as they are.

    >>> import h5py
    >>> from zom.conversion.losses import Report
    >>> with h5py.File("a.h5", "w", driver="core", backing_store=False) as file:
    ...     file.attrs["title"] = "a"; file.attrs["n"] = [1]; file.attrs["_NCProperties"] = "version=2"
    ...     attributes_of(file, Report(()), is_netcdf=False), attributes_of(file, Report(()), is_netcdf=True)
    ({'n': [1], 'title': 'a'}, {'n': 1, 'title': 'a'})
    """
    h5py = imported("h5py", "hdf5")
    is_scale = isinstance(found, h5py.Dataset) and _is_scale(found)
    hidden = _BOOKKEEPING | _OF_SCALES if is_scale else _BOOKKEEPING
    made: dict[str, Any] = {}
    for name in found.attrs:
        if name in hidden:
            continue
        reader = _Reader(h5py, report, ("attributes", str(name)), is_netcdf=is_netcdf)
        if not is_text(name):
            reader.lose("a name that is not in UTF-8")
            continue
        try:
            value = found.attrs[name]
            kind = found.attrs.get_id(name).dtype
        except UNREADABLE as cause:
            reader.lose(f"an attribute that h5py can't read: {cause}")
            continue
        if name == "_FillValue" and dtype is not None:
            _put_fill(made, value, dtype, reader)
            continue
        plain = reader.plain(value, kind)
        if plain is not _NOTHING:
            made[name] = plain
    return made


_NOTHING: Final = object()


def fill_attribute(value: Any, dtype: Any) -> Any:
    """Encode the attribute `_FillValue` as xarray does in Zarr v3: floats in base64, to allow NaN.

    >>> import numpy as np
    >>> fill_attribute(np.float32("nan"), np.dtype("f4")), fill_attribute(np.int16(-1), np.dtype("i2"))
    ('AAAAAAAA+H8=', -1)
    """
    if isinstance(dtype, str):
        return value.decode() if isinstance(value, bytes) else str(value)
    if dtype.kind in "iub":
        return bool(value) if dtype.kind == "b" else int(value)
    if dtype.kind == "f":
        return _double(value)
    if dtype.kind == "c":
        return [_double(value.real), _double(value.imag)]
    if dtype.kind == "S":
        return base64.standard_b64encode(bytes(value)).decode()
    return None


def _double(value: Any) -> str:
    return base64.standard_b64encode(struct.pack("<d", float(value))).decode()


def mask_of(dataset: Any) -> Any:
    """Return the value that the attribute `_FillValue` masks, as a 0-d array, or None if there is none.

    >>> import h5py
    >>> with h5py.File("a.h5", "w", driver="core", backing_store=False) as file:
    ...     file["x"] = [1, 2]; file["x"].attrs["_FillValue"] = [-1]
    ...     mask_of(file["x"])
    array(-1)
    """
    found = readable_attribute(dataset, "_FillValue")
    array = np.asarray(found)
    if found is None or array.size != 1:
        return None
    is_lost = dataset.dtype.hasobject and not _is_unicode(array.reshape(-1)[0])
    return None if is_lost else array.reshape(())


def _is_unicode(value: Any) -> bool:
    """Whether text, or the bytes of text, is valid UTF-8; h5py decodes other bytes to lone surrogates."""
    try:
        value.decode() if isinstance(value, bytes) else str(value).encode()
    except UnicodeError:
        return False
    return True


def _put_fill(made: dict[str, Any], value: Any, dtype: Any, reader: _Reader) -> None:
    array = np.asarray(value)
    if isinstance(dtype, str) and array.size == 1 and not _is_unicode(array.reshape(-1)[0]):
        reader.lose(f"text that is not in UTF-8: {show(repr(array.reshape(-1)[0].item()))}")
        return
    spelled = fill_attribute(array.reshape(-1)[0], dtype) if array.size == 1 else None
    if spelled is None:
        reader.lose(f"{show(str(value))} for elements of {dtype}")
    else:
        made["_FillValue"] = spelled


def _is_scale(dataset: Any) -> bool:
    """Whether CLASS and NAME belong to a dimension scale, and not to an image or a table."""
    kind: Any = readable_attribute(dataset, "CLASS")
    return kind in {b"DIMENSION_SCALE", "DIMENSION_SCALE"} if isinstance(kind, (bytes, str)) else False


def _item(value: Any) -> Any:
    return str(value) if value.dtype.kind in "mM" else value.item()


def _foreign(h5py: Any, dtype: Any) -> str | None:
    """Describe what JSON can't represent in a type, at any depth (references, opaque bytes), or None."""
    base = dtype.base
    if h5py.check_ref_dtype(base) is not None:
        return "references to other objects"
    inner = h5py.check_vlen_dtype(base)
    if inner is not None:
        found = _foreign(h5py, np.dtype(inner))
        return None if found is None else f"sequences of {found}"
    if base.kind == "V" and base.names is None:
        return f"{base.itemsize} opaque bytes"
    for name in base.names or ():
        found = _foreign(h5py, base[name])
        if found is not None:
            return f"a compound whose field {show(name)} has {found}"
    return None


def _name(name: bytes | str) -> str:
    """Decode a name in a type, which h5py returns as bytes if it is not UTF-8."""
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)


class _Reader:
    """Converts one attribute to JSON, and reports losses."""

    def __init__(self, h5py: Any, report: Report, path: Path, *, is_netcdf: bool) -> None:
        self._h5py = h5py
        self._report = report
        self._path = path
        self._is_netcdf = is_netcdf

    def lose(self, found: str) -> Any:
        """Report that the attribute is dropped."""
        self._report.add(ATTRIBUTE, self._path, "a value that JSON supports", found, "it is dropped")
        return _NOTHING

    def plain(self, value: Any, kind: Any) -> Any:
        """Return the value as JSON; `kind` is its type in h5py."""
        h5py = self._h5py
        if isinstance(value, h5py.Empty):
            return "" if value.dtype.kind == "S" or h5py.check_string_dtype(value.dtype) else []
        base = (kind.subdtype or (kind,))[0]
        foreign = _foreign(h5py, base)
        if foreign is not None:
            return self.lose(foreign)
        self._note_type(base)
        if base.names is not None and any(base[name].base.hasobject for name in base.names):
            return self.lose(f"a compound of objects: {', '.join(base.names)}")
        array = np.asarray(value)
        if self._is_netcdf and array.shape == (1,):
            array = array.reshape(())
        return self._listed(array[()])

    def _note_type(self, dtype: Any) -> None:
        """Report the parts of a type that the values don't show: names, widths, being a compound."""
        h5py = self._h5py
        names = h5py.check_enum_dtype(dtype)
        is_plain = dtype.kind in "iubSU" or h5py.check_string_dtype(dtype) or h5py.check_vlen_dtype(dtype)
        if names is not None and dtype.kind != "b":
            members = ", ".join(f"{_name(name)} = {value}" for name, value in names.items())
            self._note(f"an enumeration: {members}", "the names are dropped")
        elif dtype.kind == "f" and dtype.itemsize > 8:
            self._note(str(dtype), "it is rounded to float64")
        elif dtype.kind == "f" and dtype.itemsize < 8 and self._path[-1] in _SCALING:
            # The type of a floating point number matters if it unpacks data.
            self._note(str(dtype), "unpacked data may have another type")
        elif dtype.kind != "f" and not is_plain:
            self._note(str(dtype), None)

    def _note(self, found: str, fix: str | None) -> None:
        self._report.add(ATTRIBUTE_FORM, self._path, "text and numbers of 64 bits", found, fix)

    def _listed(self, value: Any) -> Any:
        """Convert arrays to lists, records to objects, and single values to Python's types."""
        if isinstance(value, np.ndarray):
            return [self._listed(each) for each in cast("Any", value)]
        if isinstance(value, np.void):
            return {name: self._listed(value[name]) for name in value.dtype.names or ()}
        if isinstance(value, (bytes, str)):
            return self._text(value)
        if not isinstance(value, np.generic):
            return value
        number = cast("Any", value)
        if number.dtype.kind == "c":
            return [float(number.real), float(number.imag)]
        # Numbers wider than Python's, which `item` doesn't convert, are rounded.
        return float(number) if number.dtype.kind == "f" else _item(number)

    def _text(self, value: bytes | str) -> str:
        """Return text as Unicode; replace and report invalid bytes."""
        data = value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")
        try:
            return data.decode()
        except UnicodeDecodeError:
            fix = "other bytes are replaced by the character U+FFFD"
            self._report.add(ATTRIBUTE, self._path, "text in UTF-8", show(repr(data)), fix)
            return data.decode("utf-8", "replace")
