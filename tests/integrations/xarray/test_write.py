"""Datasets written to stores: opened again they are what they were, and what doesn't fit is refused beforehand.

`tests/interop/xarray_writing.py` compares the stores with those that xarray and zarr-python write.
"""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zom
from zom.errors import ConflictError, ReadOnlyError, SelectionError, SpecError, StoreError
from zom.integrations.xarray.writing import transfer
from zom.stores.memory import MemoryStore
from zom.testing.faulty import FaultyStore

xr = pytest.importorskip("xarray", reason="xarray is not installed (pip install 'zom[xarray]')")
da = pytest.importorskip("dask.array", reason="dask is not installed (pip install 'zom[dask]')")

import dask  # noqa: E402

from zom.integrations.xarray.backend import ZomBackend  # noqa: E402
from zom.xarray import write  # noqa: E402


def climate(days=6):
    rng = np.random.default_rng(1)
    ds = xr.Dataset(
        {
            "t2m": (("time", "x"), rng.random((days, 4)), {"units": "K"}),
            "mask": ("x", np.array([True, False, True, True])),
            "name": ("x", np.array(["a", "bb", "", "d"])),
        },
        {"time": np.datetime64("2000-01-01", "ns") + np.arange(days) * np.timedelta64(1, "D"), "x": range(4)},
        {"title": "a climate"},
    )
    ds.t2m.encoding = {"dtype": "int16", "scale_factor": 0.001, "_FillValue": -1, "chunks": (2, 4)}
    ds.time.encoding = {"units": "days since 1990-01-01", "dtype": "int32", "chunks": (4,)}
    return ds


def opened(place, **options):
    return xr.open_dataset(place, engine=ZomBackend, **options)


def stored(ds):
    """The dataset as it reads when packed to int16."""
    return ds.assign(t2m=(ds.t2m.dims, (ds.t2m.values / 0.001).round() * 0.001, ds.t2m.attrs))


def keys(store):
    return sorted(store.list())


# --- new groups -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [2, 3])
def test_a_written_dataset_opens_as_it_was(number, tmp_path):
    group = write(climate(), tmp_path / "a.zarr", zarr_format=number)
    xr.testing.assert_allclose(opened(group), stored(climate()))
    found = opened(group)
    assert found.attrs == climate().attrs
    assert found.t2m.encoding["dtype"] == np.dtype("int16")
    assert found.time.dtype.kind == "M"
    assert found["mask"].dtype == bool


@pytest.mark.parametrize("number", [2, 3])
def test_a_tree_is_written_whole(number):
    tree = xr.DataTree.from_dict(
        {"/a": climate(), "/sub/deep": climate(3), "/empty": xr.Dataset(attrs={"n": 1})}
    )
    group = write(tree, "memory:", zarr_format=number)
    xr.testing.assert_allclose(opened(group["sub/deep"]), stored(climate(3)))
    assert sorted(group.read().flatten())[:3] == ["/", "/a", "/a/mask"]


def test_metadata_is_consolidated_unless_it_is_not_to_be():
    assert b"consolidated_metadata" in write(climate(), "memory:").store.get("zarr.json")
    assert b"consolidated_metadata" not in write(climate(), "memory:", consolidated=False).store.get(
        "zarr.json"
    )
    assert write(climate(), "memory:", zarr_format=2).store.get(".zmetadata") is not None
    assert write(climate(), "memory:", zarr_format=2, consolidated=False).store.get(".zmetadata") is None


def test_values_in_memory_are_a_part_of_all_or_nothing():
    ds = climate()
    ds["bad"] = ("x", np.array(["a", "\ud800", "c", "d"]))
    store = MemoryStore()
    with pytest.raises(zom.ZomError, match="lone surrogate"):
        write(ds, store)
    assert keys(store) == []


def test_a_group_that_is_there_is_kept_unless_it_is_to_be_replaced():
    store = MemoryStore()
    write(climate(), store)
    with pytest.raises(ConflictError, match=r'expected nothing, found a group; pass mode="w" to replace it'):
        write(climate(), store)
    group = write(climate(3)[["t2m"]], store, mode="w")
    assert sorted(group) == ["t2m", "time", "x"]
    xr.testing.assert_allclose(opened(group), stored(climate(3))[["t2m"]])


