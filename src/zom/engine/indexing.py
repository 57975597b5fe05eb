"""Indexing: the reads and writes of `array[key]` and similar, on top of the loop over chunks.

An empty selection accesses no store. A key can name fields of structs, as in numpy: `a["x"]`,
`a["x", 0:5]`, `a[["x", "y"]]`; a field is written into the existing elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from zom.engine.integer_range import check_integers
from zom.engine.reading import read_parts
from zom.engine.text import as_elements, check_text, computed, put
from zom.engine.writing import write_parts
from zom.errors import CodecError, ExtensionError, SelectionError, UnknownName
from zom.extension.complex_parts import as_parts, has_parts
from zom.json.python_value import is_list

if TYPE_CHECKING:
    from zom.engine.chunks import Chunks
    from zom.engine.selection import Selection
    from zom.extension.bound import Array

__all__ = ["Fields", "read_selection", "split_fields", "write_selection"]

Fields: TypeAlias = "str | list[str] | None"
"""The selected fields of a struct; None for whole elements."""


_PLAIN = frozenset({int, slice})
"""The types of most parts of keys, which are no field names."""


def split_fields(key: Any) -> tuple[Fields, Any]:
    """The fields that a key names, and the rest of the key.

    >>> split_fields(("x", 3)), split_fields(["x", "y"]), split_fields(5)
    (('x', (3,)), (['x', 'y'], ()), (None, 5))
    """
    rest = key
    parts: tuple[Any, ...] = key if isinstance(key, tuple) else (key,)  # pyright: ignore[reportUnknownVariableType]
    for part in parts:
        if type(part) in _PLAIN:
            continue
        if _is_field(part):
            break
    else:
        return None, rest
    named = [part for part in parts if _is_field(part)]
    if len(named) > 1:
        raise SelectionError(f"expected one field, or one list of fields, got {len(named)} of them")
    return named[0], tuple(part for part in parts if not _is_field(part))


def _is_field(part: object) -> bool:
    if isinstance(part, str):
        return True
    return is_list(part) and bool(part) and all(isinstance(name, str) for name in part)


def read_selection(
    chunks: Chunks, selection: Selection, *, fields: Fields = None, out: Array | None = None
) -> Array:
    """Read the selected elements as an array; `out`, if given, is filled and returned."""
    dtype = chunks.plan.dtype
    wanted = _field_type(dtype, fields) if fields is not None else dtype
    if out is not None:
        _check_out(out, selection.shape + wanted.shape, wanted.base)
    target = out if out is not None and out.dtype == dtype else None
    if target is None:
        target = np.empty(selection.shape, dtype)
    if not selection.is_empty:
        work, is_view = selection.work_of(target)
        try:
            read_parts(chunks, selection.index, work)
        except (UnknownName, ExtensionError) as error:
            raise _located(chunks, error) from error
        if not is_view:
            selection.put_back(work, target)
    if fields is not None:
        target = _taken(target, fields, wanted)
    if out is None or out is target:
        return target
    put(out, target)
    return out


def write_selection(chunks: Chunks, selection: Selection, value: Any, *, fields: Fields = None) -> None:
    """Write `value`, broadcast as in numpy's assignment, to the selected elements."""
    dtype = chunks.plan.dtype
    wanted = _field_type(dtype, fields) if fields is not None else dtype
    try:
        if isinstance(fields, str) and wanted.shape:
            value = _cells(value, fields, wanted, selection.shape)
            fields, wanted = [fields], value.dtype
        if fields is None and chunks.plan.data_type.kind == "complex" and has_parts(dtype):
            value = as_parts(value, dtype)
        values = selection.spread(_as_values(value, wanted))
    except CodecError as error:
        raise CodecError(f"{chunks.store.url}: {chunks.node}: {error}") from error
    if selection.is_empty:
        return

    def assign(chunk: Array, where: Any, part: Array) -> None:
        chunk[fields][where] = part

    try:
        write_parts(chunks, selection.index, values, assign=None if fields is None else assign)
    except (UnknownName, ExtensionError) as error:
        raise _located(chunks, error) from error


def _located(chunks: Chunks, error: UnknownName | ExtensionError) -> UnknownName | ExtensionError:
    """The error of unusable codecs, which only knows the document, with the path of the array."""
    return type(error)(f"{chunks.store.url}: {chunks.node}: {error}")


def _as_values(value: Any, dtype: np.dtype[Any]) -> Array:
    """`value` as numpy converts it in an assignment to elements of `dtype`."""
    value = computed(value)
    if isinstance(value, np.ndarray):
        array = cast("Array", value)
        _check_unmasked(array)
        # Values of the right type are not copied; numbers are cast chunk by chunk. Values that may not be
        # numbers are cast before any chunk is written.
        late = dtype.kind not in "OTVUS" and array.dtype.kind in "biufc"
        if not late:
            return as_elements(array, dtype)
        check_integers(array, dtype)
        return array
    if dtype.kind == "O" and isinstance(value, (bytes, str, dict)):
        cell = np.empty((), object)
        cell[()] = value
        check_text(cell)
        return cell
    return as_elements(value, dtype)


def _check_unmasked(array: Array) -> None:
    """Raise CodecError for masked elements: the values under the mask would be written."""
    if type(array) is np.ndarray or not isinstance(array, np.ma.MaskedArray):
        return
    if np.ma.getmaskarray(array).tobytes().strip(b"\0"):
        raise CodecError("expected values without a mask, found masked ones; pass values.filled(...)")


def _field_type(dtype: np.dtype[Any], fields: Fields) -> np.dtype[Any]:
    names = dtype.names or ()
    for name in [fields] if isinstance(fields, str) else fields or ():
        if name not in names:
            have = f"it has {', '.join(map(repr, names))}" if names else "its elements have no fields"
            raise SelectionError(f"no field named {name!r}: {have}")
    if isinstance(fields, str):
        return dtype[fields]
    columns: Any = dtype.fields
    return np.dtype([(name, columns[name][0]) for name in fields or ()])


def _cells(value: Any, name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    """`value` for a field that is an array in each element, as elements with only that field."""
    array = as_elements(value, dtype.base)
    whole = shape + dtype.shape
    try:
        np.broadcast_to(array, whole)
    except ValueError as cause:
        message = f"expected values of the shape {whole}, or that broadcast to it, got {array.shape}"
        raise SelectionError(message) from cause
    made = np.empty(array.shape[: max(0, array.ndim - len(dtype.shape))], [(name, dtype)])
    made[name] = array
    return made


def _taken(array: Array, fields: Fields, dtype: np.dtype[Any]) -> Array:
    if isinstance(fields, str):
        return cast("Array", array[fields]).copy()
    return cast("Array", array[fields].astype(dtype))


def _check_out(out: Array, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    given = cast("object", out)
    if not isinstance(given, np.ndarray):
        raise TypeError(f"out: expected a numpy array, got {type(given).__name__}; see numpy.frombuffer")
    if out.shape != shape:
        raise SelectionError(f"out: expected the shape {shape}, got {out.shape}")
    if not out.flags.writeable:
        raise SelectionError("out: expected a writable array, got a read-only one")
    if out.dtype != dtype and not np.can_cast(dtype, out.dtype, "same_kind"):
        raise SelectionError(f"out: expected the type {dtype}, got {out.dtype}")
