"""Small chunks that lie side by side, read and decoded together."""

import threading

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zom
from zom import v3
from zom.engine import runs
from zom.errors import ChunkError, MissingChunk, StoreError
from zom.stores.memory import MemoryStore

PLAIN = {"name": "bytes", "configuration": {"endian": "little"}}
CHAINS = {
    "plain": [PLAIN],
    "zstd": [PLAIN, {"name": "zstd", "configuration": {"level": 1, "checksum": True}}],
    "zstd and crc32c": [
        PLAIN,
        {"name": "zstd", "configuration": {"level": 1, "checksum": False}},
        {"name": "crc32c"},
    ],
    "gzip": [PLAIN, {"name": "gzip", "configuration": {"level": 1}}],
    "blosc": [
        PLAIN,
        {
            "name": "blosc",
            "configuration": {
                "cname": "lz4",
                "clevel": 1,
                "shuffle": "shuffle",
                "typesize": 4,
                "blocksize": 0,
            },
        },
    ],
    "big-endian": [{"name": "bytes", "configuration": {"endian": "big"}}],
}


def array(chain, shape=(19, 40), chunks=(5, 3), dtype="int32", fill=0, store=None):
    spec = v3.ArraySpec.parse(
        {
            "zarr_format": 3,
            "node_type": "array",
            "shape": list(shape),
            "data_type": dtype,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunks)}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": fill,
            "codecs": CHAINS[chain],
        }
    )
    return zom.materialize(spec, MemoryStore() if store is None else store)


def filled(*args, **kwargs):
    made = array(*args, **kwargs)
    values = np.arange(made.size, dtype=made.dtype).reshape(made.shape)
    made[...] = values
    return made, values


@pytest.fixture
def put(monkeypatch):
    """How many chunks each run had that was put into its place."""
    counts = []
    plain = runs.Runs.put

    def noted(self, run, rows, work):
        counts.append(len(rows))
        plain(self, run, rows, work)

    monkeypatch.setattr(runs.Runs, "put", noted)
    return counts


slices = st.builds(
    slice,
    st.none() | st.integers(-45, 45),
    st.none() | st.integers(-45, 45),
    st.none() | st.integers(1, 7) | st.integers(-3, -1),
)


@pytest.mark.parametrize("threads", [1, 2])
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), chain=st.sampled_from(sorted(CHAINS)), fill=st.sampled_from([0, 9]))
def test_what_is_read_is_what_numpy_gives(monkeypatch, threads, data, chain, fill):
    monkeypatch.setattr(runs, "_SHORTEST", data.draw(st.integers(2, 4), "shortest"))
    monkeypatch.setattr(runs, "_MOST_BYTES", data.draw(st.sampled_from([1, 200, 1 << 18]), "most"))
    shape = data.draw(st.sampled_from([(19, 40), (40, 3), (40, 19), (3, 7, 11), (4, 30, 1)]), "shape")
    chunks = data.draw(st.tuples(*[st.integers(1, min(6, length)) for length in shape]), "chunks")
    made = array(chain, shape, chunks, fill=fill)
    values = np.arange(made.size, dtype="i4").reshape(shape)
    values[data.draw(st.tuples(*[slices] * len(shape)), "left empty")] = fill
    made[...] = values
    key = data.draw(st.tuples(*[slices | st.integers(-1, 0)] * len(shape)), "key")
    np.testing.assert_array_equal(made.with_options(threads=threads)[key], values[key])


def test_chunks_of_a_line_are_one_run(put):
    made, values = filled("zstd")
    np.testing.assert_array_equal(made[...], values)
    assert put == [14] * 4


def test_a_line_along_the_first_dimension_is_a_run(put):
    made, values = filled("zstd", (40, 3), (2, 3))
    np.testing.assert_array_equal(made[3:, :2], values[3:, :2])
    assert put == [19]


def test_few_chunks_are_read_one_by_one(put):
    made, values = filled("zstd")
    np.testing.assert_array_equal(made[:, :20], values[:, :20])
    assert not put


