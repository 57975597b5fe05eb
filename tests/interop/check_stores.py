"""Stores that other software wrote, checked whole by zom: sound ones have no findings, damaged ones have.

    python tests/interop/check_stores.py

In an environment with zom, zarr-python 3, tensorstore and xarray; what is missing is named on a line that
begins with SKIP. Stores of zarr-python 2 are written by the Python that ZARR2_PYTHON names. Each store is
checked with every chunk decoded, by path and as zarr-python's own store; only missing chunks may be noted.
Then one byte of one chunk is taken away, and a file put beside: both must be found. Ends with 1 where
anything differed.
"""

# ruff: noqa: T201, BLE001 - it tells what it does, and goes on
from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from outcomes import check, counts, skip

import zom

if TYPE_CHECKING:
    from collections.abc import Callable

WRITE_2 = """
import sys, warnings
warnings.simplefilter("ignore")
import numpy as np, numcodecs, zarr
folder, separator, consolidated = sys.argv[1], sys.argv[2], sys.argv[3] == "yes"
store = zarr.DirectoryStore(folder, dimension_separator=separator)
root = zarr.open_group(store=store, mode="w")
root.attrs["title"] = "a"
a = root.create_group("a")
compressors = [None, numcodecs.Zlib(1), numcodecs.Blosc(), numcodecs.Zstd(1), numcodecs.LZ4(), numcodecs.BZ2()]
for number, compressor in enumerate(compressors):
    for kind in ("f8", "<i2", ">u4", "S3", "M8[s]"):
        data = np.arange(35).reshape(5, 7).astype(kind) if kind[0] != "S" else np.full((5, 7), b"abc", "S3")
        a.create_dataset(f"x{number}{kind[-2:]}", data=data, chunks=(2, 3), compressor=compressor,
                         order="F" if number % 2 else "C")
a.create_dataset("filtered", data=np.arange(20, dtype="i4"), chunks=6, filters=[numcodecs.Delta("i4")])
a.create_dataset("summed", data=np.arange(20, dtype="i4"), chunks=6, filters=[numcodecs.Fletcher32()])
a.create_dataset("text", data=np.array(["a", "bb", ""], object), object_codec=numcodecs.VLenUTF8(), chunks=2)
a.create_dataset("sparse", shape=(100,), chunks=(10,), dtype="i8", fill_value=7)[15] = 1
root.create_dataset("scalar", shape=(), dtype="u1")[...] = 3
root.create_dataset("none", shape=(0, 4), dtype="u1", chunks=(1, 1))
root.create_dataset("struct", data=np.zeros(5, [("a", "i4"), ("b", "f8")]), chunks=2)
if consolidated:
    zarr.consolidate_metadata(store)
"""


# --- what others write ------------------------------------------------------------------------------------


def write_zarr_2(folder: Path, separator: str, consolidated: str) -> None:
    python = os.environ["ZARR2_PYTHON"]
    subprocess.run([python, "-c", WRITE_2, str(folder), separator, consolidated], check=True)


def write_zarr_3(folder: Path, zarr_format: int, *, consolidated: bool) -> None:
    import zarr

    root = zarr.open_group(str(folder), mode="w", zarr_format=zarr_format, attributes={"title": "a"})
    inner = root.create_group("a")
    for kind in ("float64", "int16", "bool", "complex64", "datetime64[s]"):
        name = kind.partition("[")[0]
        data = np.arange(35).reshape(5, 7).astype(kind)
        inner.create_array(f"{name}-auto", data=data, chunks=(2, 3))
        inner.create_array(f"{name}-raw", data=data, chunks=(2, 3), compressors=None, order="F")
    sparse = inner.create_array("sparse", shape=(100,), chunks=(10,), dtype="int64", fill_value=7)
    sparse[15] = 1
    root.create_array("scalar", shape=(), dtype="uint8")[...] = 3
    root.create_array("none", shape=(0, 4), chunks=(1, 1), dtype="uint8")
    root.create_array("text", data=np.array(["a", "bb", ""], dtype=np.dtypes.StringDType()), chunks=(2,))
    if zarr_format == 3:
        _write_v3_only(inner)
    if consolidated:
        zarr.consolidate_metadata(str(folder), zarr_format=zarr_format)


def _write_v3_only(group: object) -> None:
    from zarr.codecs import BloscCodec, Crc32cCodec, GzipCodec, ShardingCodec, ZstdCodec

    data = np.arange(240, dtype="float32").reshape(12, 20)
    make = group.create_array  # type: ignore[attr-defined]
    for number, codec in enumerate([GzipCodec(), BloscCodec(), ZstdCodec(checksum=True), Crc32cCodec()]):
        make(f"codec{number}", data=data, chunks=(5, 6), compressors=codec)
        make(f"shard{number}", data=data, chunks=(2, 4), shards=(6, 8), compressors=codec)
    make("v2keys", data=data, chunks=(5, 6), chunk_key_encoding={"name": "v2", "separator": "."})
    first = ShardingCodec(chunk_shape=(2, 4), index_location="start")
    make("start", data=data, chunks=(6, 8), serializer=first, compressors=None, filters=None)
    partial = make("partial", shape=(12, 20), chunks=(2, 4), shards=(6, 8), dtype="int32", fill_value=0)
    partial[3, 3] = 1
    partial[7:9, :5] = 2


def write_xarray(folder: Path, zarr_format: int, *, consolidated: bool) -> None:
    import xarray as xr

    times = np.array("2020-01-01", "M8[ns]") + np.arange(8) * np.timedelta64(1, "D")
    data = xr.Dataset(
        {
            "t": (("time", "x"), np.arange(40.0).reshape(8, 5)),
            "n": (("x",), np.arange(5)),
            "name": (("x",), np.array(list("abcde"), "U2")),
        },
        coords={"time": times, "x": np.linspace(0, 1, 5)},
        attrs={"title": "a"},
    )
    encoding = {"t": {"chunks": (3, 2)}}
    data.to_zarr(folder, zarr_format=zarr_format, consolidated=consolidated, encoding=encoding)
    data.to_zarr(folder, mode="a", append_dim="time", consolidated=consolidated)


