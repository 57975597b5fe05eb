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


def test_names_of_an_enumeration_are_noted(file):
    file.attrs.create("x", 1, dtype=h5py.enum_dtype({"A": 0, "B": 1}))
    assert attributes(file) == ({"x": 1}, [("hdf5/attribute-form", "an enumeration: A = 0, B = 1")])
    assert zom.from_hdf5(file).losses[0].fix == "the names are dropped"


@pytest.mark.skipif(np.dtype("g").itemsize == 8, reason="numbers have at most 64 bits here")
def test_a_number_that_is_rounded_is_noted(file):
    file.attrs["x"] = np.longdouble(1) / 3
    assert attributes(file) == ({"x": 1 / 3}, [("hdf5/attribute-form", str(np.dtype("g")))])
    assert zom.from_hdf5(file).losses[0].fix == "it is rounded to float64"


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


def sequence(dtype, *items):
    value = np.empty(1, object)
    value[0] = np.array(items, dtype)
    return value, h5py.vlen_dtype(dtype)


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda file: sequence(h5py.ref_dtype, file.ref), "sequences of references to other objects"),
        (lambda _: sequence("V3", b"abc"), "sequences of 3 opaque bytes"),
        (
            lambda _: (np.array((1, b"abc"), kind := np.dtype([("a", "i4"), ("o", "V3")])), kind),
            'a compound whose field "o" has 3 opaque bytes',
        ),
        (
            lambda _: (
                np.array((1, ([b"a", b"b"],)), kind := np.dtype([("a", "i4"), ("n", [("o", "V1", 2)])])),
                kind,
            ),
            'a compound whose field "n" has a compound whose field "o" has 1 opaque bytes',
        ),
    ],
    ids=["references", "opaque", "field", "nested"],
)
def test_what_json_can_not_hold_is_found_at_any_depth(file, make, found):
    value, dtype = make(file)
    file.attrs.create("x", value, dtype=dtype)
    file["t"] = [1]
    assert attributes(file) == ({}, [("hdf5/attribute", found)])


def test_attributes_of_a_named_type_are_reported(file):
    file["g/t"] = np.dtype("i4")
    file["g/t"].attrs["units"] = "K"
    [loss] = zom.from_hdf5(file).losses
    assert (loss.code, loss.node, loss.found) == (
        "hdf5/attribute",
        "/g",
        'those of the named type "t": "units"',
    )
    assert loss.fix == "they are dropped; copy them to the datasets of that type"


@pytest.mark.parametrize("name", ["CLASS", "NAME", "_FillValue", "units"])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_an_attribute_of_a_type_that_h5py_can_not_read_is_reported(file, name, zarr_format):
    file["x"] = [1, 2]
    if name == "NAME":
        file["x"].attrs["CLASS"] = np.bytes_(b"DIMENSION_SCALE")
    space = h5py.h5s.create(h5py.h5s.SCALAR)
    h5py.h5a.create(file["x"].id, name.encode(), h5py.h5t.UNIX_D32LE, space)
    found = zom.from_hdf5(file, zarr_format=zarr_format)
    assert found.spec["x"].shape == (2,)
    assert name == "NAME" or "hdf5/attribute" in {loss.code for loss in found.losses}


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
