"""Datasets written by zom beside those that xarray's own `to_zarr` writes, in v2 and v3.

    python tests/interop/xarray_writing.py [--random 60]

For each dataset: the documents of `zom.xarray.to_spec` are those that `to_zarr` writes; a store that
`zom.xarray.write` wrote opens with engine "zarr" identical to the dataset that `to_zarr` wrote, has the same
documents, and the same chunks. Datasets are handmade ones like those of xarray's tutorials, and random ones.

In an environment with requirements.txt beside this script, and zom. Ends with 1 where something differs.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dask
import numpy as np
import pandas as pd
import xarray as xr
import zarr

import zom
from zom.integrations.xarray.spec import to_spec

if TYPE_CHECKING:
    from collections.abc import Iterator

REFUSED: dict[tuple[str, int], str] = {
    ("unnamed", 3): "the name that xarray chooses begins with '__', which Zarr v3 reserves",
    ("as_its_coordinate", 3): "the name that xarray chooses begins with '__', which Zarr v3 reserves",
}
"""What zom refuses and xarray writes, and why; anything else that zom refuses is a failure."""


def climate() -> xr.Dataset:
    """As xarray's tutorial "air_temperature"."""
    rng = np.random.default_rng(0)
    return xr.Dataset(
        {
            "air": (("time", "lat", "lon"), 250 + rng.random((20, 5, 7)), {"units": "degK", "GRIB_id": 11}),
            "land": (("lat", "lon"), rng.random((5, 7)) > 0.5),
        },
        {
            "time": pd.date_range("2013-01-01", periods=20, freq="6h"),
            "lat": ("lat", np.linspace(75, 15, 5, dtype="f4"), {"standard_name": "latitude"}),
            "lon": ("lon", np.linspace(200, 330, 7, dtype="f4"), {"axis": "X"}),
            "month": ("time", np.repeat([1], 20)),
            "run": 3,
        },
        {"Conventions": "COARDS", "numbers": np.arange(3), "real": np.float32(0.5)},
    )


def packed() -> xr.Dataset:
    ds = climate()
    ds.air.encoding = {"dtype": "int16", "scale_factor": 0.01, "add_offset": 250.0, "_FillValue": -32767}
    ds.air[0, 0, 0] = np.nan
    ds.time.encoding = {"units": "hours since 1800-01-01", "calendar": "standard", "dtype": "float64"}
    return ds


def every_type() -> xr.Dataset:
    numbers = {
        name: ("x", np.arange(4).astype(name))
        for name in [
            "b1",
            "i1",
            "i2",
            "i4",
            "i8",
            "u1",
            "u2",
            "u4",
            "u8",
            "f4",
            "f8",
            "c8",
            "c16",
            ">i4",
            ">f8",
            ">u2",
        ]
    }
    texts = {
        "text": ("x", np.array(["a", "bbb", "", "dé"])),
        "objects": ("x", np.array(["a", "bbb", "", "dé"], object)),
        "with_none": ("x", np.array(["a", None, "", "dé"], object)),
        "bytes": ("x", np.array([b"a", b"bbb", b"", b"d"])),
        "bytes_objects": ("x", np.array([b"a", b"bbb", b"", b"d"], object)),
        "bools_objects": ("x", np.array([True, False, True, True], object)),
        "number_objects": ("x", np.array([1.0, None, 2.5, 3.0], object)),
        "string_type": ("x", np.array(["a", "bbb", "", "dé"], np.dtypes.StringDType())),
    }
    times = {
        "times": ("x", pd.to_datetime(["2000-01-01", "2000-01-02", "NaT", "2001-01-01"])),
        "coarse": ("x", np.array(["2000-01-01", "2000-01-02", "2000-01-03", "2000-01-04"], "M8[s]")),
        "durations": ("x", pd.to_timedelta([1, 2, 3, 4], unit="h")),
    }
    scalars = {"f0": 1.5, "i0": 2, "s0": "text", "b0": True, "t0": pd.Timestamp("2000-01-01")}
    return xr.Dataset({**numbers, **texts, **times, **{name: ((), value) for name, value in scalars.items()}})


