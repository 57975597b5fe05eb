"""The data types `numpy.datetime64` and `numpy.timedelta64`: 64-bit ticks of a unit, v2 `<M8[10us]`.

zarr-extensions, data types `numpy.datetime64` and `numpy.timedelta64`; Zarr v2, data type encoding: these
"MUST also include the units". numpy reads and writes `<M8` for the unit that it calls generic.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typing_extensions import override

from zom.dataclass import dataclass
from zom.dtypes.element import Element, cast_error, draft_extension, extension_type
from zom.extension.configuration import Configuration
from zom.extension.datatype import DataType, DataTypeFamily, data_types
from zom.extension.field import Interval
from zom.extension.fill_value import parse_int, refuse_type
from zom.extension.notation import NOTATIONS
from zom.extension.typestr import MOST_BYTES, parse_typestr
from zom.json.python_value import integer_of
from zom.numpy_later import np
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.extension.datatype import ByteOrder, Format, Kind
    from zom.extension.notation import Notation
    from zom.json.value import JSON

__all__ = ["TimeType"]

UNIT = rule(
    "v2/datetime-unit",
    "a v2 date or duration states its unit",
    source="Zarr v2, data type encoding",
    lenient="warning",
)

Unit = Literal["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "μs", "ns", "ps", "fs", "as", "generic"]
"""A unit in v3 spelling."""

_NAT = -(1 << 63)
_SPAN = (_NAT, (1 << 63) - 1)


class TimeConfiguration(Configuration):
    """The unit of the ticks, and the number of units per tick."""

    unit: Unit
    scale_factor: Annotated[int, Interval(1, MOST_BYTES)]


@dataclass(frozen=True, slots=True)
class TimeType(Element):
    """Dates (`letter` "M") or durations ("m") in ticks of `scale` units.

    >>> TimeType("M", "s").parse_fill("NaT", "v3", []).dtype
    dtype('<M8[s]')
    """

    letter: Literal["M", "m"]
    tick: str = "generic"
    scale: int = 1
    byte_order: ByteOrder | None = None

    @property
    @override
    def name(self) -> str:
        return "numpy.datetime64" if self.letter == "M" else "numpy.timedelta64"

    @property
    @override
    def kind(self) -> Kind:
        return "datetime" if self.letter == "M" else "timedelta"

    @property
    @override
    def itemsize(self) -> int:
        return 8

    @property
    @override
    def unit(self) -> int:
        return 8

    @property
    @override
    def order(self) -> ByteOrder | None:
        return self.byte_order

    @property
    def _spelled(self) -> str:
        mark = ">" if self.byte_order == "big" else "<"
        if self.tick == "generic":
            return f"{mark}{self.letter}8"
        return f"{mark}{self.letter}8[{self.scale if self.scale > 1 else ''}{self.tick}]"

    @override
    def numpy(self) -> np.dtype[Any]:
        return np.dtype(self._spelled)

    @override
    def to_v2(self) -> JSON:
        return self._spelled

    @override
    def to_v3(self) -> JSON:
        return {"name": self.name, "configuration": {"unit": self.tick, "scale_factor": self.scale}}

    @override
    def to_draft(self) -> JSON:
        uri = "https://purl.org/zarr/spec/extensions/data-types/datetime/1.0"
        return draft_extension(uri, self._spelled, f"{self._spelled[0]}i8")

    @override
    def plain_fill_schema(self, notation: Notation) -> dict[str, Any]:
        del notation
        integers = {"type": "integer", "minimum": _SPAN[0], "maximum": _SPAN[1]}
        return {"if": {"type": "string"}, "then": {"const": "NaT", "type": "string"}, "else": integers}

    @override
    def is_plain_fill(self, value: JSON, form: Format) -> bool:
        del form
        return value == "NaT" or (type(value) is int and _SPAN[0] <= value <= _SPAN[1])

    @override
    def parse(self, value: Any, notation: Notation, faults: list[Fault], path: Path) -> Any:
        if value == "NaT":
            return self._scalar(_NAT)
        if isinstance(value, str):
            refuse_type('an integer, or "NaT"', value, faults, path)
            return None
        ticks = parse_int(_SPAN, value, notation, faults, path)
        return None if ticks is None else self._scalar(ticks)

    def _scalar(self, ticks: int) -> Any:
        return self.unpack(ticks.to_bytes(8, self.stored, signed=True))

    @override
    def unpack(self, raw: bytes) -> Any:
        ticks = int.from_bytes(raw, self.stored, signed=True)
        if self.tick == "generic" and self.letter == "M" and ticks != _NAT:
            # numpy has arrays of such dates but no scalars, so use the ticks.
            return np.int64(ticks)
        # Scalars have native byte order, whatever the order in a chunk.
        return np.int64(ticks).view(self.numpy().newbyteorder("="))

    @override
    def fill_json(self, scalar: Any, form: Format) -> JSON:
        ticks = int(scalar.view(np.int64))
        return "NaT" if ticks == _NAT and NOTATIONS[form].not_a_time else ticks

    @override
    def default(self) -> Any:
        return self._scalar(_NAT)

    @override
    def cast(self, value: object) -> Any:
        given: Any = value
        expected = f"a {self.kind} in steps of {self.scale} {self.tick}, without loss"
        ticks = None if isinstance(value, (float, np.floating)) else integer_of(value)
        if ticks is not None and _SPAN[0] <= ticks <= _SPAN[1]:
            return self._scalar(ticks)
        if isinstance(value, str) and value == "NaT":
            return self._scalar(_NAT)
        known: Any = (dt.date, np.datetime64, str) if self.letter == "M" else (dt.timedelta, np.timedelta64)
        if not isinstance(value, known):
            raise cast_error(self, given, expected)
        try:
            # Python's durations count microseconds; without a unit numpy would guess one.
            instant: Any = np.timedelta64(given, "us") if isinstance(value, dt.timedelta) else known[1](given)
            made = instant.astype(self.numpy().newbyteorder("="))
            same = np.isnat(instant) or bool(made.astype(instant.dtype) == instant)
        except (ValueError, TypeError, OverflowError):
            raise cast_error(self, given, expected) from None
        if not same:
            raise cast_error(self, given, expected)
        return made


@dataclass(frozen=True, slots=True)
class TimeFamily(DataTypeFamily):
    """The family of dates or of durations."""

    prototype: TimeType

    @property
    def name(self) -> str:
        return self.prototype.name

    @property
    def configuration(self) -> type[Configuration]:
        return TimeConfiguration

    def fill_schema(self, form: Format) -> dict[str, Any]:
        return self.prototype.fill_schema(form)

    def from_v3(
        self, name: str, configuration: TimeConfiguration, faults: list[Fault], path: Path
    ) -> DataType | None:
        del name, faults, path
        # "us" and "μs" are "equivalent and interchangeable".
        return replace(
            self.prototype, tick=configuration.unit.replace("μ", "u"), scale=configuration.scale_factor
        )

    def from_v2(
        self, dtype: JSON, object_codec: str | None, faults: list[Fault], path: Path
    ) -> DataType | None:
        del object_codec
        parts = parse_typestr(dtype) if isinstance(dtype, str) else None
        if parts is None or parts.kind != self.prototype.letter:
            return None
        if parts.unit is None:
            letter = self.prototype.letter
            faults.append(Fault(UNIT, path, f'a unit, as in "<{letter}8[ns]"', show(dtype)))
        return TimeType(self.prototype.letter, parts.unit or "generic", parts.scale, parts.order)

    def from_draft(self, data_type: JSON, faults: list[Fault], path: Path) -> DataType | None:
        return self.from_v2(extension_type(data_type, "datetime", "timedelta"), None, faults, path)

    def from_numpy(self, dtype: np.dtype[Any]) -> DataType | None:
        if dtype.kind != self.prototype.letter:
            return None
        unit, scale = np.datetime_data(dtype)
        return TimeType(self.prototype.letter, unit, scale, "big" if dtype.str[0] == ">" else None)

    def examples(self) -> Iterable[DataType]:
        letter = self.prototype.letter
        yield TimeType(letter)
        yield TimeType(letter, "ns")
        yield TimeType(letter, "us", 10, "big")


for _letter in ("M", "m"):
    data_types.register(TimeFamily(TimeType(_letter)))
