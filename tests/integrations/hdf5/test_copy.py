"""`zom.copy` of HDF5 files: all values, in bounded memory, all or nothing."""

from __future__ import annotations

import json
import tracemalloc

import numpy as np
import pytest

import zom
from zom.cli.main import main
from zom.errors import StoreError
from zom.integrations.hdf5.chunks import SourceChunks
from zom.stores.memory import MemoryStore
from zom.stores.wrap import PrefixStore

h5py = pytest.importorskip("h5py", reason="h5py is not installed (pip install 'zom[hdf5]')")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.nc"
    with h5py.File(path, "w") as file:
        file["time"] = np.arange(6.0)
        file["time"].make_scale()
        made = file.create_dataset(
            "a/t", data=np.arange(60, dtype="i4").reshape(6, 10), chunks=(2, 10), compression="gzip"
        )
        made.dims[0].attach_scale(file["time"])
        file.create_dataset("a/s", data=["x", "yy"])
        file["a/link"] = h5py.SoftLink("/time")
    return path


def copied(source, target, **options):
    with pytest.warns(zom.SpecWarning, match="link"):
        return zom.copy(source, target, **options)


def test_a_copy_holds_what_the_file_holds(path, tmp_path):
    steps = []
    report = copied(
        path, tmp_path / "b.zarr", verify=True, progress=lambda done, of: steps.append((done, of))
    )
    assert (report.arrays, report.verified, steps[-1]) == (3, True, (5, 5))
    assert [warning.code for warning in report.warnings] == ["hdf5/link"]
    root = zom.open(tmp_path / "b.zarr")
    assert zom.read(tmp_path / "b.zarr") == zom.from_hdf5(path).spec
    with h5py.File(path) as file:
        np.testing.assert_array_equal(root["a/t"][...], file["a/t"][...])
        assert root["a/s"][...].tolist() == ["x", "yy"]


def test_a_copy_may_have_other_chunks_and_codecs(path, tmp_path):
    spec = zom.from_hdf5(path, compress="zstd").spec
    report = copied(path, tmp_path / "b.zarr", spec=spec, verify=True)
    assert {node.path: node.way for node in report.nodes}["/a/t"] == "encode"
    assert zom.open(tmp_path / "b.zarr", "a/t")[5, 9] == 59


def test_a_copy_may_be_v2(path, tmp_path):
    copied(path, tmp_path / "b.zarr", spec=zom.from_hdf5(path, zarr_format=2).spec, verify=True)
    assert zom.open(tmp_path / "b.zarr", "a/t")[5, 9] == 59


@pytest.mark.parametrize("jobs", [1, 4])
def test_threads_copy_the_same(tmp_path, jobs):
    values = np.random.default_rng(jobs).integers(0, 9, (64, 64))
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("same", data=values, chunks=(3, 5), compression="gzip")
        file.create_dataset("other", data=values, chunks=(3, 5), compression="lzf")
    zom.copy(tmp_path / "a.h5", tmp_path / "b.zarr", jobs=jobs, verify=True)
    root = zom.open(tmp_path / "b.zarr")
    np.testing.assert_array_equal(root["same"][...], values)
    np.testing.assert_array_equal(root["other"][...], values)


def test_a_dry_run_writes_nothing(path, tmp_path):
    report = copied(path, tmp_path / "b.zarr", dry_run=True)
    assert (report.dry_run, report.raw, (tmp_path / "b.zarr").exists()) == (True, 3, False)


@pytest.mark.parametrize("dry_run", [False, True])
def test_the_report_says_which_chunks_are_those_of_the_file(path, tmp_path, dry_run):
    report = copied(path, tmp_path / "b.zarr", dry_run=dry_run)
    nodes = {node.path: node for node in report.nodes if node.kind == "array"}
    assert {at: node.way for at, node in nodes.items()} == {
        "/time": "encode",
        "/a/t": "raw",
        "/a/s": "encode",
    }
    assert nodes["/time"].why == "the source store makes its chunks when they are read"
    if not dry_run:
        assert (report.raw, report.encoded) == (3, 2)
        assert str(report).splitlines()[0].count("3 chunks as they are, 2 chunks encoded again, ") == 1


def damaged_copy(tmp_path, place, verify, **options):
    """A copy of a file in which one byte of the second chunk is another."""
    path = tmp_path / "damaged.h5"
    with h5py.File(path, "w") as file:
        values = np.random.default_rng(1).integers(0, 9, 4000)
        made = file.create_dataset("g/x", data=values, chunks=(1000,), **options)
        info = made.id.get_chunk_info(1)
    data = bytearray(path.read_bytes())
    data[info.byte_offset + int(place * (info.size - 1))] ^= 4
    path.write_bytes(data)
    return zom.copy(path, tmp_path / "b.zarr", verify=verify)


