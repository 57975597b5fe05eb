"""The flavour "codegen": schemas that type generators turn into precise types.

It has named definitions and unions with a constant tag, and no conditions, which type generators can't
use. It is closed where types must be: an extension has a registered name, a document has the members
of its specification. Use the validation flavour to find the faults of a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from zom.schema.codegen_draft import draft_types
from zom.schema.codegen_types import Schema, ref, type_name
from zom.schema.codegen_v2 import v2_types
from zom.schema.codegen_v3 import v3_types

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["codegen_schema"]

_FORMATS: Final[dict[str, Callable[[], dict[str, Schema]]]] = {
    "v2": v2_types,
    "v3": v3_types,
    "draft": draft_types,
}


def codegen_schema(name: str) -> tuple[str, Schema, dict[str, Schema]]:
    """Return the title, the root and the definitions of the schema called `name`.

    >>> title, root, definitions = codegen_schema("v3/node")
    >>> title, root["oneOf"][0], definitions["V3Group"]["properties"]["members"]["additionalProperties"]
    ('V3Node', {'$ref': '#/$defs/V3Array'}, {'$ref': '#'})
    """
    kind, _, rest = name.partition("/")
    if kind in _FORMATS:
        return _rooted(_FORMATS[kind](), type_name(kind, rest))
    if kind == "v2-codec":
        return _rooted(v2_types(), type_name("V2", rest, "codec"))
    definitions = dict(v3_types())
    title = type_name("V3", rest, kind)
    if kind == "data-type" and title not in definitions:
        return _rooted(*_plain_data_type(rest, definitions))
    if rest in definitions.get(type_name("V3", kind, "name"), {}).get("enum", ()):
        bare: Schema = {"const": rest, "type": "string"}
        definitions[f"{title}OrName"] = {"anyOf": [bare, ref(title)]}
        title = f"{title}OrName"
    return _rooted(definitions, title)


def _plain_data_type(name: str, definitions: Mapping[str, Schema]) -> tuple[dict[str, Schema], str]:
    """Define a data type without parameters, as a name or an object; return the definitions and its title."""
    raw = name == "r*"
    names = [
        each for each in definitions["V3DataTypeName"]["enum"] if each == name or (raw and _is_raw(each))
    ]
    tag: Schema = {"type": "string", **({"enum": names} if raw else {"const": name})}
    plain = definitions["V3PlainDataType"]
    title = type_name("V3", "raw bits" if raw else name, "data type")
    made = {**plain, "properties": {**plain["properties"], "name": tag}}
    both = {"anyOf": [tag, ref(f"{title}Object")]}
    return {**definitions, f"{title}Object": made, title: both}, title


def _is_raw(name: str) -> bool:
    return name[0] == "r" and name[1:].isdigit()


def _rooted(definitions: Mapping[str, Schema], title: str) -> tuple[str, Schema, dict[str, Schema]]:
    """Make the definition `title` the root, referred to as "#", and keep only the definitions it needs."""

    def moved(schema: Any) -> Any:
        if isinstance(schema, dict):
            members = cast("Schema", schema)
            if members.get("$ref") == f"#/$defs/{title}":
                return {"$ref": "#"}
            return {key: moved(value) for key, value in members.items()}
        return [moved(item) for item in cast("list[Any]", schema)] if isinstance(schema, list) else schema

    reached: dict[str, None] = {title: None}
    for name in (waiting := [title]):
        for found in _references(definitions[name]):
            if found not in reached:
                reached[found] = None
                waiting.append(found)
    kept = {name: moved(schema) for name, schema in definitions.items() if name in reached and name != title}
    return title, moved(definitions[title]), kept


def _references(schema: Any) -> Iterable[str]:
    if isinstance(schema, dict):
        for key, value in cast("Schema", schema).items():
            if key == "$ref":
                yield value.rsplit("/", 1)[1]
            else:
                yield from _references(value)
    elif isinstance(schema, list):
        for item in cast("list[Any]", schema):
            yield from _references(item)
