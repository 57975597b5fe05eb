"""xarray's engine "zom": what is opened, by which arguments, and what is refused. zom writes the stores here.

tests/interop/xarray_engine.py compares with xarray's engine "zarr", on stores that zarr-python wrote.
"""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import zom
from zom import v2, v3
from zom.errors import NotFound, SpecError, StoreError
from zom.stores.memory import MemoryStore
from zom.stores.wrap import WrapperStore

xr = pytest.importorskip("xarray", reason="xarray is not installed (pip install 'zom[xarray]')")

from zom.integrations.xarray.backend import ZomBackend  # noqa: E402

ROOT = Path(__file__).parents[3]
NAN = "AAAAAAAA+H8="
"""NaN, as xarray spells the attribute _FillValue in v3."""


class Counted(WrapperStore):
    """A store that answers late, and counts the round trips of what it is asked."""

    def __init__(self, inner):
        super().__init__(inner)
        self.capabilities = replace(inner.capabilities, parallel=8)
        self.trips = []

    def _read(self, key, byte_range):
        self.trips.append([key])
        return super()._read(key, byte_range)

    def _read_many(self, requests):
        self.trips.append([key for key, _ in requests])
        return super()._read_many(requests)

    def _list_dir(self, prefix):
        self.trips.append([f"{prefix}*"])
        return super()._list_dir(prefix)


def array(form, dims, shape, dtype, *, attributes=None, **build):
    """The spec of an array with named dimensions."""
    attributes = attributes or {}
    if form is v3:
        return v3.ArraySpec.build(
            shape=shape, dtype=dtype, dimension_names=dims, attributes=attributes, **build
        )
    return v2.ArraySpec.build(
        shape=shape, dtype=dtype, attributes={**attributes, "_ARRAY_DIMENSIONS": list(dims)}, **build
    )


TIME = {"units": "days since 2000-01-01", "calendar": "proleptic_gregorian"}


def climate(form=v3, place="memory:"):
    """A dataset with an index, times, texts, and packed and masked values."""
    masked = {"attributes": {"_FillValue": -32768, "scale_factor": 0.5, "add_offset": 10.0, "units": "K"}}
    if form is v2:
        del masked["attributes"]["_FillValue"]
    unmasked = None if form is v2 else 0
    members = {
        "time": array(form, ["time"], (6,), "int64", attributes=TIME, chunks=(4,), fill_value=unmasked),
        "x": array(form, ["x"], (4,), "float64"),
        "t": array(form, ["time", "x"], (6, 4), "int16", chunks=(4, 3), fill_value=-32768, **masked),
        "u": array(form, ["time", "x"], (6, 4), "float32", chunks=(4, 3), attributes={"coordinates": "area"}),
        "area": array(form, ["x"], (4,), "int32", fill_value=unmasked),
        "word": array(form, ["x"], (4,), "string", fill_value="" if form is v3 else None),
        "one": array(form, [], (), "float32"),
    }
    group = form.GroupSpec(attributes={"title": "a small climate"}, members=members)
    root = zom.materialize(group, place)
    root["time"][:] = np.arange(6)
    root["x"][:] = [10.0, 20.0, 30.0, 40.0]
    root["t"][:] = np.arange(24).reshape(6, 4)
    root["t"][0, 0] = -32768
    root["u"][:] = np.arange(24).reshape(6, 4)
    root["area"][:] = [1, 2, 3, 4]
    root["word"][:] = ["a", "bb", "", "dddd"]
    root["one"][...] = 7.5
    return root


def opened(place, **options):
    return xr.open_dataset(place, engine=ZomBackend, **options)


def expected(form=v3):
    masked = np.arange(24).reshape(6, 4) * 0.5 + 10.0
    masked[0, 0] = np.nan
    values = np.arange(24, dtype="f4").reshape(6, 4)
    if form is v2:
        values[0, 0] = np.nan  # in v2 the fill value 0 is a missing value
    data = {
        "t": (("time", "x"), masked, {"units": "K"}),
        "u": (("time", "x"), values),
        "word": (("x",), np.array(["a", "bb", "", "dddd"], np.dtypes.StringDType())),
        "one": ((), np.float32(7.5)),
    }
    coordinates = {
        "time": np.datetime64("2000-01-01", "ns") + np.arange(6).astype("timedelta64[D]"),
        "x": [10.0, 20.0, 30.0, 40.0],
        "area": (("x",), np.array([1, 2, 3, 4], "i4")),
    }
    return xr.Dataset(data, coordinates, {"title": "a small climate"})


