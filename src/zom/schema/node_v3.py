"""v3 nodes as JSON Schema, in the flavour "validation": `node_type` selects the rest.

A validator written in Python spends some microseconds on each subschema it enters. Members are therefore
tested for the usual array first, as one condition without branches: if it holds, no other check is needed.
"""

from __future__ import annotations

from typing import Any

from zom.extension.field import required
from zom.formats.v3 import ArraySpec, GroupSpec
from zom.json.python_value import is_dict, is_list
from zom.paths import V3_NAME_PATTERN
from zom.schema import extension_schema as extensions
from zom.schema.configuration_schema import resolved
from zom.schema.fill_schema import common_fill, inline_fill, usual_fill, v3_fill
from zom.schema.spec_fields import field_schema

__all__ = ["apart", "array", "definitions", "group", "node"]

_IGNORABLE: dict[str, Any] = {
    "type": "object",
    "properties": {"must_understand": {"const": False, "type": "boolean"}},
    "required": ["must_understand"],
}
_CONSOLIDATED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "kind": {"const": "inline", "type": "string"},
        "must_understand": {"const": False, "type": "boolean"},
        "metadata": {"type": "object", "additionalProperties": {"type": "object"}},
    },
    "required": ["kind", "must_understand", "metadata"],
}
_NAMES: dict[str, Any] = {"type": "array", "items": {"type": ["string", "null"]}}
_OBJECT: dict[str, Any] = {"type": "object"}


def parts(name: str) -> dict[str, Any]:
    """Return the schema of a marked part of a configuration."""
    return {"$ref": f"#/$defs/{name}"}


def usual_array(fill: dict[str, Any], codec: dict[str, Any]) -> dict[str, Any]:
    """Return a condition for most arrays: known names, plain fill value and codecs."""
    condition: dict[str, Any] = {
        **fill,
        "properties": {
            "node_type": field_schema(ArraySpec, "node_type"),
            "zarr_format": field_schema(ArraySpec, "zarr_format"),
            "shape": field_schema(ArraySpec, "shape"),
            "chunk_grid": extensions.usual_chunk_grid(),
            "chunk_key_encoding": {"enum": extensions.usual_chunk_key_encodings()},
            "codecs": {**field_schema(ArraySpec, "codecs"), "items": codec},
            "attributes": _OBJECT,
            "dimension_names": _NAMES,
            # zarr-python writes an empty list into every array.
            "storage_transformers": {"const": [], "type": "array"},
            "data_type": True,
            "fill_value": True,
        },
        "required": required(ArraySpec),
        "additionalProperties": False,
    }
    made: dict[str, Any] = lean(condition)
    return made


def _member(members: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a group's member: the most usual arrays first, then common ones, then any."""
    usual = usual_array(usual_fill(), extensions.usual_codec())
    common = usual_array(common_fill(), extensions.common_codec())
    return {"type": "object", "if": usual, "else": {"if": common, "else": members}}


def lean(schema: Any) -> Any:
    """Remove from `schema` what a condition doesn't need: types next to constants, and defaults.

    >>> lean({"properties": {"level": {"const": 3, "type": "integer"}}})
    {'properties': {'level': {'const': 3}}}
    """
    if is_list(schema):
        return [lean(item) for item in schema]
    if not is_dict(schema):
        return schema
    for name in ("const", "enum"):
        if name in schema:
            return {name: schema[name]}
    return {name: lean(value) for name, value in schema.items() if name != "default"}


def array(*, known: bool = False) -> dict[str, Any]:
    """Return the schema of a v3 array; pass `known` if its node_type is already checked."""
    properties: dict[str, Any] = {
        "zarr_format": field_schema(ArraySpec, "zarr_format"),
        "node_type": True if known else field_schema(ArraySpec, "node_type"),
        "shape": field_schema(ArraySpec, "shape"),
        "data_type": extensions.inline_data_type(),
        "chunk_grid": extensions.chunk_grid(),
        "chunk_key_encoding": extensions.chunk_key_encoding(),
        "fill_value": True,
        "codecs": {**field_schema(ArraySpec, "codecs"), "items": extensions.inline_codec()},
        "attributes": _OBJECT,
        "storage_transformers": {"type": "array", "items": parts("storage-transformer")},
        "dimension_names": _NAMES,
        "members": False,
    }
    return {
        "type": "object",
        "properties": properties,
        "required": required(ArraySpec),
        "additionalProperties": _IGNORABLE,
        **inline_fill(),
    }


def group(members: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a v3 group, whose members match `members`."""
    return {
        "type": "object",
        "properties": {
            "zarr_format": field_schema(GroupSpec, "zarr_format"),
            "node_type": field_schema(GroupSpec, "node_type"),
            "attributes": _OBJECT,
            "members": {
                "type": "object",
                "propertyNames": {"pattern": V3_NAME_PATTERN},
                "additionalProperties": _member(members),
            },
            "consolidated_metadata": _CONSOLIDATED,
        },
        "required": required(GroupSpec),
        "additionalProperties": _IGNORABLE,
    }


def node(members: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a v3 node: an array or a group, by its node_type."""
    return apart(array(known=True), group(members))


def apart(array: dict[str, Any], group: dict[str, Any]) -> dict[str, Any]:
    """Select the schema of a node by its kind; without a valid kind, nothing else is checked."""

    def says(kind: str) -> dict[str, Any]:
        return {"type": "object", "properties": {"node_type": {"const": kind}}, "required": ["node_type"]}

    kinds = {"node_type": {"enum": ["array", "group"]}}
    neither: dict[str, Any] = {"type": "object", "properties": kinds, "required": ["node_type"]}
    return {
        "if": says("array"),
        "then": array,
        "else": {"if": says("group"), "then": group, "else": neither},
    }


def definitions() -> dict[str, Any]:
    """Return the definitions that v3 schemas refer to."""
    codec = {"$ref": "#/$defs/codec"}
    return {
        "storage-transformer": extensions.storage_transformer(),
        "codec": resolved(extensions.codec(), parts),
        "codecs": {"type": "array", "minItems": 1, "items": codec},
        "data-type": resolved(extensions.data_type(), parts),
        "field-pair": extensions.field_pair(),
        "fill-value": v3_fill(),
    }
