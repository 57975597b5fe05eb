"""Conventions as JSON Schema: the form of one node's document, with the rules as data.

The form comes from the models of attributes. `x-zom-rules` holds every rule with its named check, and
`x-zom-convention` says what the convention is and where it applies. docs/conventions-rules.md explains to
programs in other languages how to run them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.conventions.framework.expression import listed
from zom.conventions.framework.schema_union import discerning
from zom.dataclass import dataclass
from zom.json.python_value import is_dict, is_list
from zom.schema.annotation import annotation_schema
from zom.schema.codegen_types import type_name
from zom.schema.standard import SchemaPart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.conventions.framework.attributes import Attributes
    from zom.conventions.framework.convention import Convention, Kind
    from zom.schema.loss import Loss

__all__ = ["CONVENTION", "RULES", "ConventionSchema", "identity"]

Schema = dict[str, Any]

RULES: Final = "x-zom-rules"
"""The keyword that holds the rules."""

CONVENTION: Final = "x-zom-convention"
"""The keyword that says what the convention is, and where it applies."""

_IS_ARRAY: Final[Schema] = {
    "properties": {"node_type": {"const": "array", "type": "string"}, "shape": True},
    "required": ["shape"],
}
"""The condition that distinguishes arrays from groups in documents of every format."""


@dataclass(frozen=True)
class ConventionSchema:
    """The schema of a convention: for any node that has it, or for one kind of node.

    >>> from zom.conventions import Attributes, Convention
    >>> class Licence(Attributes):
    ...     licence: str
    >>> part, losses = ConventionSchema(Convention("licence", attributes=Licence)).schema_part("validation")
    >>> part.root["properties"]["attributes"]["required"]
    ['licence']
    """

    convention: Convention
    kind: Kind | None = None

    def schema_part(self, flavour: str) -> tuple[SchemaPart, list[Loss]]:
        """The schema before it gets an identity, and what it can't express of the models."""
        convention = self.convention
        losses: list[Loss] = []
        name = f"convention/{convention.name}" + ("" if self.kind is None else f"/{self.kind}")
        shown = _title(convention)
        about = f"The document of a node that follows {shown}" + (
            f", {convention.link}" if convention.link else ""
        )
        if flavour == "codegen":
            title = type_name(convention.id, convention.version or "", self.kind or "node")
            made = _Types(type_name(convention.id, convention.version or ""))
            root = made.node(self.models(), losses)
            return SchemaPart(name, title, about, root, made.definitions), losses
        definitions: Schema = {}
        root = {
            CONVENTION: identity(convention),
            **self.node(definitions, losses),
            RULES: [
                each
                for each in listed(convention)
                if self.kind is None or each.get("on") in {None, self.kind}
            ],
        }
        return SchemaPart(
            name, shown if self.kind is None else f"{shown} {self.kind}", about, root, definitions
        ), losses

    def node(self, definitions: Schema, losses: list[Loss]) -> Schema:
        """The schema of a node's document: the same for groups and arrays, or depending on the kind."""
        models = self.models()
        parts = {
            model: _of_attributes(model, definitions, losses) for model in dict.fromkeys(models.values())
        }
        made = {kind: parts[model] for kind, model in models.items()}
        kinds = self.convention.on if self.kind is None else (self.kind,)
        each = [made.get(kind) for kind in kinds]
        if all(schema == each[0] for schema in each):
            return {"type": "object", **(each[0] or {})}
        branches = {"then": made.get("array"), "else": made.get("group")}
        told = {name: schema for name, schema in branches.items() if schema is not None}
        return {"type": "object", "if": _IS_ARRAY, **told}

    def models(self) -> Mapping[str, type[Attributes]]:
        """The models by kind, limited to `kind` if given."""
        models = self.convention.models
        return (
            models
            if self.kind is None
            else {kind: each for kind, each in models.items() if kind == self.kind}
        )


def identity(convention: Convention) -> Schema:
    """The identity of the convention and where it applies, as plain JSON without missing facts.

    >>> from zom.conventions import conventions
    >>> identity(conventions["xarray"])["formats"]
    ['v2', 'v3']
    """
    facts: Schema = {
        "id": convention.id,
        "version": convention.version,
        "title": convention.title,
        "link": convention.link,
        "uuid": convention.uuid,
        "aliases": list(convention.aliases),
        "dead_aliases": list(convention.dead_aliases),
        "owns": list(convention.owns),
        "foreign": list(convention.foreign),
        "on": list(convention.on),
        "formats": list(convention.formats),
        "found_by": _found_by(convention),
        "signs": [list(conditions) for conditions in convention.signs],
        "everywhere": convention.everywhere or None,
        "version_at": list(convention.version_at),
        "assumed": convention.assumed or None,
        "declared": convention.declared or None,
        "inherit": convention.inherit,
        "parts": list(convention.parts),
        "refines": list(convention.refines),
    }
    return {name: value for name, value in facts.items() if value not in (None, [])}


def _found_by(convention: Convention) -> str:
    if convention.detect is not None:
        return "function"
    return "signs" if convention.signs else "keys"


def _title(convention: Convention) -> str:
    title, version = convention.title or convention.id, convention.version
    return title if version is None or version in title else f"{title} {version}"


# --- validation ------------------------------------------------------------------------------------------


