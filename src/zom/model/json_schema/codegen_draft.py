"""The types of documents of the v3 draft, flavour "codegen"."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from zom.model.json_schema import node_draft
from zom.model.json_schema.codegen_types import ANY_VALUE, OBJECT, Schema, Types, members_of, record_of, ref
from zom.paths import DRAFT_NAME_PATTERN

__all__ = ["draft_types"]

_TYPED: Final[Schema] = {
    "properties": {"extension": {"type": "string", "minLength": 1}, "type": True},
    "required": ["extension", "type"],
}


@lru_cache(maxsize=1)
def draft_types() -> dict[str, Schema]:
    """Every type of the draft, by name.

    >>> draft_types()["DraftDataType"]
    {'anyOf': [{'type': 'string'}, {'$ref': '#/$defs/DraftExtension'}]}
    """
    types = Types("Draft")
    array = node_draft.array()
    properties = array["properties"]
    extension = types.define("DraftExtension", {**types.record(_TYPED, ""), "additionalProperties": True})
    texts = {"type": "string"}
    grid = {
        "type": {"const": "regular", "type": "string"},
        "separator": {"enum": ["/", "."], "type": "string"},
    }
    lengths = {"type": "array", "items": {"type": "integer", "minimum": 0}}
    regular = record_of({**grid, "chunk_shape": lengths}, ["type", "separator", "chunk_shape"])
    layouts = {"type": "string", "enum": ["C", "F"]}
    types.plain(
        {**array, "properties": {**properties, "data_type": texts, "chunk_grid": texts}}, "DraftArray"
    )
    types.made["DraftArray"]["properties"] |= {
        "data_type": types.define("DraftDataType", {"anyOf": [texts, extension]}),
        "chunk_grid": {"anyOf": [types.define("DraftRegularChunkGrid", regular), extension]},
        "chunk_memory_layout": {"anyOf": [layouts, extension]},
        "fill_value": types.define("DraftFillValue", {"anyOf": [*ANY_VALUE, {"type": "null"}]}),
    }
    group: Schema = {"attributes": OBJECT, "members": members_of(DRAFT_NAME_PATTERN, "DraftNode")}
    types.define("DraftGroup", record_of(group, (), "A group of the Zarr v3 draft, with its members."))
    types.define("DraftNode", {"anyOf": [ref("DraftArray"), ref("DraftGroup")]})
    entry = node_draft.entry_point()
    suffix = {"metadata_key_suffix": {"type": "string"}}
    plain = record_of(
        {"type": {"const": "json", "type": "string"}, **suffix}, ["type", "metadata_key_suffix"]
    )
    extended = types.record(_TYPED, "")
    extended["properties"] |= suffix
    extended["required"].append("metadata_key_suffix")
    encodings = [types.define("DraftJsonEncoding", plain), types.define("DraftExtensionEncoding", extended)]
    types.plain(
        {**entry, "properties": {**entry["properties"], "metadata_encoding": texts}}, "DraftEntryPoint"
    )
    types.made["DraftEntryPoint"]["properties"]["metadata_encoding"] = {"anyOf": encodings}
    return types.made
