"""The floating point data types: `float16` to `float64`, and the narrow types of ml_dtypes.

Zarr v3 core, data types; v2 `<f2` and so on; zarr-extensions for `bfloat16`, `float8_*`, `float6_*` and
`float4_e2m1fn`, for which v2 (as tensorstore writes it) uses the bare name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from zom.dataclass import dataclass
from zom.dtypes.element import NumberType, PlainFamily, cast_error
from zom.dtypes.float_format import (
    FORMATS,
    FloatFormat,
    float_schema,
    is_plain_float,
    parse_float,
    write_float,
)
from zom.extension.datatype import data_types
from zom.extension.notation import NOTATIONS
from zom.json.python_value import number_of
from zom.numpy_later import np

if TYPE_CHECKING:
    from zom.extension.datatype import ByteOrder, Format, Kind
    from zom.extension.notation import Notation
    from zom.json.value import JSON
    from zom.problems import Fault, Path

__all__ = ["FloatType"]

_CODES = {"float16": "f2", "float32": "f4", "float64": "f8"}


@dataclass(frozen=True, slots=True)
class FloatType(NumberType):
    """Floating point numbers of one format.

    >>> FloatType(FORMATS["float32"]).parse_fill("0x7fc00001", "v3", []).tobytes().hex()
    '0100c07f'
    """

    format: FloatFormat
    byte_order: ByteOrder | None = None

    @property
    @override
    def name(self) -> str:
        return self.format.name

    @property
    @override
    def kind(self) -> Kind:
        return "float"

    @property
    @override
    def itemsize(self) -> int:
        return self.format.size

    @property
    @override
    def unit(self) -> int:
        return self.format.size

    @property
    @override
    def code(self) -> str | None:
        return _CODES.get(self.format.name)

    @property
    @override
    def v2_name(self) -> str | None:
        return None if self.code else self.name

    @override
    def plain_fill_schema(self, notation: Notation) -> dict[str, Any]:
        return float_schema(self.format, notation)

    @override
    def is_plain_fill(self, value: JSON, form: Format) -> bool:
        return is_plain_float(self.format, value, NOTATIONS[form])

    @override
    def parse(self, value: Any, notation: Notation, faults: list[Fault], path: Path) -> Any:
        pattern = parse_float(self.format, value, notation, faults, path)
        return None if pattern is None else self._scalar(pattern)

    def _scalar(self, pattern: int) -> Any:
        return self.unpack(pattern.to_bytes(self.itemsize, self.stored))

    @override
    def fill_json(self, scalar: Any, form: Format) -> JSON:
        pattern = int.from_bytes(self.pack(scalar), self.stored) & self.format.mask
        return write_float(self.format, pattern, NOTATIONS[form])

    @override
    def default(self) -> Any:
        return self._scalar(self.format.encode(0.0) or 0)

    @override
    def cast(self, value: object) -> Any:
        given: Any = value
        # Return it unchanged, not as a Python float, so that a NaN keeps its payload.
        if (isinstance(value, np.generic) and type(given).__name__ == self.name) or self.is_in_bytes(given):
            return given
        number = number_of(given)
        pattern = None if number is None else self.format.encode(number)
        if pattern is None:
            raise cast_error(self, given, f"a number that {self.name} holds")
        return self._scalar(pattern)


# tensorstore writes `float8_e4m3fn`; zarr-extensions has only `float8_e4m3`, another format.
for _format in FORMATS.values():
    data_types.register(PlainFamily(FloatType(_format), is_registered=_format.name != "float8_e4m3fn"))
