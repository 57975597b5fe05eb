"""The `structured` data type: the older name of `struct`, with fields as `[name, data_type]` pairs.

zarr-extensions, data type `structured`. Arrays of this type may have a fill value in base64, which zom
reads but, as the specification requires, never writes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field
from typing_extensions import override

from zom.dtypes.base64_fill import base64_schema
from zom.dtypes.struct import FIELDS, StructFamily, StructField, StructType, checked_struct, parse_field_type
from zom.extension.configuration import Configuration
from zom.extension.datatype import DataType, DataTypeFamily, data_types
from zom.extension.fill_value import parse_base64
from zom.json.python_value import is_list
from zom.problems import Fault, Path, show

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np

    from zom.extension.datatype import Format
    from zom.json.value import JSON

__all__ = ["StructuredFamily"]


class StructuredConfiguration(Configuration):
    """The fields of an older struct."""

    fields: Annotated[
        list[Annotated[Any, Field(json_schema_extra={"x-zom-is": "field-pair"})]], Field(min_length=1)
    ]


class StructuredFamily(DataTypeFamily):
    """The family of `structured`."""

    @property
    @override
    def name(self) -> str:
        return "structured"

    @property
    @override
    def configuration(self) -> type[Configuration]:
        return StructuredConfiguration

    @override
    def inspect_fill(self, value: JSON, faults: list[Fault], path: Path) -> None:
        if isinstance(value, str):
            parse_base64(value, None, faults, path)
        else:
            super().inspect_fill(value, faults, path)

    @override
    def fill_schema(self, form: Format) -> dict[str, Any]:
        return {"if": {"type": "string"}, "then": base64_schema(form), "else": {"type": "object"}}

    @override
    def from_v3(
        self, name: str, configuration: StructuredConfiguration, faults: list[Fault], path: Path
    ) -> DataType | None:
        del name
        known: list[StructField] = []
        places: list[Path] = []
        for i, field in enumerate(configuration.fields):
            place = (*path, "configuration", "fields", i)
            pair = field if is_list(field) else []
            if len(pair) != 2 or not isinstance(pair[0], str) or not pair[0]:
                faults.append(Fault(FIELDS, place, "[name, data_type]", show(field)))
                continue
            inner = parse_field_type(pair[1], faults, (*place, 1))
            if inner is not None:
                known.append(StructField(pair[0], inner))
                places.append(place)
        made = StructType(tuple(known), legacy=True)
        sound = checked_struct(made, faults, places, ((0,), (1,)))
        return made if sound and len(known) == len(configuration.fields) else None

    @override
    def from_numpy(self, dtype: np.dtype[Any]) -> DataType | None:
        # New arrays use `struct`.
        del dtype
        return None

    @override
    def examples(self) -> Iterable[DataType]:
        first = next(iter(StructFamily().examples()))
        return (replace(first, legacy=True),) if isinstance(first, StructType) else ()


data_types.register(StructuredFamily())