# --- what is opened -------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [v2, v3], ids=["v2", "v3"])
def test_a_dataset_is_decoded_as_cf_says(form):
    found = opened(climate(form).store)
    xr.testing.assert_equal(found, expected(form))
    assert found.attrs == {"title": "a small climate"}
    assert found["t"].attrs == {"units": "K"}
    assert set(found.coords) == {"time", "x", "area"}


def test_values_are_read_when_they_are_asked_for():
    root = climate()
    found = opened(root.store)
    root["u"][0, 1] = 99
    assert found["u"][0, 1].item() == 99


def test_the_encoding_says_how_an_array_is_stored():
    root = zom.materialize(
        v3.GroupSpec(
            members={
                "a": array(v3, ["y", "x"], (8, 6), "uint8", chunks=(2, 3), shards=(4, 6), compress="gzip")
            }
        ),
        "memory:",
    )
    encoding = opened(root)["a"].encoding
    assert encoding["chunks"] == (2, 3)
    assert encoding["preferred_chunks"] == {"y": 2, "x": 3}
    assert encoding["shards"] == (4, 6)
    assert [codec["name"] for codec in encoding["compressors"]] == ["gzip"]
    assert encoding["serializer"]["name"] == "bytes"
    assert encoding["filters"] == ()
    assert (encoding["dtype"], encoding["fill_value"]) == (np.dtype("u1"), 0)


def test_codecs_of_v2_are_those_of_numcodecs():
    members = {"a": array(v2, ["x"], (6,), "<i4", filters=[{"id": "delta", "dtype": "<i4"}], compress="zlib")}
    root = zom.materialize(v2.GroupSpec(members=members), "memory:")
    encoding = opened(root)["a"].encoding
    assert [codec.codec_id for codec in encoding["compressors"]] == ["zlib"]
    assert [codec.codec_id for codec in encoding["filters"]] == ["delta"]
    assert encoding["_FillValue"] == 0


def test_one_variable_does_not_share_its_encoding_with_another():
    members = {name: array(v3, ["x"], (6,), "int8", attributes={"n": name}) for name in "ab"}
    found = opened(zom.materialize(v3.GroupSpec(members=members), "memory:"))
    found["a"].encoding["compressors"][0]["configuration"]["level"] = 99
    found["a"].encoding["preferred_chunks"]["x"] = 1
    assert found["b"].encoding["compressors"][0]["configuration"]["level"] != 99
    assert found["b"].encoding["preferred_chunks"] == {"x": 6}
    assert (found["a"].attrs, found["b"].attrs) == ({"n": "a"}, {"n": "b"})


def test_a_rectilinear_grid_gives_its_chunks_one_by_one():
    grid = {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[1, 2, 3], [4, 4]]}}
    spec = v3.ArraySpec.build(shape=(6, 7), dtype="int16", chunks=(6, 7), dimension_names=["y", "x"])
    root = zom.create_group("memory:", v3.GroupSpec())
    root.create("a", spec.replace(chunk_grid=grid))
    root = zom.open_group(root.store, mode="r+")
    root["a"][:] = np.arange(42).reshape(6, 7)
    found = opened(root, chunks={})
    assert found["a"].encoding["preferred_chunks"] == {"y": (1, 2, 3), "x": 4}
    assert found["a"].chunks == ((1, 2, 3), (4, 3))
    assert found["a"].values.tolist() == np.arange(42).reshape(6, 7).tolist()


@pytest.mark.parametrize("dtype", ["datetime64[ms]", "timedelta64[h]"])
def test_dates_of_numpy_are_dates(dtype):
    members = {"a": array(v3, ["n"], (3,), dtype), "n": array(v3, ["n"], (3,), "int8")}
    root = zom.materialize(v3.GroupSpec(members=members), "memory:")
    root["a"][:] = np.array([1, "NaT", 3], dtype)
    found = opened(root)["a"]
    assert found.dtype.kind == dtype[0].replace("d", "M").replace("t", "m")
    assert found.isnull().values.tolist() == [False, True, False]


