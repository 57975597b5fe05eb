"""A number beyond 64 bits is a warning where Zarr allows any number, and an error everywhere else."""

import pytest

import zom
from zom import SpecError
from zom.errors import SpecWarning
from zom.stores.memory import MemoryStore

ARRAY = """{{"zarr_format": 3, "node_type": "array", "shape": [{shape}], "data_type": "int8", "fill_value": {fill},
"chunk_grid": {{"name": "regular", "configuration": {{"chunk_shape": [{chunk}]}}}},
"chunk_key_encoding": {{"name": "default"}}, "codecs": [{{"name": "bytes"}}], "attributes": {{"a": {attribute}}}}}"""
SOUND = {"shape": "4", "fill": "0", "chunk": "2", "attribute": "1"}


@pytest.mark.filterwarnings("ignore::zom.errors.SpecWarning")
@pytest.mark.parametrize("act", [zom.read, zom.open])
@pytest.mark.parametrize("number", ["1e+700", "-1e700"])
class TestRefused:
    @pytest.mark.parametrize("key", ["zarr.json", ".zgroup", ".zarray"])
    def test_for_a_whole_document(self, act, number, key):
        with pytest.raises(SpecError, match=r"expected an object, found -?Infinity"):
            act(MemoryStore({key: number.encode()}))

    @pytest.mark.parametrize("place", ["shape", "fill", "chunk"])
    def test_for_a_field(self, act, number, place):
        text = ARRAY.format(**{**SOUND, place: number})
        with pytest.raises(SpecError, match=r"expected .*, found .*Infinity"):
            act(MemoryStore({"zarr.json": text.encode()}))


def test_it_is_one_warning_in_attributes():
    text = ARRAY.format(**{**SOUND, "attribute": "1e700"})
    with pytest.warns(SpecWarning, match="1e700, which is read as Infinity") as told:
        spec = zom.read(MemoryStore({"zarr.json": text.encode()}))
    assert spec.attributes["a"] == float("inf")
    assert len(told) == 1
