"""The `null_terminated_bytes` data type: byte strings of at most a number of bytes, v2 `|S12`.

Trailing zeros are padding. Written by zarr-python 3 under this name, which is not registered yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from typing_extensions import override

from zom.dtypes.base64_fill import base64_schema, parse_text, write_item
from zom.dtypes.element import SizedType, cast_error, configured, extension_type
from zom.dtypes.raw_bytes import LengthConfiguration
from zom.extension.datatype import DataType, DataTypeFamily, data_types
from zom.extension.notation import NOTATIONS
from zom.extension.patterns import base64_up_to
from zom.extension.typestr import parse_typestr

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.extension.configuration import Configuration
    from zom.extension.datatype import Format, Kind
    from zom.extension.notation import Notation
    from zom.json.value import JSON, JSONDict
    from zom.problems import Fault

__all__ = ["NullTerminatedBytesType"]


@dataclass(frozen=True, slots=True)
class NullTerminatedBytesType(SizedType):
    """Byte strings of at most `length` bytes.

    >>> NullTerminatedBytesType(4).parse_fill("YWI=", "v2", [])
    np.bytes_(b'ab')
    """

    length: int

    @property
    @override
    def name(self) -> str:
        return "null_terminated_bytes"

    @property
    @override
    def kind(self) -> Kind:
        return "bytes"

    @property
    @override
    def itemsize(self) -> int:
        return self.length

    @override
    def numpy(self) -> np.dtype[Any]:
        return np.dtype(f"S{self.length}")

    @override
    def to_v2(self) -> JSON:
        return f"|S{self.length}"

    @property
    @override
    def uri(self) -> str:
        return "TODO: bytestring array protocol URL"

    @override
    def plain_fill_schema(self, notation: Notation) -> dict[str, Any]:
        del notation
        return {"type": "string", "pattern": base64_up_to(self.length)}

    @override
    def parse(self, value: Any, notation: Notation, faults: list[Fault], path: tuple[str | int, ...]) -> Any:
        raw = parse_text(self.length, value, notation, faults, path)
        return None if raw is None else np.bytes_(raw.rstrip(b"\0"))

    @override
    def pack(self, scalar: Any) -> bytes:
        # numpy says that the empty byte string is one byte long.
        return bytes(scalar).ljust(self.length, b"\0")

    @override
    def fill_json(self, scalar: Any, form: Format) -> JSON:
        raw = self.pack(scalar)
        # Some v2 readers ask for the whole element; v3 readers for the text without its padding.
        return write_item(raw if NOTATIONS[form].padding else raw.rstrip(b"\0"))

    @override
    def default(self) -> Any:
        return np.bytes_(b"")

    @override
    def cast(self, value: object) -> Any:
        if isinstance(value, (bytes, bytearray)) and len(value.rstrip(b"\0")) <= self.length:
            return np.bytes_(value.rstrip(b"\0"))
        raise cast_error(self, value, f"at most {self.length} bytes")


class NullTerminatedBytesFamily(DataTypeFamily):
    """The family of `null_terminated_bytes`."""

    @property
    def name(self) -> str:
        return "null_terminated_bytes"

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
        return None if found is None else NullTerminatedBytesType(found.length_bytes)

    def from_v2(
        self, dtype: JSON, object_codec: str | None, faults: list[Fault], path: tuple[str | int, ...]
    ) -> DataType | None:
        del object_codec, faults, path
        parts = parse_typestr(dtype) if isinstance(dtype, str) else None
        return NullTerminatedBytesType(parts.size) if parts is not None and parts.kind == "S" else None

    def from_draft(
        self, data_type: JSON, faults: list[Fault], path: tuple[str | int, ...]
    ) -> DataType | None:
        return self.from_v2(extension_type(data_type, "string", "bytes"), None, faults, path)

    def from_numpy(self, dtype: np.dtype[Any]) -> DataType | None:
        # Without a length (`np.dtype("S")`) the elements are of any length: that is `bytes`.
        if dtype.type is not np.bytes_ or not dtype.itemsize:
            return None
        return NullTerminatedBytesType(dtype.itemsize)

    def examples(self) -> Iterable[DataType]:
        return (NullTerminatedBytesType(1), NullTerminatedBytesType(12))


data_types.register(NullTerminatedBytesFamily())
