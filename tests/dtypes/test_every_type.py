"""What holds for every data type that zom knows, whatever its family."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zom.dtypes  # noqa: F401 - registers the types
from zom.dtypes.element import Element, pack, unpack
from zom.errors import ConversionError, SpecError
from zom.extension.datatype import data_types
from zom.extension.resolve import parse_draft, parse_v2, parse_v3

EXAMPLES = [example for family in data_types for example in family.examples()]
FIXED = [example for example in EXAMPLES if isinstance(example, Element)]
FORMS = ("v2", "v3", "draft")
# v2 has one spelling for raw bytes and raw bits, and one for both kinds of structs.
RAW_BITS = {"r8", "r16", "r24"}


def parse(made, form, spelled):
    faults = []
    if form == "v3":
        found = parse_v3(spelled, faults)
    elif form == "v2":
        found = parse_v2(spelled, made.object_codec, faults)
    else:
        found = parse_draft(spelled, faults)
    assert [fault for fault in faults if fault.rule.code != "v2/datetime-unit"] == []
    return found


def spellings(made):
    for form in FORMS:
        with contextlib.suppress(ConversionError):
            yield form, made.to_json(form)


@pytest.mark.parametrize("made", EXAMPLES, ids=repr)
def test_what_is_written_is_read_back(made):
    spelled = dict(spellings(made))
    assert spelled
    for form, text in spelled.items():
        if (form == "v2" and made.name in RAW_BITS) or (form != "v3" and made.name == "structured"):
            continue
        found = parse(made, form, text)
        assert found is not None
        assert found.to_json(form) == text
        assert (found.name, found.kind, found.itemsize) == (made.name, made.kind, made.itemsize)
        if form != "v3" and made.order is not None:
            assert found == made


NUMBERS = st.one_of(
    st.integers(),
    st.sampled_from(
        [-(2**63), -(2**63) - 1, 2**63, 2**64 - 1, 2**64, 127, 128, 255, 256, -128, -129, 65504, 65520]
    ),
    st.floats(),
    st.booleans(),
    st.sampled_from(["NaN", "Infinity", "-Infinity", "nan", "0x7fc00000", "1", "", "inf", None]),
)
VALUES = st.one_of(
    NUMBERS,
    st.lists(NUMBERS, min_size=1, max_size=3),
    st.text(max_size=6),
    st.sampled_from(["NaT", "YQ==", "YWI=", "AAAA", "0b1", "\0", "\ud800"]),
)


@pytest.mark.parametrize("form", FORMS)
@given(value=VALUES)
def test_a_plain_fill_value_is_one_that_is_read_without_a_fault(form, value):
    for made in EXAMPLES:
        faults = []
        if made.is_plain_fill(value, form):
            assert made.parse_fill(value, form, faults) is not None
            assert faults == [], (made, value)


def test_usual_fill_values_are_plain():
    usual = {
        "int16": [0, -1],
        "float32": [0, 1.5, "NaN"],
        "bool": [False, True],
        "uint8": [0, 255],
        "complex64": [[0, 0], [0.0, "NaN"]],
    }
    for name, values in usual.items():
        made = parse_v3(name, [])
        assert [made.is_plain_fill(value, form) for value in values for form in FORMS] == [True] * 3 * len(
            values
        )


def test_usual_fill_values_of_text_and_dates_are_plain():
    dates = parse_v2("<M8[ns]", None, [])
    for form in ("v2", "v3"):
        assert parse_v2("<U4", None, []).is_plain_fill("", form)
        assert not parse_v2("<U4", None, []).is_plain_fill("12345", form)
        assert [dates.is_plain_fill(value, form) for value in (0, "NaT", "2000-01-01")] == [True, True, False]


@pytest.mark.parametrize("made", EXAMPLES, ids=repr)
def test_v3_states_no_byte_order(made):
    if made.name == "object":
        with pytest.raises(ConversionError, match='name "string" or "bytes"'):
            made.to_json("v3")
        return
    spelled = dict(spellings(made))
    assert ("v3" in spelled) == (made.kind != "struct" or not any(field.shape for field in made.fields))
    assert "v3" not in spelled or parse_v3(spelled["v3"], []).order is None


@pytest.mark.parametrize("made", EXAMPLES, ids=repr)
def test_types_are_values(made):
    assert hash(made) == hash(replace(made))
    assert made == replace(made)
    # CPython 3.11 raises TypeError where a slotted dataclass refuses what is no field.
    with pytest.raises((AttributeError, TypeError)):
        made.kind = "bool"


def test_a_name_has_one_family():
    names = [name for family in data_types for name in (family.name, *family.aliases)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("made", EXAMPLES, ids=repr)
def test_the_numpy_type_has_the_size_that_is_stated(made):
    if made.itemsize is not None:
        assert made.numpy().itemsize == made.itemsize


@pytest.mark.parametrize("made", EXAMPLES, ids=repr)
def test_the_default_is_a_fill_value(made):
    default = made.default()
    for form, _ in spellings(made):
        if made.name == "object":
            continue
        faults = []
        found = made.parse_fill(made.fill_json(default, form), form, faults)
        assert faults == []
        if isinstance(made, Element):
            assert pack(made, found) == pack(made, default)
        else:
            assert found == default


@pytest.mark.parametrize("made", FIXED, ids=repr)
@given(data=st.data())
def test_fill_values_round_trip_bit_for_bit(made, data):
    raw = data.draw(st.binary(min_size=made.itemsize, max_size=made.itemsize))
    if made.kind == "bool":
        raw = bytes([raw[0] & 1])
    elif made.name == "fixed_length_utf32":
        text = data.draw(st.text(max_size=made.length))
        raw = pack(made, made.cast(text))
    elif getattr(made, "bits", 8) < 8:
        low, high = made.span
        raw = pack(made, made.cast(data.draw(st.integers(low, high))))
    elif hasattr(made, "format"):
        raw = (int.from_bytes(raw, made.stored) & made.format.mask).to_bytes(made.itemsize, made.stored)
    elif hasattr(made, "part"):
        size = made.part.size
        halves = (int.from_bytes(h, made.stored) & made.part.mask for h in (raw[:size], raw[size:]))
        raw = b"".join(half.to_bytes(size, made.stored) for half in halves)
    scalar = unpack(made, raw)
    assert pack(made, scalar) == raw
    for form, _ in spellings(made):
        faults = []
        spelled = made.fill_json(scalar, form)
        found = made.parse_fill(spelled, form, faults)
        assert faults == []
        assert made.fill_json(found, form) == spelled
        # v2 can't spell the payload of a NaN.
        if not (form == "v2" and "NaN" in str(spelled)):
            assert pack(made, found) == raw


@pytest.mark.parametrize("made", [e for e in EXAMPLES if e.name != "object"], ids=repr)
def test_null_is_nothing_in_v2_and_the_default_elsewhere(made):
    faults = []
    assert made.parse_fill(None, "v2", faults) is None
    assert faults == []
    for form in ("v3", "draft"):
        faults = []
        found = made.parse_fill(None, form, faults, ("fill_value",))
        assert [(f.rule.code, f.path, f.expected, f.found) for f in faults] == [
            ("fill-value/null", ("fill_value",), f"a value of type {made.name}", "null")
        ]
        assert (faults[0].rule.lenient, faults[0].rule.strict) == ("warning", "error")
        assert repr(found) == repr(made.default())


@pytest.mark.parametrize("made", [e for e in FIXED if e.kind != "struct"], ids=repr)
def test_an_object_is_no_fill_value(made):
    for form in FORMS:
        faults = []
        assert made.parse_fill({"a": 1}, form, faults, ("fill_value",)) is None
        assert [(fault.rule.code, fault.path) for fault in faults] == [("fill-value/type", ("fill_value",))]


@pytest.mark.parametrize("made", [e for e in EXAMPLES if e.name != "object"], ids=repr)
def test_a_cast_refuses_what_is_of_no_type(made):
    with pytest.raises(SpecError) as caught:
        made.cast(object())
    (problem,) = caught.value.problems
    assert (problem.code, problem.node, problem.pointer) == ("fill-value/cast", "/", "")


@pytest.mark.parametrize("made", FIXED, ids=repr)
def test_a_cast_keeps_what_is_of_the_type(made):
    default = made.default()
    if made.name.startswith(("complex_", "r", "numpy")) and not isinstance(default, np.generic):
        return
    if made.name.startswith("complex_"):
        assert pack(made, made.cast(0j if made.part.encode(0.0) is not None else 1 + 1j))
        return
    assert pack(made, made.cast(default)) == pack(made, default)


@pytest.mark.parametrize("made", EXAMPLES, ids=repr)
def test_no_v3_type_takes_a_configuration_that_it_has_not(made):
    if made.name == "object":
        return
    faults = []
    value = {"name": made.name, "configuration": {"strange": 1}}
    assert parse_v3(value, faults, ("data_type",)) is None
    assert ("data_type", "configuration", "strange") in [fault.path for fault in faults]
    assert {fault.rule.code for fault in faults} == {"data-type/configuration"}


def test_the_registered_names_are_those_of_the_specifications():
    strangers = {family.name for family in data_types if not family.registered}
    assert strangers == {"float8_e4m3fn", "null_terminated_bytes", "object", "raw_bytes"}
