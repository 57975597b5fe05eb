"""Unlimited dimensions that some arrays never filled: all have the length of the longest."""

from __future__ import annotations

import numpy as np
import pytest

import zom
from zom.stores.memory import MemoryStore

h5py = pytest.importorskip("h5py", reason="h5py is not installed (pip install 'zom[hdf5]')")


def scale(file, name, length, most=None):
    made = file.create_dataset(name, (length,), "f4", maxshape=(most,), chunks=(2,))
    made.make_scale(f"This is a netCDF dimension but not a netCDF variable.{length:10}")
    return made


def variable(file, name, values, *scales, **options):
    values = np.asarray(values, "i4")
    most = tuple(each.maxshape[0] for each in scales)
    made = file.create_dataset(name, data=values, maxshape=most, fillvalue=-9, **options)
    for axis, each in enumerate(scales):
        made.dims[axis].attach_scale(each)
    return made


def copied(file):
    target = MemoryStore()
    zom.copy(zom.store(file), target, verify=True)
    return zom.open(target)


@pytest.mark.parametrize("compression", ["gzip", "lzf", None])
@pytest.mark.parametrize("chunk", [1, 2, 3, 4])
def test_all_arrays_are_as_long_as_the_longest(file, chunk, compression):
    time = scale(file, "time", 0)
    options = {"chunks": (chunk,), "compression": compression}
    for name, values in {"a": [1, 2, 3, 4, 5], "b": [1, 2], "c": []}.items():
        variable(file, name, values, time, **options)
    root = copied(file)
    assert root["a"][...].tolist() == [1, 2, 3, 4, 5]
    assert root["b"][...].tolist() == [1, 2, -9, -9, -9]
    assert root["c"][...].tolist() == [-9] * 5
    found = zom.from_hdf5(file)
    told = [loss for loss in found.losses if loss.code == "hdf5/unlimited-dimension"]
    assert [(loss.severity, loss.node, loss.found) for loss in told] == [
        ("note", "/b", "[2]"),
        ("note", "/c", "[0]"),
    ]
    # Nothing is written for what is not there.
    store = zom.store(file)
    assert len([key for key in store.list("b/") if "/c/" in key]) == -(-2 // chunk)
    assert [key for key in store.list("c/") if "/c/" in key] == []
    assert store.get("c/c/0") is None
    assert store.get(f"b/c/{4 // chunk}") is None or chunk > 2


def test_what_lies_behind_the_end_of_a_dataset_is_not_shown(file):
    """HDF5 says nothing of those bytes: a writer without fill values leaves there what was in memory."""
    time = scale(file, "time", 4)
    made = variable(file, "b", [1, 2], time, chunks=(4,))
    made.id.write_direct_chunk((0,), np.array([1, 2, 77, 78], "i4").tobytes())
    assert copied(file)["b"][...].tolist() == [1, 2, -9, -9]


def test_the_length_of_the_scale_counts(file):
    variable(file, "b", [1], scale(file, "time", 3), chunks=(2,))
    assert zom.from_hdf5(file).spec["b"].shape == (3,)


def test_a_coordinate_is_its_own_scale(file):
    time = file.create_dataset("time", data=np.arange(2), maxshape=(None,), chunks=(2,))
    time.make_scale()
    variable(file, "g/b", [1, 2, 3], time)
    found = zom.from_hdf5(file)
    assert (found.spec["time"].shape, found.spec["g/b"].shape) == ((3,), (3,))
    assert copied(file)["time"][...].tolist() == [0, 1, 0]


def test_a_part_of_a_file_has_the_length_too(file):
    variable(file, "g/b", [1], scale(file, "time", 3), chunks=(2,))
    assert zom.from_hdf5(file["g"]).spec["b"].shape == (3,)


def test_several_dimensions_grow_each_for_itself(file):
    time, x, m = scale(file, "time", 0), scale(file, "x", 2, 2), scale(file, "m", 0)
    variable(file, "a", [1, 2, 3], time)
    variable(file, "b", [[[1], [2]]], time, x, m, chunks=(2, 1, 2))
    variable(file, "c", [5, 6], m)
    expected = np.full((3, 2, 2), -9)
    expected[0, :, 0] = 1, 2
    np.testing.assert_array_equal(copied(file)["b"][...], expected)


def test_a_coordinate_of_several_dimensions_has_the_length_of_each(file):
    file.attrs["_NCProperties"] = "version=2"
    time, x = scale(file, "time", 3), scale(file, "x", 2, 2)
    for number, each in enumerate((time, x)):
        each.attrs["_Netcdf4Dimid"] = np.int32(number)
    made = file.create_dataset("lon", (1, 2), "i4", maxshape=(None, 2))
    made.attrs["_Netcdf4Coordinates"] = np.array([0, 1], "i4")
    assert zom.from_hdf5(file).spec["lon"].shape == (3, 2)


def test_other_shapes_stay(file):
    fixed, time = scale(file, "fixed", 5, 5), scale(file, "time", 4)
    made = file.create_dataset("a", data=[1, 2], maxshape=(None,))
    made.dims[0].attach_scale(fixed)
    made = file.create_dataset("b", data=[1, 2], maxshape=(2,))
    made.dims[0].attach_scale(time)
    file.create_dataset("c", data=[1], maxshape=(None,))
    file.create_dataset("d", data=[1, 2], maxshape=(None,))
    found = zom.from_hdf5(file)
    assert {name: each.shape for name, each in found.spec.members.items()} == {
        "a": (2,),
        "b": (2,),
        "c": (1,),
        "d": (2,),
    }


@pytest.mark.parametrize("length", [0, 2])
@pytest.mark.parametrize("chunks", [True, None])
def test_arrays_without_elements_are_copied(file, length, chunks):
    file.create_dataset("x", (length, 0), "i4", chunks=chunks and (2, 2), maxshape=chunks and (None, None))
    variable(file, "never", [], scale(file, "time", 0), chunks=(2,), compression="gzip")
    root = copied(file)
    assert (root["x"].shape, root["never"].shape) == ((length, 0), (0,))
    assert list(zom.store(file).list("x/")) == ["x/zarr.json"]
    assert zom.store(file).get("x/c/0/0") is None


@pytest.mark.parametrize(("mask", "expected"), [(None, -2147483647), (-5, -5)])
def test_without_a_fill_value_netcdf_fills_with_its_own(file, mask, expected):
    file.attrs["_NCProperties"] = "version=2"
    made = file.create_dataset("b", data=np.array([1], "i4"), maxshape=(None,), chunks=(2,))
    made.dims[0].attach_scale(scale(file, "time", 3))
    if mask is not None:
        made.attrs["_FillValue"] = np.array([mask], "i4")
    assert copied(file)["b"][...].tolist() == [1, expected, expected]


def test_text_ends_in_empty_text(file):
    time = scale(file, "time", 3)
    made = file.create_dataset("s", data=["q"], dtype=h5py.string_dtype(), maxshape=(None,), chunks=(2,))
    made.dims[0].attach_scale(time)
    assert copied(file)["s"][...].tolist() == ["q", "", ""]
