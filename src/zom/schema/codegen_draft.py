"""The types of documents of the v3 draft, flavour "codegen"."""

from __future__ import annotations

from typing import Final

from zom.extension.memo import until_registered
from zom.paths import DRAFT_NAME_PATTERN
from zom.schema import node_draft
from zom.schema.codegen_types import ANY_VALUE, OBJECT, Schema, Types, members_of, record_of, ref

__all__ = ["draft_types"]

_TYPED: Final[Schema] = {
    "properties": {"extension": {"type": "string", "minLength": 1}, "type": True},
    "required": ["extension", "type"],
}
_TEXT: Final[Schema] = {"type": "string"}
_LENGTHS: Final[Schema] = {"type": "array", "items": {"type": "integer", "minimum": 0}}
_REGULAR: Final = record_of(
    {
        "type": {"const": "regular", "type": "string"},
        "separator": {"enum": ["/", "."], "type": "string"},
        "chunk_shape": _LENGTHS,
    },
    ["type", "separator", "chunk_shape"],
)
_ITEMS: Final = {
    "extensions": "DraftArrayExtension",
    "codecs": "DraftCodec",
    "storage_transformers": "DraftStorageTransformer",
}
"""The lists of an array, and the type names of their items."""


@until_registered
def draft_types() -> dict[str, Schema]:
    """Return all types of the draft, by name.

    >>> draft_types()["DraftDataType"]
    {'anyOf': [{'type': 'string'}, {'$ref': '#/$defs/DraftExtension'}]}
    """
    types = Types("Draft")
    extension = types.define("DraftExtension", {**types.record(_TYPED, ""), "additionalProperties": True})
    types.define("DraftDataType", {"anyOf": [_TEXT, extension]})
    types.define("DraftRegularChunkGrid", _REGULAR)
    types.define("DraftFillValue", {"anyOf": [*ANY_VALUE, {"type": "null"}]})
    for name, schema in node_draft.array()["properties"].items():
        if name in _ITEMS:
            types.plain(_configured(schema["items"]), _ITEMS[name])
    _array(types)
    group: Schema = {"attributes": OBJECT, "members": members_of(DRAFT_NAME_PATTERN, "DraftNode")}
    types.define("DraftGroup", record_of(group, (), "A group of the Zarr v3 draft, with its members."))
    types.define("DraftNode", {"anyOf": [ref("DraftArray"), ref("DraftGroup")]})
    _entry_point(types)
    return types.made


def _configured(item: Schema) -> Schema:
    """Return `item` with an object as configuration; validators require that of unknown items."""
    properties = item["properties"]
    given = {name: {"type": "object"} for name in properties if name == "configuration"}
    return {**item, "properties": {**properties, **given}}


def _array(types: Types) -> None:
    array: Schema = {
        "shape": _LENGTHS,
        "data_type": ref("DraftDataType"),
        "chunk_grid": {"anyOf": [ref("DraftRegularChunkGrid"), ref("DraftExtension")]},
        "chunk_memory_layout": {"anyOf": [{"type": "string", "enum": ["C", "F"]}, ref("DraftExtension")]},
        "fill_value": ref("DraftFillValue"),
        "extensions": {"type": "array", "items": ref(_ITEMS["extensions"])},
        "attributes": OBJECT,
        "codecs": {"type": "array", "items": ref(_ITEMS["codecs"])},
        "storage_transformers": {"type": "array", "items": ref(_ITEMS["storage_transformers"])},
    }
    required = node_draft.array()["required"]
    types.define("DraftArray", record_of(array, required, "An array of the Zarr v3 draft."))


def _entry_point(types: Types) -> None:
    suffix: Schema = {"metadata_key_suffix": _TEXT}
    tagged: Schema = {"type": {"const": "json", "type": "string"}, **suffix}
    extended = types.record(_TYPED, "")
    extended["properties"] |= suffix
    extended["required"].append("metadata_key_suffix")
    encodings = [
        types.define("DraftJsonEncoding", record_of(tagged, ["type", "metadata_key_suffix"])),
        types.define("DraftExtensionEncoding", extended),
    ]
    entry: Schema = {
        "zarr_format": _TEXT,
        "metadata_encoding": {"anyOf": encodings},
        "extensions": {"type": "array", "items": ref(_ITEMS["extensions"])},
    }
    made = record_of(entry, list(entry), "The entry point of a hierarchy of the Zarr v3 draft.")
    types.define("DraftEntryPoint", {**made, "additionalProperties": True})
