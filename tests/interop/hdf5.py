"""Files of HDF5 by other writers, copied to Zarr: read again by xarray, anndata and zarr-python.

    python tests/interop/hdf5.py

Files are written by netCDF4, h5netcdf, xarray, PyTables, anndata and h5py with the filters of hdf5plugin. What xarray
reads of a file by netCDF4 or h5netcdf must be identical to what it reads of the copy by its engine "zarr", but for
the differences in DIFFERENCES. Beside them, metadata and chunks are compared with kerchunk's references.

Needs h5py, netCDF4, h5netcdf, xarray, zarr, kerchunk, anndata, tables and hdf5plugin, as in requirements.txt. Ends
with 1 where anything failed.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import gc
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anndata
import h5netcdf
import h5py
import hdf5plugin
import netCDF4
import numpy as np
import pandas as pd
import scipy.sparse
import tables
import xarray as xr
import zarr
from anndata.tests.helpers import assert_equal
from kerchunk.hdf import SingleHdf5ToZarr

import zom
from zom.integrations.xarray.backend import ZomBackend

if TYPE_CHECKING:
    from collections.abc import Callable

counts: Counter[str] = Counter()
RANDOM = np.random.default_rng(16)

DIFFERENCES = """
- variables of vlen types are missing, and told as losses
- an enumeration has the attributes flag_values and flag_meanings
- attributes are numbers of 64 bits: where scale_factor is a float32, unpacked data is float64, not float32
- xarray's engine "zarr" has no unlimited dimensions
"""


def check(what: str, act: Callable[[], Any]) -> None:
    try:
        act()
    except Exception as error:  # noqa: BLE001 - counted, and told
        counts["failed"] += 1
        print(f"FAILED {what}: {type(error).__name__}: {str(error)[:900]}", flush=True)
        if "-v" in sys.argv:
            traceback.print_exc()
    else:
        counts["passed"] += 1
        print(f"ok     {what}", flush=True)


# --- comparing ------------------------------------------------------------------------------------------


def copied(path: Path) -> Path:
    target = path.with_suffix(".zarr")
    report = zom.copy(path, target, verify=True)
    assert not report.problems, report.problems
    return target


def as_told(expected: xr.Dataset, found: xr.Dataset) -> xr.Dataset:
    """What is expected, with the differences that are listed."""
    lost = set(expected.variables) - set(found.variables)
    assert all(name.startswith("vlen") for name in lost), lost
    expected = expected.drop_vars(lost)
    for name, variable in expected.variables.items():
        if name.startswith("enum"):
            flags = {flag: found[name].attrs[flag] for flag in ("flag_values", "flag_meanings")}
            expected[name] = expected[name].assign_attrs(flags)
        if name.startswith("narrow"):
            np.testing.assert_allclose(variable.values, found[name].values, rtol=1e-6)
            expected[name] = variable.copy(data=found[name].values)
    return expected


def same_dataset(path: Path, target: Path, group: str, engine: str, **options: Any) -> None:
    with xr.open_dataset(path, engine=engine, group=group, **options) as a:
        expected = a.load()
    for reader, place in (("zarr", target), (ZomBackend, target), (ZomBackend, path)):
        extra = {"consolidated": False} if reader == "zarr" else {}
        with xr.open_dataset(place, engine=reader, group=group, **extra, **options) as b:
            found = b.load()
        xr.testing.assert_identical(as_told(expected, found), found)
        for name in found.variables:
            if not name.startswith("narrow") and found[name].dtype.kind not in "OT":
                assert expected[name].dtype == found[name].dtype, name


def same_values(path: Path, target: Path) -> None:
    """Every dataset as h5py reads it, read by zarr-python from the copy."""
    spec = zom.from_hdf5(path).spec
    with h5py.File(path) as file:
        for at, node in spec.walk():
            if node.kind == "array":
                a: Any = file[at]
                a = a.asstr()[...] if h5py.check_string_dtype(a.dtype) and a.dtype.kind == "O" else a[...]
                b: Any = zarr.open_array(target, path=at.strip("/"), mode="r")[...]
                b = np.asarray(b, a.dtype) if b.dtype.kind in "OT" else b
                if a.dtype.names is None:
                    np.testing.assert_array_equal(a, b, err_msg=at)
                else:
                    assert [row.tolist() for row in a.ravel()] == [row.tolist() for row in b.ravel()], at


def same_metadata(path: Path) -> None:
    """Shapes, chunks, types and filters as kerchunk has them, and chunks at the bytes that it refers to."""
    # A collection in zarr's thread would wait for the lock that kerchunk holds while it waits for zarr.
    gc.collect()
    gc.disable()
    try:
        made = SingleHdf5ToZarr(str(path), error="ignore", vlen_encode="null", inline_threshold=0)
        references: Any = made.translate()["refs"]
        made.close()
    finally:
        gc.enable()
    store = zom.store(path)
    found = zom.from_hdf5(path, zarr_format=2)
    data = path.read_bytes()
    seen = 0
    for at, same in found.same_chunks.items():
        document = references.get(f"{at[1:]}/.zarray")
        mine = found.spec[at[1:]]
        if document is None or not same:
            continue
        theirs: Any = zom.v2.ArraySpec.parse(document, "lenient")
        assert (theirs.shape, theirs.chunks, theirs.dtype) == (mine.shape, mine.chunks, mine.dtype), at
        chain = [
            [each["id"] for each in (*(spec.filters or ()), spec.compressor) if each]
            for spec in (mine, theirs)
        ]
        if not chain[1]:
            continue  # some chunk skips a filter, and kerchunk takes none for all
        # kerchunk leaves checksums out, which it cuts off, and keeps a shuffle of single bytes.
        idle = {"fletcher32", "shuffle"} if np.dtype(mine.dtype).itemsize == 1 else {"fletcher32"}
        kept = [[name for name in names if name not in idle] for names in chain]
        assert kept[0] == kept[1], (at, chain)
        for key, value in references.items():
            if key.startswith(f"{at[1:]}/") and isinstance(value, list):
                _, start, size = value
                place = key.rpartition("/")[2].replace(".", "/")
                chunk = store.get(f"{at[1:]}/c/{place}")
                assert chunk is not None, key
                assert chunk[:size] == data[start : start + size], key
                seen += 1
    # kerchunk knows no checksums, and drops the arrays that have some.
    assert seen, "kerchunk refers to no chunk"
    print(f"       {seen} chunks where kerchunk refers to them")


def netcdf(
    path: Path, groups: tuple[str, ...] = ("/",), engines: tuple[str, ...] = ("netcdf4", "h5netcdf")
) -> None:
    """A file, read by xarray from it and from its copy."""
    target = copied(path)
    older = path.with_suffix(".v2.zarr")
    zom.copy(path, older, zom.from_hdf5(path, zarr_format=2).spec, verify=True)
    for group in groups:
        for engine in engines:
            check(f"{path.name} {group} by {engine} as v2", partial(same_dataset, path, older, group, engine))
            for options in ({}, {"decode_cf": False}):
                told = f"{path.name} {group} by {engine} {'raw' if options else 'decoded'}"
                check(told, partial(same_dataset, path, target, group, engine, **options))
    check(f"{path.name} beside kerchunk", partial(same_metadata, path))


# --- netCDF4 --------------------------------------------------------------------------------------------


def dimensions(file: Any) -> None:
    for name, length in {"time": None, "lat": 3, "lon": 4, "nv": 2, "strlen": 5, "unused": 9}.items():
        file.createDimension(name, length)
    file.createDimension("y", 60)
    file.createDimension("z", 70)


def by_netcdf4(folder: Path, data_model: str) -> None:
    path = folder / f"netcdf4-{data_model.lower()}.nc"
    with netCDF4.Dataset(path, "w", format=data_model) as file:
        dimensions(file)
        file.title, file.one, file.empty = "t", np.int32(3), ""
        file.several = np.array([1.0, 2.0], "f4")
        time = file.createVariable("time", "f8", ("time",))
        time.units, time.calendar = "days since 2000-01-01", "noleap"
        lat = file.createVariable("lat", "f4", ("lat",), fill_value=False)
        packed = file.createVariable(
            "packed",
            "i2",
            ("time", "lat", "lon"),
            zlib=True,
            complevel=4,
            fletcher32=True,
            chunksizes=(2, 3, 4),
            fill_value=-99,
        )
        packed.scale_factor, packed.add_offset = 0.5, 1.0
        packed.valid_range, packed.coordinates = np.array([0, 9], "i2"), "elsewhere"
        file.createVariable("plain", "f4", ("y", "z"), zlib=True)[:] = np.arange(4200).reshape(60, 70) % 9
        narrow = file.createVariable("narrow", "i2", ("lat",))
        narrow.scale_factor = np.float32(0.1)
        default = file.createVariable("default", "f4", ("lat", "lon"))
        chars = file.createVariable("chars", "S1", ("lat", "strlen"))
        several = file.createVariable("lon", "f8", ("lat", "lon"))
        scalar = file.createVariable("scalar", "i4", ())
        mask = file.createVariable("mask", "f4", ("lat",), fill_value=np.nan)
        mask.missing_value = np.float32("nan")
        time[:], lat[:], default[0], several[:], scalar[:] = np.arange(5), [1, 2, 3], 1, 2.5, 7
        packed.set_auto_maskandscale(False)
        packed[:] = np.arange(60).reshape(5, 3, 4)
        packed[1, 1] = -99
        narrow[:], mask[1:] = [1, 2, 3], 4
        chars[:] = netCDF4.stringtochar(np.array(["ab", "cde", "f"], "S5"))
        if data_model == "NETCDF4":
            netcdf4_types(file)
    groups = ("/", "/g", "/g/inner") if data_model == "NETCDF4" else ("/",)
    netcdf(path, groups, ("netcdf4",) if data_model == "NETCDF4" else ("netcdf4", "h5netcdf"))


SIGNS = {"little": "<", "big": ">"}


def netcdf4_types(file: Any) -> None:
    file.setncattr_string("words", ["a", "b"])
    text = file.createVariable("text", str, ("lat",), zlib=True)
    text[0], text[1] = "a", "üü"
    for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"):
        for order in ("little", "big"):
            made = file.createVariable(
                f"{kind}_{order}",
                f"{SIGNS[order]}{kind}",
                ("y", "z"),
                endian=order,
                zlib=True,
                fletcher32=order == "big",
            )
            made[:] = np.arange(4200).reshape(60, 70) % 100
    clouds = file.createEnumType("u1", "cloud", {"clear": 0, "cu": 1})
    file.createVariable("enum", clouds, ("lat",), fill_value=1)[:] = [0, 1, 0]
    ragged = file.createVLType("i4", "ragged")
    file.createVariable("vlen", ragged, ("lat",))
    # A variable that is called like a dimension that it doesn't have.
    file.createVariable("nv", "f8", ("lat",))[:] = 5
    group = file.createGroup("g")
    group.createDimension("x", 2)
    group.createVariable("x", "i4", ("x",))[:] = [1, 2]
    group.createVariable("w", "u1", ("lat", "x"), zlib=True)[:] = 3
    inner = group.createGroup("inner")
    inner.createVariable("lat", "f4", ("x",))[:] = 1


def netcdf4_filters(folder: Path) -> None:
    path = folder / "netcdf4-filters.nc"
    ways = [
        "zlib",
        "szip",
        "zstd",
        "bzip2",
        "blosc_lz",
        "blosc_lz4",
        "blosc_lz4hc",
        "blosc_zlib",
        "blosc_zstd",
    ]
    with netCDF4.Dataset(path, "w") as file:
        dimensions(file)
        has = {
            "zlib": True,
            **{way: getattr(file, f"has_{way.partition('_')[0]}_filter")() for way in ways[1:]},
        }
        for way in ways:
            for kind in ("i2", "f4", "f8") if has[way] else ():
                made = file.createVariable(
                    f"{way}_{kind}", kind, ("y", "z"), compression=way, fletcher32=way == "zlib"
                )
                made[:] = RANDOM.integers(0, 100, (60, 70))
    print("       netCDF4 has the filters", [way for way, there in has.items() if there])
    target = copied(path)
    check(f"{path.name} by netcdf4", partial(same_dataset, path, target, "/", "netcdf4"))


def netcdf4_compounds(folder: Path) -> None:
    path = folder / "netcdf4-compounds.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("n", 3)
        kind = np.dtype([("a", "i4"), ("b", "f8")], align=True)
        made = file.createVariable("records", file.createCompoundType(kind, "record"), ("n",))
        made[:] = np.array([(1, 2.0), (3, 4.0), (5, 6.0)], kind)
    check(f"{path.name} values", partial(same_values, path, copied(path)))


# --- h5netcdf and xarray --------------------------------------------------------------------------------


def by_h5netcdf(folder: Path) -> None:
    path = folder / "h5netcdf.nc"
    with h5netcdf.File(path, "w") as file:
        file.dimensions = {"x": 5, "only": 3}
        file.attrs["title"] = "h5netcdf"
        made = file.create_variable("v", ("x",), float, chunks=(2,), compression="gzip", shuffle=True)
        made[:] = np.arange(5.0)
        made.attrs["units"] = "m"
        file.create_variable("g/w", ("x", "only"), "i4", compression="lzf")[:] = 1
        file.create_variable("x", ("x",), "i8")[:] = np.arange(5)
    netcdf(path, ("/", "/g"), ("h5netcdf",))  # netCDF4 has no lzf


def climate() -> xr.Dataset:
    times = pd.date_range("2000-01-01", periods=20)
    values = RANDOM.standard_normal((20, 5, 6))
    masked = values.copy()
    masked[3] = np.nan
    return xr.Dataset(
        {
            "t2m": (("time", "lat", "lon"), values.astype("f4"), {"units": "K"}),
            "masked": (("time", "lat", "lon"), masked),
            "flag": ("lat", np.array([True, False, True, False, True])),
            "label": ("lon", np.array(["a", "bb", "ü", "", "e", "f"], object)),
            "bytes": ("lon", np.array([b"a", b"bb", b"c", b"d", b"e", b"f"])),
            "delta": ("time", pd.to_timedelta(np.arange(20), "h")),
            "scalar": ((), 5),
            "none": (("zero", "lat"), np.zeros((0, 5))),
        },
        coords={
            "time": times,
            "lat": np.linspace(-90, 90, 5),
            "lon": np.arange(6.0),
            "area": (("lat", "lon"), np.ones((5, 6))),
        },
        attrs={"title": "climate", "history": ["a", "b"]},
    )


def by_xarray(folder: Path, engine: str) -> None:
    encoding = {
        "t2m": {"zlib": True, "complevel": 2, "chunksizes": (7, 5, 6), "fletcher32": True},
        "masked": {"dtype": "int16", "scale_factor": 0.01, "_FillValue": -32768, "zlib": True},
    }
    path = folder / f"xarray-{engine}.nc"
    climate().to_netcdf(path, engine=engine, encoding=encoding, unlimited_dims=["time"])
    netcdf(path)


def a_tree(folder: Path) -> None:
    path = folder / "tree.nc"
    tree = xr.DataTree.from_dict(
        {"/": climate()[["t2m"]], "/a": climate()[["label"]], "/a/b": climate()[["masked"]]}
    )
    tree.to_netcdf(path)
    target = copied(path)
    expected = xr.open_datatree(path, engine="netcdf4").load()
    found = xr.open_datatree(target, engine="zarr", consolidated=False).load()
    xr.testing.assert_identical(expected, found)


# --- others ---------------------------------------------------------------------------------------------


def by_pytables(folder: Path) -> None:
    path = folder / "pandas.h5"
    frame = pd.DataFrame({"a": np.arange(50), "b": RANDOM.standard_normal(50), "c": ["x", "yy"] * 25})
    frame.to_hdf(path, key="table", format="table", data_columns=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTables pickles texts
        frame[["a", "b"]].to_hdf(path, key="fixed", mode="a")
    with tables.open_file(str(path), "a") as file:
        filters = tables.Filters(complevel=5, complib="blosc:lz4", shuffle=True)
        made = file.create_earray("/", "growing", tables.Float64Atom(), (0, 7), filters=filters)
        made.append(RANDOM.standard_normal((33, 7)))
        file.create_carray(
            "/", "zlib", obj=np.arange(99), filters=tables.Filters(complevel=1, complib="zlib")
        )
    same_values(path, copied(path))


def by_anndata(folder: Path) -> None:
    path = folder / "cells.h5ad"
    names = [f"cell{i}" for i in range(30)]
    cells = anndata.AnnData(
        scipy.sparse.random(30, 8, 0.3, "csr", "f4", rng=3),
        obs=pd.DataFrame(
            {
                "kind": pd.Categorical(RANDOM.choice(["a", "b"], 30)),
                "count": pd.array([None, *range(29)], "Int64"),
                "good": np.arange(30) % 2 == 0,
                "word": [f"w{i}" for i in range(30)],
            },
            index=names,
        ),
        var=pd.DataFrame({"mean": RANDOM.standard_normal(8)}, index=[f"gene{i}" for i in range(8)]),
        obsm={"pca": RANDOM.standard_normal((30, 3))},
        layers={"dense": RANDOM.standard_normal((30, 8))},
        uns={"title": "cells", "number": 3, "nested": {"list": np.array(["a", "b"], object), "f": 2.5}},
    )
    cells.write_h5ad(path, compression="gzip")
    assert_equal(anndata.read_h5ad(path), anndata.read_zarr(copied(path)))


PLUGINS: dict[str, Any] = {
    "blosc lz4": hdf5plugin.Blosc("lz4", 5, hdf5plugin.Blosc.SHUFFLE),
    "blosc zstd bitshuffle": hdf5plugin.Blosc("zstd", 3, hdf5plugin.Blosc.BITSHUFFLE),
    "blosc zlib noshuffle": hdf5plugin.Blosc("zlib", 9, hdf5plugin.Blosc.NOSHUFFLE),
    "blosc blosclz": hdf5plugin.Blosc("blosclz", 5),
    "blosc2": hdf5plugin.Blosc2("zstd", 5),
    "bitshuffle lz4": hdf5plugin.Bitshuffle(cname="lz4"),
    "bitshuffle zstd": hdf5plugin.Bitshuffle(cname="zstd"),
    "lz4": hdf5plugin.LZ4(),
    "zstd": hdf5plugin.Zstd(clevel=7),
    "bzip2": hdf5plugin.BZip2(),
    "zfp": hdf5plugin.Zfp(reversible=True),
}


def plugins(folder: Path) -> None:
    path = folder / "plugins.h5"
    with h5py.File(path, "w") as file:
        for name, options in PLUGINS.items():
            for kind in ("<f4", "<f8", "<i4"):
                values = (RANDOM.standard_normal((70, 90)) * 100).astype(kind)
                file.create_dataset(f"{name} {kind[1:]}", data=values, chunks=(32, 40), **options)
    found = zom.from_hdf5(path)
    print("       same bytes:", sorted({name[1:-3] for name, same in found.same_chunks.items() if same}))
    same_values(path, copied(path))


def with_a_block_before_it(folder: Path) -> None:
    path = folder / "matlab.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        file.create_dataset("x", data=np.arange(12.0).reshape(3, 4), chunks=(2, 2), compression="gzip")
        file["x"].attrs["MATLAB_class"] = np.bytes_(b"double")
        file["cells"] = np.array([file["x"].ref], h5py.ref_dtype)
    same_values(path, copied(path))
    assert [loss.code for loss in zom.from_hdf5(path).losses] == ["hdf5/data-type"]


def main() -> None:
    warnings.simplefilter("ignore", zom.SpecWarning)
    warnings.filterwarnings("ignore", module="zarr|xarray|anndata")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        acts: tuple[Callable[[Path], None], ...] = (
            partial(by_netcdf4, data_model="NETCDF4"),
            partial(by_netcdf4, data_model="NETCDF4_CLASSIC"),
            netcdf4_filters,
            netcdf4_compounds,
            by_h5netcdf,
            partial(by_xarray, engine="netcdf4"),
            partial(by_xarray, engine="h5netcdf"),
            a_tree,
            by_pytables,
            by_anndata,
            plugins,
            with_a_block_before_it,
        )
        for act in acts:
            told = f"{act.func.__name__} {act.keywords}" if isinstance(act, partial) else act.__name__
            check(told.replace("_", " "), partial(act, folder))
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    sys.exit(1 if counts["failed"] else 0)


if __name__ == "__main__":
    main()
