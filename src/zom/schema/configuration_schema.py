"""Configurations as JSON Schema: from the pydantic models that check them, simplified.

Titles and references of pydantic's schema are removed, a union whose options differ in type becomes a
chain of `if`, and further checks of fields (`zom.extension.field`) and rules
(`Configuration.strict_schema`) are merged in.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, cast

from zom.extension.configuration import Configuration, schema_of
from zom.extension.field import Required, marks, required
from zom.json.python_value import is_dict, is_list

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


__all__ = ["IS", "configuration_schema", "plain_schema", "resolved", "summary"]

IS: Final = "x-zom-is"
"""Marks a part of a model that another schema describes: `{"x-zom-is": "data-type"}`."""

PATTERN: Final = "x-zom-pattern"
"""A pattern for a string that is too long for a message."""

_DROPPED: Final = frozenset({"title", "description", "$defs"})


@lru_cache(maxsize=512)
def configuration_schema(model: type[Configuration]) -> dict[str, Any]:
    """Return the schema of a configuration at the level "strict".

    >>> from zom.extension.configuration import NoConfiguration
    >>> configuration_schema(NoConfiguration)
    {'type': 'object', 'maxProperties': 0}
    """
    if not model.model_fields and model.model_config.get("extra") != "allow":
        return {"type": "object", "maxProperties": 0}
    made = plain_schema(schema_of(model))
    if names := required(model):
        made["required"] = names
    for name, mark in marks(model, Required).items():
        if mark.given is not None:
            other, values = mark.given
            made["if"] = {"properties": {other: {"enum": list(values)}}, "required": [other]}
            made["then"] = {"required": [name], "properties": {name: True}}
    for name, value in model.strict_schema.items():
        made[name] = {**made["properties"], **value} if name == "properties" else value
    return made


def plain_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Simplify a pydantic schema: no titles, descriptions and references, and discriminated unions.

    >>> plain_schema({"title": "X", "anyOf": [{"type": "string"}, {"type": "null"}]})
    {'type': ['string', 'null']}
    """
    return _plain(schema, schema.get("$defs", {}))


def _plain(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    def within(value: Any) -> Any:
        return _plain(value, definitions) if is_dict(value) else value

    if IS in schema:
        return {IS: schema[IS]}
    if "$ref" in schema:
        return _plain(definitions[schema["$ref"].rsplit("/", 1)[1]], definitions)
    made: dict[str, Any] = {}
    for name, value in schema.items():
        if name in _DROPPED or (name == "default" and value is None):
            continue
        if name == PATTERN:
            made["pattern"] = value
            continue
        if name in {"properties", "patternProperties"}:
            made[name] = {key: within(item) for key, item in value.items()}
        elif name in {"prefixItems", "allOf", "oneOf", "anyOf"}:
            made[name] = [within(item) for item in value]
        else:
            made[name] = within(value) if name not in {"const", "default"} else value
    return _union(made) if "anyOf" in made else made


def _union(schema: dict[str, Any]) -> dict[str, Any]:
    """Return `anyOf` as one type, or as a chain that checks the type first, so that a fault is one error."""
    options = cast("list[dict[str, Any]]", schema["anyOf"])
    rest = {name: value for name, value in schema.items() if name != "anyOf"}
    if {"type": "number"} in options:
        options = [option for option in options if option != {"type": "integer"}]
    types = [option.get("type") for option in options]
    if not all(isinstance(kind, str) for kind in types):
        marked = [option for option in options if IS in option]
        if len(options) == 2 and marked and {"type": "null"} in options:
            return {"if": {"type": "null"}, "else": marked[0], **rest}
        return {**rest, "anyOf": options}
    if len(set(types)) < len(types):
        return {**rest, "anyOf": options}
    nullable = "null" in types
    options = [option for option in options if option["type"] != "null"]
    if nullable and len(options) == 1 and not {"enum", "const"} & options[0].keys():
        return {**rest, **options[0], "type": [options[0]["type"], "null"]}
    made = options[-1]
    for option in reversed(options[:-1]):
        made = {"if": {"type": option["type"]}, "then": option, "else": made}
    return {**rest, **({"if": {"type": "null"}, "else": made} if nullable else made)}


def resolved(schema: Any, parts: Callable[[str], dict[str, Any]]) -> Any:
    """Replace each marked part of `schema` by the result of `parts`.

    >>> resolved({"items": {"x-zom-is": "codec"}}, lambda name: {"$ref": f"#/$defs/{name}"})
    {'items': {'$ref': '#/$defs/codec'}}
    """
    if is_dict(schema):
        if IS in schema:
            return parts(schema[IS])
        return {name: resolved(value, parts) for name, value in schema.items()}
    if is_list(schema):
        return [resolved(value, parts) for value in schema]
    return schema


def summary(thing: object) -> str | None:
    """The first paragraph of a docstring, in one line, or None.

    >>> summary(summary)[:34]
    'The first paragraph of a docstring'
    """
    text = (thing.__doc__ or "").strip().split("\n\n")[0]
    return " ".join(text.replace("`", "").split()) or None
