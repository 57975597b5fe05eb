"""Data types: the Zarr type of a dataset's elements, and the conversion to it.

h5py reads most HDF5 types as numpy types, which are also Zarr types. An enumeration keeps its integers, a
compound becomes a `struct` without gaps, and text of any length becomes a `string`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from zom.dataclass import dataclass
from zom.integrations.hdf5.losses import DATA_TYPE, DATA_TYPE_FORM
from zom.packages import imported
from zom.problems import show

if TYPE_CHECKING:
    from zom.conversion.losses import Report

__all__ = ["Elements", "elements_of"]

_FIELD = ("data_type",)


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of a dataset as Zarr elements."""

    dtype: Any
    """The data type for `ArraySpec.build`: a numpy dtype or "string"."""
    inner: tuple[int, ...] = ()
    """The dimensions that an HDF5 array type adds to the dataset's own."""
    packed: Any = None
    """For a compound, the record type that values are copied to: the supported fields, without gaps."""
    is_stored: bool = False
    """Whether elements have the same bytes in the file as in a Zarr chunk."""
    enum: dict[str, int] | None = None
    """The values of an enumeration by name."""

    def converted(self, values: Any) -> Any:
        """Convert values from h5py to elements of the Zarr array.

        >>> Elements("string").converted(np.array([b"a", "b"], object)).tolist()
        ['a', 'b']
        """
        if isinstance(self.dtype, str):
            found = np.empty(np.shape(values), object)
            found.reshape(-1)[:] = [_text(each) for each in np.asarray(values, object).reshape(-1)]
            return found
        array = np.asarray(values)
        if self.packed is not None:
            made = np.zeros(array.shape, self.packed)
            _copy_fields(made, array)
            return made.view(self.dtype).reshape(array.shape)
        return array if array.dtype == self.dtype else array.astype(self.dtype)


def elements_of(dataset: Any, report: Report) -> Elements | None:
    """Return the Zarr elements of a dataset; report a loss and return None if Zarr has no type for them."""
    h5py = imported("h5py", "hdf5")
    reason = _unknown(h5py, dataset)
    if reason is not None:
        _lose(report, reason)
        return None
    whole = dataset.dtype
    base, inner = whole.subdtype or (whole, ())
    if inner:
        found = f"arrays of {'x'.join(map(str, inner))} elements"
        report.add(DATA_TYPE_FORM, _FIELD, "single elements", found, "they become dimensions of the array")
    if base.hasobject and base.names is None:
        return Elements("string", inner)
    names = h5py.check_enum_dtype(base)
    if names is not None and base.kind != "b":
        names = _member_names(names, report)
        found = f"an enumeration: {', '.join(f'{name} = {value}' for name, value in names.items())}"
        report.add(DATA_TYPE_FORM, _FIELD, "numbers", found, "see the attributes flag_values, flag_meanings")
        return Elements(_plain(base), inner, is_stored=_is_stored(h5py, dataset, whole), enum=names)
    if base.names is not None:
        return _compound(h5py, dataset, base, inner, report)
    dtype = _number(base, report)
    return Elements(dtype, inner, is_stored=dtype == base and _is_stored(h5py, dataset, whole))


def _member_names(members: dict[Any, int], report: Report) -> dict[str, int]:
    """Return the members of an enumeration by name; replace and report bytes in names that are not UTF-8."""
    foreign = [name for name in members if isinstance(name, bytes)]
    if foreign:
        fix = "other bytes are replaced by the character U+FFFD"
        report.add(DATA_TYPE, _FIELD, "names in UTF-8", ", ".join(map(repr, foreign)), fix)
    return {
        name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name): value
        for name, value in members.items()
    }


def _unknown(h5py: Any, dataset: Any) -> str | None:
    """Describe elements that Zarr has no type for, or return None."""
    try:
        whole = dataset.dtype
    except (TypeError, NotImplementedError, UnicodeError) as cause:
        return f"a type that h5py can't read: {cause}"
    base = (whole.subdtype or (whole, ()))[0]
    if h5py.check_ref_dtype(base) is not None:
        return "references to other objects"
    if base.hasobject and base.names is None and h5py.check_string_dtype(base) is None:
        return f"sequences of any length of {h5py.check_vlen_dtype(base)}"
    return None


def _lose(report: Report, found: str) -> None:
    report.add(DATA_TYPE, _FIELD, "a data type of Zarr", found, "the array is dropped")


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _plain(dtype: Any) -> Any:
    """Return the type without the metadata of h5py."""
    return np.dtype(dtype.str)


