from __future__ import annotations

import base64

import numpy as np
import pytest

import zom.dtypes  # noqa: F401
from zom.dtypes.struct import StructField, StructType
from zom.errors import ConversionError, SpecError
from zom.extension.resolve import data_type, parse_draft, parse_v2, parse_v3

POINT = {
    "name": "struct",
    "configuration": {
        "fields": [{"name": "x", "data_type": "float32"}, {"name": "n", "data_type": "uint8"}],
    },
}
NESTED = {
    "name": "struct",
    "configuration": {"fields": [{"name": "p", "data_type": POINT}, {"name": "v", "data_type": "int16"}]},
}


def judged(made, value, form="v3"):
    faults = []
    found = made.parse_fill(value, form, faults, ("fill_value",))
    return found, [(fault.rule.code, fault.path) for fault in faults]


def broken(value, object_codec=None):
    faults = []
    assert parse_v2(value, object_codec, faults, ("dtype",)) is None
    return [(fault.rule.code, fault.path, fault.expected, fault.found) for fault in faults]


def test_fields_are_packed():
    made = parse_v3(NESTED, [])
    assert made.itemsize == 7
    assert made.numpy() == np.dtype([("p", [("x", "<f4"), ("n", "u1")]), ("v", "<i2")])
    assert made.to_json("v3") == NESTED
    assert made.has_order
    assert made.order is None


def test_a_v2_field_has_a_byte_order_of_its_own():
    made = parse_v2([["a", ">i2"], ["b", "<f4"]], None, [])
    assert made.numpy() == np.dtype([("a", ">i2"), ("b", "<f4")])
    assert made.order is None
    assert parse_v2([["a", ">i2"], ["b", "|u1"]], None, []).order == "big"
    assert parse_v2([["a", "|u1"]], None, []).has_order is False


def test_the_examples_of_the_v2_specification():
    for value in (
        [["r", "|u1"], ["g", "|u1"], ["b", "|u1"]],
        [["x", "<f4"], ["y", "<f4"], ["z", "<f4", [2, 2]]],
        [["foo", "<f4"], ["bar", [["baz", "<f4"], ["qux", "<i4"]]]],
    ):
        made = parse_v2(value, None, [])
        assert made.to_json("v2") == value
        assert made.itemsize == made.numpy().itemsize


def test_v3_has_no_fields_with_a_shape():
    made = parse_v2([["z", "<f4", [2, 2]]], None, [])
    with pytest.raises(ConversionError, match="has a shape, or no name"):
        made.to_json("v3")
    with pytest.raises(ConversionError, match="has a shape, or no name"):
        made.fill_json(made.default(), "v3")


def test_the_innermost_wrong_place_is_named():
    fields = 'a type string such as "<f8" or "|u1", or a list of fields'
    assert broken([["a", "<f4"], ["b", [["c", "i4"]]]]) == [
        ("v2/typestr", ("dtype", 1, 1, 0, 1), fields, '"i4"')
    ]
    assert broken([["a", "f4"], ["b", "=i2"]]) == [
        ("v2/typestr", ("dtype", 0, 1), fields, '"f4"'),
        ("v2/typestr", ("dtype", 1, 1), fields, '"=i2"'),
    ]


@pytest.mark.parametrize(
    ("value", "path", "expected", "found"),
    [
        ([], (), "at least one field", "none"),
        (["a"], (0,), "[name, dtype] or [name, dtype, shape]", '"a"'),
        ([["a"]], (0,), "[name, dtype] or [name, dtype, shape]", '["a"]'),
        ([["a", "|u1", [1], 2]], (0,), "[name, dtype] or [name, dtype, shape]", '["a", "|u1", [1], 2]'),
        ([[1, "|u1"]], (0, 0), "the name of a field", "1"),
        ([["a", "|u1", 2]], (0, 2), "a list of at most 64 lengths", "2"),
        ([["a", "|u1", [2, -1]]], (0, 2, 1), "a length of at least 0", "-1"),
        ([["a", "|u1", [True]]], (0, 2, 0), "a length of at least 0", "true"),
        ([["a", "|u1", [1] * 65]], (0, 2), "a list of at most 64 lengths", None),
        ([["a", []]], (0, 1), "at least one field", "none"),
    ],
)
def test_a_wrong_field_list(value, path, expected, found):
    ((code, where, words, shown),) = broken(value)
    assert (code, where, words) == ("v2/dtype-fields", ("dtype", *path), expected)
    assert found is None or shown == found


def test_a_shape_that_is_a_number_is_told_how_to_be_spelled():
    faults = []
    parse_v2([["a", "|u1", 2]], None, faults)
    assert faults[0].fix == "write [2]"


def test_names_differ():
    assert broken([["a", "|u1"], ["a", "<f4"]]) == [
        ("data-type/struct-fields", ("dtype", 1), "names that differ", 'two fields named "a"')
    ]


