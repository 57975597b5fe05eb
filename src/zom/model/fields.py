"""Field types that specs of several formats share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import GetPydanticSchema
from pydantic_core import core_schema

from zom.extension.field import Interval
from zom.json.value import JSON

__all__ = ["AS_IT_IS", "Extension", "Length", "Value"]

AS_IT_IS = GetPydanticSchema(lambda _source, _handler: core_schema.any_schema())
"""Marks a field that pydantic passes through; rules that span fields check it."""

Length = Annotated[int, Interval(0, 2**63 - 1)]
"""The length of one dimension."""

Extension = Annotated[str | Mapping[str, JSON], AS_IT_IS]
"""An extension point: a name, or an object with name, configuration and must_understand."""

Value = Annotated[JSON, AS_IT_IS]
"""Any JSON value."""
