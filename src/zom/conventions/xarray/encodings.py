"""The rules of xarray on what attributes say of values: masks, packing, times.

xarray's own code is the authority, where its specification is silent: what opens, raises, or is lost.
https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html
"""

from __future__ import annotations

from typing import Final

from zom.checks.check import python
from zom.checks.checked_rule import CheckedRule, alike, is_like, is_value
from zom.checks.values import (
    equals,
    forbidden,
    json_type,
    length,
    one_of,
    pattern,
)
from zom.conventions.xarray.structure import V2, V3
from zom.conventions.xarray.times import (
    CALENDARS,
    date_plain,
    since_spelled,
    unit_counted,
    units_read,
)
from zom.conventions.xarray.trees import masked_by_fractions, ordinary_unmasked

__all__ = ["ENCODINGS"]

_ENCODING: Final = "https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html"
_IO: Final = "https://docs.xarray.dev/en/stable/user-guide/io.html"
_CF: Final = "https://cfconventions.org/Data/cf-conventions/cf-conventions-1.12/cf-conventions.html"

_SIGNED: Final = ("int8", "int16", "int32", "int64")
_UNSIGNED: Final = ("uint8", "uint16", "uint32", "uint64")
_FLOATING: Final = ("float16", "float32", "float64")
_COMPLEX: Final = ("complex64", "complex128")
_NO_NUMBERS: Final = (
    "string", "bytes", "variable_length_bytes", "fixed_length_utf32", "null_terminated_bytes",
    "raw_bytes", "numpy.datetime64", "numpy.timedelta64", "struct", "structured",
)  # fmt: skip

INTEGERS: Final = is_value("@dtype", *_SIGNED, *_UNSIGNED)
FLOATS: Final = is_value("@dtype", *_FLOATING)
COMPLEX: Final = is_value("@dtype", *_COMPLEX)
IS_NUMBERS: Final = is_value("@dtype", *_SIGNED, *_UNSIGNED, *_FLOATING, *_COMPLEX)
OTHERS: Final = is_value("@dtype", *_NO_NUMBERS)
NO_NUMBERS: Final = is_value("@dtype", "bool", *_NO_NUMBERS)
NO_INTEGERS: Final = is_value("@dtype", "bool", *_FLOATING, *_COMPLEX, *_NO_NUMBERS)
_REAL: Final = (*_SIGNED, *_UNSIGNED, *_FLOATING)
IS_TIME: Final = is_like("units", r"[\s\S]*since[\s\S]*")
IN_CAPITALS: Final = "|".join("".join(f"[{each}{each.upper()}]" for each in name) for name in CALENDARS)
"""The names of calendars, in upper or lower case."""
_DURATIONS: Final = tuple(f"timedelta64[{unit}]" for unit in ("s", "ms", "us", "ns", "m", "h", "D", "W"))
_DURATION_UNITS: Final = (
    "days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds",
)  # fmt: skip
DOUBLE: Final = "[A-Za-z0-9+/]{11}="
"""Eight bytes in base64."""

