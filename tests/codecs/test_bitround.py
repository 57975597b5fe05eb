from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("data_type", "most"),
    [("float16", 10), ("float32", 23), ("float64", 52), ("complex128", 52), ("int16", 16), ("uint8", 8)],
)
def test_keepbits_are_no_more_than_there_are(through, data_type, most):
    assert through("bitround", {"keepbits": most}, (4,), data_type).faults == []
    verdict = through("bitround", {"keepbits": most + 1}, (4,), data_type)
    assert verdict.codes == ["codec/bitround-keepbits"]
    assert verdict.places == [("codecs", 0, "configuration", "keepbits")]
    assert verdict.said == [(f'an integer from 1 to {most}, for "{data_type}"', str(most + 1))]


def test_at_least_one_bit_is_kept(chain):
    verdict = chain([{"name": "bitround", "configuration": {"keepbits": 0}}, "bytes"], (4,), "uint8")
    assert verdict.said == [("an integer of at least 1", "0")]


def test_only_numbers_are_rounded(through):
    verdict = through("bitround", {"keepbits": 1}, (4,), "bool")
    assert verdict.codes == ["codec/bitround-type"]
    assert verdict.said == [("a numeric data type", 'the data type "bool"')]


def test_shape_and_type_stay_and_the_fill_value_is_rounded(through):
    result = through("bitround", {"keepbits": 3}, (4,), "float32", 0.1).result
    assert (result.lengths, result.data_type.name, result.fill) == (((4,),), "float32", 0.1015625)
