from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zom.dtypes  # noqa: F401
from zom.dtypes.element import PlainFamily
from zom.dtypes.int import IntType
from zom.errors import SpecError, UnknownName
from zom.extension import resolve
from zom.extension.datatype import data_types
from zom.extension.resolve import data_type, parse_draft, parse_v2, parse_v3

CORE = (
    *(f"{u}int{bits}" for u in ("", "u") for bits in (8, 16, 32, 64)),
    *("bool", "float16", "float32", "float64", "complex64", "complex128"),
)


@pytest.mark.parametrize("name", CORE)
def test_a_core_name_is_a_text_or_an_object(name):
    plain = parse_v3(name, [])
    for value in (
        {"name": name},
        {"name": name, "configuration": {}},
        {"name": name, "must_understand": True},
    ):
        assert parse_v3(value, []) == plain
    assert plain.to_json("v3") == name
    assert plain.numpy() == np.dtype(name)


@pytest.mark.parametrize(
    "value",
    ["int7", {"name": "int7"}, {}, {"name": 7}, 7, None, [], {"name": "int8", "configuration": 1}, "", "r*"],
)
def test_an_unknown_v3_name_is_nobody_s_and_no_fault(value):
    faults = []
    assert parse_v3(value, faults) is None
    assert faults == []


def test_a_plain_name_is_parsed_once():
    assert parse_v3("float32", []) is parse_v3("float32", [])
    assert parse_v2("<f4", None, []) is parse_v2("<f4", "vlen-utf8", [])


def test_nothing_is_remembered_across_a_registration(monkeypatch):
    monkeypatch.setattr(data_types, "_by_name", dict(data_types._by_name))
    monkeypatch.setattr(data_types, "_all", list(data_types._all))
    assert parse_v3("int3", []) is None
    data_types.register(PlainFamily(IntType(3, signed=True)))
    assert parse_v3("int3", []).span == (-4, 3)
    resolve._plain.current().clear()


@pytest.mark.parametrize(
    ("codec", "name"),
    [
        ("vlen-utf8", "string"),
        ("vlen-bytes", "bytes"),
        ("categorize", "string"),
        ("json2", "object"),
        ("msgpack2", "object"),
        ("pickle", "object"),
        ("vlen-array", "object"),
        (None, "object"),
    ],
)
def test_the_object_codec_says_what_an_object_is(codec, name):
    faults = []
    made = parse_v2("|O", codec, faults)
    assert (made.name, made.itemsize, faults) == (name, None, [])
    if name == "object":
        assert made.object_codec == codec
    assert made.to_json("v2") == "|O"


@pytest.mark.parametrize(
    ("value", "name", "order"),
    [
        ("float64", "float64", None),
        ("<f8", "float64", "little"),
        (">f8", "float64", "big"),
        ("bool", "bool", None),
        ("|b1", "bool", None),
        ("i1", "int8", None),
        ("|u1", "uint8", None),
        ("u1", "uint8", None),
        ("int64", "int64", None),
        ("uint64", "uint64", None),
        ("r24", "r24", None),
        (">c16", "complex128", "big"),
    ],
)
def test_the_draft_takes_names_and_numpy_s_strings(value, name, order):
    faults = []
    made = parse_draft(value, faults)
    assert (made.name, made.order, faults) == (name, order, [])


@pytest.mark.parametrize("value", ["f8", "=f8", "string", "bfloat16", "float", 8, None, [["a", "<f4"]], {}])
def test_what_the_draft_does_not_know_is_no_fault(value):
    faults = []
    assert parse_draft(value, faults) is None
    assert faults == []


def test_the_first_known_fallback_is_used():
    faults = []
    value = {"extension": "https://example.org/half/1.0", "type": "h", "fallback": ["bfloat16", "<f2", "r16"]}
    assert parse_draft(value, faults, ("data_type",)).name == "float16"
    (fault,) = faults
    assert (fault.rule.code, fault.path, fault.expected, fault.found) == (
        "draft/data-type-fallback",
        ("data_type",),
        "a known data type",
        'the extension "https://example.org/half/1.0", read as "<f2"',
    )
    assert fault.rule.strict == "note"


