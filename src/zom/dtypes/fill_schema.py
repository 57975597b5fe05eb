"""JSON Schemas of fill values: parts shared by several data types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.extension.notation import NOTATIONS

if TYPE_CHECKING:
    from zom.extension.datatype import Format

__all__ = ["by_text", "or_null", "text_schema"]


def or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Extend `schema` to allow null.

    >>> or_null({"type": "integer"})
    {'type': ['integer', 'null']}
    """
    if set(schema) == {"if", "then", "else"}:
        return {**schema, "else": or_null(schema["else"])}
    if "enum" in schema:
        return {**schema, "enum": [*schema["enum"], None]}
    return {**schema, "type": [schema["type"], "null"]}


def text_schema(form: Format) -> dict[str, Any]:
    """Return a JSON Schema for text, and for null if `form` allows it.

    >>> text_schema("v2")
    {'type': ['string', 'null']}
    """
    schema: dict[str, Any] = {"type": "string"}
    return or_null(schema) if NOTATIONS[form].null else schema


def by_text(texts: dict[str, Any], others: dict[str, Any]) -> dict[str, Any]:
    """Join the schemas of texts and of other values so that each fault is reported once.

    >>> by_text({"type": "string"}, {"type": "number"})["else"]
    {'type': 'number'}
    """
    if others.get("type") == "string":
        inner = f"{texts['pattern']}|{others['pattern']}" if "pattern" in others else None
        return {"type": "string", "pattern": inner} if inner else others
    if "if" in others:
        return {**others, "then": by_text(texts, others["then"])}
    return {"if": {"type": "string"}, "then": texts, "else": others}
