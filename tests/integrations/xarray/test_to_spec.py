"""Specs of datasets: the documents that xarray would write, without touching data.

`tests/interop/xarray_writing.py` compares them with those that xarray and zarr-python do write.
"""

from __future__ import annotations

import sys

import numpy as np
import pytest

import zom
from zom import v2, v3
from zom.errors import SpecError

xr = pytest.importorskip("xarray", reason="xarray is not installed (pip install 'zom[xarray]')")

from xarray.backends import BackendArray  # noqa: E402
from xarray.core import indexing  # noqa: E402


class Untouchable(BackendArray):
    """Data in a file that nobody may read."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, np.dtype(dtype)

    def __getitem__(self, key):
        message = f"data was read: {key}"
        raise AssertionError(message)


def unread(dims, shape, kind, **encoding):
    return xr.Variable(dims, indexing.LazilyIndexedArray(Untouchable(shape, kind)), {}, encoding)


def uncomputed(shape, chunks, dtype="f8"):
    da = pytest.importorskip("dask.array", reason="dask is not installed (pip install 'zom[dask]')")

    def fail(block):
        message = "data was computed"
        raise AssertionError(message)

    data = da.zeros(shape, chunks=chunks, dtype=dtype)
    return data.map_blocks(fail, dtype=dtype, meta=np.empty((0,) * data.ndim, dtype))


def test_a_v3_document_is_what_xarray_writes():
    # Written by xarray 2026.9.0 and zarr-python 3.4.2.
    written = {
        "shape": [3, 4],
        "data_type": "float32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3, 4]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": "NaN",
        "codecs": [
            {"name": "bytes", "configuration": {"endian": "little"}},
            {"name": "zstd", "configuration": {"level": 0, "checksum": False}},
        ],
        "attributes": {"a": 1, "coordinates": "lab", "_FillValue": "AAAAAAAA+H8="},
        "dimension_names": ["y", "x"],
        "zarr_format": 3,
        "node_type": "array",
        "storage_transformers": [],
    }
    ds = xr.Dataset(
        {"f": (("y", "x"), np.ones((3, 4), "f4"), {"a": np.int64(1)})}, {"lab": ("x", list("abcd"))}
    )
    assert zom.xarray.to_spec(ds)["f"].like(v3.ArraySpec.parse(written))


def test_a_v2_document_is_what_xarray_writes():
    written = {
        "shape": [4],
        "chunks": [4],
        "dtype": "<i2",
        "fill_value": -9,
        "order": "C",
        "filters": None,
        "dimension_separator": ".",
        "compressor": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
        "zarr_format": 2,
        "attributes": {"scale_factor": 0.1, "_ARRAY_DIMENSIONS": ["x"]},
    }
    ds = xr.Dataset({"packed": ("x", np.arange(4.0))})
    ds.packed.encoding = {"dtype": "i2", "scale_factor": 0.1, "_FillValue": -9}
    assert zom.xarray.to_spec(ds, zarr_format=2)["packed"].like(v2.ArraySpec.parse(written))


@pytest.mark.parametrize("number", [2, 3])
def test_data_that_is_not_in_memory_is_not_read(number):
    packed = unread(("t", "x"), (10**6, 10**6), "f8", dtype="i2", scale_factor=0.5, _FillValue=-1)
    times = unread("t", (10**6,), "M8[ns]", units="days since 2000-01-01", dtype=np.dtype("f8"))
    plain = unread("t", (10**6,), "M8[ms]")
    text = unread("t", (10**6,), np.dtype("O", metadata={"element_type": str}))
    names = {"packed": packed, "times": times, "plain": plain, "text": text}
    spec = zom.xarray.to_spec(xr.Dataset(names), zarr_format=number)
    assert spec["packed"].shape == (10**6, 10**6)
    assert spec["times"].attributes["units"] == "days since 2000-01-01"
    assert spec["plain"].attributes["units"] == "milliseconds since 1970-01-01"
    types = {name: zom.create_array("memory:", spec[name]).dtype for name in names}
    assert {name: types[name] for name in ("packed", "times", "plain")} == {
        "packed": "i2",
        "times": "f8",
        "plain": "i8",
    }
    assert types["text"].kind in "OT"


@pytest.mark.parametrize("number", [2, 3])
def test_dask_data_is_not_computed(number):
    ds = xr.Dataset(
        {
            "a": (("y", "x"), uncomputed((8, 9), (4, 3))),
            "t": ("y", uncomputed(8, 4, "M8[ns]")),
            "d": ("y", uncomputed(8, 4, "m8[s]")),
            "s": ("y", uncomputed(8, 4, "U5")),
        }
    )
    ds["a"].encoding = {"dtype": "int16", "scale_factor": 0.1, "_FillValue": -1}
    spec = zom.xarray.to_spec(ds, zarr_format=number)
    assert zom.create_array("memory:", spec["a"]).chunks == (4, 3)
    assert spec["t"].attributes["units"] == "nanoseconds since 1970-01-01"
    assert spec["d"].attributes["units"] == "seconds"


def test_lazy_objects_are_refused_since_only_values_tell_their_type():
    ds = xr.Dataset({"o": unread("x", (3,), "O")})
    with pytest.raises(SpecError, match=r"o: expected an element type that is known without computing"):
        zom.xarray.to_spec(ds)
    with pytest.raises(SpecError, match=r"load it with \.load\(\), or set its type with \.astype\(\)"):
        zom.xarray.to_spec(xr.Dataset({"o": ("x", uncomputed(4, 2, "O"))}))


def test_large_data_in_memory_is_not_copied():
    # A view of one element: packing it would take terabytes.
    huge = np.broadcast_to(np.float32(1), (10**6, 10**6))
    ds = xr.Dataset({"a": (("y", "x"), huge, {}, {"dtype": "i2", "scale_factor": 0.1, "_FillValue": 0})})
    assert zom.xarray.to_spec(ds)["a"].data_type == "int16"


def test_the_dataset_stays_what_it_was():
    ds = xr.Dataset(
        {"a": ("x", [1.0], {"units": "m"}, {"dtype": "i2", "_FillValue": 1})}, {"c": ("x", ["n"])}
    )
    before = {name: (dict(each.attrs), dict(each.encoding)) for name, each in ds.variables.items()}
    zom.xarray.to_spec(ds)
    assert {name: (dict(each.attrs), dict(each.encoding)) for name, each in ds.variables.items()} == before


def test_groups_of_a_tree_become_groups():
    tree = xr.DataTree.from_dict(
        {
            "/": xr.Dataset({"z": ("x", [1, 2])}, {"x": [3, 4]}, {"title": "tree"}),
            "/a/b": xr.Dataset({"v": ("x", [1.0, 2.0])}),
            "/c": xr.Dataset(attrs={"n": 1}),
        }
    )
    spec = zom.xarray.to_spec(tree, encoding={"/a/b": {"v": {"chunks": (1,)}}})
    # The coordinate x is inherited, and stored once.
    assert sorted(spec.flatten()) == ["/", "/a", "/a/b", "/a/b/v", "/c", "/x", "/z"]
    assert spec["a/b/v"].chunk_grid["configuration"] == {"chunk_shape": [1]}
    assert spec["c"].attributes == {"n": 1}


def test_an_array_becomes_a_group_with_its_coordinates():
    array = xr.DataArray([1, 2], dims="x", coords={"x": [5, 6], "label": ("x", ["a", "b"])}, name="a")
    assert sorted(zom.xarray.to_spec(array).members) == ["a", "label", "x"]


def test_an_array_without_a_name_is_refused_in_v3_which_reserves_the_one_that_xarray_chooses():
    array = xr.DataArray([1, 2], dims="x")
    assert list(zom.xarray.to_spec(array, zarr_format=2).members) == ["__xarray_dataarray_variable__"]
    with pytest.raises(SpecError, match=r"name: expected a unique name for the array, found .*rename\(\)"):
        zom.xarray.to_spec(array)


DS = xr.Dataset({"a": (("y", "x"), np.zeros((4, 6)))})


@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        ({"b": {}}, r"encoding: expected names of variables: a, found .*b"),
        ({"a": {"chunk": 3}}, r"a\.encoding.*: expected names for Zarr v3: .*found .*chunk"),
        ({"a": {"chunks": (0, 3)}}, r"expected lengths of at least 1, or -1 for all"),
        ({"a": {"chunks": ((2, 2), 6)}}, r"expected one length for each dimension"),
        ({"a": {"chunks": (2, 3), "shards": (4,)}}, r"shards.*expected 2 lengths"),
        (
            {"a": {"compressors": ({"id": "zlib"},)}},
            r"compressors.*expected codecs of v3, each with its 'name'",
        ),
        ({"a": {"chunks": (2, 3), "shards": "huge"}}, r'expected lengths of shards, or "auto"'),
    ],
)
def test_an_encoding_that_zarr_does_not_know_is_refused(encoding, message):
    with pytest.raises(SpecError, match=message):
        zom.xarray.to_spec(DS, encoding=encoding)


@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        ({"a": {"fill_value": 3}}, r"use _FillValue for the fill value of v2"),
        (
            {"a": {"chunks": (2, 3), "shards": (4, 6)}},
            r"expected none, as v2 has no shards.*zarr_format=3",
        ),
        ({"a": {"serializer": {"name": "bytes"}}}, r"expected none, as v2 has no serializer"),
        (
            {"a": {"compressors": ({"id": "zlib"}, {"id": "bz2"})}},
            r"expected one compressor, the maximum in v2",
        ),
    ],
)
def test_what_only_v3_has_is_refused_for_v2(encoding, message):
    with pytest.raises(SpecError, match=message):
        zom.xarray.to_spec(DS, zarr_format=2, encoding=encoding)


def test_what_is_no_dataset_is_refused():
    with pytest.raises(
        SpecError, match=r"data: expected a Dataset, DataTree or DataArray of xarray, found .*dict"
    ):
        zom.xarray.to_spec({})
    with pytest.raises(SpecError, match=r"zarr_format: expected 2 or 3, found 4"):
        zom.xarray.to_spec(DS, zarr_format=4)
    with pytest.raises(SpecError, match=r"expected variables whose names are text, found 3.*\.rename\(\)"):
        zom.xarray.to_spec(xr.Dataset({3: ("x", [1])}))
    with pytest.raises(SpecError, match=r"encoding: expected paths of groups: /, found .*nope"):
        zom.xarray.to_spec(xr.DataTree(DS), encoding={"/nope": {}})


def test_uneven_dask_chunks_need_an_encoding():
    ds = xr.Dataset({"a": ("x", uncomputed(9, ((2, 4, 3),)))})
    with pytest.raises(SpecError, match=r"expected data chunks of one length along dimension 0.*rechunk it"):
        zom.xarray.to_spec(ds)
    spec = zom.xarray.to_spec(ds, encoding={"a": {"chunks": (3,)}})
    assert spec["a"].chunk_grid["configuration"] == {"chunk_shape": [3]}


@pytest.mark.parametrize("module", [zom.v2, zom.v3], ids=lambda module: module.__name__)
def test_from_tree_keeps_coordinates_and_attributes(module):
    ds = xr.Dataset({"a": ("x", [1, 2], {"units": "m"})}, {"x": [5, 6], "n": 3}, {"title": "kept"})
    spec = module.GroupSpec.from_tree(ds)
    assert type(spec) is module.GroupSpec
    assert sorted(spec.members) == ["a", "n", "x"]
    assert spec.attributes["title"] == "kept"
    assert spec["a"].attributes["units"] == "m"
    assert zom.create_array("memory:", spec["a"]).dimension_names == ("x",)


def test_xarray_writes_no_draft():
    with pytest.raises(
        SpecError, match=r"tree: expected a format that xarray writes, v2 or v3, found .*draft of v3"
    ):
        zom.draft.GroupSpec.from_tree(xr.Dataset({"a": ("x", [1, 2])}))


def test_from_tree_takes_datasets_and_trees_within_mappings():
    ds = xr.Dataset({"a": ("x", [1, 2])}, attrs={"title": "kept"})
    tree = {"one": ds, "more/two": xr.DataTree(ds), "array": ds["a"]}
    spec = v3.GroupSpec.from_tree(tree, attributes={"n": 1})
    paths = ["/", "/array", "/more", "/more/two", "/more/two/a", "/one", "/one/a"]
    assert sorted(spec.flatten()) == paths
    assert spec["one"].attributes == spec["more/two"].attributes == {"title": "kept"}
    assert spec.attributes == {"n": 1}


def test_from_tree_of_a_data_array_is_its_group():
    array = xr.DataArray([1, 2], dims="x", coords={"x": [5, 6]}, name="a")
    assert sorted(v3.GroupSpec.from_tree(array).members) == ["a", "x"]


def test_attributes_that_are_given_take_the_place_of_those_of_the_dataset():
    assert v3.GroupSpec.from_tree(DS.assign_attrs(a=1), attributes={"b": 2}).attributes == {"b": 2}


def test_missing_xarray_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(zom.ExtensionError, match=r"xarray is not installed; pip install 'zom\[xarray\]'"):
        zom.from_xarray(DS)
