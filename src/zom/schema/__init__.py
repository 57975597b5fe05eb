"""JSON Schema of everything that zom models, for other languages.

There is one source: configurations come from the pydantic models that check them, fill values from the
data types that read them, members from the fields of the specs. A schema describes the level "strict", as
far as JSON Schema can; `not_expressible` lists the rest.

The flavour "validation" discriminates, so that one fault is one error at its own path; "codegen"
consists of unions, which generators turn into types.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, overload

from zom.json.python_value import is_dict, is_list
from zom.model.spec import Spec
from zom.schema.draft07 import DIALECTS, draft07
from zom.schema.limits_of_schema import not_expressible
from zom.schema.loss import Loss
from zom.schema.redundancy import without_redundancy
from zom.schema.source import Described, sources
from zom.schema.spec_class import class_part
from zom.schema.standard import part_named, schema_names, typed_part
from zom.schema.template_schema import template_part
from zom.template.models import Template

if TYPE_CHECKING:
    from zom.schema.standard import SchemaPart

__all__ = ["Draft", "Flavour", "Loss", "json_schema", "not_expressible", "schema_id", "schema_names"]

Draft: TypeAlias = Literal["2020-12", "draft-07"]
"""A draft of JSON Schema."""

Flavour: TypeAlias = Literal["validation", "codegen"]
"""The use of a schema: for validators and editors, or for type generators."""


@overload
def json_schema(
    target: object,
    draft: Draft = "2020-12",
    flavour: Flavour = "validation",
    *,
    base_url: str | None = None,
    report: Literal[False] = False,
) -> dict[str, Any]: ...
@overload
def json_schema(
    target: object,
    draft: Draft = "2020-12",
    flavour: Flavour = "validation",
    *,
    base_url: str | None = None,
    report: Literal[True],
) -> tuple[dict[str, Any], list[Loss]]: ...
def json_schema(
    target: object,
    draft: Draft = "2020-12",
    flavour: Flavour = "validation",
    *,
    base_url: str | None = None,
    report: bool = False,
) -> dict[str, Any] | tuple[dict[str, Any], list[Loss]]:
    """Return the JSON Schema of `target`: a name of `schema_names()`, a spec class, a template, a convention.

    Its id is a `urn:`, or a URL under `base_url`. With `report`, the requirements of the class or template
    that the schema can't express are returned as a list; otherwise they are in "x-zom-not-expressed".

    >>> json_schema("codec/gzip")["$id"]
    'urn:zom:schema:v1:codec/gzip:validation:2020-12'
    >>> json_schema("v3/node")["else"]["then"]["required"][:2]
    ['zarr_format', 'node_type']
    """
    part, losses = _part(target, flavour)
    schema: dict[str, Any] = {
        "$schema": DIALECTS["2020-12"],
        "$id": schema_id(part.name, flavour, draft, base_url),
        "title": part.title,
        "description": part.description,
        **deepcopy({key: value for key, value in part.root.items() if key not in {"title", "description"}}),
    }
    definitions = used(part.root, part.definitions)
    if definitions:
        schema["$defs"] = deepcopy(definitions)
    if losses and not report:
        schema["x-zom-not-expressed"] = [loss._asdict() for loss in losses]
    if flavour == "validation":
        schema = without_redundancy(schema)
    made = draft07(schema) if draft == "draft-07" else schema
    return (made, losses) if report else made


def _part(target: object, flavour: Flavour) -> tuple[SchemaPart, list[Loss]]:
    if isinstance(target, str):
        source = sources.find(target.partition("/")[0])
        if source is not None and target in schema_names():
            return source.find(target.partition("/")[2]).schema_part(flavour)
        return (part_named(target) if flavour == "validation" else typed_part(target)), []
    if isinstance(target, type) and issubclass(target, Spec):
        return class_part(target, flavour)
    if isinstance(target, Template):
        return template_part(target, flavour)
    found: object = getattr(cast("Any", target), "template", None)
    if isinstance(found, Template):
        return template_part(found, flavour)
    if isinstance(target, Described):
        return target.schema_part(flavour)
    message = f"expected a name, a spec class, a template or a convention, got {target!r}"
    raise TypeError(message)


def used(root: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the definitions that `root` needs, in their order.

    >>> used({"$ref": "#/$defs/a"}, {"a": {"$ref": "#/$defs/b"}, "b": {}, "c": {}})
    {'a': {'$ref': '#/$defs/b'}, 'b': {}}
    """
    found: set[str] = set()
    waiting: list[Any] = [root]
    while waiting:
        value = waiting.pop()
        if is_dict(value):
            name = str(value.get("$ref", "")).removeprefix("#/$defs/")
            if name in definitions and name not in found:
                found.add(name)
                waiting.append(definitions[name])
            waiting.extend(value.values())
        elif is_list(value):
            waiting.extend(value)
    return {name: schema for name, schema in definitions.items() if name in found}


def schema_id(name: str, flavour: Flavour, draft: Draft, base_url: str | None = None) -> str:
    """Return the id of a schema: a `urn:`, or the URL under `base_url` where it is published.

    >>> schema_id("v3/node", "codegen", "draft-07", "https://example.org/schemas")
    'https://example.org/schemas/v1/v3/node.codegen.draft-07.schema.json'
    """
    if base_url is None:
        return f"urn:zom:schema:v1:{name}:{flavour}:{draft}"
    return f"{base_url.rstrip('/')}/v1/{name}.{flavour}.{draft}.schema.json"
