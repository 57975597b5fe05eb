"""The integer data types `int8` to `int64` and `uint8` to `uint64`.

Zarr v3 core, data types; v2 `|i1`, `<i2` and so on. A fill value has no fraction and no exponent.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from zom.dataclass import dataclass
from zom.dtypes.element import NumberType, PlainFamily, cast_error
from zom.errors import CodecError
from zom.extension.datatype import data_types
from zom.extension.element_memory import index_text
from zom.extension.fill_value import parse_int
from zom.json.python_value import integer_of
from zom.numpy_later import np

if TYPE_CHECKING:
    from zom.extension.bound import Array
    from zom.extension.datatype import ByteOrder, Format, Kind
    from zom.extension.notation import Notation
    from zom.json.value import JSON
    from zom.problems import Fault, Path

__all__ = ["IntType"]


@dataclass(frozen=True, slots=True)
class IntType(NumberType):
    """Integers of `bits` bits; those with fewer than 8 take a byte each.

    >>> IntType(16, signed=False).parse_fill(65535, "v3", [])
    np.uint16(65535)
    """

    bits: int
    signed: bool
    byte_order: ByteOrder | None = None

    @property
    @override
    def name(self) -> str:
        return f"{'' if self.signed else 'u'}int{self.bits}"

    @property
    @override
    def kind(self) -> Kind:
        return "int" if self.signed else "uint"

    @property
    @override
    def itemsize(self) -> int:
        return (self.bits + 7) // 8

    @property
    @override
    def unit(self) -> int:
        return self.itemsize

    @property
    @override
    def code(self) -> str | None:
        return None if self.bits < 8 else f"{'i' if self.signed else 'u'}{self.itemsize}"

    @property
    @override
    def v2_name(self) -> str | None:
        return self.name if self.bits < 8 else None

    @override
    def numpy(self) -> np.dtype[Any]:
        # ml_dtypes has types of two and four bits; other types below a byte are held in int8 or uint8.
        return np.dtype(np.int8 if self.signed else np.uint8) if self.is_packed else NumberType.numpy(self)

    @property
    @override
    def is_packed(self) -> bool:
        return self.bits < 8 and self.bits not in {2, 4}

    @override
    def dump(self, elements: Array, order: ByteOrder) -> Array:
        """Return a sign-extended byte for each element; raise CodecError if a value is out of range."""
        del order
        low, high = self.span
        wrong = (elements < low) | (elements > high)
        if wrong.any():
            first = int(np.argmax(wrong))
            found = f"{elements.reshape(-1)[first]}{index_text(first, elements.shape)}"
            raise CodecError(f"expected integers from {low} to {high}, found {found}")
        # `np.ascontiguousarray` would add a dimension to a scalar.
        made: Array = np.array(elements, order="C")[..., np.newaxis].view(np.uint8)
        return made

    @override
    def load(self, stored: Array, order: ByteOrder) -> Array:
        """Return the elements, ignoring the upper bits."""
        del order
        unused = 8 - self.bits
        low = np.left_shift(stored[..., 0], unused)
        made: Array = np.right_shift(low.view(self.numpy()), unused)
        return made

    @property
    def span(self) -> tuple[int, int]:
        """The minimum and maximum value."""
        if self.signed:
            return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1
        return 0, (1 << self.bits) - 1

    @override
    def plain_fill_schema(self, notation: Notation) -> dict[str, Any]:
        del notation
        low, high = self.span
        return {"type": "integer", "minimum": low, "maximum": high}

    @override
    def is_plain_fill(self, value: JSON, form: Format) -> bool:
        del form
        low, high = self.span
        return type(value) is int and low <= value <= high

    @override
    def parse(self, value: Any, notation: Notation, faults: list[Fault], path: Path) -> Any:
        low, high, make = _facts(self.bits, self.signed)
        if type(value) is int and make is not None and low <= value <= high:
            return make(value)
        number = parse_int((low, high), value, notation, faults, path)
        return None if number is None else self._scalar(number)

    def _scalar(self, number: int) -> Any:
        if self.bits >= 8:
            return self.numpy().type(number)
        # The upper bits are ignored in a chunk; in a scalar they are sign-extended.
        return self.unpack((number & 0xFF).to_bytes(1, "little"))

    @override
    def accepts(self, raw: bytes) -> bool:
        return (
            self.bits >= 8 or self.span[0] <= int.from_bytes(raw, "big", signed=self.signed) <= self.span[1]
        )

    @override
    def fill_json(self, scalar: Any, form: Format) -> JSON:
        del form
        number = int.from_bytes(scalar.tobytes(), sys.byteorder, signed=self.signed)
        if self.bits >= 8:
            return number
        number &= (1 << self.bits) - 1
        return number - (1 << self.bits) if number > self.span[1] else number

    @override
    def default(self) -> Any:
        return self._scalar(0)

    @override
    def cast(self, value: object) -> Any:
        if self.is_in_bytes(value):
            return value
        low, high = self.span
        number = integer_of(value)
        if number is None or not low <= number <= high:
            raise cast_error(self, value, f"an integer from {low} to {high}")
        return self._scalar(number)


@lru_cache(maxsize=64)
def _facts(bits: int, signed: bool) -> tuple[int, int, Any]:  # noqa: FBT001 - the key of the cache
    made = IntType(bits, signed)
    return (*made.span, made.numpy().type if bits >= 8 else None)


for _signed in (True, False):
    for _bits in (8, 16, 32, 64):
        data_types.register(PlainFamily(IntType(_bits, _signed)))
