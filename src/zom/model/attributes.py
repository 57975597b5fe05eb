"""Attributes with a declared type: checked as JSON, kept as in the document.

A class may declare `attributes` as a pydantic model, a dataclass, a TypedDict or a mapping.
Undeclared attributes stay in the document, unless the type forbids them. Declared attributes are
written under their aliases.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Any, TypeVar, get_origin

from pydantic import BaseModel, PydanticSchemaGenerationError, TypeAdapter, ValidationError
from typing_extensions import get_type_hints, is_typeddict

from zom.errors import ExtensionError
from zom.extension.configuration import USERS_VALIDATOR, faults_of
from zom.json.value import JSON, JSONDict, JSONList, freeze
from zom.json.write import write_json
from zom.model.members import alias_of
from zom.problems import Fault, rule

if TYPE_CHECKING:
    from zom.model.spec import Spec

__all__ = ["as_document", "plain", "typed"]

TYPED = rule(
    "spec/attributes",
    "attributes match the type that the class declares for them",
    source="the class itself",
)

_adapters: dict[type[Spec], TypeAdapter[Any] | None] = {}


def plain(annotation: Any) -> bool:
    """Whether `annotation` allows any mapping of JSON values."""
    if annotation is Any or annotation is dict or isinstance(annotation, TypeVar):
        return True
    origin = get_origin(annotation)
    if annotation is Mapping or origin not in {Mapping, dict}:
        return annotation is Mapping
    return annotation.__args__ in {(str, Any), (str, object), (str, JSON)}


def _adapter(cls: type[Spec]) -> TypeAdapter[Any] | None:
    """Return the validator of the attributes of `cls`, or None if any attributes are valid."""
    if cls in _adapters:
        return _adapters[cls]
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    field = cls.model_fields.get("attributes")
    annotation: Any = Any if field is None else field.annotation
    found: TypeAdapter[Any] | None = None
    if not plain(annotation):
        try:
            found = TypeAdapter(annotation)
        except PydanticSchemaGenerationError as cause:
            message = (
                f"{cls.__name__}.attributes: expected a type that pydantic supports, found {annotation!r}"
            )
            raise ExtensionError(message) from cause
    _adapters[cls] = found
    return found


def as_document(cls: type[Spec], value: object, faults: list[Fault]) -> Any:
    """Convert attributes given in Python to the JSON of the document.

    A model or dataclass is written under its aliases. If a mapping holds Python values of its
    declared type (such as a datetime), the type serializes them.
    """
    if type(value) is JSONDict:
        return value
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True)
    if is_dataclass(value) and not isinstance(value, type):
        return TypeAdapter(type(value)).dump_python(value, mode="json", by_alias=True)
    adapter = _adapter(cls)
    trial: list[Fault] = []
    if adapter is not None:
        freeze(value, trial)
    if adapter is not None and trial:
        try:
            typed = adapter.validate_python(value, strict=True)
        except ValidationError as error:
            faults.extend(
                faults_of(error, value, adapter.json_schema(), TYPED, ("attributes",), said=USERS_VALIDATOR)
            )
            return JSONDict()
        return adapter.dump_python(typed, mode="json", by_alias=True)
    return value


def typed(cls: type[Spec], raw: Any, faults: list[Fault]) -> Any:
    """Return attributes as the type that `cls` declares; None if it declares none, or if they don't match."""
    adapter = _adapter(cls)
    if adapter is None:
        return None
    try:
        return still(adapter.validate_json(write_json(raw), strict=True))
    except ValidationError as error:
        schema = adapter.json_schema()
        faults.extend(faults_of(error, raw, schema, TYPED, ("attributes",), said=USERS_VALIDATOR))
        return None


def by_alias(cls: type[Spec], value: Any) -> Any:
    """Return typed attributes under the document's names; a value that is no TypedDict is returned as it is.

    Before version 2.14, pydantic knows the keys of a TypedDict only by their aliases.
    """
    annotation: Any = cls.model_fields["attributes"].annotation
    if type(value) is not JSONDict or not is_typeddict(annotation):
        return value
    hints = get_type_hints(annotation, include_extras=True)
    names = {name: alias_of(hint) or name for name, hint in hints.items()}
    return JSONDict({names.get(name, name): item for name, item in value.items()})


def still(value: Any) -> Any:
    """Make the dicts and lists in `value` immutable, including those in models and dataclasses."""
    container: Any = value  # a second name, which isinstance checks do not narrow
    if type(value) is dict:
        return JSONDict({name: still(inner) for name, inner in container.items()})
    if type(value) is list:
        return JSONList([still(inner) for inner in container])
    if type(value) is tuple:
        return tuple(still(inner) for inner in container)
    if isinstance(value, BaseModel):
        fields = vars(value)
        fields.update({name: still(inner) for name, inner in fields.items()})
        if value.__pydantic_extra__:
            object.__setattr__(value, "__pydantic_extra__", still(dict(value.__pydantic_extra__)))
    elif is_dataclass(value) and not isinstance(value, type):
        for field in dataclass_fields(value):
            object.__setattr__(value, field.name, still(getattr(value, field.name)))
    return value
