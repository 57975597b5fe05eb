"""Dates in stated values: ranges such as 2000-01-01 by month, for datetime64 and `units: days since ...`.

All arithmetic uses whole nanoseconds since 0000-01-01 of a calendar: nothing is rounded, and a date that the
array can't hold is refused. CF Conventions 1.12, section 4.4.1, defines the calendars and the units.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from zom.dataclass import dataclass
from zom.declaration.element import UnfitError
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.extension.datatype import DataType

__all__ = ["Clock", "clock_of", "duration", "is_date", "step_words"]

_DATE: Final = re.compile(
    r"([0-9]{1,4})-([0-9]{1,2})(?:-([0-9]{1,2})"
    r"(?:[T ]([0-9]{1,2})(?::([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?)?)?)?(?: ?(?:Z|UTC))?",
    re.ASCII,
)
_STEP: Final = re.compile(r"([+-]?[0-9]{1,18}) ?([A-Za-z]+)", re.ASCII)
_SINCE: Final = re.compile(r"([A-Za-z]+) since (.+)", re.ASCII | re.DOTALL)

_SECOND: Final = 10**9
_LENGTHS: Final[Mapping[str, int]] = {
    "nanosecond": 1,
    "microsecond": 10**3,
    "millisecond": 10**6,
    "second": _SECOND,
    "minute": 60 * _SECOND,
    "hour": 3600 * _SECOND,
    "day": 86400 * _SECOND,
    "week": 7 * 86400 * _SECOND,
}
_MONTHS: Final[Mapping[str, int]] = {"month": 1, "year": 12}
_SHORT: Final[Mapping[str, str]] = {
    "ns": "nanosecond",
    "us": "microsecond",
    "usec": "microsecond",
    "ms": "millisecond",
    "msec": "millisecond",
    "s": "second",
    "sec": "second",
    "min": "minute",
    "h": "hour",
    "hr": "hour",
    "d": "day",
}
_TICKS: Final[Mapping[str, str]] = {
    "W": "week",
    "D": "day",
    "h": "hour",
    "m": "minute",
    "s": "second",
    "ms": "millisecond",
    "us": "microsecond",
    "ns": "nanosecond",
    "M": "month",
    "Y": "year",
}
_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_GREGORIAN: Final = frozenset({"standard", "gregorian", "proleptic_gregorian"})
_LEAP_YEARS: Final[Mapping[str, Callable[[int], bool]]] = {
    **dict.fromkeys(_GREGORIAN, lambda year: year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)),
    **dict.fromkeys(("noleap", "365_day"), lambda _: False),
    **dict.fromkeys(("all_leap", "366_day"), lambda _: True),
    "julian": lambda year: year % 4 == 0,
}
_EQUAL_MONTHS: Final = "360_day"
_NO_UNIT: Final = 'write a number and its unit, such as "1 day" or "6 hours"'


def is_date(value: Any) -> bool:
    """Whether a value is a date as text.

    >>> is_date("2000-01-01"), is_date("2000-01-01 06:00"), is_date(2000), is_date("NaN")
    (True, True, False, False)
    """
    return isinstance(value, str) and _DATE.fullmatch(value) is not None


def duration(many: int, unit: str) -> str:
    """Return a number of units as a declaration has it: without separators, which it can't be read with.

    >>> duration(1, "day"), duration(-6, "hour"), duration(1500, "day")
    ('1 day', '-6 hours', '1500 days')
    """
    return f"{many} {unit}{'s' * (abs(many) != 1)}"


def step_words(gap: np.timedelta64) -> str | None:
    """Return a duration in its largest whole unit, or None if it has no named unit.

    >>> step_words(np.timedelta64(36, "h")), step_words(np.timedelta64(48, "h")), step_words(np.timedelta64(2, "Y"))
    ('36 hours', '2 days', '2 years')
    """
    unit, scale = np.datetime_data(gap.dtype)
    name = _TICKS.get(unit)
    many = gap.astype(np.int64).item() * scale
    if name is None or name in _MONTHS:
        return None if name is None else duration(many, name)
    length = many * _LENGTHS[name]
    units = [each for each in _LENGTHS if each != "week" and length % _LENGTHS[each] == 0]
    largest = units[-1]
    return duration(length // _LENGTHS[largest], largest)


def _unit(name: str) -> str | None:
    """Return the full unit for a name, singular or plural, full or short; None if unknown."""
    known = {*_LENGTHS, *_MONTHS}
    one = name.lower() if name.lower() in _SHORT else name.lower().removesuffix("s")
    return _SHORT.get(one, one if one in known else None)


@dataclass(frozen=True, slots=True)
class _Calendar:
    name: str

    def days_in(self, year: int, month: int) -> int:
        if self.name == _EQUAL_MONTHS:
            return 30
        return _DAYS[month - 1] + (month == 2 and _LEAP_YEARS[self.name](year))

    def day_number(self, year: int, month: int, day: int) -> int:
        """Return the days since 0000-01-01."""
        if self.name == _EQUAL_MONTHS:
            return 360 * year + 30 * (month - 1) + day - 1
        before = year - 1
        leaps = 0
        if self.name in _GREGORIAN:
            leaps = before // 4 - before // 100 + before // 400 + 1
        elif self.name == "julian":
            leaps = before // 4 + 1
        elif self.name in {"all_leap", "366_day"}:
            leaps = year
        return 365 * year + leaps + sum(self.days_in(year, each) for each in range(1, month)) + day - 1

    def time_of(self, text: str) -> _Time:
        found = _DATE.fullmatch(text)
        if found is None:
            fix = (
                "write times in UTC, without an offset"
                if re.search(r"[+-][0-9]{2}:?[0-9]{2}$", text)
                else None
            )
            raise UnfitError("a date such as 2000-01-01, or 2000-01-01T06:00", show(text), fix)
        year, month, day, hour, minute, second = (
            int(each or least) for each, least in zip(found.groups()[:6], _LEAST, strict=True)
        )
        if not (
            1 <= month <= 12
            and 1 <= day <= self.days_in(year, month)
            and hour < 24
            and minute < 60
            and second < 60
        ):
            raise UnfitError(f"a date of the calendar {self.name}", show(text))
        if self.name in {"standard", "gregorian"} and (year, month, day) < (1582, 10, 15):
            fix = "state calendar: proleptic_gregorian"
            raise UnfitError(
                "a date since 1582-10-15, when the standard calendar becomes Gregorian", show(text), fix
            )
        rest = (hour * 60 + minute) * 60 + second
        return _Time(self, 12 * year + month - 1, day, rest * _SECOND + int((found[7] or "0").ljust(9, "0")))


_LEAST: Final = (0, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class _Time:
    """A time as months since 0000-01, day of the month from 1, and nanoseconds of the day."""

    calendar: _Calendar
    month: int
    day: int
    rest: int

    @property
    def nanoseconds(self) -> int:
        """Nanoseconds since 0000-01-01."""
        day = self.calendar.day_number(self.month // 12, self.month % 12 + 1, self.day)
        return day * _LENGTHS["day"] + self.rest

    def later(self, months: int) -> _Time:
        """Return the same day a number of months later."""
        month = self.month + months
        if month < 0 or self.day > self.calendar.days_in(month // 12, month % 12 + 1):
            found = f"day {self.day} of {month // 12:04}-{month % 12 + 1:02}"
            raise UnfitError("a day that every month has", found, "start at a day up to 28")
        return replace(self, month=month)


@dataclass(frozen=True, slots=True)
class Clock:
    """The time encoding of an array: a unit and a reference date."""

    unit: str
    scale: int
    since: _Time
    is_whole: bool
    """Whether the array supports only whole numbers."""

    def number(self, text: str) -> Any:
        """Return the number that stores a date.

        >>> from zom.extension.resolve import data_type
        >>> clock = clock_of(data_type("int64"), "hours since 2000-01-01", "noleap")
        >>> clock.number("2000-03-01"), clock.number("2000-01-02 06:00")
        (1416, 30)
        """
        return self._number(self.since.calendar.time_of(text), text)

    def _number(self, time: _Time, shown: str) -> Any:
        if self.unit in _MONTHS:
            apart = (time.day, time.rest) != (self.since.day, self.since.rest)
            found = Fraction(time.month - self.since.month, _MONTHS[self.unit] * self.scale)
        else:
            apart = False
            gap = time.nanoseconds - self.since.nanoseconds
            found = Fraction(gap, _LENGTHS[self.unit] * self.scale)
        if apart or (self.is_whole and found.denominator != 1):
            raise self._fraction(shown)
        return int(found) if self.is_whole else float(found)

    def _fraction(self, shown: str) -> UnfitError:
        every = duration(self.scale, self.unit) if self.scale > 1 else self.unit
        return UnfitError(f"dates that are whole numbers of the unit {every}", shown, "choose a smaller unit")

    def range(self, given: Mapping[str, Any], count: int, most: int) -> list[Any]:
        """Return the numbers of a range of `count` dates.

        >>> from zom.extension.resolve import data_type
        >>> clock = clock_of(data_type("datetime64[D]"), None, None)
        >>> clock.range({"start": "1970-01-01", "step": "1 month"}, 3, 9)
        [0, 31, 59]
        """
        start = self.since.calendar.time_of(_text(given.get("start"), given))
        if "step" not in given:
            return self._between(start, given, count)
        many, unit = _step_of(given["step"])
        if "stop" in given:
            found = self._steps_to(
                start, self.since.calendar.time_of(_text(given["stop"], given)), many, unit, given
            )
            if found > most or found != count:
                fix = "leave out stop or step"
                raise UnfitError(f"{count} values, as the dimension has", f"{found} from {show(given)}", fix)
        if unit in _MONTHS:
            months = many * _MONTHS[unit]
            return [self._number(start.later(months * index), show(given)) for index in range(count)]
        return self._evenly(start, many * _LENGTHS[unit], count, given)

    def _evenly(self, start: _Time, gap: int, count: int, given: Mapping[str, Any]) -> list[Any]:
        if self.unit in _MONTHS:
            raise UnfitError(f"a step of months or years for the unit {self.unit}", show(given.get("step")))
        unit = _LENGTHS[self.unit] * self.scale
        first = Fraction(start.nanoseconds - self.since.nanoseconds, unit)
        step = Fraction(gap, unit)
        if self.is_whole and (first.denominator != 1 or (step.denominator != 1 and count > 1)):
            raise self._fraction(show(given))
        found = [first + step * index for index in range(count)]
        return [int(each) if self.is_whole else float(each) for each in found]

    def _between(self, start: _Time, given: Mapping[str, Any], count: int) -> list[Any]:
        stop = self.since.calendar.time_of(_text(given.get("stop"), given))
        gap = stop.nanoseconds - start.nanoseconds
        if count < 2:
            if gap and count:
                raise UnfitError("a range with start and step for one value", show(given))
            return [self._number(start, show(given))] * count
        if gap % (count - 1):
            raise UnfitError(f"{count} dates at equal distances", show(given), "state step")
        return self._evenly(start, gap // (count - 1), count, given)

    def _steps_to(self, start: _Time, stop: _Time, many: int, unit: str, given: Mapping[str, Any]) -> int:
        if unit in _MONTHS:
            whole = stop.month - start.month
            apart = (
                (stop.day, stop.rest) < (start.day, start.rest)
                if many > 0
                else (stop.day, stop.rest) > (start.day, start.rest)
            )
            whole -= apart if many > 0 else -apart
            step = many * _MONTHS[unit]
        else:
            whole, step = stop.nanoseconds - start.nanoseconds, many * _LENGTHS[unit]
        if step == 0 or whole * step < 0:
            raise UnfitError("a step in the direction from start to stop", show(given))
        return whole // step + 1


def clock_of(kind: DataType, units: Any, calendar: Any) -> Clock | None:
    """Return the time encoding of an array with this type and attributes, or None if it has no dates.

    >>> from zom.extension.resolve import data_type
    >>> clock_of(data_type("int64"), "days since 2000-01-01", "360_day").number("2000-02-30")
    59
    >>> clock_of(data_type("int64"), "K", None) is None
    True
    """
    dtype: Any = kind.numpy()
    if kind.kind == "datetime":
        unit, scale = np.datetime_data(dtype)
        if unit not in _TICKS:
            return None
        return Clock(
            _TICKS[unit], scale, _Calendar("proleptic_gregorian").time_of("1970-01-01"), is_whole=True
        )
    since = _SINCE.fullmatch(units.strip()) if isinstance(units, str) else None
    meant = None if since is None else _unit(since[1])
    if since is None or meant is None or meant not in _LENGTHS or dtype.kind not in "iuf":
        return None
    name = calendar.lower() if isinstance(calendar, str) else "standard"
    if name not in _LEAP_YEARS and name != _EQUAL_MONTHS:
        return None
    try:
        epoch = _Calendar(name).time_of(since[2].strip())
    except UnfitError:
        return None  # units in other forms are not supported
    return Clock(meant, 1, epoch, is_whole=dtype.kind != "f")


def _text(value: Any, given: Mapping[str, Any]) -> str:
    if not isinstance(value, str):
        raise UnfitError("a range of dates: start, and stop or step", show(given))
    return value


def _step_of(given: Any) -> tuple[int, str]:
    found = _STEP.fullmatch(given) if isinstance(given, str) else None
    unit = None if found is None else _unit(found[2])
    if found is None or unit is None:
        raise UnfitError("a step with its unit", show(given), _NO_UNIT)
    return int(found[1]), unit
