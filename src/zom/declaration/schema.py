"""The JSON Schema of declarations, for editors: it knows the words and their forms, and lets expressions stand anywhere.

What only the compiler can tell, such as whether a dimension has a size, is not in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.declaration.words import ARRAY, DEFAULTS, GROUP, HOLE, ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.declaration.words import Word

__all__ = ["ID", "declaration_schema"]

ID: Final = "urn:zom:schema:v1:declaration:validation:2020-12"


def _with(name: str) -> dict[str, Any]:
    """That a member is there, in words that validators take at their strictest."""
    return {"required": [name], "properties": {name: True}}


_DOCUMENT: Final[dict[str, Any]] = {
    "description": "A document of Zarr, as it stands.",
    "anyOf": [_with("zarr_format"), _with("node_type")],
}


def declaration_schema() -> dict[str, Any]:
    """The schema, draft 2020-12.

    >>> declaration_schema()["properties"]["format"]["anyOf"][0]
    {'enum': [2, 3, 'draft']}
    """
    root = {**_properties(ROOT), **_properties(ARRAY), **_properties(GROUP)}
    del root["for"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ID,
        "title": "A declaration of a Zarr hierarchy",
        "type": "object",
        "required": ["zom"],
        "properties": {**root, "zom": {"const": 1, "description": ROOT["zom"].text}},
        "additionalProperties": False,
        "$defs": {
            "node": {
                "type": "object",
                "if": _DOCUMENT,
                "then": True,
                "else": {
                    "if": {"anyOf": [_with(name) for name in sorted(ARRAY.keys() - GROUP.keys())]},
                    "then": {"$ref": "#/$defs/array"},
                    "else": {"$ref": "#/$defs/group"},
                },
            },
            "array": {
                "description": "An array.",
                "type": "object",
                "properties": _properties(ARRAY),
                "additionalProperties": False,
            },
            "group": {
                "description": "A group.",
                "type": "object",
                "properties": _properties(GROUP),
                "additionalProperties": False,
            },
            "defaults": {
                "type": "object",
                "properties": _properties({name: ARRAY[name] for name in sorted(DEFAULTS)}),
                "additionalProperties": False,
            },
            "range": {
                "type": "object",
                "minProperties": 1,
                "properties": {
                    name: {"anyOf": [{"type": "number"}, HOLE]} for name in ("start", "stop", "step")
                },
                "additionalProperties": False,
            },
        },
    }


def _properties(words: Mapping[str, Word]) -> dict[str, Any]:
    return {name: _property(word) for name, word in words.items()}


def _property(word: Word) -> dict[str, Any]:
    if not word.schema:
        return {"description": word.text}
    return {"description": word.text, "anyOf": [dict(word.schema), HOLE]}
