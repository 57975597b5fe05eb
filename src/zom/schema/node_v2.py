"""v2 nodes as JSON Schema, in the flavour "validation": a node with a `shape` is an array."""

from __future__ import annotations

from typing import Any

from zom.extension.codec import v2_codecs
from zom.extension.datatype import data_types
from zom.extension.field import required
from zom.extension.patterns import either, whole
from zom.extension.resolve import parse_v2
from zom.extension.typestr import TYPESTR_PATTERN, numeric_codes
from zom.formats.v2 import ArraySpec, GroupSpec
from zom.json.exact import exact_text
from zom.paths import V2_NAME_PATTERN
from zom.schema.configuration_schema import configuration_schema, resolved
from zom.schema.extension_schema import chain, flat, long_enough
from zom.schema.spec_fields import field_schema

__all__ = ["apart", "array", "definitions", "group", "node", "parts"]

_OBJECT: dict[str, Any] = {"type": "object"}
_FREE: tuple[tuple[str, str], ...] = (
    (r"\|S", "|S1"),
    (r"\|V", "|V1"),
    ("[<>]U", "<U1"),
    ("[<>][mM]8", "<M8[s]"),
)


def parts(name: str) -> dict[str, Any]:
    """Return the schema of a marked part of a configuration."""
    return {"$ref": f"#/$defs/{name}"}


def codec() -> dict[str, Any]:
    """Return the schema of a filter or compressor: an id next to the configuration."""
    branches = [
        ({"properties": {"id": {"const": name, "type": "string"}}, "required": ["id"]}, with_id(name))
        for name in v2_codecs()
    ]
    generic = {"properties": {"id": {"type": "string", "minLength": 1}}, "required": ["id"]}
    known = {"type": "object", "properties": {"id": {"enum": list(v2_codecs())}}, "required": ["id"]}
    # Reject values that are no objects once, with the unknown codecs, and not for each codec.
    return {"if": known, "then": {"type": "object", **flat(branches)}, "else": {"type": "object", **generic}}


def with_id(name: str) -> dict[str, Any]:
    """Return the schema of a codec whose id is known."""
    made = configuration_schema(v2_codecs()[name].v2_configuration)
    made = {key: value for key, value in made.items() if key != "maxProperties"}
    properties = {"id": True, **made.get("properties", {})}
    required = ["id", *made.get("required", ())]
    closed = {**made, "properties": properties, "required": required, "additionalProperties": False}
    fits: dict[str, Any] = resolved(closed, parts)
    return fits


def dtype() -> dict[str, Any]:
    """Return the schema of a type string, or of a list of fields."""
    texts = whole(f"{TYPESTR_PATTERN}|{either(_bare_names())}")
    name = {"type": "string"}
    shape = {
        "type": "array",
        "maxItems": 64,
        "items": {"type": "integer", "minimum": 0, "maximum": 2**31 - 1},
    }
    pair = {"prefixItems": [name, parts("dtype")], "minItems": 2, "maxItems": 2}
    triple = {"prefixItems": [name, parts("dtype"), shape], "minItems": 3, "maxItems": 3}
    field = {"type": "array", "if": {"minItems": 3}, "then": triple, "else": long_enough(pair)}
    return {
        "if": {"type": "string"},
        "then": {"type": "string", "pattern": texts},
        "else": {"type": "array", "minItems": 1, "items": field},
    }


def _bare_names() -> list[str]:
    return [name for name in data_types.names() if parse_v2(name, None, []) is not None]


