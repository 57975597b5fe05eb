"""Attributes of HDF5: what JSON keeps of them, and what is bookkeeping."""

from __future__ import annotations

import base64
import struct

import numpy as np
import pytest

import zom

h5py = pytest.importorskip("h5py", reason="h5py is not installed (pip install 'zom[hdf5]')")

TEXT = h5py.string_dtype()


def attributes(file, name="/"):
    found = zom.from_hdf5(file)
    node = found.spec if name == "/" else found.spec[name]
    return dict(node.document.get("attributes") or {}), [
        (loss.code, loss.found) for loss in found.losses if loss.code.startswith("hdf5/attribute")
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int16(3), 3),
        (np.uint64(2**64 - 1), 2**64 - 1),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.array([1, 2], ">i4"), [1, 2]),
        (np.array([[1.5, 2.5]]), [[1.5, 2.5]]),
        (np.array([3]), [3]),
        ("ü", "ü"),
        (np.bytes_(b"abc"), "abc"),
        (np.array([b"a", b"bcd"]), ["a", "bcd"]),
        (np.array(["a", "ü"], TEXT), ["a", "ü"]),
        (np.array([[True], [False]]), [[True], [False]]),
        (h5py.Empty("f8"), []),
        (h5py.Empty("S1"), ""),
        (h5py.Empty(TEXT), ""),
        (np.array([], "i4"), []),
        (np.array(1, h5py.enum_dtype({"A": 0, "B": 1})), 1),
    ],
    ids=repr,
)
def test_an_attribute_is_json(file, value, expected):
    file.attrs.create("x", value, dtype=getattr(value, "dtype", None)) if not isinstance(
        value, (str, h5py.Empty)
    ) else file.attrs.__setitem__("x", value)
    assert attributes(file) == ({"x": expected}, [])


@pytest.mark.parametrize(
    ("value", "expected", "loss"),
    [
        (np.complex64(1 + 2j), [1.0, 2.0], "complex64"),
        (np.array((1, 2.5), [("a", "i4"), ("b", "f8")]), {"a": 1, "b": 2.5}, None),
        (np.array([(1, 2.5)], [("a", "i4"), ("b", "f8")]), [{"a": 1, "b": 2.5}], None),
    ],
    ids=["complex", "record", "records"],
)
def test_what_becomes_something_else_is_noted(file, value, expected, loss):
    file.attrs["x"] = value
    found, losses = attributes(file)
    assert found == {"x": expected}
    assert [code for code, _ in losses] == ["hdf5/attribute-form"]
    assert loss is None or losses[0][1] == loss


def test_sequences_of_any_length_are_lists(file):
    value = np.empty(2, h5py.vlen_dtype("i4"))
    value[0], value[1] = np.array([1, 2], "i4"), np.array([3], "i4")
    file.attrs.create("x", value, dtype=h5py.vlen_dtype("i4"))
    assert attributes(file) == ({"x": [[1, 2], [3]]}, [])


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("ref", "references to other objects"),
        (np.void(b"abc"), "3 opaque bytes"),
    ],
    ids=["reference", "opaque"],
)
def test_what_json_can_not_hold_is_dropped(file, value, found):
    file.attrs["x"] = file.ref if isinstance(value, str) else value
    assert attributes(file) == ({}, [("hdf5/attribute", found)])


def test_bytes_that_are_no_text_are_replaced(file):
    file.attrs["x"] = np.bytes_(b"a\xff")
    found, losses = attributes(file)
    assert (found, losses[0][0]) == ({"x": "a\ufffd"}, "hdf5/attribute")


def test_nan_is_kept_and_told(file):
    file.attrs["x"] = np.nan
    found = zom.from_hdf5(file)
    assert np.isnan(found.spec.attributes["x"])
    assert [loss.code for loss in found.losses] == ["json/not-finite"]


def test_netcdf_has_no_lists_of_one(file):
    file.attrs["_NCProperties"] = "version=2,netcdf=4.9"
    file.attrs["one"] = np.array([3], "i4")
    file.attrs["text"] = np.array(["a"], TEXT)
    file.attrs["two"] = np.array([3, 4], "i4")
    assert attributes(file) == ({"one": 3, "text": "a", "two": [3, 4]}, [])


def test_the_class_of_an_image_is_no_bookkeeping(file):
    file["x"] = np.zeros((2, 2), "u1")
    file["x"].attrs["CLASS"] = np.bytes_(b"IMAGE")
    file["x"].attrs["NAME"] = "a picture"
    assert attributes(file, "x")[0] == {"CLASS": "IMAGE", "NAME": "a picture"}


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [
        ("f4", -999.0, base64.b64encode(struct.pack("<d", -999.0)).decode()),
        ("f8", np.nan, "AAAAAAAA+H8="),
        (">i2", -1, -1),
        ("u8", 2**64 - 1, 2**64 - 1),
        ("S1", b"x", "eA=="),
    ],
    ids=str,
)
def test_the_mask_is_spelled_as_xarray_reads_it(file, dtype, value, expected):
    file["x"] = np.zeros(2, dtype)
    file["x"].attrs.create("_FillValue", np.array([value], dtype))
    assert attributes(file, "x") == ({"_FillValue": expected}, [])


def test_a_mask_that_no_attribute_can_hold_is_dropped(file):
    file["x"] = np.zeros(2, [("a", "i4")])
    file["x"].attrs.create("_FillValue", np.array([(1,)], [("a", "i4")]))
    found, losses = attributes(file, "x")
    assert (found, losses[0][0]) == ({}, "hdf5/attribute")


def test_a_narrow_scale_factor_is_noted(file):
    file["x"] = np.zeros(2, "i2")
    file["x"].attrs["scale_factor"] = np.float32(0.1)
    assert attributes(file, "x")[1] == [("hdf5/attribute-form", "float32")]


def test_names_that_flags_have_already_are_kept(file):
    file.create_dataset("x", data=[0], dtype=h5py.enum_dtype({"A": 0}, "i1"))
    file["x"].attrs["flag_meanings"] = "nothing"
    assert attributes(file, "x")[0] == {"flag_meanings": "nothing"}


def test_a_name_that_is_not_in_utf_8_is_dropped(file):
    space = h5py.h5s.create(h5py.h5s.SCALAR)
    h5py.h5a.create(file.id, b"bad\xff", h5py.h5t.NATIVE_INT32, space)
    file.attrs["good"] = 1
    assert attributes(file) == ({"good": 1}, [("hdf5/attribute", "a name that is not in UTF-8")])


@pytest.mark.parametrize("kind", [h5py.string_dtype(), "S3"], ids=["any", "fixed"])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_mask_of_text_that_is_not_in_utf_8_is_dropped(file, kind, zarr_format):
    made = file.create_dataset("x", data=["a"], dtype=h5py.string_dtype())
    made.attrs.create("_FillValue", b"M\xfc", dtype=kind)
    found = zom.from_hdf5(file, zarr_format=zarr_format)
    assert "_FillValue" not in (found.spec["x"].attributes or {})
    told = [loss.found for loss in found.losses if loss.code == "hdf5/attribute"]
    assert len(told) == 1
    assert told[0].startswith("text that is not in UTF-8")
