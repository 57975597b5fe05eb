"""Hierarchies that zarr-python wrote, copied and migrated by zom, read back by zarr-python bit for bit.

    ZARR2_PYTHON=... python tests/interop/copy_migrate.py

In an environment with zom and zarr-python 3; the hierarchies of zarr-python 2, in v2 and in the draft of
2021, are written by the Python that ZARR2_PYTHON names, and are left out, with a line that begins with
SKIP, where it is not given. zarr-python's own migration of metadata from v2 to v3 is asked, too: wherever it
migrates an array, the documents that zom wrote must give the same elements, and the same chunks. Ends with
1 where anything differed.
"""

# ruff: noqa: T201, BLE001 - it tells what it does, and goes on
from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import zarr

import zom
from zom import v3

if TYPE_CHECKING:
    from collections.abc import Callable

warnings.simplefilter("ignore")

WRITE_2 = r"""
import os, pickle, sys, warnings
warnings.simplefilter("ignore")
os.environ["ZARR_V3_EXPERIMENTAL_API"] = "1"
import numpy as np, zarr, numcodecs as nc
folder, version, separator, consolidated = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4] == "yes"
if version == 3:
    store = zarr.DirectoryStoreV3(folder)
else:
    store = zarr.DirectoryStore(folder, dimension_separator=separator)
root = zarr.open_group(store=store, mode="w", zarr_version=version)
root.attrs["title"] = "a"
root.create_group("g").create_group("h").attrs["n"] = 1
values = {}
rng = np.random.default_rng(1)

def put(path, data, **more):
    data = np.asarray(data)
    made = root.create_dataset(path, shape=data.shape, dtype=more.pop("dtype", data.dtype), **more)
    part = more.get("part")
    made[...] = data
    values[path] = made[...]

for dtype in ("<i2", ">i2", "|u1", "<f4", ">f8", "<c8", "|b1", "<u8"):
    data = rng.integers(0, 2 if dtype == "|b1" else 100, (7, 5)).astype(dtype)
    put(f"types/{dtype[1:]}{'le' if dtype[0] == '<' else 'be'}", data, chunks=(3, 2))
grid = rng.integers(-1000, 1000, (10, 9, 4)).astype("<i4")
for name, compressor in {
    "none": None, "zlib": nc.Zlib(3), "gzip": nc.GZip(3), "zstd": nc.Zstd(3), "lz4": nc.LZ4(), "bz2": nc.BZ2(1),
    "blosc": nc.Blosc(), "blosc_bit": nc.Blosc("zstd", 5, nc.Blosc.BITSHUFFLE), "lzma": nc.LZMA(),
}.items():
    put(f"compressors/{name}", grid, chunks=(4, 4, 4), compressor=compressor)
if version == 2:
    put("g/h/orderF", grid, chunks=(4, 4, 3), order="F")
    put("filters/delta", grid, chunks=(4, 4, 4), filters=[nc.Delta("<i4")])
    put("filters/deltaF", grid, chunks=(4, 4, 3), filters=[nc.Delta("<i4")], order="F", compressor=nc.Zlib(1))
    put("filters/shuffle", grid, chunks=(4, 4, 4), filters=[nc.Shuffle(4)], compressor=nc.Zlib(1))
    put("filters/scale", rng.random((20, 3)), chunks=(6, 3), filters=[nc.FixedScaleOffset(0, 1000, "<f8", "<i4")])
    put("filters/quantize", rng.random((20, 3)), chunks=(6, 3), filters=[nc.Quantize(3, "<f8")])
    put("filters/crc", grid, chunks=(4, 4, 4), filters=[nc.CRC32()])
    put("filters/packbits", grid[:, :, 0] > 0, chunks=(4, 4), filters=[nc.PackBits()])
    put("text/object", np.array(["a", "", "\u00e4\u20ac", "x" * 300], object), chunks=(3,), object_codec=nc.VLenUTF8())
    put("text/bytes", np.array([b"a", b"", b"\xff", b"x" * 300], object), chunks=(3,), object_codec=nc.VLenBytes())
    put("text/S", np.array([b"a", b"bcd", b""]), chunks=(2,), dtype="S4")
    put("text/U", np.array(["a", "b\u00e4", ""]), chunks=(2,), dtype="<U4")
    put("text/Ube", np.array(["a", "b\u00e4", ""]), chunks=(2,), dtype=">U4")
    put("times/day", np.array(["2020-01-01", "NaT"], "<M8[D]"), chunks=(1,))
    put("times/delta", np.array([1, -5], ">m8[ns]"), chunks=(1,))
    put("records/r", np.array([(1, 2.5), (3, -1)], [("x", "<i2"), ("y", "<f8")]), chunks=(1,))
put("zero", np.array(5, "<i8"))
put("g/nan", np.array([1.0, np.nan, np.inf]), chunks=(2,), fill_value=np.nan)
sparse = root.create_dataset("g/sparse", shape=(100,), chunks=(7,), dtype="<i4", fill_value=-1)
sparse[10:12] = 3
values["g/sparse"] = sparse[...]
undefined = root.create_dataset("g/undefined", shape=(6,), chunks=(2,), dtype="<i4", fill_value=None)
undefined[...] = 4
values["g/undefined"] = undefined[...]
root["g/nan"].attrs["_ARRAY_DIMENSIONS"] = ["x"]
if consolidated:
    zarr.consolidate_metadata(store)
with open(folder + ".values", "wb") as file:
    pickle.dump(values, file)
"""

