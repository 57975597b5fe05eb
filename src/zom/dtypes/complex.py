"""The complex data types: two floating point numbers, the real one first.

Zarr v3 core, data types `complex64` and `complex128`; v2 `<c8` and `<c16`; zarr-extensions for the
aliases `complex_float32` and `complex_float64`, and for the narrow types. numpy has no complex numbers with
narrow parts, so these are records of two fields, `real` and `imag`: no bit is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from zom.dataclass import dataclass
from zom.dtypes.element import NumberType, PlainFamily, cast_error, ml_dtype
from zom.dtypes.float_format import (
    FORMATS,
    FloatFormat,
    float_schema,
    is_plain_float,
    parse_float,
    write_float,
)
from zom.extension.complex_parts import PARTS
from zom.extension.datatype import data_types
from zom.extension.fill_value import refuse_type
from zom.extension.notation import NOTATIONS
from zom.json.python_value import is_list, number_of
from zom.numpy_later import np

if TYPE_CHECKING:
    from zom.extension.datatype import ByteOrder, Format, Kind
    from zom.extension.notation import Notation
    from zom.json.value import JSON
    from zom.problems import Fault, Path

__all__ = ["ComplexType"]

_CODES = {"float32": "c8", "float64": "c16"}


@dataclass(frozen=True, slots=True)
class ComplexType(NumberType):
    """Complex numbers whose parts have the same format.

    >>> ComplexType(FORMATS["float32"]).parse_fill([1, "NaN"], "v3", [])
    np.complex64(1+nanj)
    """

    part: FloatFormat
    byte_order: ByteOrder | None = None

    @property
    @override
    def name(self) -> str:
        return f"complex{16 * self.part.size}" if self.code else f"complex_{self.part.name}"

    @property
    @override
    def kind(self) -> Kind:
        return "complex"

    @property
    @override
    def itemsize(self) -> int:
        return 2 * self.part.size

    @property
    @override
    def unit(self) -> int:
        return self.part.size

    @property
    @override
    def code(self) -> str | None:
        return _CODES.get(self.part.name)

    @override
    def numpy(self) -> np.dtype[Any]:
        if self.code is None:
            part = np.dtype("<f2") if self.part.name == "float16" else ml_dtype(self.part.name)
            return np.dtype([(name, part) for name in PARTS])
        return np.dtype((">" if self.order == "big" else "<") + self.code)

    @override
    def plain_fill_schema(self, notation: Notation) -> dict[str, Any]:
        part = float_schema(self.part, notation)
        return {"type": "array", "minItems": 2, "maxItems": 2, "items": part}

    @override
    def is_plain_fill(self, value: JSON, form: Format) -> bool:
        notation = NOTATIONS[form]
        return (
            is_list(value)
            and len(value) == 2
            and all(is_plain_float(self.part, each, notation) for each in value)
        )

    @override
    def parse(self, value: Any, notation: Notation, faults: list[Fault], path: Path) -> Any:
        if not is_list(value) or len(value) != 2:
            refuse_type("a list of 2 numbers, real and imaginary", value, faults, path)
            return None
        parts = [parse_float(self.part, value[i], notation, faults, (*path, i)) for i in (0, 1)]
        return self._scalar(*parts)

    def _scalar(self, real: int | None, imaginary: int | None) -> Any:
        if real is None or imaginary is None:
            return None
        size = self.part.size
        return self.unpack(real.to_bytes(size, self.stored) + imaginary.to_bytes(size, self.stored))

    @override
    def fill_json(self, scalar: Any, form: Format) -> JSON:
        raw, size = self.pack(scalar), self.part.size
        halves = (int.from_bytes(half, self.stored) & self.part.mask for half in (raw[:size], raw[size:]))
        return [write_float(self.part, half, NOTATIONS[form]) for half in halves]

    @override
    def default(self) -> Any:
        zero = self.part.encode(0.0) or 0
        return self._scalar(zero, zero)

    @override
    def cast(self, value: object) -> Any:
        given: Any = value
        if isinstance(value, np.complexfloating) and given.dtype.name == self.name:
            return given
        if self.is_in_bytes(given):
            return given
        whole = complex(given) if isinstance(value, (complex, np.complexfloating)) else number_of(given)
        if whole is None:
            raise cast_error(self, given, "a complex number")
        made = self._scalar(self.part.encode(whole.real), self.part.encode(whole.imag))
        if made is None:
            raise cast_error(self, given, f"a complex number whose parts {self.part.name} holds")
        return made


for _part in FORMATS.values():
    _alias = (f"complex_{_part.name}",) if _part.name in _CODES else ()
    # No registered type has parts of float8_e4m3fn.
    if _part.name != "float8_e4m3fn":
        data_types.register(PlainFamily(ComplexType(_part), _alias))
