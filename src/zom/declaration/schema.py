"""The JSON Schema of declarations, for editors: the words and their forms, with expressions allowed anywhere.

It omits checks that only the compiler can do, such as whether a dimension has a size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.declaration.words import ARRAY, DEFAULTS, DOCUMENT, DOCUMENT_MARKS, GROUP, HOLE, ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.declaration.words import Word

__all__ = ["ID", "declaration_schema"]

ID: Final = "urn:zom:schema:v1:declaration:validation:2020-12"


def _with(name: str) -> dict[str, Any]:
    """Require a member, in a form that passes validators in strict mode."""
    return {"required": [name], "properties": {name: True}}


_MARKED: Final[dict[str, Any]] = {
    "description": "A document of Zarr, unchanged.",
    "anyOf": [_with(name) for name in DOCUMENT_MARKS],
}

_DOCUMENT: Final = {"document": DOCUMENT}
_RANGE: Final[Mapping[str, str]] = {
    "start": "The first value: a number, or a date.",
    "stop": "The last value, which is included: a number, or a date.",
    "step": 'The distance between values: a number, or for dates such as "1 day".',
}


def declaration_schema() -> dict[str, Any]:
    """Return the schema, draft 2020-12.

    >>> declaration_schema()["properties"]["format"]["anyOf"][0]
    {'title': 'format: name', 'enum': [2, 3, 'draft']}
    """
    root = {**_properties(ROOT), **_properties(ARRAY), **_properties(GROUP), **_properties(_DOCUMENT)}
    del root["for"]
    version = {"title": "zom", "description": ROOT["zom"].text, "const": 1}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ID,
        "title": "A declaration of a Zarr hierarchy",
        "type": "object",
        "required": ["zom"],
        "properties": {**root, "zom": version},
        "if": _MARKED,
        "then": True,
        "else": {"properties": dict.fromkeys((*root, "zom"), True), "additionalProperties": False},
        "$defs": {
            "node": {
                "type": "object",
                "if": {"anyOf": [_MARKED, _with("document")]},
                "then": {"$ref": "#/$defs/document"},
                "else": {
                    "if": {"anyOf": [_with(name) for name in sorted(ARRAY.keys() - GROUP.keys())]},
                    "then": {"$ref": "#/$defs/array"},
                    "else": {
                        "if": {"anyOf": [_with(name) for name in sorted(GROUP.keys() - ARRAY.keys())]},
                        "then": {"$ref": "#/$defs/group"},
                        "else": {"$ref": "#/$defs/either"},
                    },
                },
            },
            "document": {
                "type": "object",
                "if": _with("document"),
                "then": {
                    "properties": {**_properties(_DOCUMENT), "for": _property("for", GROUP["for"])},
                    "additionalProperties": False,
                },
                "else": _MARKED,
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
            "either": {
                "description": "An array or a group, depending on its words.",
                "type": "object",
                "properties": {**_properties(ARRAY), **_properties(GROUP)},
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
                    name: {
                        "title": name,
                        "description": text,
                        "anyOf": [_titled(name, {"type": each}) for each in ("number", "string")],
                    }
                    for name, text in _RANGE.items()
                },
                "additionalProperties": False,
            },
        },
    }


def _properties(words: Mapping[str, Word]) -> dict[str, Any]:
    return {name: _property(name, word) for name, word in words.items()}


def _property(name: str, word: Word) -> dict[str, Any]:
    said = {"title": name, "description": word.text}
    if not word.schema:
        return said
    return {**said, "anyOf": [_titled(name, form) for form in (*_forms(word.schema), HOLE)]}


def _forms(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the alternatives of a schema, with nested ones flattened."""
    if list(schema) != ["anyOf"]:
        return [schema]
    return [form for each in schema["anyOf"] for form in _forms(each)]


def _titled(name: str, form: Mapping[str, Any]) -> dict[str, Any]:
    """Give an alternative a title; without one, editors repeat the root's title for each alternative."""
    kind = "expression" if form is HOLE else form.get("type", "name" if "enum" in form else "form")
    return {"title": f"{name}: {kind}", **form}
