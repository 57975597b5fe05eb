"""Writing on a cluster of processes: by each of its workers, and when one of them is lost."""

from __future__ import annotations

import os
import signal
import time
import warnings

import numpy as np
import pytest

import zom
from zom import v3
from zom.errors import StoreError

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


def test_a_store_in_memory_is_refused_before_anything_is_written(client):
    group = zom.create_group("memory:", v3.GroupSpec())
    with pytest.raises(
        StoreError, match="memory://: cannot pickle: a store in memory belongs to its process"
    ):
        zom.dask.store({"a": da.ones(4)}, group)
    assert list(group.store.list()) == ["zarr.json"]
