"""Shared base of data types configured by a number of bytes: text, byte strings and raw bytes, v2 `<U5`.

zarr-extensions, data type `fixed_length_utf32`; zarr-python 3, `null_terminated_bytes` and `raw_bytes`.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from typing_extensions import override

from zom.dtypes.base64_fill import base64_schema
from zom.dtypes.element import Element, draft_extension, extension_type
from zom.extension.configuration import Configuration
from zom.extension.datatype import DataType, DataTypeFamily, spelling_error
from zom.extension.field import Interval
from zom.extension.typestr import MOST_BYTES, parse_typestr

if TYPE_CHECKING:
    from zom.extension.datatype import ByteOrder, Format
    from zom.json.value import JSON
    from zom.problems import Fault, Path

__all__ = ["LengthConfiguration", "SizedFamily", "SizedType"]


class LengthConfiguration(Configuration):
    """The length of every element, in bytes.

    >>> LengthConfiguration(length_bytes=8).length_bytes
    8
    """

    length_bytes: Annotated[int, Interval(1, MOST_BYTES)]


class SizedType(Element):
    """A data type configured by the size of an element in bytes."""

    uri: ClassVar[str]
    """The extension URI in the draft."""

    @property
    def described(self) -> JSON:
        """The `type` of the draft extension."""
        return self.to_v2()

    @override
    def to_v3(self) -> JSON:
        return {"name": self.name, "configuration": {"length_bytes": self._length("v3")}}

    @override
    def to_draft(self) -> JSON:
        return draft_extension(self.uri, self.described, f"r{8 * self._length('draft')}")

    def _length(self, form: Format) -> int:
        if not self.itemsize:
            raise spelling_error(self, form, "it has no bytes")
        return self.itemsize


class SizedFamily(DataTypeFamily):
    """Shared base of the families of such types."""

    letter: ClassVar[str]
    """numpy's letter for the kind."""
    words: ClassVar[tuple[str, ...]]
    """The words in draft URIs that identify the kind."""
    unit: ClassVar[int] = 1
    """The bytes per unit of numpy's length."""

    @abstractmethod
    def of(self, length: int, order: ByteOrder | None = None) -> SizedType:
        """Return the type whose elements have `length` bytes."""

    @property
    @override
    def registered(self) -> bool:
        return False

    @property
    @override
    def configuration(self) -> type[LengthConfiguration]:
        return LengthConfiguration

    @override
    def fill_schema(self, form: Format) -> dict[str, Any]:
        return base64_schema(form)

    @override
    def from_v3(
        self, name: str, configuration: LengthConfiguration, faults: list[Fault], path: Path
    ) -> DataType | None:
        del name, faults, path
        return self.of(configuration.length_bytes)

    @override
    def from_v2(
        self, dtype: JSON, object_codec: str | None, faults: list[Fault], path: Path
    ) -> DataType | None:
        del object_codec, faults, path
        parts = parse_typestr(dtype) if isinstance(dtype, str) else None
        if parts is None or parts.kind != self.letter:
            return None
        return self.of(self.unit * parts.size, parts.order)

    @override
    def from_draft(self, data_type: JSON, faults: list[Fault], path: Path) -> DataType | None:
        return self.from_v2(extension_type(data_type, *self.words), None, faults, path)
