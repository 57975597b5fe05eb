"""What is inside of a shard is shared by threads, where there are fewer shards than threads."""

import os
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zom
from zom import v3
from zom.engine import boxes, reading, sharding, workers
from zom.errors import ChunkError
from zom.stores import zip as zip_module
from zom.stores.memory import MemoryStore
from zom.testing.logged import LoggedStore

PLAIN = {"name": "bytes", "configuration": {"endian": "little"}}
CRC32C = {"name": "crc32c"}
CHAINS = {
    "plain": [PLAIN],
    "big-endian": [{"name": "bytes", "configuration": {"endian": "big"}}],
    "gzip": [PLAIN, {"name": "gzip", "configuration": {"level": 1}}, CRC32C],
    "zstd": [PLAIN, {"name": "zstd", "configuration": {"level": 1, "checksum": True}}],
    "int8": [{"name": "cast_value", "configuration": {"data_type": "int8"}}, PLAIN],
    "shards": [
        {
            "name": "sharding_indexed",
            "configuration": {"chunk_shape": [1, 1, 2], "codecs": [PLAIN], "index_codecs": [PLAIN, CRC32C]},
        }
    ],
}
SHAPE = (2, 9, 14)
VALUES = np.arange(np.prod(SHAPE), dtype="i4").reshape(SHAPE)


class LateStore(LoggedStore):
    """A store that answers many requests at once."""

    def __init__(self, inner):
        super().__init__(inner)
        self.capabilities = replace(self.capabilities, parallel=8)


