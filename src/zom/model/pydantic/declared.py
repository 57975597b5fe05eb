"""Check the declarations of a spec class: documents must be able to hold its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from zom.errors import ExtensionError
from zom.extension.configuration import LooseSchema
from zom.extension.field import annotated
from zom.json.python_value import is_dict, is_list

if TYPE_CHECKING:
    from zom.model.spec import Spec

__all__ = ["check_declared"]

_WORDS = {
    "none": "a {form} {kind} has only the members {known}",
    "ignorable": "a member that the format doesn't define is an object with must_understand false",
}
_STEP = "move it to attributes, or make it a computed field"


def check_declared(cls: type[Spec]) -> None:
    """Raise ExtensionError for a field that no document of the format can hold.

    >>> from zom import v2
    >>> class Named(v2.GroupSpec):
    ...     title: str
    Traceback (most recent call last):
    zom.errors.ExtensionError: Named.title: a v2 group has only the members attributes, members, zarr_format; move it to attributes, or make it a computed field
    """
    base = cls.family.classes.get(cls.kind) if hasattr(cls, "family") else None
    if base is None:  # a format's own class
        return
    _check_serializers(cls)
    allowed = cls.family.other_members[cls.kind]
    for name, field in cls.model_fields.items():
        if name in base.model_fields or allowed == "any":
            continue
        key = field.validation_alias if isinstance(field.validation_alias, str) else name
        if key in base.model_fields:
            continue
        if allowed == "none" or not _holds_ignorable(annotated(field)):
            known = ", ".join(sorted(base.model_fields))
            why = _WORDS[allowed].format(form=cls.family.form, kind=cls.kind, known=known)
            message = f"{cls.__name__}.{name}: {why}; {_STEP}"
            raise ExtensionError(message)


def _check_serializers(cls: type[Spec]) -> None:
    decorators = cls.__pydantic_decorators__
    for name in (*decorators.field_serializers, *decorators.model_serializers):
        message = f"{cls.__name__}.{name}: a spec is written as its document; make it a computed field"
        raise ExtensionError(message)


def _holds_ignorable(annotation: Any) -> bool:
    """Whether a value of `annotation` can be an object with must_understand false."""
    schema = TypeAdapter(annotation).json_schema(schema_generator=LooseSchema)
    return _may(schema, schema.get("$defs", {}), frozenset())


def _may(schema: Any, definitions: dict[str, Any], seen: frozenset[str]) -> bool:
    if not is_dict(schema):
        return bool(schema)
    reference = schema.get("$ref")
    if isinstance(reference, str):
        name = reference.rsplit("/", 1)[-1]
        return name in seen or _may(definitions.get(name, {}), definitions, seen | {name})
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema and not any(_may(each, definitions, seen) for each in schema[keyword]):
            return False
    if not all(_may(each, definitions, seen) for each in schema.get("allOf", ())):
        return False
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if values is not None:
        return any(is_dict(value) and value.get("must_understand") is False for value in values)
    types = schema.get("type", "object")
    return "object" in (types if is_list(types) else (types,)) and _says_so(schema)


def _says_so(schema: dict[str, Any]) -> bool:
    """Whether an object of `schema` may have must_understand false."""
    own = schema.get("properties", {}).get("must_understand", schema.get("additionalProperties", True))
    if not is_dict(own):
        return bool(own)
    if "const" in own or "enum" in own:
        return False in own.get("enum", [own.get("const")])
    kinds = own.get("type", "boolean")
    return "boolean" in (kinds if is_list(kinds) else (kinds,))