def test_a_float_that_says_what_is_missing_is_masked():
    spec = array(v3, ["x"], (3,), "float64", attributes={"_FillValue": NAN})
    root = zom.materialize(v3.GroupSpec(members={"a": spec}), "memory:")
    found = opened(root)["a"]
    assert np.isnan(found.encoding["_FillValue"])
    assert found.encoding["fill_value"] == 0


def test_the_fill_value_is_a_mask_where_that_is_asked_for():
    members = {"a": array(v3, ["x"], (3,), "int16", fill_value=5), "b": array(v3, ["x"], (3,), "int16")}
    root = zom.materialize(v3.GroupSpec(members=members), "memory:")
    assert not opened(root)["a"].isnull().any()
    masked = opened(root, use_zarr_fill_value_as_mask=True)
    assert masked["a"].isnull().all()
    assert masked["b"].isnull().all()


def test_the_0_that_zarr_python_2_wrote_for_texts_masks_no_empty_text():
    spec = array(v2, ["x"], (3,), "string", fill_value="")
    root = zom.materialize(v2.GroupSpec(members={"a": spec}), "memory:")
    root["a"][:] = ["a", "", "0"]
    text = root.store.get("a/.zarray")
    root.store.set("a/.zarray", text.replace(b'"fill_value": ""', b'"fill_value": 0'))
    assert root.store.get("a/.zarray") != text
    assert opened(root)["a"].isnull().values.tolist() == [False, False, True]


def test_netcdf_names_of_dimensions_are_their_last_parts():
    store = MemoryStore()
    store.set(".zgroup", b'{"zarr_format": 2, "_NCZARR_GROUP": {}}')
    store.set(
        "a/.zarray",
        b'{"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<i4", "compressor": null, "filters": null,'
        b'"fill_value": null, "order": "C", "_NCZARR_ARRAY": {"dimrefs": ["/down/x"]}}',
    )
    store.set("a/.zattrs", b'{"_nczarr_attr": {}, "units": "m"}')
    found = opened(store)
    assert found["a"].dims == ("x",)
    assert found["a"].attrs == {"units": "m"}


# --- how values are indexed, and carried around ------------------------------------------------------------


KEYS = [
    {"time": slice(None, None, -1)},
    {"time": slice(4, 0, -2), "x": 1},
    {"time": -1, "x": -2},
    {"time": [3, 0, 3], "x": [1, 2]},
    {"time": np.array([-1, 0]), "x": slice(None, None, -2)},
    {"time": np.array([True, False] * 3)},
    {"time": xr.DataArray([0, 5, 2], dims="p"), "x": xr.DataArray([3, 0, 1], dims="p")},
    {"time": xr.DataArray([[0, 5], [2, 2]], dims=("p", "q")), "x": slice(0, 3)},
    {"x": xr.DataArray([3, 0], dims="x"), "time": xr.DataArray([-1, -2], dims="p")},
    {"time": [], "x": slice(0, 0)},
]


@pytest.mark.parametrize("chunks", [None, {}, "auto", {"time": 4}], ids=str)
@pytest.mark.parametrize("key", KEYS, ids=range(len(KEYS)))
def test_indexing_reads_what_numpy_has(key, chunks):
    root = climate()
    dropped = "word" if chunks == "auto" else None  # dask can't tell how large texts are
    whole = opened(root, drop_variables=dropped).load()
    lazy = opened(root, chunks=chunks, drop_variables=dropped)
    xr.testing.assert_identical(lazy.isel(key).load(), whole.isel(key))
    again = lazy.isel(key).isel(time=slice(None, None, -1)) if "time" in lazy.isel(key).dims else None
    if again is not None:
        xr.testing.assert_identical(again.load(), whole.isel(key).isel(time=slice(None, None, -1)))


def test_chunks_are_those_of_the_array():
    found = opened(climate(), chunks={})
    assert found["u"].chunks == ((4, 2), (3, 1))
    xr.testing.assert_equal(found, expected())


def test_a_dataset_is_pickled_with_its_place(tmp_path):
    climate(place=str(tmp_path / "a.zarr"))
    found = opened(tmp_path / "a.zarr")
    carried = pickle.loads(pickle.dumps(found))
    xr.testing.assert_identical(carried, found)
    lazy = pickle.loads(pickle.dumps(opened(tmp_path / "a.zarr", chunks={})))
    xr.testing.assert_equal(lazy, expected())


