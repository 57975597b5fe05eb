from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zom.dtypes  # noqa: F401
from zom.errors import ExtensionError, SpecError
from zom.extension.resolve import data_type, parse_v2, parse_v3


def judged(name, value, form):
    faults = []
    found = data_type(name).parse_fill(value, form, faults, ("fill_value",))
    return found, [(fault.rule.code, fault.rule.lenient, fault.rule.strict) for fault in faults]


@pytest.mark.parametrize(
    ("name", "value", "form", "bits", "faults"),
    [
        ("float32", 1.5, "v3", "3fc00000", []),
        ("float32", 1, "v3", "3f800000", []),
        ("float32", -0.0, "v3", "80000000", []),
        ("float32", "NaN", "v3", "7fc00000", []),
        ("float32", "Infinity", "v3", "7f800000", []),
        ("float32", "-Infinity", "v3", "ff800000", []),
        ("float32", "0x7fa00001", "v3", "7fa00001", []),
        ("float32", "0xFF800001", "v3", "ff800001", []),
        ("float32", 1e300, "v3", "7f800000", [("fill-value/rounded-to-infinity", "warning", "warning")]),
        ("float16", 70000, "v3", "7c00", [("fill-value/rounded-to-infinity", "warning", "warning")]),
        (
            "float64",
            10**400,
            "v3",
            "7ff0" + "0" * 12,
            [("fill-value/rounded-to-infinity", "warning", "warning")],
        ),
        ("float32", "+Infinity", "v3", "7f800000", [("fill-value/infinity-spelling", "warning", "warning")]),
        ("float32", "+Infinity", "draft", "7f800000", []),
        (
            "float32",
            "Infinity",
            "draft",
            "7f800000",
            [("fill-value/infinity-spelling", "warning", "warning")],
        ),
        ("float32", "0x7fc00000", "draft", "7fc00000", []),
        ("float16", "0b0111110000000001", "draft", "7c01", []),
        ("float32", "nan", "v2", "7fc00000", [("fill-value/float-text", "warning", "error")]),
        ("float32", "+Infinity", "v2", "7f800000", [("fill-value/float-text", "warning", "error")]),
        ("float32", "1.5", "v2", "3fc00000", [("fill-value/float-text", "warning", "error")]),
        ("float32", "Infinity", "v2", "7f800000", []),
    ],
)
def test_fill_values_that_are_read(name, value, form, bits, faults):
    found, judgement = judged(name, value, form)
    assert found.tobytes()[::-1].hex() == bits
    assert judgement == faults


@pytest.mark.parametrize(
    ("name", "value", "form", "code"),
    [
        ("float64", "nan", "draft", "fill-value/type"),
        ("float64", "1.5", "draft", "fill-value/type"),
        ("float64", True, "v3", "fill-value/type"),
        ("float64", [1.0], "v3", "fill-value/type"),
        ("float64", "0x7fc00000", "v3", "fill-value/width"),
        ("float64", "0x7fc", "v3", "fill-value/width"),
        ("float64", "0X7FF8000000000000", "v3", "fill-value/type"),
        ("float32", "0x7fc00001", "v2", "fill-value/type"),
        ("float32", "0b01", "draft", "fill-value/width"),
        ("float32", True, "v2", "fill-value/type"),
        ("float4_e2m1fn", "NaN", "v3", "fill-value/range"),
        ("float4_e2m1fn", "Infinity", "v3", "fill-value/range"),
        ("float4_e2m1fn", 100, "v3", "fill-value/range"),
        ("float8_e8m0fnu", -1, "v3", "fill-value/range"),
        ("float8_e8m0fnu", "Infinity", "v3", "fill-value/range"),
        ("float8_e4m3", "0x7c0", "v3", "fill-value/width"),
    ],
)
def test_fill_values_that_are_refused(name, value, form, code):
    found, judgement = judged(name, value, form)
    assert found is None
    assert judgement == [(code, "error", "error")]


def test_a_number_as_text_is_read_with_a_warning():
    assert judged("float64", "1.5", "v3") == (1.5, [("fill-value/number-text", "warning", "error")])


def test_a_type_without_zero_reads_0_as_tensorstore_does():
    found, judgement = judged("float8_e8m0fnu", 0.0, "v3")
    assert found.tobytes() == b"\0"
    assert judgement == [("fill-value/no-zero", "warning", "error")]


def test_messages_say_what_a_float_is():
    faults = []
    data_type("float32").parse_fill("x", "v3", faults, ("fill_value",))
    data_type("float32").parse_fill("x", "v2", faults, ("fill_value",))
    data_type("float32").parse_fill("0x12", "v3", faults, ("fill_value",))
    data_type("float32").parse_fill("+Infinity", "v3", faults, ("fill_value",))
    data_type("float16").parse_fill(1e9, "v3", faults, ("fill_value",))
    data_type("float4_e2m1fn").parse_fill(7.5, "v3", faults, ("fill_value",))
    assert [(fault.expected, fault.found, fault.fix) for fault in faults] == [
        ('a number, "NaN", "Infinity", "-Infinity" or "0x" and 8 hexadecimal digits', '"x"', None),
        ('a number, "NaN", "Infinity" or "-Infinity"', '"x"', None),
        ('"0x" and 8 hexadecimal digits', '"0x12"', None),
        ('"Infinity"', '"+Infinity"', 'write "Infinity"'),
        ("a number of at most 65500.0", "1000000000.0", None),
        ("a number that float4_e2m1fn holds, up to 6.0", "7.5", None),
    ]


