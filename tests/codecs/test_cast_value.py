from __future__ import annotations

import numpy as np
import pytest

from zom.errors import CodecError
from zom.extension.bound import Block
from zom.extension.bound_chain import bind_chain
from zom.extension.link import parse_links
from zom.extension.resolve import data_type


def cast(through, source, target, fill=None, **configuration):
    return through("cast_value", {"data_type": target, **configuration}, (4,), source, fill)


def test_the_type_changes_and_the_shape_stays(through):
    result = cast(through, "float64", "uint8", 7.0).result
    assert (result.lengths, result.data_type.name, result.fill) == (((4,),), "uint8", 7)


NAN = {"encode": [["NaN", 0]], "decode": [[0, "NaN"]]}
INFINITY = {"encode": [["Infinity", 255]], "decode": [[255, "Infinity"]]}


@pytest.mark.parametrize(
    ("source", "target", "fill", "configuration", "result"),
    [
        ("float64", "uint8", "NaN", {"scalar_map": NAN}, 0),
        ("float64", "uint8", "Infinity", {"scalar_map": INFINITY}, 255),
        ("float64", "float32", "NaN", {}, "nan"),
        ("float64", "float32", "-Infinity", {}, "-inf"),
        ("int64", "int8", 100, {}, 100),
        ("int16", "uint8", 255, {"out_of_range": "wrap"}, 255),
    ],
)
def test_a_fill_value_that_survives_is_cast(through, source, target, fill, configuration, result):
    verdict = cast(through, source, target, fill, **configuration)
    assert verdict.faults == []
    assert str(verdict.result.fill) == str(result)


@pytest.mark.parametrize(
    ("source", "target", "fill", "written"),
    [
        ("float64", "uint8", "NaN", '"NaN"'),
        ("float64", "uint8", "Infinity", '"Infinity"'),
        ("int16", "uint8", 256, "256"),
        ("int16", "uint8", -1, "-1"),
        ("float64", "float32", 1e300, "1e+300"),
    ],
)
def test_a_fill_value_that_can_not_be_cast_is_an_error(through, source, target, fill, written):
    verdict = cast(through, source, target, fill)
    assert verdict.codes == ["codec/cast-fill"]
    assert verdict.places == [("codecs", 0)]
    assert verdict.said == [(f'a fill value that can be cast to "{target}"', written)]
    assert verdict.faults[0].fix == "map it in scalar_map"
    assert verdict.result.fill is None


def test_a_fill_value_must_come_back(through):
    scalar_map = {"encode": [[7, "NaN"]]}
    verdict = cast(through, "uint8", "float32", 7, scalar_map=scalar_map)
    assert verdict.codes == ["codec/cast-fill"]
    assert verdict.said == [('a fill value that can be cast back to "uint8"', "7")]


@pytest.mark.parametrize(
    ("source", "target", "fill", "configuration", "found"),
    [
        ("float64", "int8", 2.5, {}, "2.5, which comes back as 2.0"),
        ("float64", "int8", 2.5, {"rounding": "nearest-away"}, "2.5, which comes back as 3.0"),
        ("float64", "int8", -2.5, {"rounding": "towards-zero"}, "-2.5, which comes back as -2.0"),
        ("float64", "int8", -2.5, {"rounding": "towards-negative"}, "-2.5, which comes back as -3.0"),
        ("float64", "int8", 2.5, {"rounding": "towards-positive"}, "2.5, which comes back as 3.0"),
        ("int16", "int8", 128, {"out_of_range": "wrap"}, "128, which comes back as -128"),
        ("int16", "int8", 128, {"out_of_range": "clamp"}, "128, which comes back as 127"),
        ("float64", "float32", 1e300, {"out_of_range": "clamp"}, '1e+300, which comes back as "Infinity"'),
    ],
)
def test_a_fill_value_that_changes_is_a_warning(through, source, target, fill, configuration, found):
    verdict = cast(through, source, target, fill, **configuration)
    assert verdict.codes == ["codec/cast-fill-changed"]
    assert verdict.said == [("a fill value that survives the cast", found)]
    assert verdict.faults[0].rule.strict == "warning"


@pytest.mark.parametrize("name", ["bool", "complex64", "string"])
def test_both_types_hold_real_numbers(through, name):
    said = [("a data type of real numbers", f'the data type "{name}"')]
    one, other = cast(through, name, "int8"), cast(through, "int8", name)
    assert one.codes == other.codes == ["codec/cast-type"]
    assert one.said == other.said == said
    assert one.places == [("codecs", 0)]
    assert other.places == [("codecs", 0, "configuration", "data_type")]