def test_two_openings_have_the_same_dask_names(tmp_path):
    climate(place=str(tmp_path / "a.zarr"))
    first, second = (opened(tmp_path / "a.zarr", chunks={}) for _ in range(2))
    assert first["u"].data.name == second["u"].data.name


def test_values_are_loaded_without_waiting():
    if not hasattr(xr.Dataset, "load_async"):
        pytest.skip("this xarray can't load without waiting")
    found = opened(climate())
    asyncio.run(found.load_async())
    xr.testing.assert_equal(found, expected())


# --- which part of a hierarchy ------------------------------------------------------------------------------


def tree(place="memory:"):
    low = v3.GroupSpec(
        attributes={"n": 1},
        members={"v": array(v3, ["x"], (3,), "int8"), "deep": v3.GroupSpec(attributes={"n": 2})},
    )
    members = {"x": array(v3, ["x"], (3,), "int64"), "low": low, "high": v3.GroupSpec()}
    root = zom.materialize(v3.GroupSpec(attributes={"n": 0}, members=members), place)
    root["x"][:] = [1, 2, 3]
    root["low/v"][:] = [4, 5, 6]
    return root


def test_a_group_is_opened_by_its_path():
    root = tree()
    for group in ("low", "/low", "/low/"):
        assert opened(root, group=group)["v"].values.tolist() == [4, 5, 6]
    assert opened(root["low"], group="deep").attrs == {"n": 2}
    assert opened(root["low"]).identical(opened(root.store, group="low"))


@pytest.mark.parametrize("consolidated", [None, True, False])
def test_a_group_is_found_in_the_consolidated_metadata_of_the_root(consolidated):
    root = tree()
    zom.consolidate(root.store)
    assert opened(root, group="low", consolidated=consolidated)["v"].values.tolist() == [4, 5, 6]


def test_consolidated_metadata_is_believed_unless_it_is_ignored():
    root = tree()
    zom.consolidate(root.store)
    root.store.set("low/zarr.json", root.store.get("low/zarr.json").replace(b'"n": 1', b'"n": 9'))
    assert opened(root, group="low").attrs == {"n": 1}
    assert opened(root, group="low", consolidated=False).attrs == {"n": 9}


def test_a_group_that_is_not_consolidated_yet_is_read_itself():
    root = tree()
    zom.consolidate(root.store)
    zom.create_group(root.store, v3.GroupSpec(attributes={"n": 5}), "new")
    assert opened(root, group="new").attrs == {"n": 5}


def test_a_tree_is_read_at_once():
    store = Counted(tree().store)
    zom.consolidate(store.inner)
    found = xr.open_datatree(store, engine=ZomBackend)
    assert {node.path for node in found.subtree} == {"/", "/low", "/high", "/low/deep"}
    assert found["low"].attrs == {"n": 1}
    assert found["low/v"].values.tolist() == [4, 5, 6]
    documents = [trip for trip in store.trips if any("zarr.json" in key for key in trip)]
    assert len(documents) == 1


@pytest.mark.parametrize("consolidated", [False, True])
def test_groups_are_datasets_by_path(consolidated):
    root = tree()
    if consolidated:
        zom.consolidate(root.store)
    found = xr.open_groups(root, engine=ZomBackend)
    assert {path: each.attrs["n"] for path, each in found.items() if each.attrs} == {
        "/": 0,
        "/low": 1,
        "/low/deep": 2,
    }
    below = xr.open_groups(root, engine=ZomBackend, group="low")
    assert set(below) == {".", "deep"}


def test_many_datasets_become_one(tmp_path):
    paths = [tmp_path / f"{number}.zarr" for number in range(2)]
    for number, path in enumerate(paths):
        root = climate(place=str(path))
        root["time"][:] = np.arange(6) + 6 * number
    with xr.open_mfdataset(
        paths, engine=ZomBackend, data_vars="all", compat="no_conflicts", join="outer"
    ) as found:
        assert found.sizes["time"] == 12
        assert found["u"].isel(x=1).values.tolist() == [*range(1, 24, 4), *range(1, 24, 4)]


# --- which variables ------------------------------------------------------------------------------------------


