from __future__ import annotations

import numpy as np
import pytest

import zom
from zom import v3
from zom.stores.memory import MemoryStore


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


@pytest.mark.parametrize("data_type", ["float32", "complex64", "int16", "complex_bfloat16", "float16"])
def test_more_bits_than_there_are_round_nothing(data_type):
    little = {"name": "bytes", "configuration": {"endian": "little"}}
    codecs = [{"name": "bitround", "configuration": {"keepbits": 70}}, little]
    spec = v3.ArraySpec.build(shape=(9,), dtype=data_type, codecs=codecs)
    told = [(problem.code, problem.severity) for problem in zom.validate(spec, conventions=()).problems]
    assert told == [("codec/bitround-keepbits", "warning")]
    array = zom.create_array(MemoryStore(), spec)
    values = np.random.default_rng(1).integers(0, 256, 9 * array.dtype.itemsize, np.uint8).view(array.dtype)
    array[...] = values
    assert array[...].tobytes() == values.tobytes()


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
