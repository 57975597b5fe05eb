"""The fields of spec classes as JSON Schema: pydantic's schema of each, simplified."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from zom.extension.configuration import LooseSchema
from zom.extension.field import annotated
from zom.schema.configuration_schema import plain_schema

if TYPE_CHECKING:
    from zom.model.spec import Spec

__all__ = ["field_schema"]


@lru_cache(maxsize=512)
def field_schema(cls: type[Spec], name: str) -> dict[str, Any]:
    """Return the schema of the member `name` of a document.

    >>> from zom import v3
    >>> field_schema(v3.ArraySpec, "codecs")
    {'items': {}, 'minItems': 1, 'type': 'array'}
    """
    made = TypeAdapter(annotated(cls.model_fields[name])).json_schema(
        mode="validation", schema_generator=LooseSchema
    )
    return plain_schema(made)
