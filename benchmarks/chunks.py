"""How fast chunks are read and written, beside zom's peers, all in one run.

    python benchmarks/chunks.py [ROUNDS] [CELL ...]

A cell is a codec, a chunk size and a direction; the peers take turns in every round, so that a busy
machine slows all of them alike, and the figures are medians over the rounds. All read the same files, on
a local disk, from the page cache; each writes a new array of its own. "files alone" is a loop of Python that
writes the same files aside and renames them, one after the other, without encoding anything. What counts is the time of zom as a
ratio of the faster of tensorstore and zarrs. CELL selects cells whose name contains it. Ends with 1 where
a target is missed.
"""

from __future__ import annotations

import math
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import simplezarr
import tensorstore
import zarr
import zarrista
from turns import rotated, touch

import zom
from zom import v3

if TYPE_CHECKING:
    from collections.abc import Callable

SHAPE = (2048, 2048)
CODECS: dict[str, list[dict[str, Any]]] = {
    "none": [],
    "zstd": [{"name": "zstd", "configuration": {"level": 1, "checksum": False}}],
    "blosc": [
        {
            "name": "blosc",
            "configuration": {
                "cname": "lz4",
                "clevel": 5,
                "shuffle": "shuffle",
                "typesize": 4,
                "blocksize": 0,
            },
        }
    ],
    "gzip": [{"name": "gzip", "configuration": {"level": 5}}],
}
FLOAT_CHUNKS = {"1M square": (512, 512), "1M rows": (128, 2048), "64K": (128, 128), "4K": (32, 32)}
INT_CHUNKS = {"1M square": (512, 1024), "1M rows": (256, 2048), "64K": (128, 256), "4K": (32, 64)}
SHARDED = {"64K in 4M": ((1024, 1024), (128, 128)), "4K in 4M": ((1024, 1024), (32, 32))}


class Cell(NamedTuple):
    name: str
    spec: Any
    data: np.ndarray
    act: str


def field(dtype: str) -> np.ndarray:
    """A smooth field with noise, as measurements have it."""
    rng = np.random.default_rng(1)
    y, x = np.meshgrid(*(np.linspace(0, 9, length) for length in SHAPE), indexing="ij")
    values = 280 + 20 * np.sin(x) * np.cos(y) + rng.normal(0, 0.2, SHAPE)
    return values.astype("f4") if dtype == "float32" else (values * 100 - 28000).astype("i2")


def spec(dtype: str, chunks: tuple[int, ...], codecs: list[Any], inner: tuple[int, ...] | None = None) -> Any:
    size = np.dtype(dtype).itemsize
    codecs = [
        {**codec, "configuration": {**codec["configuration"], "typesize": size}}
        if codec["name"] == "blosc"
        else codec
        for codec in codecs
    ]
    plain = {"name": "bytes", "configuration": {"endian": "little"}}
    chain: list[Any] = [plain, *codecs]
    if inner is not None:
        index = [plain, {"name": "crc32c"}]
        configuration = {
            "chunk_shape": list(inner),
            "codecs": chain,
            "index_codecs": index,
            "index_location": "end",
        }
        chain = [{"name": "sharding_indexed", "configuration": configuration}]
    return v3.ArraySpec.parse(
        {
            "zarr_format": 3,
            "node_type": "array",
            "shape": list(SHAPE),
            "data_type": dtype,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunks)}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": 0,
            "codecs": chain,
        }
    )


def cells() -> list[Cell]:
    found: list[Cell] = []
    for dtype, chunks in (("float32", FLOAT_CHUNKS), ("int16", INT_CHUNKS)):
        data = field(dtype)
        for codec, chain in CODECS.items():
            for size, shape in chunks.items():
                made = spec(dtype, shape, chain)
                found += [Cell(f"{act} {dtype} {codec} {size}", made, data, act) for act in ("read", "write")]
    data = field("float32")
    for codec in ("none", "zstd"):
        for size, (shard, inner) in SHARDED.items():
            made = spec("float32", shard, CODECS[codec], inner)
            for act in ("read", "write", "random", "column", "strided", "vindex"):
                found.append(Cell(f"{act} shards {codec} {size}", made, data, act))
    made = spec("float32", (128, 128), CODECS["zstd"])
    found += [
        Cell(f"{act} float32 zstd 64K", made, data, act) for act in ("random", "column", "strided", "vindex")
    ]
    return found