def test_a_signalling_nan_is_not_quietened():
    for name, text in [("float16", "0x7c01"), ("float32", "0x7f800001"), ("float64", "0x7ff0000000000001")]:
        made = data_type(name)
        scalar = made.parse_fill(text, "v3", [])
        assert scalar.tobytes()[::-1].hex() == text[2:]
        assert made.fill_json(scalar, "v3") == text
        assert made.fill_json(scalar, "draft") == text
        assert made.fill_json(scalar, "v2") == "NaN"
        assert made.cast(scalar).tobytes() == scalar.tobytes()


def test_a_float32_is_spelled_with_the_digits_that_it_needs():
    made = data_type("float32")
    assert made.fill_json(np.float32(0.1), "v3") == 0.1
    assert made.fill_json(np.float32(16777216), "v3") == 16777216.0
    assert repr(made.fill_json(np.float32(-0.0), "v3")) == "-0.0"


def test_positive_infinity_is_spelled_as_the_format_asks():
    infinity = np.float64(np.inf)
    made = data_type("float64")
    assert [made.fill_json(infinity, form) for form in ("v2", "v3", "draft")] == [
        "Infinity",
        "Infinity",
        "+Infinity",
    ]


@given(number=st.floats(allow_nan=False, width=64))
def test_a_cast_is_a_fill_value(number):
    made = data_type("float64")
    assert made.cast(number).tobytes() == np.float64(number).tobytes()


@pytest.mark.parametrize("value", [True, "1.5", None, 1j, np.bool_(True), [1.0]])
def test_a_cast_refuses_what_is_no_number(value):
    with pytest.raises(SpecError, match="expected a number that float32 holds, found"):
        data_type("float32").cast(value)


def test_tensorstore_writes_the_bare_name_in_v2():
    assert parse_v2("bfloat16", None, []) == parse_v3("bfloat16", [])
    assert parse_v2("float8_e4m3fn", None, []).name == "float8_e4m3fn"


def test_documents_are_checked_without_ml_dtypes():
    """In a process of its own, where ml_dtypes can't be imported."""
    script = """
import sys
sys.modules["ml_dtypes"] = None
from zom.errors import ExtensionError
import zom.dtypes
from zom.extension.resolve import data_type
made = data_type("bfloat16")
faults = []
print(made.fill_json(made.parse_fill("0x7fc1", "v3", faults), "v3"), made.parse_fill("0x7fc", "v3", faults))
print(faults[0].rule.code, made.fill_json(made.cast(1.5), "v3"), made.fill_json(made.default(), "v3"))
print(data_type("int4").fill_json(data_type("int4").parse_fill(-3, "v3", faults), "v3"))
pair = data_type({"name": "struct", "configuration": {"fields": [{"name": "x", "data_type": "bfloat16"}]}})
print(pair.fill_json(pair.parse_fill({"x": 0.5}, "v3", faults), "v3"))
import zom
for kind, fill in (("bfloat16", 1.5), ("float8_e4m3fn", "NaN"), ("int4", -8), ("uint2", 3), ("complex_bfloat16", [1, -2.0])):
    array = {"shape": [2], "dtype": kind, "fill_value": fill}
    declared = zom.declare({"zom": 1, "members": {"a": array}})
    print(declared.spec.members["a"].fill_value, zom.materialize(declared, "memory:")["a"].spec.fill_value)
for kind, words in (("bfloat16", {"fill_value": 1e60}), ("int4", {"fill_value": 8}), ("int4", {"values": [1, 2]})):
    array = {"shape": [2], "dtype": kind, **words}
    try:
        zom.declare({"zom": 1, "members": {"a": array}})
    except zom.DeclarationError as error:
        print(error)
try:
    made.numpy()
except ExtensionError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        "0x7fc1 None",
        "fill-value/width 1.5 0.0",
        "-3",
        "{'x': 0.5}",
        "1.5 1.5",
        "NaN NaN",
        "-8 -8",
        "3 3",
        "[1.0, -2.0] [1.0, -2.0]",
        "declaration: members.a.fill_value: expected a number that bfloat16 holds, found 1e+60",
        "declaration: members.a.fill_value: expected an integer from -8 to 7, found 8",
        (
            "declaration: members.a.values: expected values of a type that numpy supports here, found int4; "
            "numpy has no int4: pip install 'zom[codecs]', which installs ml_dtypes"
        ),
        "numpy has no bfloat16: pip install 'zom[codecs]', which installs ml_dtypes",
    ], done.stderr


def test_an_older_ml_dtypes_is_named():
    from zom.dtypes.element import ml_dtype

    with pytest.raises(
        ExtensionError, match="this version of ml_dtypes has no float3: pip install --upgrade"
    ):
        ml_dtype("float3")
