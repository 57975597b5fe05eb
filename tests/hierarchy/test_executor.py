"""Copying, migrating and checking on the processes of an executor: the same results, and the same reports."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import zom
from zom import draft, v2, v3
from zom.errors import ChunkError, StoreError
from zom.hierarchy.executor import Pool, grouped, pool_of
from zom.stores.interface import Capabilities
from zom.stores.memory import MemoryStore
from zom.stores.wrap import PrefixStore

VALUES = np.arange(40 * 30, dtype="i4").reshape(40, 30)


@pytest.fixture(scope="module")
def processes():
    # Forked processes may hold locks of this one's threads.
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as found:
        yield found


def filled(place, classes=v3, **facts):
    spec = classes.ArraySpec.build(**{"shape": (40, 30), "dtype": "int32", "chunks": (4, 5), **facts})
    sparse = classes.ArraySpec.build(shape=(100,), dtype="float64", chunks=(3,))
    root = zom.materialize(
        classes.GroupSpec(members={"a": spec, "g": classes.GroupSpec(members={"s": sparse})}), place
    )
    root["a"][...] = VALUES
    root["g/s"][50:53] = 1
    return root


def contents(store):
    return {key: store.get(key) for key in store.list()}


# --- the pool itself -----------------------------------------------------------------------------------


def double(context, unit):
    return context * unit


def report_process(context, unit):
    return os.getpid()


def fail_at_three(context, unit):
    if unit == 3:
        raise ValueError("three")
    time.sleep(0.01)
    context.append(unit)
    return unit


def test_units_run_in_other_processes(processes):
    found = set(Pool(processes).run(report_process, None, range(20)))
    assert os.getpid() not in found


def test_results_come_in_the_order_of_the_units(processes):
    assert list(Pool(processes).run(double, 3, range(50))) == [3 * n for n in range(50)]


@pytest.mark.parametrize("jobs", [1, 3])
def test_no_more_units_are_taken_than_are_in_flight(jobs):
    taken = []
    with ThreadPoolExecutor(2) as threads:
        results = Pool(threads, jobs).run(double, 1, (taken.append(n) or n for n in range(100)))
        for number, _ in zip(range(50), results, strict=False):
            assert len(taken) <= number + jobs + 1
        results.close()


def test_an_error_is_raised_when_all_that_is_in_flight_has_ended():
    done = []
    with ThreadPoolExecutor(4) as threads:
        with pytest.raises(ValueError, match="three"):
            list(Pool(threads, 8).run(fail_at_three, done, range(100)))
        count = len(done)
        time.sleep(0.05)
    assert len(done) == count <= 11


def test_anything_with_submit_is_an_executor():
    class Inline:
        def submit(self, fn, /, *args):
            future = Future()
            future.set_result(fn(*args))
            return future

    assert list(Pool(Inline()).run(double, 2, [1, 2])) == [2, 4]


@pytest.mark.parametrize("given", ["tcp://10.0.0.1:8786", 4, object()])
def test_what_is_no_executor_is_refused(given):
    with pytest.raises(
        TypeError, match=r"expected a distributed.Client or a concurrent.futures.Executor, got"
    ):
        pool_of(given)


def test_an_asynchronous_client_is_refused():
    class Client:
        asynchronous = True

        def submit(self, *args):
            raise NotImplementedError

    with pytest.raises(TypeError, match="expected a synchronous client"):
        pool_of(Client())


def test_groups_have_all_items():
    assert [*grouped(range(5), 2)] == [[0, 1], [2, 3], [4]]


# --- copy ----------------------------------------------------------------------------------------------

WIDE = v3.ArraySpec.build(shape=(40, 30), dtype="int32", chunks=(7, 11), compress="gzip:1")
SHARDED = v3.ArraySpec.build(shape=(40, 30), dtype="int32", chunks=(4, 5), shards=(16, 15))


@pytest.mark.parametrize("name", ["t.zarr", "t.sqlite"])
@pytest.mark.parametrize("wanted", [None, WIDE, SHARDED], ids=["raw", "wide", "sharded"])
def test_a_copy_is_the_same_as_by_threads(processes, tmp_path, wanted, name):
    source = filled(tmp_path / "source.zarr")
    spec = None if wanted is None else v3.GroupSpec(members={"a": wanted})
    one, other = zom.store(tmp_path / f"1{name}"), zom.store(tmp_path / f"2{name}")
    seen = []
    by_threads = zom.copy(source, one, spec, verify=True)
    report = zom.copy(
        source, other, spec, verify=True, executor=processes, progress=lambda *counts: seen.append(counts)
    )
    assert contents(other) == contents(one)
    assert replace(report, target="") == replace(by_threads, target="")
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]


def test_a_copy_that_replaces_is_the_same(processes, tmp_path):
    source, target = filled(tmp_path / "a.zarr"), filled(tmp_path / "b.zarr")
    target["a"][...] = -1
    zom.copy(source, target.store, on_conflict="replace", executor=processes)
    assert contents(target.store) == contents(source.store)


def test_threads_of_an_executor_share_a_store_in_memory():
    source, target = filled("memory:"), MemoryStore()
    with ThreadPoolExecutor(2) as threads:
        zom.copy(source, target, executor=threads)
    assert contents(target) == contents(source.store)


def test_a_damaged_chunk_ends_the_copy_and_it_is_taken_up_again(processes, tmp_path):
    source, target = filled(tmp_path / "a.zarr"), zom.store(tmp_path / "b.zarr")
    good = source.store.get("a/c/3/3")
    source.store.set("a/c/3/3", b"no chunk")
    spec = v3.GroupSpec(members={"a": WIDE})
    with pytest.raises(ChunkError, match="cannot decode chunk 'a/c/3/3' of /a") as caught:
        zom.copy(source, target, spec, executor=processes)
    assert "repeat the same copy to finish it" in caught.value.__notes__[0]
    source.store.set("a/c/3/3", good)
    assert zom.copy(source, target, spec, executor=processes).resumed
    np.testing.assert_array_equal(zom.open_array(target, "a"), VALUES)


@pytest.mark.parametrize("side", ["source", "target"])
def test_a_store_in_memory_is_refused_before_anything_is_written(processes, tmp_path, side):
    source = filled("memory:" if side == "source" else tmp_path / "a.zarr")
    target = MemoryStore() if side == "target" else zom.store(tmp_path / "b.zarr")
    with pytest.raises(
        StoreError, match="cannot pickle: a store in memory belongs to its process; use one that"
    ):
        zom.copy(source, target, executor=processes)
    assert list(target.list()) == []


def test_a_zip_file_that_is_written_is_refused_before_anything_is_written(processes, tmp_path):
    source = filled(tmp_path / "a.zarr")
    with zom.store(tmp_path / "b.zip") as target:
        with pytest.raises(
            StoreError, match="a zip file that is being written belongs to its process; write a dir"
        ):
            zom.copy(source, target, executor=processes)
        assert list(target.list()) == []


class Forked(MemoryStore):
    """As the fork of an icechunk session: a pickle takes what is in it along, and nobody gets back what changes."""

    capabilities = Capabilities(transactional=True)

    def __reduce__(self):
        return (Forked, (contents(self),))


def test_a_session_is_no_target_since_what_others_write_there_is_lost(processes, tmp_path):
    source, target = filled(tmp_path / "a.zarr"), Forked()
    with pytest.raises(
        StoreError,
        match="cannot share: writes of other processes go to copies of it and are lost: use threads",
    ):
        zom.copy(source, target, executor=processes)
    assert list(target.list()) == []
    with ThreadPoolExecutor(2) as threads:
        zom.copy(source, target, executor=threads)
    assert zom.copy(target, tmp_path / "b.zarr", executor=processes).raw


class Merging(Forked):
    """The same, which takes over what was written into its copies."""

    capabilities = Capabilities(transactional=True, merges=True)

    def __reduce__(self):
        return (Merging, (contents(self),))

    def absorb(self, other):
        self.set_many(contents(other))


@pytest.mark.parametrize("below", ["", "g/"])
def test_what_other_processes_write_into_a_fork_is_merged(processes, tmp_path, below):
    source, target = filled(tmp_path / "a.zarr"), Merging()
    assert zom.copy(source, PrefixStore(target, below) if below else target, executor=processes).raw
    np.testing.assert_array_equal(zom.open_array(target, f"{below}a"), VALUES)


# --- migrate -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["s.zarr", "s.sqlite"])
@pytest.mark.parametrize(("classes", "to"), [(draft, "v3"), (v2, "v3"), (v3, "v2")])
@pytest.mark.parametrize("in_place", [True, False])
@pytest.mark.slow
def test_a_migration_is_the_same_as_by_threads(processes, tmp_path, classes, to, in_place, name):
    compress = None if to == "v2" else "gzip:1"
    facts = {"codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]} if to == "v2" else {}
    if in_place and name == "s.sqlite" and classes is not v2:
        pytest.skip("its chunks move, and no other process can move them: see the next test")
    made = []
    for number, executor in enumerate((None, processes)):
        place = tmp_path / f"{number}{name}"
        root = filled(place, classes, **(facts or {"compress": compress}))
        where = {"in_place": True} if in_place else {"target": tmp_path / f"target{number}{name}"}
        migration = zom.migrate(root.store, to, executor=executor, **where)
        target = root.store if in_place else zom.store(where["target"])
        made.append((contents(target), replace(migration, store="", target=None, copied=None)))
        np.testing.assert_array_equal(zom.open_array(target, "a"), VALUES)
    assert made[0] == made[1]


def test_chunks_that_move_in_an_sqlite_file_are_moved_by_one_thread(processes, tmp_path):
    root = filled(tmp_path / "a.sqlite", draft)
    before = contents(root.store)
    with pytest.raises(
        StoreError, match=r"its lock keeps other processes out .*; leave out executor, or pass target="
    ):
        zom.migrate(root.store, in_place=True, executor=processes)
    assert contents(root.store) == before
    zom.migrate(root.store, in_place=True)
    np.testing.assert_array_equal(zom.open_array(root.store, "a"), VALUES)


def test_a_migration_in_memory_is_refused_before_anything_is_written(processes):
    root = filled("memory:", draft)
    before = contents(root.store)
    with pytest.raises(StoreError, match="cannot pickle: a store in memory belongs to its process"):
        zom.migrate(root.store, in_place=True, executor=processes)
    assert contents(root.store) == before


# --- check ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", ["keys", "index", "all"])
@pytest.mark.parametrize("shards", [None, (16, 15)])
def test_a_check_is_the_same_as_by_threads(processes, tmp_path, data, shards):
    root = filled(tmp_path / "a.zarr", shards=shards)
    for key in ("a/c/1/1", "a/c/0/1", "g/s/c/17"):
        value = root.store.get(key)
        root.store.set(key, value[:-9] + b"x" * 9)
    root.store.set("a/c/2/0", b"")
    seen = []
    by_threads = zom.check(root, data=data)
    found = zom.check(root, data=data, executor=processes, progress=lambda *counts: seen.append(counts))
    assert found.problems == by_threads.problems
    assert found.problems
    assert data == "keys" or seen[-1][0] == seen[-1][1]


def test_a_check_counts_no_more_problems_than_its_limit(processes, tmp_path):
    root = filled(tmp_path / "a.zarr")
    for key in list(root.store.list("a/c/")):
        root.store.set(key, b"x" * 100)
    found = zom.check(root, data="all", limit=3, executor=processes)
    assert [each.code for each in found.problems].count("chunk/undecodable") == 3
    assert "57 more" in str(found.problems[-1])


def test_a_check_of_a_store_in_memory_is_refused(processes):
    with pytest.raises(StoreError, match="cannot pickle: a store in memory belongs to its process"):
        zom.check(filled("memory:"), data="all", executor=processes)
    found = zom.check(filled("memory:"), data="keys", executor=processes)
    assert [each.code for each in found.problems] == ["chunk/missing"]


def test_threads_that_run_units_end_with_the_operation():
    before = threading.active_count()
    with ThreadPoolExecutor(2) as threads:
        zom.check(filled("memory:"), data="all", executor=threads)
    assert threading.active_count() == before
