"""Filters of HDF5: the codecs that stand for them, and chunks that are taken as they are."""

from __future__ import annotations

import bz2
import zlib
from types import SimpleNamespace

import numcodecs
import numpy as np
import pytest

import zom
from zom.integrations.hdf5.stored_chunks import look_at_chunks

h5py = pytest.importorskip("h5py", reason="h5py is not installed (pip install 'zom[hdf5]')")

VALUES = np.arange(20, dtype="<i4").reshape(4, 5) % 3
WIDE = np.arange(4000, dtype="<i4").reshape(40, 100) % 1000


def codecs_of(file, name="x"):
    spec = zom.from_hdf5(file).spec[name]
    return [(codec["name"], codec.get("configuration", {})) for codec in spec.document["codecs"][1:]]


def with_filters(file, filters, dtype="<i4", shape=(4, 5), chunks=(4, 5)):
    """A dataset with filters that need not be installed, whose chunks are written as they are."""
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk(chunks)
    for code, values in filters:
        plist.set_filter(code, h5py.h5z.FLAG_OPTIONAL, values)
    kind, space = h5py.h5t.py_create(np.dtype(dtype)), h5py.h5s.create_simple(shape)
    return h5py.Dataset(h5py.h5d.create(file.id, b"x", kind, space, plist))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, []),
        ({"compression": "gzip", "compression_opts": 7}, [("numcodecs.zlib", {"level": 7})]),
        (
            {"compression": "gzip", "shuffle": True},
            [("numcodecs.shuffle", {"elementsize": 4}), ("numcodecs.zlib", {"level": 4})],
        ),
        (
            {"compression": "gzip", "fletcher32": True},
            [("numcodecs.zlib", {"level": 4}), ("numcodecs.fletcher32", {})],
        ),
    ],
    ids=["none", "gzip", "shuffle", "fletcher32"],
)
def test_chunks_are_the_same_bytes(file, options, expected):
    file.create_dataset("x", data=WIDE, chunks=(30, 40), **options)
    assert codecs_of(file) == expected
    assert zom.from_hdf5(file).same_chunks == {"/x": True}
    store = zom.store(file)
    assert store.get("x/c/0/1") == file["x"].id.read_direct_chunk((0, 40))[1]
    np.testing.assert_array_equal(zom.open(store, "x")[...], WIDE)


@pytest.mark.parametrize("dtype", ["<f8", ">i2", "<i4", "u1", "S3"])
def test_a_checksum_may_come_before_the_shuffle_as_netcdf_has_it(file, dtype):
    """HDF5 leaves the bytes of the sum alone where they are no whole element."""
    made = with_filters(file, [(3, ()), (2, (np.dtype(dtype).itemsize,)), (1, (4,))], dtype)
    made[...] = VALUES.astype(dtype)
    np.testing.assert_array_equal(zom.open(zom.store(file), "x")[...], made[...])


@pytest.mark.parametrize("kind", ["lzf", "scaleoffset", "szip"])
def test_a_filter_without_a_codec_gives_way_to_zstd(file, kind):
    if kind == "szip" and not h5py.h5z.filter_avail(4):
        pytest.skip("this HDF5 has no szip")
    options = {"scaleoffset": 0} if kind == "scaleoffset" else {"compression": kind}
    file.create_dataset("x", data=WIDE, chunks=(30, 40), shuffle=True, **options)
    assert [name for name, _ in codecs_of(file)] == ["numcodecs.shuffle", "zstd"]
    found = zom.from_hdf5(file)
    assert [(loss.code, loss.severity, loss.found) for loss in found.losses] == [
        ("hdf5/filter", "note", kind)
    ]
    np.testing.assert_array_equal(zom.open(zom.store(file), "x")[...], WIDE)


BLOSC = numcodecs.Blosc("lz4", 5, 1)
INNER = {
    307: (bz2.compress, (9,), ("numcodecs.bz2", {"level": 9})),
    32015: (numcodecs.Zstd(5).encode, (5,), ("zstd", {"level": 5, "checksum": False})),
    32001: (
        lambda data: BLOSC.encode(np.frombuffer(data, "<i4")),
        (2, 2, 4, 80, 5, 1, 1),
        ("blosc", {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 4, "blocksize": 0}),
    ),
}