def calendars() -> xr.Dataset:
    days = xr.date_range("2000-02-25", periods=6, calendar="noleap", use_cftime=True)
    ds = xr.Dataset({"t": ("time", np.arange(6.0))}, {"time": days})
    ds["bounds"] = (("time", "nv"), np.stack([days, days], axis=1))
    ds.time.attrs["bounds"] = "bounds"
    return ds


def coordinates() -> xr.Dataset:
    ds = xr.Dataset(
        {"a": (("y", "x"), np.zeros((2, 3))), "b": ("y", [1, 2]), "crs": ((), 0)},
        {
            "lat": (("y", "x"), np.zeros((2, 3))),
            "lon": (("y", "x"), np.ones((2, 3))),
            "lonely": ("z", [1, 2]),
        },
    )
    ds.a.encoding = {"coordinates": "lon lat", "grid_mapping": "crs"}
    ds.b.attrs["coordinates"] = "nothing"
    return ds


def chunked() -> xr.Dataset:
    ds = climate().chunk({"time": 7})
    ds["whole"] = ("time", np.arange(20))
    ds.whole.encoding = {"chunks": (3,)}
    return ds


def lazy_times() -> xr.Dataset:
    times = pd.date_range("2000-01-01", periods=10)
    ds = xr.Dataset({"when": ("x", times), "given": ("x", times), "long": ("x", times - times[0])}).chunk(
        {"x": 5}
    )
    ds.given.encoding = {"units": "days since 1999-01-01", "dtype": "int32"}
    return ds


def fills() -> xr.Dataset:
    ds = xr.Dataset(
        {name: ("x", np.arange(4).astype(name)) for name in ("i2", "f4", "u1", "S3", "b1", "c16")}
    )
    ds["i2"].encoding = {"_FillValue": 7}
    ds["f4"].encoding = {"_FillValue": -9.0}
    ds["u1"].encoding = {"_FillValue": 255, "dtype": "u1"}
    ds["S3"].encoding = {"_FillValue": b"zz"}
    ds["c16"].encoding = {"_FillValue": None}
    ds["unsigned"] = ("x", np.arange(4.0), {}, {"dtype": "i1", "_Unsigned": "true", "_FillValue": -1})
    ds["missing"] = ("x", np.array([1.0, np.nan, 2.0, 3.0]), {}, {"missing_value": -5.0, "_FillValue": -5.0})
    ds["none"] = ("x", np.arange(4.0), {}, {"_FillValue": None})
    return ds


def attributes() -> xr.Dataset:
    values: dict[str, Any] = {
        "list": [1, "a", None],
        "nested": {"a": [1, {"b": 2}]},
        "nan": float("nan"),
        "inf": float("-inf"),
        "bool": np.bool_(True),
        "big": 2**60,
        "array": np.eye(2),
        "empty": [],
        "unicode": "°C — Ω",
    }
    return xr.Dataset({"a": ("x", [1, 2], values), "b": ((), 1)}, attrs=values)


def shapes() -> xr.Dataset:
    return xr.Dataset(
        {
            "none": ("z", np.zeros(0)),
            "flat": (("z", "x"), np.zeros((0, 3))),
            "long": ("w", np.zeros(1_000_000, "f4")),
            "wide": (("p", "q", "r"), np.zeros((30, 200, 300), "i2")),
            "labels": ("w", np.array(["abc"] * 1_000_000, object)),
        }
    )


def array() -> xr.DataArray:
    return xr.DataArray(np.arange(6).reshape(2, 3), dims=("y", "x"), coords={"x": [1, 2, 3]}, name="named")


def unnamed() -> xr.DataArray:
    return xr.DataArray(np.arange(6.0), dims="x")


def as_its_coordinate() -> xr.DataArray:
    return xr.DataArray([10, 20], dims="x", coords={"x": [10, 20]}, name="x")


def tree() -> xr.DataTree:
    return xr.DataTree.from_dict(
        {
            "/": xr.Dataset({"z": ("side", [1, 2])}, {"side": [3, 4]}, {"title": "a tree"}),
            "/fine": climate(),
            "/coarse/inner": every_type().drop_vars("string_type"),
            "/empty": xr.Dataset(attrs={"nothing": True}),
        }
    )


