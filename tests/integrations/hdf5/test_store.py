"""An HDF5 file as a store: what it lists, reads and refuses."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import zom
import zom.stores.memory
from zom.integrations.hdf5.store import HDF5Store

h5py = pytest.importorskip("h5py", reason="h5py is not installed (pip install 'zom[hdf5]')")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["g/x"] = np.arange(6, dtype="<i2").reshape(2, 3)
        made = file.create_dataset("g/y", (100, 100), "f4", chunks=(30, 40), fillvalue=1, compression="gzip")
        made[95:] = 2
        file.create_dataset("g/never", (4,), "i4")
        file["s"] = 7
    return path


def test_keys_are_documents_and_the_chunks_of_the_file(path):
    with zom.store(path) as store:
        assert sorted(store.list()) == [
            "g/never/zarr.json",
            "g/x/c/0/0",
            "g/x/zarr.json",
            "g/y/c/3/0",
            "g/y/c/3/1",
            "g/y/c/3/2",
            "g/y/zarr.json",
            "g/zarr.json",
            "s/c",
            "s/zarr.json",
            "zarr.json",
        ]
        assert sorted(store.list("g/y/c/")) == ["g/y/c/3/0", "g/y/c/3/1", "g/y/c/3/2"]
        assert store.list_dir("") == (["zarr.json"], ["g/", "s/"])
        assert store.list_dir("g/") == (["g/zarr.json"], ["g/never/", "g/x/", "g/y/"])
        assert store.list_dir("g/y/") == (["g/y/zarr.json"], ["g/y/c/"])
        assert store.list_dir("g/y/c/3/").keys == ["g/y/c/3/0", "g/y/c/3/1", "g/y/c/3/2"]


def test_every_listed_key_has_a_value_and_no_other_has(path):
    with zom.store(path) as store:
        assert all(store.get(key) is not None for key in store.list())
        assert dict(store.sizes())["g/x/c/0/0"] == 12
        for key in ("g/y/c/0/0", "g/y/c/9/9", "g/y/c/3", "g/x/c", "s/c/0", "no", "g/x/c/00/0", "g/x/other"):
            assert store.get(key) is None, key
        assert store.get("g/x/c/0/0", zom.stores.interface.Range(2, 2)) == b"\1\0"


def test_a_file_opens_as_a_hierarchy(path):
    with zom.store(path) as store:
        root = zom.open(store)
        np.testing.assert_array_equal(root["g/y"][90:, 50], [1] * 5 + [2] * 5)
        np.testing.assert_array_equal(root["g/never"][...], [0] * 4)
        assert root["s"][...] == 7


def test_a_file_can_not_be_written(path):
    with zom.store(path) as store, pytest.raises(zom.ReadOnlyError):
        store.set("a", b"")
    with pytest.raises(zom.ReadOnlyError):
        zom.store(path, read_only=False)
    with pytest.raises(zom.ReadOnlyError):
        zom.copy(zom.create_group("memory:", zom.v3.GroupSpec()), path, target_path="copy")


@pytest.mark.parametrize("make", [zom.store, lambda path: zom.materialize(zom.v3.GroupSpec(), path)])
def test_a_new_file_is_not_made(tmp_path, make):
    with pytest.raises(
        zom.StoreError,
        match=r"reads HDF5 and NetCDF files but does not write them; name a directory, such as out\.zarr",
    ):
        make(tmp_path / "new.nc")
    assert not (tmp_path / "new.nc").exists()


def test_a_directory_may_be_called_like_such_a_file(tmp_path):
    (tmp_path / "a.nc").mkdir()
    zom.materialize(zom.v3.GroupSpec(), tmp_path / "a.nc")
    assert zom.read(tmp_path / "a.nc") == zom.v3.GroupSpec(members={})


def test_a_store_of_a_path_is_pickled_and_others_are_not(path):
    with zom.store(path) as store, pickle.loads(pickle.dumps(store)) as again:
        assert sorted(again.list()) == sorted(store.list())
    with HDF5Store(path, compress="zstd") as store, pickle.loads(pickle.dumps(store)) as again:
        assert again.get("g/y/zarr.json") == store.get("g/y/zarr.json")
    with h5py.File(path) as file, pytest.raises(zom.StoreError, match="a file that h5py has open"):
        pickle.dumps(zom.store(file))


def test_closing_leaves_the_file_of_somebody_else_open(path):
    with h5py.File(path) as file:
        zom.store(file).close()
        assert file["s"][()] == 7
    store = zom.store(path)
    store.close()
    store.close()
    h5py.File(path, "r+").close()


def test_a_dataset_that_was_made_smaller_has_no_chunks_outside(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        made = file.create_dataset("x", (10,), "i4", chunks=(2,), maxshape=(None,))
        made[...] = 1
        made.resize((3,))
        assert sorted(zom.store(file).list("x/c/")) == ["x/c/0", "x/c/1"]
        assert zom.open(zom.store(file), "x")[...].tolist() == [1, 1, 1]


def test_a_virtual_dataset_is_read_and_a_missing_source_is_told(tmp_path):
    with h5py.File(tmp_path / "part.h5", "w") as file:
        file["x"] = np.arange(3)
    layout = h5py.VirtualLayout((2, 3), "i8")
    layout[0] = h5py.VirtualSource("part.h5", "x", (3,))
    layout[1] = h5py.VirtualSource("gone.h5", "x", (3,))
    path = tmp_path / "whole.h5"
    with h5py.File(path, "w") as file:
        file.create_virtual_dataset("v", layout, fillvalue=-1)
    found = zom.from_hdf5(path)
    assert [(loss.code, loss.found) for loss in found.losses] == [("hdf5/virtual", 'no file "gone.h5"')]
    with zom.store(path) as store:
        np.testing.assert_array_equal(zom.open(store, "v")[...], [[0, 1, 2], [-1, -1, -1]])


# --- what is no such file --------------------------------------------------------------------------------


def refused(path, match):
    for what in (zom.from_hdf5, zom.store, lambda path: zom.copy(path, path.parent / "new.zarr")):
        with pytest.raises(zom.StoreError, match=match):
            what(path)
    assert not Path(path.parent, "new.zarr").exists()


@pytest.mark.parametrize("magic", [b"CDF\x01", b"CDF\x02", b"CDF\x05"])
def test_netcdf3_is_refused_with_a_way_out(tmp_path, magic):
    path = tmp_path / "a.nc"
    path.write_bytes(magic + bytes(100))
    refused(path, "classic format.*nccopy -k nc4")


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "a.nc"
    path.write_bytes(b"hello")
    refused(path, "expected an HDF5 or NetCDF4 file, found another file")
    path.write_bytes(b"")
    refused(path, "found an empty file")


def test_a_truncated_file_is_refused(path):
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    refused(path, "the file is truncated")


def test_a_damaged_file_is_refused(path):
    data = bytearray(path.read_bytes())
    data[8:60] = bytes([255]) * 52
    path.write_bytes(data)
    refused(path, "damaged")


@pytest.mark.parametrize("seed", range(3))
def test_bytes_that_are_flipped_never_end_in_a_foreign_error(tmp_path, path, seed):
    """h5py raises KeyError, RuntimeError and others; a flip in the data of a chunk may go unseen."""
    whole, random, told = path.read_bytes(), np.random.default_rng(seed), 0
    damaged = tmp_path / "damaged.h5"
    for _ in range(40):
        data = bytearray(whole)
        for place in random.integers(0, len(data), 4):
            data[place] ^= 1 << int(random.integers(8))
        damaged.write_bytes(data)
        for what in (zom.from_hdf5, lambda place: zom.copy(place, zom.stores.memory.MemoryStore())):
            try:
                with warnings.catch_warnings(action="ignore"):
                    what(damaged)
            except zom.ZomError:
                told += 1
    assert told


@pytest.mark.skipif("HDF5_USE_FILE_LOCKING" in os.environ, reason="HDF5 is told whether to lock files")
def test_a_file_that_is_being_written_is_refused(path):
    code = f"import h5py; file = h5py.File({str(path)!r}, 'r+'); print(flush=True); input()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], **pipes) as writer:
        writer.stdout.readline()
        try:
            refused(path, "another program has it open for writing")
        finally:
            writer.communicate(b"\n")


def test_a_file_that_is_closed_is_refused(path):
    with h5py.File(path) as file:
        pass
    with pytest.raises(zom.StoreError, match="the file is closed"):
        zom.from_hdf5(file)


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(zom.StoreError, match="there is no such file"):
        zom.from_hdf5(tmp_path / "no.h5")
    with pytest.raises(zom.StoreError, match=r"builtins\.int: cannot open: expected a path"):
        zom.from_hdf5(3)


def test_a_file_with_a_block_before_it_is_found(tmp_path):
    path = tmp_path / "a.mat"
    with h5py.File(path, "w", userblock_size=1024) as file:
        file["x"] = [1]
    with zom.store(path) as store:
        assert "x/zarr.json" in store.list()


def test_without_h5py_the_extra_is_named(monkeypatch, path):
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    with pytest.raises(zom.ExtensionError, match=r"h5py is not installed; pip install 'zom\[hdf5\]'"):
        zom.from_hdf5(path)
    with pytest.raises(zom.ExtensionError, match=r"zom\[hdf5\]"):
        zom.store(path)
