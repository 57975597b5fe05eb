from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zom.dtypes  # noqa: F401
from zom.extension.resolve import parse_v2
from zom.extension.typestr import UNITS, Typestr, parse_typestr

SIMPLE = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
NUMPY = sorted(
    {np.dtype(mark + code).str for mark in "<>" for code in SIMPLE}
    | {np.dtype(f"{kind}{size}").str for kind in "SUV" for size in (0, 1, 5, 100) if kind != "V" or size}
    | {np.dtype(f">U{size}").str for size in (1, 5)}
    | {np.dtype(f"{mark}{kind}8[{unit}]").str for mark in "<>" for kind in "mM" for unit in (*UNITS, "25s")}
)


@pytest.mark.parametrize("text", NUMPY)
def test_what_numpy_writes_is_known(text):
    made = parse_v2(text, None, [])
    assert made.to_json("v2") == text
    assert made.numpy() == np.dtype(text)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [("<i1", "|i1"), (">i1", "|i1"), ("<b1", "|b1"), (">b1", "|b1"), ("<u1", "|u1"), ("<M8[generic]", "<M8")],
)
def test_what_all_readers_accept_is_accepted(text, canonical):
    faults = []
    assert parse_v2(text, None, faults).to_json("v2") == canonical
    assert [fault.rule.code for fault in faults if fault.rule.code != "v2/datetime-unit"] == []


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("i4", 'write "<i4" or ">i4"'),
        ("=i4", 'write "<i4" or ">i4"'),
        ("|i4", 'write "<i4" or ">i4"'),
        ("float64", 'write "<f8" or ">f8"'),
        ("uint16", 'write "<u2" or ">u2"'),
        ("complex64", 'write "<c8" or ">c8"'),
        ("bool", 'write "|b1"'),
        ("int8", 'write "|i1"'),
        ("u1", 'write "|u1"'),
        ("U5", 'write "<U5" or ">U5"'),
        ("|M8[ns]", 'write "<M8[ns]" or ">M8[ns]"'),
        ("O", 'write "|O"'),
        ("<f3", None),
        ("<f16", None),
        ("<i", None),
        ("<i04", None),
        ("<M8[sec]", None),
        ("<M8[0s]", None),
        ("<M4[s]", None),
        ("<f8[s]", None),
        ("|S99999999999", None),
        ("|S2147483648", None),
        ("<U536870912", None),
        ("|O8", None),
        ("", None),
        ("<f8 ", None),
        ("<f8\n", None),
        ("<\u0664", None),
    ],
)
def test_other_text_is_refused_with_the_right_spelling(text, fix):
    faults = []
    assert parse_v2(text, None, faults, ("dtype",)) is None
    (fault,) = faults
    assert (fault.rule.code, fault.path, fault.fix) == ("v2/typestr", ("dtype",), fix)
    assert fault.expected == 'a type string such as "<f8" or "|u1", or a list of fields'
    assert {fault.rule.severity(level) for level in ("lenient", "strict", "closed")} == {"error"}


@pytest.mark.parametrize(("text", "plain"), [("<S5", "|S5"), (">S1", "|S1"), (">V5", "|V5"), ("<O", "|O")])
def test_a_byte_order_where_there_is_nothing_to_order_is_odd(text, plain):
    """netCDF-C writes ">S1", and numpy takes it."""
    faults = []
    made = parse_v2(text, "vlen-utf8", faults, ("dtype",))
    assert made == parse_v2(plain, "vlen-utf8", [])
    assert [(each.rule.code, each.path, each.expected, each.found, each.fix) for each in faults] == [
        ("v2/byte-order", ("dtype",), f'"{plain}"', f'"{text}"', f'write "{plain}"')
    ]
    assert (faults[0].rule.lenient, faults[0].rule.strict) == ("warning", "error")


@pytest.mark.parametrize("value", [None, 8, True, {"name": "float64"}])
def test_what_is_no_text_is_refused(value):
    faults = []
    assert parse_v2(value, None, faults, ("dtype",)) is None
    assert [(fault.rule.code, fault.path) for fault in faults] == [("v2/typestr", ("dtype",))]


@given(
    text=st.from_regex(r"[<>|=]?[biufcmMSUVO]\d{0,11}(\[\d*[a-zA-Z]+\])?", fullmatch=True)
    | st.text(max_size=8)
)
def test_any_text_is_a_type_or_one_fault(text):
    faults = []
    made = parse_v2(text, None, faults)
    errors = [fault for fault in faults if fault.rule.code not in {"v2/datetime-unit", "v2/byte-order"}]
    assert (made is None) == (len(errors) == 1)
    if made is not None and made.itemsize and made.itemsize < 1 << 20 and made.name not in {"int2", "int4"}:
        assert made.numpy().itemsize == made.itemsize


def test_single_bytes_have_no_order():
    assert parse_typestr(">u1") == Typestr(None, "u", 1)
    assert parse_typestr(">c8") == Typestr("big", "c", 8)


@pytest.mark.parametrize("text", ["int7", "acme_float", "float8_e9m9"])
def test_a_name_that_nobody_knows_is_kept_with_a_warning(text):
    faults = []
    assert parse_v2(text, None, faults, ("dtype",)) is None
    (fault,) = faults
    assert (fault.rule.code, fault.rule.lenient, fault.rule.strict) == (
        "v2/unknown-data-type",
        "warning",
        "error",
    )