def test_a_run_has_no_more_bytes_than_a_quarter_of_a_mebibyte(put):
    made, values = filled("zstd", (64, 4096), (64, 16))
    np.testing.assert_array_equal(made[...], values)
    assert put == [64] * 4


@pytest.mark.parametrize("missing", [{(0, 0)}, {(1, 3), (3, 13)}])
def test_missing_chunks_are_fill_values_or_an_error(missing):
    made, values = filled("zstd", fill=5)
    for row, column in missing:
        made.store.delete(f"c/{row}/{column}")
        values[row * 5 : row * 5 + 5, column * 3 : column * 3 + 3] = 5
    np.testing.assert_array_equal(made[...], values)
    row, column = min(missing)
    with pytest.raises(MissingChunk, match=f"c/{row}/{column}"):
        made.with_options(missing="error")[...]


@pytest.mark.parametrize("chain", ["zstd", "zstd and crc32c", "gzip", "blosc"])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("damage", ["cut", "longer", "flipped"])
def test_a_damaged_chunk_is_told_by_its_key(chain, threads, damage):
    made, _ = filled(chain)
    value = made.store.get("c/2/7")
    flipped = bytearray(value)
    flipped[2] ^= 0xFF
    made.store.set("c/2/7", {"cut": value[:-1], "longer": value + b"!", "flipped": bytes(flipped)}[damage])
    with pytest.raises(ChunkError, match="c/2/7"):
        made.with_options(threads=threads)[...]


@pytest.mark.parametrize("length", [59, 61])
def test_a_chunk_of_another_length_is_told_by_its_key(length):
    made, _ = filled("plain")
    made.store.set("c/2/7", bytes(length))
    with pytest.raises(ChunkError, match=rf"c/2/7.*expected 60 bytes, found {length}"):
        made[...]


def test_a_value_that_is_no_boolean_is_told_by_its_key():
    made = array("plain", dtype="bool", fill=False)
    made[...] = True
    made.store.set("c/1/4", b"\1" * 14 + b"\2")
    with pytest.raises(ChunkError, match="c/1/4"):
        made[...]


def stored(array):
    return {key: array.store.get(key) for key in array.store.list()}


class Asked(MemoryStore):
    """Calls a function for each value that is read."""

    def __init__(self, values, asked):
        super().__init__(values)
        self._asked = asked

    def _read(self, key, byte_range):
        self._asked(key)
        return super()._read(key, byte_range)


def test_an_error_of_the_store_names_the_array_and_the_chunk():
    made, _ = filled("zstd")

    def fail(key):
        if key == "c/1/4":
            raise OSError(5, "the disk is broken")

    with pytest.raises(StoreError, match=r"c/1/4.*the disk is broken"):
        zom.open_array(Asked(stored(made), fail))[...]


def test_of_quick_values_one_thread_reads_at_a_time():
    made, values = filled("zstd", (64, 4096), (8, 8))
    reading, most, lock = [], [], threading.Lock()

    def note(key):
        if key.startswith("c"):
            with lock:
                reading.append(threading.get_ident())
                most.append(len(set(reading)))

    class Noted(Asked):
        def _read(self, key, byte_range):
            try:
                return super()._read(key, byte_range)
            finally:
                if key.startswith("c"):
                    with lock:
                        reading.remove(threading.get_ident())

    found = zom.open_array(Noted(stored(made), note)).with_options(threads=4)
    np.testing.assert_array_equal(found[...], values)
    assert max(most) == 1


def test_of_values_that_take_their_time_threads_read_side_by_side(monkeypatch):
    monkeypatch.setattr(runs, "_SLOW", -1.0)
    made, values = filled("zstd", (64, 4096), (8, 8))
    waiting, together = set(), threading.Event()

    def wait(key):
        # The first runs are read in turns: they tell how long a value takes.
        if key.startswith("c/") and int(key.split("/")[1]) >= 4:
            waiting.add(threading.get_ident())
            if len(waiting) > 1:
                together.set()
            assert together.wait(20)

    found = zom.open_array(Asked(stored(made), wait)).with_options(threads=2)
    np.testing.assert_array_equal(found[...], values)
    assert together.is_set()