ENCODINGS: Final[tuple[CheckedRule, ...]] = (
    *alike(
        CheckedRule(
            "fill-value-attr",
            json_type(["string"], at="_FillValue"),
            must=(
                "in Zarr v3 the attribute _FillValue of a float array is base64 text of the eight "
                "bytes of a little-endian float64"
            ),
            fix='write it in base64: NaN is "AAAAAAAA+H8="',
            link=_ENCODING,
            when=(V3, FLOATS),
            on="array",
        ),
        pattern(DOUBLE, at="_FillValue"),
    ),
    CheckedRule(
        "fill-value-integer",
        json_type(["number"], at="_FillValue"),
        must="in Zarr v3 the attribute _FillValue of an integer array is a number",
        fix="write a number",
        link=_ENCODING,
        when=(V3, INTEGERS),
        on="array",
    ),
    *alike(
        CheckedRule(
            "fill-value-complex",
            json_type(["array"], at="_FillValue"),
            must=(
                "in Zarr v3 the attribute _FillValue of a complex array is a list of two base64 "
                "texts, of the real and the imaginary part"
            ),
            fix='write both parts in base64: ["AAAAAAAA+H8=", "AAAAAAAA+H8="]',
            link=_ENCODING,
            when=(V3, COMPLEX),
            on="array",
        ),
        length("_FillValue", equals=2),
        json_type(["string"], at="_FillValue[*]"),
        pattern(DOUBLE, at="_FillValue[*]"),
    ),
    CheckedRule(
        "fill-value-dtype",
        forbidden("_FillValue"),
        must=(
            "in Zarr v3 an array of texts, bytes, dates or structs has no attribute _FillValue: "
            "xarray cannot decode one"
        ),
        fix="take _FillValue out",
        link=_ENCODING,
        when=(V3, OTHERS),
        on="array",
    ),
    CheckedRule(
        "fill-value-plain",
        json_type(["number"], at="_FillValue"),
        must=(
            "in Zarr v2 the attribute _FillValue is one value, of an array of numbers a number: "
            "no object, no list, no number in words"
        ),
        fix="write one value",
        link=_ENCODING,
        when=(V2, IS_NUMBERS),
        on="array",
    ),
    CheckedRule(
        "fill-value-plain",
        json_type(["number", "string", "boolean"], at="_FillValue"),
        must=(
            "in Zarr v2 the attribute _FillValue is one value, of an array of numbers a number: "
            "no object, no list, no number in words"
        ),
        fix="write one value",
        link=_ENCODING,
        when=(V2, NO_NUMBERS),
        on="array",
    ),
    CheckedRule(
        "fill-value-hidden",
        equals(at="_FillValue", like="@fill_value"),
        should=(
            "in Zarr v2 the attribute _FillValue equals fill_value, if both are given: xarray "
            "takes fill_value as the mask and drops the attribute"
        ),
        fix="write the mask as fill_value, and take _FillValue out",
        link=_ENCODING,
        when=(V2,),
        on="array",
    ),
    CheckedRule(
        "fill-as-mask",
        python(ordinary_unmasked),
        note=(
            "xarray reads values equal to the fill_value of a Zarr v2 array as missing, ordinary "
            "ones such as 0, too; in Zarr v3 only the attribute _FillValue does that"
        ),
        fix="where 0 is an ordinary value, write null as fill_value",
        link=_IO,
        on="array",
    ),
    CheckedRule(
        "time-units",
        python(units_read),
        must=(
            "units with the word 'since' are those of a time: '<unit> since <date>', the unit of one length"
        ),
        fix='write units such as "days since 2000-01-01"',
        link=f"{_CF}#time-coordinate",
        on="array",
    ),
    CheckedRule(
        "time-unit",
        python(unit_counted),
        must=(
            "months are units of time in the calendar 360_day only, and nanoseconds in the "
            "calendars standard, gregorian and proleptic_gregorian only"
        ),
        fix="choose another unit, or another calendar",
        link=f"{_CF}#time-coordinate",
        on="array",
    ),
    CheckedRule(
        "time-date",
        python(date_plain),
        should=(
            "the date after 'since' is year-month-day, with or without a time and a zone: other "
            "forms are read in standard calendars only, or guessed"
        ),
        fix='write the date as in "days since 2000-01-01 12:00:00"',
        link=f"{_CF}#time-coordinate",
        on="array",
    ),
    CheckedRule(
        "time-typo",
        python(since_spelled),
        should=(
            "units of time with a date say 'since', in lower case: else xarray opens the numbers "
            "undecoded, in silence"
        ),
        fix='write "since"',
        link=f"{_CF}#time-coordinate",
        on="array",
    ),
    CheckedRule(
        "time-calendar",
        one_of([*CALENDARS], at="calendar"),
        must=(
            "the calendar of a time is one that xarray decodes: standard, gregorian, "
            "proleptic_gregorian, julian, noleap, 365_day, all_leap, 366_day or 360_day"
        ),
        fix="write one of these, or take calendar out",
        link=f"{_CF}#calendar",
        when=(IS_TIME, is_like("calendar", "[^A-Z]*")),
        on="array",
    ),
    CheckedRule(
        "time-calendar",
        pattern(IN_CAPITALS, at="calendar"),
        must=(
            "the calendar of a time is one that xarray decodes: standard, gregorian, "
            "proleptic_gregorian, julian, noleap, 365_day, all_leap, 366_day or 360_day"
        ),
        fix="write one of these, or take calendar out",
        link=f"{_CF}#calendar",
        when=(IS_TIME, is_like("calendar", r"[\s\S]*[A-Z][\s\S]*")),
        on="array",
    ),
    CheckedRule(
        "time-calendar",
        json_type(["string", "null"], at="calendar"),
        must=(
            "the calendar of a time is one that xarray decodes: standard, gregorian, "
            "proleptic_gregorian, julian, noleap, 365_day, all_leap, 366_day or 360_day"
        ),
        fix="write one of these, or take calendar out",
        link=f"{_CF}#calendar",
        when=(IS_TIME,),
        on="array",
    ),
    CheckedRule(
        "time-dtype",
        one_of([*_REAL], at="@dtype"),
        must="an array with units of time holds numbers",
        fix="store numbers since the date, or take units out",
        link=f"{_CF}#time-coordinate",
        when=(IS_TIME,),
        on="array",
    ),
    CheckedRule(
        "timedelta-dtype",
        one_of([*_DURATIONS], at="dtype"),
        must=(
            "the attribute dtype of a duration that begins with timedelta64 names a unit: "
            "timedelta64[s], [ms], [us] or [ns], or [m], [h], [D], [W]"
        ),
        fix='write "timedelta64[ns]"',
        link=_ENCODING,
        when=(is_like("dtype", r"timedelta64[\s\S]*"), is_value("units", *_DURATION_UNITS)),
        on="array",
    ),
    *alike(
        CheckedRule(
            "packing",
            json_type(["number"], at="scale_factor"),
            must="scale_factor and add_offset are numbers",
            fix="write a number",
            link=f"{_CF}#packed-data",
            on="array",
        ),
        json_type(["number"], at="add_offset"),
    ),
    *alike(
        CheckedRule(
            "packing-dtype",
            forbidden("scale_factor"),
            must="an array with scale_factor or add_offset holds numbers, not texts, bytes or dates",
            fix="take scale_factor and add_offset out",
            link=f"{_CF}#packed-data",
            when=(OTHERS,),
            on="array",
        ),
        forbidden("add_offset"),
    ),
    CheckedRule(
        "packing-integer",
        python(masked_by_fractions),
        must=(
            "scale_factor of a masked array, if nothing is added, has a fraction, such as 2.0: "
            "to an integer xarray decodes integers, which cannot be NaN"
        ),
        fix="write the factor with a fraction, such as 2.0",
        link=f"{_CF}#packed-data",
        on="array",
    ),
    *alike(
        CheckedRule(
            "missing-value",
            json_type(["number", "array"], at="missing_value"),
            must=(
                "missing_value of an array of numbers is a number, or a list of them, and of any "
                "array no object: anything else masks nothing, or raises"
            ),
            fix="write a number",
            link=f"{_CF}#missing-data",
            when=(IS_NUMBERS,),
            on="array",
        ),
        json_type(["number"], at="missing_value[*]"),
    ),
    CheckedRule(
        "missing-value",
        json_type(["number", "string", "boolean", "null", "array"], at="missing_value"),
        must=(
            "missing_value of an array of numbers is a number, or a list of them, and of any "
            "array no object: anything else masks nothing, or raises"
        ),
        fix="write a number",
        link=f"{_CF}#missing-data",
        when=(NO_NUMBERS,),
        on="array",
    ),
    CheckedRule(
        "unsigned",
        one_of(["true", "false"], at="_Unsigned"),
        should=(
            '_Unsigned is "true" or "false", on arrays of integers: xarray takes any other value for false'
        ),
        fix='write "true" or "false" as a text',
        link=_ENCODING,
        when=(INTEGERS,),
        on="array",
    ),
    CheckedRule(
        "unsigned",
        forbidden("_Unsigned"),
        should=(
            '_Unsigned is "true" or "false", on arrays of integers: xarray takes any other value for false'
        ),
        fix='write "true" or "false" as a text',
        link=_ENCODING,
        when=(NO_INTEGERS,),
        on="array",
    ),
)
