"""What `zom.conventions.xarray.dataset` builds, stored and filled by zom, opened by xarray."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

import zom
from zom.conventions.xarray import Variable, dataset

if TYPE_CHECKING:
    from pathlib import Path

SIZES = {"time": 4, "lat": 2, "lon": 3}
TEMPERATURE = Variable(
    ("time", "lat", "lon"),
    "int16",
    units="K",
    scale_factor=0.01,
    add_offset=273.15,
    missing=-32768,
    chunks={"time": 1},
)
COORDINATES = {
    "time": Variable("time", "int64", units="days since 2000-01-01", calendar="standard"),
    "lat": Variable("lat", "float64", units="degrees_north"),
    "lon": Variable("lon", "float64"),
    "area": Variable(("lat", "lon"), "float32", missing=float("nan")),
    "run": Variable((), "int32"),
    "stray": Variable("station", "int8"),
}


def _group(zarr_format: int, groups: dict[str, Any]) -> Any:
    return dataset(
        {**SIZES, "station": 5},
        {
            "t2m": TEMPERATURE,
            "count": Variable(("lat", "lon"), "uint16", compress=None),
            "steps": Variable("time", "float32", scale_factor=2, missing=-1),
            "whole": Variable("time", "float64", missing=float("nan")),
        },
        coordinates=COORDINATES,
        attributes={"title": "built"},
        groups=groups,
        zarr_format=zarr_format,  # type: ignore[call-overload]
    )


def _values() -> dict[str, Any]:
    packed = np.arange(24, dtype="int16").reshape(4, 2, 3)
    packed[0, 0, 0] = -32768
    return {
        "t2m": packed,
        "count": np.arange(6, dtype="uint16").reshape(2, 3),
        "steps": np.array([-1, 1, 2, 3], "float32"),
        "time": np.arange(4),
        "lat": np.array([10.0, 20.0]),
        "lon": np.array([1.0, 2.0, 3.0]),
        "area": np.ones((2, 3), "float32"),
        "run": np.int32(7),
        "stray": np.arange(5, dtype="int8"),
    }


def opens_alike(folder: Path, zarr_format: int) -> None:
    """Build a tree of two groups, validate, store, fill; xarray has to find all that was said."""
    below = dataset(
        {"time": 4, "x": 9},
        {"v": Variable(("time", "x"), "float32")},
        coordinates={"x": Variable("x", "float32")},
        zarr_format=zarr_format,  # type: ignore[call-overload]
    )
    spec = _group(zarr_format, {"below": below})
    report = zom.validate(spec, conventions=["xarray"])
    if list(report):
        raise AssertionError("\n".join(map(str, report)))
    root = zom.materialize(spec, str(folder))
    values = _values()
    for name, value in values.items():
        root[name][...] = value
    root["below"]["x"][...] = np.arange(9, dtype="float32")
    tree = xr.open_datatree(folder, engine="zarr", consolidated=False)
    found = tree.to_dataset().load()
    _equal(set(found.coords), set(COORDINATES))
    _equal(set(found.data_vars), {"t2m", "count", "steps", "whole"})
    _equal(dict(found.sizes), {**SIZES, "station": 5})
    _equal(found.attrs, {"title": "built"})
    _equal(sorted(map(str, found.indexes)), ["lat", "lon", "time"])
    _equal(dict(tree["below"].to_dataset(inherit=False).sizes), {"time": 4, "x": 9})
    expected = values["t2m"] * 0.01 + 273.15
    expected[0, 0, 0] = np.nan
    np.testing.assert_allclose(found["t2m"].values, expected, rtol=1e-6)
    np.testing.assert_array_equal(found["count"].values, values["count"])
    np.testing.assert_array_equal(found["steps"].values, np.array([np.nan, 2, 4, 6]))
    np.testing.assert_array_equal(
        found["time"].values, np.arange("2000-01-01", "2000-01-05", dtype="datetime64[D]")
    )
    if not np.isnan(found["whole"].values).all():
        raise AssertionError(f"expected nothing but missing values, found {found['whole'].values}")
    again = folder.with_name(f"{folder.name}-again")
    tree.to_zarr(again, zarr_format=zarr_format, consolidated=False)
    report = zom.validate(str(again), conventions=["xarray"])
    problems = [str(problem) for problem in report if problem.severity == "error"]
    _equal(problems, [])


KINDS: dict[str, Any] = {
    "str": np.array(["a", "bb", ""], object),
    "U5": np.array(["a", "bb", "ccc"]),
    "S3": np.array([b"a", b"b", b"ccc"]),
    "bool": np.array([True, False, True]),
    "complex64": np.array([0, 1j, 2], "complex64"),
    "float16": np.array([0, 1, 2], "float16"),
    "uint64": np.array([0, 1, 1 << 63], "uint64"),
    "datetime64[ns]": np.array([0, 1, 2], "datetime64[ns]"),
    "timedelta64[s]": np.array([0, 1, 2], "timedelta64[s]"),
}
"""Values of every kind of data type."""


def kinds_open(folder: Path, zarr_format: int) -> None:
    """A variable of each kind of data type comes back as it was written."""
    variables = {f"v{place}": Variable("x", dtype) for place, dtype in enumerate(KINDS)}
    spec: Any = dataset({"x": 3}, variables, zarr_format=zarr_format)  # type: ignore[call-overload]
    root = zom.materialize(spec, str(folder))
    for name, value in zip(variables, KINDS.values(), strict=True):
        root[name][...] = value
    found = xr.open_zarr(folder, consolidated=False, chunks=None).load()
    for name, value in zip(variables, KINDS.values(), strict=True):
        _equal(list(found[name].values), list(value))


def _equal(found: Any, expected: Any) -> None:
    if found != expected:
        raise AssertionError(f"expected {expected!r}, found {found!r}")