def test_variables_are_left_out():
    found = opened(climate(), drop_variables=["t", "time"])
    assert set(found.variables) == {"x", "u", "area", "word", "one"}
    assert "word" not in opened(climate(), drop_variables="word")


@pytest.mark.parametrize("decode_coords", [True, False, "all"])
@pytest.mark.parametrize("kept", [["u"], ["t", "one"], "word", ["area"], ["x"], []])
def test_variables_that_are_kept_come_with_their_coordinates(kept, decode_coords):
    root = climate()
    names = [kept] if isinstance(kept, str) else kept
    whole = opened(root, decode_coords=decode_coords)
    xr.testing.assert_identical(opened(root, variables=kept, decode_coords=decode_coords), whole[names])


def test_variables_that_are_not_kept_are_not_read():
    members = {
        "t": array(v3, ["x"], (3,), "int8"),
        "when": array(v3, ["n"], (3,), "int64", attributes=TIME),
    }
    store = Counted(zom.materialize(v3.GroupSpec(members=members), "memory:").store)
    opened(store, variables="t")
    assert not any("when/c" in key for trip in store.trips for key in trip)
    opened(store)
    assert any("when/c" in key for trip in store.trips for key in trip)


def test_a_variable_that_is_kept_must_be_there():
    with pytest.raises(
        NotFound,
        match=r"/: variables: expected names of arrays in the group, found 'are'; did you mean 'area'\?",
    ):
        opened(climate(), variables=["u", "are"])


def damaged():
    root = climate()
    root.store.set("bad/zarr.json", b'{"zarr_format": 3, "node_type": "array"}')
    return root


def test_an_array_that_cannot_be_read_is_an_error_unless_it_is_left_out():
    root = damaged()
    with pytest.raises(SpecError, match=r"'bad/zarr\.json': /bad"):
        opened(root)
    xr.testing.assert_equal(opened(root, drop_variables="bad"), expected())
    assert "u" in opened(root, variables=["u"])
    with pytest.raises(SpecError, match="bad"):
        opened(root, variables=["u", "bad"])


def test_an_array_without_names_of_dimensions_is_an_error_that_names_the_way_out():
    root = zom.materialize(
        v3.GroupSpec(members={"a": v3.ArraySpec.build(shape=(3,), dtype="int8")}), "memory:"
    )
    message = r"/a: dimension_names: expected 1 dimension name, found none; .* drop_variables=\['a'\]"
    with pytest.raises(SpecError, match=message) as caught:
        opened(root)
    assert caught.value.problems[0].code == "xarray/dims-present"
    assert opened(root, drop_variables="a").sizes == {}


def test_a_fill_value_that_xarray_does_not_write_is_an_error():
    spec = array(v3, ["x"], (3,), "float64", attributes={"_FillValue": -999.0})
    root = zom.materialize(v3.GroupSpec(members={"a": spec}), "memory:")
    with pytest.raises(
        SpecError, match=r"/a: attributes._FillValue: expected a fill value of float64 .* found -999.0"
    ):
        opened(root)


# --- what is refused ----------------------------------------------------------------------------------------------


def test_a_wrong_path_names_what_is_near():
    with pytest.raises(
        NotFound, match=r"expected a node at /lo, found nothing; / is a group with .*; did you mean 'low'\?"
    ):
        opened(tree(), group="lo")
    with pytest.raises(NotFound, match="expected a node at /low/v/more, found nothing; /low/v is an array"):
        opened(tree(), group="low/v/more")


@pytest.mark.parametrize("consolidated", [False, True])
def test_an_array_is_no_group(consolidated):
    root = tree()
    if consolidated:
        zom.consolidate(root.store)
    with pytest.raises(
        NotFound,
        match="expected a group at /low/v, found an array; open the group '/low' and select 'v' in it",
    ):
        opened(root, group="low/v")


def test_a_single_array_is_no_dataset():
    store = zom.create_array("memory:", v3.ArraySpec.build(shape=(3,), dtype="int8")).store
    with pytest.raises(NotFound, match="expected a group at /, found an array; xarray opens groups"):
        opened(store)


