"""How fast hierarchies are copied, beside their peers, all in one run, and in how much memory.

    python benchmarks/copying.py [ROUNDS]

Raw copies are measured beside `shutil.copytree`, which is the floor; copies into other chunks beside
zarr-python, which is told to go chunk by chunk of the target, and beside what takes all of the array into
memory at once. Each contestant has its turn in every round; the figures are medians. Ends with 1 where zom
misses a target. With one round, which is to be quick, memory is left to memory.py.
"""

from __future__ import annotations

import importlib.util
import itertools
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import zom
from zom import v3

if TYPE_CHECKING:
    from collections.abc import Callable

SHAPE = (4096, 4096)
missed: list[str] = []


def spec(chunks: tuple[int, int], shards: tuple[int, int] | None = None) -> Any:
    codecs = "zstd:1"
    return v3.ArraySpec.build(shape=SHAPE, dtype="float32", chunks=chunks, shards=shards, compress=codecs)


def medians(contestants: dict[str, Callable[[Path], Any]], rounds: int) -> dict[str, float]:
    """The median time of each contestant, which is given an empty place each time; all take turns."""
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    for turn in range(rounds + 1):
        for name, act in contestants.items():
            with tempfile.TemporaryDirectory() as folder:
                start = time.perf_counter()
                act(Path(folder) / "t")
                if turn:
                    taken[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in taken.items()}


def table(title: str, times: dict[str, float], *, of: str, targets: dict[str, float]) -> None:
    print(f"\n{title}\n")
    print(f"| | ms | ÷ {of} | target |\n| --- | --- | --- | --- |")
    for name, seconds in times.items():
        target, ratio = targets.get(name), seconds / times[of]
        print(f"| {name} | {seconds * 1e3:.0f} | {ratio:.2f} | {'' if target is None else f'≤ {target:g}'} |")
        if target is not None and ratio > target:
            missed.append(f"{title}: {name} took {ratio:.2f} times as long as {of}, more than {target:g}")


def zarr_python(source: Path, target: Path, made: Any, step: tuple[int, int] | None) -> None:
    import zarr

    old = zarr.open_array(str(source), mode="r")
    zom.create_array(target, made)
    new = zarr.open_array(str(target), mode="r+")
    if step is None:
        new[...] = old[...]
        return
    starts = [range(0, length, size) for length, size in zip(SHAPE, step, strict=True)]
    for place in itertools.product(*starts):
        part = tuple(slice(start, start + size) for start, size in zip(place, step, strict=True))
        new[part] = old[part]


def raw(rounds: int) -> None:
    for chunks in ((256, 256), (64, 64)):
        with tempfile.TemporaryDirectory() as folder:
            source = filled(Path(folder) / "s", chunks)
            count = (SHAPE[0] // chunks[0]) * (SHAPE[1] // chunks[1])
            times = medians(
                {
                    "shutil.copytree": lambda target, source=source: shutil.copytree(source, target),
                    "zom.copy": lambda target, source=source: zom.copy(source, target),
                    "zom.copy, verified": lambda target, source=source: zom.copy(source, target, verify=True),
                },
                rounds,
            )
            table(f"{count} chunks as they are", times, of="shutil.copytree", targets={"zom.copy": 2})


def filled(folder: Path, chunks: tuple[int, int]) -> Path:
    values = np.cumsum(np.random.default_rng(1).integers(-3, 4, SHAPE), axis=1).astype("f4")
    zom.create_array(folder, spec(chunks))[...] = values
    return folder


def encoded(rounds: int) -> None:
    cases: dict[str, tuple[tuple[int, int], Any, tuple[int, int]]] = {
        "256² to 1024²": ((256, 256), spec((1024, 1024)), (1024, 1024)),
        "rows to columns": ((64, 4096), spec((4096, 64)), (4096, 64)),
        "256² into shards of 2048²": ((256, 256), spec((256, 256), (2048, 2048)), (2048, 2048)),
        "300² to 200²": ((300, 300), spec((200, 200)), (200, 200)),
    }
    has_zarr = importlib.util.find_spec("zarr") is not None
    if not has_zarr:
        print("left out: zarr not installed")
    for title, (chunks, made, step) in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            source = filled(Path(folder) / "s", chunks)

            def by_zom(target: Path, source: Path = source, made: Any = made) -> None:
                zom.copy(source, target, made)

            def in_memory(target: Path, source: Path = source, made: Any = made) -> None:
                zom.create_array(target, made)[...] = zom.open_array(source)[...]

            contestants: dict[str, Callable[[Path], Any]] = {
                "zom, all in memory": in_memory,
                "zom.copy": by_zom,
            }
            if has_zarr:
                contestants["zarr-python, chunk by chunk"] = (
                    lambda target, source=source, made=made, step=step: zarr_python(
                        source, target, made, step
                    )
                )
                contestants["zarr-python, all in memory"] = lambda target, source=source, made=made: (
                    zarr_python(source, target, made, None)
                )
            times = medians(contestants, rounds)
            table(title, times, of="zom, all in memory", targets={"zom.copy": 1.5})


# The peak that getrusage tells is the parent's, where that was larger.
PEAK = """
import re, sys, zom
from zom import v3
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
zom.open(sys.argv[1]).plan
before = peak()
zom.copy(sys.argv[1], sys.argv[2], eval(sys.argv[3]), jobs=int(sys.argv[4]))
print(peak() - before)
"""


def memory() -> None:
    """The peak of a process that copies an array of 1 GiB."""
    shape = (16384, 16384)
    print("\nmemory for copying 1 GiB\n\n| | jobs | MiB above the start |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "s"
        made = v3.ArraySpec.build(shape=shape, dtype="float32", chunks=(512, 512), compress="zstd:1")
        array = zom.create_array(source, made)
        row = np.arange(512 * shape[1], dtype="f4").reshape(512, shape[1])
        for start in range(0, shape[0], 512):
            array[start : start + 512] = row + start
        other = f'v3.ArraySpec.build(shape={shape}, dtype="float32", chunks=(300, 700), compress="zstd:1")'
        for name, given in (("raw", "None"), ("encoded", other)):
            for jobs in (1, 2):
                target = Path(folder) / "t"
                command = [sys.executable, "-c", PEAK, str(source), str(target), given, str(jobs)]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                print(f"| {name} | {jobs} | {float(done.stdout):.0f} |")
                most = jobs * 160
                if float(done.stdout) > most:
                    missed.append(
                        f"copying took {done.stdout.strip()} MiB with {jobs} jobs, more than {most}"
                    )
                shutil.rmtree(target)


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    raw(rounds)
    encoded(rounds)
    if rounds > 1:  # of one round, which is to be quick, nothing is known that `memory.py` doesn't measure
        memory()
    for each in missed:
        print(f"MISSED {each}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
