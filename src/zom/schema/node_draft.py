"""Nodes of the v3 draft, and its entry point, as JSON Schema, in the flavour "validation"."""

from __future__ import annotations

from typing import Any

from zom.extension.codec import codecs
from zom.extension.datatype import data_types
from zom.extension.field import required
from zom.extension.patterns import either, whole
from zom.extension.resolve import parse_draft
from zom.extension.typestr import numeric_codes
from zom.formats.draft import ArraySpec, EntryPoint
from zom.paths import DRAFT_NAME_PATTERN
from zom.schema.configuration_schema import configuration_schema
from zom.schema.extension_schema import chain
from zom.schema.spec_fields import field_schema

__all__ = ["array", "definitions", "entry_point", "group", "node"]

_OBJECT: dict[str, Any] = {"type": "object"}
_URI: dict[str, Any] = {"type": "string", "minLength": 1}
_TYPED: dict[str, Any] = {
    "type": "object",
    "properties": {"extension": _URI, "type": True},
    "required": ["extension", "type"],
}
_EXTENSIONS: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"extension": _URI, "must_understand": {"type": "boolean"}},
        "required": ["extension", "must_understand"],
    },
}
_FORMAT = r"https:\/\/purl\.org\/zarr\/spec\/core\/3(?:\.[0-9]+)?"


def uri_of(name: str) -> str:
    """Return the pattern of URIs whose last part before versions is `name`.

    >>> import re
    >>> bool(re.search(uri_of("gzip"), "https://purl.org/zarr/spec/codecs/gzip/1.0"))
    True
    """
    return rf"(?:^|\/){either([name])}(?:\/(?:v?[0-9][0-9.]*)?)*(?!\n)$"


def _is(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"properties": {name: schema}, "required": [name]}


def codec() -> dict[str, Any]:
    """Return the schema of a draft codec: a URI as type, and a configuration that fits it."""
    branches: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for each in codecs:
        if each.draft_name is None:
            continue
        fits = configuration_schema(each.draft_configuration or each.configuration)
        needed = ["configuration"] if fits.get("required") else []
        then: dict[str, Any] = {"properties": {"configuration": fits}}
        branches.append(
            (
                _is("type", {"type": "string", "pattern": uri_of(each.draft_name)}),
                {**then, "required": needed} if needed else then,
            )
        )
    return {
        "type": "object",
        "properties": {"type": _URI, "configuration": True},
        "required": ["type"],
        **chain(branches, {"properties": {"configuration": _OBJECT}}),
    }


def data_type() -> dict[str, Any]:
    """Return the schema of a data type: a name in the draft's table, or an extension."""
    patterns = [either(_names()), *(rf"[<>]{code}|\|{code}" for code in numeric_codes() if _typestr(code))]
    patterns += [family.name_patterns[1] for family in data_types if family.name_patterns]
    texts = {"type": "string", "pattern": whole("|".join(patterns))}
    return {"if": {"type": "string"}, "then": texts, "else": _TYPED}


def _names() -> list[str]:
    known = [*data_types.names(), *numeric_codes()]
    return sorted({name for name in known if parse_draft(name, []) is not None})


def _typestr(code: str) -> bool:
    return parse_draft(f"<{code}", []) is not None


def fill_value() -> dict[str, Any]:
    """Return the schema of arrays whose fill value fits the data type, if that is given by name."""
    branches: list[tuple[dict[str, Any], dict[str, Any]]] = []
    spelled: dict[str, list[str]] = {}
    for text in (*_names(), *(f"{mark}{code}" for code in numeric_codes() for mark in "<>|")):
        found = parse_draft(text, [])
        if found is not None:
            spelled.setdefault(found.name, []).append(text)
    for texts in spelled.values():
        found = parse_draft(texts[0], [])
        schema = {} if found is None else found.fill_schema("draft")
        branches.append(
            (_is("data_type", {"enum": texts, "type": "string"}), {"properties": {"fill_value": schema}})
        )
    for family in data_types:
        if family.name_patterns is not None:
            pattern = {"type": "string", "pattern": whole(family.name_patterns[1])}
            then = {"properties": {"fill_value": family.fill_schema("draft")}}
            branches.append((_is("data_type", pattern), then))
    objects = {
        "type": "object",
        "properties": {
            "extension": {"type": "string", "pattern": "[Oo][Bb][Jj][Ee][Cc][Tt]"},
            "type": {"const": "|O", "type": "string"},
        },
        "required": ["extension", "type"],
    }
    branches.append((_is("data_type", objects), {}))
    return {"type": "object", **chain(branches, {"properties": {"fill_value": {"not": {"type": "null"}}}})}


