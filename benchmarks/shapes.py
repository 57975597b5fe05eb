"""Shapes as people have them - a climate, an image, a series, shards - beside zom's peers, all in one run.

    python benchmarks/shapes.py [ROUNDS] [CELL ...]

Like chunks.py, with other arrays: here chunks have the shapes and the codecs that climate and microscopy data have,
and are read in maps, planes, crops and series. CELL selects cells whose name contains it. Ends with 1 where a
target is missed.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tensorstore
import zarr
import zarrista
from chunks import CODECS, RIVALS, mean
from turns import rotated, touch

import zom
from zom import v2, v3

WORST = {"read": 1.4, "write": 1.5}
MEAN = {"read": 0.9, "write": 1.0}
TIMES_ZARR = {"read": 4.0, "write": 3.0}

Key = tuple[Any, ...]


class Cell(NamedTuple):
    name: str
    spec: Any
    data: np.ndarray
    key: Key
    """What is read or written."""
    act: str


def v3_spec(
    data: np.ndarray, chunks: tuple[int, ...], codec: str, shards: tuple[int, ...] | None = None
) -> Any:
    plain = {"name": "bytes", "configuration": {"endian": "little"}}
    codecs = [
        {**each, "configuration": {**each["configuration"], "typesize": data.itemsize}}
        if each["name"] == "blosc"
        else each
        for each in CODECS[codec]
    ]
    chain: list[Any] = [plain, *codecs]
    if shards is not None:
        configuration = {
            "chunk_shape": list(chunks),
            "codecs": chain,
            "index_codecs": [plain, {"name": "crc32c"}],
            "index_location": "end",
        }
        chain = [{"name": "sharding_indexed", "configuration": configuration}]
    return v3.ArraySpec.parse(
        {
            "zarr_format": 3,
            "node_type": "array",
            "shape": list(data.shape),
            "data_type": str(data.dtype),
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(shards or chunks)}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": 0,
            "codecs": chain,
        }
    )


def v2_spec(data: np.ndarray, chunks: tuple[int, ...], compressor: Any, filters: Any = None) -> Any:
    return v2.ArraySpec.parse(
        {
            "zarr_format": 2,
            "shape": list(data.shape),
            "chunks": list(chunks),
            "dtype": data.dtype.str,
            "compressor": compressor,
            "fill_value": "" if data.dtype.kind == "U" else 0,
            "order": "C",
            "filters": filters,
        }
    )


def maps(days: int) -> np.ndarray:
    """Temperatures of a globe, a map a day."""
    rng = np.random.default_rng(3)
    lat, lon = np.linspace(-90, 90, 181), np.linspace(0, 359, 360)
    mean_map = 250 + 50 * np.cos(np.radians(lat))[:, None] + 3 * np.sin(np.radians(lon))[None]
    season = 10 * np.sin(np.arange(days) / 58)[:, None, None]
    return (mean_map[None] + season + rng.normal(0, 1, (days, 181, 360))).astype("f4")


def image() -> np.ndarray:
    """A stack of two channels, as a microscope gives it."""
    rng = np.random.default_rng(4)
    y, x = np.mgrid[:1024, :1024]
    planes = 400 + 300 * np.sin(x / 37) * np.sin(y / 41)
    return np.stack([rng.poisson(np.clip(planes + 5 * z, 1, None)) for z in range(16)]).astype("u2")[None]


def movie() -> np.ndarray:
    """A stack in two channels over time, in dimensions t, c, z, y, x."""
    rng = np.random.default_rng(6)
    y, x = np.mgrid[:512, :512]
    planes = 300 + 200 * np.sin(x / 29) * np.cos(y / 31)
    frames = [rng.poisson(np.clip(planes + 40 * number, 1, None)) for number in range(24)]
    return np.stack(frames).astype("u2").reshape(3, 2, 4, 512, 512)


def names() -> np.ndarray:
    """Names of genes, as a table of cells has them."""
    rng = np.random.default_rng(7)
    return np.array([f"ENSG{number:011d}" for number in rng.integers(0, 60_000, 200_000)])


def cells() -> list[Cell]:
    climate, stack = maps(365), image()  # in C order, as zarrista asks for
    series = np.cumsum(np.random.default_rng(5).normal(size=4_000_000)).astype("f8")
    square = climate.reshape(-1)[: 2048 * 2048].reshape(2048, 2048)
    everything: Key = (...,)
    found: list[Cell] = []

    def add(name: str, spec: Any, data: np.ndarray, **keys: Key) -> None:
        found.append(Cell(f"{name} write", spec, data, everything, "write"))
        found.append(Cell(f"{name} read", spec, data, everything, "read"))
        found.extend(Cell(f"{name} {act}", spec, data, key, "read") for act, key in keys.items())

    point = (slice(None), 90, 180)
    add("maps blosc", v3_spec(climate, (1, 181, 360), "blosc"), climate, series=point)
    add("maps zstd", v3_spec(climate, (1, 181, 360), "zstd"), climate, series=point)
    add("blocks zstd", v3_spec(climate, (73, 61, 60), "zstd"), climate, series=point, map=(180,))
    blosc = {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}
    add("v2 maps blosc", v2_spec(climate, (1, 181, 360), blosc), climate, series=point)
    zlib = {"id": "zlib", "level": 1}
    add("v2 blocks zlib", v2_spec(climate, (73, 61, 60), zlib), climate, map=(180,))
    plane, crop = (0, 8), (0, 8, slice(300, 700), slice(300, 700))
    add("planes blosc", v3_spec(stack, (1, 1, 256, 256), "blosc"), stack, plane=plane, crop=crop)
    add("planes zstd", v3_spec(stack, (1, 1, 1024, 1024), "zstd"), stack, plane=plane, crop=crop)
    sharded = v3_spec(stack, (1, 4, 128, 128), "zstd", (1, 16, 512, 512))
    add("shards of image zstd", sharded, stack, plane=plane, crop=crop)
    single = v3_spec(stack, (1, 4, 128, 128), "zstd", stack.shape)
    add("one shard zstd", single, stack, plane=plane, crop=crop)
    cut = (slice(700, 1300), slice(500, 1500))
    small = v3_spec(square, (32, 64), "blosc", (512, 512))
    add("shards 8K in 1M blosc", small, square, cut=cut, row=(1000,))
    large = v3_spec(climate[:64], (8, 181, 360), "none", (64, 181, 360))
    add("shards 2M in 16M none", large, climate[:64], map=(40,), series=point)
    add("series zstd", v3_spec(series, (100_000,), "zstd"), series, window=(slice(1_000_000, 1_500_000),))
    area = np.ascontiguousarray(climate[:, :128, :256])
    days = v3_spec(area, (1, 32, 32), "blosc", (1, 128, 256))
    add("shards of days blosc", days, area, series=(slice(None), 60, 100), map=(180,))
    flat = v3_spec(square, (128, 128), "none", (1024, 1024))
    add("shards 64K in 4M none", flat, square, cut=cut, row=(1000,))
    frames = movie()
    bits = {"id": "blosc", "cname": "zstd", "clevel": 3, "shuffle": 2, "blocksize": 0}
    view: Key = (1, 0, 2)
    add("movie v2 blosc", v2_spec(frames, (1, 1, 1, 512, 512), bits), frames, frame=view)
    add("movie zstd", v3_spec(frames, (1, 1, 2, 128, 128), "zstd"), frames, frame=view)
    shuffled = [{"id": "shuffle", "elementsize": 4}]
    zlib = {"id": "zlib", "level": 1}
    add("v2 maps shuffle zlib", v2_spec(climate, (1, 181, 360), zlib, shuffled), climate, series=point)
    big = climate.astype(">f4")
    add("v2 big-endian blosc", v2_spec(big, (73, 61, 60), blosc), big, map=(180,))
    genes = names()
    add("v2 text blosc", v2_spec(genes, (10_000,), blosc), genes, window=(slice(50_000, 90_000),))
    add("series none", v3_spec(series, (250_000,), "none"), series, window=(slice(1_000_000, 1_500_000),))
    return found


# --- the peers ---------------------------------------------------------------------------------------


class Zom:
    def open(self, path: str, spec: Any, *, write: bool) -> Any:  # noqa: ARG002
        return zom.open_array(path, mode="r+" if write else "r")

    def read(self, array: Any, key: Key) -> Any:
        return array[key]

    def write(self, array: Any, key: Key, data: np.ndarray) -> None:
        array[key] = data


class Zarr(Zom):
    pipeline = "zarr.core.codec_pipeline.BatchedCodecPipeline"

    def open(self, path: str, spec: Any, *, write: bool) -> Any:  # noqa: ARG002
        with zarr.config.set({"codec_pipeline.path": self.pipeline}):
            return zarr.open_array(path, mode="r+" if write else "r")

    def read(self, array: Any, key: Key) -> Any:
        with zarr.config.set({"codec_pipeline.path": self.pipeline}):
            return array[key]

    def write(self, array: Any, key: Key, data: np.ndarray) -> None:
        with zarr.config.set({"codec_pipeline.path": self.pipeline}):
            array[key] = data


class Zarrs(Zarr):
    pipeline = "zarrs.ZarrsCodecPipeline"


class Zarrista(Zom):
    def open(self, path: str, spec: Any, *, write: bool) -> Any:  # noqa: ARG002
        return zarrista.Array.open(zarrista.store.FilesystemStore(path))

    def read(self, array: Any, key: Key) -> Any:
        whole = tuple(slice(0, length) for length in array.shape)
        if key == (...,):
            key = whole
        # It takes slices only.
        cut = tuple(
            slice(one, one + 1) if isinstance(one, int) else one for one in (*key, *whole[len(key) :])
        )
        cut = tuple(whole[place] if one == slice(None) else one for place, one in enumerate(cut))
        return array.retrieve_array_subset(cut).to_numpy()

    def write(self, array: Any, key: Key, data: np.ndarray) -> None:  # noqa: ARG002 - always all of it
        array.store_array_subset(tuple(slice(0, length) for length in array.shape), data)


class TensorStore(Zom):
    def open(self, path: str, spec: Any, *, write: bool) -> Any:
        driver = "zarr" if spec.zarr_format == 2 else "zarr3"
        made = {"driver": driver, "kvstore": {"driver": "file", "path": path}}
        context = tensorstore.Context({"file_io_sync": False})
        return tensorstore.open(made, context=context, read=True, write=write).result()

    def read(self, array: Any, key: Key) -> Any:
        return array[key].read().result()

    def write(self, array: Any, key: Key, data: np.ndarray) -> None:
        array[key].write(data).result()


PEERS: dict[str, Zom] = {
    "zom": Zom(),
    "tensorstore": TensorStore(),
    "zarrs": Zarrs(),
    "zarrista": Zarrista(),
    "zarr": Zarr(),
}


def new_array(folder: Path, spec: Any) -> str:
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / (".zarray" if spec.zarr_format == 2 else "zarr.json")).write_text(spec.to_json())
    return str(folder)


def measure(cell: Cell, folder: Path, rounds: int) -> dict[str, float]:
    """The median seconds of each peer that can do it; what it read is compared."""
    source = new_array(folder / "source", cell.spec)
    zom.open_array(source, mode="r+")[...] = cell.data
    expected = cell.data[cell.key]
    taken: dict[str, list[float]] = {}
    for turn in range(rounds + 1):
        for name, peer in rotated(PEERS.items(), turn):
            writes = cell.act == "write"
            path = new_array(folder / name, cell.spec) if writes else source
            try:
                array = peer.open(path, cell.spec, write=writes)
                touch(2 * cell.data.nbytes)
                start = time.perf_counter()
                result = peer.write(array, cell.key, cell.data) if writes else peer.read(array, cell.key)
                seconds = time.perf_counter() - start
            except Exception:
                if name == "zom":
                    raise
                continue  # a peer that can't do it has no figure
            if turn:
                taken.setdefault(name, []).append(seconds)
                continue
            found = zom.open_array(path)[cell.key] if writes else result
            if not np.array_equal(np.asarray(found).reshape(expected.shape), expected):
                raise AssertionError(f"{cell.name}: {name} gives other values")
    return {name: statistics.median(times) for name, times in taken.items()}


def summed_up(act: str, ratios: list[float], means: dict[str, float]) -> list[str]:
    """Print the means of an act; what is missed."""
    print(f"\n{act}: geometric mean {mean(ratios):.2f} (target {MEAN[act]}), worst {max(ratios):.2f}")
    others = ", ".join(f"{name} {times:.2f}" for name, times in means.items())
    print(f"as many times as long take, in the mean: {others}")
    missed: list[str] = []
    if mean(ratios) > MEAN[act]:
        missed.append(f"{act}: geometric mean {mean(ratios):.2f}, more than {MEAN[act]}")
    if means["zarr"] < TIMES_ZARR[act]:
        missed.append(f"{act}: {means['zarr']:.1f} times as fast as zarr-python, less than {TIMES_ZARR[act]}")
    return missed


def main(rounds: int, wanted: list[str]) -> int:
    chosen = [cell for cell in cells() if not wanted or any(part in cell.name for part in wanted)]
    others = list(PEERS)[1:]
    print(f"{rounds} rounds; milliseconds of zom, and the others' time as a multiple of it\n")
    print("| cell | zom ms | " + " | ".join(others) + " | zom / faster |")
    print("| --- " * (len(PEERS) + 2) + "|")
    ratios: dict[str, list[float]] = {"read": [], "write": []}
    beside: dict[str, dict[str, list[float]]] = {"read": {}, "write": {}}
    missed: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for cell in chosen:
            times = measure(cell, Path(folder), rounds)
            rivals = [times[name] for name in RIVALS if name in times]
            shown = [f"{times[name] / times['zom']:.2f}" if name in times else "-" for name in others]
            ratio = times["zom"] / min(rivals) if rivals else None
            last = "-" if ratio is None else f"{ratio:.2f}"
            print(f"| {cell.name} | {times['zom'] * 1e3:.2f} | {' | '.join(shown)} | {last} |", flush=True)
            if ratio is not None:
                ratios[cell.act].append(ratio)
                if ratio > WORST[cell.act]:
                    missed.append(f"{cell.name}: {ratio:.2f} of the faster of {' and '.join(RIVALS)}")
            for name in others:
                if name in times:
                    beside[cell.act].setdefault(name, []).append(times[name] / times["zom"])
    for act, found in ratios.items():
        if found:
            missed += summed_up(act, found, {name: mean(times) for name, times in beside[act].items()})
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 5
    sys.exit(main(number, [part for part in sys.argv[1:] if not part.isdigit()]))
