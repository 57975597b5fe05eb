"""The `raw_bytes` data type: elements with a number of uninterpreted bytes, v2 `|V8`.

zarr-python 3 writes this name, which is not registered; in the core specification it is `r64`.
Fill values are base64 in every format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from typing_extensions import override

from zom.dataclass import dataclass
from zom.dtypes.base64_fill import parse_item, write_item
from zom.dtypes.element import Element, cast_error, extension_type, is_unnamed_field
from zom.dtypes.sized import SizedFamily, SizedType
from zom.extension.datatype import DataType, data_types
from zom.extension.patterns import base64_up_to
from zom.json.python_value import bytes_of
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.extension.datatype import ByteOrder, Format, Kind
    from zom.extension.notation import Notation
    from zom.json.value import JSON
    from zom.problems import Fault, Path

__all__ = ["RawBytesType", "RawElement"]


class RawElement(Element):
    """Uninterpreted bytes of fixed size; numpy's void."""

    @property
    @override
    def kind(self) -> Kind:
        return "raw"

    @override
    def numpy(self) -> np.dtype[Any]:
        return np.dtype(f"V{self.itemsize}")

    @override
    def to_v2(self) -> JSON:
        return f"|V{self.itemsize}"

    @override
    def default(self) -> Any:
        return self.unpack(bytes(self.itemsize))

    @override
    def cast(self, value: object) -> Any:
        raw = bytes_of(value)
        if raw is None or len(raw) != self.itemsize:
            raise cast_error(self, value, f"{self.itemsize} bytes")
        return self.unpack(raw)


@dataclass(frozen=True, slots=True)
class RawBytesType(RawElement, SizedType):
    r"""Elements of `length` bytes.

    >>> RawBytesType(2).parse_fill("AQI=", "v3", []).tobytes()
    b'\x01\x02'
    """

    uri: ClassVar[str] = "TODO: structured array protocol URL"

    length: int

    @property
    @override
    def name(self) -> str:
        return "raw_bytes"

    @property
    @override
    def itemsize(self) -> int:
        return self.length

    @property
    @override
    def described(self) -> JSON:
        # zarr-python 2 wrote `descr` here, a list with one field without a name.
        return [["", self.to_v2()]]

    @override
    def plain_fill_schema(self, notation: Notation) -> dict[str, Any]:
        del notation
        return {"type": "string", "pattern": base64_up_to(self.length)}

    @override
    def parse(self, value: Any, notation: Notation, faults: list[Fault], path: Path) -> Any:
        raw = parse_item(self.itemsize, value, faults, path)
        return None if raw is None else self.unpack(raw)

    @override
    def fill_json(self, scalar: Any, form: Format) -> JSON:
        del form
        return write_item(self.pack(scalar))


class RawBytesFamily(SizedFamily):
    """The family of `raw_bytes`."""

    letter = "V"
    words = ("struct", "void", "raw")

    @property
    def name(self) -> str:
        return "raw_bytes"

    def of(self, length: int, order: ByteOrder | None = None) -> RawBytesType:
        """Return the type; raw bytes have no byte order."""
        del order
        return RawBytesType(length)

    def from_draft(self, data_type: JSON, faults: list[Fault], path: Path) -> DataType | None:
        spelled = extension_type(data_type, *self.words)
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
