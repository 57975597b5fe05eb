"""N5 arrays of tensorstore and of zarr-python 2, read by zom through n5_default; and zom's blocks read by them.

    python tests/interop/n5.py

tensorstore pads the blocks at the edge; those that N5's own writers cut off are made here from padded ones.
zarr-python 2 runs by the Python that ZARR2_PYTHON names. Ends with 1 where anything differs.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import tensorstore

import zom
from zom import v3

SHAPE, BLOCK = (7, 10, 3), (3, 4, 2)
COMPRESSION: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "raw": ({"type": "raw"}, []),
    "gzip": ({"type": "gzip"}, [{"name": "gzip", "configuration": {"level": 5}}]),
    "zstd": ({"type": "zstd"}, [{"name": "zstd", "configuration": {"level": 1}}]),
    "blosc": (
        {"type": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
        [
            {
                "name": "blosc",
                "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "noshuffle", "blocksize": 0},
            }
        ],
    ),
}
TYPES = ("uint8", "int16", "uint32", "int64", "float32", "float64")

OLD = """
import sys, zarr, numpy as np
from zarr.n5 import N5Store
folder, kind, act = sys.argv[1:]
if act == "read":
    np.save(folder + ".npy", zarr.open(N5Store(folder), mode="r", path="a")[...])
else:
    array = zarr.open_group(N5Store(folder), mode="w").create_dataset(
        "a", shape=(7, 10, 3), chunks=(3, 4, 2), dtype=kind)
    array[...] = np.load(folder + ".npy")
"""


def spec_of(kind: str, compression: list[Any], shape: Any = SHAPE, block: Any = BLOCK) -> v3.ArraySpec[Any]:
    rank = len(shape)
    bytes_codec = {"name": "bytes", "configuration": {"endian": "big"}}
    inner = [
        {"name": "transpose", "configuration": {"order": list(range(rank))[::-1]}},
        bytes_codec,
        *compression,
    ]
    built = v3.ArraySpec.build(
        shape=shape,
        dtype=kind,
        chunks=block,
        codecs=[{"name": "n5_default", "configuration": {"codecs": inner}}],
    )
    return built.replace(chunk_key_encoding={"name": "v2", "configuration": {"separator": "/"}})


def tensorstore_at(folder: Path, kind: str, compression: dict[str, Any]) -> Any:
    metadata = {
        "dimensions": list(SHAPE),
        "blockSize": list(BLOCK),
        "dataType": kind,
        "compression": compression,
    }
    spec = {
        "driver": "n5",
        "kvstore": {"driver": "file", "path": f"{folder}/"},
        "metadata": metadata,
        "open": True,
        "create": True,
    }
    return tensorstore.open(spec).result()


def document(folder: Path, spec: v3.ArraySpec[Any]) -> None:
    (folder / "zarr.json").write_text(spec.to_json(), encoding="utf-8")


def same(found: Any, data: Any, what: str) -> int:
    if np.array_equal(found, data):
        return 0
    print(f"FAILED {what}: other elements")
    return 1


def with_tensorstore(name: str, kind: str, data: Any, place: Path) -> int:
    theirs, codecs = COMPRESSION[name]
    folder = place / f"{name}-{kind}"
    tensorstore_at(folder, kind, theirs).write(data).result()
    spec = spec_of(kind, codecs)
    document(folder, spec)
    array = zom.open_array(folder, mode="r+")
    failed = same(array[...], data, f"tensorstore {name} {kind}, read")
    other = data.copy()
    other[1:6, 2, ::2] = 3
    array[1:6, 2, ::2] = 3
    again = tensorstore_at(folder, kind, theirs).read().result()
    return failed + same(again, other, f"tensorstore {name} {kind}, changed by zom")


def cut_off(kind: str, data: Any, place: Path) -> int:
    """Blocks that end where the array ends."""
    folder = place / f"cut-{kind}"
    folder.mkdir()
    spec = spec_of(kind, [])
    document(folder, spec)
    for chunk in np.ndindex(*(-(-n // size) for n, size in zip(SHAPE, BLOCK, strict=True))):
        part = data[tuple(slice(at * size, (at + 1) * size) for at, size in zip(chunk, BLOCK, strict=True))]
        head = np.array([0, 3], ">u2").tobytes() + np.array(part.shape, ">u4").tobytes()
        path = folder.joinpath(*map(str, chunk))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(head + part.astype(part.dtype.newbyteorder(">")).tobytes(order="F"))
    return same(zom.open_array(folder)[...], data, f"blocks cut off {kind}")


def with_zarr_python_2(python: str, kind: str, data: Any, place: Path) -> int:
    folder = place / f"old-{kind}"
    np.save(f"{folder}.npy", data)
    run = [python, "-W", "ignore", "-c", OLD, str(folder), data.dtype.str]
    subprocess.run([*run, "write"], check=True)
    inner = folder / "a"
    told = json.loads((inner / "attributes.json").read_text(encoding="utf-8"))
    # Its N5 has the dimensions the other way round.
    shape, block = told["dimensions"], told["blockSize"]
    compression = COMPRESSION[told["compression"]["type"]][1]
    document(inner, spec_of(kind, compression, shape, block))
    array = zom.open_array(inner, mode="r+")
    failed = same(array[...].T, data, f"zarr-python 2 {kind}, read")
    array[...] = np.ascontiguousarray(data.T[::-1])
    subprocess.run([*run, "read"], check=True)
    return failed + same(np.load(f"{folder}.npy").T, data.T[::-1], f"zarr-python 2 {kind}, written by zom")


def main() -> int:
    failed = done = 0
    old = os.environ.get("ZARR2_PYTHON")
    if old is None:
        print("SKIP zarr-python 2: ZARR2_PYTHON names no Python that has it")
    with tempfile.TemporaryDirectory(prefix="zom-n5-") as place:
        for kind in TYPES:
            data = np.random.default_rng(1).integers(0, 99, SHAPE).astype(kind)
            for name in COMPRESSION:
                failed += with_tensorstore(name, kind, data, Path(place))
            failed += cut_off(kind, data, Path(place))
            if old is not None:
                failed += with_zarr_python_2(old, kind, data, Path(place))
            done += len(COMPRESSION) + 1 + (old is not None)
    print(f"{done} arrays, {failed} differences")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