def fill_value() -> dict[str, Any]:
    """Return the schema of arrays whose fill value fits the data type."""

    def when(pattern: str, schema: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        text = {"type": "string", "pattern": pattern}
        condition = {"properties": {"dtype": text}, "required": ["dtype"]}
        return condition, {"properties": {"fill_value": schema}}

    usual: dict[str | bytes, tuple[dict[str, Any], list[str]]] = {}
    for code in numeric_codes():
        usual.setdefault(exact_text(_of(code)), (_of(code), []))[1].append(code)
    numbers = [when(rf"^[|<>](?:{'|'.join(codes)})(?!\n)$", schema) for schema, codes in usual.values()]
    branches = [when(whole(either([name])), _of(name)) for name in _bare_names()]
    for pattern, example in _FREE:
        found = parse_v2(example, None, [])
        if found is not None:
            branches.append(when(f"^{pattern}", data_types[found.name].fill_schema("v2")))
    # A list without fields is no type, so its fill value is not checked.
    is_list = {"properties": {"dtype": {"type": "array", "minItems": 1}}, "required": ["dtype"]}
    branches.append((is_list, {"properties": {"fill_value": data_types["struct"].fill_schema("v2")}}))
    return {"type": "object", **chain(numbers, flat([*branches, *_object_branches()]))}


def _of(text: str) -> dict[str, Any]:
    found = parse_v2(text, None, []) or parse_v2(f"<{text}", None, [])
    return {} if found is None else found.fill_schema("v2")


def _object_branches() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return branches for Python objects, whose type depends on the object codec."""
    made: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for name, each in v2_codecs().items():
        found = parse_v2("|O", name, []) if each.holds_objects else None
        schema = {} if found is None else found.fill_schema("v2")
        if schema:
            named = {
                "type": "object",
                "properties": {"id": {"const": name, "type": "string"}},
                "required": ["id"],
            }
            filters = {"filters": {"type": "array", "contains": named}}
            held = [
                {"properties": filters, "required": ["filters"]},
                {"properties": {"compressor": named}, "required": ["compressor"]},
            ]
            objects = {"properties": {"dtype": {"const": "|O", "type": "string"}}, "required": ["dtype"]}
            made.append(({**objects, "anyOf": held}, {"properties": {"fill_value": schema}}))
    return made


def array() -> dict[str, Any]:
    """Return the schema of a v2 array; other members are ignored."""
    properties: dict[str, Any] = {
        "zarr_format": field_schema(ArraySpec, "zarr_format"),
        "shape": field_schema(ArraySpec, "shape"),
        "chunks": field_schema(ArraySpec, "chunks"),
        "dtype": parts("dtype"),
        "compressor": {"if": {"type": "null"}, "else": parts("codec")},
        "fill_value": True,
        "order": field_schema(ArraySpec, "order"),
        "filters": {"if": {"type": "null"}, "else": {"type": "array", "items": parts("codec")}},
        "dimension_separator": field_schema(ArraySpec, "dimension_separator"),
        "attributes": _OBJECT,
        "members": False,
    }
    return {
        "type": "object",
        "properties": properties,
        "required": required(ArraySpec),
        "if": _OBJECT,
        "then": parts("fill-value"),
    }


def group(members: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a v2 group, whose members match `members`."""
    return {
        "type": "object",
        "properties": {
            "zarr_format": field_schema(GroupSpec, "zarr_format"),
            "attributes": _OBJECT,
            "members": {
                "type": "object",
                "propertyNames": {"pattern": V2_NAME_PATTERN},
                "additionalProperties": members,
            },
        },
        "required": required(GroupSpec),
        "additionalProperties": False,
    }


def node(members: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a v2 node: an array if it has members that only arrays have, else a group."""
    return apart(array(), group(members))


def apart(array: dict[str, Any], group: dict[str, Any]) -> dict[str, Any]:
    """Select the schema of a node by its kind."""
    # A document without its shape is an array with one fault, not a group with seven.
    marks = {"properties": {"chunks": True, "dtype": True}, "required": ["chunks", "dtype"]}
    return {
        "if": {"type": "object", "anyOf": [{"properties": {"shape": True}, "required": ["shape"]}, marks]},
        "then": array,
        "else": group,
    }


def definitions() -> dict[str, Any]:
    """Return the definitions that v2 schemas refer to."""
    return {"codec": codec(), "dtype": dtype(), "fill-value": fill_value()}
