"""xarray: datasets and trees of v2 and v3, as `to_zarr` writes them with each of its options."""

from __future__ import annotations

import itertools
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import written
import xarray as xr
import zarr
import zarr_python_stores
from zarr.storage import ZipStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from written import Node

Store = written.Store


def versions() -> str:
    python = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
    return f"xarray {xr.__version__} (zarr-python {zarr.__version__}) on {python}"


def nodes(place: str, form: str) -> Iterator[Node]:
    """xarray stores arrays of zarr-python, whose elements it decodes: `same` asks for those."""
    return zarr_python_stores.nodes(place, form)


def same(original: str, place: str) -> str | None:
    """Why xarray finds other datasets in a copy; None where they are identical."""
    with _tree(original) as one, _tree(place) as two:
        return None if one.identical(two) else "xarray decodes other values"


def _tree(place: str) -> Any:
    given: Any = ZipStore(place, mode="r") if place.endswith(".zip") else place
    return xr.open_datatree(given, engine="zarr", consolidated=False, decode_timedelta=False)


# --- what it writes --------------------------------------------------------------------------------------


def climate() -> xr.Dataset:
    time = xr.date_range("2000-01-01", periods=6)
    values = 273.15 + np.arange(36, dtype="f4").reshape(6, 2, 3)
    values[2, 1] = np.nan
    data = {
        "t2m": (("time", "lat", "lon"), values, {"units": "K", "cell_methods": "time: mean"}),
        "counts": (("lat", "lon"), np.arange(6, dtype="i4").reshape(2, 3)),
        "height": ((), np.float64(2.0), {"units": "m"}),
    }
    coordinates = {
        "time": time,
        "lat": [10.0, 20.0],
        "lon": [1.0, 2.0, 3.0],
        "area": (("lat", "lon"), np.ones((2, 3))),
    }
    return xr.Dataset(data, coordinates, {"title": "a small climate", "é": "ü"})


def kinds() -> xr.Dataset:
    texts = ["a", "", "東京" * 20, "é"]
    data = {
        "words": (("x",), np.array(texts)),
        "objects": (("x",), np.array(texts, object)),
        "variable": (("x",), np.array(texts, np.dtypes.StringDType())),
        "bytes": (("x",), np.array([b"a", b"", b"\xff", b"abc"])),
        "flags": (("x",), np.array([True, False, True, True])),
        "times": (("x",), np.array(["2020-01-01T01:02:03.5", "NaT", "1999-12-31", "2000-01-01"], "M8[ns]")),
        "days": (("x",), np.array(["2020-01-01", "NaT", "1999-12-31", "2000-01-01"], "M8[s]")),
        "spans": (("x",), np.array([1, 2, "NaT", 3], "m8[s]")),
        "waves": (("x",), np.array([1, 2j, 3, np.nan], "c8")),
        "small": (("x",), np.array([1, 2, 3, 255], "u1")),
        "half": (("x",), np.array([1, 2, 3, np.inf], "f2")),
        "big": (("x",), np.array([1, 2, 3, 2**63], "u8")),
        "swapped": (("x",), np.array([1, 2, 3, 4], ">i4")),
    }
    return xr.Dataset(data, {"x": np.arange(4)})


def dataset(make: Callable[[], xr.Dataset], how: str, place: str, form: str) -> None:
    common: dict[str, Any] = {"zarr_format": int(form[1]), "consolidated": how != "plain"}
    made = make()
    if how == "one by one":
        for name in made.variables:
            with written.may_refuse():
                made[[name]].to_zarr(place, mode="a", **common)
        return
    if how == "dask":
        made = made.chunk()
    made.to_zarr(place, **common)


def cf(place: str, form: str) -> None:
    """Everything that can be asked for by encoding."""
    made = climate()
    made["t2m"].encoding = {"dtype": "i2", "scale_factor": 0.1, "add_offset": 273.15, "_FillValue": -32768}
    made["counts"].encoding = {"dtype": "u1", "_Unsigned": "true"} if form == "v2" else {"missing_value": 3}
    made["time"].encoding = {"units": "hours since 1990-01-01", "dtype": "i4", "calendar": "noleap"}
    made["height"].encoding = {"missing_value": np.nan, "_FillValue": np.nan}
    made["area"].encoding = {"chunks": (1, 2)}
    made.attrs["missing_value"] = np.float32(np.nan)
    made["lat"].attrs = {"valid_range": np.array([-90.0, 90.0]), "n": np.int64(3), "flag": np.True_}
    made.to_zarr(place, zarr_format=int(form[1]), consolidated=True)


def cftime(place: str, form: str) -> None:
    time = xr.date_range("0001-01-01", periods=4, calendar="360_day", use_cftime=True)
    xr.Dataset({"v": ("time", np.arange(4.0))}, {"time": time}).to_zarr(place, zarr_format=int(form[1]))


