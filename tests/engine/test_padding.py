"""What lies behind the end of an array in its chunks, where their codecs can't hold the fill value."""

from __future__ import annotations

import numpy as np
import pytest
from damage_chains import LITTLE, array_v3, shards

import zom
from zom.errors import ChunkError
from zom.stores.memory import MemoryStore

ZFP = {"name": "zfp", "configuration": {"mode": "fixed_accuracy", "tolerance": 0.0}}


def made(*codecs, shape=(5, 3)):
    pytest.importorskip("zfpy", reason="zfp needs zfpy: pip install 'zom[codecs]'")
    return zom.create_array(MemoryStore(), array_v3(*codecs, dtype="float64", fill="NaN", shape=shape), "x")


FIELD = np.arange(15.0).reshape(5, 3) + 1

CHAINS = {
    "chunks": [ZFP],
    "shards": [shards(ZFP)],
    "shards in shards": [shards(shards(ZFP, inner=(1, 2)))],
    "transpose": [{"name": "transpose", "configuration": {"order": [1, 0]}}, ZFP],
}


@pytest.mark.parametrize("codecs", CHAINS.values(), ids=CHAINS)
def test_chunks_at_the_edge_are_written_whole(codecs):
    array = made(*codecs)
    array[...] = FIELD
    np.testing.assert_allclose(array[...], FIELD)


@pytest.mark.parametrize("codecs", [CHAINS["shards"], CHAINS["shards in shards"]])
def test_inner_chunks_at_the_edge_are_written_by_themselves(codecs):
    array = made(*codecs)
    for row in range(0, 5, 2):
        for column in (0, 2):
            part = (slice(row, row + 2), slice(column, column + 2))
            array[part] = FIELD[part]
    np.testing.assert_allclose(array[...], FIELD)


def test_inner_chunks_behind_the_edge_are_not_stored():
    array = made(shards(ZFP))
    array[...] = FIELD
    form = array.plan.form((4, 4))
    found = list(form.shard.parse(array.store.get("x/c/1/0")).ranges())
    assert [span is not None for span in found] == [True, True, False, False]


def test_elements_that_the_codec_can_not_hold_are_refused():
    array = made(ZFP)
    with pytest.raises(ChunkError, match=r"cannot encode chunk 'x/c/1/0' of /x: zfp: .*nan.* at \(0, 1\)"):
        array[...] = np.where(FIELD == 14, np.nan, FIELD)


def test_an_element_that_nobody_wrote_is_not_made_up():
    array = made(ZFP)
    with pytest.raises(ChunkError, match="cannot encode chunk 'x/c/1/0' of /x: zfp: "):
        array[4, 1] = 5
    assert np.isnan(array[...]).all()


def test_the_padding_is_the_fill_value_where_the_codecs_hold_it():
    array = zom.create_array(MemoryStore(), array_v3(LITTLE, fill=7, shape=(5, 3)), "x")
    array[...] = 1
    stored = np.frombuffer(array.store.get("x/c/1/0"), "<i2").reshape(4, 4)
    assert (stored[1:] == 7).all()
    assert (stored[:, 3] == 7).all()


@pytest.mark.parametrize("room", [slice(0, 4), slice(0, 1)], ids=["whole", "part"])
@pytest.mark.parametrize("inner", [False, True], ids=["chunks", "shards"])
def test_values_that_the_codecs_can_not_hold_are_those_of_the_caller(room, inner):
    cast = [{"name": "cast_value", "configuration": {"data_type": "int8"}}, {"name": "bytes"}]
    codecs = [shards(*cast)] if inner else cast
    array = zom.create_array(MemoryStore(), array_v3(*codecs, dtype="float32"), "x")
    array[...] = 1
    told = r"cannot encode chunk .* found 1000.0 .*; write values that the array's codecs can hold"
    with pytest.raises(ChunkError, match=told):
        array[room] = 1000


def test_a_damaged_chunk_is_to_be_restored_where_a_part_is_written():
    array = zom.create_array(MemoryStore(), array_v3(LITTLE, fill=7, shape=(5, 3)), "x")
    array.store.set("x/c/0/0", b"short")
    with pytest.raises(
        ChunkError, match=r"cannot change chunk .*; restore it from a copy, or write it again"
    ):
        array[0, 0] = 1
