"""Byte strings, raw bytes and text: fixed and variable."""

from __future__ import annotations

import numpy as np
import pytest

import zom.dtypes  # noqa: F401
from zom.errors import ConversionError, SpecError
from zom.extension.resolve import data_type, parse_draft, parse_v2, parse_v3


def judged(made, value, form):
    faults = []
    found = made.parse_fill(value, form, faults, ("fill_value",))
    return found, [(f.rule.code, f.rule.lenient, f.rule.strict) for f in faults], faults


S7 = data_type(np.dtype("S7"))
V4 = data_type(np.dtype("V4"))
U3 = data_type(np.dtype("U3"))


@pytest.mark.parametrize(
    ("value", "expected", "faults"),
    [
        ("YWL/", b"ab\xff", [("fill-value/short-text", None, "note")]),
        ("", b"", [("fill-value/short-text", None, "note")]),
        ("YWIAAAAAAA==", b"ab", []),
        (0, b"", [("fill-value/zero-for-bytes", "warning", "error")]),
        ("hi!", b"hi!", [("fill-value/plain-text", "warning", "error")]),
        ("AAAAAAAAAAA=", None, [("fill-value/length", "error", "error")]),
        ("much too long!", None, [("fill-value/length", "error", "error")]),
        (1, None, [("fill-value/type", "error", "error")]),
        ("0x61620000000000", None, [("fill-value/length", "error", "error")]),
    ],
)
def test_a_v2_byte_string(value, expected, faults):
    found, judgement, _ = judged(S7, value, "v2")
    assert judgement == faults
    assert found == expected


def test_a_v2_byte_string_is_written_whole_and_a_v3_one_without_padding():
    assert S7.fill_json(np.bytes_(b"ab"), "v2") == "YWIAAAAAAA=="
    assert S7.fill_json(np.bytes_(b"ab"), "v3") == "YWI="


def test_v3_byte_strings_are_base64_only():
    assert judged(S7, "hi!", "v3")[1] == [("fill-value/base64", "error", "error")]
    assert judged(S7, 0, "v3")[1] == [("fill-value/type", "error", "error")]


def test_plain_text_is_told_how_to_be_spelled():
    (fault,) = judged(S7, "hi!", "v2")[2]
    assert (fault.expected, fault.found, fault.fix) == ("base64", '"hi!"', 'write "aGkh"')
    (fault,) = judged(S7, 0, "v2")[2]
    assert (fault.expected, fault.found, fault.fix) == ("base64 of at most 7 bytes", "0", 'write ""')
    (fault,) = judged(V4, "hi!", "v2")[2]
    assert (fault.expected, fault.found) == ("text in standard base64", '"hi!"')


def test_raw_bytes_are_padded_and_never_cut():
    assert judged(V4, "AQI=", "v2")[0].tobytes() == b"\1\2\0\0"
    assert judged(V4, "AQIDBAU=", "v2")[0] is None
    assert judged(V4, 0, "v2")[1] == [("fill-value/type", "error", "error")]
    assert V4.fill_json(np.void(b"\1\2\0\0"), "v2") == "AQIAAA=="


def test_the_draft_reads_patterns_of_bytes():
    assert judged(V4, "0x01020304", "draft")[0].tobytes() == b"\1\2\3\4"
    assert judged(S7, "0x61626364000000", "draft")[0] == b"abcd"


def test_raw_bits_are_a_list_of_bytes():
    r16 = parse_v3("r16", [])
    assert judged(r16, [1, 255], "v3")[0].tobytes() == b"\1\xff"
    assert judged(r16, [1, 255], "v3")[1] == []
    assert r16.fill_json(np.void(b"\1\xff"), "v3") == [1, 255]
    assert r16.fill_json(np.void(b"\1\xff"), "draft") == "0x01ff"
    found, judgement, (fault,) = judged(r16, "Af8=", "v3")
    assert found.tobytes() == b"\1\xff"
    assert judgement == [("fill-value/raw-base64", "warning", "warning")]
    assert (fault.expected, fault.fix) == ("a list of 2 integers from 0 to 255", "write [1, 255]")


def test_a_wrong_list_of_raw_bits_is_located():
    r16 = parse_v3("r16", [])
    assert judged(r16, [1] * 16, "v3")[1] == [("fill-value/length", "error", "error")]
    assert judged(r16, [1] * 16, "v3")[2][0].found == "a list of 16"
    faults = judged(r16, [256, True], "v3")[2]
    assert [(f.rule.code, f.path) for f in faults] == [
        ("fill-value/range", ("fill_value", 0)),
        ("fill-value/type", ("fill_value", 1)),
    ]
    assert judged(r16, 0, "v3")[1] == [("fill-value/type", "error", "error")]


@pytest.mark.parametrize("value", ["0x01", "0b1", "Af8=", "text"])
def test_the_draft_reads_raw_bits_of_full_width_only(value):
    (fault,) = judged(parse_v3("r16", []), value, "draft")[2]
    assert (fault.rule.code, fault.expected) == ("fill-value/width", '"0x" and 4 hexadecimal digits')