def test_replacing_leaves_no_value_of_before():
    store = MemoryStore()
    write(xr.Dataset({"a": ("x", np.ones(4))}), store)
    group = write(xr.Dataset({"a": ("x", np.full(4, np.nan))}), store, mode="w")
    assert np.isnan(group["a"][:]).all()


def test_a_group_below_the_root_is_written_and_the_root_stays():
    store = MemoryStore()
    write(climate(), store)
    write(climate(2), store, group="deep/er")
    xr.testing.assert_allclose(opened(store, group="deep/er"), stored(climate(2)))
    xr.testing.assert_allclose(opened(store), stored(climate()))


def test_what_only_holds_fill_values_is_written_on_request():
    ds = xr.Dataset({"a": ("x", np.full(4, np.nan))})
    assert "a/c/0" not in keys(write(ds, "memory:").store)
    assert "a/c/0" in keys(write(ds, "memory:", write_empty_chunks=True).store)


def test_data_in_a_file_is_written_in_slabs(monkeypatch):
    source = write(climate(), MemoryStore())
    monkeypatch.setattr(transfer, "_SLAB", 1)
    lazy = opened(source, decode_cf=True, cache=False)
    group = write(lazy, MemoryStore())
    xr.testing.assert_identical(opened(group), opened(source))


def test_a_read_only_store_is_refused_before_anything_else(tmp_path):
    write(climate(), tmp_path / "a.zarr")
    there = zom.store(tmp_path / "a.zarr", read_only=True)
    with pytest.raises(ReadOnlyError, match="the store is read-only"):
        write(climate(), there, group="b")


# --- lazy data --------------------------------------------------------------------------------------------------


def test_lazy_data_is_written_by_tasks():
    ds = climate().chunk({"time": 2})
    group = write(ds, "memory:")
    xr.testing.assert_allclose(opened(group), stored(climate()))


MISALIGNED = (
    r"/t2m: expected chunks of data that share no chunk of the array, found data chunk 0 along time, which writes "
    r"\[0:3\] and shares chunk 1 \(\[2:4\]\) with data chunk 1; legal regions around it are \[0:2\] and \[0:4\]; "
    r"rechunk the data with \.chunk\(\), or pass align_chunks=True, or safe_chunks=False"
)


def test_lazy_data_that_shares_chunks_is_refused_before_any_write():
    store = MemoryStore()
    with pytest.raises(ConflictError, match=MISALIGNED):
        write(climate().chunk({"time": 3}), store)
    assert keys(store) == []


@pytest.mark.parametrize("options", [{"align_chunks": True}, {"safe_chunks": False}])
def test_lazy_data_that_shares_chunks_is_aligned_on_request_or_written_as_it_is(options):
    with dask.config.set(scheduler="synchronous"):
        group = write(climate().chunk({"time": 3}), "memory:", **options)
    xr.testing.assert_allclose(opened(group), stored(climate()))


def test_shards_count_where_there_are_some():
    ds = xr.Dataset({"a": ("x", da.arange(20, chunks=5))})
    encoding = {"a": {"chunks": (5,), "shards": (10,)}}
    with pytest.raises(ConflictError, match=r"data chunk 0 along x, which writes \[0:5\] and shares chunk 0"):
        write(ds, "memory:", encoding=encoding)
    group = write(ds, "memory:", encoding=encoding, align_chunks=True)
    assert group["a"][:].tolist() == list(range(20))


def test_without_computing_only_lazy_data_waits():
    group_store = MemoryStore()
    later = write(climate().chunk({"time": 2}), group_store, compute=False)
    assert not any(key.startswith("t2m/c") for key in keys(group_store))
    assert opened(group_store).x.values.tolist() == [0, 1, 2, 3]
    later.compute()
    xr.testing.assert_allclose(opened(group_store), stored(climate()))


