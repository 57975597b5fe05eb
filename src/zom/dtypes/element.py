"""Shared base of data types of fixed size: bytes to scalar and back, and parsing of fill values.

A scalar is numpy's value of one element. If numpy has no such type (ml_dtypes is missing, or has none
either), it is an `np.void` with the element's bytes, so that documents can still be checked.
"""

from __future__ import annotations

import re
import sys
from abc import abstractmethod
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from typing_extensions import override

from zom.dataclass import dataclass
from zom.dtypes.fill_schema import by_text, or_null
from zom.errors import ExtensionError, SpecError
from zom.extension.datatype import ByteOrder, DataType, DataTypeFamily, spelling_error
from zom.extension.fill_value import CAST, WIDTH, no_fill
from zom.extension.notation import NOTATIONS
from zom.extension.patterns import hexadecimal, whole
from zom.extension.typestr import Typestr, parse_typestr
from zom.json.python_value import is_list
from zom.numpy_later import np
from zom.packages import import_package
from zom.problems import Fault, Path, Problem, show

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.extension.datatype import Format
    from zom.extension.notation import Notation
    from zom.json.value import JSON

__all__ = [
    "Element",
    "NumberType",
    "PlainFamily",
    "PlainType",
    "cast_error",
    "draft_extension",
    "extension_type",
    "is_unnamed_field",
    "ml_dtype",
    "pack",
    "unpack",
]

_DIGITS = re.compile(r"0x[0-9a-fA-F]+|0b[01]+")


def cast_error(data_type: DataType, value: object, expected: str) -> SpecError:
    """Return the error for a Python value that is no scalar of `data_type`."""
    given: Any = value
    found = show(given.item() if isinstance(value, np.generic) else given)
    return SpecError(
        [Problem(CAST.code, "error", "/", "", (), expected, found)], f"a value of type {data_type.name}"
    )


class Element(DataType):
    """A data type whose elements all have the same size."""

    @property
    @abstractmethod
    @override
    def itemsize(self) -> int: ...

    @property
    def unit(self) -> int:
        """The number of bytes that byte order applies to; 1 if there is no byte order."""
        return 1

    @property
    @override
    def has_order(self) -> bool:
        return self.unit > 1

    @property
    def stored(self) -> ByteOrder:
        """The byte order that `pack` writes."""
        return self.order or "little"

    @abstractmethod
    def parse(self, value: Any, notation: Notation, faults: list[Fault], path: Path) -> Any:
        """Return the scalar of a fill value other than null."""

    @override
    def fill_schema(self, form: Format) -> dict[str, Any]:
        notation = NOTATIONS[form]
        schema = self.plain_fill_schema(notation)
        if schema and notation.patterns:
            schema = by_text({"type": "string", "pattern": whole(self.digits)}, schema)
        return or_null(schema) if schema and notation.null else schema

    @property
    def digits(self) -> str:
        """The regular expression of the full-width bit patterns that the draft accepts."""
        return f"{hexadecimal(self.itemsize)}|0b[01]{{{8 * self.itemsize}}}"

    def plain_fill_schema(self, notation: Notation) -> dict[str, Any]:
        """Return a JSON Schema of the values that `parse` accepts at the level "strict"; {} if unknown."""
        del notation
        return {}

    @override
    def parse_fill(self, value: JSON, form: Format, faults: list[Fault], path: Path = ()) -> Any:
        notation = NOTATIONS[form]
        if value is None:
            return no_fill(self, notation, faults, path)
        if notation.patterns and type(value) is str and _DIGITS.fullmatch(value):
            return self._read_digits(value, notation, faults, path)
        return self.parse(value, notation, faults, path)

    def _read_digits(self, value: str, notation: Notation, faults: list[Fault], path: Path) -> Any:
        """Return the scalar of a full-width bit pattern, which the draft accepts for all data types."""
        each = 4 if value[1] == "x" else 1
        if (len(value) - 2) * each != 8 * self.itemsize:
            if isinstance(self.default(), (bytes, str, np.void)):
                # Text may begin with 0x without being a pattern; with the full width it can't be valid text.
                return self.parse(value, notation, faults, path)
            digits = (
                f'"0x" and {2 * self.itemsize} hexadecimal, or "0b" and {8 * self.itemsize} binary, digits'
            )
            faults.append(Fault(WIDTH, path, digits, show(value)))
            return None
        raw = int(value[2:], 16 if each == 4 else 2).to_bytes(self.itemsize, "big")
        if not self.accepts(raw):
            return self.parse(value, notation, faults, path)
        return self.unpack(raw if self.stored == "big" else swapped(raw, self.unit))

    def accepts(self, raw: bytes) -> bool:
        """Whether the big-endian bytes `raw` are a valid element."""
        del raw
        return True

    def unpack(self, raw: bytes) -> Any:
        """Return the scalar of one element's bytes, in the byte order of the type."""
        try:
            made = self.numpy()
        except ExtensionError:
            return np.void(raw)
        return np.frombuffer(raw, made)[0] if raw else np.zeros((), made)[()]

    def pack(self, scalar: Any) -> bytes:
        """Return the bytes of `scalar`, in the byte order of the type."""
        raw = bytes(scalar.tobytes()).ljust(self.itemsize, b"\0")
        if self.unit == 1 or isinstance(scalar, np.void) or self.stored == sys.byteorder:
            return raw
        return swapped(raw, self.unit)


