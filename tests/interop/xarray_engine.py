"""xarray's engine "zom" beside its engine "zarr": the same datasets, of stores that zom did not write.

    python tests/interop/xarray_engine.py [SEED]

In an environment with zom, zarr-python 3, xarray and dask. Datasets are drawn by a seed, each by its own: data types,
chunks, shards, masks, packing, times, texts and indexes. xarray and zarr-python write them in v2 and v3, and where ZARR2_PYTHON
names an interpreter with zarr-python 2, that writes some, too. Both engines open each, decoded and not, in dask chunks,
by every kind of index, as groups and trees, and from the stores of zarr-python; encodings are compared, too.
Ends with 1 where anything differs.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import itertools
import os
import pickle
import random
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
import zarr
from outcomes import check, counts, skip

import zom
from zom.integrations.xarray.backend import ZomBackend

if TYPE_CHECKING:
    from collections.abc import Callable

SEED = int(sys.argv[1]) if sys.argv[1:] else 16
DATASETS, KEYS = 50, 10
DOCUMENTS = {"compressors", "filters", "serializer"}
"""What engine "zom" has as documents where engine "zarr" has objects of zarr-python."""

ENGINES = {"zarr": "zarr", "zom": ZomBackend}

compared: Counter[str] = Counter()

OLD = """
import sys, numpy as np, zarr
root = zarr.open_group(sys.argv[1], mode="w")
root.attrs["title"] = "zarr-python 2"
def put(name, values, dims, **options):
    array = root.create_dataset(name, data=values, chunks=tuple(max(1, n // 2) for n in values.shape), **options)
    array.attrs["_ARRAY_DIMENSIONS"] = dims
put("x", np.arange(5), ["x"])
put("t", np.arange(10.0).reshape(2, 5), ["n", "x"], fill_value=3.0)
put("big", np.arange(10, dtype=">i2").reshape(2, 5), ["n", "x"], order="F", filters=[zarr.Delta(">i2")])
put("words", np.array(["a", "bb", "", "d", "e"], dtype=object), ["x"], object_codec=zarr.VLenUTF8())
put("fixed", np.array(["a", "bb", "", "d", "e"]), ["x"])
put("when", np.array(["2000-01-01", "NaT", "2000-01-03", "2001-01-01", "1999-01-01"], "M8[s]"), ["x"])
zarr.consolidate_metadata(sys.argv[1])
"""


# --- datasets, drawn by a seed ---------------------------------------------------------------------------


def values_of(  # noqa: C901 - one switch
    choose: random.Random, kind: str, shape: tuple[int, ...]
) -> np.ndarray[Any, Any]:
    """Values of one kind, with some missing where the kind has such."""
    draw = np.random.default_rng(choose.randrange(1 << 30))
    count = int(np.prod(shape))
    whole = draw.integers(0, 100, count)
    match kind:
        case "words" | "texts" | "bytes":
            made = np.array(["é" * (number % 4) + str(number) for number in whole], f"U{4 if count else 1}")
            if kind == "bytes":
                made = np.char.encode(made, "utf-8")
            elif kind == "texts":
                made = made.astype(object)
        case "times":
            made = np.datetime64("2000-01-01", "ns") + whole.astype("m8[h]")
            if choose.random() < 0.5:
                made[whole % 7 == 0] = np.datetime64("NaT")
        case "spans":
            made = whole.astype("m8[s]").astype("m8[ns]")
        case "floats":
            made = whole.astype(choose.choice(["f4", "f8", ">f4"]))
            made[whole % 5 == 0] = np.nan
        case "packed":
            made = whole / 2
        case "flags":
            made = whole % 2 == 0
        case "complex":
            made = whole + 1j
        case _:
            made = whole.astype(choose.choice(["i1", "i2", "u4", "i8"]))
    return made.reshape(shape)


def encoding_of(choose: random.Random, kind: str, shape: tuple[int, ...], zarr_format: int) -> dict[str, Any]:
    """How a variable is to be stored."""
    encoding: dict[str, Any] = {}
    if shape and choose.random() < 0.7:
        encoding["chunks"] = tuple(choose.randint(1, max(1, length)) for length in shape)
        if zarr_format == 3 and choose.random() < 0.4:
            encoding["shards"] = tuple(length * choose.randint(1, 3) for length in encoding["chunks"])
    if kind == "packed":
        encoding |= {"dtype": "i2", "scale_factor": 0.5, "add_offset": 1.0, "_FillValue": -9}
    if kind == "floats" and choose.random() < 0.5:
        encoding["_FillValue"] = choose.choice([-1.0, np.nan, None])
    if kind == "whole" and choose.random() < 0.3:
        encoding["_FillValue"] = choose.choice([0, 7])
    if kind == "times" and choose.random() < 0.5:
        encoding |= {
            "units": choose.choice(["days since 1990-01-01", "seconds since 2000-01-01"]),
            "dtype": "f8",
        }
    if zarr_format == 3 and kind == "whole" and choose.random() < 0.2:
        encoding["fill_value"] = 3
    return encoding


def drawn(choose: random.Random, zarr_format: int) -> xr.Dataset:
    """A dataset of some variables along some of three dimensions, with indexes and other coordinates."""
    lengths = {name: choose.randint(1, 7) for name in ("time", "y", "x")}
    if choose.random() < 0.1:
        lengths["y"] = 0
    kinds = ["whole", "floats", "packed", "times", "spans", "words", "texts", "bytes", "flags", "complex"]
    made = xr.Dataset(attrs={"title": "drawn", "numbers": [1, 2.5], "nested": {"a": None}})
    for number in range(choose.randint(1, 6)):
        dims = tuple(name for name in lengths if choose.random() < 0.6)
        kind = choose.choice(kinds)
        shape = tuple(lengths[name] for name in dims)
        name = f"{kind}{number}"
        made[name] = (dims, values_of(choose, kind, shape), {"units": "m"} if kind == "whole" else {})
        made[name].encoding = encoding_of(choose, kind, shape, zarr_format)
    for name, length in lengths.items():
        if name in made.dims and choose.random() < 0.7:
            index = xr.date_range("2000-01-01", periods=length) if name == "time" else np.arange(length) * 1.5
            made = made.assign_coords({name: index})
    aux = [name for name in made.data_vars if name.startswith(("whole", "words"))]
    return made.set_coords(aux[:1]) if choose.random() < 0.5 else made


# --- both engines ------------------------------------------------------------------------------------------


def both(place: Any, **options: Any) -> tuple[xr.Dataset, xr.Dataset]:
    """What engine "zarr" opens, and what engine "zom" does."""
    return xr.open_dataset(place, engine="zarr", **options), xr.open_dataset(
        place, engine=ZomBackend, **options
    )


def same(theirs: Any, ours: Any) -> None:
    """AssertionError where two datasets differ: in values, attributes, types or encodings."""
    for name in theirs.variables:
        left, right = theirs[name], ours[name]
        if not same_types(left, right) or left.chunks != right.chunks:
            raise AssertionError(f"{name}: {left.dtype} {left.chunks} and {right.dtype} {right.chunks}")
        keys = (left.encoding.keys() | right.encoding.keys()) - DOCUMENTS
        differing = [key for key in keys if not alike(left.encoding.get(key), right.encoding.get(key))]
        if left.encoding.keys() != right.encoding.keys() or differing:
            raise AssertionError(f"{name}: encoding {differing}: {left.encoding} and {right.encoding}")
        codecs_alike(name, left.encoding, right.encoding)
        compared["variables"] += 1
    xr.testing.assert_identical(theirs, ours)


def same_types(left: xr.DataArray, right: xr.DataArray) -> bool:
    """Whether two variables have one data type; a loaded text without dimensions has its own length in zarr-python."""
    if (
        left.ndim == 0
        and left.dtype.kind == right.dtype.kind
        and left.dtype.kind in "SU"
        and left.chunks is None
    ):
        return left.dtype.itemsize <= right.dtype.itemsize
    return left.dtype == right.dtype


def alike(left: Any, right: Any) -> bool:
    """Whether two values of an encoding are the same; an order of bytes is no difference, nor is NaN."""
    if isinstance(left, np.dtype) and isinstance(right, np.dtype) and "T" not in {left.kind, right.kind}:
        return left.newbyteorder("=") == right.newbyteorder("=")
    return bool(left == right) or (left != left and right != right) or str(left) == str(right) == "NaT"  # noqa: PLR0124


def codecs_alike(name: Any, theirs: dict[str, Any], ours: dict[str, Any]) -> None:
    """AssertionError where the codecs are others."""
    for place in DOCUMENTS & theirs.keys():
        left = theirs[place] if isinstance(theirs[place], tuple) else (theirs[place],)
        right = ours[place] if isinstance(ours[place], tuple) else (ours[place],)
        for one, other in itertools.zip_longest(left, right):
            document = one.to_dict() if hasattr(one, "to_dict") else one
            wanted = document["name"] if isinstance(document, dict) else document
            found = other["name"] if isinstance(other, dict) else other
            if wanted != found:
                raise AssertionError(f"{name}: {place}: {one} and {other}")


def keys_for(choose: random.Random, dataset: xr.Dataset) -> dict[str, Any]:
    """An index for some dimensions: numbers, slices, lists, masks and points."""
    key: dict[str, Any] = {}
    sizes = dict(sorted(dataset.sizes.items(), key=str))  # a store lists its members in any order
    points = [name for name in sizes if sizes[name] and choose.random() < 0.4]
    for name, length in sizes.items():
        if name in points and len(points) > 1:
            key[name] = xr.DataArray([choose.randrange(-length, length) for _ in range(3)], dims="points")
        elif not length or choose.random() < 0.3:
            key[name] = slice(None, None, choose.choice([1, 2, -1, -2]))
        else:
            # Beside points, dask can't select nothing.
            least = 1 if len(points) > 1 else 0
            numbers = [choose.randrange(-length, length) for _ in range(choose.randint(least, 4))]
            bounds = sorted(choose.randrange(0, length + 1) for _ in range(2))
            key[name] = choose.choice(
                [numbers, choose.randrange(-length, length), slice(*bounds), np.arange(length) % 2 == 0]
            )
    return key


def compare(place: Any, choose: random.Random, **options: Any) -> None:
    """Open one place in every way."""
    for more in ({}, {"decode_cf": False}, {"chunks": {}}, {"mask_and_scale": False}):
        same(*both(place, **options, **more))
    theirs, ours = both(place, **options)
    same(theirs.load(), pickle.loads(pickle.dumps(ours)).load())
    for _ in range(KEYS):
        key = keys_for(choose, theirs)
        chunks = choose.choice([None, {}])
        lazy = xr.open_dataset(place, engine=ZomBackend, chunks=chunks, **options)
        xr.testing.assert_identical(theirs.isel(key), lazy.isel(key).load())
        compared["selections"] += 1


# --- the stores ----------------------------------------------------------------------------------------------


def drawn_datasets(folder: Path) -> None:
    for number in range(DATASETS):
        choose, zarr_format = random.Random(f"{SEED} {number}"), 2 + number % 2
        dataset, consolidated = drawn(choose, zarr_format), choose.random() < 0.5
        place = folder / f"drawn-{number}.zarr"
        dataset.to_zarr(place, zarr_format=zarr_format, consolidated=consolidated, safe_chunks=False)
        what = f"v{zarr_format} {number}: {', '.join(map(str, dataset.data_vars))}"
        check(what, partial(compare, place, choose, consolidated=consolidated))
        check(
            f"{what}, written again",
            partial(written_again, place, folder / f"again-{number}.zarr", zarr_format),
        )


def written_again(place: Path, target: Path, zarr_format: int) -> None:
    """What both engines opened, written by xarray: the same documents, or the same refusal."""
    written = [rewritten(place, target / name, engine, zarr_format) for name, engine in ENGINES.items()]
    if written[0] != written[1]:
        raise AssertionError(f"{str(written[0])[:300]} and {str(written[1])[:300]}")
    compared["written again"] += isinstance(written[0], dict)


def rewritten(place: Path, target: Path, engine: Any, zarr_format: int) -> Any:
    """The documents and chunks that xarray writes of what an engine opened; else the kind of error that it raises."""
    opened = xr.open_dataset(place, engine=engine, consolidated=False)
    try:
        opened.to_zarr(target, zarr_format=zarr_format, consolidated=False)
    except Exception as error:  # noqa: BLE001 - both have to raise the same
        return type(error)
    files = [each for each in target.rglob("*") if each.is_file()]
    return {str(each.relative_to(target)): each.read_bytes() for each in files}


def trees(folder: Path) -> None:
    choose = random.Random(SEED)
    for zarr_format, consolidated in itertools.product((2, 3), (True, False)):
        parts = {f"/{path}": drawn(choose, zarr_format) for path in ("a", "b/c", "d")}
        tree = xr.DataTree.from_dict({"/": xr.Dataset(attrs={"n": 1}), **parts})
        place = folder / f"tree-{zarr_format}-{consolidated}.zarr"
        tree.to_zarr(place, zarr_format=zarr_format, consolidated=consolidated)
        check(
            f"a tree, v{zarr_format}, consolidated {consolidated}", partial(same_trees, place, consolidated)
        )


def same_trees(place: Path, consolidated: bool) -> None:
    for group in (None, "a", "/b/c", "b"):
        options = {"consolidated": consolidated, "group": group}
        theirs = xr.open_datatree(place, engine="zarr", **options)
        ours = xr.open_datatree(place, engine=ZomBackend, **options)
        xr.testing.assert_identical(theirs, ours)
        groups = [xr.open_groups(place, engine=engine, **options) for engine in ("zarr", ZomBackend)]
        if groups[0].keys() != groups[1].keys():
            raise AssertionError(f"{sorted(groups[0])} and {sorted(groups[1])}")
        for path, dataset in groups[0].items():
            same(dataset, groups[1][path])
    for group in ("a", "b/c"):
        same(*both(place, group=group, consolidated=consolidated))


def places(folder: Path) -> None:
    """The same dataset from everything that zarr-python and others call a store."""
    dataset = xr.Dataset({"t": (("x",), np.arange(5.0))}, {"x": np.arange(5)})
    memory = zarr.storage.MemoryStore()
    dataset.to_zarr(memory)
    with zarr.storage.ZipStore(folder / "a.zip", mode="w") as packed, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset.to_zarr(packed)
    dataset.to_zarr(folder / "a.zarr")
    stores = {
        "a MemoryStore": memory,
        "a StorePath": zarr.storage.StorePath(memory, ""),
        "a group of zarr-python": zarr.open_group(memory, mode="r"),
        "a LocalStore": zarr.storage.LocalStore(folder / "a.zarr", read_only=True),
        "a zip file": folder / "a.zip",
        "a store of zom": zom.store(folder / "a.zarr"),
    }
    for what, place in stores.items():
        check(
            what,
            lambda place=place: same(dataset_of(dataset, memory), xr.open_dataset(place, engine=ZomBackend)),
        )
    check("a session of icechunk", partial(icechunk_session, dataset))


def dataset_of(dataset: xr.Dataset, memory: Any) -> xr.Dataset:
    found = xr.open_dataset(memory, engine="zarr")
    xr.testing.assert_identical(found, dataset)
    return found


def icechunk_session(dataset: xr.Dataset) -> None:
    import icechunk
    from icechunk.xarray import to_icechunk

    repository = icechunk.Repository.create(icechunk.in_memory_storage())
    session = repository.writable_session("main")
    to_icechunk(dataset, session)
    session.commit("one")
    session = repository.readonly_session("main")
    theirs = xr.open_dataset(session.store, engine="zarr", consolidated=False)
    same(theirs, xr.open_dataset(session, engine=ZomBackend))
    same(theirs, xr.open_dataset(session.store, engine=ZomBackend, consolidated=False))


def rectilinear(folder: Path) -> None:
    def act() -> None:
        with zarr.config.set({"array.rectilinear_chunks": True}):
            root = zarr.create_group(folder / "rectilinear.zarr")
            array = root.create_array(
                "a", shape=(6, 5), chunks=[[1, 2, 3], [3, 2]], dtype="i4", dimension_names=["y", "x"]
            )
            array[:] = np.arange(30).reshape(6, 5)
            for chunks in (None, {}):
                same(*both(folder / "rectilinear.zarr", chunks=chunks, consolidated=False))

    check("a rectilinear grid", act)


def old(folder: Path) -> None:
    python = os.environ.get("ZARR2_PYTHON")
    if python is None:
        skip("what zarr-python 2 wrote", "ZARR2_PYTHON names no interpreter")
        return
    place = folder / "old.zarr"
    subprocess.run([python, "-c", OLD, str(place)], check=True)
    for consolidated in (True, False):
        check(
            f"what zarr-python 2 wrote, consolidated {consolidated}",
            partial(compare, place, random.Random(SEED), consolidated=consolidated),
        )


def main() -> int:
    warnings.simplefilter("ignore")
    parts: tuple[Callable[[Path], None], ...] = (drawn_datasets, trees, places, rectilinear, old)
    with tempfile.TemporaryDirectory() as folder:
        for part in parts:
            part(Path(folder))
    print(", ".join(f"{number} {what}" for what, number in sorted(compared.items())))
    print(", ".join(f"{number} {what}" for what, number in sorted(counts.items())))
    return 1 if counts["failed"] or not compared["variables"] else 0


if __name__ == "__main__":
    sys.exit(main())
