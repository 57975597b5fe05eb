"""The `bytes` data type: byte strings of any length.

zarr-extensions, data type `bytes`, which zarr-python writes as its alias `variable_length_bytes`; v2 `|O`
with the object codec `vlen-bytes`. A fill value is base64 or a list of integers: zarr-python reads only
base64, so zom writes that. The 0 of zarr-python 2 means no bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from zom.dataclass import dataclass
from zom.dtypes.base64_fill import base64_schema, write_item
from zom.dtypes.element import cast_error
from zom.extension.datatype import DataType, DataTypeFamily, data_types
from zom.extension.fill_value import no_fill, parse_base64, parse_int, refuse_type
from zom.extension.notation import NOTATIONS
from zom.json.python_value import bytes_of
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.extension.datatype import Format, Kind
    from zom.json.value import JSON
    from zom.problems import Fault, Path

__all__ = ["BytesType"]


@dataclass(frozen=True, slots=True)
class BytesType(DataType):
    """Byte strings of any length.

    >>> BytesType().parse_fill("YWI=", "v3", []), BytesType().parse_fill([97, 98], "v3", [])
    (b'ab', b'ab')
    """

    @property
    @override
    def name(self) -> str:
        return "bytes"

    @property
    @override
    def kind(self) -> Kind:
        return "bytes"

    @property
    @override
    def itemsize(self) -> int | None:
        return None

    @property
    @override
    def object_codec(self) -> str | None:
        return "vlen-bytes"

    @override
    def numpy(self) -> np.dtype[Any]:
        return np.dtype(object)

    @override
    def to_v2(self) -> JSON:
        return "|O"

    @override
    def to_v3(self) -> JSON:
        return "bytes"

    @override
    def parse_fill(self, value: JSON, form: Format, faults: list[Fault], path: Path = ()) -> Any:
        notation = NOTATIONS[form]
        if value is None:
            return no_fill(self, notation, faults, path)
        if isinstance(value, str):
            return parse_base64(value, None, faults, path)
        if isinstance(value, list) and notation.byte_lists:
            read = (parse_int((0, 255), item, notation, faults, (*path, i)) for i, item in enumerate(value))
            numbers = [number for number in read if number is not None]
            return bytes(numbers) if len(numbers) == len(value) else None
        if notation.zero_and_one and type(value) is int and value == 0:
            return b""
        expected = "base64, or a list of integers from 0 to 255" if notation.byte_lists else "base64"
        refuse_type(expected, value, faults, path, integers="0" if notation.zero_and_one else "")
        return None

    @override
    def fill_schema(self, form: Format) -> dict[str, Any]:
        notation = NOTATIONS[form]
        texts = base64_schema(form)
        if not notation.byte_lists:
            return {"if": {"const": 0, "type": "integer"}, "else": texts}
        numbers = {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}}
        return {"if": {"type": "string"}, "then": texts, "else": numbers}

    @override
    def fill_json(self, scalar: Any, form: Format) -> JSON:
        del form
        return write_item(bytes(scalar))

    @override
    def default(self) -> Any:
        return b""

    @override
    def cast(self, value: object) -> Any:
        raw = bytes_of(value)
        if raw is None:
            raise cast_error(self, value, "bytes")
        return raw


class BytesFamily(DataTypeFamily):
    """The family of `bytes`."""

    @property
    def name(self) -> str:
        return "bytes"

    @property
    def aliases(self) -> tuple[str, ...]:
        return ("variable_length_bytes",)

    def fill_schema(self, form: Format) -> dict[str, Any]:
        return BytesType().fill_schema(form)

    def from_v3(self, name: str, configuration: Any, faults: list[Fault], path: Path) -> DataType | None:
        del name, configuration, faults, path
        return BytesType()

    def from_v2(
        self, dtype: JSON, object_codec: str | None, faults: list[Fault], path: Path
    ) -> DataType | None:
        del faults, path
        return BytesType() if dtype == "|O" and object_codec == "vlen-bytes" else None

    def from_numpy(self, dtype: np.dtype[Any]) -> DataType | None:
        return BytesType() if dtype.type is np.bytes_ and not dtype.itemsize else None

    def examples(self) -> Iterable[DataType]:
        return (BytesType(),)


data_types.register(BytesFamily())
