"""How fast pyramids are written, beside ome-zarr-py, in one run, and in how much memory.

    python benchmarks/pyramids.py [MEBIBYTES] [ROUNDS]

An image of that size (1024 unless told) becomes an OME-Zarr 0.5 image of five levels, by zom and by ome-zarr-py's
`write_image`, from the same numpy or dask array, with the same chunks and compression. Each contestant has a process of its
own, takes its turn in every round, and says how long it took and how much its memory grew at most. ome-zarr-py is
measured by its default method too, `resize`. Ends with 1 where zom takes longer, or more memory than it promises.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

CHUNKS = (1, 512, 512)
PLANE = (2048, 2048)
LEVELS = 5
MEMORY = 1 << 25
CONTESTANTS = {
    "zom, mean, numpy": ("zom", "mean", "numpy"),
    "zom, mean, dask": ("zom", "mean", "dask"),
    "zom, mode, numpy": ("zom", "mode", "numpy"),
    "zom, stride, numpy": ("zom", "stride", "numpy"),
    "zom, mean, of level 0 alone": ("zom", "mean", "beside"),
    "ome-zarr-py, local_mean, numpy": ("ome-zarr-py", "local_mean", "numpy"),
    "ome-zarr-py, local_mean, dask": ("ome-zarr-py", "local_mean", "dask"),
    "ome-zarr-py, resize, numpy": ("ome-zarr-py", "resize", "numpy"),
}
PAIRS = {
    "zom, mean, numpy": "ome-zarr-py, local_mean, numpy",
    "zom, mean, dask": "ome-zarr-py, local_mean, dask",
}


def image_of(mebibytes: int) -> np.ndarray[Any, Any]:
    """Smooth planes with noise, as of a microscope: they compress to about two thirds."""
    planes = max(1, (mebibytes << 20) // (PLANE[0] * PLANE[1] * 2))
    made = np.empty((planes, *PLANE), "u2")
    chance = np.random.default_rng(1)
    waves = np.sin(np.arange(PLANE[1]) / 50)[None, :] * np.cos(np.arange(PLANE[0]) / 70)[:, None]
    smooth = (waves * 2000 + 3000).astype("u2")
    for plane in made:
        plane[...] = smooth + chance.integers(0, 200, PLANE, dtype="u2")
    return made


def by_zom(method: str, kind: str, image: Any, folder: Path) -> Any:
    import zom

    codecs = {"chunks": CHUNKS, "compress": "zstd:3"}
    factors = {"y": 2, "x": 2}
    if kind != "beside":
        return lambda: zom.pyramid(
            image, folder, axes="zyx", method=method, levels=LEVELS, factors=factors, **codecs
        )
    made = zom.pyramid(image, folder, axes="zyx", levels=1, **codecs)
    return lambda: zom.pyramid(made["0"], levels=LEVELS, factors=factors, method=method)


def by_ome_zarr(method: str, image: Any, folder: Path) -> Any:
    from ome_zarr.scale import Methods
    from ome_zarr.writer import write_image
    from zarr.codecs import ZstdCodec

    options = {"chunks": CHUNKS, "compressors": [ZstdCodec(level=3)]}
    factors = [{"y": 2**level, "x": 2**level} for level in range(1, LEVELS)]
    return lambda: write_image(
        image,
        str(folder),
        axes="zyx",
        scale_factors=factors,
        method=Methods(method),
        storage_options=options,
    )


def warm(library: str, method: str) -> None:
    """Write a small image: what is imported by then is not measured."""
    with tempfile.TemporaryDirectory() as folder:
        small, place = np.zeros((1, 64, 64), "u2"), Path(folder, "small.zarr")
        (by_zom(method, "numpy", small, place) if library == "zom" else by_ome_zarr(method, small, place))()


def peak(*, reset: bool = False) -> float:
    """The most memory that this process had, in MiB: on Linux since the last `reset`; 0 elsewhere."""
    try:
        if reset:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return 0.0
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def contend(library: str, method: str, kind: str, mebibytes: int) -> None:
    """Run one contestant in this process; its figures as a line of JSON."""
    warm(library, method)
    image: Any = image_of(mebibytes)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "image.zarr")
        if kind == "dask":
            import dask.array as da

            image = da.from_array(image, chunks=CHUNKS)
        act = by_zom(method, kind, image, place) if library == "zom" else by_ome_zarr(method, image, place)
        before = peak(reset=True)
        wall, work = time.perf_counter(), time.process_time()
        act()
        figures = {
            "seconds": time.perf_counter() - wall,
            "cpu": time.process_time() - work,
            "grown": peak() - before,
        }
        print(json.dumps(figures))


def measured(contestant: str, mebibytes: int) -> dict[str, float]:
    command = [sys.executable, "-W", "ignore", __file__, "--one", *CONTESTANTS[contestant], str(mebibytes)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{contestant}: {done.stderr.strip().splitlines()[-1]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main(mebibytes: int, rounds: int) -> int:
    from zom.engine.workers import processors

    taken: dict[str, list[dict[str, float]]] = {name: [] for name in CONTESTANTS}
    for _ in range(rounds):
        for name, found in taken.items():
            found.append(measured(name, mebibytes))
    middle = {
        name: {figure: statistics.median(each[figure] for each in found) for figure in found[0]}
        for name, found in taken.items()
    }
    print(f"A pyramid of {mebibytes} MiB, {LEVELS} levels, medians of {rounds} rounds\n")
    print(
        "| | s | s of the processors | MiB grown | ÷ ome-zarr-py | target |\n| --- | --- | --- | --- | --- | --- |"
    )
    missed: list[str] = []
    for name, found in middle.items():
        peer = PAIRS.get(name)
        ratio = None if peer is None else found["seconds"] / middle[peer]["seconds"]
        shown = ("", "") if ratio is None else (f"{ratio:.2f}", "< 1")
        figures = f"{found['seconds']:.2f} | {found['cpu']:.2f} | {found['grown']:.0f}"
        print(f"| {name} | {figures} | {shown[0]} | {shown[1]} |")
        if ratio is not None and ratio >= 1:
            missed.append(f"{name} took {ratio:.2f} times as long as {peer}")
    # What each thread holds, with the elements made of it, and what numpy and the codecs keep beside.
    most = processors() * 2 * MEMORY / (1 << 20) + 48
    missed += [
        f"{name} grew by {middle[name]['grown']:.0f} MiB, more than {most:.0f}"
        for name in ("zom, mean, numpy", "zom, mode, numpy", "zom, mean, of level 0 alone")
        if middle[name]["grown"] > most
    ]
    for line in missed:
        print(f"MISSED: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[:1] == ["--one"]:
        contend(arguments[1], arguments[2], arguments[3], int(arguments[4]))
    else:
        numbers = [int(each) for each in arguments]
        sys.exit(main(*(numbers or [1024]), *([3] if len(numbers) < 2 else [])))