HANDMADE = (
    climate, packed, every_type, calendars, coordinates, chunked, lazy_times, fills, attributes, shapes,
    array, unnamed, as_its_coordinate, tree,
)  # fmt: skip

GIVEN: dict[str, dict[int, dict[str, Any]]] = {
    "climate": {
        2: {
            "air": {"chunks": (5, 5, 7), "compressors": ({"id": "zlib", "level": 3},)},
            "lat": {"compressors": None},
        },
        3: {
            "air": {
                "chunks": (5, 5, 7),
                "shards": (10, 5, 7),
                "compressors": ({"name": "gzip", "configuration": {"level": 3}},),
                "filters": ({"name": "transpose", "configuration": {"order": [2, 0, 1]}},),
                "fill_value": -1.0,
            },
            "lat": {"compressors": None, "serializer": {"name": "bytes", "configuration": {"endian": "big"}}},
            "lon": {"compressors": (zarr.codecs.BloscCodec(cname="zstd"),)},
            "month": {"compressors": (zarr.codecs.BloscCodec(shuffle="noshuffle"), zarr.codecs.GzipCodec())},
            "run": {"compressors": {"name": "blosc", "configuration": {"cname": "lz4"}}},
            "land": {"chunk_key_encoding": {"name": "v2", "configuration": {"separator": "."}}, "chunks": 2},
        },
    },
}
"""Encodings that are given as an argument."""


def random_dataset(number: int) -> xr.Dataset:
    """Dimensions, types, encodings, attributes and chunks drawn at random."""
    draw = random.Random(number)
    rng = np.random.default_rng(number)
    sizes = {name: draw.randint(1, 9) for name in "abcd"[: draw.randint(1, 4)]}
    variables: dict[str, Any] = {}
    for index in range(draw.randint(1, 6)):
        dims = tuple(draw.sample(list(sizes), draw.randint(0, len(sizes))))
        variables[f"v{index}"] = random_variable(draw, rng, dims, tuple(sizes[dim] for dim in dims))
    ds = xr.Dataset(variables)
    for dim, size in sizes.items():
        if draw.random() < 0.5:
            ds = ds.assign_coords({dim: draw.choice([np.arange(size), pd.date_range("2001", periods=size)])})
    ds = ds.set_coords([name for name in variables if draw.random() < 0.2])
    if draw.random() < 0.3:
        ds = ds.chunk({dim: draw.randint(1, size) for dim, size in ds.sizes.items()})
    return ds.assign_attrs(n=number)


def random_variable(draw: random.Random, rng: Any, dims: Any, shape: Any) -> Any:
    kind = draw.choice(["f4", "f8", "i2", "i8", "u1", "b1", "text", "time", "packed", "c8", "S4"])
    encoding: dict[str, Any] = {}
    values = (rng.random(shape) * 100).round(1)
    if kind == "text":
        made = values.astype("U3")
    elif kind == "time":
        made = np.datetime64("2000-01-01", "ns") + (values * 3600).astype("m8[s]")
    elif kind == "packed":
        made = values
        encoding = {"dtype": "i2", "scale_factor": 0.1, "_FillValue": -1}
    else:
        made = values.astype(kind)
        if draw.random() < 0.3 and kind[0] in "fiu":
            encoding["_FillValue"] = 3
    if draw.random() < 0.3 and shape:
        encoding["chunks"] = tuple(draw.randint(1, size) for size in shape)
    return (dims, made, {"unit": "m", "level": draw.randint(0, 9)}, encoding)


# --- comparing ----------------------------------------------------------------------------------------------


def by_xarray(data: Any, number: int, place: Path, encoding: Any) -> None:
    options = {} if encoding is None else {"encoding": encoding}
    if isinstance(data, xr.DataTree):
        data.to_zarr(place, zarr_format=number, **options)
    else:
        data.to_zarr(place, zarr_format=number, safe_chunks=False, **options)