def _of_attributes(model: type[Attributes], definitions: Schema, losses: list[Loss]) -> Schema:
    """The schema of the part of a document that the model covers."""
    found = annotation_schema(model, model.__name__, model.__name__, definitions, losses)
    plain = {name: _plain(schema) for name, schema in definitions.items()}
    definitions.update({name: discerning(schema, plain) for name, schema in plain.items()})
    made = discerning(_plain(found), plain)
    if model.key is not None:
        made = {"type": "object", "properties": {model.key: made}}
    needed = ["attributes"] if made.get("required") else []
    node: Schema = {"properties": {"attributes": made}}
    return {**node, "required": needed} if needed else node


def _plain(schema: Any, *, is_members: bool = False) -> Any:
    """`schema` without redundant parts: titles, x-words, empty defaults, `additionalProperties: true`."""
    if is_list(schema):
        return [_plain(item) for item in schema]
    if not is_dict(schema):
        return schema
    if is_members:
        return {name: _plain(item) for name, item in schema.items()}
    made: Schema = {}
    for name, value in schema.items():
        if name in {"title", "x-words"} or (name == "additionalProperties" and value is True):
            continue
        if name == "default" and (value is None or value in ([], "", {})):
            continue
        if name == "pattern" and value.endswith("$"):
            made[name] = f"{value[:-1]}(?!\\n)$"  # in Python, "$" also matches before a final newline
            continue
        kept = name in {"const", "enum", "default", "required"}
        made[name] = value if kept else _plain(value, is_members=name in {"properties", "$defs"})
    return _nullable(made) if "anyOf" in made else made


def _nullable(schema: Schema) -> Schema:
    """Write a type or null as a pair of types, so that one fault is one error."""
    options = [option for option in schema["anyOf"] if option != {"type": "null"}]
    if {"type": "number"} in options:
        options = [option for option in options if option != {"type": "integer"}]
    rest = {name: value for name, value in schema.items() if name != "anyOf"}
    if len(options) > 1:
        return schema
    (only,) = options
    if {"type": "null"} not in schema["anyOf"]:
        return {**only, **rest}
    if isinstance(only.get("type"), str) and not {"const", "enum", "anyOf"} & only.keys():
        return {**only, **rest, "type": [only["type"], "null"]}
    return schema


# --- codegen ---------------------------------------------------------------------------------------------

_KEPT: Final = frozenset(
    {
        "type",
        "const",
        "enum",
        "description",
        "required",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "minItems",
        "maxItems",
        "minLength",
    }
)


_NODE: Final[Schema] = {"type": "object", "additionalProperties": True}
"""A document without constraints."""


class _Types:
    """The definitions of types while they are built."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.definitions: Schema = {}

    def node(self, models: Mapping[str, type[Attributes]], losses: list[Loss]) -> Schema:
        """The type of the documents of all kinds of nodes."""
        nodes = dict.fromkeys(models.values(), _NODE)
        for kind, model in models.items():
            if nodes[model] is _NODE:
                nodes[model] = self.attributes(model, kind if len(nodes) > 1 else "", losses)
        made = list(nodes.values())
        if len(made) < 2:
            return made[0] if made else _NODE
        options = [self._define(type_name(self.prefix, kind), nodes[model]) for kind, model in models.items()]
        return {"anyOf": options}

    def attributes(self, model: type[Attributes], kind: str, losses: list[Loss]) -> Schema:
        """The type of documents whose attributes the model speaks of."""
        found: Schema = {}
        root = annotation_schema(model, model.__name__, model.__name__, found, losses)
        for name, schema in found.items():
            self.definitions[self._named(name)] = self.typed(_plain(schema))
        made = self.typed(_plain(root))
        if model.key is not None:
            made = _record({model.key: self._define(type_name(self.prefix, kind, model.key), made)}, [])
        needed = ["attributes"] if made["required"] else []
        name = type_name(self.prefix, kind, "attributes")
        return _record({"attributes": self._define(name, made)}, needed)

    def _define(self, name: str, schema: Schema) -> Schema:
        self.definitions[name] = schema
        return {"$ref": f"#/$defs/{name}"}

    def _named(self, name: str) -> str:
        return type_name(self.prefix, name.partition(".")[2])

    def typed(self, schema: Any) -> Schema:
        """`schema` in the form for generators: unions and named types, without conditions."""
        if not is_dict(schema):
            return {}
        for each in (schema, *schema.get("allOf", ())):
            if "$ref" in each:
                return {"$ref": f"#/$defs/{self._named(each['$ref'].removeprefix('#/$defs/'))}"}
        options = schema.get("anyOf") or schema.get("oneOf")
        if options:
            return {"anyOf": [self.typed(option) for option in options]}
        made: Schema = {name: value for name, value in schema.items() if name in _KEPT}
        if "array" in str(made.get("type")):
            made["items"] = self.typed(schema.get("items", {}))
            if "prefixItems" in schema:
                made["prefixItems"] = [self.typed(item) for item in schema["prefixItems"]]
                del made["items"]
        if "object" in str(made.get("type")):
            members = {name: self.typed(item) for name, item in schema.get("properties", {}).items()}
            rest = schema.get("additionalProperties", True)
            made |= {"properties": members} if members else {}
            made["additionalProperties"] = rest if isinstance(rest, bool) else self.typed(rest)
            made.setdefault("required", [])
        return made


def _record(members: Schema, required: list[str]) -> Schema:
    return {"type": "object", "properties": members, "required": required, "additionalProperties": True}
