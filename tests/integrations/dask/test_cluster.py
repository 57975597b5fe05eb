"""Writing on a cluster of processes: by each of its workers, and when one of them is lost."""

from __future__ import annotations

import os
import signal
import time
import warnings
from dataclasses import replace

import numpy as np
import pytest

import zom
from zom import v3
from zom.errors import StoreError
from zom.hierarchy.copy import chunks
from zom.hierarchy.copy.copy import Choices, copy_hierarchy
from zom.hierarchy.copy.nodes import read_original

da = pytest.importorskip("dask.array", reason="dask is not installed (pip install 'zom[dask]')")
distributed = pytest.importorskip(
    "distributed", reason="distributed is not installed (pip install 'zom[dask]')"
)

# Sockets that a lost worker leaves behind are distributed's to close, not zom's.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")]


@pytest.fixture(scope="module")
def client():
    with warnings.catch_warnings():
        # Where the usual port is taken, distributed chooses another, and says so.
        warnings.simplefilter("ignore", UserWarning)
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
        )
    with cluster, distributed.Client(cluster) as found:
        yield found


def slow(block, started, block_info=None):
    """Its own value, after a while; a file says that it was begun."""
    (started / f"{block_info[None]['chunk-location'][0]}").touch()
    time.sleep(0.1)
    return block


def test_tasks_on_workers_write_what_dask_computes(client, tmp_path):
    data = da.arange(60, chunks=4).reshape(15, 4) * 2
    group = zom.create_group(tmp_path / "x.zarr", v3.GroupSpec())
    found = zom.dask.store({"a/b": data, "c": data.astype("f4")}, group, rechunk=True)
    np.testing.assert_array_equal(found["a/b"], data.compute())
    np.testing.assert_array_equal(found["c"].to_dask("native").sum(axis=1).compute(), data.sum(axis=1))


def test_a_lost_worker_loses_no_chunk(client, tmp_path):
    started = tmp_path / "started"
    started.mkdir()
    values = np.arange(40 * 50, dtype="i8").reshape(40, 50)
    data = da.from_array(values, chunks=(1, 50)).map_blocks(slow, started=started, dtype="i8")
    group = zom.create_group(tmp_path / "x.zarr", v3.GroupSpec())
    later = zom.dask.store({"a": data}, group, compute=False)
    running = client.compute(later)
    while len(list(started.iterdir())) < 8:
        time.sleep(0.02)
    lost = next(iter(client.run(os.getpid).values()))
    os.kill(lost, signal.SIGKILL)
    assert running.result(timeout=60) is None
    assert lost not in client.run(os.getpid).values()
    np.testing.assert_array_equal(group["a"], values)
    assert zom.validate(group, conventions=(), data="all").problems == ()


# --- zom's own work on the workers ----------------------------------------------------------------------


def filled(place):
    spec = v3.ArraySpec.build(shape=(64, 64), dtype="int32", chunks=(4, 4))
    root = zom.materialize(v3.GroupSpec(members={"a": spec}), place)
    root["a"][...] = np.arange(64 * 64).reshape(64, 64)
    return root


def contents(store):
    return {key: store.get(key) for key in store.list()}


def test_copy_check_and_migrate_run_on_a_client_with_the_same_reports(client, tmp_path):
    root = filled(tmp_path / "source.zarr")
    wide = v3.GroupSpec(members={"a": v3.ArraySpec.build(shape=(64, 64), dtype="int32", chunks=(6, 10))})
    reports, stores = [], []
    for number, executor in enumerate((None, client)):
        target = zom.store(tmp_path / f"{number}.zarr")
        copied = zom.copy(root, target, wide, verify=True, executor=executor)
        stores.append(contents(target))
        target.set("a/c/3/3", b"no chunk")
        checked = zom.check(target, data="all", executor=executor)
        migrated = zom.migrate(root, "v2", target=tmp_path / f"v2-{number}.zarr", executor=executor)
        reports.append((replace(copied, target=""), checked.problems, migrated.arrays))
    assert reports[0] == reports[1]
    assert stores[0] == stores[1]
    assert [each.code for each in reports[1][1]] == ["chunk/undecodable"]


def test_a_copy_loses_nothing_with_a_worker(client, tmp_path, monkeypatch):
    monkeypatch.setattr(chunks, "_SENT", 1 << 12)  # so that there are many units
    root = filled(tmp_path / "source.zarr")
    wide = v3.GroupSpec(members={"a": v3.ArraySpec.build(shape=(64, 64), dtype="int32", chunks=(1, 8))})
    lost = []

    def kill_one(done, total):
        # Between two units; others are in flight, and with the worker.
        if not lost and done >= total // 8:
            lost.append(next(iter(client.run(os.getpid).values())))
            os.kill(lost[0], signal.SIGKILL)

    target = zom.store(tmp_path / "target.zarr")
    small = Choices(memory=1 << 11, executor=client, progress=kill_one)
    copy_hierarchy(read_original(root.store, ""), target, "/", wide, small)
    assert lost
    assert lost[0] not in client.run(os.getpid).values()
    np.testing.assert_array_equal(zom.open_array(target, "a"), root["a"])
    assert zom.validate(target, conventions=(), data="all").problems == ()


def test_a_store_in_memory_is_refused_before_anything_is_written(client):
    group = zom.create_group("memory:", v3.GroupSpec())
    with pytest.raises(
        StoreError, match="memory://: cannot pickle: a store in memory belongs to its process"
    ):
        zom.dask.store({"a": da.ones(4)}, group)
    assert list(group.store.list()) == ["zarr.json"]