def write_tensorstore(folder: Path, driver: str) -> None:
    import tensorstore as ts

    root = {"zarr": (".zgroup", b'{"zarr_format": 2}')}
    name, text = root.get(driver, ("zarr.json", b'{"zarr_format": 3, "node_type": "group"}'))
    folder.mkdir(parents=True)
    (folder / name).write_bytes(text)
    v3 = driver == "zarr3"
    sharding = {
        "name": "sharding_indexed",
        "configuration": {
            "chunk_shape": [2, 4],
            "codecs": [{"name": "bytes", "configuration": {"endian": "big"}}, {"name": "gzip"}],
            "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
        },
    }
    grid = {"name": "regular", "configuration": {"chunk_shape": [6, 8]}}
    metadata = (
        [{"shape": [12, 20], "data_type": "float32", "chunk_grid": grid, "codecs": codecs}
         for codecs in ([{"name": "bytes"}], [{"name": "blosc"}], [{"name": "transpose", "configuration": {"order": [1, 0]}}, {"name": "zstd"}], [sharding])]
        if v3
        else [{"shape": [12, 20], "dtype": "<f4", "chunks": [6, 8], "compressor": compressor, "order": order}
              for compressor, order in ((None, "C"), ({"id": "zlib", "level": 1}, "F"), ({"id": "blosc"}, "C"), ({"id": "zstd", "level": 1}, "C"))]
    )  # fmt: skip
    for number, document in enumerate(metadata):
        spec = {
            "driver": driver,
            "kvstore": f"file://{folder}/x{number}/",
            "metadata": document,
            "create": True,
        }
        array = ts.open(spec).result()
        array[...] = np.arange(240, dtype="f4").reshape(12, 20)
        array[3, 3] = 7
    part = {**metadata[0], "shape": [1200, 2000]}
    spec = {"driver": driver, "kvstore": f"file://{folder}/part/", "metadata": part, "create": True}
    ts.open(spec).result()[700:710, 3:9] = 1


# --- what zom finds -----------------------------------------------------------------------------------------


def expect_sound(folder: Path) -> None:
    for data in ("none", "keys", "index", "all"):
        found = zom.validate(folder, conventions=(), data=data).problems
        problems = [each for each in found if each.severity != "note" and each.code != "chunk/missing"]
        if problems:
            raise AssertionError(
                f"data={data!r}: " + "\n".join(f"{each.code} {each}" for each in problems[:5])
            )


def expect_as_counted(folder: Path) -> None:
    """zarr-python counts the chunks that are there, too."""
    import zarr

    group = zarr.open_group(str(folder), mode="r")
    for name, array in group.members(max_depth=None):
        if not isinstance(array, zarr.Array):
            continue
        stored = zom.open_array(folder, name).stored()
        counted = array._nshards_initialized if array.shards else array.nchunks_initialized
        if stored.count != counted:
            raise AssertionError(f"{name}: {counted} chunks by zarr-python, {stored}")


def expect_damage_found(folder: Path) -> None:
    chunk = next(
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not path.name.startswith(".z")
        and path.name != "zarr.json"
        and path.stat().st_size > 3
    )
    chunk.write_bytes(chunk.read_bytes()[:-1])
    (folder / "photo.jpg").write_bytes(b"")
    problems = zom.validate(folder, conventions=(), data="all").problems
    keys = {each.key for each in problems if each.severity == "error"}
    if keys != {str(chunk.relative_to(folder))}:
        raise AssertionError(f"expected {chunk.relative_to(folder)}, found {keys}")
    if [each.key for each in problems if each.code == "store/foreign-key"] != ["photo.jpg"]:
        raise AssertionError("photo.jpg was not found")


def judge(what: str, write: Callable[[Path], None], folder: Path) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            write(folder)
    except Exception as error:
        skip(what, f"can't be written: {type(error).__name__}: {str(error)[:300]}")
        return
    check(f"{what}: sound", lambda: expect_sound(folder))
    if importlib.util.find_spec("zarr"):
        check(f"{what}: counted", lambda: expect_as_counted(folder))
    check(f"{what}: damaged", lambda: expect_damage_found(folder))


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        if os.environ.get("ZARR2_PYTHON"):
            for number, (separator, consolidated) in enumerate([(".", "no"), ("/", "yes")]):
                judge(
                    f"zarr-python 2, separator {separator}, consolidated {consolidated}",
                    lambda folder, a=separator, b=consolidated: write_zarr_2(folder, a, b),
                    base / f"two{number}",
                )
        else:
            skip("zarr-python 2", "ZARR2_PYTHON names no Python")
        for version in (2, 3):
            for consolidated in (False, True):
                told = f"v{version}, consolidated {consolidated}"
                judge(
                    f"zarr-python 3, {told}",
                    lambda folder, a=version, b=consolidated: write_zarr_3(folder, a, consolidated=b),
                    base / f"three{version}{consolidated}",
                )
                judge(
                    f"xarray, {told}",
                    lambda folder, a=version, b=consolidated: write_xarray(folder, a, consolidated=b),
                    base / f"x{version}{consolidated}",
                )
        for driver in ("zarr", "zarr3"):
            judge(
                f"tensorstore, {driver}",
                lambda folder, a=driver: write_tensorstore(folder, a),
                base / f"ts{driver}",
            )
    print(", ".join(f"{count} {word}" for word, count in sorted(counts.items())))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
