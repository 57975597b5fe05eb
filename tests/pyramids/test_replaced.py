"""Replaced levels: what a pyramid is made of is never deleted before it is read."""

from __future__ import annotations

import numpy as np
import pytest

import zom
from zom import v3
from zom.errors import ConflictError, StoreError
from zom.stores.fsspec import FsspecStore
from zom.stores.memory import MemoryStore
from zom.stores.wrap import PrefixStore, ReadOnlyStore

VALUES = np.random.default_rng(0).integers(1, 200, (40, 60)).astype("u2")


@pytest.fixture
def place(tmp_path):
    """A directory with a pyramid of three levels."""
    found = tmp_path / "a.zarr"
    zom.pyramid(VALUES, found, levels=3, chunks=(16, 16)).store.close()
    return found


def kept(place):
    """What is in every file."""
    return {path: path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}


def refused(image, place, error, message, **options):
    before = kept(place)
    with pytest.raises(error, match=message):
        zom.pyramid(image, place, levels=2, on_conflict="replace", **options)
    assert kept(place) == before
    np.testing.assert_array_equal(zom.open_array(place, "0")[...], VALUES)


class ByKey:
    """An image that is read by a key, as datasets of h5py and arrays of zarr-python are."""

    def __init__(self, array):
        self.shape, self.dtype, self.array = array.shape, array.dtype, array

    def __getitem__(self, key):
        return self.array[key]


def test_what_is_read_by_a_key_replaces_no_level(place):
    message = r"cannot replace '0': it is deleted before the image is read, and an image of type .*ByKey may be read "
    refused(ByKey(zom.open_array(place, "0")), place, StoreError, message)


def test_a_dask_array_replaces_no_level(place):
    da = pytest.importorskip("dask.array", reason="dask is not installed (pip install 'zom[dask]')")
    image = da.from_array(zom.open_array(place, "0"), chunks=10)
    message = r"type dask\.array.* may be read from it; read it into memory first, for example with numpy.asarray, or choose another"
    refused(image, place, StoreError, message)
    refused(image[::2] + 1, place, StoreError, message)


def test_a_lazy_image_in_xarray_replaces_no_level(place):
    da = pytest.importorskip("dask.array", reason="dask is not installed (pip install 'zom[dask]')")
    xarray = pytest.importorskip("xarray", reason="xarray is not installed (pip install 'zom[xarray]')")
    image = xarray.DataArray(da.from_array(zom.open_array(place, "0"), chunks=10), dims=("y", "x"))
    refused(image, place, StoreError, "may be read from it")


def test_what_is_in_memory_and_what_is_elsewhere_replaces_levels(place, tmp_path):
    held = zom.open_array(place, "0")[...]
    group = zom.pyramid(held, place, levels=2, method="max", on_conflict="replace")
    assert list(group) == ["0", "1"]
    np.testing.assert_array_equal(group["0"][...], VALUES)
    other = zom.pyramid(VALUES + 1, tmp_path / "b.zip", levels=2)
    group = zom.pyramid(other["0"], place, levels=2, on_conflict="replace")
    np.testing.assert_array_equal(group["0"][...], VALUES + 1)
    other.store.close()
    memory = zom.create_array(MemoryStore(), v3.ArraySpec.build(shape=VALUES.shape, dtype="u2"))
    memory[...] = VALUES
    group = zom.pyramid(memory, place, axes="yx", levels=2, on_conflict="replace")
    np.testing.assert_array_equal(group["0"][...], VALUES)


def test_a_lazy_image_goes_where_nothing_is_replaced(place):
    image = ByKey(zom.open_array(place, "0"))
    group = zom.pyramid(image, place, "more", levels=2, on_conflict="replace")
    np.testing.assert_array_equal(group["0"][...], VALUES)


@pytest.mark.parametrize("level", ["1", "2"])
@pytest.mark.parametrize("by", ["itself", "name", "link", "prefix"])
def test_a_level_that_is_not_the_finest_is_no_image_of_its_group(place, tmp_path, level, by):
    message = rf"^image: expected the finest level of the pyramid in /, '0', .*, got '{level}', a coarser one; pass "
    before = kept(place)
    image, target = zom.open_array(place, level, mode="r+"), place
    if by == "link":
        target = tmp_path / "link"
        target.symlink_to(place)
    if by == "prefix":
        whole = PrefixStore(zom.store(tmp_path), "a.zarr/")
        image = zom.open_array(ReadOnlyStore(whole), level)
    for on_conflict in ("refuse", "replace"):
        with pytest.raises(ValueError, match=message):
            zom.pyramid(image, *([] if by == "itself" else [target]), levels=2, on_conflict=on_conflict)
    assert kept(place) == before


def test_a_level_whose_finer_ones_are_gone_is_the_finest(place):
    group = zom.open_group(place, mode="r+")
    group.delete("0")
    made = zom.pyramid(group["1"], levels=2, on_conflict="replace")
    assert made.attrs["ome"]["multiscales"][0]["datasets"][0]["path"] == "1"
    assert made["1"].shape == (20, 30)


def test_a_coarser_array_of_the_group_does_not_replace_a_finer_one(place):
    group = zom.open_group(place, mode="r+")
    group.create("thumb", v3.ArraySpec.build(shape=(20, 80), dtype="u2", dimension_names=("y", "x")))
    message = r"cannot replace '0': it is finer than the image, \(40, 60\) and \(20, 80\), and would be lost; choose "
    refused(group["thumb"], place, StoreError, message)
    group.create("whole", v3.ArraySpec.build(shape=(40, 60), dtype="u2", dimension_names=("y", "x")))
    made = zom.pyramid(group["whole"], levels=2, on_conflict="replace")
    assert sorted(made) == ["1", "thumb", "whole"]


def test_a_store_of_another_kind_may_be_the_same_place(place):
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed (pip install 'zom[fsspec]')")
    memory = fsspec.filesystem("memory")
    memory.pipe({"/a/0/zarr.json": (place / "0" / "zarr.json").read_bytes()})
    image = zom.open_array(FsspecStore(memory, "/a"), "0")
    refused(
        image, place, StoreError, r"cannot replace '0': .*, and memory:.* may be the same place; read it into"
    )


def test_levels_in_the_way_are_a_conflict_first(place):
    with pytest.raises(ConflictError):
        zom.pyramid(ByKey(zom.open_array(place, "0")), place, levels=2)


def test_masked_elements_that_are_read_are_refused(tmp_path):
    masked = ByKey(np.ma.masked_equal(VALUES, VALUES[3, 3]))
    with pytest.raises(
        TypeError, match=r"^image: expected elements without a mask, got masked ones; .*\.filled"
    ):
        zom.pyramid(masked, tmp_path / "m", levels=2)
    plain = ByKey(np.ma.masked_array(VALUES))
    np.testing.assert_array_equal(zom.pyramid(plain, tmp_path / "p", levels=2)["0"][...], VALUES)


def test_a_dask_array_with_a_mask_is_refused(tmp_path):
    da = pytest.importorskip("dask.array", reason="dask is not installed (pip install 'zom[dask]')")
    image = da.ma.masked_equal(da.from_array(VALUES, chunks=20), VALUES[3, 3])
    with pytest.raises(TypeError, match=r"fill it first: dask.array.ma.filled\(image\)$"):
        zom.pyramid(image, tmp_path / "m", levels=2)
    group = zom.pyramid(da.ma.filled(image, 0), tmp_path / "m", levels=2)
    assert group["0"][3, 3] == 0
