"""How xarray reads numbers as times and durations: units, calendars, types.

As in xarray/coding/times.py, and in cftime for the calendars that numpy doesn't know:
https://cfconventions.org/Data/cf-conventions/cf-conventions-1.12/cf-conventions.html#time-coordinate
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zom.checks.check import Breach, Site, Skip
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "CALENDARS",
    "date_plain",
    "since_spelled",
    "unit_counted",
    "units_read",
]

CALENDARS: Final = (
    "standard", "gregorian", "proleptic_gregorian", "julian", "noleap", "365_day", "all_leap", "366_day", "360_day",
)  # fmt: skip
"""The calendars that xarray decodes, with numpy or cftime."""

_UNIT: Final = "microseconds?|microsecs?|milliseconds?|millisecs?|msecs?|ms|seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|days?|d"
_READ = re.compile(rf"\s*({_UNIT}|nanoseconds?|months?)\s+since\s+(\S.*)", re.IGNORECASE | re.ASCII)
_ONLY: Final = {"month": ("360_day",), "nanosecond": CALENDARS[:3]}
"""Units that are valid in some calendars only."""
_DATED = re.compile(rf"\s*(?:{_UNIT}|nanoseconds?|months?)\s+\S+\s+[+-]?\d+-\d.*", re.IGNORECASE | re.ASCII)
"""A unit, a word, a date."""
_TIME = r"(?:[T ]\s*(?P<hour>\d{1,2})?(?::(?P<minute>\d{1,2})(?::(?P<second>\d{1,2})(?:\.\d*)?)?)?)?"
# Zones without a sign are read as no zone: 0:00 means that, 5:30 doesn't.
_ZONE = r"\s*(?:Z|UTC|GMT|[+-]\d{1,2}(?::?\d{2})?|(?<=\s)00?(?::?00)?)?"
_DATE = re.compile(rf"[+-]?\d{{1,5}}-(?P<month>\d{{1,2}})-(?P<day>\d{{1,2}}){_TIME}{_ZONE}\s*", re.ASCII)
_LIMITS: Final = {"month": (1, 12), "day": (1, 31), "hour": (0, 23), "minute": (0, 59), "second": (0, 59)}

_FORM: Final = "'<unit> since <date>', as in 'days since 2000-01-01'"


def _units(site: Site) -> str | None:
    """The units of a time: xarray treats units that contain 'since' as such."""
    units = site.node.attributes.get("units")
    return units if isinstance(units, str) and "since" in units else None


_NO_TIME: Final = Skip("no units of time")
_PLACE: Final = ("attributes", "units")


def units_read(site: Site) -> Iterator[Breach] | Skip:
    """Check that units with 'since' have a unit and a date with a number whose parts are in range."""
    units = _units(site)
    return _NO_TIME if units is None else _unread(site, units)


def _unread(site: Site, units: str) -> Iterator[Breach]:
    read = _READ.fullmatch(units)
    if read is None or not any(letter.isdigit() for letter in read[2]):
        yield site.breach(_PLACE, _FORM, show(units))
        return
    date = _DATE.fullmatch(read[2])
    for name, (least, most) in _LIMITS.items():
        part = date[name] if date is not None else None
        if part is not None and not least <= int(part) <= most:
            yield site.breach(_PLACE, f"a date whose {name} is {least} to {most}", show(units))
            return


def unit_counted(site: Site) -> Iterator[Breach] | Skip:
    """Check units that depend on the calendar: months only in 360_day, and no nanoseconds in cftime."""
    units = _units(site)
    read = None if units is None else _READ.fullmatch(units)
    if read is None:
        return _NO_TIME
    calendar = site.node.attributes.get("calendar", "standard")
    name = calendar.lower() if isinstance(calendar, str) else "standard"
    unit = read[1].lower().removesuffix("s")
    wanted = _ONLY.get(unit)
    if wanted is None or name in wanted:
        return iter(())
    expected = f"a unit other than {unit}s in the calendar {show(name)}"
    return iter((site.breach(_PLACE, expected, show(units)),))


def date_plain(site: Site) -> Iterator[Breach] | Skip:
    """Check that the date is year-month-day, optionally with a time and a zone."""
    units = _units(site)
    read = None if units is None else _READ.fullmatch(units)
    if units is None or read is None:
        return _NO_TIME
    if _DATE.fullmatch(read[2]) is not None:
        return iter(())
    return iter((site.breach(_PLACE, "a date as in '2000-01-01 12:00:00'", show(units)),))


def since_spelled(site: Site) -> Iterator[Breach] | Skip:
    """Check that a unit of time followed by a date has 'since' between them."""
    units = site.node.attributes.get("units")
    if not isinstance(units, str):
        return Skip("no units")
    if "since" in units or _DATED.fullmatch(units) is None:
        return iter(())
    return iter((site.breach(_PLACE, _FORM, show(units)),))
