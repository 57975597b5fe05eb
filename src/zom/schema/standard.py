"""The published schemas by name: nodes of each format, and every registered extension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from zom.extension.codec import codecs, v2_codecs
from zom.extension.datatype import data_types
from zom.extension.grid import chunk_grids
from zom.extension.keys import chunk_key_encodings
from zom.extension.memo import until_registered
from zom.extension.patterns import whole
from zom.extension.registry import unknown_name
from zom.json.python_value import is_dict, is_list
from zom.schema import extension_schema as extensions
from zom.schema import node_draft, node_v2, node_v3
from zom.schema.codegen import codegen_schema
from zom.schema.configuration_schema import configuration_schema, resolved, summary
from zom.schema.source import sources

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.extension.configuration import Configuration

__all__ = ["MODULES", "SchemaPart", "node_part", "part_named", "schema_names", "typed_part"]


class SchemaPart(NamedTuple):
    """A schema without an identity: the root, and the definitions it refers to."""

    name: str
    title: str
    description: str
    root: dict[str, Any]
    definitions: dict[str, Any]


_SELF: Final[dict[str, Any]] = {"$ref": "#"}
_NODE: Final[dict[str, Any]] = {"$ref": "#/$defs/node"}
_WORDS: Final = {"v2": "Zarr v2", "v3": "Zarr v3", "draft": "Zarr v3 draft"}
MODULES: Final[dict[str, Any]] = {"v2": node_v2, "v3": node_v3, "draft": node_draft}
"""The module of each format's validation flavour."""


def node_part(form: str, kind: str) -> SchemaPart:
    """Return the schema of a node, array, group or entry point of a format.

    >>> node_part("v3", "array").title
    'Zarr v3 array'
    """
    module = MODULES[form]
    words = f"{_WORDS[form]} {kind.replace('-', ' ')}"
    definitions: dict[str, Any] = module.definitions()
    makers: dict[str, Callable[[], dict[str, Any]]] = {
        "node": lambda: module.node(_SELF),
        "array": module.array,
        "group": lambda: module.group(_NODE),
        "entry-point": node_draft.entry_point,
    }
    root = makers[kind]()
    if kind == "node":
        _set_apart(module, root, definitions)
    if kind == "group":
        members = module.node(_NODE)
        _set_apart(module, members, definitions)
        definitions = {"node": members, **definitions}
    if kind == "entry-point":
        definitions = {}
    described = {
        "node": f"A {_WORDS[form]} hierarchy: an array, or a group with its members.",
        "array": f"The document of a {_WORDS[form]} array.",
        "group": f"The document of a {_WORDS[form]} group, with its members.",
        "entry-point": f"The entry point of a {_WORDS[form]} hierarchy.",
    }
    return SchemaPart(f"{form}/{kind}", words, described[kind], root, definitions)


def _set_apart(module: Any, node: dict[str, Any], definitions: dict[str, Any]) -> None:
    """Move the schema of arrays into the definitions.

    ajv compiles recursive schemas to functions; with arrays inlined, its stack would allow at most 30 nested
    groups.
    """
    definitions["array"], node["then"] = module.array(), {"$ref": "#/$defs/array"}


def _extension(
    kind: str, name: str, known: Any, model: type[Configuration], must: dict[str, Any]
) -> SchemaPart:
    fits = resolved(configuration_schema(model), node_v3.parts)
    root = extensions.called(name, extensions.definition(fits, must, needed=extensions.needs(model)))
    about = summary(cast("object", known)) or f"The {name} {kind.replace('-', ' ')}."
    definitions = node_v3.definitions() if _refers(fits) else {}
    title = f"{name} {kind.replace('-', ' ')}"
    bare = {"const": name, "type": "string"}
    whole_root = root if extensions.needs(model) else {"if": {"type": "string"}, "then": bare, "else": root}
    return SchemaPart(f"{kind}/{name}", title, about, whole_root, definitions)


