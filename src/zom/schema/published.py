"""The schemas that pydantic publishes, by `model_json_schema()` or in FastAPI's OpenAPI: those of zom.

Pydantic keeps all definitions of a document in one place, wherever that is. So each of zom's definitions
is passed to it under its own name, and references lead there.
"""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Any, Final, cast

from pydantic import TypeAdapter

from zom.digests import blake2b
from zom.json.python_value import is_dict, is_list
from zom.model.pydantic.publishing import publishers
from zom.schema import json_schema
from zom.schema.spec_class import safe
from zom.schema.standard import MODULES

if TYPE_CHECKING:
    from pydantic.json_schema import CoreRef, GenerateJsonSchema

    from zom.model.spec import Spec

__all__: list[str] = []

_SELF: Final = "#"
_KINDS: Final = frozenset({"array", "group"})


class _Publisher:
    """Provides zom's own schemas as pydantic definitions."""

    name = "zom"
    aliases = ()

    def publish(
        self, cls: type[Spec], generator: GenerateJsonSchema, ref: str | None
    ) -> tuple[dict[str, Any], str]:
        schema = {name: value for name, value in json_schema(cls).items() if name not in {"$schema", "$id"}}
        definitions: dict[str, Any] = schema.pop("$defs", {})
        form = cls.family.form.capitalize()
        common = {*MODULES[cls.family.form].definitions(), "node", *_KINDS}
        titles = {name: f"{form if name in common else ''}{_camel(name)}" for name in definitions}
        for kind in definitions.keys() & _KINDS:
            definitions[kind] = {"title": titles[kind], **definitions[kind]}
        if cls is cls.family.classes.get(cls.kind):  # equal to the definition that other classes refer to
            del schema["description"]
            schema["title"] = f"{form}{_camel(cls.kind)}"
        # Pydantic separates schemas for validation and serialization: of specs, only computed fields differ.
        computed = generator.mode == "serialization" and _add_computed(cls, schema)
        whole = {_SELF: schema, **{f"#/$defs/{name}": each for name, each in definitions.items()}}
        schema["title"] = safe(schema["title"])
        names = {_SELF: schema["title"], **{f"#/$defs/{name}": title for name, title in titles.items()}}
        return _Definitions(generator, whole, split=computed or ref is not None).put(names, ref)


def _add_computed(cls: type[Spec], schema: dict[str, Any]) -> bool:
    """Add computed fields, which are part of dumped specs, to the schema."""
    fields = cls.model_computed_fields
    for name, field in fields.items():
        made = TypeAdapter(field.return_type).json_schema(mode="serialization")
        schema["properties"] = {**schema.get("properties", {}), name: {**made, "readOnly": True}}
    if fields:
        schema["required"] = [*schema.get("required", ()), *fields]
    return bool(fields)


class _Definitions:
    """Adds all schemas of `whole` to the definitions of a generator.

    `split` separates the root's schemas for validation and serialization.
    """

    def __init__(self, generator: GenerateJsonSchema, whole: dict[str, Any], *, split: bool) -> None:
        self.generator = generator
        self.whole = whole
        self.split = split

    def put(self, titles: dict[str, str], ref: str | None) -> tuple[dict[str, Any], str]:
        """Return the root and its pydantic reference: `ref`, if a class refers to itself."""
        made: dict[str, dict[str, Any]] = {}
        names: dict[str, Any] = {}
        root = ref or ""
        for reference, title in titles.items():
            within = self._within(reference)
            own = (
                ref
                if reference == _SELF and ref is not None
                else f"zom.schema.{title}:{self._digest(within)}"
            )
            names[reference], made[reference] = self._name(own, split=self.split and _SELF in within)
            root = own if reference == _SELF else root
        for reference, name in names.items():
            if name not in self.generator.definitions:
                self.generator.definitions[name] = _renamed(self.whole[reference], made)
        return _renamed(self.whole[_SELF], made), root

    def _name(self, own: str, *, split: bool) -> tuple[Any, dict[str, Any]]:
        generator: Any = self.generator
        mode = generator._mode  # noqa: SLF001 - pydantic splits all definitions by it, even equal ones
        try:
            generator._mode = mode if split else "validation"  # noqa: SLF001
            name, reference = generator.get_cache_defs_ref_schema(cast("CoreRef", own))
        finally:
            generator._mode = mode  # noqa: SLF001
        return name, reference

    def _within(self, reference: str) -> list[str]:
        """Return a definition and all definitions that it needs."""
        seen = [reference]
        for name in seen:
            seen.extend(dict.fromkeys(each for each in _references(self.whole[name]) if each not in seen))
        return seen

    def _digest(self, names: list[str]) -> str:
        """Return the identity of a definition, including the definitions that it refers to."""
        text = dumps([self.whole[name] for name in names], sort_keys=True)
        return blake2b(text.encode(), digest_size=8).hexdigest()


def _references(schema: object) -> list[str]:
    found: list[str] = []
    waiting: list[Any] = [schema]
    while waiting:
        value = waiting.pop()
        if is_dict(value):
            if isinstance(value.get("$ref"), str):
                found.append(value["$ref"])
            waiting.extend(value.values())
        elif is_list(value):
            waiting.extend(value)
    return found


def _renamed(schema: Any, made: dict[str, dict[str, Any]]) -> Any:
    if is_dict(schema):
        return {
            key: made[value]["$ref"] if key == "$ref" and isinstance(value, str) else _renamed(value, made)
            for key, value in schema.items()
        }
    return [_renamed(item, made) for item in schema] if is_list(schema) else schema


def _camel(name: str) -> str:
    """Convert a definition's name to a class name; of nested names, only the last part.

    >>> _camel("fill-value"), _camel("Station.attributes.Measured")
    ('FillValue', 'Measured')
    """
    last = name.rpartition(".")[2]
    return "".join(part[:1].upper() + part[1:] for part in last.split("-"))


publishers.register(_Publisher())