def differences(name: str, data: Any, number: int, encoding: Any, folder: Path) -> list[str]:
    theirs = folder / "theirs.zarr"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            by_xarray(data, number, theirs, encoding)
        except Exception as error:  # noqa: BLE001 - what xarray refuses is no dataset to compare
            return refused_too(name, data, number, encoding, error)
        try:
            spec = to_spec(data, zarr_format=number, encoding=encoding)
        except zom.ZomError as error:
            reason = REFUSED.get((name, number))
            print(f"  {name} v{number}: zom refuses it: {reason or error}")
            return [] if reason else [f"to_spec: {error}"]
        found = [f"to_spec: {each}" for each in unlike(spec, theirs)]
        return found + unlike_stores(data, number, encoding, theirs, folder / "ours.zarr")


def refused_too(name: str, data: Any, number: int, encoding: Any, error: Exception) -> list[str]:
    print(f"  {name} v{number}: to_zarr refuses it: {str(error)[:100]}")
    return []


def unlike(spec: Any, place: Path) -> list[str]:
    """What differs between a spec and a store, in meaning."""
    there = zom.read(str(place))
    return [str(change) for change in spec.diff(there)]


def unlike_stores(data: Any, number: int, encoding: Any, theirs: Path, ours: Path) -> list[str]:
    """What differs between the store that zom writes and that of xarray."""
    zom.xarray.write(data, ours, zarr_format=number, encoding=encoding, safe_chunks=False)
    found = [f"write: {each}" for each in unlike(zom.read(str(ours)), theirs)]
    if ours.joinpath("zarr.json").exists():
        mine, others = (json.loads(place.joinpath("zarr.json").read_text()) for place in (ours, theirs))
        if ("consolidated_metadata" in mine) != ("consolidated_metadata" in others):
            found.append("write: consolidated metadata in one of both")
    elif ours.joinpath(".zmetadata").exists() != theirs.joinpath(".zmetadata").exists():
        found.append("write: .zmetadata in one of both")
    for consolidated in (True, False):
        found += unlike_opened(data, ours, theirs, consolidated=consolidated)
    keys = [
        {str(file.relative_to(place)) for file in place.rglob("*") if file.is_file()}
        for place in (ours, theirs)
    ]
    return [
        *found,
        *(
            f"write: only {side}: {sorted(some)[:5]}"
            for side, some in (("ours", keys[0] - keys[1]), ("theirs", keys[1] - keys[0]))
            if some
        ),
    ]


def unlike_opened(data: Any, ours: Path, theirs: Path, *, consolidated: bool) -> list[str]:
    """What differs where xarray opens both with its own engine."""
    opens = xr.open_datatree if isinstance(data, xr.DataTree) else xr.open_dataset
    try:
        others = opens(theirs, engine="zarr", consolidated=consolidated)
    except ValueError as error:  # it can't read what it wrote: a fill value of bytes
        print(f"  xarray can't open what it wrote: {error}")
        return []
    with others, opens(ours, engine="zarr", consolidated=consolidated) as mine:
        try:
            xr.testing.assert_identical(mine, others)
        except AssertionError as error:
            return [f"write, opened: {error}"]
    return []


# --- writing into what is there -----------------------------------------------------------------------------


def later(days: int = 7) -> xr.Dataset:
    """More days of the climate, without what has no time."""
    ds = packed()
    ds = ds.drop_vars([name for name, each in ds.variables.items() if "time" not in each.dims])
    return ds.isel(time=slice(0, days)).assign_coords(time=ds.time[:days] + np.timedelta64(20 * 6, "h"))


def piece() -> xr.Dataset:
    return packed()[["air"]].isel(time=slice(4, 8)).reset_coords(drop=True) + 1


def added() -> xr.Dataset:
    return later(4).assign(added=("lat", np.arange(5.0)))


def chunked_piece() -> xr.Dataset:
    return packed()[["air"]].isel(time=slice(5, 15)).reset_coords(drop=True).chunk({"time": 5}) + 1


