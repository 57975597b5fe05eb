"""Dates without a unit in the other byte order, which numpy turns around in some ways of copying only."""

import numpy as np
import pytest

import zom
from zom import v3

TICKS = np.array([[-(2**63), 1, 2], [3, 4, 5]])


@pytest.fixture(params=["datetime64", "timedelta64"])
def big_endian(request):
    document = v3.ArraySpec.build(shape=(2, 3), dtype="int64", chunks=(2, 2)).to_dict()
    document["data_type"] = {
        "name": f"numpy.{request.param}",
        "configuration": {"unit": "generic", "scale_factor": 1},
    }
    document["fill_value"] = "NaT"
    document["codecs"] = [{"name": "bytes", "configuration": {"endian": "big"}}]
    array = zom.create_array("memory:", v3.ArraySpec.parse(document))
    array[...] = TICKS.view(array.dtype)
    return array


def test_they_are_stored_big_endian(big_endian):
    assert big_endian.store.get("c/0/1")[:8] == (2).to_bytes(8, "big")


@pytest.mark.parametrize(
    "key", [..., (slice(None), slice(None, None, 2)), ([0, 1, 1], [0, 2, 1]), (1, 2)], ids=str
)
def test_every_key_reads_the_same_elements(big_endian, key):
    assert np.asarray(big_endian[key]).view("i8").tolist() == TICKS[key].tolist()


def test_points_and_products_read_the_same_elements(big_endian):
    assert big_endian.vindex[[0, 1], [2, 0]].view("i8").tolist() == [2, 3]
    assert big_endian.oindex[[1, 0], [2, 0]].view("i8").tolist() == [[5, 3], [2, -(2**63)]]