def appended(place: str, form: str) -> None:
    made = climate()
    made.isel(time=slice(0, 3)).to_zarr(
        place, zarr_format=int(form[1]), encoding={"t2m": {"chunks": (2, 2, 2)}}
    )
    made.isel(time=slice(3, 6)).to_zarr(place, append_dim="time", zarr_format=int(form[1]))
    xr.Dataset({"added": ("lat", [1, 2])}).to_zarr(place, mode="a", zarr_format=int(form[1]))
    made.attrs["n"] = 1
    made[["counts"]].to_zarr(place, mode="a", zarr_format=int(form[1]))


def region(place: str, form: str) -> None:
    made = climate()
    made.chunk({"time": 2}).to_zarr(place, compute=False, zarr_format=int(form[1]))
    part = made[["t2m"]].isel(time=slice(2, 4)).drop_vars(["time", "lat", "lon", "area"])
    part.to_zarr(place, region={"time": slice(2, 4)}, zarr_format=int(form[1]))


def overwritten(place: str, form: str) -> None:
    kinds().to_zarr(place, zarr_format=int(form[1]))
    climate().to_zarr(place, mode="w", zarr_format=int(form[1]))


def groups(place: str, form: str) -> None:
    """Groups one by one, without a document at the root where there is no need for one."""
    for path in ("a", "a/b", "c/d"):
        climate().to_zarr(place, group=path, mode="a", zarr_format=int(form[1]))


def tree(consolidated: bool, inherit: bool, place: str, form: str) -> None:
    low = xr.Dataset({"v": (("y", "x"), np.zeros((2, 3), "f4"))}, {"y": np.arange(2)})
    parts = {
        "/": xr.Dataset(coords={"x": np.arange(3)}, attrs={"title": "a"}),
        "/low": low,
        "/low/deep": xr.Dataset({"u": (("x",), [1, 2, 3])}),
        "/empty": xr.Dataset(attrs={"n": 1}),
        "/climate": climate().rename(lat="la", lon="lo"),
    }
    given = {"consolidated": consolidated, "write_inherited_coords": inherit, "zarr_format": int(form[1])}
    xr.DataTree.from_dict(parts).to_zarr(place, **given)


def by_zip(how: str, place: str, form: str) -> None:
    with ZipStore(place, mode="w") as store:
        climate().to_zarr(store, zarr_format=int(form[1]), consolidated=how != "plain")
        if how == "appended":
            climate().to_zarr(store, append_dim="time", zarr_format=int(form[1]))


def encoded(options: dict[str, Any], place: str, form: str) -> None:
    given = {"t2m": options, "counts": {**options}}
    if "shards" in options:
        given = {"t2m": options}
    climate().to_zarr(place, encoding=given, zarr_format=int(form[1]))


def encodings(form: str) -> Iterator[tuple[str, dict[str, Any]]]:
    import numcodecs as nc
    from zarr import codecs as zc

    if form == "v2":
        for compressor in (None, nc.Blosc("zstd"), nc.GZip(1), nc.Zstd(2), nc.LZ4(), nc.BZ2()):
            yield f"compressor {compressor and compressor.codec_id}", {"compressors": compressor}
        yield "filters", {"filters": [nc.Shuffle(4)], "compressors": nc.Zlib(1)}
    else:
        for codec in (zc.BloscCodec(), zc.GzipCodec(), zc.ZstdCodec(checksum=True), zc.Crc32cCodec()):
            yield f"compressor {type(codec).__name__}", {"compressors": (codec,)}
        yield "shards", {"chunks": (2, 2, 2), "shards": (4, 2, 4)}
        yield "serializer", {"serializer": zc.BytesCodec(endian="big")}
    yield "fill", {"_FillValue": -1}
    yield "write empty", {"write_empty_chunks": True, "_FillValue": 0}


def stores() -> Iterator[Store]:
    for form in ("v2", "v3"):
        for make, how in itertools.product(
            (climate, kinds, xr.Dataset), ("plain", "consolidated", "one by one")
        ):
            name = "nothing" if make is xr.Dataset else make.__name__
            if name == "nothing" and how == "one by one":
                continue
            yield Store(f"{form} {name} {how}", form, partial(dataset, make, how))
        yield Store(f"{form} climate dask", form, partial(dataset, climate, "dask"))
        for write in (cf, cftime, appended, region, overwritten, groups):
            yield Store(f"{form} {write.__name__}", form, write)
        for consolidated, inherit in itertools.product((False, True), repeat=2):
            told = f"{'' if consolidated else 'not '}consolidated{', inherited' if inherit else ''}"
            yield Store(f"{form} tree {told}", form, partial(tree, consolidated, inherit))
        for how in ("plain", "consolidated", "appended"):
            yield Store(f"{form} zip {how}", form, partial(by_zip, how), ".zip")
        for name, options in encodings(form):
            yield Store(f"{form} {name}", form, partial(encoded, options))
