"""Pyramids made by the processes of an executor: the same as by threads."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import zom
from zom import v3
from zom.errors import StoreError

VALUES = np.random.default_rng(5).integers(0, 9, (40, 60), dtype="u2")


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as found:
        yield found


def contents(group):
    return {key: group.store.get(key) for key in group.store.list()}


def image(place):
    spec = v3.ArraySpec.build(shape=VALUES.shape, dtype="uint16", chunks=(8, 8), dimension_names=("y", "x"))
    array = zom.create_array(place, spec)
    array[...] = VALUES
    return array


def made(source, place, method="mean", **choices):
    return zom.pyramid(
        source, place, method=method, axes="yx", levels=3, chunks=(6, 10), memory=1 << 10, **choices
    )


@pytest.mark.parametrize("method", ["mean", "mode", "stride"])
@pytest.mark.parametrize("kind", ["zom", "numpy"])
def test_a_pyramid_is_the_same_as_by_threads(processes, tmp_path, method, kind):
    source = image(tmp_path / "source.zarr") if kind == "zom" else VALUES
    seen = []
    by_threads = made(source, tmp_path / "a.zarr", method)
    found = made(
        source, tmp_path / "b.zarr", method, executor=processes, progress=lambda *counts: seen.append(counts)
    )
    assert contents(found) == contents(by_threads)
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]


def test_a_dask_array_is_computed_by_the_executor(tmp_path):
    da = pytest.importorskip("dask.array", reason="dask is not installed (pip install 'zom[dask]')")
    with ThreadPoolExecutor(2) as threads:
        found = made(da.from_array(VALUES, chunks=(9, 9)), tmp_path / "a.zarr", executor=threads)
    np.testing.assert_array_equal(found["0"], VALUES)
    assert contents(found) == contents(made(VALUES, tmp_path / "b.zarr"))


@pytest.mark.parametrize("side", ["source", "target"])
def test_a_store_in_memory_is_refused_before_anything_is_written(processes, tmp_path, side):
    source = image("memory:" if side == "source" else tmp_path / "source.zarr")
    target = zom.store("memory://pyramid-on-processes" if side == "target" else tmp_path / "target.zarr")
    with pytest.raises(StoreError, match="cannot pickle: a store in memory belongs to its process"):
        made(source, target, executor=processes)
    assert list(target.list()) == []
