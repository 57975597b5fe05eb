"""zom's own data types do what `zom.testing` asks of those of others."""

import pytest

from zom.extension import data_types
from zom.extension.resolve import data_type
from zom.testing.dtypes import DataTypeSuite

# name: fill values, wrong ones
TABLE = {
    "bool": ([True, False], [1, "true", None]),
    "int8": ([1, -128, 127], [128, 1.5, "1", True]),
    "uint64": ([1, 0, 2**64 - 1], [-1, 2**64]),
    "int2": ([1, -2], [2]),
    "uint4": ([1, 15], [16]),
    "float16": ([0.5, "NaN", "-Infinity", "0x7e01"], ["x", None, "0x7e0"]),
    "float64": ([0.5, -0.0, "NaN", "0x7ff8000000000001"], [[], "nan"]),
    "complex64": ([[1.0, "NaN"], [0.0, -0.0]], [1.0, [1.0], ["x", 0]]),
    "bfloat16": ([0.5, "NaN"], [None]),
}


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("claim", sorted(each for each in dir(DataTypeSuite) if each.startswith("test_")))
def test_a_data_type_keeps_the_promise(name, claim):
    fills, wrong = TABLE[name]
    facts = {"family": data_types[name], "types": (data_type(name),), "fills": fills, "wrong_fills": wrong}
    getattr(type("Suite", (DataTypeSuite,), facts)(), claim)()
