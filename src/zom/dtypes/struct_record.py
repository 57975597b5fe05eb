"""Records in JSON and Python: struct fill values as objects, and casts field by field.

zarr-extensions, struct data type: "MUST be a JSON object mapping each field name to its fill value.
Every field ... MUST have a corresponding entry".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.dtypes.element import cast_error, pack, unpack
from zom.extension.datatype import spelling_error
from zom.extension.fill_value import FIELD, INNER, restate
from zom.json.python_value import is_dict, is_list
from zom.numpy_later import np
from zom.problems import Fault, Path, show

if TYPE_CHECKING:
    from zom.dtypes.struct import StructField, StructType
    from zom.extension.datatype import Format
    from zom.json.value import JSON

__all__ = ["cast_record", "parse_record", "record_json"]


def parse_record(
    struct: StructType,
    value: dict[str, Any],
    form: Format,
    faults: list[Fault],
    path: Path,
) -> bytes | None:
    """Parse an object as the bytes of a record; return None and add faults if it is invalid."""
    names = struct.names
    known = ", ".join(map(show, names))
    faults.extend(
        Fault(FIELD, (*path, name), f"only {known}", show(name)) for name in value if name not in names
    )
    raw: list[bytes] = []
    whole = True
    for name, field in zip(names, struct.fields, strict=True):
        if name not in value:
            faults.append(Fault(FIELD, (*path, name), f"a value of type {field.data_type.name}", "nothing"))
            raw.append(pack(field.data_type, field.data_type.default()) * field.count)
            continue
        part = _read_field(field, field.shape, value[name], form, faults, (*path, name))
        raw.append(part or b"")
        whole = whole and part is not None
    return b"".join(raw) if whole else None


def _read_field(  # noqa: PLR0913, PLR0917 - a field's value and its path
    field: StructField,
    shape: tuple[int, ...],
    value: Any,
    form: Format,
    faults: list[Fault],
    path: Path,
) -> bytes | None:
    if not shape:
        start = len(faults)
        scalar = field.data_type.parse_fill(value, form, faults, path)
        restate(faults, start)
        if scalar is None:
            # v2 leaves the meaning of null undefined; all readers return zeros.
            return bytes(field.data_type.itemsize or 0) if value is None else None
        return pack(field.data_type, scalar)
    if not is_list(value) or len(value) != shape[0]:
        faults.append(Fault(INNER, path, f"a list of {shape[0]}", show(value)))
        return None
    parts = [_read_field(field, shape[1:], item, form, faults, (*path, i)) for i, item in enumerate(value)]
    known = [part for part in parts if part is not None]
    return b"".join(known) if len(known) == len(parts) else None


def record_json(struct: StructType, raw: bytes) -> JSON:
    """Return the v3 object of a record, with each field in the spelling of its type."""
    made: dict[str, Any] = {}
    start = 0
    for field in struct.fields:
        if field.shape or not field.name:
            raise spelling_error(struct, "v3", f"the field {show(field.name)} has a shape, or no name")
        scalar = unpack(field.data_type, raw[start : start + field.size])
        made[field.name] = field.data_type.fill_json(scalar, "v3")
        start += field.size
    return made


def cast_record(struct: StructType, value: object) -> bytes:
    """Cast a Python value to the bytes of a record; raise SpecError if it is invalid."""
    given: Any = value
    if isinstance(value, np.void):
        raw = bytes(given.tobytes())
        if given.dtype.names is not None and given.dtype != struct.numpy():
            given = {name: given[name] for name in given.dtype.names}
        elif len(raw) == struct.itemsize:
            return raw
    names = struct.names
    items: list[Any] | None = None
    if is_dict(given):
        items = [given[name] for name in names] if set(given) == set(names) else None
    elif isinstance(value, (tuple, list)):
        items = list(given)
    if items is None or len(items) != len(names):
        raise cast_error(struct, given, f"a value for each of {', '.join(map(show, names))}")
    return b"".join(_cast_field(field, item) for field, item in zip(struct.fields, items, strict=True))


def _cast_field(field: StructField, value: Any) -> bytes:
    if not field.shape:
        return pack(field.data_type, field.data_type.cast(value))
    held = np.empty(field.shape, object)
    try:
        held[...] = value
    except ValueError:
        raise cast_error(field.data_type, value, f"an array of shape {field.shape}") from None
    return b"".join(pack(field.data_type, field.data_type.cast(item)) for item in held.ravel())