def test_without_dask_there_is_nothing_to_compute_later(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask", None)
    store = MemoryStore()
    with pytest.raises(zom.ExtensionError, match=r"dask is not installed; pip install 'zom\[dask\]'"):
        write(climate(), store, compute=False)
    assert keys(store) == []


def test_a_store_in_memory_cant_be_sent_to_other_processes():
    store = MemoryStore()
    message = (
        r"memory://: cannot pickle: a store in memory belongs to its process; use one that processes share"
    )
    with dask.config.set(scheduler="processes"), pytest.raises(StoreError, match=message):
        write(climate().chunk({"time": 2}), store)
    assert keys(store) == []


@given(st.data())
@settings(deadline=None, max_examples=40)
def test_lazy_data_of_any_chunks_is_written_without_loss_or_refused(data):
    shape = (data.draw(st.integers(1, 12)), data.draw(st.integers(1, 12)))
    chunks = tuple(data.draw(st.integers(1, length)) for length in shape)
    cuts = [sorted(data.draw(st.sets(st.integers(1, length), max_size=4)) | {0, length}) for length in shape]
    pieces = tuple(tuple(b - a for a, b in pairwise(each)) for each in cuts)
    values = np.arange(shape[0] * shape[1]).reshape(shape)
    ds = xr.Dataset({"a": (("y", "x"), da.from_array(values, chunks=pieces))})
    encoding = {"a": {"chunks": chunks}}
    apart = all(cut % chunk == 0 for each, chunk in zip(cuts, chunks, strict=True) for cut in each[1:-1])
    if apart:
        assert write(ds, "memory:", encoding=encoding)["a"][:].tolist() == values.tolist()
    else:
        with pytest.raises(ConflictError, match="share no chunk"):
            write(ds, "memory:", encoding=encoding)
    group = write(ds, "memory:", encoding=encoding, align_chunks=True)
    assert group["a"][:].tolist() == values.tolist()
    assert group.read().like(zom.xarray.to_spec(ds, encoding=encoding), ignore="consolidated_metadata")


# --- regions ----------------------------------------------------------------------------------------------------


@pytest.fixture
def store():
    made = MemoryStore()
    write(climate(), made)
    return made


REGION = {"time": slice(2, 4)}


def part(value=0.5, days=slice(2, 4)):
    return xr.full_like(climate()[["t2m"]], value).isel(time=days).drop_vars("x")


def test_a_region_is_written_and_nothing_else(store):
    write(part(), store, region=REGION)
    found = opened(store)
    assert (found.t2m[2:4] == 0.5).all()
    xr.testing.assert_allclose(found.isel(time=[0, 1, 4, 5]), stored(climate()).isel(time=[0, 1, 4, 5]))


@pytest.mark.parametrize("region", ["auto", {"time": "auto"}])
def test_a_region_is_found_by_the_values_of_coordinates(store, region):
    data = xr.full_like(climate()[["t2m"]], 0.25).isel(time=slice(3, 5))
    write(data, store, region=region)
    assert (opened(store).t2m[3:5] == 0.25).all()
    assert not (opened(store).t2m[2] == 0.25).any()


@pytest.mark.parametrize(
    ("data", "region", "message"),
    [
        (part(), {"z": slice(1)}, r"expected dimensions of the dataset: .*time.*, found 'z'"),
        (part(), {"time": slice(0, 4, 2)}, r"expected slices with step 1"),
        (part(), {"time": 3}, r'expected slices, or "auto", found 3'),
        (part(), 7, r'expected slices by dimension, or "auto", found 7'),
        (part(), {"time": slice(0, 3)}, r"t2m: expected 3 elements for \[0:3\] of 'time'.*found 2"),
        (
            part(),
            {"x": slice(0, 4)},
            r"variables that have one of the dimensions x, found time without|expected 6",
        ),
        (
            climate()[["t2m", "mask"]],
            {"time": slice(None)},
            r"found mask, x without; leave them out|found .*mask",
        ),
    ],
)
def test_a_region_that_does_not_fit_is_refused(store, data, region, message):
    before = {key: store.get(key) for key in keys(store)}
    with pytest.raises(SelectionError, match=message):
        write(data, store, region=region)
    assert {key: store.get(key) for key in keys(store)} == before


def test_an_automatic_region_needs_values_that_are_there(store):
    shifted = part().assign_coords(time=climate().time[2:4] + np.timedelta64(100, "D"))
    with pytest.raises(SelectionError, match=r"expected existing values of 'time', found 2000-"):
        write(shifted, store, region="auto")
    with pytest.raises(SelectionError, match=r"consecutive values of 'time' in the store"):
        write(climate()[["t2m"]].isel(time=[0, 2]), store, region="auto")


def test_a_lazy_region_that_cuts_chunks_is_refused_and_names_the_legal_ones(store):
    data = part(days=slice(1, 4)).chunk({"time": 3})
    message = (
        r"expected a region of whole chunks, since others may write next to it, found \[1:4\] along time, which "
        r"covers chunk 0 \(\[0:2\]\) in part; legal regions around it are \[2:4\] and \[0:4\]"
    )
    with pytest.raises(ConflictError, match=message):
        write(data, store, region={"time": slice(1, 4)})
    write(data, store, region={"time": slice(1, 4)}, mode="a")
    assert (opened(store).t2m[1:4] == 0.5).all()


def test_a_region_has_no_new_variables(store):
    data = part().rename(t2m="other")
    with pytest.raises(ConflictError, match=r'/other: expected an existing array, found none; pass mode="a"'):
        write(data, store, region=REGION)


def test_dimensions_in_another_order_are_transposed(store):
    write(part().transpose("x", "time"), store, region=REGION)
    assert (opened(store).t2m[2:4] == 0.5).all()


# --- appending --------------------------------------------------------------------------------------------------


def later(days=3):
    ds = climate(6 + days).isel(time=slice(6, None))
    return ds.drop_vars(["mask", "name"])


@pytest.mark.parametrize("chunks", [None, {"time": 1}])
def test_data_is_appended_in_the_encoding_that_is_there(store, chunks):
    data = later() if chunks is None else later().chunk(chunks)
    data.time.encoding = {"units": "hours since 1970-01-01"}  # not what is stored
    if chunks is None:
        write(data, store, append_dim="time")
    else:
        write(data, store, append_dim="time", align_chunks=True)
    found = opened(store)
    assert found.sizes["time"] == 9
    np.testing.assert_allclose(found.t2m[6:], later().t2m, atol=0.001)
    np.testing.assert_array_equal(found.time, climate(9).time)
    assert found.time.encoding["units"].startswith("days since 1990-01-01")
    xr.testing.assert_allclose(found.isel(time=slice(6)), stored(climate()))


def test_new_variables_come_with_what_is_appended(store):
    data = later().assign(more=("x", np.arange(4)))
    group = write(data, store, append_dim="time")
    assert group["more"][:].tolist() == [0, 1, 2, 3]
    assert b'"more"' in store.get("zarr.json")  # the consolidated metadata has it, too


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda ds: ds.assign(t2m=ds.t2m + 1j),
            r"/t2m: expected values that float64 holds without loss, found complex",
        ),
        (
            lambda ds: ds.assign_coords(x=ds.x + 0.5),
            r"/x: expected values that int64 holds without loss, found float64",
        ),
        (lambda ds: ds.rename(x="y"), r"/t2m: expected the dimensions time, x, found time, y"),
        (lambda ds: ds.isel(x=slice(2)), r"/t2m: expected 4 elements along x, to append along time, found 2"),
        (
            lambda ds: ds.assign(t2m=ds.t2m.assign_attrs(units="degC")),
            r"/t2m: expected the attribute 'units' to be 'K', found 'degC'; convert the values, or remove",
        ),
    ],
)
def test_what_would_mean_something_else_is_not_appended(store, change, message):
    before = {key: store.get(key) for key in keys(store)}
    with pytest.raises(ConflictError, match=message):
        write(change(later()), store, append_dim="time")
    assert {key: store.get(key) for key in keys(store)} == before


