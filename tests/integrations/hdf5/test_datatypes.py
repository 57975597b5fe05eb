"""Data types of HDF5: what they become, and that elements keep their values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import zom

h5py = pytest.importorskip("h5py", reason="h5py is not installed (pip install 'zom[hdf5]')")


def read(file, name="x"):
    return zom.open(zom.store(file), name)[...]


def losses(file):
    return [(loss.code, loss.found) for loss in zom.from_hdf5(file).losses]


NUMBERS = st.one_of(
    hnp.boolean_dtypes(),
    hnp.integer_dtypes(endianness="?"),
    hnp.unsigned_integer_dtypes(endianness="?"),
    hnp.floating_dtypes(endianness="?", sizes=(16, 32, 64)),
    hnp.complex_number_dtypes(endianness="?", sizes=(64, 128)),
    hnp.byte_string_dtypes(endianness="?", min_len=1),
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_elements_read_as_h5py_reads_them(data, file):
    dtype = data.draw(NUMBERS)
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=7))
    values = data.draw(hnp.arrays(dtype, shape))
    options = {}
    if shape and 0 not in shape:
        options = data.draw(
            st.fixed_dictionaries(
                {
                    "chunks": st.tuples(*(st.integers(1, length) for length in shape)),
                    "compression": st.sampled_from([None, "gzip", "lzf"]),
                    "shuffle": st.booleans(),
                    "fletcher32": st.booleans(),
                }
            )
        )
    file.pop("x", None)
    file.create_dataset("x", data=values, **options)
    made = read(file)
    assert made.dtype.newbyteorder("=") == file["x"].dtype.newbyteorder("=")
    np.testing.assert_array_equal(made, file["x"][...])


def test_text_of_any_length(file):
    file.create_dataset("x", data=["a", "", "ü€"], chunks=(2,), compression="gzip", shuffle=True)
    assert read(file).tolist() == ["a", "", "ü€"]
    spec = zom.from_hdf5(file).spec["x"]
    assert (spec.data_type, [codec["name"] for codec in spec.codecs]) == (
        "string",
        ["vlen-utf8", "numcodecs.zlib"],
    )


def test_text_that_is_not_unicode_is_an_error(file):
    file.create_dataset("x", data=[b"\xff"], dtype=h5py.string_dtype("ascii"))
    with pytest.raises(
        zom.StoreError, match=r"cannot read 'x/c/0' of /x: expected text in UTF-8, found"
    ) as told:
        read(file)
    assert r"found the element b'\xff'; leave out the array" in str(told.value)


def test_copies_of_text_that_is_not_unicode_name_it_and_can_do_without(file):
    file.create_dataset(
        "b", data=[b"ok", b"M\xfcnchen", b"\xfc" * 99], dtype=h5py.string_dtype(), chunks=(2,)
    )
    file["a"] = [1]
    with pytest.raises(zom.StoreError) as told:
        zom.copy(zom.store(file), zom.stores.memory.MemoryStore())
    assert str(told.value).endswith(
        "cannot read 'b/c/0' of /b: expected text in UTF-8, found the element b'M\\xfcnchen'; "
        "leave out the array (choose others with select), or write the text in UTF-8 to the file"
    )
    with pytest.raises(zom.StoreError, match=r"xfc'\.\.\.; leave"):
        zom.store(file).get("b/c/1")
    assert zom.copy(zom.store(file), zom.stores.memory.MemoryStore(), select="a").arrays == 1


def test_names_in_types_that_are_not_unicode_are_told_of(file):
    kind = h5py.h5t.enum_create(h5py.h5t.NATIVE_INT8)
    kind.enum_insert(b"M\xfcn", 1)
    h5py.h5d.create(file.id, b"x", kind, h5py.h5s.create_simple((2,)))
    record = h5py.h5t.create(h5py.h5t.COMPOUND, 4)
    record.insert(b"M\xfcn", 0, h5py.h5t.NATIVE_INT32)
    h5py.h5d.create(file.id, b"y", record, h5py.h5s.create_simple((2,)))
    found = zom.from_hdf5(file)
    assert found.spec["x"].attributes["flag_meanings"] == "M\ufffdn"
    assert "y" not in found.spec.members
    told = {(loss.node, loss.found) for loss in found.losses if loss.code == "hdf5/data-type"}
    assert ("/x", "b'M\\xfcn'") in told
    assert any(node == "/y" and "a type that h5py can't read" in text for node, text in told)


def test_text_after_its_end_is_not_shown(file):
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(4)
    kind.set_strpad(h5py.h5t.STR_NULLTERM)
    space = h5py.h5s.create_simple((2,))
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk((2,))
    made = h5py.h5d.create(file.id, b"x", kind, space, plist)
    made.write_direct_chunk((0,), b"a\0zzbcd\0")
    assert not zom.from_hdf5(file).same_chunks["/x"]
    assert read(file).tolist() == file["x"][...].tolist()


def test_an_enumeration_keeps_its_numbers_and_their_names(file):
    file.create_dataset("x", data=[0, 2], dtype=h5py.enum_dtype({"clear": 0, "full cover": 2}, "u1"))
    spec = zom.from_hdf5(file).spec["x"]
    assert spec.data_type == "uint8"
    assert dict(spec.attributes) == {"flag_values": [0, 2], "flag_meanings": "clear full_cover"}
    assert read(file).tolist() == [0, 2]
    assert losses(file) == [("hdf5/data-type-form", "an enumeration: clear = 0, full cover = 2")]


def test_dates_in_opaque_bytes(file):
    dates = np.array(["2020-01-01", "2021-05-06"], "M8[s]")
    file["x"] = dates.astype(h5py.opaque_dtype(dates.dtype))
    np.testing.assert_array_equal(read(file), dates)


def test_opaque_bytes_are_kept(file):
    file["x"] = np.array([b"abc", b"de"], "V3")
    assert read(file).tobytes() == b"abcde\0"


RECORD = np.dtype(
    {
        "names": ["i", "f", "s", "v", "r"],
        "formats": ["i1", ">f8", "S3", ("<i2", (2,)), np.dtype([("p", "?"), ("q", ">c8")])],
        "offsets": [0, 8, 16, 20, 24],
        "itemsize": 48,
    }
)


def test_a_compound_becomes_a_struct_without_gaps(file):
    values = np.array([(1, 2.5, b"ab", (3, 4), (True, 1j)), (-1, np.inf, b"", (5, 6), (False, 0))], RECORD)
    file["x"] = values
    made = read(file)
    assert made.dtype.names == ("i", "f", "s", "v_0", "v_1", "r")
    for name in ("i", "f", "s"):
        np.testing.assert_array_equal(made[name], values[name])
    np.testing.assert_array_equal(made["v_1"], values["v"][:, 1])
    np.testing.assert_array_equal(made["r"]["q"], values["r"]["q"])
    assert losses(file) == [("hdf5/data-type-form", 'the field "v" of 2 elements')]


def test_a_packed_compound_is_copied_as_it_is(file):
    dtype = np.dtype([("a", "<i4"), ("b", "<f8")])
    file.create_dataset("x", data=np.array([(1, 2.0)] * 5, dtype), chunks=(2,), compression="gzip")
    assert zom.from_hdf5(file).same_chunks == {"/x": True}
    assert read(file).tolist() == [(1, 2.0)] * 5


def test_fields_that_zarr_has_no_type_for_are_dropped(file):
    dtype = np.dtype([("a", "i4"), ("t", h5py.string_dtype()), ("n", [("r", h5py.ref_dtype), ("b", "u1")])])
    made = file.create_dataset("x", (2,), dtype)
    made[0] = (7, "text", (file.ref, 3))
    assert read(file).tolist() == [(7, (3,)), (0, (0,))]
    assert losses(file) == [
        ("hdf5/data-type", 'the field "t" of text of any length'),
        ("hdf5/data-type", 'the field "n.r" of references'),
    ]


@pytest.mark.parametrize(
    ("dtype", "found"),
    [
        (h5py.vlen_dtype("i4"), "sequences of any length of int32"),
        (h5py.ref_dtype, "references to other objects"),
        (h5py.regionref_dtype, "references to other objects"),
        (np.dtype([("a", h5py.vlen_dtype("i4"))]), "a compound without fields that Zarr supports: a"),
    ],
    ids=["sequences", "references", "regions", "compound"],
)
def test_types_that_zarr_has_not_are_lost(file, dtype, found):
    file.create_dataset("x", (2,), dtype)
    assert list(zom.from_hdf5(file).spec.members) == []
    assert losses(file)[-1] == ("hdf5/data-type", found)


def test_numbers_of_more_than_64_bits_are_rounded(file):
    if np.dtype("g").itemsize == 8:
        pytest.skip("long double is double here")
    file["x"] = np.array([1.5, np.inf], "g")
    assert (read(file).dtype, read(file).tolist()) == (np.dtype("f8"), [1.5, np.inf])
    assert losses(file)[0][0] == "hdf5/data-type"


def test_an_array_type_adds_dimensions(file):
    made = file.create_dataset(
        "x", (5,), np.dtype(("<i4", (3,))), chunks=(2,), shuffle=True, compression="gzip"
    )
    made[:4] = np.arange(12).reshape(4, 3)
    found = zom.from_hdf5(file)
    assert (found.spec["x"].shape, found.same_chunks) == ((5, 3), {"/x": True})
    np.testing.assert_array_equal(read(file), made[...])


def test_an_integer_of_fewer_bits_than_its_bytes_is_read_by_h5py(file):
    kind = h5py.h5t.STD_I32LE.copy()
    kind.set_precision(24)
    kind.set_offset(4)
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk((2,))
    made = h5py.Dataset(h5py.h5d.create(file.id, b"x", kind, h5py.h5s.create_simple((3,)), plist))
    made[...] = [1, -2, 3]
    assert not zom.from_hdf5(file).same_chunks["/x"]
    assert read(file).tolist() == [1, -2, 3]
