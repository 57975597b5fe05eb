"""Types for generators: named definitions without conditions, made from configuration schemas.

A generator names a type after its definition, so every object gets one: `V3GzipConfiguration`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from zom.schema.configuration_schema import IS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "ANY_VALUE",
    "OBJECT",
    "Schema",
    "Types",
    "either_of",
    "members_of",
    "record_of",
    "ref",
    "type_name",
]

Schema: TypeAlias = dict[str, Any]

OBJECT: Final[Schema] = {"type": "object", "additionalProperties": True}
ANY_VALUE: Final[list[Schema]] = [
    {"type": "boolean"},
    {"type": "number"},
    {"type": "string"},
    {"type": "array", "items": {}},
    OBJECT,
]
"""Any value except null, as a union."""

_KEPT: Final = frozenset(
    {"type", "const", "enum", "minimum", "maximum", "exclusiveMinimum", "minItems", "maxItems", "minLength"}
)


def type_name(*words: str) -> str:
    """Join words to the name of a type.

    >>> type_name("V3", "numcodecs.json2", "codec")
    'V3NumcodecsJson2Codec'
    """
    parts = [part for word in words for part in re.split(r"[^0-9A-Za-z]+", word) if part]
    return "".join(part[0].upper() + part[1:] for part in parts)


def record_of(properties: Schema, required: Iterable[str], description: str | None = None) -> Schema:
    """Return the schema of an object with these members and no others.

    >>> record_of({"a": {}}, ["a"])
    {'type': 'object', 'properties': {'a': {}}, 'required': ['a'], 'additionalProperties': False}
    """
    made: Schema = {"description": description} if description else {}
    made |= {"type": "object", "properties": properties, "required": list(required)}
    return {**made, "additionalProperties": False}


def either_of(options: list[Schema]) -> Schema:
    """Return the union of the options.

    >>> either_of([{"type": "string"}])
    {'type': 'string'}
    """
    return options[0] if len(options) == 1 else {"anyOf": options}


def ref(name: str) -> Schema:
    """Return a reference to a definition.

    >>> ref("V3Codec")
    {'$ref': '#/$defs/V3Codec'}
    """
    return {"$ref": f"#/$defs/{name}"}


class Types:
    """The definitions of one format, under construction.

    >>> types = Types("V3")
    >>> types.plain({"properties": {"level": {"type": "integer"}}}, "V3GzipConfiguration")
    {'$ref': '#/$defs/V3GzipConfiguration'}
    >>> types.made["V3GzipConfiguration"]["properties"]
    {'level': {'type': 'integer'}}
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.made: dict[str, Schema] = {}

    def define(self, name: str, schema: Schema) -> Schema:
        """Define `schema` under a name and return a reference to it."""
        self.made[name] = schema
        return ref(name)

    def part(self, name: str) -> Schema:
        """Return the schema of a marked part of a configuration."""
        if name == "codecs":
            return {"type": "array", "minItems": 1, "items": ref(f"{self.prefix}Codec")}
        if name == "field-pair":
            pair = [{"type": "string"}, ref(f"{self.prefix}DataType")]
            return {"type": "array", "prefixItems": pair, "minItems": 2, "maxItems": 2}
        return ref(type_name(self.prefix, name))

    def plain(self, schema: object, name: str) -> Schema:
        """Return `schema` without conditions; objects in it become named definitions."""
        if not isinstance(schema, dict):
            return {}
        schema = cast("Schema", schema)
        if IS in schema:
            return self.part(schema[IS])
        if "properties" in schema:
            return self.define(name, self.record(schema, name))
        options = list(_options(schema))
        if len(options) > 1:
            return {"anyOf": [self.plain(each, name) for each in options]}
        made: Schema = {key: value for key, value in schema.items() if key in _KEPT}
        if "items" in schema:
            made["items"] = self.plain(schema["items"], f"{name}Item")
        elif made.get("type") == "array":
            made["items"] = {}
        if "prefixItems" in schema:
            made["prefixItems"] = [self.plain(item, f"{name}Item") for item in schema["prefixItems"]]
        if schema.get("maxProperties") == 0:
            return {"type": "object", "additionalProperties": False}
        if "object" in str(made.get("type", "")):
            made["additionalProperties"] = self.plain(
                schema.get("additionalProperties", True), f"{name}Value"
            )
        return made

    def record(self, schema: Mapping[str, Any], name: str) -> Schema:
        """Return an object with known members, or a union of objects if one member selects the others."""
        known = schema["properties"]
        cases = list(_cases(schema))
        if not cases:
            members = {key: self.plain(value, type_name(name, key)) for key, value in known.items()}
            made = record_of(members, schema.get("required", ()))
            if schema.get("additionalProperties") is not False:
                made["additionalProperties"] = True
            return made
        options: list[Schema] = []
        for tag, value, then in cases:
            members = {key: known[key] for key in then["properties"]}
            members[tag] = {"const": value, "type": "string"}
            case = {
                "properties": members,
                "required": [tag, *then["required"]],
                "additionalProperties": False,
            }
            options.append(self.define(type_name(name, value), self.record(case, type_name(name, value))))
        return {"oneOf": options}


def _options(schema: Mapping[str, Any]) -> Iterable[Schema]:
    """Yield the options of a chain of `if`, or of a union."""
    if "if" in schema:
        yield schema.get("then", schema["if"])
        yield from _options(schema.get("else", {}))
    elif "anyOf" in schema:
        options: list[Schema] = schema["anyOf"]
        types = [option.get("type") for option in options]
        yield from (option for i, option in enumerate(options) if options[i].get("type") not in types[:i])
    else:
        yield cast("Schema", schema)


def _cases(schema: Mapping[str, Any]) -> Iterable[tuple[str, str, Schema]]:
    """Yield the cases of `allOf` that select all members by a constant: tag, value, and members."""
    for each in schema.get("allOf", ()):
        condition = each.get("if", {}).get("properties", {})
        for tag, value in condition.items():
            if each.get("then", {}).get("additionalProperties") is False and "const" in value:
                yield tag, value["const"], each["then"]


def members_of(pattern: str, node: str) -> Schema:
    """Return the schema of a group's members, each a `node`.

    >>> members_of("^[a-z]+$", "V3Node")["additionalProperties"]
    {'$ref': '#/$defs/V3Node'}
    """
    return {"type": "object", "propertyNames": {"pattern": pattern}, "additionalProperties": ref(node)}