def test_fields_have_a_fixed_size():
    assert broken([["a", "|O"]], "vlen-utf8") == [
        (
            "data-type/struct-fields",
            ("dtype", 0),
            "a data type of fixed size",
            "object, whose elements differ in size",
        )
    ]


def test_a_struct_has_a_largest_size():
    assert broken([["a", "<f8", [1 << 30, 4]]]) == [
        (
            "data-type/struct-fields",
            ("dtype",),
            "fields of at most 2147483647 bytes in total",
            f"{1 << 35} bytes",
        )
    ]


def test_padding_without_a_name_is_kept():
    """zarr-python 2 wrote numpy's descr: the holes of an aligned struct are fields without a name."""
    value = [["a", "|i1"], ["", "|V3"], ["b", "<i4"]]
    made = parse_v2(value, None, [])
    assert made.to_json("v2") == value
    assert made.numpy().names == ("a", "f1", "b")


def test_every_wrong_v3_field_is_found():
    value = {
        "name": "struct",
        "configuration": {
            "fields": [
                {"name": "x", "data_type": "float32"},
                {"name": "x", "data_type": "int8"},
                {"name": "s", "data_type": "string"},
                {"name": "d", "data_type": "numpy.datetime64"},
            ]
        },
    }
    faults = []
    assert parse_v3(value, faults, ("data_type",)) is None
    fields = ("data_type", "configuration", "fields")
    assert [fault.path for fault in faults] == [
        (*fields, 3, "data_type", "configuration", "unit"),
        (*fields, 3, "data_type", "configuration", "scale_factor"),
        (*fields, 1, "name"),
        (*fields, 2, "data_type"),
    ]


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ([], ("fields",)),
        ([{"name": "", "data_type": "int8"}], ("fields", 0, "name")),
        ([{"data_type": "int8"}], ("fields", 0, "name")),
        ([{"name": "x"}], ("fields", 0, "data_type")),
        ([["x", "int8"]], ("fields", 0)),
        ([{"name": "x", "data_type": 8}], ("fields", 0, "data_type")),
        ([{"name": "x", "data_type": {"configuration": {}}}], ("fields", 0, "data_type", "name")),
    ],
)
def test_a_wrong_v3_field_is_located(fields, path):
    faults = []
    value = {"name": "struct", "configuration": {"fields": fields}}
    assert parse_v3(value, faults, ("data_type",)) is None
    assert [fault.path for fault in faults] == [("data_type", "configuration", *path)]


def test_a_field_of_an_unknown_type_is_asked_after_at_the_closed_level_only():
    faults = []
    value = {"name": "struct", "configuration": {"fields": [{"name": "x", "data_type": "int7"}]}}
    assert parse_v3(value, faults, ("data_type",)) is None
    (fault,) = faults
    assert fault.rule.code == "data-type/unknown-field-type"
    assert [fault.rule.severity(level) for level in ("lenient", "strict", "closed")] == [None, None, "error"]
    assert (fault.expected, fault.found) == ("a registered data type", '"int7"')


def test_a_fill_value_names_every_field():
    made = parse_v3(NESTED, [])
    value = {"p": {"x": "NaN", "n": 7}, "v": -2}
    found, faults = judged(made, value)
    assert faults == []
    assert found.tobytes().hex() == "0000c07f07feff"
    assert made.fill_json(found, "v3") == value


def test_every_wrong_field_of_a_fill_value_is_found():
    made = parse_v3(NESTED, [])
    found, faults = judged(made, {"p": {"x": "no", "n": 256}, "w": 1})
    assert found is None
    assert sorted(faults) == [
        ("fill-value/field", ("fill_value", "v")),
        ("fill-value/field", ("fill_value", "w")),
        ("fill-value/inner", ("fill_value", "p", "n")),
        ("fill-value/inner", ("fill_value", "p", "x")),
    ]
    faults = []
    made.parse_fill({"p": {"x": 0, "n": 0}, "w": 1}, "v3", faults)
    assert [(fault.expected, fault.found) for fault in faults] == [
        ('only "p", "v"', '"w"'),
        ("a value of type int16", "nothing"),
    ]


@pytest.mark.parametrize("value", [0, "no base64", [0, 0]])
def test_a_v3_fill_value_is_an_object(value):
    assert judged(parse_v3(NESTED, []), value) == (None, [("fill-value/type", ("fill_value",))])


