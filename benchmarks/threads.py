"""Whether zom chooses its threads well: each cell with the default, and with 1, 2 and 4 threads.

    python benchmarks/threads.py [ROUNDS] [CELL ...]

A cell is a store (local disk, shared memory, memory of the process), a direction, a codec and a chunk size.
The settings take turns in every round; figures are medians. What counts is the time of the default as a
ratio of the best setting. CELL selects cells whose name contains it. Ends with 1 where a ratio is above 1.1.
"""

from __future__ import annotations

import itertools
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import zom
from zom import v3
from zom.stores.memory import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Iterator

TARGET = 1.1
SETTINGS = (None, 1, 2, 4)
SIDES = {"4K": 32, "16K": 64, "64K": 128, "256K": 256, "1M": 512}
CODECS = (None, "zstd", "blosc", "gzip")
MEMORY = Path("/dev/shm")


class Cell(NamedTuple):
    place: str
    act: str
    codec: str | None
    size: str

    @property
    def name(self) -> str:
        return f"{self.place} {self.act} {self.codec or 'none'} {self.size}"


def field() -> np.ndarray:
    """A smooth field with noise, as measurements have it."""
    rng = np.random.default_rng(1)
    y, x = np.meshgrid(np.linspace(0, 9, 2048), np.linspace(0, 9, 2048), indexing="ij")
    return (280 + 20 * np.sin(x) * np.cos(y) + rng.normal(0, 0.2, x.shape)).astype("f4")


def places(folder: str) -> dict[str, Any]:
    """Where arrays are put: a directory, or None for the memory of the process."""
    found: dict[str, Any] = {"disk": Path(folder), "memory": None}
    if MEMORY.is_dir():
        found["shm"] = Path(tempfile.mkdtemp(dir=MEMORY))
    return found


def cells(names: list[str]) -> Iterator[Cell]:
    for place, act, codec, size in itertools.product(names, ("read", "write"), CODECS, SIDES):
        yield Cell(place, act, codec, size)


def measure(cell: Cell, where: Any, data: np.ndarray, rounds: int) -> dict[int | None, float]:
    """The median seconds of each setting."""
    side = SIDES[cell.size]
    spec = v3.ArraySpec.build(shape=data.shape, dtype="float32", chunks=(side, side), compress=cell.codec)
    taken: dict[int | None, list[float]] = {setting: [] for setting in SETTINGS}

    def array() -> Any:
        if where is None:
            return zom.materialize(spec, MemoryStore())
        # Deleted at the end of all: ext4 without a journal is slow to make files after others were deleted.
        return zom.materialize(spec, tempfile.mkdtemp(dir=where))

    source = array() if cell.act == "read" else None
    if source is not None:
        source[...] = data
    for turn in range(rounds + 1):
        for setting in SETTINGS:
            found = (array() if source is None else source).with_options(threads=setting)
            start = time.perf_counter()
            if cell.act == "read":
                found[...]
            else:
                found[...] = data
            if turn:
                taken[setting].append(time.perf_counter() - start)
    return {setting: statistics.median(times) for setting, times in taken.items()}


def main(rounds: int, wanted: list[str]) -> int:
    data = field()
    missed: list[str] = []
    print(f"{rounds} rounds; milliseconds with the default and with 1, 2 and 4 threads\n")
    print("| cell | default | 1 | 2 | 4 | default / best |\n| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        stores = places(folder)
        try:
            for cell in cells(list(stores)):
                if wanted and not any(part in cell.name for part in wanted):
                    continue
                times = measure(cell, stores[cell.place], data, rounds)
                ratio = times[None] / min(times[setting] for setting in SETTINGS if setting)
                shown = " | ".join(f"{times[setting] * 1e3:.1f}" for setting in SETTINGS)
                print(f"| {cell.name} | {shown} | {ratio:.2f} |", flush=True)
                if ratio > TARGET:
                    missed.append(f"{cell.name}: {ratio:.2f}")
        finally:
            if "shm" in stores:
                shutil.rmtree(stores["shm"])
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 5
    sys.exit(main(number, [part for part in sys.argv[1:] if not part.isdigit()]))