@pytest.mark.parametrize(("name", "fix"), [("r12", 'write "r16"'), ("r0", None), ("r1", 'write "r8"')])
def test_raw_bits_come_in_bytes(name, fix):
    faults = []
    assert parse_v3(name, faults, ("data_type",)) is None
    (fault,) = faults
    assert (fault.rule.code, fault.path, fault.expected) == (
        "data-type/raw-bits",
        ("data_type",),
        'a multiple of 8 bits, such as "r16"',
    )
    assert fault.fix == fix


@pytest.mark.parametrize("name", ["r", "rx", "r-8", "r08", "raw"])
def test_other_names_are_not_raw_bits(name):
    faults = []
    assert parse_v3(name, faults) is None
    assert faults == []


@pytest.mark.parametrize(
    ("name", "length", "words"),
    [
        ("raw_bytes", 0, "an integer from 1 to 2147483647"),
        ("null_terminated_bytes", "8", "an integer from 1 to 2147483647"),
        ("fixed_length_utf32", 2, "an integer from 4 to 2147483647"),
        ("fixed_length_utf32", 6, None),
        ("raw_bytes", 1 << 40, "an integer from 1 to 2147483647"),
    ],
)
def test_a_wrong_length_is_located(name, length, words):
    faults = []
    value = {"name": name, "configuration": {"length_bytes": length}}
    assert parse_v3(value, faults, ("data_type",)) is None
    (fault,) = faults
    assert fault.path == ("data_type", "configuration", "length_bytes")
    assert words is None or fault.expected == words


@pytest.mark.parametrize("name", ["raw_bytes", "null_terminated_bytes", "fixed_length_utf32"])
def test_a_length_is_needed(name):
    faults = []
    assert parse_v3(name, faults, ("data_type",)) is None
    assert [(f.path, f.found) for f in faults] == [
        (("data_type", "configuration", "length_bytes"), "nothing")
    ]


def test_text_of_fixed_length():
    assert judged(U3, "abc", "v2")[:2] == ("abc", [])
    (fault,) = judged(U3, "abcd", "v3")[2]
    assert (fault.rule.code, fault.expected, fault.found) == (
        "fill-value/length",
        "text of at most 3 characters",
        "4 characters",
    )
    assert judged(U3, 0, "v2")[1] == [("fill-value/type", "error", "error")]
    assert parse_v2(">U3", None, []).numpy() == np.dtype(">U3")
    assert parse_v2(">U3", None, []).to_json("v3")["configuration"] == {"length_bytes": 12}


def test_an_element_without_bytes_is_for_v2_only():
    for spelled in ("|S0", "<U0", "|V0"):
        made = parse_v2(spelled, None, [])
        assert made.to_json("v2") == spelled
        with pytest.raises(ConversionError, match="it has no bytes"):
            made.to_json("v3")
        assert made.parse_fill(made.fill_json(made.default(), "v2"), "v2", []) is not None


def test_text_of_any_length():
    string = data_type("string")
    assert judged(string, "é", "v3")[:2] == ("é", [])
    assert judged(string, 0, "v2")[:2] == ("", [])
    for value, form in [(0, "v3"), (1, "v2"), (True, "v2")]:
        found, judgement, (fault,) = judged(string, value, form)
        assert (found, judgement) == (None, [("fill-value/type", "error", "error")])
        assert fault.expected == "text"
    with pytest.raises(ConversionError):
        string.to_json("draft")
    assert isinstance(string.numpy(), np.dtypes.StringDType)


def test_bytes_of_any_length():
    made = data_type("bytes")
    assert parse_v3("variable_length_bytes", []) == made
    assert made.to_json("v3") == "bytes"
    assert judged(made, [1, 2], "v3")[0] == judged(made, "AQI=", "v3")[0] == b"\1\2"
    assert judged(made, 0, "v2")[:2] == (b"", [])
    assert judged(made, "x", "v3")[1] == [("fill-value/base64", "error", "error")]
    assert judged(made, 0, "v3")[2][0].expected == "base64, or a list of integers from 0 to 255"
    assert [f.path for f in judged(made, [1, 300, -1], "v3")[2]] == [("fill_value", 1), ("fill_value", 2)]
    assert judged(made, [1], "v2")[2][0].expected == "base64"
    assert made.fill_json(b"\1\2", "v3") == "AQI="


@pytest.mark.parametrize(
    ("made", "good", "bad", "words"),
    [
        (S7, b"ab\0", b"too long", "at most 7 bytes"),
        (V4, b"abcd", b"abc", "4 bytes"),
        (parse_v3("r16", []), b"ab", b"abc", "2 bytes"),
        (U3, "abc", "abcd", "text of at most 3 characters"),
        (data_type("string"), "abc", b"abc", "text"),
        (data_type("bytes"), b"abc", "abc", "bytes"),
    ],
)
def test_casts(made, good, bad, words):
    assert made.fill_json(made.cast(good), "v2") == made.fill_json(made.cast(made.cast(good)), "v2")
    with pytest.raises(SpecError, match=f"expected {words}, found"):
        made.cast(bad)


def test_the_v3_of_2021_spells_bytes_and_text_as_extensions():
    def read(word, spelled):
        value = {"extension": f"TODO: {word} array protocol URL", "type": spelled, "fallback": None}
        return parse_draft(value, [])

    assert read("bytestring", "|S7") == S7
    assert read("unicode", ">U3").order == "big"
    assert read("structured", [["", "|V4"]]) == V4
    assert read("object", "|O").name == "object"
    assert read("unicode", "|S7") is None