def test_a_v2_fill_value_is_base64():
    made = parse_v2([["a", ">i2"], ["b", "|u1"]], None, [])
    text = base64.b64encode(b"\1\2\3").decode()
    found, faults = judged(made, text, "v2")
    assert (found["a"], found["b"], faults) == (258, 3, [])
    assert made.fill_json(found, "v2") == text
    assert judged(made, "AQ==", "v2")[0].tobytes() == b"\1\0\0"
    assert judged(made, 0, "v2")[1] == [("fill-value/type", ("fill_value",))]
    assert judged(made, "AQIDBA==", "v2")[1] == [("fill-value/length", ("fill_value",))]
    assert judged(made, [0, 0], "v2")[1] == [("fill-value/type", ("fill_value",))]


def test_a_v2_fill_value_may_be_read_from_an_object():
    made = parse_v2([["a", ">i2"], ["z", "|u1", [2, 2]]], None, [])
    found, faults = judged(made, {"a": 258, "z": [[1, 2], [3, 4]]}, "v2")
    assert found.tobytes() == b"\1\2\1\2\3\4"
    assert faults == [("fill-value/struct-object", ("fill_value",))]
    found, faults = judged(made, {"a": None, "z": [[1, 2], [3]]}, "v2")
    assert found is None
    assert faults[1:] == [("fill-value/inner", ("fill_value", "z", 1))]


def test_structured_is_the_older_name():
    value = {"name": "structured", "configuration": {"fields": [["x", "float32"], ["n", "uint8"]]}}
    made = parse_v3(value, [])
    assert made.to_json("v3") == value
    assert made.name == "structured"
    found, faults = judged(made, "AAAAAAE=")
    assert (found["n"], faults) == (1, [("fill-value/structured-base64", ("fill_value",))])
    assert made.fill_json(found, "v3") == {"x": 0.0, "n": 1}
    assert judged(made, {"x": 0.0, "n": 1})[1] == []


@pytest.mark.parametrize("field", ["x", ["x"], [1, "int8"], ["", "int8"], {"name": "x", "data_type": "int8"}])
def test_a_structured_field_is_a_pair(field):
    faults = []
    value = {"name": "structured", "configuration": {"fields": [field, ["y", "int9000"]]}}
    assert parse_v3(value, faults, ("data_type",)) is None
    assert faults[0].path == ("data_type", "configuration", "fields", 0)
    assert faults[0].expected == "[name, data_type]"


def test_the_v3_of_2021_spells_structs_as_numpy_does():
    value = {
        "extension": "TODO: structured array protocol URL",
        "type": [["x", "<f4"], ["y", ">i2"]],
        "fallback": None,
    }
    assert parse_draft(value, []) == parse_v2(value["type"], None, [])
    faults = []
    assert parse_draft({**value, "type": [["x", "f4"]]}, faults, ("data_type",)) is None
    assert faults[0].path == ("data_type", "type", 0, 1)


def test_numpy_structs():
    padded = np.dtype([("a", "i1"), ("b", "<i4")], align=True)
    assert data_type(padded).numpy() == np.dtype([("a", "i1"), ("b", "<i4")])
    shaped = np.dtype([("z", ">f4", (2, 2))])
    assert data_type(shaped).numpy() == shaped


def test_casts():
    made = parse_v3(NESTED, [])
    expected = made.parse_fill({"p": {"x": 1.5, "n": 2}, "v": 3}, "v3", []).tobytes()
    given = np.array([((1.5, 2), 3)], made.numpy())[0]
    other = np.array([((1.5, 2), 3)], [("p", [("x", "<f8"), ("n", "i8")]), ("v", ">i8")])[0]
    for value in (((1.5, 2), 3), [[1.5, 2], 3], {"v": 3, "p": {"x": 1.5, "n": 2}}, given, other):
        assert made.cast(value).tobytes() == expected
    assert made.cast(np.void(expected)).tobytes() == expected


@pytest.mark.parametrize("value", [1, ((1.5, 2),), {"p": (1, 2)}, np.void(b"ab"), "ab"])
def test_casting_refuses_what_is_no_record(value):
    with pytest.raises(SpecError, match='expected a value for each of "p", "v", found'):
        parse_v3(NESTED, []).cast(value)


def test_casting_refuses_a_field_that_does_not_fit():
    with pytest.raises(SpecError, match="expected an integer from 0 to 255, found 256"):
        parse_v3(POINT, []).cast((1.0, 256))


def test_casting_fills_a_field_with_a_shape():
    made = parse_v2([["z", "|u1", [2, 2]]], None, [])
    assert made.cast(([[1, 2], [3, 4]],)).tobytes() == b"\1\2\3\4"
    assert made.cast((7,)).tobytes() == b"\7\7\7\7"
    with pytest.raises(SpecError, match=r"expected an array of shape \(2, 2\)"):
        made.cast(([1, 2, 3],))


def test_the_default_is_that_of_each_field():
    made = StructType((StructField("t", data_type(np.dtype("M8[s]"))), StructField("n", data_type("int8"))))
    assert np.isnat(made.default()["t"])
    assert made.default()["n"] == 0
