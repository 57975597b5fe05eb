"""How much memory reading, copying and checking take, beside peers: the peak beyond the result, in chunks.

    python benchmarks/memory.py [--side 4096] [--only WORD]

Each case runs in a process of its own, on local disk: it touches one chunk, so that libraries are loaded, and
tells the most that the process had afterwards, less what it had before and the result. Chunks have 4 MiB; a shard is
a chunk. zom may take 4 chunks for each thread, and what its interpreter takes meanwhile (8 MiB). Copies into other
chunks may take a region of 16 MiB and two chunks, where that is more. Ends with 1 where zom takes more. Needs Linux.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import zom
from zom import v3

if TYPE_CHECKING:
    from collections.abc import Callable

MIB = 1 << 20
CHUNK = 1024
INNER = 64
NBYTES = CHUNK * CHUNK * 4
ALLOWANCE = 8 * MIB
REGION = 16 * MIB
CHUNKS_A_THREAD = 4
CODECS = ("none", "zstd", "blosc", "gzip")
LIBRARIES = ("zom", "tensorstore", "zarrs", "zarr")


def specs(side: int) -> dict[str, Any]:
    """The arrays that are read and copied, by name."""
    made: dict[str, Any] = {}
    for codec in CODECS:
        compress = None if codec == "none" else f"{codec}:1" if codec in {"zstd", "gzip"} else codec
        given: dict[str, Any] = {"shape": (side, side), "dtype": "int32", "compress": compress}
        made[f"chunks {codec}"] = v3.ArraySpec.build(chunks=(CHUNK, CHUNK), **given)
        if codec in {"none", "zstd"}:
            made[f"shards {codec}"] = v3.ArraySpec.build(
                chunks=(INNER, INNER), shards=(CHUNK, CHUNK), **given
            )
    return made


def status(name: str) -> int:
    """A figure of this process in bytes: `VmHWM`, the peak, or `VmRSS`, what it has now."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) << 10
    raise LookupError(name)


def beyond(act: Callable[[], Any]) -> tuple[int, Any]:
    """The most memory that `act` takes, and what it returns."""
    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    result = act()
    return status("VmHWM") - before, result


# --- opening by each library ----------------------------------------------------------------------------