def sharded(store, chain, *, shape=SHAPE, shards=None, chunks=(1, 2, 4), threads=3):
    configuration = {
        "chunk_shape": list(chunks),
        "codecs": CHAINS[chain],
        "index_codecs": [PLAIN, CRC32C],
        "index_location": "end",
    }
    shards = shards or tuple(-(-length // size) * size for length, size in zip(shape, chunks, strict=True))
    spec = v3.ArraySpec.parse(
        {
            "zarr_format": 3,
            "node_type": "array",
            "shape": list(shape),
            "data_type": "int32",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(shards)}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": 7,
            "codecs": [{"name": "sharding_indexed", "configuration": configuration}],
        }
    )
    return zom.materialize(spec, store).with_options(threads=threads)


@pytest.fixture
def small(monkeypatch):
    """The least shard is large enough for threads, and is read in parts."""
    monkeypatch.setattr(workers, "_PIECE", 1)
    monkeypatch.setattr(sharding, "_SHARE", 1)
    monkeypatch.setattr(reading, "_SHARED", 1)
    monkeypatch.setattr(boxes, "AT_ONCE", 100)


@pytest.fixture
def busy(monkeypatch):
    """The threads that took part in anything."""
    names = set()
    plain = threading.Thread.run

    def run(self):
        names.add(self.name)
        plain(self)

    monkeypatch.setattr(threading.Thread, "run", run)
    return names


STORES = {
    "memory": lambda folder: MemoryStore(),
    "late": lambda folder: LateStore(MemoryStore()),
    "local": zom.store,
}
slices = st.builds(
    slice,
    st.none() | st.integers(-15, 15),
    st.none() | st.integers(-15, 15),
    st.none() | st.integers(-4, 4).filter(bool),
)


@pytest.mark.parametrize("few", [1, 1000], ids=["together", "one by one"])
@pytest.mark.parametrize("kind", sorted(STORES))
@pytest.mark.parametrize("chain", sorted(set(CHAINS) - {"int8"}))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_is_written_and_read_is_as_with_numpy(
    small, monkeypatch, tmp_path_factory, chain, kind, few, data
):
    monkeypatch.setattr(boxes, "FEW", few)
    made = sharded(STORES[kind](tmp_path_factory.mktemp("store")), chain)
    values = VALUES.copy()
    empty = data.draw(st.tuples(slices, slices, slices), "left empty")
    values[empty] = 7
    made[...] = values
    np.testing.assert_array_equal(made[...], values)
    key = data.draw(st.tuples(slices, slices, slices), "written")
    made[key] = -values[key]
    values[key] = -values[key]
    for _ in range(2):
        key = data.draw(st.tuples(slices | st.integers(-2, 1), slices, slices), "read")
        np.testing.assert_array_equal(made[key], values[key])
    points = ([0, 1, 1], [8, 0, 3], [2, 13, 5])
    np.testing.assert_array_equal(made.vindex[points], values[points])


@pytest.mark.parametrize("act", ["read", "read a part", "read points", "write", "write a part"])
@pytest.mark.parametrize("kind", sorted(STORES))
def test_one_shard_has_all_threads(small, busy, tmp_path, kind, act):
    made = sharded(STORES[kind](tmp_path), "zstd")
    if act != "write":
        made.with_options(threads=1)[...] = VALUES
    assert not busy
    key = np.s_[:, 1:] if "part" in act else ...
    if act == "read points":
        points = tuple(np.indices(SHAPE).reshape(3, -1))
        np.testing.assert_array_equal(made.vindex[points], VALUES[points])
    elif "read" in act:
        np.testing.assert_array_equal(made[key], VALUES[key])
    else:
        made[key] = VALUES[key]
    assert busy == {"zom-chunks"}


def test_who_wants_one_thread_gets_one(small, busy):
    made = sharded(MemoryStore(), "zstd", threads=1)
    made[...] = VALUES
    np.testing.assert_array_equal(made[...], VALUES)
    np.testing.assert_array_equal(made[:, 1:], VALUES[:, 1:])
    assert not busy


def test_a_small_shard_has_one_thread(busy):
    made = sharded(MemoryStore(), "zstd")
    made[...] = VALUES
    np.testing.assert_array_equal(made[...], VALUES)
    assert not busy


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_threads_are_no_more_than_were_asked_for(small, monkeypatch, count):
    made = sharded(MemoryStore(), "zstd", shape=(count, 8, 8), shards=(1, 8, 8), threads=6)
    most, plain = [0], threading.Thread.start

    def start(self):
        plain(self)
        most[0] = max(most[0], sum(each.name == "zom-chunks" for each in threading.enumerate()))

    monkeypatch.setattr(threading.Thread, "start", start)
    values = np.arange(64 * count, dtype="i4").reshape(count, 8, 8)
    made[...] = values
    np.testing.assert_array_equal(made[...], values)
    assert most[0] < 6


def test_who_reads_by_threads_of_their_own_starts_no_more_than_there_are_processors(small, monkeypatch):
    """Each of dask's threads reads a chunk, and on a large machine there are many."""
    monkeypatch.setattr(workers, "processors", lambda: 4)
    store = MemoryStore()
    sharded(store, "zstd", shape=(12, 64, 64), shards=(1, 64, 64), chunks=(1, 4, 4), threads=1)[...] = 5
    array = zom.open_array(store)
    most, guard, plain = [0], threading.Lock(), workers._run_threads

    def run(items, count, work):
        with guard:
            most[0] = max(most[0], workers._helpers._count)
        plain(items, count, work)

    monkeypatch.setattr(workers, "_run_threads", run)
    with ThreadPoolExecutor(12) as pool:
        for found in pool.map(lambda number: array[number], range(12)):
            assert (found == 5).all()
    assert 1 <= most[0] <= 3
    assert workers._helpers._count == 0
    with pytest.raises(ZeroDivisionError):
        workers.share(iter([1, 0]), 2, lambda some: [1 / each for each in some], threads=2)
    assert workers._helpers._count == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_that_was_forked_meanwhile_has_all_threads():
    taken = workers._helpers.take(3, 3)
    with workers._helpers._guard:
        child = os.fork()
        if child == 0:
            os._exit(0 if workers._helpers.take(3, 3) == 3 else 1)
    workers._helpers.give_back(taken)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("few", [1, 1000], ids=["together", "one by one"])
@pytest.mark.parametrize("kind", sorted(STORES))
def test_a_damaged_inner_chunk_is_told_whoever_reads_it(small, monkeypatch, tmp_path, kind, few):
    monkeypatch.setattr(boxes, "FEW", few)
    store = STORES[kind](tmp_path)
    made = sharded(store, "gzip")
    made[...] = VALUES
    key = "c/0/0/0"
    shard = bytearray(store.get(key))
    shard[40] ^= 0xFF
    store.set(key, bytes(shard))
    found = {}
    for threads, part in product([1, 3], [..., np.s_[:, 1:]]):
        with pytest.raises(ChunkError) as caught:
            made.with_options(threads=threads)[part]
        found[threads, str(part)] = (str(caught.value), caught.value.byte_range)
    assert found[1, "Ellipsis"] == found[3, "Ellipsis"]
    assert len(set(found.values())) == 1
    assert "inner chunk" in str(caught.value)


@pytest.mark.parametrize("key", [..., np.s_[:, 1:]], ids=["all", "a part"])
def test_a_value_that_a_codec_refuses_is_told_and_nothing_is_written(small, key):
    made = sharded(MemoryStore(), "int8")
    made[...] = VALUES % 100
    before = made.store.get("c/0/0/0")
    with pytest.raises(ChunkError, match=r"inner chunk .*cast_value"):
        made[key] = VALUES[key] + 100
    assert made.store.get("c/0/0/0") == before


def test_a_shard_that_is_replaced_while_it_is_read_is_read_as_it_was(small, monkeypatch, tmp_path):
    made = sharded(zom.store(tmp_path), "plain")
    made[...] = VALUES
    other = zom.open_array(tmp_path, mode="r+").with_options(threads=1)
    plain, written = sharding._read_inner, []

    def read(*args):
        if not written:
            written.append(True)
            other[...] = -VALUES
        plain(*args)

    monkeypatch.setattr(sharding, "_read_inner", read)
    monkeypatch.setattr(boxes, "FEW", 1000)
    np.testing.assert_array_equal(made[...], VALUES)
    np.testing.assert_array_equal(made[...], -VALUES)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED], ids=["stored", "deflated"])
