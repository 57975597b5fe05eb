"""What a schema says twice, taken out of it: one bad value is one error, then, not several.

A type beside constants says nothing more than they do. Of options that are ranges of integers, each would
refuse a value of another type. And a limit of integers says nothing of a fraction, which is none.
"""

from __future__ import annotations

from typing import Any, Final

from zom.json.python_value import is_dict, is_list
from zom.schema.draft07 import SCHEMA_LISTS, SCHEMAS, SCHEMAS_BY_NAME

__all__ = ["without_redundancy"]

_MOST_LISTED: Final = 32
"""How many values stand for ranges of integers."""

_LIMITS: Final = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
_CONDITIONS: Final = frozenset({"if", "not", "contains"})
_INTEGER: Final = {"type": "integer"}

_CONSTANTS: Final = frozenset({"const", "enum"})
_TYPES: Final[dict[str, type | tuple[type, ...]]] = {
    "null": type(None),
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "string": str,
    "array": (list, tuple),
    "object": dict,
}


def without_redundancy(schema: Any, *, told: bool = True) -> Any:
    """`schema` without a `type` beside constants that all have it, and with few integers listed, not as ranges.

    What isn't `told`, as a condition, only has to hold or not: there, limits stay as they are, which is faster.

    >>> without_redundancy({"properties": {"order": {"enum": ["C", "F"], "type": "string"}}})
    {'properties': {'order': {'enum': ['C', 'F']}}}
    >>> without_redundancy({"enum": ["C", None], "type": "string"})
    {'enum': ['C', None], 'type': 'string'}
    >>> without_redundancy({"anyOf": [{"type": "integer", "minimum": 0, "maximum": 2}, {"type": "null"}]})
    {'enum': [0, 1, 2, None]}
    >>> without_redundancy({"type": "integer", "minimum": 1})  # doctest: +ELLIPSIS
    {'type': 'integer', 'if': {'minimum': 1}, 'else': {'if': ..., 'then': {'type': 'integer', 'minimum': 1}}}
    """
    if not is_dict(schema):
        return schema
    made: dict[str, Any] = {}
    for name, value in schema.items():
        if name in SCHEMAS_BY_NAME:
            made[name] = {key: without_redundancy(item, told=told) for key, item in value.items()}
        elif name == "anyOf" and (listed := _listed(value)) is not None and not schema.keys() & _CONSTANTS:
            made["enum"] = listed
        elif name in SCHEMA_LISTS:
            made[name] = [without_redundancy(item, told=told) for item in value]
        elif name in SCHEMAS:
            made[name] = without_redundancy(value, told=told and name not in _CONDITIONS)
        elif name != "type" or not _is_said(schema):
            made[name] = value
    return _with_limits_of_integers(made) if told else made


def _with_limits_of_integers(schema: dict[str, Any]) -> dict[str, Any]:
    """`schema`, whose limits are told of integers alone where it has that type: -1.5 has one fault."""
    types = schema.get("type", ())
    limits = {name: value for name, value in schema.items() if name in _LIMITS}
    if not limits or "integer" not in types or "number" in types or "if" in schema:
        return schema
    rest = {name: value for name, value in schema.items() if name not in limits}
    # The limits first: most values keep them, and that is all that a validator looks at then.
    return {**rest, "if": limits, "else": {"if": dict(_INTEGER), "then": _one_of(limits)}}


def _one_of(limits: dict[str, Any]) -> dict[str, Any]:
    """An integer that fails by one of `limits`: beyond a range, it need not be a multiple."""
    bounds = {name: value for name, value in limits.items() if name != "multipleOf"}
    if not bounds or bounds == limits:
        return {**_INTEGER, **limits}
    return {"if": bounds, "then": {"multipleOf": limits["multipleOf"]}, "else": {**_INTEGER, **bounds}}


def _listed(options: list[Any]) -> list[int | None] | None:
    """The values of options that are ranges of integers, or null; None where they are others, or many values."""
    found: list[int | None] = []
    for option in options:
        if option == {"type": "null"}:
            found.append(None)
        elif option.keys() == {"type", "minimum", "maximum"} and option["type"] == "integer":
            found += range(option["minimum"], option["maximum"] + 1)[: _MOST_LISTED + 1]
        else:
            return None
    return found if len(found) <= _MOST_LISTED else None


def _is_said(schema: dict[str, Any]) -> bool:
    """Whether the constants of `schema` have no other type than its `type`."""
    values: list[Any] = [schema["const"]] if "const" in schema else schema.get("enum") or []
    types: list[str] = schema["type"] if is_list(schema["type"]) else [schema["type"]]
    return bool(values) and all(any(_has(value, name) for name in types) for value in values)


def _has(value: Any, name: str) -> bool:
    return isinstance(value, _TYPES[name]) and (not isinstance(value, bool) or name == "boolean")
