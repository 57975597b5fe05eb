"""The `null_terminated_bytes` data type: byte strings with a maximum length, v2 `|S12`.

Trailing zeros are padding. zarr-python 3 writes this name, which is not registered yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from typing_extensions import override

from zom.dataclass import dataclass
from zom.dtypes.base64_fill import parse_text, write_item
from zom.dtypes.element import cast_error
from zom.dtypes.sized import SizedFamily, SizedType
from zom.extension.datatype import DataType, data_types
from zom.extension.notation import NOTATIONS
from zom.extension.patterns import base64_up_to
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.extension.datatype import ByteOrder, Format, Kind
    from zom.extension.notation import Notation
    from zom.json.value import JSON
    from zom.problems import Fault, Path

__all__ = ["NullTerminatedBytesType"]


@dataclass(frozen=True, slots=True)
class NullTerminatedBytesType(SizedType):
    """Byte strings of at most `length` bytes.

    >>> NullTerminatedBytesType(4).parse_fill("YWI=", "v2", [])
    np.bytes_(b'ab')
    """

    uri: ClassVar[str] = "TODO: bytestring array protocol URL"

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

    @override
    def plain_fill_schema(self, notation: Notation) -> dict[str, Any]:
        del notation
        return {"type": "string", "pattern": base64_up_to(self.length)}

    @override
    def is_plain_fill(self, value: JSON, form: Format) -> bool:
        notation = NOTATIONS[form]
        if not isinstance(value, str) or notation.patterns:
            return False
        faults: list[Fault] = []
        return parse_text(self.length, value, notation, faults, ()) is not None and not faults

    @override
    def parse(self, value: Any, notation: Notation, faults: list[Fault], path: Path) -> Any:
        raw = parse_text(self.length, value, notation, faults, path)
        return None if raw is None else np.bytes_(raw.rstrip(b"\0"))

    @override
    def pack(self, scalar: Any) -> bytes:
        # numpy gives the empty byte string a size of one byte.
        return bytes(scalar).ljust(self.length, b"\0")

    @override
    def fill_json(self, scalar: Any, form: Format) -> JSON:
        raw = self.pack(scalar)
        # Some v2 readers need the whole element; v3 readers need the text without padding.
        return write_item(raw if NOTATIONS[form].padding else raw.rstrip(b"\0"))

    @override
    def default(self) -> Any:
        return np.bytes_(b"")

    @override
    def cast(self, value: object) -> Any:
        if isinstance(value, (bytes, bytearray)) and len(value.rstrip(b"\0")) <= self.length:
            return np.bytes_(value.rstrip(b"\0"))
        raise cast_error(self, value, f"at most {self.length} bytes")


class NullTerminatedBytesFamily(SizedFamily):
    """The family of `null_terminated_bytes`."""

    letter = "S"
    words = ("string", "bytes")

    @property
    def name(self) -> str:
        return "null_terminated_bytes"

    def of(self, length: int, order: ByteOrder | None = None) -> NullTerminatedBytesType:
        """Return the type; bytes have no byte order."""
        del order
        return NullTerminatedBytesType(length)

    def from_numpy(self, dtype: np.dtype[Any]) -> DataType | None:
        # Without a length (`np.dtype("S")`) elements have any length: that is `bytes`.
        if dtype.type is not np.bytes_ or not dtype.itemsize:
            return None
        return NullTerminatedBytesType(dtype.itemsize)

    def examples(self) -> Iterable[DataType]:
        return (NullTerminatedBytesType(1), NullTerminatedBytesType(12))


data_types.register(NullTerminatedBytesFamily())
