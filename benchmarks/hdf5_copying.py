"""Copying a NetCDF file to Zarr: zom.copy beside xarray's open_dataset(...).to_zarr, in one run.

    python benchmarks/hdf5_copying.py [--rounds N] [--variables N]

In an environment with zom, h5py, netCDF4, xarray, dask and zarr-python (tests/interop/requirements.txt). xarray
writes the file: float32, shuffled and compressed by zlib, 31 MB in memory for each variable. All take turns in
every round; printed are the medians of the time and of the processor time. There is no target.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

import zom

if TYPE_CHECKING:
    from collections.abc import Callable

SHAPE = (120, 181, 360)
CHUNKS = (10, 181, 360)


def make(path: Path, variables: int) -> None:
    """A file of smooth fields with one decimal, which compress to half."""
    values = np.cumsum(np.random.default_rng(0).standard_normal(SHAPE, np.float32), 0)
    arrays = {f"v{i}": (("time", "lat", "lon"), np.round(values + i, 1)) for i in range(variables)}
    encoding = {"zlib": True, "complevel": 4, "shuffle": True, "chunksizes": CHUNKS}
    xr.Dataset(arrays).to_netcdf(path, engine="netcdf4", encoding=dict.fromkeys(arrays, encoding))


def by_xarray(path: Path, target: Path, chunks: dict[str, int] | None) -> None:
    with xr.open_dataset(path, engine="netcdf4", chunks=chunks) as dataset:
        dataset.to_zarr(target, consolidated=False)


def by_zom(path: Path, target: Path, compress: str | None) -> None:
    spec = None if compress is None else zom.from_hdf5(path, compress=compress).spec
    zom.copy(path, target, spec)


WAYS: dict[str, Callable[[Path, Path], None]] = {
    "zom.copy": partial(by_zom, compress=None),
    "zom.copy to zstd": partial(by_zom, compress="zstd"),
    "xarray to_zarr": partial(by_xarray, chunks=None),
    "xarray to_zarr, chunks={}": partial(by_xarray, chunks={}),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--variables", type=int, default=6)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        path, target = Path(folder, "a.nc"), Path(folder, "a.zarr")
        make(path, arguments.variables)
        nbytes = 4 * np.prod(SHAPE) * arguments.variables
        print(f"{nbytes / 1e6:.0f} MB in memory, {path.stat().st_size / 1e6:.0f} MB in the file\n")
        for _ in range(arguments.rounds):
            for name, way in WAYS.items():
                shutil.rmtree(target, ignore_errors=True)
                start, cpu = time.perf_counter(), time.process_time()
                way(path, target)
                times[name].append((time.perf_counter() - start, time.process_time() - cpu))
    print("| way | seconds | seconds of the processor |\n|---|---|---|")
    for name, taken in times.items():
        wall, cpu = (statistics.median(column) for column in zip(*taken, strict=True))
        print(f"| {name} | {wall:.2f} | {cpu:.2f} |")


if __name__ == "__main__":
    main()
