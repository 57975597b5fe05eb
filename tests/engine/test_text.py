"""Text of all of Unicode, of all lengths, in every type and codec that carries it: whole and in parts."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zom
from zom import v2, v3
from zom.errors import CodecError

T = np.dtypes.StringDType()

CHARACTERS = st.characters(exclude_categories=("Cs",))
TEXTS = st.text(CHARACTERS, max_size=8) | st.sampled_from(
    [
        "",
        "\0",
        "a\0",
        "\0é",
        "東京" * 20,
        "é" * 130,
        "😀" * 70,
        "x" * 300,
        "\U0010ffff",
        "\ufeff",
        "e\u0301",
        "\r\n\t",
    ]
)
LISTS = st.lists(TEXTS, min_size=1, max_size=24)


def _object(codec):
    return {"dtype": "|O", "filters": [codec], "fill_value": "", "compressor": None, "order": "C"}


def _fixed(dtype, order="C"):
    return {"dtype": dtype, "filters": None, "fill_value": "", "compressor": None, "order": order}


V3 = {
    "string": {"dtype": "string"},
    "string-shards": {"dtype": "string", "shards": (12,)},
    "string-raw": {"dtype": "string", "codecs": [{"name": "vlen-utf8"}]},
}
V2 = {
    "vlen-utf8": _object({"id": "vlen-utf8"}),
    "json2": _object({"id": "json2"}),
    "json2-utf8": _object({"id": "json2", "ensure_ascii": False}),
    "msgpack2": _object({"id": "msgpack2"}),
    "vlen-utf8-F": {**_object({"id": "vlen-utf8"}), "order": "F"},
}
FIXED = {
    "v3": lambda: v3.ArraySpec.build(shape=(24,), dtype="<U300", chunks=(6,)),
    "v3-shards": lambda: v3.ArraySpec.build(shape=(24,), dtype="<U300", chunks=(6,), shards=(12,)),
    "v2": lambda: v2.ArraySpec(shape=(24,), chunks=(6,), **_fixed("<U300")),
    "v2-big": lambda: v2.ArraySpec(shape=(24,), chunks=(6,), **_fixed(">U300", "F")),
}


def _any_length(name):
    if name in V3:
        return v3.ArraySpec.build(shape=(24,), chunks=(6,), **V3[name])
    return v2.ArraySpec(shape=(24,), chunks=(6,), **V2[name])


def _given(items, how):
    if how == "list":
        return items
    return np.array(items, {"T": T, "O": object, "U": None, ">U": ">U300"}[how])


def _round_trip(spec, items, how, expected):
    array = zom.create_array("memory:", spec)
    array[: len(items)] = _given(items, how)
    assert array[: len(items)].tolist() == expected
    array[1:3] = _given((items * 3)[:2], how)  # parts of a chunk
    wanted = (expected + [""] * 24)[:24]
    wanted[1:3] = (expected * 3)[:2]
    assert array[:].tolist() == wanted
    array[23] = items[0]
    wanted[23] = expected[0]
    assert zom.open_array(array.store)[:].tolist() == wanted
    assert [
        problem
        for problem in zom.validate(array.store, conventions=(), data="all").problems
        if problem.severity != "note"
    ] == []


@pytest.mark.parametrize("name", [*V3, *V2])
@given(items=LISTS, how=st.sampled_from(["T", "O", "list"]))
@settings(max_examples=15, deadline=None)
def test_text_of_any_length_comes_back(name, items, how):
    _round_trip(_any_length(name), items, how, items)


@pytest.mark.parametrize("name", FIXED)
@given(items=LISTS, how=st.sampled_from(["T", "O", "U", ">U", "list"]))
@settings(max_examples=15, deadline=None)
def test_text_of_a_fixed_length_comes_back_without_the_zeros_at_its_end(name, items, how):
    _round_trip(FIXED[name](), items, how, [item.rstrip("\0") for item in items])


@pytest.mark.parametrize("name", [*V3, *V2])
@pytest.mark.parametrize("long", ["東京" * 20, "é" * 101, "😀" * 26, "a\0" * 60 + "é"])
@pytest.mark.parametrize("count", [1, 2, 3, 17])
def test_long_text_beside_empty_text_comes_back(name, long, count):
    items = ([long] + [""] * (23 // count))[:24]
    array = zom.create_array(
        "memory:", _any_length(name).replace(chunks=(24,)) if name in V2 else _any_length(name)
    )
    array[: len(items)] = np.array(items, T)
    assert array[: len(items)].tolist() == items


def test_issue_13_text_that_was_cut_inside_a_character():
    items = ["東京" * 20] + [""] * 7
    array = zom.create_array("memory:", v3.ArraySpec.build(shape=(8,), dtype="string"))
    array[:] = items
    assert array[:].tolist() == items


@given(labels=st.lists(TEXTS.filter(bool), min_size=1, max_size=9, unique=True), data=st.data())
@settings(max_examples=15, deadline=None)
def test_labels_of_categorize_come_back(labels, data):
    codec = {"id": "categorize", "labels": labels, "dtype": "|O", "astype": "|u1"}
    array = zom.create_array("memory:", v2.ArraySpec(shape=(24,), chunks=(6,), **_object(codec)))
    items = data.draw(st.lists(st.sampled_from(labels), min_size=24, max_size=24))
    array[:] = items
    assert array[:].tolist() == items


@given(fill=TEXTS)
@settings(max_examples=40, deadline=None)
def test_a_fill_value_is_any_text(fill):
    for spec in (
        v3.ArraySpec.build(shape=(4,), dtype="string", fill_value=fill),
        v3.ArraySpec.build(shape=(4,), dtype="<U300", fill_value=fill),
        *(v2.ArraySpec(shape=(4,), chunks=(2,), **{**entry, "fill_value": fill}) for entry in V2.values()),
    ):
        array = zom.create_array("memory:", spec)
        found = zom.open_array(array.store, mode="r+")
        expected = fill if found.dtype.kind != "U" else fill.rstrip("\0")
        assert found[:].tolist() == [expected] * 4
        found[0] = "é"
        assert found[:].tolist() == ["é", *[expected] * 3]


@given(attributes=st.dictionaries(TEXTS, TEXTS | st.lists(TEXTS), max_size=5))
@settings(max_examples=40, deadline=None)
def test_attributes_hold_any_text(attributes):
    for cls in (v2.GroupSpec, v3.GroupSpec):
        group = zom.create_group("memory:", cls(attributes=attributes))
        assert zom.open_group(group.store).spec.attributes == attributes
        group.attrs.update({"again": attributes})
        assert dict(zom.open_group(group.store).attrs) == {**attributes, "again": attributes}


STRUCT = [["name", "<U300"], ["big", ">U300"], ["number", "<i4"]]


@given(items=st.lists(TEXTS, min_size=6, max_size=6))
@settings(max_examples=15, deadline=None)
def test_fields_of_structs_hold_any_text(items):
    spec = v2.ArraySpec(
        shape=(6,), chunks=(4,), dtype=STRUCT, filters=None, fill_value=None, compressor=None, order="C"
    )
    array = zom.create_array("memory:", spec)
    array["name"] = np.array(items, T)
    array["big", 1:4] = np.array(items[1:4], T)
    expected = [item.rstrip("\0") for item in items]
    assert array["name"].tolist() == expected
    assert array["big"].tolist() == ["", *expected[1:4], "", ""]


SURROGATE = "expected text without lone surrogates at (1), found \\ud800 at character 1"


@pytest.mark.parametrize("name", [*V3, *V2])
@pytest.mark.parametrize("how", ["list", "O", "U"])
def test_half_a_character_is_refused_before_anything_is_written(name, how):
    array = zom.create_array("memory:", _any_length(name))
    before = dict.fromkeys(array.store.list())
    with pytest.raises(CodecError) as caught:
        array[:2] = _given(["a", "b\ud800"], how)
    assert str(caught.value) == f"memory://: /: {SURROGATE}"
    assert dict.fromkeys(array.store.list()) == before


@pytest.mark.parametrize("name", FIXED)
@pytest.mark.parametrize("how", ["list", "O", "U", ">U"])
def test_half_a_character_is_refused_in_text_of_a_fixed_length(name, how):
    array = zom.create_array("memory:", FIXED[name]())
    with pytest.raises(CodecError) as caught:
        array[:2] = _given(["a", "b\ud800"], how)
    assert str(caught.value) == f"memory://: /: {SURROGATE}"


def test_half_a_character_in_a_field_is_refused_with_its_name():
    spec = v2.ArraySpec(
        shape=(6,), chunks=(4,), dtype=STRUCT, filters=None, fill_value=None, compressor=None, order="C"
    )
    array = zom.create_array("memory:", spec)
    with pytest.raises(CodecError, match=r"lone surrogates of the field 'big' at \(2\), found \\ud800"):
        array[:3] = [("a", "b", 1), ("c", "d", 2), ("e", "\ud800", 3)]


def test_half_a_character_that_is_appended_is_refused():
    array = zom.create_array("memory:", v3.ArraySpec.build(shape=(1,), dtype="string"))
    with pytest.raises(CodecError, match=r"lone surrogates at \(1\)"):
        array.append(["a", "\udc00"])
    assert zom.open_array(array.store).shape == (1,)


def test_half_a_character_inside_of_an_object_is_refused():
    array = zom.create_array("memory:", _any_length("json2"))
    with pytest.raises(CodecError, match=r"lone surrogates, found \\ud800 at character 0"):
        array[0] = {"a": ["\ud800"]}


def test_text_for_bytes_is_refused_with_what_to_do():
    array = zom.create_array("memory:", v3.ArraySpec.build(shape=(2,), dtype="S4"))
    with pytest.raises(CodecError, match=r"found text that it can't hold: .*; encode the text to bytes"):
        array[:] = ["a", "é"]
    array[:] = ["a", "é".encode()]
    assert array[:].tolist() == [b"a", "é".encode()]


def test_text_of_a_fixed_length_is_read_into_memory_of_any_length():
    array = zom.create_array("memory:", FIXED["v2-big"]())
    array[0] = "東京"
    out = np.empty(1, T)
    assert array.read(slice(0, 1), out=out).tolist() == ["東京"]


# --- room ---------------------------------------------------------------------------------------------

RECORD = np.dtype([("n", "i4"), ("s", "<U3"), ("b", "S2"), ("in", [("t", ">U2", (2,))])])
LONG = {
    "text": ("<U5", "abcdef", 'text of at most 5 characters{}, found "abcdef" with 6'),
    "text of big endian": (">U2", "né€", 'text of at most 2 characters{}, found "né€" with 3'),
    "bytes": ("S5", b"abcdef", "at most 5 bytes{}, found b'abcdef' with 6"),
    "raw bytes": ("V3", b"abcd", "at most 3 bytes{}, found b'abcd' with 4"),
    "a number as text": ("<U5", 123456, 'text of at most 5 characters{}, found "123456" with 6'),
}


def written(dtype, make):
    """The elements of an array of that type after a write that may fail."""
    array = zom.create_array("memory:", v2.ArraySpec.build(shape=(6,), dtype=np.dtype(dtype), chunks=(2,)))
    array[:] = np.zeros(6, dtype) if np.dtype(dtype).kind == "V" else np.full(6, "x", dtype)
    before = array[:].tobytes()
    with pytest.raises(CodecError) as caught:
        make(array)
    assert array[:].tobytes() == before
    return str(caught.value)


@pytest.mark.parametrize("kind", LONG)
def test_what_is_too_long_is_refused_before_anything_is_written(kind):
    dtype, item, message = LONG[kind]
    short = item[:1] if isinstance(item, (str, bytes)) else 1
    many = np.array([short] * 5 + [item])

    def put(where, value):
        return lambda array: array.__setitem__(where, value)

    at = {
        "": put(2, item),
        " at (5)": put(slice(None), many.tolist()),
        " at (3)": put(slice(2, None), many[2:]),
    }
    at[" at (1)"] = lambda array: array.append([short, item])
    for place, make in at.items():
        assert f"expected {message.format(place)}; shorten it, or let numpy cut it" in written(dtype, make)
    if isinstance(item, str):
        written(dtype, put(slice(None), many.astype(object)))
        written(dtype, put(slice(None), many.astype("T")))
    written(dtype, put([1, 4], item))


def test_fields_that_are_too_long_are_refused_and_named():
    def put(value, *fields):
        return lambda array: array.__setitem__(fields or slice(None), value)

    row = (1, "abc", b"ab", (["xy", "z"],))
    assert "in the field 's' at (1), found \"abcd\"" in written(RECORD, put([row, (1, "abcd", *row[2:])] * 3))
    assert "in the field 'in.t' at (0, 1), found \"xyz\"" in written(
        RECORD, put([(*row[:3], (["x", "xyz"],))] * 6)
    )
    wide = np.dtype([("n", "i8"), ("s", "<U9"), ("b", "S9"), ("in", [("t", "<U9", (2,))])])
    values = np.array([row] * 6, wide)
    values["b"][4] = b"abc"
    assert "in the field 'b' at (4), found b'abc'" in written(RECORD, put(values))
    assert "at most 3 characters" in written(RECORD, put("abcd", "s"))


def test_what_fits_is_written_from_any_type():
    array = zom.create_array("memory:", v2.ArraySpec.build(shape=(2,), dtype=np.dtype("<U5"), chunks=(1,)))
    for values in (
        ["abcde", ""],
        np.array(["abcde", "é"], "<U90"),
        np.array(["abcde", "x"], "T"),
        [12345, 1],
    ):
        array[:] = values
        assert array[:].tolist() == [str(each) for each in np.asarray(values).tolist()]
    raw = zom.create_array("memory:", v2.ArraySpec.build(shape=(2,), dtype=np.dtype("S3"), chunks=(1,)))
    raw[:] = np.array([b"abc", b"a\0\0\0\0"], "S9")
    assert raw[:].tolist() == [b"abc", b"a"]
    array[:] = np.array(["abcdefg"] * 2).astype("<U5")
    assert array[:].tolist() == ["abcde"] * 2


# --- what is missing --------------------------------------------------------------------------------------


class Missing:
    """As pandas.NA: neither equal to anything, nor true or false."""

    def __ne__(self, other):
        return self

    __hash__ = None

    def __bool__(self):
        raise TypeError

    def __repr__(self):
        return "<NA>"


@pytest.mark.parametrize("dtype", ["string", "U9"])
@pytest.mark.parametrize(
    ("missing", "shown"),
    [(None, "None"), (float("nan"), "nan"), (Missing(), "<NA>")],
    ids=["None", "nan", "NA"],
)
def test_what_is_missing_is_not_written_as_its_name(dtype, missing, shown):
    array = zom.array(["a", "b"], dtype=dtype)
    message = rf'memory://: /: expected text at \(1\), found {shown}; replace it with text, such as ""'
    for values in (["x", missing], np.array(["x", missing], object)):
        with pytest.raises(CodecError, match=message):
            array[:] = values
    with pytest.raises(CodecError, match=f"expected text, found {shown}"):
        array[0] = missing
    assert array[:].tolist() == ["a", "b"]


def test_what_numpy_marks_as_missing_in_text_is_refused():
    array = zom.array(["a", "b"], dtype="string")
    marked = np.array(["x", np.nan], np.dtypes.StringDType(na_object=np.nan))
    with pytest.raises(CodecError, match=r"expected text at \(1\), found nan"):
        array[:] = marked
    array[:] = marked[[0, 0]]
    assert array[:].tolist() == ["x", "x"]


def test_numbers_become_text_as_in_numpy():
    array = zom.array(["a", "b"], dtype="string")
    array[:] = np.array([5, "x"], object)
    assert array[:].tolist() == ["5", "x"]


@pytest.mark.parametrize("missing", [None, float("nan"), np.datetime64("NaT", "ns")])
@pytest.mark.parametrize("name", ["s", "t"])
def test_fields_of_text_take_no_missing_value(missing, name):
    """Numpy would spell it: "None", "nan"."""
    kinds = [("n", "i8"), ("s", "<U9"), ("in", [("t", "<U9")])]
    array = zom.create_array("memory:", shape=(2,), dtype=kinds)
    rows = [(1, "a", ("b",)), (2, missing, ("c",)) if name == "s" else (2, "b", (missing,))]
    objects = np.array(rows, [("n", "i8"), ("s", object), ("in", [("t", object)])])
    found = re.escape(f'expected text at (1), found {missing!r}; replace it with text, such as ""')
    for values in (rows, objects):
        with pytest.raises(CodecError, match=found):
            array[:] = values
    assert list(array.store.list()) == ["zarr.json"]
