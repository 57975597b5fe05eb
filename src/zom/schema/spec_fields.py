"""The fields of spec classes as JSON Schema: what pydantic says of each, made plain."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import TypeAdapter

from zom.extension.configuration import LooseSchema
from zom.schema.configuration_schema import plain_schema

if TYPE_CHECKING:
    from zom.model.spec import Spec

__all__ = ["field_schema", "required_members"]


@lru_cache(maxsize=512)
def field_schema(cls: type[Spec], name: str) -> dict[str, Any]:
    """What the member `name` of a document must be.

    >>> from zom import v3
    >>> field_schema(v3.ArraySpec, "codecs")
    {'items': {}, 'minItems': 1, 'type': 'array'}
    """
    field = cls.model_fields[name]
    annotation: Any = field.annotation
    for extra in field.metadata:
        annotation = Annotated[annotation, extra]
    made = TypeAdapter(annotation).json_schema(mode="validation", schema_generator=LooseSchema)
    return plain_schema(made)


def required_members(cls: type[Spec]) -> list[str]:
    """The members that a document of `cls` must have, as its base class has them.

    >>> from zom import v2
    >>> required_members(v2.GroupSpec)
    ['zarr_format']
    """
    base = cls.family.classes[cls.kind]
    constants = cls.family.constants[cls.kind]
    return [*constants, *(n for n, field in base.model_fields.items() if field.is_required())]
