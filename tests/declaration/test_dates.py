"""Dates among stated values: for datetime64, and for numbers with `units: days since ...`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zom
from zom.declaration.dates import clock_of
from zom.declaration.value_words import value_words
from zom.declaration.values import stated
from zom.errors import SpecError
from zom.extension.resolve import data_type


def declared(dtype, values, count=3, **words):
    node = {"dims": ["time"], "dtype": dtype, "values": values, **words}
    return zom.declare({"zom": 1, "sizes": {"time": count}, "members": {"time": node}})


def values(dtype, given, count=3, **words):
    return declared(dtype, given, count, **words).values["/time"]


@pytest.mark.parametrize(
    ("dtype", "given", "expected"),
    [
        ("datetime64[s]", {"start": "2000-01-01", "step": "1 day"}, ["2000-01-01", "2000-01-02", "2000-01-03"]),
        ("datetime64[ns]", {"start": "2000-01-01T06:00", "step": "-90 min"}, ["2000-01-01T06:00", "2000-01-01T04:30", "2000-01-01T03"]),
        ("datetime64[D]", {"start": "2000-01-15", "step": "1 month"}, ["2000-01-15", "2000-02-15", "2000-03-15"]),
        ("datetime64[M]", {"start": "2000-11", "step": "1 month"}, ["2000-11", "2000-12", "2001-01"]),
        ("datetime64[Y]", {"start": "2000-01", "step": "2 years"}, ["2000", "2002", "2004"]),
        ("datetime64[2D]", {"start": "1970-01-05", "step": "1 week 0".removesuffix(" 0")}, None),
        ("datetime64[D]", {"start": "2000-01-01", "stop": "2000-01-31"}, ["2000-01-01", "2000-01-16", "2000-01-31"]),
        ("datetime64[D]", {"start": "2000-01-31", "stop": "2000-01-01", "step": "-15 days"}, ["2000-01-31", "2000-01-16", "2000-01-01"]),
        ("datetime64[s]", ["2000-01-01", "2000-02-30".replace("30", "29"), "NaT"], ["2000-01-01", "2000-02-29", "NaT"]),
    ],
)  # fmt: skip
def test_dates_are_stated_by_ranges_and_lists(dtype, given, expected):
    if expected is None:  # 7 days are no whole number of 2 days
        with pytest.raises(SpecError, match="whole numbers of the unit 2 days"):
            values(dtype, given)
        return
    assert values(dtype, given).tolist() == np.array(expected, dtype).tolist()


CALENDARS = ["standard", "proleptic_gregorian", "noleap", "all_leap", "360_day", "julian"]


@pytest.mark.parametrize("calendar", CALENDARS)
@pytest.mark.parametrize("unit", ["days", "hours", "seconds"])
def test_what_xarray_reads_back_is_what_was_stated(calendar, unit):
    pytest.importorskip("cftime", reason="cftime is not installed")
    xr = pytest.importorskip("xarray", reason="xarray is not installed (pip install 'zom[xarray]')")
    made = declared(
        "int64",
        {"start": "1999-11-01", "step": "1 month"},
        30,
        units=f"{unit} since 1970-01-01",
        calendar=calendar,
    )
    root = zom.materialize(made, "memory:")
    times = xr.open_dataset(root, engine="zom", decode_times=xr.coders.CFDatetimeCoder(use_cftime=True)).time
    found = [(each.year, each.month, each.day, each.hour) for each in times.values]
    assert found == [(1999 + (10 + index) // 12, (10 + index) % 12 + 1, 1, 0) for index in range(30)]


@pytest.mark.parametrize("calendar", CALENDARS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_dates_are_the_numbers_that_cftime_gives(calendar, data):
    cftime = pytest.importorskip("cftime", reason="cftime is not installed")
    date = data.draw(
        st.tuples(st.integers(1583, 2400), st.integers(1, 12), st.integers(1, 28), st.integers(0, 23))
    )
    text = "{:04}-{:02}-{:02}T{:02}:00".format(*date)
    clock = clock_of(data_type("int64"), "hours since 1900-01-01", calendar)
    wanted = cftime.date2num(cftime.datetime(*date, calendar=calendar), "hours since 1900-01-01", calendar)
    assert clock.number(text) == wanted


@settings(max_examples=60, deadline=None)
@given(st.dates(), st.dates())
def test_gregorian_dates_are_those_of_python(first, second):
    clock = clock_of(data_type("int64"), f"days since {first.isoformat()}", "proleptic_gregorian")
    assert clock.number(second.isoformat()) == (second - first).days


def test_dates_stand_among_numbers_where_units_are_a_time():
    found = values("float32", ["2000-01-02", 3, "2000-01-01T12:00"], units="days since 2000-01-01")
    assert found.tolist() == [1, 3, 0.5]
    attributes = {"units": "hours since 2000-01-01 00:00:00", "calendar": "360_day"}
    assert values("int16", "2000-02-30", attributes=attributes).tolist() == [59 * 24] * 3


@pytest.mark.parametrize(
    ("dtype", "given", "words", "message"),
    [
        ("int64", {"start": "2000-01-01", "step": 1}, {"units": "days since 2000-01-01"}, 'expected a step with its unit, found 1; write a number and its unit, such as "1 day"'),
        ("int64", {"start": "2000-01-01", "step": "1 fortnight"}, {"units": "days since 2000-01-01"}, 'expected a step with its unit, found "1 fortnight"'),
        ("int64", {"start": "2000-01-01", "step": "1 hour"}, {"units": "days since 2000-01-01"}, "expected dates that are whole numbers of the unit day, found"),
        ("datetime64[M]", {"start": "2000-01", "step": "1 day"}, {}, 'expected a step of months or years for the unit month, found "1 day"'),
        ("datetime64[D]", {"start": "2000-01-31", "step": "1 month"}, {}, "expected a day that every month has, found day 31 of 2000-02; start at a day up to 28"),
        ("datetime64[D]", {"start": "2000-13-01", "step": "1 day"}, {}, 'expected a date of the calendar proleptic_gregorian, found "2000-13-01"'),
        ("int64", {"start": "2001-02-29", "step": "1 day"}, {"units": "days since 2000-01-01", "calendar": "noleap"}, "expected a date of the calendar noleap"),
        ("int64", {"start": "1500-01-01", "step": "1 day"}, {"units": "days since 2000-01-01"}, "expected a date since 1582-10-15, when the standard calendar becomes Gregorian"),
        ("int64", {"start": "2000-01-01T00:00+01:00", "step": "1 day"}, {"units": "days since 2000-01-01"}, "write times in UTC, without an offset"),
        ("int64", {"start": "2000-01-01", "stop": "2000-01-02"}, {"units": "days since 2000-01-01"}, "whole numbers of the unit day"),
        ("datetime64[ns]", {"start": "2000-01-01", "stop": "2000-01-01T00:00:00.000000001"}, {}, "expected 3 dates at equal distances, found"),
        ("datetime64[D]", {"start": "2000-01-01", "stop": "2000-01-09", "step": "1 day"}, {}, "expected 3 values, as the dimension has, found 9 from"),
        ("datetime64[D]", {"start": "2000-01-01", "stop": "1999-01-09", "step": "1 month"}, {}, "expected a step in the direction from start to stop"),
        ("datetime64[D]", {"start": 0, "stop": "2000-01-01"}, {}, "expected a range of dates: start, and stop or step"),
        ("int8", {"start": "2000-01-01", "step": "1 day"}, {"units": "seconds since 2000-01-01"}, "values"),
        ("int64", {"start": "2000-01-01", "step": "1 day"}, {"units": "K"}, "expected a range of numbers: start, and stop or step"),
    ],
)  # fmt: skip
def test_dates_that_an_array_cannot_hold_are_refused(dtype, given, words, message):
    with pytest.raises(SpecError) as caught:
        values(dtype, given, **words)
    (problem,) = caught.value.problems
    assert problem.pointer.startswith("/members/time/values")
    assert message in str(problem)


@pytest.mark.parametrize(
    ("dtype", "given", "expected"),
    [
        ("datetime64[ns]", np.arange("2000-01-01", "2000-04-01", dtype="M8[D]"), {"start": "2000-01-01T00:00:00.000000000", "step": "1 day"}),
        ("datetime64[s]", np.arange("2000-01", "2004-01", dtype="M8[M]"), {"start": "2000-01-01T00:00:00", "step": "1 month"}),
        ("datetime64[h]", np.arange("2000-01-01T06", "2000-01-05T06", 6, dtype="M8[h]"), {"start": "2000-01-01T06", "step": "6 hours"}),
        ("datetime64[D]", np.datetime64("1900-01-01") + 1500 * np.arange(400), {"start": "1900-01-01", "step": "1500 days"}),
        ("datetime64[D]", np.array(["2000-01-01", "NaT", "2001-05-05"], "M8[D]"), ["2000-01-01", "NaT", "2001-05-05"]),
    ],
)  # fmt: skip
def test_stored_dates_are_said_as_a_range_where_they_are_one(dtype, given, expected):
    kind = data_type(dtype)
    stored = given.astype(dtype)
    assert value_words(stored, kind) == expected
    assert np.array_equal(stated(expected, stored.shape, kind), stored, equal_nan=True)


def test_toml_and_yaml_dates_are_texts(tmp_path):
    pytest.importorskip("yaml", reason="pyyaml is not installed (pip install 'zom[yaml]')")
    words = {
        "a.yaml": "zom: 1\nshape: [2]\ndtype: datetime64[D]\nvalues: {start: 2000-01-01, step: 1 day}\n",
        "a.toml": 'zom = 1\nshape = [2]\ndtype = "datetime64[D]"\nvalues = {start = 2000-01-01, step = "1 day"}\n',
    }
    for name, text in words.items():
        (tmp_path / name).write_text(text)
        found = zom.declare(tmp_path / name).values["/"]
        assert found.astype(str).tolist() == ["2000-01-01", "2000-01-02"]
