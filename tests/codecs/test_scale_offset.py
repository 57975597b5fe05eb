from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("configuration", "data_type", "fill", "result"),
    [
        ({}, "int16", 7, 7),
        ({"offset": 5}, "int16", 7, 2),
        ({"offset": 1000, "scale": 2}, "uint16", 1001, 2),
        ({"offset": 5, "scale": 0.5}, "float32", 7.0, 1.0),
        ({"offset": 1, "scale": 2}, "float64", None, None),
    ],
)
def test_the_fill_value_is_shifted_and_scaled(through, configuration, data_type, fill, result):
    verdict = through("scale_offset", configuration, (4,), data_type, fill)
    assert verdict.faults == []
    assert verdict.result.fill == result
    assert verdict.result.lengths == ((4,),)


def test_the_type_of_the_fill_value_stays(through):
    result = through("scale_offset", {"offset": 0.1}, (4,), "float32", 0.3).result
    assert result.fill.dtype.name == result.data_type.name == "float32"


def test_no_configuration_is_needed(chain):
    assert chain(["scale_offset", "bytes"], (4,), "uint8").faults == []


def test_both_numbers_are_scalars_of_the_type(through):
    verdict = through("scale_offset", {"offset": 0.5, "scale": 300}, (4,), "uint8", 7)
    assert verdict.places == [
        ("codecs", 0, "configuration", "offset"),
        ("codecs", 0, "configuration", "scale"),
    ]


def test_null_is_no_scalar(chain):
    codecs = [{"name": "scale_offset", "configuration": {"scale": None}}, "bytes"]
    verdict = chain(codecs, (4,), "uint8")
    assert verdict.places == [("codecs", 0, "configuration", "scale")]


def test_a_scale_of_zero_can_not_be_undone(through):
    verdict = through("scale_offset", {"scale": 0}, (4,), "int8", 7)
    assert verdict.codes == ["codec/scale-offset-zero"]
    assert verdict.said == [("a number other than 0", "0")]


def test_a_fill_value_that_leaves_the_type_is_an_error(through):
    verdict = through("scale_offset", {"offset": 8}, (4,), "uint8", 7)
    assert verdict.codes == ["codec/scale-offset-fill"]
    expected = 'a fill value that (fill - offset) * scale keeps within "uint8"'
    assert verdict.said == [(expected, "7, which becomes -1")]


def test_a_fill_value_that_leaves_the_type_on_the_way_is_an_error(through):
    verdict = through("scale_offset", {"offset": -28, "scale": -1}, (4,), "int8", 100)
    assert verdict.codes == ["codec/scale-offset-fill"]
    assert verdict.said[0][1] == "100, which becomes 128"


@pytest.mark.parametrize("data_type", ["bool", "string", "r8"])
def test_only_numbers_are_scaled(through, data_type):
    verdict = through("scale_offset", {"scale": 2}, (4,), data_type)
    assert verdict.codes == ["codec/scale-offset-type"]
    assert verdict.said == [("a numeric data type", f'the data type "{data_type}"')]
