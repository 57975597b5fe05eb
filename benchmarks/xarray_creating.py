"""Datasets written to stores that answer late: zom beside xarray's `to_zarr`, against one server, in one run.

    python benchmarks/xarray_creating.py [--delay 0.03] [--rounds 3] [--only WORD] [--json FILE]

A dataset of 100 variables is created without its data, and with it (a chunk of 8 KiB for each variable). As in
`far.py`, whose server and tables these are, each request waits for DELAY seconds, and figures are medians. Needs
obstore, zarr, dask and xarray. Ends with 1 where zom misses a target.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import far
import numpy as np
import xarray as xr
from zarr.storage import MemoryStore

import zom

VARIABLES = 100
MOST_SECONDS = 0.3


def dataset(*, lazy: bool) -> xr.Dataset:
    """So many variables of one chunk each."""
    values = np.arange(1024.0).reshape(32, 32)
    made = xr.Dataset({f"v{number:03d}": (("y", "x"), values + number) for number in range(VARIABLES)})
    return made.chunk() if lazy else made


name = far.fresh()


def contestants(server: far.Server, ds: xr.Dataset, delay: float, **options: Any) -> dict[str, far.Act]:
    """Everybody writes the same."""
    return {
        "zom, S3": lambda: zom.xarray.write(ds, server.far(name()), **options),
        "zom, zarr-python's store": lambda: zom.xarray.write(
            ds, zom.store(far.Late(MemoryStore(), delay)), **options
        ),
        "to_zarr, S3": lambda: ds.to_zarr(
            server.zarr(), group=name().strip("/"), consolidated=False, **options
        ),
        "to_zarr, zarr-python's store": lambda: ds.to_zarr(far.Late(MemoryStore(), delay), **options),
    }


def creating(server: far.Server, delay: float) -> far.Workload:
    """Documents only: the data is left to dask."""
    found = contestants(server, dataset(lazy=True), delay, compute=False)
    return far.Workload(f"create a dataset of {VARIABLES} variables", found, most_seconds=MOST_SECONDS)


def writing(server: far.Server, delay: float) -> far.Workload:
    """Documents and values."""
    found = contestants(server, dataset(lazy=False), delay)
    return far.Workload(f"write {VARIABLES} variables of one chunk", found)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--delay", type=float, default=0.03)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--only", default="")
    options.add_argument("--json", default="")
    given = options.parse_args()
    warnings.simplefilter("ignore")
    server = far.Server(given.delay)
    missed: list[str] = []
    figures: dict[str, Any] = {}
    try:
        print(f"# {given.delay * 1e3:g} ms a request")
        for make in (creating, writing):
            if given.only in make.__name__:
                work = make(server, given.delay)
                found = far.measured(server, work.contestants, given.rounds)
                figures[work.title] = {name: each._asdict() for name, each in found.items()}
                missed += far.told(work, found)
    finally:
        server.close()
    if given.json:
        Path(given.json).write_text(json.dumps(figures, indent=2), encoding="utf-8")
    print("\n" + "\n".join(f"- MISSED: {each}" for each in missed) if missed else "\nall targets met")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
