from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zom.dtypes  # noqa: F401
from zom.errors import SpecError
from zom.extension.resolve import data_type, parse_draft, parse_v2, parse_v3
from zom.extension.typestr import UNITS

NAT = -(1 << 63)


def judged(made, value, form="v3"):
    faults = []
    return made.parse_fill(value, form, faults, ("fill_value",)), faults


def test_a_multiplier_is_kept():
    made = parse_v2("<M8[10us]", None, [])
    assert made.to_json("v3") == {
        "name": "numpy.datetime64",
        "configuration": {"unit": "us", "scale_factor": 10},
    }
    assert made.to_json("v2") == "<M8[10us]"
    assert made.numpy() == np.dtype("<M8[10us]")


@pytest.mark.parametrize("letter", ["M", "m"])
@pytest.mark.parametrize("unit", UNITS)
def test_every_unit(letter, unit):
    for mark in "<>":
        made = parse_v2(f"{mark}{letter}8[{unit}]", None, [])
        assert made.numpy() == np.dtype(f"{mark}{letter}8[{unit}]")
        assert judged(made, 7)[0] == np.array(7, "i8").view(f"{letter}8[{unit}]")[()]


def test_the_two_spellings_of_microseconds_are_one():
    value = {"name": "numpy.datetime64", "configuration": {"unit": "μs", "scale_factor": 1}}
    assert parse_v3(value, []) == data_type(np.dtype("M8[us]"))


def test_a_v2_date_without_unit_is_read_with_a_warning():
    faults = []
    made = parse_v2("<M8", None, faults, ("dtype",))
    assert made.to_json("v3")["configuration"] == {"unit": "generic", "scale_factor": 1}
    (fault,) = faults
    assert (fault.rule.code, fault.rule.lenient, fault.rule.strict) == (
        "v2/datetime-unit",
        "warning",
        "error",
    )
    assert (fault.path, fault.expected, fault.found) == (
        ("dtype",),
        'a unit, as in "<M8[ns]"',
        '"<M8"',
    )


@given(ticks=st.integers(NAT, (1 << 63) - 1))
def test_ticks_are_exact(ticks):
    for spelled in ("<M8", ">M8[s]", "<m8[7ns]", "<m8"):
        made = parse_v2(spelled, None, [])
        for form in ("v2", "v3", "draft"):
            found, faults = judged(made, ticks, form)
            assert faults == []
            expected = "NaT" if ticks == NAT and form != "v2" else ticks
            assert made.fill_json(found, form) == expected


def test_not_a_time_has_two_spellings():
    made = parse_v2("<M8[ns]", None, [])
    assert np.isnat(judged(made, "NaT")[0])
    assert np.isnat(judged(made, NAT)[0])
    assert made.fill_json(made.default(), "v2") == NAT
    assert made.fill_json(made.default(), "v3") == "NaT"


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("2020-01-01", "fill-value/type"),
        (1 << 63, "fill-value/range"),
        (1.5, "fill-value/range"),
        (True, "fill-value/type"),
    ],
)
def test_other_fill_values_are_refused(value, code):
    for form in ("v2", "v3"):
        found, (fault,) = judged(data_type(np.dtype("M8[ns]")), value, form)
        assert (found, fault.rule.code) == (None, code)


def test_the_message_names_both_spellings():
    _, (fault,) = judged(data_type(np.dtype("M8[ns]")), "now")
    assert fault.expected == 'an integer, or "NaT"'


@pytest.mark.parametrize(
    ("configuration", "where"),
    [
        ({"unit": "sec", "scale_factor": 1}, "unit"),
        ({"unit": "s"}, "scale_factor"),
        ({"unit": "s", "scale_factor": 0}, "scale_factor"),
        ({"unit": "s", "scale_factor": 1 << 31}, "scale_factor"),
        ({"unit": "s", "scale_factor": True}, "scale_factor"),
        ({"unit": "s", "scale_factor": 1, "endian": "little"}, "endian"),
    ],
)
def test_a_wrong_configuration_is_located(configuration, where):
    faults = []
    value = {"name": "numpy.timedelta64", "configuration": configuration}
    assert parse_v3(value, faults, ("data_type",)) is None
    assert [fault.path for fault in faults] == [("data_type", "configuration", where)]


def test_the_example_of_the_draft_is_a_date():
    value = {
        "extension": "https://purl.org/zarr/spec/extensions/data-types/datetime/1.0",
        "type": "<M8[ns]",
        "fallback": "<i8",
    }
    assert parse_draft(value, []) == parse_v2("<M8[ns]", None, [])
    assert parse_draft(value, []).to_json("draft") == value


def test_casts_are_lossless():
    days, seconds = data_type(np.dtype("M8[D]")), data_type(np.dtype("M8[s]"))
    assert seconds.cast(np.datetime64("2020-01-01")) == np.datetime64("2020-01-01", "s")
    assert days.cast(dt.date(2020, 1, 1)) == days.cast("2020-01-01")
    assert seconds.cast(5) == np.datetime64(5, "s")
    assert np.isnat(days.cast("NaT"))
    assert data_type(np.dtype("m8[s]")).cast(dt.timedelta(minutes=1)) == np.timedelta64(60, "s")
    assert np.isnat(data_type(np.dtype("m8[s]")).cast("NaT"))
    with pytest.raises(SpecError, match="expected a timedelta in steps of 1 s, without loss, found"):
        data_type(np.dtype("m8[s]")).cast(dt.timedelta(microseconds=1))
    for value in (np.datetime64("2020-01-01T12"), "noon", 1 << 63, True, 1.0, np.timedelta64(1, "D")):
        with pytest.raises(SpecError, match="expected a datetime in steps of 1 D, without loss, found"):
            days.cast(value)
