"""Annotations of users' classes as JSON Schema, with a list of losses.

Pydantic makes the schema. Types without one (arbitrary types), and checks without a keyword (validators
in Python), are recorded. Both flavours use the same schema: users' types are plain enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from zom.json.python_value import is_dict, is_list
from zom.schema.loss import Loss

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["annotation_schema"]


class _Recorder(GenerateJsonSchema):
    """Pydantic's generator, recording what it leaves out."""

    unsaid: ClassVar[list[str]] = []

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> dict[str, Any]:
        del error_info
        named = getattr(schema.get("cls"), "__name__", None) or schema.get("cls_repr") or schema["type"]
        self.unsaid.append(f"the type {named}, which JSON Schema doesn't have")
        return {}

    def _note(self, schema: Any) -> None:
        function = schema["function"]["function"]
        module: str = getattr(function, "__module__", None) or ""
        own = module.partition(".")[0] in {"pydantic", "pydantic_core", "zom"}
        # Conventions are written like users' classes: the Python validators of zom's are lost as well.
        if not own or module.startswith("zom.conventions."):
            name = getattr(function, "__qualname__", None) or repr(function)
            self.unsaid.append(f"the validator {name.replace('<locals>.', '')}")

    def function_before_schema(self, schema: Any) -> dict[str, Any]:
        self._note(schema)
        return super().function_before_schema(schema)

    def function_after_schema(self, schema: Any) -> dict[str, Any]:
        self._note(schema)
        return super().function_after_schema(schema)

    def function_wrap_schema(self, schema: Any) -> dict[str, Any]:
        self._note(schema)
        return super().function_wrap_schema(schema)

    def function_plain_schema(self, schema: Any) -> dict[str, Any]:
        self._note(schema)
        # The input of the function is unknown: a schema for it would be a guess.
        return {}


def annotation_schema(
    annotation: Any, where: str, prefix: str, definitions: dict[str, Any], losses: list[Loss]
) -> dict[str, Any]:
    """Return the schema of `annotation`; its definitions are added under the names of their classes.

    If a name is taken by another class, they are added under names with `prefix`.

    >>> annotation_schema(list[int], "x", "X", {}, [])
    {'items': {'type': 'integer'}, 'type': 'array'}
    """
    recorder = type("_Noting", (_Recorder,), {"unsaid": []})
    made = TypeAdapter(annotation).json_schema(mode="validation", schema_generator=recorder)
    unsaid = [*cast("Any", recorder).unsaid]
    inner: Mapping[str, Any] = made.pop("$defs", {})
    for before in ("", f"{prefix}."):
        names = {f"#/$defs/{name}": f"#/$defs/{before}{_safe(name)}" for name in inner}
        said: list[str] = []
        found = {f"{before}{_safe(name)}": _tidy(schema, names, said) for name, schema in inner.items()}
        if all(definitions.get(name, schema) == schema for name, schema in found.items()):
            break
    definitions.update(found)
    root = cast("dict[str, Any]", _tidy(made, names, said))
    unsaid += said
    losses.extend(Loss(where, what) for what in dict.fromkeys(unsaid))
    return root


def _safe(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name)


def _tidy(  # noqa: C901 - a case for each changed keyword
    schema: Any, names: Mapping[str, str], unsaid: list[str], *, member: bool = False
) -> Any:
    """Rename references in `schema`; remove member titles and OpenAPI's discriminators."""
    if is_list(schema):
        return [_tidy(item, names, unsaid) for item in schema]
    if not is_dict(schema):
        return schema
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "discriminator" or (key == "title" and member):
            continue
        if key == "$ref":
            made[key] = names.get(value, value)
        elif key == "properties":
            made[key] = {name: _tidy(item, names, unsaid, member=True) for name, item in value.items()}
        elif key in {"const", "enum", "default", "examples", "required"}:
            made[key] = value
        elif key == "format":
            unsaid.append(f"the format {value!r}: JSON Schema doesn't enforce it")
        elif key == "description":
            made[key] = " ".join(str(value).split("\n\n")[0].split())
        else:
            made[key] = _tidy(value, names, unsaid)
    if "$ref" not in made or len(made) == 1:
        return made
    rest = {key: value for key, value in made.items() if key != "$ref"}
    return {**rest, "allOf": [{"$ref": made["$ref"]}]}