def _number(dtype: Any, report: Report) -> Any:
    """Return the type of single elements; report numbers wider than 64 bits (rounded) and opaque bytes."""
    if dtype.kind in "fc" and dtype.itemsize > (8 if dtype.kind == "f" else 16):
        made = np.dtype("f8" if dtype.kind == "f" else "c16")
        report.add(DATA_TYPE, _FIELD, "at most 64 bits for a number", str(dtype), f"it is rounded to {made}")
        return made
    if dtype.kind == "V":
        found = f"opaque elements of {dtype.itemsize} bytes"
        report.add(DATA_TYPE_FORM, _FIELD, "elements with a meaning", found, "the bytes are kept")
    return _plain(dtype)


def _is_stored(h5py: Any, dataset: Any, dtype: Any) -> bool:
    """Whether the type in the file equals the one that h5py creates from the numpy type."""
    mine = dataset.id.get_type()
    if isinstance(mine, h5py.h5t.TypeStringID):
        # The bytes after the end of null-terminated text are undefined, and numpy would show them.
        return bool(mine.get_strpad() == h5py.h5t.STR_NULLPAD or mine.get_size() == 1)
    try:
        return bool(mine.equal(h5py.h5t.py_create(dtype, logical=True)))
    except TypeError:
        return False


# --- compounds ------------------------------------------------------------------------------------------


def _compound(h5py: Any, dataset: Any, base: Any, inner: tuple[int, ...], report: Report) -> Elements | None:
    packed = _packed(h5py, base, report, "")
    if packed is None:
        _lose(report, f"a compound without fields that Zarr supports: {', '.join(base.names)}")
        return None
    flat = _flat(packed, report, "")
    is_stored = not inner and flat == base and _is_stored(h5py, dataset, base)
    return Elements(flat, inner, packed=packed, is_stored=is_stored)


def _packed(h5py: Any, dtype: Any, report: Report, above: str) -> Any:
    """Return the type of the fields that Zarr supports, little-endian and without gaps, or None."""
    fields: list[Any] = []
    for name in dtype.names:
        whole = dtype[name]
        base, shape = whole.subdtype or (whole, ())
        made: Any = None
        if base.names is not None:
            made = _packed(h5py, base, report, f"{above}{name}.")
        elif not base.hasobject:
            made = _number(base, report).newbyteorder("<")
            _report_names(h5py, base, report, above + name)
        if made is None:
            found = f"the field {show(above + name)} of {_told(h5py, base)}"
            report.add(DATA_TYPE, _FIELD, "fields of fixed sizes", found, "the field is dropped")
            continue
        fields.append((name, made, shape) if shape else (name, made))
    return np.dtype(fields) if fields else None


def _report_names(h5py: Any, dtype: Any, report: Report, field: str) -> None:
    """Report the names of an enumeration in a compound, which no attribute can keep."""
    names = h5py.check_enum_dtype(dtype)
    if names is not None and dtype.kind != "b":
        members = ", ".join(f"{name} = {value}" for name, value in _member_names(names, report).items())
        found = f"the field {show(field)} of an enumeration: {members}"
        report.add(DATA_TYPE_FORM, _FIELD, "numbers", found, "the names are dropped")


def _told(h5py: Any, dtype: Any) -> str:
    if h5py.check_string_dtype(dtype) is not None:
        return "text of any length"
    return "references" if h5py.check_ref_dtype(dtype) is not None else "sequences of any length"


def _flat(packed: Any, report: Report, above: str) -> Any:
    """Return the type with the same layout in which each element of a field is a field: `x_0`, `x_1`."""
    fields: list[Any] = []
    taken = set(packed.names)
    for name in packed.names:
        base, shape = packed[name].subdtype or (packed[name], ())
        made = _flat(base, report, f"{above}{name}.") if base.names is not None else base
        if not shape:
            fields.append((name, made))
            continue
        places = list(np.ndindex(*shape))
        parts = ["_".join([name, *map(str, place)]) for place in places]
        while taken.intersection(parts):
            parts = [f"{part}_" for part in parts]
        taken.update(parts)
        found = f"the field {show(above + name)} of {len(parts)} elements"
        fix = f"it becomes {show(parts[0])} to {show(parts[-1])}"
        report.add(DATA_TYPE_FORM, _FIELD, "fields of one element", found, fix)
        fields.extend((part, made) for part in parts)
    return np.dtype(fields)


def _copy_fields(target: Any, source: Any) -> None:
    """Copy the fields that `target` has."""
    for name in target.dtype.names:
        base = target.dtype[name].base
        if base.names is not None:
            _copy_fields(target[name], source[name])
        else:
            target[name] = source[name]
