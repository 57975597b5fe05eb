"""Datasets written by the processes of a cluster."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import zom
from zom.errors import StoreError
from zom.stores.memory import MemoryStore

xr = pytest.importorskip("xarray", reason="xarray is not installed (pip install 'zom[xarray]')")
distributed = pytest.importorskip(
    "distributed", reason="distributed is not installed (pip install 'zom[dask]')"
)

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")]

DS = xr.Dataset({"t": (("time", "x"), np.arange(24.0).reshape(4, 6))}, {"time": range(4)}).chunk({"time": 1})


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


def test_workers_write_what_is_lazy(client, tmp_path):
    assert zom.xarray.write(DS, tmp_path / "a.zarr")["t"][:].tolist() == DS.t.values.tolist()
    later = zom.xarray.write(DS, tmp_path / "b.zarr", compute=False)
    client.compute(later).result()
    assert zom.open_group(tmp_path / "b.zarr")["t"][:].tolist() == DS.t.values.tolist()


def test_a_store_in_memory_is_refused_before_anything_is_written(client):
    store = MemoryStore()
    with pytest.raises(
        StoreError, match=r"memory://: cannot pickle: a store in memory belongs to its process"
    ):
        zom.xarray.write(DS, store)
    assert list(store.list()) == []