def swapped(raw: bytes, unit: int) -> bytes:
    """Reverse the bytes of each unit of `raw`.

    >>> swapped(b"abcd", 2)
    b'badc'
    """
    if unit == 1:
        return raw
    return b"".join(raw[i : i + unit][::-1] for i in range(0, len(raw), unit))


def pack(data_type: DataType, scalar: Any) -> bytes:
    """Return the bytes of one element of any type of fixed size."""
    if isinstance(data_type, Element):
        return data_type.pack(scalar)
    return bytes(np.asarray(scalar, data_type.numpy()).tobytes())


def unpack(data_type: DataType, raw: bytes) -> Any:
    """Return the scalar of one element's bytes, for any type of fixed size."""
    if isinstance(data_type, Element):
        return data_type.unpack(raw)
    return np.frombuffer(raw, data_type.numpy())[0]


@lru_cache(maxsize=64)
def ml_dtype(name: str) -> np.dtype[Any]:
    """Return the numpy type that the package ml_dtypes adds as `name`."""
    try:
        module: Any = import_package("ml_dtypes")
    except ImportError:
        message = f"numpy has no {name}: pip install 'zom[codecs]', which installs ml_dtypes"
        raise ExtensionError(message) from None
    if not hasattr(module, name):
        message = f"this version of ml_dtypes has no {name}: pip install --upgrade ml_dtypes"
        raise ExtensionError(message)
    made: np.dtype[Any] = np.dtype(getattr(module, name))
    return made


def is_ml_dtype(dtype: np.dtype[Any], name: str) -> bool:
    """Whether `dtype` is the ml_dtypes type `name`, without importing that package."""
    return dtype.name == name and dtype.type.__module__.partition(".")[0] == "ml_dtypes"


def draft_extension(extension: str, spelled: JSON, fallback: str | None) -> JSON:
    """Return a draft extension for a data type that is not in the draft's table; its URIs were never settled.

    >>> draft_extension("TODO: unicode array protocol URL", "<U5", "r160")["fallback"]
    'r160'
    """
    return {"extension": extension, "type": spelled, "fallback": fallback}


def extension_type(value: JSON, *words: str) -> Any:
    """Return the `type` of a draft extension whose URI contains one of `words`; None for other values.

    URIs were never settled (some are "TODO: unicode array protocol URL"), so they are matched by words.

    >>> extension_type({"extension": "https://example.org/datetime/1.0", "type": "<M8[s]"}, "datetime")
    '<M8[s]'
    """
    if isinstance(value, dict):
        uri = value.get("extension")
        if isinstance(uri, str) and any(word in uri.lower() for word in words):
            return value.get("type")
    return None


def is_unnamed_field(spelled: Any) -> bool:
    """Whether `spelled` is a list of one field without a name, as zarr-python 2 wrote raw bytes in the draft.

    >>> is_unnamed_field([["", "|V4"]]), is_unnamed_field([["a", "|V4"]]), is_unnamed_field([None])
    (True, False, False)
    """
    return is_list(spelled) and len(spelled) == 1 and is_list(spelled[0]) and spelled[0][:1] == [""]