def _refers(schema: object) -> bool:
    if is_dict(schema):
        return "$ref" in schema or any(map(_refers, schema.values()))
    return is_list(schema) and any(map(_refers, schema))


def _codec(name: str) -> SchemaPart:
    each = codecs[name]
    return _extension("codec", each.name, type(each), each.configuration, extensions.BOOLEAN)


def _v2_codec(name: str) -> SchemaPart:
    named = {"properties": {"id": {"const": name, "type": "string"}}}
    made = node_v2.with_id(name)
    root = {**made, "properties": {**made["properties"], **named["properties"]}}
    about = summary(v2_codecs()[name].v2_configuration) or f"The v2 codec {name}."
    definitions = node_v2.definitions() if _refers(root) else {}
    return SchemaPart(f"v2-codec/{name}", f"{name} v2 codec", about, root, definitions)


def _chunk_grid(name: str) -> SchemaPart:
    each = chunk_grids[name]
    return _extension("chunk-grid", each.name, type(each), each.configuration, extensions.TRUE)


def _chunk_key_encoding(name: str) -> SchemaPart:
    each = chunk_key_encodings[name]
    return _extension("chunk-key-encoding", each.name, type(each), each.configuration, extensions.TRUE)


def _data_type(name: str) -> SchemaPart:
    family = data_types[name]
    if family.name_patterns is None:
        return _extension("data-type", family.name, type(family), family.configuration, extensions.TRUE)
    text = {"type": "string", "pattern": whole(family.name_patterns[1])}
    about = summary(type(family)) or f"The {name} data types."
    return SchemaPart(f"data-type/{name}", f"{name} data type", about, text, {})


_NODES: Final = tuple(
    f"{form}/{kind}" for form in ("v2", "v3", "draft") for kind in ("node", "array", "group")
)
_KINDS: Final[dict[str, Callable[[str], SchemaPart]]] = {
    "codec": _codec,
    "v2-codec": _v2_codec,
    "data-type": _data_type,
    "chunk-grid": _chunk_grid,
    "chunk-key-encoding": _chunk_key_encoding,
}


def schema_names() -> list[str]:
    """Return the names for `json_schema`: nodes of each format, registered extensions and conventions.

    >>> schema_names()[:3], "codec/gzip" in schema_names(), "convention/xarray" in schema_names()
    (['v2/node', 'v2/array', 'v2/group'], True, True)
    """
    plain, configured, patterned = extensions.known_families()
    types = {family.name for family in (*plain.values(), *configured.values(), *patterned)}
    return [
        *_NODES,
        "draft/entry-point",
        *(f"codec/{name}" for name in sorted(each.name for each in codecs)),
        *(f"v2-codec/{name}" for name in sorted(v2_codecs())),
        *(f"data-type/{name}" for name in sorted(types)),
        *(f"chunk-grid/{name}" for name in sorted(each.name for each in chunk_grids)),
        *(f"chunk-key-encoding/{name}" for name in sorted(each.name for each in chunk_key_encodings)),
        *(f"{source.name}/{name}" for source in sources for name in source.names()),
    ]


@until_registered
def part_named(name: str) -> SchemaPart:
    """Return the schema called `name`; raise UnknownName if there is none.

    >>> part_named("codec/gzip").title
    'gzip codec'
    """
    kind, _, rest = name.partition("/")
    if name in _NODES or name == "draft/entry-point":
        return node_part(kind, rest)
    if name not in schema_names():
        raise unknown_name(f"no schema is named {name!r}", name, schema_names())
    return _KINDS[kind](rest)


@until_registered
def typed_part(name: str) -> SchemaPart:
    """Return the schema called `name` in the flavour "codegen".

    >>> typed_part("v3/node").title
    'V3Node'
    """
    title, root, definitions = codegen_schema(name)
    return SchemaPart(name, title, part_named(name).description, root, definitions)
