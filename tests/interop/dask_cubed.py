"""Arrays of zom as dask, cubed and zarr-python take them, without zom's own help.

    python tests/interop/dask_cubed.py

In an environment with zom and tests/interop/requirements.txt. dask and cubed read handles, plain and sharded, v2 and
v3; dask writes into a handle by its own `store`, unaligned and with its lock; what `zom.dask.store` wrote is read by
zarr-python. Sessions of icechunk are read by processes, and written by threads alone. Ends with 1 where anything differs.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cubed
import dask
import dask.array as da
import icechunk
import numpy as np
import zarr

import zom
from zom import v2, v3

if TYPE_CHECKING:
    from collections.abc import Callable

VALUES = np.arange(60 * 44, dtype="f8").reshape(60, 44)
FACTS: dict[str, dict[str, Any]] = {
    "v3": {"chunks": (16, 11)},
    "v3, shards": {"chunks": (8, 11), "shards": (16, 22)},
    "v2": {"chunks": (16, 11)},
}


def made(place: Any, name: str) -> zom.Array:
    build = v2.ArraySpec.build if name == "v2" else v3.ArraySpec.build
    array = zom.create_array(place, build(shape=VALUES.shape, dtype="float64", **FACTS[name]))
    array[...] = VALUES
    return array


def dask_reads(folder: Path, name: str) -> None:
    array = made(folder / "a.zarr", name)
    np.testing.assert_array_equal(da.from_array(array).compute(), VALUES)
    np.testing.assert_array_equal(da.from_array(array, chunks=array.chunks)[5:9].compute(), VALUES[5:9])
    np.testing.assert_array_equal(array.to_dask().mean(axis=0).compute(), VALUES.mean(axis=0))


def dask_writes_unaligned(folder: Path, name: str) -> None:
    array = made(folder / "a.zarr", name)
    da.store(da.from_array(-VALUES, chunks=(7, 13)), array, lock=True)
    np.testing.assert_array_equal(zarr.open_array(folder / "a.zarr", mode="r")[...], -VALUES)


def cubed_reads(folder: Path, name: str) -> None:
    array = made(folder / "a.zarr", name)
    work = cubed.Spec(work_dir=str(folder / "work"), allowed_mem="200MB")
    lazy = cubed.from_array(array, chunks=array.shards or array.chunks, spec=work)
    np.testing.assert_array_equal(lazy.compute(), VALUES)
    np.testing.assert_allclose(cubed.array_api.mean(lazy).compute(), VALUES.mean())


def cubed_writes_by_as_zarr(folder: Path, name: str) -> None:
    source, target = made(folder / "a.zarr", name), made(folder / "b.zarr", name)
    target[...] = 0
    work = cubed.Spec(work_dir=str(folder / "work"), allowed_mem="200MB")
    cubed.store(
        [cubed.from_array(source, chunks=source.shards or source.chunks, spec=work)], [target.as_zarr()]
    )
    np.testing.assert_array_equal(target, VALUES)


def zarr_reads_what_tasks_wrote(folder: Path, name: str) -> None:
    classes: Any = v2 if name == "v2" else v3
    group = zom.create_group(folder / "g.zarr", classes.GroupSpec())
    data = da.from_array(VALUES, chunks=(16, 22))
    zom.dask.store({"new": data, "deep/er": data + 1}, group, rechunk=True)
    root = zarr.open_group(folder / "g.zarr", mode="r")
    np.testing.assert_array_equal(root["new"][...], VALUES)
    np.testing.assert_array_equal(root["deep/er"][...], VALUES + 1)
    if root["new"].chunks != (16, 22):
        raise AssertionError(f"expected the chunks of the data, found {root['new'].chunks}")


def zarr_stores_by_as_zarr(folder: Path, name: str) -> None:
    made(folder / "a.zarr", name)
    target = zom.open_array(folder / "a.zarr", mode="r+").as_zarr()
    da.store(da.from_array(VALUES * 2, chunks=(16, 22)), target, lock=False)
    np.testing.assert_array_equal(zom.open_array(folder / "a.zarr"), VALUES * 2)


def refused(store: Any, words: str, **choices: Any) -> None:
    """See that nothing is written into a session where that can't be, or where other processes' work would be lost."""
    before = sorted(zom.store(store).list())
    try:
        zom.dask.store({"new": da.ones(8, chunks=4)}, zom.open_group(store, mode="r+"), **choices)
    except zom.StoreError as error:
        if words not in str(error):
            raise AssertionError(f"expected {words!r} in {str(error)!r}") from error
    else:
        raise AssertionError("expected zom.StoreError, found none")
    if sorted(zom.store(store).list()) != before:
        raise AssertionError("something was written")


def sessions_are_written_by_threads_alone(folder: Path, name: str) -> None:
    if name == "v2":
        return  # icechunk holds v3 alone
    repository = icechunk.Repository.create(icechunk.local_filesystem_storage(str(folder / "repository")))
    session = repository.writable_session("main")
    group = zom.create_group(session.store, v3.GroupSpec())
    zom.dask.store({"a": da.from_array(VALUES, chunks=(16, 22))}, group)
    refused(session.store, "a writable session belongs to its process", scheduler="processes")
    session.commit("a")
    refused(repository.readonly_session("main").store, "the store is read-only")
    fork = repository.writable_session("main").fork()
    zom.dask.store(
        da.from_array(-VALUES, chunks=(16, 22)), zom.open_array(fork, "a", mode="r+"), scheduler="processes"
    )
    np.testing.assert_array_equal(zom.open_array(fork, "a")[:], -VALUES)
    lazy = zom.open_array(repository.readonly_session("main").store, "a").to_dask()
    np.testing.assert_array_equal(lazy.compute(scheduler="processes"), VALUES)


def stores_of_zarr_python_are_told_apart(folder: Path, name: str) -> None:
    """dask computes what has one token once: arrays in two places must have two."""
    if name == "v2":
        return
    arrays = []
    for number in range(2):
        repository = icechunk.Repository.create(icechunk.local_filesystem_storage(str(folder / f"{number}")))
        session = repository.writable_session("main")
        made(session.store, name)[...] = number
        session.commit("a")
        arrays.append(zom.open_array(repository.readonly_session("main").store))
        again = zom.open_array(repository.readonly_session("main").store)
        if again.to_dask().name != arrays[-1].to_dask().name:
            raise AssertionError("expected one token for one snapshot, found two")
        made(folder / f"local{number}.zarr", name)[...] = number
        arrays.append(zom.open_array(zarr.storage.LocalStore(folder / f"local{number}.zarr")))
    found = dask.compute(*[array.to_dask() for array in arrays])
    for number, values in zip((0, 0, 1, 1), found, strict=True):
        np.testing.assert_array_equal(values, np.full(VALUES.shape, float(number)))


CHECKS: tuple[Callable[[Path, str], None], ...] = (
    dask_reads,
    dask_writes_unaligned,
    cubed_reads,
    cubed_writes_by_as_zarr,
    zarr_reads_what_tasks_wrote,
    zarr_stores_by_as_zarr,
    sessions_are_written_by_threads_alone,
    stores_of_zarr_python_are_told_apart,
)


def main() -> int:
    failed = 0
    for check in CHECKS:
        for name in FACTS:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    check(Path(folder), name)
                except Exception as error:  # noqa: BLE001 - all are told
                    failed += 1
                    print(f"FAILED {check.__name__} ({name}): {type(error).__name__}: {error}")
                else:
                    print(f"ok     {check.__name__} ({name})")
    count = len(CHECKS) * len(FACTS)
    print(f"{count - failed} of {count} passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
