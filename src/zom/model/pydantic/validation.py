"""Validate specs with pydantic: by their own class, with each problem at its place.

`zom.model.assembly` makes specs, calling pydantic for the fields of one node at a time. Validation by
a model that holds a spec, or by a `TypeAdapter`, takes the same path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from pydantic import Tag
from pydantic_core import core_schema

from zom.json.python_value import is_dict, is_list
from zom.model.bare_spec import Prepared, is_spec
from zom.model.pydantic.dump import dumped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import GetCoreSchemaHandler

    from zom.model.spec import Spec

__all__ = ["core_schema_of", "label_of", "own_ref", "read"]

_MADE = "zom_spec"
"""Marks a class schema that is already complete."""


def core_schema_of(
    cls: type[Spec], inner: core_schema.CoreSchema, handler: GetCoreSchemaHandler
) -> core_schema.CoreSchema:
    """Return the schema that validates and dumps specs of `cls`; `inner` is the schema of its fields."""
    known = cast("dict[str, Any]", inner).get("metadata", {}).get(_MADE)
    if known is not None:
        if not known["recursive"]:  # a JSON Schema may have set it
            cast("dict[str, Any]", inner).pop("ref", None)
        return inner
    # In a recursive class, `ref` must name the outer validator instead of the inner model.
    ref: str | None = cast("dict[str, Any]", inner).pop("ref", None)

    def enter(value: Any, validate_fields: Callable[[Any], Any], info: Any) -> Any:
        context = info.context
        if type(context) is Prepared and value is context.values:
            return validate_fields(value)
        return read(cls, value)

    label = label_of(cls)
    enter.__qualname__ = label
    recursive = ref is not None and _refers(inner, ref, handler)
    made = core_schema.with_info_wrap_validator_function(
        enter,
        inner,
        ref=ref if recursive else None,
        serialization=core_schema.plain_serializer_function_ser_schema(_serialized, info_arg=True),
        metadata={_MADE: {"recursive": recursive}},
    )
    # A union uses the labels of its classes in `loc`.
    return Tag(label).__get_pydantic_core_schema__(cls, cast("GetCoreSchemaHandler", _Always(made)))


class _Always:
    """A handler that always returns the same schema."""

    def __init__(self, schema: core_schema.CoreSchema) -> None:
        self.schema = schema

    def __call__(self, _source: object) -> core_schema.CoreSchema:
        return self.schema


def own_ref(schema: core_schema.CoreSchema) -> str | None:
    """Return pydantic's reference of a self-referential class; None for other classes."""
    facts = cast("dict[str, Any]", schema)
    ref: str | None = facts["ref"] if facts["metadata"][_MADE]["recursive"] else None
    return ref


def read(cls: type[Spec], value: Any) -> Spec:
    """Return `value` if it is a spec of `cls`, otherwise parse it; raise pydantic's error if invalid."""
    if isinstance(value, cls):
        return value
    if is_spec(value):
        return cls.parse(cast("Any", value), value.level)
    computed = cls.model_computed_fields
    if computed and is_dict(value):
        value = {name: item for name, item in value.items() if name not in computed}
    return cls.parse(value)


def label_of(cls: type[Spec]) -> str:
    """Return the label of a class in a union; the formats' own classes include the format.

    >>> from zom import v2
    >>> label_of(v2.GroupSpec)
    'v2.GroupSpec'
    """
    family = getattr(cls, "family", None)  # the formats' base classes have none
    own = family is not None and cls is family.classes.get(cls.kind, cls)
    return f"{cls.family.form}.{cls.__name__}" if own else cls.__name__


def _serialized(spec: Any, info: Any) -> Any:
    return dumped(
        spec,
        mode=info.mode,
        include=info.include,
        exclude=info.exclude,
        by_alias=info.by_alias,
        exclude_defaults=info.exclude_defaults,
        exclude_none=info.exclude_none,
        exclude_computed_fields=getattr(info, "exclude_computed_fields", False),
        round_trip=info.round_trip,
    )


def _refers(schema: object, ref: str, handler: GetCoreSchemaHandler) -> bool:
    """Whether `schema` refers to the definition `ref`."""
    seen: set[str] = set()
    waiting: list[Any] = [schema]
    while waiting:
        value = waiting.pop()
        if is_list(value) or isinstance(value, tuple):
            waiting.extend(cast("list[Any]", value))
        elif is_dict(value):
            found = value.get("schema_ref")
            if found == ref:
                return True
            if isinstance(found, str) and found not in seen:
                seen.add(found)
                waiting.append(_resolved(cast("Any", value), handler))
            waiting.extend(item for name, item in value.items() if name not in {"cls", "metadata"})
    return False


def _resolved(reference: core_schema.CoreSchema, handler: GetCoreSchemaHandler) -> Mapping[str, Any]:
    """Return the target of a reference, or an empty mapping if it is still being built."""
    try:
        return cast("Mapping[str, Any]", handler.resolve_ref_schema(reference))
    except LookupError:
        return {}