class PlainType(Element):
    """A data type without configuration; in numpy it may have two byte orders."""

    @property
    def code(self) -> str | None:
        """Kind and size in numpy's spelling, without byte order; None if numpy has no such type."""
        return None

    @property
    def v2_name(self) -> str | None:
        """The v2 name of a type that numpy lacks."""
        return None

    def ordered(self, order: ByteOrder | None) -> DataType:
        """Return the same type with a stated byte order."""
        del order
        return self

    @override
    def numpy(self) -> np.dtype[Any]:
        if self.code is None:
            return ml_dtype(self.name)
        return np.dtype((">" if self.order == "big" else "<") + self.code)

    @override
    def to_v2(self) -> JSON:
        return self.v2_name or self._typestr("v2")

    @override
    def to_v3(self) -> JSON:
        return self.name

    @override
    def to_draft(self) -> JSON:
        return self._typestr("draft") if self.code is None or self.order is not None else self.name

    def _typestr(self, form: Format) -> str:
        if self.code is None:
            raise spelling_error(self, form, "numpy has no such type")
        mark = "|" if self.unit == 1 else ">" if self.order == "big" else "<"
        return mark + self.code


class NumberType(PlainType):
    """A number; subclasses are dataclasses with the field `byte_order`."""

    byte_order: ByteOrder | None

    @property
    @override
    def order(self) -> ByteOrder | None:
        return self.byte_order

    @override
    def ordered(self, order: ByteOrder | None) -> DataType:
        own: Any = self
        return cast("DataType", replace(own, byte_order=order))

    def is_in_bytes(self, value: object) -> bool:
        """Whether `value` is an `np.void` of this type, as `unpack` returns if numpy has no scalar."""
        given: Any = value
        return isinstance(value, np.void) and given.dtype == self.default().dtype


@dataclass(frozen=True, slots=True)
class PlainFamily(DataTypeFamily):
    """The family of one plain type."""

    element: PlainType
    other_names: tuple[str, ...] = ()
    is_registered: bool = True

    @property
    @override
    def name(self) -> str:
        return self.element.name

    @property
    @override
    def aliases(self) -> tuple[str, ...]:
        return self.other_names

    @property
    @override
    def registered(self) -> bool:
        return self.is_registered

    @override
    def fill_schema(self, form: Format) -> dict[str, Any]:
        return self.element.fill_schema(form)

    @override
    def from_v3(self, name: str, configuration: Any, faults: list[Fault], path: Path) -> DataType | None:
        del name, configuration, faults, path
        return self.element

    @override
    def from_v2(
        self, dtype: JSON, object_codec: str | None, faults: list[Fault], path: Path
    ) -> DataType | None:
        del object_codec, faults, path
        if isinstance(dtype, str):
            if self.element.v2_name == dtype:
                return self.element
            return self._of(parse_typestr(dtype))
        return None

    def _of(self, parts: Typestr | None) -> DataType | None:
        if parts is None or f"{parts.kind}{parts.size}" != self.element.code:
            return None
        return self.element.ordered(parts.order)

    @override
    def from_draft(self, data_type: JSON, faults: list[Fault], path: Path) -> DataType | None:
        del faults, path
        if self.element.code is None:
            return None
        spelled = extension_type(data_type, "complex") if isinstance(data_type, dict) else data_type
        if not isinstance(spelled, str):
            return None
        if spelled == self.element.name or (self.element.unit == 1 and spelled == self.element.code):
            return self.element
        return self._of(parse_typestr(spelled))

    @override
    def from_numpy(self, dtype: np.dtype[Any]) -> DataType | None:
        if self.element.code is None:
            return self.element if is_ml_dtype(dtype, self.element.name) else None
        if dtype.str[1:] != self.element.code or dtype.type.__module__ != "numpy":
            return None
        return self.element.ordered("big" if dtype.str[0] == ">" else None)

    @override
    def examples(self) -> Iterable[DataType]:
        yield self.element
        if self.element.code is not None and self.element.has_order:
            yield self.element.ordered("big")
            yield self.element.ordered("little")
