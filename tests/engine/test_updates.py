"""No change is lost: of threads, processes, tasks, and of those who write whole chunks in between."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from damage_chains import CRC, LITTLE, array_v3, shards

import zom
from zom import v3
from zom.errors import ConcurrentWriteError
from zom.stores.interface import Capabilities, Store, Versioned, cut
from zom.stores.memory import MemoryStore

ROUNDS = int(os.environ.get("ZOM_ROUNDS", "60"))

SPECS = {
    "a chunk": v3.ArraySpec.build(shape=(8, 8), dtype="int32", chunks=(8, 8)),
    "a shard": v3.ArraySpec.build(shape=(8, 8), dtype="int32", chunks=(1, 8), shards=(8, 8)),
    "shards in a shard": array_v3(
        shards(shards(LITTLE, CRC, inner=(1, 2)), inner=(1, 4)), dtype="int32", shape=(8, 8)
    ),
}


class ConditionalStore(Store):
    """Values that are replaced only where they are still those that were read; without any lock."""

    capabilities = Capabilities(compare_and_set=True, create_if_absent=True)

    def __init__(self):
        self.data = {}
        self.guard = threading.Lock()
        self.count = 0
        self.interfere = None

    @property
    def url(self):
        return "conditional:"

    def _read(self, key, byte_range):
        value = self.data.get(key)
        return None if value is None else cut(value[0], byte_range)

    def _write(self, key, value):
        with self.guard:
            self.count += 1
            self.data[key] = (value, self.count)

    def _remove(self, key):
        self.data.pop(key, None)

    def _keys(self, prefix):
        return [key for key in list(self.data) if key.startswith(prefix)]

    def _read_version(self, key):
        found = self.data.get(key)
        return None if found is None else Versioned(*found)

    def _replace(self, key, value, version):
        if self.interfere is not None:
            self.interfere(key)
        with self.guard:
            found = self.data.get(key)
            if (None if found is None else found[1]) != version:
                return False
            self.count += 1
            self.data[key] = (value, self.count)
            return True

    def _lock(self, key):
        # As if each thread were another machine.
        return threading.Lock()

    _excluding = _lock


STORES = {
    "memory": lambda path: MemoryStore(),
    "local": zom.store,
    "conditional": lambda path: ConditionalStore(),
}


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
@pytest.mark.parametrize("kind", STORES)
def test_threads_that_write_disjoint_parts_of_a_chunk_lose_nothing(tmp_path, spec, kind):
    store = STORES[kind](tmp_path)
    zom.create_array(store, spec, "x")
    start = threading.Barrier(8)

    def work(row):
        array = zom.open_array(store, "x", mode="r+")
        start.wait()
        for number in range(ROUNDS // 4):
            array[row, number % 8] = number + 1
        array[row] = row + 100

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
    assert zom.open_array(store, "x")[...].tolist() == [[row + 100] * 8 for row in range(8)]


@pytest.mark.parametrize("kind", ["memory", "local"])
def test_a_whole_write_between_the_reading_and_writing_of_a_part_is_not_lost(tmp_path, kind):
    """Slots tell: who writes the whole chunk puts the same number everywhere but in the last slot."""
    store = STORES[kind](tmp_path)
    array = zom.create_array(store, v3.ArraySpec.build(shape=(64,), dtype="int32", chunks=(64,)), "x")
    array[...] = 0
    done = threading.Event()
    written = []

    def whole():
        other = zom.open_array(store, "x", mode="r+")
        for number in range(1, ROUNDS + 1):
            other[...] = number
            written.append(number)
        done.set()

    thread = threading.Thread(target=whole)
    thread.start()
    while not done.is_set():
        array[0] = -1
        seen = len(written)
        # What is written whole by now can't be older afterwards.
        assert array[1] >= (written[seen - 1] if seen else 0)
    thread.join()
    assert array[1:].tolist() == [ROUNDS] * 63


def worker(path, row, rounds):
    array = zom.open_array(path, "x", mode="r+")
    for number in range(rounds):
        array[row, number % 8] = number
    array[row] = row + 100


@pytest.mark.parametrize("spec", [SPECS["a chunk"], SPECS["a shard"]], ids=["a chunk", "a shard"])
def test_processes_that_write_disjoint_parts_of_a_chunk_lose_nothing(tmp_path, spec):
    zom.create_array(tmp_path, spec, "x")
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=worker, args=(tmp_path, row, ROUNDS // 2)) for row in range(8)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    assert zom.open_array(tmp_path, "x")[...].tolist() == [[row + 100] * 8 for row in range(8)]


def test_tasks_and_threads_together_lose_nothing(tmp_path):
    array = zom.create_array(tmp_path, SPECS["a shard"], "x")

    async def tasks():
        await asyncio.gather(*[array.aset((row, column), row + 1) for row in range(4) for column in range(8)])

    def thread(row):
        for column in range(8):
            array[row, column] = row + 1

    with ThreadPoolExecutor(4) as threads:
        pending = [threads.submit(thread, row) for row in range(4, 8)]
        asyncio.run(tasks())
        for one in pending:
            one.result()
    assert array[...].tolist() == [[row + 1] * 8 for row in range(8)]


def test_others_that_change_a_chunk_each_time_are_an_error(monkeypatch):
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    store = ConditionalStore()
    array = zom.create_array(store, SPECS["a chunk"], "x")
    array[...] = 7
    key = next(key for key in store.data if "/c/" in key)
    good = store.data[key][0]
    store.interfere = lambda key: store._write(key, good)
    with pytest.raises(
        ConcurrentWriteError,
        match="conditional:: cannot update 'x/c/0/0' of /x: others changed it in every attempt",
    ):
        array[0, 0] = 5
    assert (array[...] == 7).all()


def test_a_chunk_that_becomes_fill_is_not_taken_away_where_another_might_write_it_meanwhile():
    store = ConditionalStore()
    array = zom.create_array(store, SPECS["a chunk"], "x")
    array[...] = 7
    array[:4] = 0
    array[4:] = 0
    assert "x/c/0/0" in store.data
    assert not array[...].any()


# --- shapes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["memory", "local"])
def test_what_several_append_at_once_is_all_there(tmp_path, kind):
    store = STORES[kind](tmp_path)
    zom.create_array(store, v3.ArraySpec.build(shape=(0, 4), dtype="int32", chunks=(3, 4)), "x")

    def work(number):
        array = zom.open_array(store, "x", mode="r+")
        for _ in range(5):
            array.append(np.full((2, 4), number))

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(work, range(1, 7)))
    found = zom.open_array(store, "x")[...]
    assert found.shape == (60, 4)
    assert sorted(found[:, 0]) == sorted([*range(1, 7)] * 10)


def test_what_is_appended_while_another_resizes_is_there(tmp_path):
    store = zom.store(tmp_path)
    zom.create_array(store, v3.ArraySpec.build(shape=(4, 4), dtype="int32", chunks=(3, 4)), "x")

    def grow():
        array = zom.open_array(store, "x", mode="r+")
        for _ in range(10):
            array.resize((array.shape[0], 4))

    def append():
        array = zom.open_array(store, "x", mode="r+")
        for _ in range(10):
            array.refresh()
            end = array.append(np.ones((1, 4)))[0]
            again = zom.open_array(store, "x")
            is_there = again.shape[0] == end and bool((again[end - 1] == 1).all())
            # It may be cut off between the two looks: with its number, for nobody else appends.
            again.refresh()
            assert is_there or again.shape[0] < end

    with ThreadPoolExecutor(2) as threads:
        for one in [threads.submit(grow), threads.submit(append)]:
            one.result()


# --- fork --------------------------------------------------------------------------------------------

FORKS = """
import os, sys, threading, numpy as np, zom
store = zom.store(sys.argv[1]) if sys.argv[1] != "memory" else zom.store("memory://forked")
array = zom.create_array(store, zom.v3.ArraySpec.build(shape=(64, 64), dtype="int32", chunks=(16, 64), shards=(32, 64)), "x")
array[...] = 1
stop = threading.Event()
def load(row):
    mine = array.with_options(threads=2)
    while not stop.is_set():
        mine[row, 3] = row
        mine[...]
threads = [threading.Thread(target=load, args=(row,)) for row in range(0, 64, 16)]
for thread in threads: thread.start()
for number in range(int(sys.argv[2])):
    child = os.fork()
    if not child:
        array[number % 64, 1] = 5
        assert array[:, 5].tolist() == [1] * 64
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
stop.set()
for thread in threads: thread.join()
print("done")
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["memory", "local"])
def test_children_forked_under_load_neither_hang_nor_fail(tmp_path, kind):
    place = str(tmp_path) if kind == "local" else "memory"
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    made = subprocess.run(  # noqa: PLW1510 - what it says is looked at
        [sys.executable, "-c", FORKS, place, str(ROUNDS // 3)],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
    )
    assert made.stdout == "done\n", made.stderr