def test_a_shard_in_a_zip_file_is_unpacked_once_and_compared_with_its_checksum(
    small, monkeypatch, tmp_path, method
):
    folder = tmp_path / "x.zarr"
    sharded(zom.store(folder), "plain")[...] = VALUES
    packed = tmp_path / "x.zip"
    with zipfile.ZipFile(packed, "w", method) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder))
    found = zom.open_array(packed).with_options(threads=3)
    whole, plain = [], zip_module.read_whole
    monkeypatch.setattr(
        zip_module, "read_whole", lambda *args: whole.append(args[1].info.filename) or plain(*args)
    )
    np.testing.assert_array_equal(found[...], VALUES)
    assert whole.count("c/0/0/0") == 1
    whole.clear()
    np.testing.assert_array_equal(found[:, 1:], VALUES[:, 1:])
    assert whole.count("c/0/0/0") == (method == zipfile.ZIP_DEFLATED)


def test_of_a_large_shard_no_more_is_in_memory_than_its_pieces(monkeypatch, tmp_path):
    made = sharded(zom.store(tmp_path), "plain", shape=(1, 3072, 3072), chunks=(1, 64, 64), threads=1)
    made[...] = 1
    sizes, plain = [], boxes.read_rows

    def read(*args):
        rows = plain(*args)
        sizes.append(rows.nbytes)
        return rows

    monkeypatch.setattr(boxes, "read_rows", read)
    assert (made[...] == 1).all()
    assert sum(sizes) == made.shape[1] * made.shape[2] * 4
    assert max(sizes) <= boxes.AT_ONCE
