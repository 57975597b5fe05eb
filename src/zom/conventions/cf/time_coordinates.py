"""Time coordinates: units since a date, calendars, leap seconds: CF 4.4.

https://cfconventions.org/cf-conventions/cf-conventions.html#time-coordinate
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeGuard

from zom.conventions.cf.dataset import root_of, version_of
from zom.conventions.cf.missing import is_whole
from zom.conventions.cf.time_units import (
    CALENDARS,
    MIXED,
    TimeUnits,
    is_reference,
    parse_time_units,
    wrong_date,
)
from zom.conventions.cf.variable import Variable, judged, judged_text, only
from zom.extension.registry import did_you_mean, near
from zom.json.python_value import is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.check import Breach
    from zom.conventions.framework.rulebook import Functions

__all__ = ["CHECKS"]

_ATTRIBUTES: Final = ("calendar", "month_lengths", "leap_year", "leap_month")
_LONG: Final = ("month", "year", "yr")


_of_dates: Final = only("no units of time since a date")


def _parsed(variable: Variable) -> TimeUnits | None:
    found = parse_time_units(str(variable.attributes.get("units")))
    return None if isinstance(found, str) else found


@_of_dates
def _is_time(variable: Variable) -> bool:
    return is_reference(variable.attributes.get("units"))


@only("not a time coordinate")
def _is_time_axis(variable: Variable) -> bool:
    if variable.is_boundary or variable.is_text:
        return False
    axis = variable.text("axis")
    named = (
        variable.text("standard_name") in {"time", "forecast_reference_time"}
        and variable.is_coordinate_of_any_sort
    )
    return _is_time(variable) or (axis or "").upper() == "T" or named


def _reference(variable: Variable, units: str) -> Iterator[Breach]:
    problem = parse_time_units(units)
    if isinstance(problem, str):
        yield variable.breach(
            "units", "'<unit> since <date>', as in 'days since 2000-01-01'", f"{units!r}: {problem}"
        )


@_of_dates
def _is_parsed(variable: Variable) -> bool:
    return _parsed(variable) is not None


def _since(variable: Variable) -> Iterator[Breach]:
    time = _parsed(variable)
    if time is not None and time.since.lower() != "since":
        yield variable.breach("units", "the word 'since' before the date", repr(time.since))


def _plain(variable: Variable) -> Iterator[Breach]:
    time = _parsed(variable)
    version = version_of(root_of(variable.node))
    if time is not None and (time.plain_since is None or time.plain_since > version):
        zone = "a zone of digits" if version < (1, 13) else "a zone of digits, or Z"
        yield variable.breach("units", f"a date of the form y-m-d H:M:S, with {zone}", repr(time.date))


def _caution(variable: Variable) -> Iterator[Breach]:
    time = _parsed(variable)
    name = "" if time is None else time.unit.lower().removesuffix("s")
    if name in _LONG:
        yield variable.breach(
            "units", "days or a shorter unit", f"{name}, which is not a calendar {name.replace('yr', 'year')}"
        )


def _calendar_of(variable: Variable) -> str:
    return (variable.text("calendar") or "standard").lower()


def _legal(variable: Variable) -> Iterator[Breach]:
    time = _parsed(variable)
    if time is None:
        return
    lengths = variable.attributes.get("month_lengths")
    months = tuple(int(each) for each in lengths) if _is_year(lengths) else None
    year, month = variable.attributes.get("leap_year"), variable.attributes.get("leap_month", 2)
    leap = (int(year), int(month)) if is_whole(year) and is_whole(month) else None
    why = wrong_date(time, _calendar_of(variable), months, leap) or _before_utc(variable, time)
    if why is not None:
        yield variable.breach(
            "units", f"a date of the calendar {_calendar_of(variable)}", f"{time.date!r}: {why}"
        )


def _before_utc(variable: Variable, time: TimeUnits) -> str | None:
    """The fault of a date before UTC, which CF counts from 1958 in 1.12 and from 1972 since 1.13."""
    is_utc = _calendar_of(variable) == "utc" and version_of(root_of(variable.node)) >= (1, 13)
    return "the calendar utc begins at 1972-01-01" if is_utc and time.year < 1972 else None


def _is_year(value: Any) -> TypeGuard[list[float]]:
    """Whether it is a list of the lengths of twelve months."""
    return is_list(value) and len(value) == 12 and all(map(is_whole, value))


def _year_zero(variable: Variable) -> Iterator[Breach]:
    time = _parsed(variable)
    if time is not None and time.year == 0:
        yield variable.breach("units", "a year of 1 or later", repr(time.date))


@only("a calendar with a year 0, or no date")
def _has_no_year_zero(variable: Variable) -> bool:
    return _is_parsed(variable) and _calendar_of(variable) in {"standard", "gregorian", "julian"}


def _calendar_place(variable: Variable) -> Iterator[Breach]:
    for name in _ATTRIBUTES:
        if name in variable.attributes:
            expected = f"{name} with units of time since a date"
            found = (
                "no units"
                if "units" not in variable.attributes
                else f"units {show(variable.attributes['units'])}"
            )
            if not _is_time(variable):
                yield variable.breach(name, expected, found)


@only("no attributes of a calendar to check")
def _has_calendar(variable: Variable) -> bool:
    """Whether it has calendar attributes, and is not a time axis whose units another rule reports."""
    if not any(name in variable.attributes for name in _ATTRIBUTES) or variable.is_boundary:
        return False
    return _is_time(variable) or not _is_time_axis(variable)


def _known(variable: Variable, calendar: str) -> Iterator[Breach]:
    if "month_lengths" in variable.attributes:
        if calendar.lower() in CALENDARS:
            yield variable.breach(
                "calendar",
                "another name than those of CF, as month_lengths defines the calendar",
                repr(calendar),
            )
    elif calendar.lower() not in CALENDARS:
        fix = did_you_mean(near(calendar.lower(), CALENDARS), CALENDARS)
        yield variable.breach("calendar", "a calendar that CF defines", repr(calendar), fix=fix)


def _given(variable: Variable) -> Iterator[Breach]:
    if "calendar" not in variable.attributes and "month_lengths" not in variable.attributes:
        yield variable.breach("calendar", "a calendar, such as 'standard'", "nothing")


def _gregorian(variable: Variable, calendar: str) -> Iterator[Breach]:
    if calendar.lower() == "gregorian":
        yield variable.breach("calendar", "'standard'", repr(calendar))


def _leap_seconds(variable: Variable, metadata: str) -> Iterator[Breach]:
    if _calendar_of(variable) not in MIXED:
        expected = f"no units_metadata in the calendar {_calendar_of(variable)}"
        yield variable.breach("units_metadata", expected, repr(metadata))


def _leap_seconds_given(variable: Variable) -> Iterator[Breach]:
    if "units_metadata" not in variable.attributes:
        yield variable.breach(
            "units_metadata",
            "'leap_seconds: none', 'leap_seconds: utc' or 'leap_seconds: unknown'",
            "nothing",
        )


@only("not a time in the calendar standard, proleptic_gregorian or julian")
def _is_mixed(variable: Variable) -> bool:
    return _is_time(variable) and _calendar_of(variable) in MIXED


def _lengths(variable: Variable) -> Iterator[Breach]:
    value = variable.attributes["month_lengths"]
    if not _is_year(value):
        yield variable.breach("month_lengths", "a list of 12 integers", show(value))


def _leap_month(variable: Variable) -> Iterator[Breach]:
    value = variable.attributes["leap_month"]
    if not is_whole(value) or not 1 <= value <= 12:
        yield variable.breach("leap_month", "an integer from 1 to 12", show(value))


def _leap_year(variable: Variable) -> Iterator[Breach]:
    value = variable.attributes["leap_year"]
    if not is_whole(value):
        yield variable.breach("leap_year", "an integer", show(value))


def _leap_month_alone(variable: Variable) -> Iterator[Breach]:
    if "leap_year" not in variable.attributes:
        yield variable.breach(
            "leap_month", "no leap_month without a leap_year", show(variable.attributes["leap_month"])
        )


CHECKS: Final[Functions] = {
    "time-units": judged_text(_reference, "units", where=_is_time_axis),
    "time-units-since": judged(_since, about="units", where=_is_parsed, reach="document"),
    # These depend on the version, too, which is the same for documents that are checked once.
    "time-units-form": judged(_plain, about="units", where=_is_parsed, reach="document"),
    "time-units-long": judged(_caution, about="units", where=_is_parsed, reach="document"),
    "time-reference": judged(_legal, about="units", where=_is_parsed, reach="document"),
    "time-reference-year": judged(
        _year_zero,
        about="units",
        where=_has_no_year_zero,
        reach="document",
    ),
    "calendar-of-time": judged(_calendar_place, where=_has_calendar),
    "calendar": judged_text(_known, "calendar", reach="document"),
    "calendar-given": judged(_given, where=_is_time, reach="document"),
    "calendar-standard": judged_text(_gregorian, "calendar", reach="document"),
    "leap-seconds-calendar": judged_text(_leap_seconds, "units_metadata", where=_is_time, reach="document"),
    "leap-seconds-given": judged(_leap_seconds_given, where=_is_mixed, reach="document"),
    "month-lengths": judged(_lengths, reach="document"),
    "leap-month": judged(_leap_month, reach="document"),
    "leap-year": judged(_leap_year, reach="document"),
    "leap-month-with-year": judged(_leap_month_alone, reach="document"),
}