@pytest.mark.parametrize("place", [0, 0.5, 1])
@pytest.mark.parametrize(
    "options",
    [
        {"compression": "gzip", "fletcher32": True},
        {"compression": "gzip"},
        {"fletcher32": True},
        {"shuffle": True, "compression": "gzip"},
    ],
    ids=str,
)
def test_chunks_that_are_damaged_in_the_file_are_not_verified(tmp_path, place, options):
    with pytest.raises(zom.ChunkError, match=r"damaged\.h5: cannot decode chunk 'g/x/c/1' of /g/x: "):
        damaged_copy(tmp_path, place, True, **options)
    with pytest.raises(zom.ZomError):
        zom.open(tmp_path / "b.zarr")


def test_a_copy_without_verifying_says_nothing_of_damage_that_reading_finds(tmp_path):
    assert not damaged_copy(tmp_path, 0.5, False, compression="gzip", fletcher32=True).verified
    with pytest.raises(zom.ChunkError):
        zom.open(tmp_path / "b.zarr", "g/x")[...]


def test_a_wrapped_file_is_verified_as_well(path):
    store, shared = zom.store(path), MemoryStore()
    inner = PrefixStore(store, "a/")
    assert [inner.origin(prefix) for prefix in ("t/", "s/", "")] == ["foreign", "made", "stored"]
    report = copied(inner, shared, verify=True)
    assert (report.raw, [warning.node for warning in report.warnings]) == (3, ["/"])


def test_a_part_is_copied(path, tmp_path):
    copied(path, tmp_path / "b.zarr", path="/a", select="t")
    assert [at for at, _ in zom.read(tmp_path / "b.zarr").walk()] == ["/", "/t"]


def test_a_copy_that_fails_is_no_hierarchy_and_is_taken_up_again(path, tmp_path, monkeypatch):
    read = SourceChunks.read

    def fail(self, place):
        if place == (2, 0):
            raise OSError(5, "Input/output error")
        return read(self, place)

    monkeypatch.setattr(SourceChunks, "read", fail)
    with pytest.raises(StoreError, match="input/output error"):
        zom.copy(path, tmp_path / "b.zarr", jobs=1)
    with pytest.raises(zom.ZomError):
        zom.open(tmp_path / "b.zarr")
    monkeypatch.undo()
    assert copied(path, tmp_path / "b.zarr", verify=True).resumed


def test_a_copy_takes_no_more_memory_than_a_batch(tmp_path):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        made = file.create_dataset("x", (64, 1 << 18), "f8", chunks=(1, 1 << 18))  # 128 MiB
        for row in range(64):
            made[row] = row
        file.create_dataset("y", (32, 1 << 18), "f8")[...] = 1  # 64 MiB, contiguous
    tracemalloc.start()
    try:
        zom.copy(path, tmp_path / "b.zarr", jobs=1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 112 << 20


def test_the_command_copies_a_file(path, tmp_path, capsys):
    assert main(["copy", str(path), str(tmp_path / "b.zarr"), "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)["result"]
    assert (report["arrays"], [each["code"] for each in report["warnings"]]) == (3, ["hdf5/link"])
    assert main(["copy", f"{path}::a", str(tmp_path / "c.zarr")]) == 0
    assert zom.open(tmp_path / "c.zarr", "t").shape == (6, 10)


def test_the_command_shows_a_file_as_a_hierarchy(path, capsys):
    assert main(["tree", str(path)]) == 0
    assert "numcodecs.zlib" in capsys.readouterr().out
    assert main(["read", str(path)]) == 0
    assert zom.parse(capsys.readouterr().out) == zom.from_hdf5(path).spec


def test_the_command_refuses_what_is_no_such_file(tmp_path, capsys):
    path = tmp_path / "a.nc"
    path.write_bytes(b"CDF\x01" + bytes(32))
    assert main(["copy", str(path), str(tmp_path / "b.zarr")]) != 0
    assert "nccopy -k nc4" in capsys.readouterr().err
    path.write_bytes(b"junk")
    assert main(["copy", str(path), str(tmp_path / "b.zarr")]) != 0
    assert "expected an HDF5 or NetCDF4 file" in capsys.readouterr().err
    assert not (tmp_path / "b.zarr").exists()
