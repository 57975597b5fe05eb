"""Convert a schema to draft-07: mechanical, since no more than five keywords differ.

`prefixItems` becomes a list of `items`, `$defs` becomes `definitions`, and a `$ref` with siblings
moves into `allOf`, since draft-07 ignores the siblings of `$ref`.
"""

from __future__ import annotations

from typing import Any, Final, cast

__all__ = ["DIALECTS", "SCHEMAS", "SCHEMAS_BY_NAME", "SCHEMA_LISTS", "draft07"]

DIALECTS: Final = {
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
    "draft-07": "http://json-schema.org/draft-07/schema#",
}
"""The `$schema` of each draft."""

SCHEMAS: Final = frozenset(
    {"if", "then", "else", "not", "contains", "items", "propertyNames", "additionalProperties"}
)
"""Keywords that hold a schema."""
SCHEMAS_BY_NAME: Final = frozenset({"properties", "patternProperties", "$defs"})
"""Keywords that hold schemas by name."""
SCHEMA_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
"""Keywords that hold lists of schemas."""


def draft07(schema: Any) -> Any:
    """Convert `schema` from 2020-12 to draft-07.

    >>> draft07({"prefixItems": [{"$ref": "#/$defs/x"}], "$defs": {"x": True}})
    {'items': [{'$ref': '#/definitions/x'}], 'definitions': {'x': True}}
    """
    if not isinstance(schema, dict):
        return schema
    given = cast("dict[str, Any]", schema)
    made: dict[str, Any] = {}
    for name, value in given.items():
        if name == "$schema":
            made[name] = DIALECTS["draft-07"]
        elif name == "$ref":
            made[name] = value.replace("#/$defs/", "#/definitions/")
        elif name == "items" and "prefixItems" in given:
            made["additionalItems"] = draft07(value)
        elif name in SCHEMAS:
            made[name] = draft07(value)
        elif name in SCHEMAS_BY_NAME:
            twins = {key: draft07(item) for key, item in value.items()}
            made["definitions" if name == "$defs" else name] = twins
        elif name in SCHEMA_LISTS:
            made["items" if name == "prefixItems" else name] = [draft07(item) for item in value]
        else:
            made[name] = value
    if "$ref" in made and len(made) > 1:
        made["allOf"] = [{"$ref": made.pop("$ref")}, *made.get("allOf", ())]
    return made
