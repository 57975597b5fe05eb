"""Reading 2,000 chunks by dask, through zom and through zarr-python.

    python benchmarks/dask_reading.py [--rounds N]

In an environment with zom[dask] and benchmarks/requirements.txt. One array of 2,000 chunks on local disk; in each
round zom and zarr-python take turns, in one process: the dask array is made, and computed by dask's threads.
zarr-python stands there twice, by `dask.array.from_zarr` and by `from_array`; the faster counts. Prints the medians of
the processor's time and of the clock, and their ratios. Ends with 1 where zom takes longer than zarr-python.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dask.array as da
import numpy as np
import zarr

import zom
from zom import v3

if TYPE_CHECKING:
    from collections.abc import Callable

CELLS = {
    "16 KiB, zstd": {"size": 4096, "compress": "zstd"},
    "16 KiB, none": {"size": 4096, "compress": None},
    "64 KiB, zstd": {"size": 16384, "compress": "zstd"},
}
CHUNKS = 2000
TARGET = 1.0


def timed(make: Callable[[], Any], *, whole: bool) -> tuple[float, float]:
    """The processor's seconds and those of the clock that it takes to compute all of it, or its sum."""
    start, clock = time.process_time(), time.perf_counter()
    lazy = make()
    (lazy if whole else lazy.sum()).compute()
    return time.process_time() - start, time.perf_counter() - clock


def measure(
    place: Path, facts: dict[str, Any], rounds: int, *, whole: bool
) -> dict[str, tuple[float, float]]:
    size = facts["size"]
    spec = v3.ArraySpec.build(
        shape=(CHUNKS * size,), dtype="int32", chunks=(size,), compress=facts["compress"]
    )
    values = np.random.default_rng(0).integers(0, 1000, spec.shape, dtype="i4")
    zom.create_array(place, spec)[...] = values
    mine, theirs = zom.open_array(place), zarr.open_array(place, mode="r")
    np.testing.assert_array_equal(mine.to_dask("native").compute(), values)
    np.testing.assert_array_equal(da.from_zarr(theirs).compute(), values)
    ways: dict[str, Callable[[], Any]] = {
        "zom": lambda: mine.to_dask("native"),
        "from_zarr": lambda: da.from_zarr(theirs),
        "from_array": lambda: da.from_array(theirs, chunks=theirs.chunks),
    }
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, make in ways.items():
            taken[name].append(timed(make, whole=whole))
    return {
        name: (statistics.median(each[0] for each in all_), statistics.median(each[1] for each in all_))
        for name, all_ in taken.items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print(f"dask reads {CHUNKS} chunks: milliseconds of the processor (of the clock), medians of {rounds}\n")
    print("| chunks | computed | zom | zarr-python, from_zarr | from_array | ratio |")
    print("|---|---|---|---|---|---|")
    missed = 0
    for cell, facts in CELLS.items():
        for whole in (True, False):
            with tempfile.TemporaryDirectory() as folder:
                found = measure(Path(folder) / "x.zarr", facts, rounds, whole=whole)
            ratio = found["zom"][0] / min(found["from_zarr"][0], found["from_array"][0])
            missed += ratio > TARGET
            texts = [f"{1e3 * cpu:.0f} ({1e3 * clock:.0f})" for cpu, clock in found.values()]
            print(
                f"| {cell} | {'all of it' if whole else 'its sum'} | {' | '.join(texts)} | {ratio:.2f} |",
                flush=True,
            )
    print(f"\n{missed} of {2 * len(CELLS)} above {TARGET}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