# --- the peers: each opens an array, and acts on it ----------------------------------------------------


class Zom:
    def open(self, path: str, *, write: bool) -> Any:
        return zom.open_array(path, mode="r+" if write else "r")

    def act(self, array: Any, act: str, data: np.ndarray) -> Any:
        rows, columns = points()
        if act == "read":
            return array[...]
        if act == "write":
            array[...] = data
            return None
        if act == "random":
            return [
                array[int(row), int(column)] for row, column in zip(rows[:1000], columns[:1000], strict=True)
            ]
        if act == "column":
            return array[:, 1000]
        if act == "strided":
            return array[::16, ::16]
        return array.vindex[rows, columns]


class Zarr(Zom):
    pipeline = "zarr.core.codec_pipeline.BatchedCodecPipeline"

    def open(self, path: str, *, write: bool) -> Any:
        with zarr.config.set({"codec_pipeline.path": self.pipeline}):
            return zarr.open_array(path, mode="r+" if write else "r")

    def act(self, array: Any, act: str, data: np.ndarray) -> Any:
        with zarr.config.set({"codec_pipeline.path": self.pipeline}):
            return super().act(array, act, data)


class Zarrs(Zarr):
    pipeline = "zarrs.ZarrsCodecPipeline"


class TensorStore(Zom):
    def open(self, path: str, *, write: bool) -> Any:
        kvstore = {"driver": "file", "path": path}
        context = tensorstore.Context({"file_io_sync": False})
        made = {"driver": "zarr3", "kvstore": kvstore}
        return tensorstore.open(made, context=context, read=True, write=write).result()

    def act(self, array: Any, act: str, data: np.ndarray) -> Any:
        rows, columns = points()
        if act == "read":
            return array.read().result()
        if act == "write":
            return array.write(data).result()
        if act == "random":
            return [
                array[int(r), int(c)].read().result()
                for r, c in zip(rows[:1000], columns[:1000], strict=True)
            ]
        if act == "column":
            return array[:, 1000].read().result()
        if act == "strided":
            return array[::16, ::16].read().result()
        return array.vindex[rows, columns].read().result()


class SimpleZarr(Zom):
    def open(self, path: str, *, write: bool) -> Any:  # noqa: ARG002 - it knows one mode
        return simplezarr.open_zarr(simplezarr.LocalStore(path))

    def act(self, array: Any, act: str, data: np.ndarray) -> Any:
        rows, columns = points()
        if act == "write":
            return array[...].set_now(data)
        if act == "random":
            return [array[int(r), int(c)].get_now() for r, c in zip(rows[:1000], columns[:1000], strict=True)]
        if act == "vindex":
            raise NotImplementedError
        key = {"read": ..., "column": (slice(None), 1000), "strided": (slice(None, None, 16),) * 2}[act]
        return array[key].get_now()


class Zarrista(Zom):
    """Slices without steps, and whole arrays; one element is a slice of it."""

    def open(self, path: str, *, write: bool) -> Any:  # noqa: ARG002 - it knows one mode
        return zarrista.Array.open(zarrista.store.FilesystemStore(path))

    def act(self, array: Any, act: str, data: np.ndarray) -> Any:
        rows, columns = points()
        if act == "write":
            return array.store_array_subset(tuple(slice(0, length) for length in SHAPE), data)
        if act == "random":
            return [
                array.retrieve_array_subset((slice(int(r), int(r) + 1), slice(int(c), int(c) + 1))).to_numpy()
                for r, c in zip(rows[:1000], columns[:1000], strict=True)
            ]
        if act not in {"read", "column"}:
            raise NotImplementedError
        columns_of = slice(0, SHAPE[1]) if act == "read" else slice(1000, 1001)
        return array.retrieve_array_subset((slice(0, SHAPE[0]), columns_of)).to_numpy()


PEERS: dict[str, Zom] = {
    "zom": Zom(),
    "tensorstore": TensorStore(),
    "zarrs": Zarrs(),
    "zarrista": Zarrista(),
    "zarr": Zarr(),
    "simplezarr": SimpleZarr(),
}
RIVALS = ("tensorstore", "zarrs")


