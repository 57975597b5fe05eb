"""Fill values as JSON Schema: the data type selects the schema of the fill value.

Each data type provides the schema (`DataType.fill_schema`). Types with the same schema share one
condition.
"""

from __future__ import annotations

import json
import re
from itertools import groupby
from typing import TYPE_CHECKING, Any

from zom.extension.patterns import whole
from zom.extension.resolve import parse_v3
from zom.schema.extension_schema import chain, flat, known_families, named_one_of

if TYPE_CHECKING:
    from zom.extension.datatype import DataType, DataTypeFamily

__all__ = ["common_fill", "inline_fill", "usual_fill", "v3_fill"]

_RAW_BYTES = (*range(1, 9), 16)
"""The bytes of raw types with their own schema: other sizes accept any list of bytes."""


def fill_is(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an array whose fill value matches `schema`."""
    return {"properties": {"fill_value": schema}}


def _type_is(schema: dict[str, Any]) -> dict[str, Any]:
    return {"properties": {"data_type": schema}, "required": ["data_type"]}


def takes_zero(schema: dict[str, Any]) -> bool:
    """Whether `schema` accepts 0 as fill value."""
    numbers = schema.get("else", schema) if "if" in schema else schema
    if numbers.get("type") not in {"integer", "number"}:
        return False
    return "exclusiveMinimum" not in numbers or numbers["exclusiveMinimum"] < 0


def _plain() -> list[tuple[list[str], dict[str, Any]]]:
    """Return the plain types grouped by fill schema, with that schema."""
    made = {name: family.fill_schema("v3") for name, family in known_families()[0].items()}
    # Sorted by their texts with sorted names, so that the published order is independent of registration.
    pairs = sorted(made.items(), key=lambda pair: json.dumps(pair[1], sort_keys=True))
    groups = groupby(pairs, key=lambda pair: json.dumps(pair[1], sort_keys=True))
    return [([name for name, _ in group], json.loads(key)) for key, group in groups]


def _taken() -> dict[str, dict[str, Any]]:
    return {name: family.fill_schema("v3") for name, family in known_families()[0].items()}


def _both(value: dict[str, Any], names: list[str]) -> dict[str, Any]:
    return {"properties": {"fill_value": value, "data_type": {"enum": names, "type": "string"}}}


def _zero() -> dict[str, Any]:
    names = [name for name, schema in _taken().items() if takes_zero(schema)]
    return _both({"const": 0, "type": "number"}, sorted(names, key=_rank))


def _rank(name: str) -> tuple[bool, str]:
    return not name.startswith(("float", "int", "uint")) or "_" in name, name


def usual_fill() -> dict[str, Any]:
    """Return a condition for plain data types with their most frequent fill values."""
    floats: list[str] = [name for name in ("float32", "float64", "float16") if name in _taken()]
    others = [
        _both({"const": "NaN", "type": "string"}, floats),
        _both({"const": False, "type": "boolean"}, ["bool"]),
        _both({"const": "", "type": "string"}, ["string"]),
    ]
    return {"anyOf": [_zero(), *others]}


def common_fill() -> dict[str, Any]:
    """Return a condition for types of whole bytes with a number that fits each of them."""
    names = [name for name in _taken() if re.fullmatch("u?int(8|16|32|64)|float(16|32|64)", name)]
    return {"allOf": [_both({"type": "integer", "minimum": 0, "maximum": 127}, names)]}


def inline_fill() -> dict[str, Any]:
    """Return the schema of arrays whose fill value fits the data type, with zero and usual floats first."""
    taken = _taken()
    floats = [
        (_type_is({"const": name, "type": "string"}), fill_is(taken[name])) for name in ("float32", "float64")
    ]
    return {"if": _zero(), "else": chain(floats, {"$ref": "#/$defs/fill-value"})}


def v3_fill() -> dict[str, Any]:
    """Return the schema of arrays whose fill value fits the data type."""
    texts = {"data_type": {"type": "string"}}
    strings = [
        (_type_is({"enum": names, "type": "string"}), fill_is(schema)) for names, schema in _plain() if schema
    ]
    usual = [branch for branch in strings if _usual(branch)]
    strings = [branch for branch in strings if not _usual(branch)]
    objects = [(_type_is(named_one_of(names)), fill_is(schema)) for names, schema in _plain() if schema]
    for name, family in known_families()[1].items():
        schema = family.fill_schema("v3")
        if schema:
            objects.append((_type_is(named_one_of([name])), fill_is(schema)))
    for family in known_families()[2]:
        strings += _patterned(family)
        objects += _patterned(family, in_object=True)
    # null is invalid for every known type, but may be valid for an unknown name.
    return {
        "type": "object",
        "if": {"properties": texts, "required": ["data_type"]},
        "then": chain(usual, flat(strings)),
        "else": flat(objects),
    }


def _usual(branch: tuple[dict[str, Any], dict[str, Any]]) -> bool:
    names = branch[0]["properties"]["data_type"].get("enum", ())
    return any(name in {"bool", "string"} or not _rank(name)[0] for name in names)


def _patterned(
    family: DataTypeFamily, *, in_object: bool = False
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    sized: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for size in _RAW_BYTES:
        name = f"r{8 * size}"
        data_type: DataType | None = parse_v3(name, []) if family.claims(name) else None
        if data_type is not None:
            condition = named_one_of([name]) if in_object else {"const": name, "type": "string"}
            sized.append((_type_is(condition), fill_is(data_type.fill_schema("v3"))))
    pattern = {"type": "string", "pattern": whole((family.name_patterns or ("", ""))[1])}
    condition = {"type": "object", "properties": {"name": pattern}, "required": ["name"]}
    any_size = fill_is(family.fill_schema("v3"))
    return [(_type_is(condition if in_object else pattern), chain(sized, any_size))]
