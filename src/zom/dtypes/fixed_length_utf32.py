"""The `fixed_length_utf32` data type: text with a maximum number of code points, v2 `<U5`.

zarr-extensions, data type `fixed_length_utf32`: 4 bytes for each code point; trailing zeros are padding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field
from typing_extensions import override

from zom.dataclass import dataclass
from zom.dtypes.element import cast_error
from zom.dtypes.fill_schema import text_schema
from zom.dtypes.sized import LengthConfiguration, SizedFamily, SizedType
from zom.extension.datatype import DataType, data_types
from zom.extension.field import Interval
from zom.extension.fill_value import LENGTH, refuse_type
from zom.extension.notation import NOTATIONS
from zom.extension.typestr import MOST_BYTES
from zom.numpy_later import np
from zom.problems import Fault, Path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.extension.datatype import ByteOrder, Format, Kind
    from zom.extension.notation import Notation
    from zom.json.value import JSON

__all__ = ["FixedLengthUTF32Type"]


class UTF32Configuration(LengthConfiguration):
    """The length of every element, in bytes: four for each code point."""

    length_bytes: Annotated[int, Interval(4, MOST_BYTES), Field(multiple_of=4)]


@dataclass(frozen=True, slots=True)
class FixedLengthUTF32Type(SizedType):
    """Text of at most `length` code points.

    >>> FixedLengthUTF32Type(5).parse_fill("hello", "v2", [])
    np.str_('hello')
    """

    uri: ClassVar[str] = "TODO: unicode array protocol URL"

    length: int
    byte_order: ByteOrder | None = None

    @property
    @override
    def name(self) -> str:
        return "fixed_length_utf32"

    @property
    @override
    def kind(self) -> Kind:
        return "string"

    @property
    @override
    def itemsize(self) -> int:
        return 4 * self.length

    @property
    @override
    def unit(self) -> int:
        return 4

    @property
    @override
    def order(self) -> ByteOrder | None:
        return self.byte_order

    @property
    def _spelled(self) -> str:
        return f"{'>' if self.byte_order == 'big' else '<'}U{self.length}"

    @override
    def numpy(self) -> np.dtype[Any]:
        return np.dtype(self._spelled)

    @override
    def to_v2(self) -> JSON:
        return self._spelled

    @override
    def plain_fill_schema(self, notation: Notation) -> dict[str, Any]:
        del notation
        return {"type": "string", "maxLength": self.length}

    @override
    def is_plain_fill(self, value: JSON, form: Format) -> bool:
        return isinstance(value, str) and len(value) <= self.length and not NOTATIONS[form].patterns

    @override
    def parse(self, value: Any, notation: Notation, faults: list[Fault], path: Path) -> Any:
        del notation
        if not isinstance(value, str):
            refuse_type(f"text of at most {self.length} characters", value, faults, path)
            return None
        if len(value) > self.length:
            expected = f"text of at most {self.length} characters"
            faults.append(Fault(LENGTH, path, expected, f"{len(value)} characters"))
            return None
        return np.str_(value.rstrip("\0"))

    @override
    def accepts(self, raw: bytes) -> bool:
        points = (int.from_bytes(raw[i : i + 4], "big") for i in range(0, len(raw), 4))
        return all(point < 0x110000 and not 0xD800 <= point < 0xE000 for point in points)

    @override
    def pack(self, scalar: Any) -> bytes:
        coding = "utf-32-be" if self.byte_order == "big" else "utf-32-le"
        return str(scalar).encode(coding, "surrogatepass").ljust(self.itemsize, b"\0")

    @override
    def fill_json(self, scalar: Any, form: Format) -> JSON:
        del form
        return str(scalar).rstrip("\0")

    @override
    def default(self) -> Any:
        return np.str_("")

    @override
    def cast(self, value: object) -> Any:
        if isinstance(value, str) and len(value.rstrip("\0")) <= self.length:
            return np.str_(value.rstrip("\0"))
        raise cast_error(self, value, f"text of at most {self.length} characters")


class FixedLengthUTF32Family(SizedFamily):
    """The family of `fixed_length_utf32`."""

    letter = "U"
    words = ("unicode", "string")
    unit = 4

    @property
    def name(self) -> str:
        return "fixed_length_utf32"

    @property
    def registered(self) -> bool:
        return True

    @property
    def configuration(self) -> type[UTF32Configuration]:
        return UTF32Configuration

    def of(self, length: int, order: ByteOrder | None = None) -> FixedLengthUTF32Type:
        """Return the type with a quarter as many code points."""
        return FixedLengthUTF32Type(length // self.unit, order)

    def fill_schema(self, form: Format) -> dict[str, Any]:
        return text_schema(form)

    def from_numpy(self, dtype: np.dtype[Any]) -> DataType | None:
        # Without a length (`np.dtype(str)`) elements have any length: that is `string`.
        if dtype.type is not np.str_ or not dtype.itemsize:
            return None
        return FixedLengthUTF32Type(dtype.itemsize // 4, "big" if dtype.str[0] == ">" else None)

    def examples(self) -> Iterable[DataType]:
        return (FixedLengthUTF32Type(1), FixedLengthUTF32Type(5), FixedLengthUTF32Type(5, "big"))


data_types.register(FixedLengthUTF32Family())