counts: Counter[str] = Counter()


def check(what: str, act: Callable[[], None]) -> None:
    try:
        act()
    except Exception as error:
        counts["FAIL"] += 1
        print(f"FAIL {what}: {type(error).__name__}: {error}"[:600])
    else:
        counts["ok"] += 1


def bits(array: Any) -> Any:
    """Elements in a form that is equal where all bits are."""
    made = np.asarray(array)
    if made.dtype.kind in "OT":
        return [
            bytes(each) if isinstance(each, (bytes, bytearray)) else each
            for each in made.reshape(-1).tolist()
        ]
    if made.dtype.kind == "U":
        return made.astype(made.dtype.newbyteorder("=")).tolist()
    native = made.astype(made.dtype.newbyteorder("="))
    return native.shape, native.dtype.itemsize, native.tobytes()


def same_in_zarr(folder: Path, values: dict[str, Any], what: str) -> None:
    """zarr-python reads from `folder` what was written."""
    for path, value in values.items():

        def compare(path: str = path, value: Any = value) -> None:
            found = zarr.open_array(str(folder), path=path, mode="r")[...]
            if bits(found) != bits(value):
                raise AssertionError(f"{np.asarray(found).reshape(-1)[:5]} and not {value.reshape(-1)[:5]}")

        check(f"{what} /{path}", compare)


def can_be_read(folder: Path, path: str) -> bool:
    """Whether zarr-python 3 reads what zarr-python 2 wrote."""
    try:
        zarr.open_array(str(folder), path=path, mode="r")
    except Exception as error:
        counts["zarr-python 3 can't read the original"] += 1
        print(f"zarr-python 3 can't read {folder.name} /{path} itself: {type(error).__name__}: {error}")
        return False
    return True


def same_in_zom(folder: Path, values: dict[str, Any], what: str) -> None:
    """zom reads the same; for what zarr-python can't read."""
    for path, value in values.items():

        def compare(path: str = path, value: Any = value) -> None:
            if bits(zom.open_array(folder, path)[...]) != bits(value):
                raise AssertionError("other elements")

        check(f"{what} /{path}", compare)


def chunks_of(folder: Path) -> dict[str, bytes]:
    names = ("zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata")
    files = (each for each in folder.rglob("*") if each.is_file() and each.name not in names)
    return {str(each.relative_to(folder)): each.read_bytes() for each in files}


def convertible(folder: Path) -> Any:
    """The spec of all nodes that can be converted to v3, and the paths of those that can't."""
    spec = zom.read(folder, on_warning=lambda _: None)
    refused: set[str] = set()
    for path, node in spec.walk():
        if node.kind == "array":
            try:
                zom.convert(node, "v3")
            except zom.ConversionError as error:
                refused.add(path)
                print(f"not convertible: {path}: {error.problems[0]}")
    return spec.map(lambda path, node: None if path in refused else node), {each[1:] for each in refused}


