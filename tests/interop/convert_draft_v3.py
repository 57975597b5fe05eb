"""Draft arrays that zarr-python 2 wrote, converted by zom, and read by zarr-python 3.

    python convert_draft_v3.py write DIR   with zarr-python 2.13 to 2.18
    python convert_draft_v3.py check DIR   with zarr-python 3, and zom

The chunks are moved to the keys of v3 and not changed. What zarr-python 3 reads must be, bit for bit,
what zarr-python 2 read back after it wrote. The exit status says whether all of it was.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numcodecs
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

SHAPE, CHUNKS = (8, 6), (2, 3)
DTYPES = ("|b1", "|u1", "<i2", ">i4", "<f4", ">f8", "<c8", "<M8[s]", "|S4", "<U3", "|V3", "|O")


def cases() -> Iterator[dict[str, Any]]:
    """The arguments of every array."""
    compressors = (
        None,
        numcodecs.Blosc(),
        numcodecs.GZip(5),
        numcodecs.Zlib(1),
        numcodecs.LZ4(),
        numcodecs.Zstd(),
    )
    for dtype, order, compressor, separator in itertools.product(DTYPES, "CF", compressors, "./"):
        yield {"dtype": dtype, "order": order, "compressor": compressor, "separator": separator}
    for dtype, order in itertools.product(("<i2", ">i4"), "CF"):
        filters = [numcodecs.Delta(dtype), numcodecs.Shuffle(2)]
        yield {"dtype": dtype, "order": order, "compressor": None, "separator": "/", "filters": filters}
    for dtype, order, shards in itertools.product(("<i2", ">f8", "|u1"), "CF", ((2, 1), (2, 2), (1, 1))):
        compressor = numcodecs.Blosc()
        yield {"dtype": dtype, "order": order, "compressor": compressor, "separator": "/", "shards": shards}


def data(dtype: str) -> np.ndarray[Any, Any]:
    """Values for a whole array, the same in every run."""
    random = np.random.default_rng(3)
    texts = ["", "a", "ab", "abc"]
    if dtype == "|O":
        made = np.empty(SHAPE, object)
        made[...] = np.array(texts, object)[random.integers(0, 4, SHAPE)]
        return made
    if dtype[1] in "SU":
        return np.array(texts)[random.integers(0, 4, SHAPE)].astype(dtype)
    if dtype[1] == "V":
        return np.frombuffer(random.bytes(3 * 48), dtype).reshape(SHAPE)
    return random.integers(0, 100, SHAPE).astype("i8").astype(dtype)


def write(root: Path) -> int:
    """How many arrays were written, each in a hierarchy of its own."""
    os.environ.update(ZARR_V3_EXPERIMENTAL_API="1", ZARR_V3_SHARDING="1")
    import zarr
    from zarr._storage.v3_storage_transformers import ShardingStorageTransformer

    written = 0
    for number, case in enumerate(cases()):
        path = root / f"{number:04}"
        arguments: dict[str, Any] = {
            "shape": SHAPE,
            "chunks": CHUNKS,
            "dtype": case["dtype"],
            "order": case["order"],
            "compressor": case["compressor"],
            "filters": case.get("filters"),
            "dimension_separator": case["separator"],
            "zarr_version": 3,
            "path": "g/a",
        }
        if "shards" in case:
            sharding = ShardingStorageTransformer("indexed", chunks_per_shard=case["shards"])
            arguments["storage_transformers"] = [sharding]
        if case["dtype"] == "|O":
            arguments["object_codec"] = numcodecs.VLenUTF8()
        array = zarr.create(store=zarr.DirectoryStoreV3(str(path)), **arguments)
        array[:5] = data(case["dtype"])[:5]
        np.save(path / "expected.npy", array[...], allow_pickle=True)
        written += 1
    return written


def bits(values: Any) -> Any:
    """The values in a form that compares bit for bit."""
    values = np.asarray(values)
    if values.dtype.kind in "OT":
        return [str(item or "") for item in values.ravel()]
    return values.astype(values.dtype.newbyteorder("=")).tobytes()


def move(path: Path, target: Path, separator: str) -> None:
    """The chunks at the keys that v3 gives them."""
    old = path / "data" / "root" / "g" / "a"
    for chunk in sorted(each for each in old.rglob("*") if each.is_file()):
        name = chunk.relative_to(old).as_posix()
        new = target / f"c{separator}{name.removeprefix('c')}"
        new.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(chunk, new)


def check(path: Path) -> str | None:
    """What is wrong with the conversion of the array at `path`; None where nothing is."""
    import zarr

    from zom import draft
    from zom.conversion.trees import convert

    text = (path / "meta" / "root" / "g" / "a.array.json").read_bytes()
    spec = draft.ArraySpec.parse(text, "lenient", on_warning=lambda _: None)
    target = path / "v3"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    try:
        made = convert(spec, "v3").spec
        (target / "zarr.json").write_text(made.to_json())
        move(path, target, made.chunk_key_encoding["configuration"]["separator"])
        found = zarr.open_array(str(target), mode="r", zarr_format=3)[...]
    except Exception as error:  # noqa: BLE001 - the report goes on
        return f"{type(error).__name__}: {error}"
    wanted = np.load(path / "expected.npy", allow_pickle=True)
    return None if bits(found) == bits(wanted) else "other values"


def say(line: str) -> None:
    print(line)  # noqa: T201 - a script talks


def main(arguments: list[str]) -> int:
    """0 where every array that was written reads back the same, else 1."""
    warnings.simplefilter("ignore")
    task, root = arguments[0], Path(arguments[1])
    if task == "write":
        say(f"{write(root)} draft arrays written")
        return 0
    paths = sorted(path for path in root.iterdir() if path.is_dir())
    troubles = {path.name: trouble for path in paths if (trouble := check(path)) is not None}
    for name, trouble in troubles.items():
        case = next(itertools.islice(cases(), int(name), None))
        say(f"{name} {json.dumps(case, default=str)}: {trouble[:300]}")
    say(f"{len(paths)} converted draft arrays read, {len(troubles)} of them wrongly")
    return int(bool(troubles) or not paths)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