CHANGES: dict[str, tuple[Any, dict[str, Any]]] = {
    "append": (later, {"append_dim": "time"}),
    "append lazily": (later, {"append_dim": "time", "align_chunks": True}),
    "append and add": (added, {"append_dim": "time"}),
    "region": (lambda: piece().drop_vars(["lat", "lon"]), {"region": {"time": slice(4, 8)}}),
    "region of its coordinates": (piece, {"region": "auto"}),
    "region by one of them": (lambda: piece().drop_vars(["lat", "lon"]), {"region": {"time": "auto"}}),
    "region lazily": (lambda: chunked_piece().drop_vars(["lat", "lon"]), {"region": {"time": slice(5, 15)}}),
    "whole arrays": (packed, {"mode": "r+"}),
    "replaced": (every_type, {"mode": "w"}),
    "added": (lambda: xr.Dataset({"new": ("q", [1, 2])}, attrs={"a": 1}), {"mode": "a"}),
}


def unlike_changed(name: str, number: int, folder: Path) -> list[str]:
    """What differs after zom and xarray have written the same into two stores that were alike."""
    make, options = CHANGES[name]
    places = folder / "theirs.zarr", folder / "ours.zarr"
    for place in places:
        packed().to_zarr(
            place, zarr_format=number, encoding={"air": {**packed().air.encoding, "chunks": (5, 5, 7)}}
        )
    data = make().chunk({"time": 4}) if name == "append lazily" else make()
    data.to_zarr(places[0], **options, **({"zarr_format": number} if options.get("mode") == "w" else {}))
    zom.xarray.write(data, places[1], **options, zarr_format=number)
    found = unlike(zom.read(str(places[1])), places[0])
    return found + [
        each
        for consolidated in (True, False)
        for each in unlike_opened(data, places[1], places[0], consolidated=consolidated)
    ]


def unlike_in_sessions() -> list[str]:
    """What differs after zom and xarray have written, appended and overwritten the same in sessions of icechunk."""
    import icechunk

    opened = []
    for writes in (xr.Dataset.to_zarr, zom.xarray.write):
        repository = icechunk.Repository.create(icechunk.in_memory_storage())
        for data, options in (
            (packed(), {}),
            (later(), {"append_dim": "time"}),
            (piece(), {"region": "auto"}),
            (climate().chunk({"time": 5}), {"group": "lazy"}),
        ):
            session = repository.writable_session("main")
            writes(
                data, session if writes is zom.xarray.write else session.store, consolidated=False, **options
            )
            session.commit("written")
        store = repository.readonly_session("main").store
        opened += [xr.open_zarr(store, group=group, consolidated=False).load() for group in (None, "lazy")]
    found = []
    for theirs, ours in zip(opened[:2], opened[2:], strict=True):
        try:
            xr.testing.assert_identical(ours, theirs)
        except AssertionError as error:
            found.append(str(error))
    return found


def results(count: int, only: str) -> Iterator[tuple[str, list[str]]]:
    """Each comparison by its name, and what differs."""
    cases: list[tuple[str, Any, Any]] = [(make.__name__, make(), None) for make in HANDMADE]
    cases += [
        (f"{make.__name__}, encoding", make(), GIVEN[make.__name__])
        for make in HANDMADE
        if make.__name__ in GIVEN
    ]
    cases += [(f"random {number}", random_dataset(number), None) for number in range(count)]
    for name, data, encodings in cases:
        for number in (2, 3) if only in name else ():
            encoding = None if encodings is None else encodings[number]
            with tempfile.TemporaryDirectory() as folder:
                yield f"{name} v{number}", differences(name, data, number, encoding, Path(folder))
    for name in CHANGES:
        for number in (2, 3) if only in name else ():
            with tempfile.TemporaryDirectory() as folder:
                yield f"{name} v{number}", unlike_changed(name, number, Path(folder))
    if only in "icechunk":
        yield "icechunk", unlike_in_sessions()


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--random", type=int, default=60)
    options.add_argument("--only", default="")
    given = options.parse_args()
    dask.config.set(
        scheduler="synchronous"
    )  # chunks of data share chunks of the store: to_zarr loses some else
    warnings.simplefilter("ignore")
    failed = compared = 0
    for name, found in results(given.random, given.only):
        compared += 1
        failed += bool(found)
        for each in found:
            print(f"FAIL {name}: {each}")
    print(f"{compared} datasets compared, {failed} differ")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