def test_only_integers_wrap(through):
    verdict = cast(through, "float64", "float32", out_of_range="wrap")
    assert verdict.codes == ["codec/cast-wrap"]
    assert verdict.said == [('"clamp" or nothing, for "float32"', '"wrap"')]


def test_mapped_scalars_are_of_the_type_on_their_side(through):
    scalar_map = {"encode": [["NaN", 300], [1.5, 1]], "decode": [["x", 0.5]]}
    places = cast(through, "float64", "uint8", scalar_map=scalar_map).places
    inside = ("codecs", 0, "configuration", "scalar_map")
    assert places == [(*inside, "encode", 0, 1), (*inside, "decode", 0, 0)]


def test_the_first_of_two_equal_scalars_counts(through):
    scalar_map = {"encode": [[1.0, 8], [1.0, 9]], "decode": [[8, 1.0]]}
    assert cast(through, "float64", "uint8", 1.0, scalar_map=scalar_map).result.fill == 8


@pytest.mark.parametrize(
    ("configuration", "place", "expected"),
    [
        ({}, ("data_type",), "a string or an object"),
        ({"data_type": "int8", "out_of_range": "error"}, ("out_of_range",), '"clamp" or "wrap"'),
        ({"data_type": "int8", "scalar_map": {"encode": [[1]]}}, ("scalar_map", "encode", 0), "a list of 2"),
    ],
)
def test_the_configuration_has_a_form(chain, configuration, place, expected):
    verdict = chain([{"name": "cast_value", "configuration": configuration}, "bytes"], (4,), "uint8")
    assert verdict.places == [("codecs", 0, "configuration", *place)]
    assert verdict.said[0][0].startswith(expected)


def test_a_type_that_nobody_knows_is_open(through):
    verdict = cast(through, "int8", "int33")
    assert verdict.codes == ["codec/cast-unknown-type"]
    assert verdict.places == [("codecs", 0, "configuration", "data_type")]
    assert verdict.said == [("the name of a registered data type", '"int33"')]
    assert verdict.faults[0].fix.startswith("did you mean 'int32'")
    assert [verdict.faults[0].rule.severity(level) for level in ("lenient", "strict", "closed")] == [
        None,
        None,
        "error",
    ]
    assert verdict.result.data_type is None


def test_the_type_is_a_definition(through):
    verdict = cast(through, "int8", {"name": "int8", "must_understand": False})
    assert verdict.codes == ["definition/must-understand"]
    assert verdict.places == [("codecs", 0, "configuration", "data_type", "must_understand")]


def bound(source, target, shape, **configuration):
    codecs = [
        {"name": "cast_value", "configuration": {"data_type": target, **configuration}},
        {"name": "bytes", "configuration": {"endian": "big"}},
    ]
    return bind_chain(parse_links(codecs), Block(shape, data_type(source), None))


def test_chunks_are_cast_and_cast_back():
    array = np.array([[1.5, -2.5, np.nan], [7.0, 200.0, 3.49]])
    scalar_map = {"encode": [["NaN", -128]], "decode": [[-128, "NaN"]]}
    chain = bound("float64", "int16", (2, 3), rounding="towards-negative", scalar_map=scalar_map)
    stored = np.array([[1, -3, -128], [7, 200, 3]], ">i2")
    assert bytes(chain.encode(array)) == stored.tobytes()
    target = np.empty((2, 3))
    chain.decode_into(stored.tobytes(), target)
    assert target.tobytes() == np.array([[1, -3, np.nan], [7, 200, 3]]).tobytes()


def test_a_number_that_can_not_be_stored_is_named_with_its_place():
    chain = bound("float32", "uint8", (2, 2))
    message = r"^cast_value: expected a number that uint8 holds, found -1\.0 at \(1, 0\)$"
    with pytest.raises(CodecError, match=message):
        chain.encode(np.array([[1, 2], [-1, 300]], "f4"))


def test_a_stored_number_that_the_array_can_not_hold_is_an_error():
    chain = bound("uint8", "float32", (2,))
    with pytest.raises(CodecError, match=r"expected a number that uint8 holds, found 256\.0 at \(1\)"):
        chain.decode(np.array([255, 256], ">f4").tobytes())


def test_not_a_time_is_a_fill_value_that_no_integer_stands_for(through):
    time = {"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 1}}
    verdict = cast(through, time, "int64", "NaT")
    assert verdict.codes == ["codec/cast-fill"]
    assert verdict.said == [('a fill value that can be cast to "int64"', '"NaT"')]
    assert cast(through, time, "float64", "NaT").faults == []
