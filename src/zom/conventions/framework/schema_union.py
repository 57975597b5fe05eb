"""JSON Schema unions that first check what distinguishes their options, so that one fault is one error.

pydantic writes them as `anyOf`, where each option that doesn't fit has its own errors.
"""

from __future__ import annotations

from typing import Any

from zom.json.python_value import is_dict, is_list

__all__ = ["discerning"]

Schema = dict[str, Any]


def discerning(schema: Any, definitions: Schema) -> Any:
    """`schema` with conditions in place of unions whose options differ by a constant, or by null.

    >>> discerning({"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}, {})
    {'if': {'type': 'null'}, 'else': {'$ref': '#/$defs/A'}}
    """
    if is_list(schema):
        return [discerning(item, definitions) for item in schema]
    if not is_dict(schema):
        return schema
    made = {
        name: value if name in {"const", "enum", "default", "required"} else discerning(value, definitions)
        for name, value in schema.items()
    }
    options = made.get("anyOf") or made.get("oneOf")
    if not is_list(options):
        return made
    rest = {name: value for name, value in made.items() if name not in {"anyOf", "oneOf"}}
    several = [option for option in options if option != {"type": "null"}]
    found = _tagged(several, definitions) if len(several) > 2 else None
    if found is None:
        if len(several) != 1 or len(options) != 2:
            return made
        found = several[0]
    return {**rest, **({"if": {"type": "null"}, "else": found} if len(several) < len(options) else found)}


def _tagged(options: list[Any], definitions: Schema) -> Schema | None:
    """A chain of conditions on a constant member, or None if no member distinguishes the options."""
    parts = [_resolved(option, definitions) for option in options]
    for tag in next((each["properties"] for each in parts if "properties" in each), ()):
        named = [(each.get("properties", {}).get(tag, {}).get("const"), option) for each, option in
                 zip(parts, options, strict=True)]  # fmt: skip
        others = [option for value, option in named if value is None]
        if len(others) < 2 and len(named) - len(others) > 1:
            return _by_tag(tag, {value: option for value, option in named if value is not None}, others)
    return None


def _resolved(option: Any, definitions: Schema) -> Schema:
    name = option.get("$ref", "").removeprefix("#/$defs/") if is_dict(option) else ""
    found = definitions.get(name, option)
    return found if is_dict(found) else {}


def _by_tag(tag: str, options: Schema, others: list[Any]) -> Schema:
    known: Schema = {"properties": {tag: {"enum": list(options)}}, "required": [tag]}
    branches = [
        {"if": {"properties": {tag: {"const": value}}, "required": [tag]}, "then": option}
        for value, option in options.items()
    ]
    # The option without a constant, or the missing constant, reports a value with none of them.
    other: Schema = others[0] if others else known
    return {"type": "object", "if": known, "then": {"allOf": branches}, "else": other}
