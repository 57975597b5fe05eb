"""From names to data types: for documents in each format, and for values in Python.

Each family is tried in turn (seed 004, "Data type resolution"). An unknown name in a document is not a
fault here: names are open, and only the level "closed" requires registered ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.errors import SpecError, UnknownName
from zom.extension.datatype import DataType, data_types, made_by
from zom.extension.memo import Memo
from zom.extension.typestr import order_fault, typestr_fault, v3_name, without_order
from zom.json.python_value import is_dict, is_list
from zom.json.value import freeze
from zom.numpy_later import np
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.extension.datatype import DataTypeFamily

__all__ = ["are_alike", "data_type", "parse_draft", "parse_v2", "parse_v3"]

FALLBACK = rule(
    "draft/data-type-fallback",
    "a draft data type is known and doesn't need its fallback",
    source="the draft, data_type: consider appropriate warnings",
    lenient="note",
    strict="note",
    closed="warning",
)

_plain: Memo[DataType] = Memo(4096)
"""The types by name and by v2 spelling, without those that had faults."""


def parse_v3(value: Any, faults: list[Fault], path: Path = ()) -> DataType | None:
    """Return the type of a v3 `data_type`, or None if it is unknown.

    >>> import zom.dtypes
    >>> parse_v3("float32", []).itemsize
    4
    """
    if isinstance(value, str):
        plain = _plain.current()
        found = plain.get(value)
        if found is not None:
            return found
        before = len(faults)
        found = _named(value, None, faults, path)
        if found is not None and len(faults) == before:
            plain[value] = found
        return found
    if not is_dict(value):
        return None
    name, configuration = value.get("name"), value.get("configuration")
    if not isinstance(name, str) or not (configuration is None or isinstance(configuration, dict)):
        return None
    return parse_v3(name, faults, path) if not configuration else _named(name, configuration, faults, path)


def _named(name: str, configuration: Any, faults: list[Fault], path: Path) -> DataType | None:
    family = data_types.find(name) or data_types.claimant(name)
    return None if family is None else family.read_v3(name, configuration, faults, path)


def parse_v2(dtype: Any, object_codec: str | None, faults: list[Fault], path: Path = ()) -> DataType | None:
    """Return the type of a v2 `dtype`; if it is invalid, add one fault at the innermost wrong place.

    `object_codec` is the id of the codec that determines the type of `|O`.

    >>> import zom.dtypes
    >>> parse_v2("|O", "vlen-utf8", []).name
    'string'
    >>> faults = []
    >>> parse_v2([["x", "<f4"], ["y", "f4"]], None, faults, ("dtype",)); faults[0].path
    ('dtype', 1, 1)
    """
    key = (dtype, object_codec if dtype == "|O" else None) if isinstance(dtype, str) else None
    plain = _plain.current()
    found = plain.get(key)
    if found is not None:
        return found
    before = len(faults)
    name = v3_name(dtype) if isinstance(dtype, str) else None
    likely = None if name is None else data_types.in_own_file(name)
    if likely is not None:
        found = made_by(likely, "from_v2", dtype, object_codec, faults, path)
    if found is None and len(faults) == before:
        found = _first(lambda family: made_by(family, "from_v2", dtype, object_codec, faults, path), faults)
    if found is None and len(faults) == before:
        written = without_order(dtype) if isinstance(dtype, str) else None
        if written is not None:
            faults.append(order_fault(dtype, written, path))
            return parse_v2(written, object_codec, faults, path)
        faults.append(typestr_fault(dtype, path))
    if found is not None and key is not None and len(faults) == before:
        plain[key] = found
    return found


def parse_draft(value: Any, faults: list[Fault], path: Path = ()) -> DataType | None:
    """Return the type of a draft `data_type`, or of its first known fallback, or None.

    >>> import zom.dtypes
    >>> parse_draft({"extension": "https://example.org/x", "type": "y", "fallback": ["z", "r16"]}, []).name
    'r16'
    """
    before = len(faults)
    found = _first(lambda family: made_by(family, "from_draft", value, faults, path), faults)
    if found is not None or len(faults) > before or not is_dict(value):
        return found
    listed: Any = value.get("fallback")
    for fallback in listed if is_list(listed) else [listed]:
        if not (isinstance(fallback, str) or is_dict(fallback)):
            continue
        inner: list[Fault] = []
        found = parse_draft(fallback, inner, path)
        if found is not None:
            read = f"the extension {show(value.get('extension'))}, read as {show(fallback)}"
            faults.append(Fault(FALLBACK, path, "a known data type", read))
            return found
    return None


def _first(ask: Callable[[DataTypeFamily], DataType | None], faults: list[Fault]) -> DataType | None:
    """Return the first result of `ask`, stopping at a family that finds a fault."""
    before = len(faults)
    answer = data_types.first(
        lambda family: (found,) if (found := ask(family)) is not None or len(faults) > before else None
    )
    return None if answer is None else answer[0]


def data_type(obj: Any) -> DataType:
    """Return the data type for a name, a numpy type, a Python type or a value from a document.

    >>> import zom.dtypes
    >>> data_type("float32").name, data_type(np.dtype(">i4")).order, data_type(str).name
    ('float32', 'big', 'string')
    >>> data_type({"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 1}}).kind
    'datetime'
    """
    if isinstance(obj, DataType):
        return obj
    if isinstance(obj, str):
        return _from_text(obj)
    if is_dict(obj) or (is_list(obj) and not any(isinstance(item, tuple) for item in obj)):
        return _from_json(obj)
    if obj is None:
        raise UnknownName("None is not a data type; pass one, such as 'float64'")
    try:
        # numpy's `int` has 32 bits on some machines, but a description must mean the same everywhere.
        made: np.dtype[Any] = np.dtype(np.int64 if obj is int else cast("Any", obj))
    except (TypeError, ValueError, OverflowError):
        message = f"{show(obj)} is not a data type: expected a name, a numpy type or a v3 data type object"
        raise UnknownName(message) from None
    return of_numpy(made)


def are_alike(one: DataType, other: DataType) -> bool:
    """Whether two types are equal except for their byte order.

    >>> are_alike(data_type(">i4"), data_type("int32")), are_alike(data_type("int32"), data_type("uint32"))
    (True, False)
    """
    if one == other or one.name != other.name:
        return one == other
    return one.numpy().newbyteorder("=") == other.numpy().newbyteorder("=")


def of_numpy(dtype: np.dtype[Any]) -> DataType:
    """Return the one data type for the numpy type `dtype`.

    >>> import zom.dtypes
    >>> of_numpy(np.dtype("S12")).name
    'null_terminated_bytes'
    """
    if dtype.type is np.object_:
        message = 'an object dtype may contain anything: pass "string" or "bytes"'
        raise UnknownName(message)
    found = [made for family in data_types.own() if (made := family.from_numpy(dtype)) is not None]
    if not found:
        found = [made for family in data_types if (made := made_by(family, "from_numpy", dtype)) is not None]
    if len(found) == 1:
        return found[0]
    if not found:
        raise data_types.unknown(f"no data type matches numpy's {dtype}", dtype.name)
    names = " and ".join(repr(made.name) for made in found)
    message = f"numpy's {dtype} is ambiguous: {names} claim it; pass one of them"
    raise UnknownName(message)


def _from_text(text: str) -> DataType:
    faults: list[Fault] = []
    found = parse_v3(text, faults)
    if found is not None:
        return found
    if faults:
        raise _refusal(text, faults)
    try:
        made: np.dtype[Any] = np.dtype(text)
    except (TypeError, ValueError, SyntaxError, OverflowError):
        known = [name for name in data_types.names() if name not in {"r*", "object"}]
        raise data_types.unknown(f"no data type named {text!r} is registered", text, known) from None
    return of_numpy(made)


def _from_json(value: Mapping[str, Any] | list[Any]) -> DataType:
    faults: list[Fault] = []
    frozen: Any = freeze(value, faults)
    if not faults:
        found = parse_v2(frozen, None, faults) if is_list(frozen) else parse_v3(frozen, faults)
        errors = [fault for fault in faults if fault.rule.strict == "error"]
        if found is not None and not errors:
            return found
    if faults:
        raise _refusal(value, faults)
    name = frozen.get("name") if is_dict(frozen) else None
    known = [each for each in data_types.names() if each not in {"r*", "object"}]
    message = f"unknown data type {show(value)}"
    if not isinstance(name, str):
        raise UnknownName(f'{message}; a data type has a "name"')
    raise data_types.unknown(message, name, known)


def _refusal(value: object, faults: list[Fault]) -> SpecError:
    return SpecError(
        [fault.problem(fault.rule.strict or "note") for fault in faults],
        f"data type {show(value)}",
    )
