from __future__ import annotations

import pytest

from zom.extension.codec import Bytes


def packed(chain, data_type, count, **configuration):
    return chain([{"name": "packbits", "configuration": configuration}], (count,), data_type)


@pytest.mark.parametrize(
    ("data_type", "count", "configuration", "size"),
    [
        ("bool", 9, {}, 2),
        ("bool", 8, {"padding_encoding": "first_byte"}, 2),
        ("int4", 3, {}, 2),
        ("int2", 4, {"padding_encoding": "last_byte"}, 2),
        ("int32", 2, {}, 8),
        ("uint16", 8, {"last_bit": 2}, 3),
        ("uint16", 8, {"first_bit": 15, "last_bit": None}, 1),
        ("complex64", 2, {"first_bit": 16}, 8),
    ],
)
def test_only_the_kept_bits_are_stored(chain, data_type, count, configuration, size):
    verdict = packed(chain, data_type, count, **configuration)
    assert verdict.faults == []
    assert verdict.result == Bytes(size)


@pytest.mark.parametrize("data_type", ["string", "r8"])
def test_only_numbers_are_packed(chain, data_type):
    verdict = packed(chain, data_type, 4)
    assert verdict.codes == ["codec/packbits-type"]
    assert verdict.said == [("a boolean or numeric data type", f'the data type "{data_type}"')]


def test_bits_are_those_of_the_type(chain):
    verdict = packed(chain, "int8", 4, first_bit=8, last_bit=9)
    assert verdict.codes == ["codec/packbits-bits"] * 2
    assert [place[-1] for place in verdict.places] == ["first_bit", "last_bit"]
    assert verdict.said[0] == ("a bit from 0 to 7", "8")


def test_the_last_bit_is_not_before_the_first(chain):
    verdict = packed(chain, "int8", 4, first_bit=3, last_bit=2)
    assert verdict.said == [("a bit from 3 on, the first_bit", "2")]
    assert packed(chain, None, 4, first_bit=3, last_bit=2).codes == ["codec/packbits-bits"]


@pytest.mark.parametrize("name", ["start_bit", "end_bit"])
def test_the_names_of_the_published_schema_are_refused(chain, name):
    expected = "only first_bit, last_bit, padding_encoding"
    assert packed(chain, "int8", 4, **{name: 1}).said == [(expected, f'"{name}"')]
