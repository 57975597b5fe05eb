"""Variables that are decoded alike: one is decoded by xarray, the others are made after it."""

from __future__ import annotations

import base64
import pickle
import struct

import numpy as np
import pytest

import zom
from zom import v2, v3

xr = pytest.importorskip("xarray", reason="xarray is not installed (pip install 'zom[xarray]')")

from zom.integrations.xarray.reading import decoding  # noqa: E402 - needs xarray
from zom.xarray import ZomBackend  # noqa: E402 - as above

KINDS = {
    "plain": {},
    "masked": {"_FillValue": -1},
    "packed": {"scale_factor": 0.5, "add_offset": 10.0},
    "both": {"_FillValue": -1, "scale_factor": 0.1},
    "other": {"_FillValue": -2, "scale_factor": 0.1},
    "old": {"missing_value": -1},
    "unsigned": {"_Unsigned": "true"},
    "place": {"coordinates": "lat lon", "grid_mapping": "crs"},
    "range": {"valid_range": [0, 5]},
    "units": {"units": "K"},
    "length": {"units": "days"},
    "time": {"units": "days since 2000-01-01"},
    "odd": {"units": 1},
}


def hierarchy(path, form, dtype="int16"):
    """Three variables of each kind, with coordinates and bounds."""
    build = (v2 if form == 2 else v3).ArraySpec.build

    def array(shape, kind, names, attributes, **facts):
        if form == 3 and kind in {"float32", ">f8"} and "_FillValue" in attributes:
            text = base64.standard_b64encode(struct.pack("<d", attributes["_FillValue"])).decode()
            attributes = {**attributes, "_FillValue": text}
        named = {} if form == 3 else {"_ARRAY_DIMENSIONS": names}
        given = {"dimension_names": names} if form == 3 else {}
        return build(shape=shape, dtype=kind, attributes={**attributes, **named}, **{**given, **facts})

    members = {
        f"{kind}{number}": array((2, 3), dtype, ["y", "x"], {**attributes, "long_name": f"{kind} {number}"})
        for kind, attributes in KINDS.items()
        for number in range(3)
    }
    members |= {
        "y": array((2,), "int16", ["y"], {}),
        "x": array((3,), "float32", ["x"], {"units": "m"}),
        "lat": array((2, 3), dtype, ["y", "x"], {"long_name": "latitude"}),
        "lon": array((2, 3), dtype, ["y", "x"], {"long_name": "longitude"}),
        "crs": array((), "int16", [], {}),
        "when": array((2,), "int16", ["y"], {"units": "days since 2000-01-01", "bounds": "when_bounds"}),
        "when_bounds": array((2, 3), dtype, ["y", "x"], {}),
    }
    group = (v2 if form == 2 else v3).GroupSpec(attributes={"coordinates": "crs"}, members=members)
    root = zom.materialize(group, path)
    for number, (name, each) in enumerate(root.items()):
        if name not in {"x", "y"}:
            values = np.arange(each.size).reshape(each.shape) + number - 1
            each[...] = values.astype(each.dtype)  # -1 is 255 where there is no sign
    root["y"][:], root["x"][:] = [5, 6], [1, 2, 3]
    return path


def opened(path, monkeypatch, fewest, **options):
    monkeypatch.setattr(decoding, "_FEWEST", fewest)
    return xr.open_dataset(path, engine=ZomBackend, decode_timedelta=True, **options)


@pytest.mark.slow
@pytest.mark.parametrize("form", [2, 3])
@pytest.mark.parametrize("dtype", ["int16", "uint8", "float32", ">f8"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"mask_and_scale": False},
        {"decode_times": False},
        {"decode_coords": "all"},
        {"decode_coords": False},
        {"decode_cf": False},
        {"use_zarr_fill_value_as_mask": True},
        {"mask_and_scale": {"both0": False}},
        {"drop_variables": ["masked0", "lat"]},
        {"variables": ["both1", "place2"]},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore")
def test_they_are_what_xarray_makes_of_each(tmp_path, monkeypatch, form, dtype, options):
    path = hierarchy(tmp_path / "a.zarr", form, dtype)
    options = dict(options)
    if options.pop("decode_cf", True) is False:
        options |= dict.fromkeys(
            ("mask_and_scale", "decode_times", "concat_characters", "decode_coords"), False
        )
    each = opened(path, monkeypatch, 10**9, **options)
    alike = opened(path, monkeypatch, 2, **options)
    again = pickle.loads(pickle.dumps(alike))
    assert list(alike.variables) == list(each.variables)
    for name, variable in each.variables.items():
        found = alike.variables[name]
        assert (found.dtype, found.dims, list(found.attrs)) == (
            variable.dtype,
            variable.dims,
            list(variable.attrs),
        )
        assert repr(found.encoding) == repr(variable.encoding), name
        if variable.ndim == 2:
            assert np.array_equal(found[1, ::-1], variable[1, ::-1], equal_nan=variable.dtype.kind in "fmM")
    xr.testing.assert_identical(alike, each)
    xr.testing.assert_identical(again, each)


def test_most_variables_are_not_decoded_one_by_one(tmp_path, monkeypatch):
    decoded = []
    decode = decoding.conventions.decode_cf_variables
    monkeypatch.setattr(
        decoding.conventions,
        "decode_cf_variables",
        lambda given, *rest, **how: decoded.append(len(given)) or decode(given, *rest, **how),
    )
    build = v3.ArraySpec.build
    members = {
        f"v{number}": build(
            shape=(2,),
            dtype="float32",
            dimension_names=["x"],
            attributes={"n": "a", "long_name": str(number)},
        )
        for number in range(50)
    }
    zom.materialize(v3.GroupSpec(members=members), tmp_path / "a.zarr")
    ds = opened(tmp_path / "a.zarr", monkeypatch, 8)
    assert decoded == [1]
    ds["v3"].attrs["new"] = ds["v3"].encoding["preferred_chunks"]["x"] = 1
    assert ds["v4"].attrs == {"n": "a", "long_name": "4"}
    assert ds["v4"].encoding["preferred_chunks"] == {"x": 2}


def test_what_xarray_wraps_in_another_way_is_decoded_by_it(tmp_path, monkeypatch):
    path = hierarchy(tmp_path / "a.zarr", 3)
    expected = opened(path, monkeypatch, 10**9)
    monkeypatch.setattr(decoding._Model, "of", classmethod(lambda *_: None))
    xr.testing.assert_identical(opened(path, monkeypatch, 2), expected)


@pytest.mark.parametrize("options", [{}, {"decode_cf": False}, {"create_default_indexes": False}], ids=str)
def test_a_variable_without_a_name_is_read_as_it_was_written(tmp_path, options):
    values = (("x", "y"), [[0, 1], [2, 3]])
    written = xr.Dataset({"__values__": values})  # as xarray writes it
    zom.xarray.write(written, tmp_path / "s", zarr_format=2)
    found = xr.open_dataset(tmp_path / "s", engine="zom", **options)
    xr.testing.assert_identical(found, xr.Dataset({None: values}))
