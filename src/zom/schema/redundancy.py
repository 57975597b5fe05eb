"""Remove redundancy from a schema, so that one bad value is one error.

A type next to constants adds nothing. Options that are ranges of integers would each reject a value of
another type. And the limits of an integer say nothing about a fraction, which is not an integer.
"""

from __future__ import annotations

from typing import Any, Final

from zom.json.python_value import is_dict, is_list
from zom.schema.draft07 import SCHEMA_LISTS, SCHEMAS, SCHEMAS_BY_NAME

__all__ = ["without_redundancy"]

_MOST_LISTED: Final = 32
"""Maximum values listed instead of ranges of integers."""

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
    """Remove `type` next to constants that all have it, and list few integers instead of ranges.

    Pass `told=False` for conditions, whose errors are not shown: limits then stay, which is faster.

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
    """Apply limits only to integers, if that is the type of `schema`: -1.5 then has one fault."""
    types = schema.get("type", ())
    limits = {name: value for name, value in schema.items() if name in _LIMITS}
    if not limits or "integer" not in types or "number" in types or "if" in schema:
        return schema
    rest = {name: value for name, value in schema.items() if name not in limits}
    # The limits first: most values satisfy them, and a validator then checks nothing else.
    return {**rest, "if": limits, "else": {"if": dict(_INTEGER), "then": _one_of(limits)}}


def _one_of(limits: dict[str, Any]) -> dict[str, Any]:
    """Return an integer schema that fails by one of `limits`: values out of range may be no multiples."""
    bounds = {name: value for name, value in limits.items() if name != "multipleOf"}
    if not bounds or bounds == limits:
        return {**_INTEGER, **limits}
    return {"if": bounds, "then": {"multipleOf": limits["multipleOf"]}, "else": {**_INTEGER, **bounds}}


def _listed(options: list[Any]) -> list[int | None] | None:
    """Return the values of options that are ranges of integers, or null; None for others or many values."""
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
    """Whether all constants of `schema` have its `type`."""
    values: list[Any] = [schema["const"]] if "const" in schema else schema.get("enum") or []
    types: list[str] = schema["type"] if is_list(schema["type"]) else [schema["type"]]
    return bool(values) and all(any(_has(value, name) for name in types) for value in values)


def _has(value: Any, name: str) -> bool:
    return isinstance(value, _TYPES[name]) and (not isinstance(value, bool) or name == "boolean")
