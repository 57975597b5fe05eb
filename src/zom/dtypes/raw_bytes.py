"""The `raw_bytes` data type: elements of a number of bytes that nobody interprets, v2 `|V8`.

Written by zarr-python 3 under this name, which is not registered; the core specification says `r64`.
Fill values are base64 in every format.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from typing_extensions import override

from zom.dtypes.base64_fill import base64_schema, parse_item, write_item
from zom.dtypes.element import (
    SizedType,
    cast_error,
    configured,
    extension_type,
    is_unnamed_field,
)
from zom.extension.configuration import Configuration
from zom.extension.datatype import DataType, DataTypeFamily, data_types
from zom.extension.field import Interval
from zom.extension.patterns import base64_up_to
from zom.extension.typestr import MOST_BYTES, parse_typestr
from zom.json.python_value import bytes_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.extension.datatype import Format, Kind
    from zom.extension.notation import Notation
    from zom.json.value import JSON, JSONDict
    from zom.problems import Fault

__all__ = ["LengthConfiguration", "RawBytesType"]


class LengthConfiguration(Configuration):
    """The length of every element, in bytes.

    >>> LengthConfiguration(length_bytes=8).length_bytes
    8
    """

    length_bytes: Annotated[int, Interval(1, MOST_BYTES)]


@dataclass(frozen=True, slots=True)
class RawBytesType(SizedType):
    r"""Elements of `length` bytes.

    >>> RawBytesType(2).parse_fill("AQI=", "v3", []).tobytes()
    b'\x01\x02'
    """

    length: int

    @property
    @override
    def name(self) -> str:
        return "raw_bytes"

    @property
    @override
    def kind(self) -> Kind:
        return "raw"

    @property
    @override
    def itemsize(self) -> int:
        return self.length

    @override
    def numpy(self) -> np.dtype[Any]:
        return np.dtype(f"V{self.length}")

    @override
    def to_v2(self) -> JSON:
        return f"|V{self.length}"

    @property
    @override
    def uri(self) -> str:
        return "TODO: structured array protocol URL"

    @property
    @override
    def described(self) -> JSON:
        # zarr-python 2 wrote descr here, which is a list with one field without a name.
        return [["", self.to_v2()]]

    @override
    def plain_fill_schema(self, notation: Notation) -> dict[str, Any]:
        del notation
        return {"type": "string", "pattern": base64_up_to(self.length)}

    @override
    def parse(self, value: Any, notation: Notation, faults: list[Fault], path: tuple[str | int, ...]) -> Any:
        raw = parse_item(self.itemsize, value, faults, path)
        return None if raw is None else self.unpack(raw)

    @override
    def fill_json(self, scalar: Any, form: Format) -> JSON:
        del form
        return write_item(self.pack(scalar))

    @override
    def default(self) -> Any:
        return self.unpack(bytes(self.itemsize))

    @override
    def cast(self, value: object) -> Any:
        raw = bytes_of(value)
        if raw is None or len(raw) != self.itemsize:
            raise cast_error(self, value, f"{self.itemsize} bytes")
        return self.unpack(raw)


class RawBytesFamily(DataTypeFamily):
    """The family of `raw_bytes`."""

    @property
    def name(self) -> str:
        return "raw_bytes"

    @property
    def registered(self) -> bool:
        return False

    @property
    def configuration(self) -> type[Configuration]:
        return LengthConfiguration

    def fill_schema(self, form: Format) -> dict[str, Any]:
        return base64_schema(form)

    def from_v3(
        self, name: str, configuration: JSONDict | None, faults: list[Fault], path: tuple[str | int, ...]
    ) -> DataType | None:
        del name
        found = configured(LengthConfiguration, configuration, faults, path)
        return None if found is None else RawBytesType(found.length_bytes)

    def from_v2(
        self, dtype: JSON, object_codec: str | None, faults: list[Fault], path: tuple[str | int, ...]
    ) -> DataType | None:
        del object_codec, faults, path
        parts = parse_typestr(dtype) if isinstance(dtype, str) else None
        return RawBytesType(parts.size) if parts is not None and parts.kind == "V" else None

    def from_draft(
        self, data_type: JSON, faults: list[Fault], path: tuple[str | int, ...]
    ) -> DataType | None:
        spelled = extension_type(data_type, "struct", "void", "raw")
        if is_unnamed_field(spelled):
            spelled = spelled[0][-1]
        return self.from_v2(spelled, None, faults, path)

    def from_numpy(self, dtype: np.dtype[Any]) -> DataType | None:
        if dtype.type is not np.void or dtype.fields is not None or dtype.subdtype or not dtype.itemsize:
            return None
        return RawBytesType(dtype.itemsize)

    def examples(self) -> Iterable[DataType]:
        return (RawBytesType(1), RawBytesType(8))


data_types.register(RawBytesFamily())
