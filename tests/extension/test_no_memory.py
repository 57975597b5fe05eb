"""Where there is no memory for a chunk, that is told: the chunk is not said to be damaged, and nothing takes it for that."""

import pickle

import numpy as np
import pytest

import zom
from zom import v3
from zom.cli.main import main
from zom.errors import ChunkError, StoreError
from zom.extension import Codec, Coder, codecs
from zom.stores.memory import MemoryStore
from zom.stores.wrap import WrapperStore

CELLS = np.arange(1600, dtype="i4").reshape(40, 40)
LAYOUTS = [((10, 10), None), ((5, 5), (20, 20)), ((40, 40), None), ((5, 5), (40, 40))]
SELECTIONS = [
    (Ellipsis,),
    (3, slice(None)),
    (slice(0, 17), slice(2, 30)),
    ([1, 30], [2, 39]),
    (slice(0, 20), slice(0, 20)),
]
TOLD = "not enough memory: no room for 8 bytes; free memory, or choose smaller chunks"


class Starved(Coder):
    """Finds no memory for what stands in `verbs`."""

    verbs = ()

    def encode(self, chunk):
        return self._same("encode", chunk)

    def decode(self, chunk):
        return self._same("decode", chunk)

    def _same(self, verb, chunk):
        if verb in self.verbs:
            raise MemoryError("no room for 8 bytes")
        return bytes(chunk)


class Hungry(Codec):
    name = "example.hungry"
    kind = "bytes->bytes"

    def thread(self, configuration, before, faults, path):
        return before

    def bind(self, configuration, before, after):
        return Starved()


@pytest.fixture(params=LAYOUTS, ids=str)
def array(request, tmp_path, nothing_stays_registered):
    codecs.register(Hungry())
    chunks, shards = request.param
    return zom.create_array(
        tmp_path / "a.zarr",
        data=CELLS,
        chunks=chunks,
        shards=shards,
        compress=[{"name": "example.hungry"}],
        path="x",
    )


@pytest.fixture
def starve(monkeypatch):
    return lambda verb: monkeypatch.setattr(Starved, "verbs", (verb,))


def refused(act, verb):
    with pytest.raises(ChunkError) as caught:
        act()
    error = caught.value
    assert error.lacks_memory
    assert f": cannot {verb} chunk '{error.key}' of /x: {TOLD}" in str(error)
    assert error.key.startswith("x/c/")
    assert isinstance(error.__cause__, MemoryError)
    again = pickle.loads(pickle.dumps(error))
    assert (again.lacks_memory, str(again)) == (True, str(error))


@pytest.mark.parametrize("selection", SELECTIONS, ids=str)
@pytest.mark.parametrize("threads", [1, 2])
def test_reading(array, starve, selection, threads):
    starve("decode")
    refused(lambda: array.with_options(threads=threads)[selection], "decode")


@pytest.mark.parametrize("threads", [1, 2])
def test_writing(array, starve, threads):
    starve("encode")
    array = array.with_options(threads=threads)
    with pytest.raises(ChunkError, match=TOLD):
        array[...] = 5
    with pytest.raises(ChunkError, match=TOLD):
        array[3:17, 3:17] = 5


def test_a_part_of_what_is_there(array, starve):
    starve("decode")
    refused(lambda: array.__setitem__((3, 3), 5), "change")


def test_what_lies_beyond_a_new_end_is_not_left_there(array, starve, monkeypatch):
    """The chunk at the edge stays as it is only where it is damaged."""
    smaller = array.spec.replace(shape=(33, 33))
    with monkeypatch.context():
        starve("decode")
        refused(lambda: zom.plan(smaller, array.store, "x", on_conflict="update").apply(), "change")
    monkeypatch.undo()
    zom.repair(array.store)
    zom.plan(smaller, array.store, "x", on_conflict="update").apply()
    zom.plan(array.spec, array.store, "x", on_conflict="update").apply()
    expected = CELLS.copy()
    expected[33:] = expected[:, 33:] = 0
    assert (zom.open_array(array.store, "x")[...] == expected).all()


def test_a_check_says_that_it_could_not_look(array, starve):
    starve("decode")
    problems = zom.validate(array.store, data="all").problems
    assert {problem.code for problem in problems} == {"chunk/unreadable"}
    assert "found cannot allocate memory; free memory, or choose smaller chunks" in str(problems[0])


def test_values_that_are_not_read_are_not_taken_for_others(array, starve):
    starve("decode")
    found = str(zom.diff(array.store, array.store, data=True))
    assert "not enough memory: no room for 8 bytes" in found


def test_a_chunk_that_no_memory_holds_is_told_so():
    huge = v3.ArraySpec.build(shape=(1 << 45,), dtype="int64", chunks=(1 << 45,), compress=None)
    array = zom.create_array("memory:", huge)
    with pytest.raises(
        ChunkError, match=rf"not enough memory: {1 << 45} elements, {1 << 48} bytes; free memory"
    ):
        array[3] = 1


class Starving(WrapperStore):
    def _read(self, key, byte_range):
        raise MemoryError

    def _write(self, key, value):
        raise MemoryError

    def _write_many(self, items):
        raise MemoryError


def test_a_store_without_memory():
    store = Starving(MemoryStore())
    told = "cannot allocate memory; free memory, or choose smaller chunks"
    for act in (lambda: store.get("a"), lambda: store.set("a", b"1"), lambda: store.set_many({"a": b"1"})):
        with pytest.raises(StoreError, match=told):
            act()


def test_the_command_says_so(tmp_path, monkeypatch, capsys):
    def fail(*_arguments, **_options):
        raise MemoryError("unable to allocate 8 GiB")

    monkeypatch.setattr("zom.cli.tree.run", fail)
    assert main(["tree", str(tmp_path)]) == 3
    told = "zom tree: out of memory: unable to allocate 8 GiB; free some, or read less at once\n"
    assert capsys.readouterr().err == told