def test_nothing_there_is_an_error(tmp_path):
    with pytest.raises(StoreError, match="there is no such file or directory"):
        opened(tmp_path / "none.zarr")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "w"}, "mode: expected 'r', as the engine only reads, got 'w'; zom.xarray.write"),
        ({"zarr_format": 4}, "zarr_format: expected 2, 3 or None, got 4"),
        ({"consolidated": "yes"}, "consolidated: expected True, False or None, got 'yes'"),
        (
            {"storage_options": {"anon": True}},
            "storage_options: expected a URL that fsspec opens",
        ),
    ],
)
def test_arguments_that_mean_nothing_are_refused(options, message, tmp_path):
    climate(place=str(tmp_path / "a.zarr"))
    with pytest.raises(ValueError, match=message):
        opened(tmp_path / "a.zarr", **options)


def test_arguments_of_old_engines_are_refused_by_name():
    with pytest.raises(TypeError, match="synchronizer"):
        opened(climate(), synchronizer=None)


def test_only_consolidated_metadata_was_asked_for():
    with pytest.raises(NotFound, match="expected consolidated metadata at /, found none"):
        opened(climate(), consolidated=True)


def test_the_format_is_chosen_where_both_are_there():
    store = climate(v3).store
    zom.create_group(other := MemoryStore(), v2.GroupSpec(attributes={"title": "two"}))
    for key in other.list():
        store.set(key, other.get(key))
    with pytest.warns(zom.SpecWarning, match="expected a v2 node, like the group above it, found a v3 node"):
        assert opened(store, zarr_format=2).attrs == {"title": "two"}
    with pytest.warns(zom.SpecWarning, match="found v3 and v2 side by side"):
        assert opened(store, zarr_format=3).attrs == {"title": "a small climate"}
    with pytest.raises(NotFound, match="expected a v2 node at /, found a v3 group"):
        opened(climate(v3), zarr_format=2)


# --- where from -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.zarr", "a.zip", "a.sqlite"])
def test_files_and_directories_are_opened(name, tmp_path):
    root = climate(place=str(tmp_path / name))
    root.store.close()
    for place in (tmp_path / name, str(tmp_path / name)):
        with opened(place) as found:
            xr.testing.assert_equal(found, expected())


def test_urls_and_stores_of_others_are_opened(tmp_path):
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed (pip install 'zom[fsspec]')")
    obstore = pytest.importorskip(
        "obstore.store", reason="obstore is not installed (pip install 'zom[cloud]')"
    )
    climate(place=str(tmp_path / "a.zarr"))
    climate(place="memory://of-the-engine")
    places = [
        f"file://{tmp_path}/a.zarr",
        "memory://of-the-engine",
        fsspec.filesystem("file").get_mapper(str(tmp_path / "a.zarr")),
        obstore.LocalStore(str(tmp_path / "a.zarr")),
    ]
    for place in places:
        xr.testing.assert_equal(opened(place), expected())
    found = opened(f"file://{tmp_path}/a.zarr", storage_options={"auto_mkdir": False})
    xr.testing.assert_equal(found, expected())


def test_a_store_that_was_opened_here_is_closed_with_the_dataset(tmp_path):
    climate(place=str(tmp_path / "a.zip")).store.close()
    found = opened(tmp_path / "a.zip")
    found.close()
    with pytest.raises(StoreError, match="closed"):
        found["u"].load()
    store = zom.store(tmp_path / "a.zip")
    opened(store).close()
    xr.testing.assert_equal(opened(store), expected())


def test_a_store_that_cannot_be_listed_is_read_by_what_it_is_like():
    root = climate()
    store = Counted(root.store)
    store.capabilities = replace(store.capabilities, listable=False)
    with pytest.raises(StoreError, match=r"can't list its keys, .*pass the expected nodes as like=spec"):
        opened(store)
    xr.testing.assert_equal(opened(store, like=zom.read(root.store)), expected())


def test_the_source_of_a_group_is_its_store():
    assert opened(climate()).encoding["source"] == "memory://"


# --- how much is asked of a store ----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [v2, v3], ids=["v2", "v3"])
def test_all_index_coordinates_come_in_one_batch(form):
    root = climate(form)
    zom.consolidate(root.store)
    store = Counted(root.store)
    found = opened(store)
    _, first, *others = [{key.rpartition("/")[0].removesuffix("/c") for key in trip} for trip in store.trips]
    assert first == {"time", "x"}
    # xarray before 2026.9 also reads strings, to see how long they are.
    assert others == [{"word"}] * (tuple(map(int, xr.__version__.split(".")[:2])) < (2026, 9))
    assert found.indexes["x"].tolist() == [10.0, 20.0, 30.0, 40.0]
    assert found["time"].dt.day.values.tolist() == [1, 2, 3, 4, 5, 6]
    assert len(store.trips) == 2 + len(others)