def chunk_grid() -> dict[str, Any]:
    """Return the schema of a regular grid or an extension."""
    regular = {
        "type": "object",
        "properties": {
            "type": True,
            "separator": {"enum": ["/", "."], "type": "string"},
            "chunk_shape": {
                "type": "array",
                "items": {"type": "integer", "minimum": 0, "maximum": 2**63 - 1},
            },
        },
        "required": ["type", "separator", "chunk_shape"],
    }
    plain = _is("type", {"const": "regular", "type": "string"})
    # An extension has the member `extension`. Without it, the type is wrong.
    other = {
        "if": {"type": "object", **_is("extension", {})},
        "then": _TYPED,
        "else": {"type": "object", **plain},
    }
    return {"if": {"type": "object", **plain}, "then": regular, "else": other}


def storage_transformer() -> dict[str, Any]:
    """Return the schema of sharding or an extension."""
    counts = {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 2**63 - 1}}
    sharding = {
        "properties": {
            "configuration": {
                "type": "object",
                "properties": {"chunks_per_shard": counts},
                "required": ["chunks_per_shard"],
            }
        },
        "required": ["configuration"],
    }
    is_sharding = {
        "properties": {
            "extension": {"type": "string", "pattern": uri_of("sharding")},
            "type": {"const": "indexed", "type": "string"},
        },
        "required": ["extension", "type"],
    }
    properties = {**_TYPED["properties"], "configuration": True}
    other = {"properties": {"configuration": _OBJECT}}
    return {**_TYPED, "properties": properties, "if": is_sharding, "then": sharding, "else": other}


def array() -> dict[str, Any]:
    """Return the schema of a draft array."""
    layouts = {"if": {"type": "object"}, "then": _TYPED, "else": {"enum": ["C", "F"], "type": "string"}}
    properties: dict[str, Any] = {
        "shape": field_schema(ArraySpec, "shape"),
        "data_type": data_type(),
        "chunk_grid": chunk_grid(),
        "chunk_memory_layout": layouts,
        "fill_value": True,
        "extensions": _EXTENSIONS,
        "attributes": _OBJECT,
        "codecs": {"type": "array", "items": codec()},
        "storage_transformers": {"type": "array", "items": storage_transformer()},
    }
    return {
        "type": "object",
        "properties": properties,
        "required": required(ArraySpec),
        "additionalProperties": False,
        "if": _OBJECT,
        "then": {"$ref": "#/$defs/fill-value"},
    }


def group(members: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a draft group, whose members match `members`."""
    return {
        "type": "object",
        "properties": {
            "attributes": _OBJECT,
            "members": {
                "type": "object",
                "propertyNames": {"pattern": DRAFT_NAME_PATTERN},
                "additionalProperties": members,
            },
        },
        "additionalProperties": False,
    }


def node(members: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a draft node: an array if it has members that only arrays have, else a group."""
    return apart(array(), group(members))


def apart(array: dict[str, Any], group: dict[str, Any]) -> dict[str, Any]:
    """Select the schema of a node by its kind."""
    # A document without its shape is an array with one fault, not a group with many.
    marks = {"properties": {"data_type": True, "chunk_grid": True}, "required": ["data_type", "chunk_grid"]}
    return {
        "if": {"type": "object", "anyOf": [{"properties": {"shape": True}, "required": ["shape"]}, marks]},
        "then": array,
        "else": group,
    }


def entry_point() -> dict[str, Any]:
    """Return the schema of the entry point of a draft hierarchy; other members are allowed."""
    plain = {
        "properties": {
            "type": {"const": "json", "type": "string"},
            "metadata_key_suffix": {"const": ".json", "type": "string"},
        },
        "required": ["type", "metadata_key_suffix"],
    }
    extended = {
        "properties": {**_TYPED["properties"], "metadata_key_suffix": {"type": "string"}},
        "required": [*_TYPED["required"], "metadata_key_suffix"],
    }
    encoding = {"type": "object", "if": _is("extension", True), "then": extended, "else": plain}  # type: ignore[arg-type]
    return {
        "type": "object",
        "properties": {
            "zarr_format": {"type": "string", "pattern": whole(_FORMAT)},
            "metadata_encoding": encoding,
            "extensions": _EXTENSIONS,
            "members": False,
        },
        "required": required(EntryPoint),
    }


def definitions() -> dict[str, Any]:
    """Return the definitions that draft schemas refer to."""
    return {"fill-value": fill_value()}