def from_zarr_2(work: Path, python: str, version: int, separator: str, *, consolidated: bool) -> None:
    name = (
        f"zarr2-v{version}-{'dot' if separator == '.' else 'slash'}{'-consolidated' if consolidated else ''}"
    )
    folder = work / name
    arguments = [str(folder), str(version), separator, "yes" if consolidated else "no"]
    subprocess.run([python, "-c", WRITE_2, *arguments], check=True)
    with Path(f"{folder}.values").open("rb") as file:
        values = pickle.load(file)
    same_in_zom(folder, values, f"{name} as it is")
    copied = work / f"{name}-copy"
    check(f"{name} copied", lambda: print(str(zom.copy(folder, copied, verify=True)).splitlines()[0]))
    if version == 2:
        readable = {path: value for path, value in values.items() if can_be_read(folder, path)}
        same_in_zarr(copied, readable, f"{name} copied")
        if chunks_of(copied) != chunks_of(folder):
            check(f"{name} copied raw", lambda: print(1 / 0))
    spec, refused = convertible(folder)
    kept = {path: value for path, value in values.items() if path not in refused}
    partial = work / f"{name}-part"
    zom.copy(folder, partial, spec, verify=True)
    before = chunks_of(partial)
    theirs = work / f"{name}-theirs"
    shutil.copytree(partial, theirs)
    elsewhere = work / f"{name}-elsewhere"
    check(f"{name} to a target", lambda: print(str(zom.migrate(partial, target=elsewhere)).splitlines()[0]))
    same_in_zarr(elsewhere, kept, f"{name} migrated elsewhere")
    check(f"{name} in place", lambda: print(str(zom.migrate(partial, in_place=True)).splitlines()[0]))
    same_in_zarr(partial, kept, f"{name} migrated")
    same_in_zom(partial, kept, f"{name} migrated, by zom")
    if consolidated:
        group = zarr.open_consolidated(str(partial))
        check(f"{name} consolidated", lambda: compare_members(group, kept))
    if version == 2:
        check(f"{name} chunks stay", lambda: same_chunks(before, chunks_of(partial)))
        by_zarr(theirs, partial, kept, name)
    rechunked(partial, work / f"{name}-rechunked", kept, name)


def same_chunks(before: dict[str, bytes], after: dict[str, bytes]) -> None:
    if before != after:
        raise AssertionError(f"chunks differ: {sorted(before.keys() ^ after.keys())[:5]}")


def compare_members(group: Any, kept: dict[str, Any]) -> None:
    found = {path for path, node in group.members(max_depth=None) if isinstance(node, zarr.Array)}
    if found != set(kept):
        raise AssertionError(f"{found ^ set(kept)}")


def by_zarr(theirs: Path, ours: Path, kept: dict[str, Any], name: str) -> None:
    """Where zarr-python migrates an array itself, both documents give the same elements."""
    from zarr.metadata.migrate_v3 import migrate_v2_to_v3

    for path, value in kept.items():
        source = zarr.storage.LocalStore(str(theirs / path))
        try:
            migrate_v2_to_v3(input_store=source)
        except Exception as error:
            counts["zarr can't migrate"] += 1
            print(f"zarr-python can't migrate {name} /{path}: {type(error).__name__}: {str(error)[:90]}")
            continue

        def compare(path: str = path, value: Any = value) -> None:
            mine = json.loads((ours / path / "zarr.json").read_text())
            other = json.loads((theirs / path / "zarr.json").read_text())
            for member in ("shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value"):
                if mine[member] != other[member]:
                    counts[f"document differs: {member}"] += 1
                    print(f"{name} /{path}: {member}: {mine[member]} and, by zarr-python, {other[member]}")
            chains = [[each["name"] for each in one["codecs"]] for one in (mine, other)]
            if chains[0] != chains[1]:
                counts["document differs: codecs"] += 1
                print(f"{name} /{path}: codecs: {chains[0]} and, by zarr-python, {chains[1]}")
            found = zarr.open_array(str(theirs), path=path, mode="r", zarr_format=3)[...]
            if bits(found) != bits(value):
                counts["zarr-python's own migration reads other elements"] += 1
                print(f"zarr-python's own migration of {name} /{path} reads other elements")

        check(f"{name} /{path} beside zarr-python's migration", compare)