def opened(library: str, path: str, threads: int) -> Callable[[Any], Any]:
    """What reads a selection of the array at `path`."""
    if library == "zom":
        array = zom.open_array(path).with_options(threads=threads)
        return lambda key: array[key]
    if library == "tensorstore":
        import tensorstore as ts

        limits = {"data_copy_concurrency": {"limit": threads}, "file_io_concurrency": {"limit": threads}}
        store = {"driver": "file", "path": path}
        found = ts.open({"driver": "zarr3", "kvstore": store, "context": limits}, open=True).result()
        return lambda key: found[key].read().result()
    import zarr

    if library == "zarrs":
        import zarrs  # noqa: F401 - registers its pipeline

        pipeline = {"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "threading.max_workers": threads}
        zarr.config.set(pipeline)
    else:
        zarr.config.set({"threading.max_workers": threads, "async.concurrency": threads})
    other = zarr.open_array(path, mode="r")
    return lambda key: other[key]


CUT = np.s_[8:4000, 8:4000]
ACTS: dict[str, Any] = {
    "read": np.s_[:, :],
    "cut": CUT,
    "plane": np.s_[:, 100:101],
    "strided": np.s_[::4, ::4],
}


def measured(library: str, act: str, path: str, threads: int) -> int:
    """The bytes that an act took beyond its result."""
    read = opened(library, path, threads)
    if act in ACTS:
        read(np.s_[:8, :8])
        read(np.s_[:CHUNK, :CHUNK])
        taken, result = beyond(lambda: read(ACTS[act]))
        return taken - int(result.nbytes)
    target = f"{path}-{act}-{library}-{threads}"
    if act == "check data":
        zom.check(path)
        return beyond(lambda: zom.check(path, data="all"))[0]
    if act == "migrate":
        return beyond(lambda: zom.migrate(path, "v2", target=target))[0]
    spec = None
    if act == "rechunk":
        document = zom.read(path)
        spec = v3.ArraySpec.build(shape=document.shape, dtype="int32", chunks=(300, 700), compress="zstd:1")
    if library == "zarr":
        return beyond(lambda: copied_by_zarr(path, target, spec))[0]
    return beyond(lambda: zom.copy(path, target, spec, jobs=threads))[0]


def copied_by_zarr(path: str, target: str, spec: Any) -> None:
    """Chunk by chunk of the target, as its users do."""
    import zarr

    zom.create_array(target, zom.read(path) if spec is None else spec)
    old, new = zarr.open_array(path, mode="r"), zarr.open_array(target, mode="r+")
    high, wide = new.chunks
    for row in range(0, old.shape[0], high):
        for column in range(0, old.shape[1], wide):
            new[row : row + high, column : column + wide] = old[row : row + high, column : column + wide]


# --- the run --------------------------------------------------------------------------------------------


def limit(act: str, threads: int) -> int:
    """What zom may take."""
    if act in {"check data", "migrate"}:
        threads = len(os.sched_getaffinity(0))
    chunks = CHUNKS_A_THREAD * NBYTES
    return threads * (max(chunks, REGION + 2 * NBYTES) if act == "rechunk" else chunks) + ALLOWANCE


def apart(library: str, act: str, path: str, threads: int) -> int | None:
    """As `measured`, in a process of its own; None where the library can't."""
    given = json.dumps([library, act, path, threads])
    command = [sys.executable, __file__, "--one", given]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        if library == "zom":
            print(done.stderr, file=sys.stderr)
            raise SystemExit(2)
        return None
    return int(done.stdout)


def cases(folder: str, side: int) -> list[tuple[str, str, int, tuple[str, ...]]]:
    """Act, array, threads and who takes part."""
    found: list[tuple[str, str, int, tuple[str, ...]]] = []
    rng = np.random.default_rng(0)
    data = rng.integers(0, 1000, (side, side), "i4")
    for name, spec in specs(side).items():
        path = str(Path(folder) / name.replace(" ", "-"))
        zom.create_array(path, spec)[...] = data
        for threads in (1, 2):
            whole = ("read", "cut") if "chunks" in name else ("read", "cut", "plane", "strided")
            found += [(act, path, threads, LIBRARIES) for act in whole]
            found += [(act, path, threads, ("zom",)) for act in ("check data",) if threads == 1]
            if name in {"chunks none", "chunks zstd", "shards zstd"}:
                found.append(("copy", path, threads, ("zom", "zarr")))
                found.append(("rechunk", path, threads, ("zom", "zarr")))
        if name == "chunks zstd":
            found.append(("migrate", path, 1, ("zom",)))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--side", type=int, default=4096)
    parser.add_argument("--only", default="", help="cells whose names hold this")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(measured(*json.loads(given.one)))
        return 0
    missed: list[str] = []
    print(f"an array of {given.side * given.side * 4 >> 20} MiB; MiB beyond the result\n")
    print("| cell | threads | " + " | ".join(LIBRARIES) + " | zom may take |")
    print("| --- " * (len(LIBRARIES) + 3) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for act, path, threads, libraries in cases(folder, given.side):
            cell = f"{act} {Path(path).name.replace('-', ' ')}"
            if given.only not in cell:
                continue
            taken = {name: apart(name, act, path, threads) for name in libraries}
            row = [taken.get(name) for name in LIBRARIES]
            shown = " | ".join("-" if each is None else f"{max(each, 0) / MIB:.1f}" for each in row)
            most = limit(act, threads)
            print(f"| {cell} | {threads} | {shown} | {most / MIB:.0f} |", flush=True)
            if (taken["zom"] or 0) > most:
                missed.append(f"missed: {cell}, {threads} threads: more than {most / MIB:.0f} MiB")
    print("\n" + "\n".join(missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