def points() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    return rng.integers(0, SHAPE[0], 10_000), rng.integers(0, SHAPE[1], 10_000)


def new_array(folder: Path, made: Any) -> str:
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / "zarr.json").write_text(made.to_json())
    return str(folder)


def timed(act: Callable[[], Any]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def measure(cell: Cell, folder: Path, rounds: int) -> dict[str, float]:
    """The median seconds of each peer that can do it."""
    source = new_array(folder / "source", cell.spec)
    zom.open_array(source, mode="r+")[...] = cell.data
    taken: dict[str, list[float]] = {}
    for turn in range(rounds + 1):
        for name, peer in rotated(PEERS.items(), turn):
            writes = cell.act == "write"
            path = new_array(folder / name, cell.spec) if writes else source
            try:
                array = peer.open(path, write=writes)
                touch(2 * cell.data.nbytes)
                seconds = timed(lambda p=peer, a=array: p.act(a, cell.act, cell.data))
            except (NotImplementedError, ValueError, TypeError, KeyError):
                continue
            if turn:
                taken.setdefault(name, []).append(seconds)
    found = {name: statistics.median(times) for name, times in taken.items()}
    if cell.act == "write":
        found["floor"] = floor_of(folder / "source", folder, rounds)
    return found


def floor_of(source: Path, folder: Path, rounds: int) -> float:
    """Seconds to write the files of `source` anew by the plainest loop that is safe: written aside, and renamed."""
    values = {
        str(file.relative_to(source)): file.read_bytes() for file in source.rglob("*") if file.is_file()
    }
    taken: list[float] = []
    for turn in range(rounds):
        target = folder / f"floor{turn}"
        for name in values:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
        root = os.open(target, os.O_RDONLY)
        start = time.perf_counter()
        for name, value in values.items():
            aside = f"{name}.partial"
            file = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=root)
            os.write(file, value)
            os.close(file)
            os.rename(aside, name, src_dir_fd=root, dst_dir_fd=root)
        taken.append(time.perf_counter() - start)
        os.close(root)
    return statistics.median(taken)


def mean(ratios: list[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main(rounds: int, wanted: list[str]) -> int:
    chosen = [cell for cell in cells() if not wanted or any(part in cell.name for part in wanted)]
    print(f"{rounds} rounds; milliseconds of zom, and the others' time as a multiple of it\n")
    print("| cell | zom ms | " + " | ".join(list(PEERS)[1:]) + " | files alone | zom / faster |")
    print("| --- " * (len(PEERS) + 3) + "|")
    ratios: dict[str, list[float]] = {"read": [], "write": []}
    missed: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for cell in chosen:
            times = measure(cell, Path(folder), rounds)
            ratio = times["zom"] / min(times[name] for name in RIVALS if name in times)
            kind = "write" if cell.act == "write" else "read"
            ratios[kind].append(ratio)
            others = [
                f"{times[name] / times['zom']:.2f}" if name in times else "-"
                for name in [*list(PEERS)[1:], "floor"]
            ]
            print(
                f"| {cell.name} | {times['zom'] * 1e3:.2f} | {' | '.join(others)} | {ratio:.2f} |", flush=True
            )
            if ratio > (1.4 if kind == "read" else 1.5):
                missed.append(f"{cell.name}: {ratio:.2f} of the faster of {' and '.join(RIVALS)}")
            if cell.name.endswith(("64K", "4K")) and times["zarr"] < 5 * times["zom"]:
                missed.append(
                    f"{cell.name}: only {times['zarr'] / times['zom']:.1f} times as fast as zarr-python"
                )
    for kind, target in (("read", 0.9), ("write", 1.0)):
        if ratios[kind]:
            found = mean(ratios[kind])
            print(
                f"\n{kind}: geometric mean {found:.2f} of the faster peer (target {target}), worst {max(ratios[kind]):.2f}"
            )
            if found > target:
                missed.append(f"{kind}: geometric mean {found:.2f}, more than {target}")
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 7
    sys.exit(main(number, [part for part in sys.argv[1:] if not part.isdigit()]))
