"""Structs of v2 whose document doesn't say what was never written."""

import zom
from zom import v2
from zom.stores.memory import MemoryStore


def test_a_missing_chunk_of_v2_structs_without_a_fill_value_is_zeros():
    spec = v2.ArraySpec.parse(
        {
            "zarr_format": 2,
            "shape": [2],
            "chunks": [1],
            "dtype": [["t", "<M8[s]"], ["x", "<f4"]],
            "compressor": None,
            "fill_value": None,
            "order": "C",
            "filters": None,
        }
    )
    array = zom.create_array(MemoryStore(), spec)
    assert array[...].tobytes() == bytes(24)
    assert array.fill_value is None