@pytest.mark.parametrize("code", INNER)
def test_chunks_of_filters_that_are_not_installed_are_taken_as_they_are(file, code):
    encode, values, expected = INNER[code]
    made = with_filters(file, [(code, values)])
    made.id.write_direct_chunk((0, 0), bytes(encode(VALUES.tobytes())))
    assert codecs_of(file) == [expected]
    np.testing.assert_array_equal(zom.open(zom.store(file), "x")[...], VALUES)


def test_chunks_that_skip_a_filter_are_encoded(file):
    made = file.create_dataset("x", (4, 5), "<i4", chunks=(2, 5), compression="gzip")
    made.id.write_direct_chunk((0, 0), VALUES[:2].tobytes(), filter_mask=1)
    made[2:] = VALUES[2:]
    np.testing.assert_array_equal(zom.open(zom.store(file), "x")[...], VALUES)


def test_a_chunk_as_long_as_its_elements_may_be_bare_and_is_encoded(file):
    made = file.create_dataset("x", (4, 5), "<i4", chunks=(4, 5), compression="gzip")
    # Bytes that no compressor makes smaller, up to the place where what zlib adds is made up for.
    noise = np.random.default_rng(0).bytes(80)
    data = next(
        packed
        for count in range(80)
        if len(packed := zlib.compress(noise[:count] + bytes(80 - count), 9)) == 80
    )
    made.id.write_direct_chunk((0, 0), data)
    assert zlib.decompress(zom.store(file).get("x/c/0/0")) == zlib.decompress(data)


@pytest.mark.parametrize(
    ("code", "values", "expected"),
    [
        (32004, (), "numcodecs.lz4"),
        (32008, (0, 3, 4, 0, 2), "blosc"),
        (32008, (0, 3, 4, 0, 3), "blosc"),
        (32026, (2, 2, 4, 80, 5, 1, 5), "blosc"),
        (32013, (1, 2), "zstd"),
        (40000, (), "zstd"),
    ],
)
def test_other_filters_are_compressed_alike(file, code, values, expected):
    with_filters(file, [(code, values)])
    assert [name for name, _ in codecs_of(file)] == [expected]
    assert zom.from_hdf5(file).same_chunks == {"/x": False}


def test_chunks_that_nobody_can_decode_are_not_copied(file):
    file["y"] = [1]
    made = with_filters(file, [(32008, (0, 3, 4, 0, 2))])
    made.id.write_direct_chunk((0, 0), b"bits")
    found = zom.from_hdf5(file)
    assert [(loss.node, loss.code, loss.severity) for loss in found.losses] == [
        ("/x", "hdf5/filter-missing", "warning")
    ]
    with pytest.warns(zom.SpecWarning) as caught:
        report = zom.copy(file, "memory://hdf5-missing-filter")
    assert "hdf5plugin" in "".join(str(each.message) for each in caught)
    assert [node.path for node in report.nodes] == ["/", "/y"]
    assert [(problem.node, problem.code) for problem in report.problems] == [("/x", "store/unreadable-node")]
    with pytest.raises(zom.ZomError, match=r"need the filter \(32008\), which is not installed"):
        zom.open(zom.store(file), "x")


def test_chunks_are_found_by_an_older_hdf5_too(file):
    """HDF5 before 1.12.3 has no walk over chunks, only the nth of them."""
    made = file.create_dataset("x", (6,), "i4", chunks=(2,))
    made[...] = 1
    older = SimpleNamespace(get_num_chunks=made.id.get_num_chunks, get_chunk_info=made.id.get_chunk_info)
    for dataset in (made, SimpleNamespace(id=older)):
        found = []
        look_at_chunks(dataset, lambda info, found=found: found.append(info.chunk_offset))
        assert found == [(0,), (2,), (4,)]
        few = []
        look_at_chunks(dataset, lambda info, few=few: few.append(info.chunk_offset) or len(few) == 2)
        assert few == [(0,), (2,)]


def test_a_filter_that_no_chunk_has_gone_through_is_not_missed(file):
    made = with_filters(file, [(32008, (0, 3, 4, 0, 2))])
    made[...] = VALUES
    np.testing.assert_array_equal(zom.open(zom.store(file), "x")[...], VALUES)
