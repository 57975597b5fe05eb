"""Time units: "<unit> since <date>", and the calendars in which the date has to exist.

CF 4.4.1: https://cfconventions.org/cf-conventions/cf-conventions.html#time-coordinate-units CF 4.4.2:
https://cfconventions.org/cf-conventions/cf-conventions.html#calendar

The grammar is that of UDUNITS as far as software relies on it. CF's own form, new in 1.12, is stricter and
has its own rule: `y-m-d H:M:S Z` with a zone of digits, or since 1.13 the letter Z.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

__all__ = [
    "CALENDARS",
    "MIXED",
    "TimeUnits",
    "is_reference",
    "parse_time_units",
    "wrong_date",
]

CALENDARS: Final = (
    "standard", "gregorian", "proleptic_gregorian", "julian", "utc", "tai",
    "noleap", "365_day", "all_leap", "366_day", "360_day", "none",
)  # fmt: skip
"""The values of `calendar` that CF defines."""

MIXED: Final = ("standard", "gregorian", "proleptic_gregorian", "julian")
"""The calendars that may have leap seconds or not."""

_NAMES: Final = {
    *("second", "seconds", "sec", "secs", "minute", "minutes", "hour", "hours", "hr", "day", "days"),
    *("week", "weeks", "fortnight", "fortnights", "month", "months", "year", "years", "yr", "yrs"),
    *(f"{kind}_year{s}" for kind in ("common", "leap", "julian", "gregorian", "tropical", "sidereal") for s in ("", "s")),
    *(f"sidereal_{unit}{s}" for unit in ("day", "month") for s in ("", "s")),
}  # fmt: skip
_SYMBOLS: Final = {"s", "min", "h", "d"}
_PREFIXES: Final = (
    "deca", "deka", "hecto", "kilo", "mega", "giga", "tera", "peta", "exa", "zetta", "yotta",
    "deci", "centi", "milli", "micro", "nano", "pico", "femto", "atto", "zepto", "yocto",
)  # fmt: skip
_PREFIX_SYMBOLS: Final = (
    "da",
    "h",
    "k",
    "M",
    "G",
    "T",
    "P",
    "d",
    "c",
    "m",
    "u",
    "µ",
    "μ",
    "n",
    "p",
    "f",
    "a",
)

_SINCE: Final = re.compile(r"\s*(?P<unit>\S+?)(?:\s+(?P<word>since|after|from|ref)\s+|\s*(?P<at>@)\s*)(?P<date>.*\S)\s*", re.IGNORECASE)  # fmt: skip
_DATE: Final = re.compile(
    r"(?P<year>[+-]?\d{1,6})-(?P<month>\d{1,2})-(?P<day>\d{1,2})"
    r"(?:(?P<gap>[ T]\s*)(?P<hour>\d{1,2})(?::(?P<minute>\d{1,2})(?::(?P<second>\d{1,2}(?:\.\d*)?))?)?"
    r"(?P<zone>\s*(?:Z|UTC|GMT|[+-]\d{1,2}(?::?\d{1,2})?)|\s+\d{1,2}(?::?\d{1,2})?)?)?",
    re.ASCII,
)
_ZONE: Final = r"[+-]?\d{1,2}(?::?\d{1,2})?"
_TIME: Final = r" +\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d*)?"
_FORMS: Final = tuple(
    (version, re.compile(r"[+-]?\d+-\d{1,2}-\d{1,2}" + rest, re.ASCII))
    for version, rest in (
        ((1, 12), f"(?:{_TIME}(?: +{_ZONE})?)?"),
        # The letter Z, no blank before it or a sign: https://github.com/cf-convention/cf-conventions/pull/586
        ((1, 13), f"(?:{_TIME}(?: *Z| +{_ZONE}| *(?=[+-]){_ZONE})?)?"),
    )
)
"""The forms of datetimes in CF, with the first version that has each."""
_LENGTHS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class TimeUnits(NamedTuple):
    """Parsed units of time with a reference datetime."""

    unit: str
    since: str
    """The word between them: `since`, or a synonym in UDUNITS."""
    date: str
    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: float
    plain_since: tuple[int, int] | None
    """The first version of CF with this form of datetimes; None if only UDUNITS reads it."""


_REFERENCE: Final = re.compile(r"\ssince(?:\s|$)", re.IGNORECASE)


def is_reference(units: object) -> bool:
    """Whether it looks like units with a reference datetime, even if malformed.

    >>> is_reference("days since 2000-01-01"), is_reference("days since yesterday"), is_reference("days")
    (True, True, False)
    """
    return isinstance(units, str) and _REFERENCE.search(units) is not None


def is_time_unit(unit: str) -> bool:
    """Whether it is a unit of time in UDUNITS; names in any case, symbols in the exact case.

    >>> is_time_unit("Days"), is_time_unit("ms"), is_time_unit("D"), is_time_unit("metre")
    (True, True, False, False)
    """
    lower = unit.lower()
    if unit in _SYMBOLS or lower in _NAMES:
        return True
    if any(
        lower == f"{prefix}{name}" for prefix in _PREFIXES for name in ("second", "seconds", "sec", "secs")
    ):
        return True
    return any(unit in {f"{prefix}s", f"{prefix}sec"} for prefix in _PREFIX_SYMBOLS)


@lru_cache(maxsize=1024)
def parse_time_units(text: str) -> TimeUnits | str:
    """The parts of `text`, or a description of the error.

    >>> parse_time_units("days since 2000-1-1").day
    1
    >>> parse_time_units("days sinc 2000-01-01")
    "no 'since' between a unit and a date"
    >>> parse_time_units("dayz since 2000-01-01")
    "'dayz' is not a unit of time"
    """
    found = _SINCE.fullmatch(text)
    if found is None:
        return "no date after 'since'" if is_reference(text) else "no 'since' between a unit and a date"
    unit, date = found["unit"], found["date"]
    if not is_time_unit(unit):
        return f"{unit!r} is not a unit of time"
    parts = _DATE.fullmatch(date)
    if parts is None:
        return f"{date!r} is not a date of the form y-m-d H:M:S"
    return TimeUnits(
        unit,
        found["word"] or found["at"],
        date,
        int(parts["year"]),
        int(parts["month"]),
        int(parts["day"]),
        int(parts["hour"] or 0),
        int(parts["minute"] or 0),
        float(parts["second"] or 0),
        next((version for version, form in _FORMS if form.fullmatch(date)), None),
    )


def wrong_date(
    time: TimeUnits,
    calendar: str,
    lengths: tuple[int, ...] | None = None,
    leap: tuple[int, int] | None = None,
) -> str | None:
    """Why the reference datetime is invalid in the calendar, or None if it is valid.

    `lengths` are the lengths of months of a calendar that the variable defines, `leap` its leap year and the
    month that is a day longer then.

    >>> wrong_date(parse_time_units("days since 2001-02-29"), "standard")
    'month 2 of 2001 has 28 days'
    >>> wrong_date(parse_time_units("days since 2001-02-30"), "360_day") is None
    True
    """
    if not 1 <= time.month <= 12:
        return f"there is no month {time.month}"
    days = lengths[time.month - 1] if lengths is not None else _days(time, calendar)
    if lengths is not None and leap is not None and (time.year - leap[0]) % 4 == 0 and leap[1] == time.month:
        days += 1
    if not 1 <= time.day <= days:
        return f"month {time.month} of {time.year} has {days} days"
    if time.hour > 23 or time.minute > 59:
        return f"{time.hour}:{time.minute} is not a time of day"
    if time.second >= (61 if calendar == "utc" else 60):
        return "only the calendar utc has leap seconds" if time.second < 61 else "a minute has 60 seconds"
    return None if lengths is not None else _outside(time, calendar)


def _days(time: TimeUnits, calendar: str) -> int:
    if calendar == "360_day":
        return 30
    if time.month != 2:
        return _LENGTHS[time.month - 1]
    return 29 if _is_leap(time, calendar) else 28


def _is_leap(time: TimeUnits, calendar: str) -> bool:
    if calendar in {"noleap", "365_day"}:
        return False
    if calendar in {"all_leap", "366_day", "none"}:
        return True
    early = calendar in {"standard", "gregorian"} and (time.year, time.month, time.day) < (1582, 10, 15)
    if calendar == "julian" or early:
        return time.year % 4 == 0
    return time.year % 4 == 0 and (time.year % 100 != 0 or time.year % 400 == 0)


def _outside(time: TimeUnits, calendar: str) -> str | None:
    date = (time.year, time.month, time.day)
    if calendar in {"standard", "gregorian", "julian"} and time.year < 0:
        return f"the calendar {calendar} has no negative years"
    if calendar in {"standard", "gregorian"} and (1582, 10, 5) <= date < (1582, 10, 15):
        return "the calendar skips from 1582-10-04 to 1582-10-15"
    if calendar in {"utc", "tai"} and date < (1958, 1, 1):
        return f"the calendar {calendar} begins at 1958-01-01"
    return None
