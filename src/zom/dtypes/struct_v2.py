"""The fields of a v2 struct: a list of `[fieldname, datatype]` or `[fieldname, datatype, shape]`.

Zarr v2, data type encoding: "`fieldname` is a string, `datatype` is a string specifying a simple data
type, and `shape` is a list of integers specifying subarray shape"; data types may be nested.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from zom.extension.configuration import INTEGER_LITERAL, integral
from zom.extension.resolve import parse_v2
from zom.json.python_value import is_list
from zom.limits import DEFAULT_LIMITS
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from zom.extension.datatype import DataType

__all__ = ["V2Field", "parse_v2_fields"]

V2_FIELDS = rule(
    "v2/dtype-fields",
    "a structured dtype is a list of at least one [name, dtype] or [name, dtype, shape]",
    source="Zarr v2, data type encoding",
    schema=True,
)


class V2Field(NamedTuple):
    """The parts of one field."""

    name: str
    data_type: DataType
    shape: tuple[int, ...]


def parse_v2_fields(fields: list[Any], faults: list[Fault], path: Path) -> list[V2Field] | None:
    """Parse a list of fields; return None and add a fault for each problem if it is invalid.

    >>> import zom.dtypes
    >>> [field.name for field in parse_v2_fields([["r", "|u1"], ["g", "|u1"]], [], ())]
    ['r', 'g']
    """
    if not fields:
        faults.append(Fault(V2_FIELDS, path, "at least one field", "none"))
        return None
    found = [_field(field, faults, (*path, i)) for i, field in enumerate(fields)]
    known = [field for field in found if field is not None]
    return known if len(known) == len(found) else None


def _field(value: Any, faults: list[Fault], path: Path) -> V2Field | None:
    parts = value if is_list(value) else []
    if not 2 <= len(parts) <= 3:
        faults.append(Fault(V2_FIELDS, path, "[name, dtype] or [name, dtype, shape]", show(value)))
        return None
    name, before = parts[0], len(faults)
    if not isinstance(name, str):
        faults.append(Fault(V2_FIELDS, (*path, 0), "the name of a field", show(name)))
    inner = parse_v2(parts[1], None, faults, (*path, 1))
    shape = _shape(parts[2], faults, (*path, 2)) if len(parts) == 3 else ()
    if inner is None or shape is None or any(f.path[: len(path) + 1] == (*path, 0) for f in faults[before:]):
        return None
    return V2Field(name, inner, shape)


def _shape(value: Any, faults: list[Fault], path: Path) -> tuple[int, ...] | None:
    if not is_list(value) or len(value) > DEFAULT_LIMITS.rank:
        fix = f"write [{value}]" if type(value) is int and value > 0 else None
        expected = f"a list of at most {DEFAULT_LIMITS.rank} lengths"
        faults.append(Fault(V2_FIELDS, path, expected, show(value), fix))
        return None
    before = len(faults)
    for i, length in enumerate(value):
        if type(length) is not int or not 0 <= length < 1 << 31:
            broken = INTEGER_LITERAL if integral(length) else V2_FIELDS
            faults.append(Fault(broken, (*path, i), "a length of at least 0", show(length)))
    return tuple(value) if len(faults) == before else None