def test_no_dimension_gets_two_lengths(store):
    wide = later().assign(wide=(("time", "x"), np.ones((3, 4))))
    message = (
        r"/wide: expected 9 elements along time, as in other arrays, found 3; create it with all elements"
    )
    with pytest.raises(ConflictError, match=message):
        write(wide, store, append_dim="time")
    with pytest.raises(
        ConflictError, match=r"/t2m: expected values to append for every array along time, found none"
    ):
        write(later().drop_vars("t2m"), store, append_dim="time")
    with pytest.raises(
        ConflictError, match=r"/short: expected 4 elements along x, as in other arrays, found 2"
    ):
        write(xr.Dataset({"short": ("x", [1, 2])}), store, mode="a")


def test_integers_are_not_wrapped():
    made = write(xr.Dataset({"a": ("x", np.arange(3, dtype="i1"))}), "memory:").store
    more = xr.Dataset({"a": ("x", [100, 200])})
    message = r"/a: expected values from -128 to 127, which int8 holds, found 100 to 200"
    with pytest.raises(ConflictError, match=message):
        write(more, made, append_dim="x")
    assert write(more - 100, made, append_dim="x")["a"][:].tolist() == [0, 1, 2, 0, 100]


def test_longer_text_is_not_cut(store):
    ds = xr.Dataset({"name": ("x", np.array(["longer"] * 4))})
    with pytest.raises(ConflictError, match=r"/name: expected values that <U2 holds without loss, found <U6"):
        write(ds, store, mode="a")