@pytest.mark.parametrize("fallback", [None, [], "r7", ["x", 3]])
def test_without_a_known_fallback_nothing_is_known(fallback):
    faults = []
    assert (
        parse_draft({"extension": "https://example.org/x", "type": "y", "fallback": fallback}, faults) is None
    )
    assert faults == []


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (int, "int64"),
        (float, "float64"),
        (bool, "bool"),
        (complex, "complex128"),
        (str, "string"),
        (bytes, "bytes"),
        ("float32", "float32"),
        ("f4", "float32"),
        ("<f4", "float32"),
        ("float", "float64"),
        ("r16", "r16"),
        ("string", "string"),
        ("bytes", "bytes"),
        ("|S5", "null_terminated_bytes"),
        ("U5", "fixed_length_utf32"),
        ("M8[ns]", "numpy.datetime64"),
        (np.float32, "float32"),
        (np.dtype("V8"), "raw_bytes"),
        (np.dtype("S"), "bytes"),
        (np.dtype("U"), "string"),
        (np.dtypes.StringDType(), "string"),
        (np.dtypes.StringDType(na_object=None), "string"),
        (np.dtype([("a", "<f4")]), "struct"),
        ({"name": "bool"}, "bool"),
        ([["a", "<f4"]], "struct"),
        ([("a", "<f4")], "struct"),
        ("int4", "int4"),
        ("bfloat16", "bfloat16"),
    ],
)
def test_what_people_write(given, name):
    made = data_type(given)
    assert made.name == name
    assert data_type(made) is made


def test_a_numpy_type_of_ml_dtypes_is_known():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="pip install ml_dtypes")
    for name in ("bfloat16", "float8_e5m2", "float4_e2m1fn", "int2", "uint4", "float8_e4m3fn"):
        assert data_type(getattr(ml_dtypes, name)).name == name
        assert data_type(name).numpy() == np.dtype(getattr(ml_dtypes, name))


def test_big_endian_numpy_types_state_their_order():
    assert data_type(np.dtype(">f8")).order == "big"
    assert data_type(">f8") == data_type(np.dtype(">f8"))
    assert data_type(np.dtype("f8")).order is None
    assert data_type(np.dtype(">f8")) != data_type("float64")


@pytest.mark.parametrize("value", [object, "O", np.dtype("O")])
def test_an_object_dtype_says_nothing(value):
    with pytest.raises(UnknownName, match='an object dtype may contain anything: pass "string" or "bytes"'):
        data_type(value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("flot32", "no data type named 'flot32' is registered; did you mean 'float32'"),
        ("", "no data type named '' is registered"),
        ({"name": "flot32"}, 'unknown data type {"name": "flot32"}; did you mean \'float32\''),
        ({"nam": "x"}, 'unknown data type {"nam": "x"}; a data type has a "name"'),
        (None, "None is not a data type; pass one, such as 'float64'"),
        (3, "3 is not a data type: expected a name, a numpy type or a v3 data type object"),
        (np.dtype("V"), "no data type matches numpy's"),
        (np.longdouble, "no data type matches numpy's"),
    ],
)
def test_an_unknown_type_is_told_what_is_near(value, message):
    with pytest.raises(UnknownName) as caught:
        data_type(value)
    assert str(caught.value).startswith(message)


def test_two_families_may_not_claim_one_numpy_type(monkeypatch):
    class Twin(PlainFamily):
        pass

    monkeypatch.setattr(data_types, "_own", [*data_types._own, Twin(IntType(16, signed=True))])
    with pytest.raises(UnknownName, match="numpy's int16 is ambiguous: 'int16' and 'int16' claim it"):
        data_type(np.dtype("int16"))


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ("r12", ""),
        ("numpy.datetime64", "/configuration/unit"),
        ({"name": "raw_bytes", "configuration": {"length_bytes": 0}}, "/configuration/length_bytes"),
        ([["a", "f4"]], "/0/1"),
        ({"name": "x", "configuration": {1: 2}}, "/configuration"),
    ],
)
def test_a_broken_type_is_an_error_with_its_place(value, pointer):
    with pytest.raises(SpecError) as caught:
        data_type(value)
    assert caught.value.problems[0].pointer == pointer
    assert caught.value.subject.startswith("data type ")


@given(
    st.sampled_from(["struct", "void", "raw", "datetime", "unicode", "string", "bytes", "object", "complex"]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.sampled_from(["", "a", "|V4", "<f4", "<U2"]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "type"]), inner),
        max_leaves=6,
    ),
)
def test_no_type_of_a_draft_extension_makes_it_raise(word, spelled):
    faults = []
    found = parse_draft({"extension": f"TODO: {word} URL", "type": spelled, "fallback": None}, faults)
    assert found is None or not faults
