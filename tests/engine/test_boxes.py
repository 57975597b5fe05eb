"""Slices and points of shards of many small inner chunks, read together."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zom
from zom import v3
from zom.engine import boxes, plan, reading, shard_points, sharding, span
from zom.errors import ChunkError
from zom.stores.memory import MemoryStore

PLAIN = {"name": "bytes", "configuration": {"endian": "little"}}
ZSTD = {"name": "zstd", "configuration": {"level": 1, "checksum": True}}
CHAINS = {
    "plain": [PLAIN],
    "zstd": [PLAIN, ZSTD],
    "gzip and crc32c": [PLAIN, {"name": "gzip", "configuration": {"level": 1}}, {"name": "crc32c"}],
    "big-endian": [{"name": "bytes", "configuration": {"endian": "big"}}],
    "transposed": [{"name": "transpose", "configuration": {"order": [1, 0]}}, PLAIN],
}
POSSIBLE = {"plain", "zstd", "gzip and crc32c"}


@pytest.fixture
def few(monkeypatch):
    """Any number of inner chunks is a box, and boxes are read in groups."""
    for module in (boxes, plan, shard_points):
        monkeypatch.setattr(module, "FEW", 1)
    for module in (boxes, shard_points):
        monkeypatch.setattr(module, "AT_ONCE", 100)


@pytest.fixture
def used(monkeypatch):
    """What `read_boxes` answered."""
    answers = []

    def read(*args, **more):
        answers.append(boxes.read_boxes(*args, **more))
        return answers[-1]

    monkeypatch.setattr(sharding, "read_boxes", read)
    return answers


def array(chain, *, shape=(20, 24), chunks=(2, 3), shards=(10, 12), location="end", dtype="int32"):
    configuration = {
        "chunk_shape": list(chunks),
        "codecs": CHAINS[chain],
        "index_codecs": [PLAIN, {"name": "crc32c"}],
        "index_location": location,
    }
    spec = v3.ArraySpec.parse(
        {
            "zarr_format": 3,
            "node_type": "array",
            "shape": list(shape),
            "data_type": dtype,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(shards)}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": 7,
            "codecs": [{"name": "sharding_indexed", "configuration": configuration}],
        }
    )
    return zom.materialize(spec, MemoryStore())


slices = st.builds(
    slice,
    st.none() | st.integers(-25, 25),
    st.none() | st.integers(-25, 25),
    st.none() | st.integers(-4, 4).filter(bool),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), chain=st.sampled_from(sorted(CHAINS)), location=st.sampled_from(["start", "end"]))
def test_slices_of_a_shard_are_those_of_numpy(few, data, chain, location):
    made = array(chain, shape=(19, 23), location=location)
    values = np.arange(19 * 23, dtype="i4").reshape(19, 23)
    empty = data.draw(st.tuples(slices, slices), "left empty")
    values[empty] = 7
    made[...] = values
    for _ in range(3):
        key = data.draw(st.tuples(slices | st.integers(-19, 18), slices), "key")
        np.testing.assert_array_equal(made[key], values[key])


@pytest.mark.parametrize("chain", sorted(CHAINS))
def test_chains_that_put_bytes_into_memory_are_read_as_boxes(used, chain):
    made = array(chain, chunks=(1, 1))
    values = np.arange(480, dtype="i4").reshape(20, 24)
    made[...] = values
    np.testing.assert_array_equal(made[1:19, 2:23], values[1:19, 2:23])
    assert set(used) == {chain in POSSIBLE}


@pytest.mark.parametrize(
    "key",
    [np.s_[0:3, 0:3], np.s_[[1, 5, 3], :], np.s_[::3, :], np.s_[3, 4]],
    ids=["few", "indices", "steps over inner chunks", "one"],
)
def test_other_keys_are_read_one_by_one(used, key):
    made = array("zstd", chunks=(2, 2))
    values = np.arange(480, dtype="i4").reshape(20, 24)
    made[...] = values
    np.testing.assert_array_equal(made[key], values[key])
    assert not any(used)


def test_large_inner_chunks_are_read_one_by_one(used):
    made = array("zstd", shape=(1024, 1024), chunks=(128, 256), shards=(1024, 1024))
    made[1:, 1:] = 5
    assert (made[1:, 1:] == 5).all()
    assert not any(used)


@pytest.mark.parametrize("shards", [None, (64, 128, 128)], ids=["chunks", "shards"])
@pytest.mark.parametrize(
    "key", [np.s_[:, 5, 7], np.s_[3:20:4, 100, :], np.s_[:, 3:90, 1], np.s_[9, 8, 7], np.s_[1:, 1:, 1:]]
)
def test_of_large_chunks_that_are_stored_as_they_are_only_what_is_wanted_is_read(monkeypatch, shards, key):
    spec = v3.ArraySpec.build(
        shape=(64, 128, 128),
        dtype="int16",
        chunks=(32, 64, 128),
        shards=shards,
        compress=None,
        checksum=False,
    )
    made = zom.materialize(spec, MemoryStore())
    values = np.arange(64 * 128 * 128, dtype="i2").reshape(64, 128, 128)
    made[...] = values
    read = []
    plain = span.Range
    monkeypatch.setattr(span, "Range", lambda start, length: read.append(length) or plain(start, length))
    np.testing.assert_array_equal(made[key], values[key])
    assert 0 < sum(read) <= min(values.nbytes, 2 * values[key].nbytes + (1 << 15) * 64)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_pieces_of_spans_are_those_of_numpy(monkeypatch, data):
    monkeypatch.setattr(reading, "SPAN", 16)
    monkeypatch.setattr(sharding, "_LARGE", 16)
    monkeypatch.setattr(span, "_GAP", data.draw(st.sampled_from([0, 20, 1000]), "gap"))
    monkeypatch.setattr(span, "_MOST_PIECES", data.draw(st.sampled_from([2, 10, 1000]), "pieces"))
    made = array(
        "plain", shape=(19, 23), chunks=(5, 6), shards=data.draw(st.sampled_from([(5, 6), (10, 12)]))
    )
    values = np.arange(19 * 23, dtype="i4").reshape(19, 23)
    made[...] = values
    key = data.draw(st.tuples(slices | st.integers(-19, 18), slices), "key")
    np.testing.assert_array_equal(made[key], values[key])


def test_inner_chunks_that_lie_near_each_other_are_one_request(monkeypatch):
    made = array("zstd", shape=(64, 64), chunks=(2, 2), shards=(64, 64))
    made[...] = np.arange(4096, dtype="i4").reshape(64, 64)
    asked = []
    plain = boxes.Range
    monkeypatch.setattr(boxes, "Range", lambda *span: asked.append(span) or plain(*span))
    made[1:63, 5:60]
    assert len(asked) == 1


def test_inner_chunks_far_from_each_other_are_read_apart(monkeypatch):
    monkeypatch.setattr(boxes, "_GAP", 0)
    made = array("plain", shape=(64, 64), chunks=(2, 2), shards=(64, 64))
    values = np.arange(4096, dtype="i4").reshape(64, 64)
    made[...] = values
    asked = []
    plain = boxes.Range
    monkeypatch.setattr(boxes, "Range", lambda *span: asked.append(span) or plain(*span))
    np.testing.assert_array_equal(made[:, 4:8], values[:, 4:8])
    assert len(asked) == 32
    assert all(length == 2 * 16 for _, length in asked)


@pytest.mark.parametrize("chain", ["zstd", "gzip and crc32c"])
@pytest.mark.parametrize("key", [np.s_[1:19, 1:23], ...], ids=["a part", "all"])
def test_a_damaged_inner_chunk_is_told_as_if_it_were_read_alone(used, chain, key):
    made = array(chain, chunks=(1, 1))
    made[...] = np.arange(480, dtype="i4").reshape(20, 24)
    store = made.store
    shard = bytearray(store.get("c/1/1"))
    index = np.frombuffer(shard[-(120 * 16 + 4) : -4], "<u8").reshape(120, 2)
    start, length = map(int, index[17])
    shard[start + length - 1] ^= 0xFF
    store.set("c/1/1", bytes(shard))
    with pytest.raises(ChunkError, match=rf"inner chunk \(1, 5\), bytes {start} to {start + length}: "):
        made[key]


def test_a_shard_that_is_shorter_than_its_index_says_is_told():
    made = array("plain", chunks=(1, 1))
    made[...] = np.arange(480, dtype="i4").reshape(20, 24)
    store = made.store
    shard = store.get("c/0/0")
    store.set("c/0/0", shard[40:])
    with pytest.raises(ChunkError, match="bytes"):
        made[1:10, 1:10]


def test_values_that_are_no_booleans_are_refused():
    configuration = {
        "chunk_shape": [1],
        "codecs": [{"name": "bytes"}],
        "index_codecs": [PLAIN, {"name": "crc32c"}],
    }
    spec = v3.ArraySpec.parse(
        {
            "zarr_format": 3,
            "node_type": "array",
            "shape": [64],
            "data_type": "bool",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [64]}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": False,
            "codecs": [{"name": "sharding_indexed", "configuration": configuration}],
        }
    )
    made = zom.materialize(spec, MemoryStore())
    made[...] = True
    shard = bytearray(made.store.get("c/0"))
    shard[5] = 2
    made.store.set("c/0", bytes(shard))
    for key in (..., slice(1, 60)):
        with pytest.raises(ChunkError, match=r"inner chunk \(5\)"):
            made[key]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), chain=st.sampled_from(sorted(CHAINS)), location=st.sampled_from(["start", "end"]))
def test_points_of_a_shard_are_those_of_numpy(few, data, chain, location):
    made = array(chain, shape=(19, 23), location=location)
    values = np.arange(19 * 23, dtype="i4").reshape(19, 23)
    values[data.draw(st.tuples(slices, slices), "left empty")] = 7
    made[...] = values
    points = data.draw(st.lists(st.tuples(st.integers(-19, 18), st.integers(-23, 22)), min_size=1), "points")
    rows, columns = (np.array(each) for each in zip(*points, strict=True))
    np.testing.assert_array_equal(made.vindex[rows, columns], values[rows, columns])
    np.testing.assert_array_equal(made.vindex[rows, 1:20:2], values[rows, 1:20:2])


@pytest.mark.parametrize("chain", sorted(CHAINS))
def test_points_of_chains_that_put_bytes_into_memory_are_read_together(monkeypatch, chain):
    answers = []
    read = shard_points.read_points
    monkeypatch.setattr(
        sharding, "read_points", lambda *given, **more: answers.append(read(*given, **more)) or answers[-1]
    )
    made = array(chain, chunks=(1, 1))
    values = np.arange(480, dtype="i4").reshape(20, 24)
    made[...] = values
    rows, columns = np.arange(480) * 7 % 20, np.arange(480) * 11 % 24
    np.testing.assert_array_equal(made.vindex[rows, columns], values[rows, columns])
    assert set(answers) == {chain in POSSIBLE}


def test_a_damaged_inner_chunk_is_told_where_points_lie_in_it_and_not_elsewhere():
    made = array("zstd", chunks=(1, 1))
    values = np.arange(480, dtype="i4").reshape(20, 24)
    made[...] = values
    shard = bytearray(made.store.get("c/1/1"))
    index = np.frombuffer(shard[-(120 * 16 + 4) : -4], "<u8").reshape(120, 2)
    start, length = map(int, index[17])  # row 11, column 17
    shard[start + length - 1] ^= 0xFF
    made.store.set("c/1/1", bytes(shard))
    rows, columns = np.repeat(np.arange(12, 18), 6), np.tile(np.arange(13, 19), 6)
    np.testing.assert_array_equal(made.vindex[rows, columns], values[rows, columns])
    with pytest.raises(ChunkError, match=rf"inner chunk \(1, 5\), bytes {start} to {start + length}: "):
        made.vindex[rows - 1, columns]