@pytest.mark.parametrize("mishap", ["fail", "fail after"])
@pytest.mark.parametrize("mode", ["w-", "a"])
def test_new_variables_are_there_with_their_values_or_not_at_all(mode, mishap):
    """Whichever operation of the store fails."""
    old = xr.Dataset({"a": (("t", "x"), np.ones((2, 3)))}, {"t": [0, 1], "x": [1, 2, 3]})
    more = xr.Dataset({"b": ("x", [5.0, 6.0, 7.0]), "c": ("x", ["p", "q", "r"])})

    def attempt(mishaps):
        inner = MemoryStore()
        if mode == "a":
            write(old, inner)
        faulty = FaultyStore(inner, mishaps)
        try:
            write(more, faulty, mode=mode)
        except StoreError:
            is_done = False
        else:
            is_done = True
        zom.repair(inner)
        return inner, faulty, is_done

    counted = attempt({})[1]
    failed = 0
    for number in range(len(counted.operations)):
        inner, _, is_done = attempt({number: mishap})
        failed += not is_done
        found = opened(inner) if "zarr.json" in inner.list() else xr.Dataset()
        there = [name for name in ("b", "c") if name in found]
        assert there == ["b", "c"] or (not is_done and not there)
        if there:
            xr.testing.assert_equal(found[there].drop_vars("x", errors="ignore"), more)
    assert failed


def test_a_failed_append_leaves_the_old_shape(store):
    def fail(block):
        message = "no more data"
        raise RuntimeError(message)

    data = later()
    lost = da.zeros((3, 4), chunks=(3, 4)).map_blocks(fail, meta=np.empty((0, 0)))
    with pytest.raises(RuntimeError, match="no more data"):
        write(data.assign(t2m=(("time", "x"), lost)), store, append_dim="time")
    xr.testing.assert_allclose(opened(store), stored(climate()))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"append_dim": "z"}, SpecError, r"append_dim: expected a dimension of the dataset: .*, found .*z"),
        ({"append_dim": "time", "mode": "w"}, ValueError, r'expected "a" with append_dim'),
        ({"region": "auto", "mode": "w-"}, ValueError, r'expected "a" or "r\+" with a region'),
        ({"mode": "r"}, ValueError, r'mode: expected "w-", "w", "a" or "r\+", got \'r\''),
        ({"append_dim": "time", "encoding": {"t2m": {}}}, SpecError, r"existing arrays keep their encoding"),
        (
            {"append_dim": "time", "region": {"time": slice(2, 4)}},
            SpecError,
            r"a dimension that is not in region",
        ),
    ],
)
def test_choices_that_contradict_each_other_are_refused(store, options, error, message):
    data = part() if "region" in options else later()
    with pytest.raises(error, match=message):
        write(data, store, **options)


def test_a_tree_is_not_written_into_what_is_there(store):
    with pytest.raises(TypeError, match=r"expected a Dataset or DataArray, got a DataTree"):
        write(xr.DataTree(climate()), store, mode="a")


def test_arrays_that_are_there_are_written_anew(store):
    ds = climate()
    ds["t2m"] = ds.t2m * 0 + 0.75
    write(ds, store, mode="r+")
    assert (opened(store).t2m == 0.75).all()


def test_a_place_without_a_group_is_no_place_to_append_to(tmp_path):
    with pytest.raises(StoreError, match="no such file or directory"):
        write(later(), tmp_path / "nothing.zarr", append_dim="time")