def rechunked(folder: Path, target: Path, kept: dict[str, Any], name: str) -> None:
    """Other chunks, shards and codecs, for zarr-python to read."""

    def change(path: str, node: Any) -> Any:
        if node.kind != "array" or path[1:] not in kept or kept[path[1:]].ndim == 0:
            return node
        array = zom.open_array(folder, path)
        half = tuple(max(1, length // 2) for length in array.shape)
        fixed = array.dtype.kind in "biufc"
        shards = tuple(2 * length for length in half) if fixed else None
        spec = v3.ArraySpec.build(shape=array.shape, dtype=node.data_type, chunks=half, shards=shards)
        return spec.replace(fill_value=node.fill_value, attributes=node.attributes)

    spec = zom.read(folder).map(change)
    check(
        f"{name} rechunked", lambda: print(str(zom.copy(folder, target, spec, verify=True)).splitlines()[0])
    )
    same_in_zarr(target, kept, f"{name} rechunked")


def from_zarr_3(work: Path, zarr_format: int) -> None:
    folder = work / f"zarr3-v{zarr_format}"
    root = zarr.open_group(str(folder), mode="w", zarr_format=zarr_format)
    root.attrs["title"] = "a"
    rng = np.random.default_rng(1)
    values: dict[str, Any] = {}

    def put(path: str, data: Any, **more: Any) -> None:
        made = root.create_array(path, shape=data.shape, dtype=data.dtype, **more)
        made[...] = data
        values[path] = made[...]

    grid = rng.integers(-1000, 1000, (10, 9, 4)).astype("<i4")
    put("default", grid, chunks=(4, 4, 4))
    put("g/float", rng.random((50,)), chunks=(7,), fill_value=np.nan)
    put("g/bool", grid[..., 0] > 0, chunks=(4, 4))
    put("g/text", np.array(["a", "", "ä"], np.dtypes.StringDType()), chunks=(2,))
    put("zero", np.array(5, "<i8"))
    if zarr_format == 3:
        put("shards", grid, chunks=(2, 3, 2), shards=(4, 6, 4))
        put("plain", grid, chunks=(4, 4, 4), compressors=None)
        put("v2keys", grid, chunks=(4, 4, 4), chunk_key_encoding={"name": "v2", "separator": "."})
        put("gzip", grid, chunks=(4, 4, 4), compressors=zarr.codecs.GzipCodec(level=1))
        put("blosc", grid, chunks=(4, 4, 4), compressors=zarr.codecs.BloscCodec(cname="lz4"))
    else:
        put("orderF", grid, chunks=(4, 4, 4), order="F")
    zarr.consolidate_metadata(str(folder))
    copied = work / f"zarr3-v{zarr_format}-copy"
    name = folder.name
    check(f"{name} copied", lambda: print(str(zom.copy(folder, copied, verify=True)).splitlines()[0]))
    same_in_zarr(copied, values, f"{name} copied")
    rechunk_source = folder
    if zarr_format == 2:
        moved = work / "zarr3-v2-migrated"
        shutil.copytree(folder, moved)
        check(f"{name} migrated", lambda: print(str(zom.migrate(moved, in_place=True)).splitlines()[0]))
        same_in_zarr(moved, values, f"{name} migrated")
        rechunk_source = moved
    else:
        back = work / "zarr3-v3-as-v2"
        check(
            f"{name} without shards, migrated to v2",
            lambda: print(to_v2(folder, back)),
        )
        same_in_zarr(
            back, {path: value for path, value in values.items() if path != "shards"}, f"{name} as v2"
        )
    rechunked(rechunk_source, work / f"{name}-rechunked", values, name)


def to_v2(folder: Path, back: Path) -> str:
    spec = zom.read(folder)
    members = {name: node for name, node in spec.members.items() if name != "shards"}
    zom.copy(folder, back, spec.replace(members=members))
    return str(zom.migrate(back, "v2", in_place=True)).splitlines()[0]


def main() -> int:
    python = os.environ.get("ZARR2_PYTHON")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for zarr_format in (2, 3):
            from_zarr_3(work, zarr_format)
        if python is None:
            print("SKIP zarr-python 2: set ZARR2_PYTHON to a Python that has it")
        else:
            from_zarr_2(work, python, 2, ".", consolidated=False)
            from_zarr_2(work, python, 2, "/", consolidated=True)
            from_zarr_2(work, python, 3, "/", consolidated=False)
    for what, count in sorted(counts.items()):
        print(f"{count:5} {what}")
    return 1 if counts["FAIL"] else 0


if __name__ == "__main__":
    sys.exit(main())