def test_the_coordinates_of_a_whole_tree_come_in_one_batch():
    members = {
        f"g{number}": v3.GroupSpec(members={"x": array(v3, ["x"], (4,), "int64", chunks=(2,))})
        for number in range(5)
    }
    root = zom.materialize(v3.GroupSpec(members=members), "memory:")
    for number in range(5):
        root[f"g{number}/x"][:] = np.arange(4) + number
    zom.consolidate(root.store)
    store = Counted(root.store)
    found = xr.open_datatree(store, engine=ZomBackend)
    assert [found[f"g{number}"].indexes["x"][0] for number in range(5)] == [0, 1, 2, 3, 4]
    assert [len(trip) for trip in store.trips[1:]] == [10]


def test_a_coordinate_that_fails_does_not_take_the_others_with_it():
    root = climate()
    root.store.set("x/c/0", b"no chunk")
    store = Counted(root.store)
    found = opened(store, create_default_indexes=False)
    assert found["time"].size == 6
    assert found["time"].values[0] == np.datetime64("2000-01-01")
    with pytest.raises(zom.ChunkError, match="x/c/0"):
        found["x"].load()


def test_a_coordinate_that_nobody_wrote_is_its_fill_value():
    spec = array(v3, ["x"], (4,), "int64", fill_value=3)
    root = zom.materialize(v3.GroupSpec(members={"x": spec}), "memory:")
    assert opened(Counted(root.store))["x"].values.tolist() == [3, 3, 3, 3]


def test_a_dataset_without_indexes_reads_no_coordinate():
    root = zom.materialize(v3.GroupSpec(members={"x": array(v3, ["x"], (4,), "int64")}), "memory:")
    zom.consolidate(root.store)
    store = Counted(root.store)
    opened(store, create_default_indexes=False)
    assert len(store.trips) == 1


# --- how xarray finds the engine ----------------------------------------------------------------------------------------


def test_the_engine_is_declared():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    points = declared["project"]["entry-points"]["xarray.backends"]
    assert points == {"zom": f"{ZomBackend.__module__}:{ZomBackend.__qualname__}"}


def test_the_engine_is_known_by_its_name(monkeypatch):
    from importlib.metadata import EntryPoint, EntryPoints

    from xarray.backends import plugins

    point = EntryPoint("zom", "zom.integrations.xarray.backend:ZomBackend", "xarray.backends")
    engines = plugins.build_engines(EntryPoints([point]))
    assert isinstance(engines["zom"], ZomBackend)
    assert set(plugins.detect_parameters(type(engines["zom"]).open_dataset)) == set(
        ZomBackend.open_dataset_parameters
    )


@pytest.mark.parametrize(
    ("name", "is_ours"),
    [
        ("a.zarr", True),
        ("s3://bucket/a.zarr/", True),
        ("a.zarr.zip", True),
        ("a.nc", False),
        ("https://example.org/a", False),
        (b"a.zarr", False),
        (17, False),
    ],
)
def test_names_are_guessed_by_their_ends(name, is_ours):
    assert ZomBackend().guess_can_open(name) is is_ours


def test_a_local_group_is_guessed_by_its_document(tmp_path):
    root = climate(place=str(tmp_path / "plain"))
    assert ZomBackend().guess_can_open(tmp_path / "plain")
    assert ZomBackend().guess_can_open(root)
    assert ZomBackend().guess_can_open(root.store)
    assert not ZomBackend().guess_can_open(tmp_path)


def test_looking_for_engines_loads_nothing_that_opens_stores():
    loaded = (
        "[name for name in sys.modules if name.startswith(('zom.engine', 'zom.hierarchy', 'zom.handles'))]"
    )
    code = f"import zom.integrations.xarray.backend, sys; print({loaded})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_missing_xarray_names_what_to_install():
    code = "import sys; sys.modules['xarray'] = None; import zom.integrations.xarray.backend"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ExtensionError: xarray is not installed; pip install 'zom[xarray]'" in done.stderr
