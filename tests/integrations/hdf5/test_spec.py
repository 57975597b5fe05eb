"""What `zom.from_hdf5` makes of groups, datasets, links and dimensions."""

from __future__ import annotations

import numpy as np
import pytest

import zom
from zom import v3

h5py = pytest.importorskip("h5py", reason="h5py is not installed (pip install 'zom[hdf5]')")


def codecs_of(spec):
    return [codec["name"] for codec in spec.codecs]


def chunks_of(spec):
    return spec.chunk_grid["configuration"]["chunk_shape"]


def losses(found, code):
    return [(loss.node, loss.severity, loss.found) for loss in found.losses if loss.code == code]


def test_groups_and_datasets_become_groups_and_arrays(file):
    file.attrs["title"] = "a"
    file["a/b/x"] = np.arange(6, dtype="<i2").reshape(2, 3)
    found = zom.from_hdf5(file)
    expected = v3.GroupSpec(
        attributes={"title": "a"},
        members={
            "a": v3.GroupSpec(
                members={
                    "b": v3.GroupSpec(
                        members={"x": v3.ArraySpec.build(shape=(2, 3), dtype="int16", compress=None)}
                    )
                }
            )
        },
    )
    assert (found.spec, found.losses, found.same_chunks) == (expected, (), {"/a/b/x": False})


def test_a_group_of_a_file_is_the_root(file):
    file["a/b/x"] = [1]
    assert [path for path, _ in zom.from_hdf5(file["a"]).spec.walk()] == ["/", "/b", "/b/x"]


def test_a_path_is_opened_and_closed(tmp_path):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["x"] = [1]
    assert list(zom.from_hdf5(path).spec.members) == ["x"]
    assert list(zom.from_hdf5(str(path)).spec.members) == ["x"]
    h5py.File(path, "r+").close()  # nobody has it open


def test_no_elements_are_read(file, monkeypatch):
    file.create_dataset("x", data=np.arange(10), chunks=(5,), compression="gzip")
    file["y"] = ["text"]

    def refuse(*_):
        raise AssertionError("elements were read")

    monkeypatch.setattr(h5py.Dataset, "__getitem__", refuse)
    assert list(zom.from_hdf5(file).spec.members) == ["x", "y"]
    with pytest.raises(AssertionError, match="elements were read"):
        file["y"][...]


def test_chunks_are_kept(file):
    file.create_dataset("x", (10, 7), "f4", chunks=(4, 3), maxshape=(None, 7))
    spec = zom.from_hdf5(file).spec["x"]
    assert (list(chunks_of(spec)), codecs_of(spec)) == ([4, 3], ["bytes"])


def test_a_contiguous_dataset_gets_chunks_of_a_few_mebibytes(file):
    file.create_dataset("x", (48, 721, 1440), "f4")
    assert chunks_of(zom.from_hdf5(file).spec["x"]) == chunks_of(
        v3.ArraySpec.build(shape=(48, 721, 1440), dtype="f4")
    )


def test_compression_can_be_chosen(file):
    file.create_dataset("x", (10,), "f4", chunks=(5,), compression="gzip")
    found = zom.from_hdf5(file, compress="zstd")
    assert (codecs_of(found.spec["x"]), found.same_chunks) == (["bytes", "zstd"], {"/x": False})


def test_the_spec_can_be_v2(file):
    file.create_dataset("x", (10,), ">f4", chunks=(5,), compression="gzip", shuffle=True)
    spec = zom.from_hdf5(file, zarr_format=2).spec["x"]
    assert (spec.dtype, spec.chunks, spec.compressor) == (">f4", (5,), {"id": "zlib", "level": 4})
    assert spec.filters[0]["id"] == "shuffle"


def test_the_fill_value_of_v2_is_the_mask(file):
    file.create_dataset("x", (4,), "f4", fillvalue=3, chunks=(2,))
    file.create_dataset("masked", (4,), "f4", fillvalue=3, chunks=(2,)).attrs["_FillValue"] = np.float32(
        "nan"
    )
    spec = zom.from_hdf5(file, zarr_format=2).spec
    assert (spec["x"].fill_value, spec["masked"].fill_value) == (None, "NaN")
    assert not spec["masked"].attributes
    zom.copy(file, target := zom.store("memory://hdf5-v2-fill"), spec, verify=True)
    assert zom.open(target, "x")[...].tolist() == [3] * 4
    assert zom.open(target, "masked")[...].tolist() == [3] * 4


def test_another_format_is_refused(file):
    with pytest.raises(ValueError, match="zarr_format: expected 2 or 3, got 4"):
        zom.from_hdf5(file, zarr_format=4)


def test_a_scalar_has_no_dimensions(file):
    file["x"] = 3.5
    assert zom.from_hdf5(file).spec["x"].shape == ()


def test_an_empty_dataset_becomes_an_array_without_elements(file):
    file["x"] = h5py.Empty("f4")
    found = zom.from_hdf5(file)
    assert found.spec["x"].shape == (0,)
    assert losses(found, "hdf5/null-dataspace") == [("/x", "warning", "no shape: the dataset is empty")]


# --- links ----------------------------------------------------------------------------------------------


def test_links_are_lost(file):
    file["x"] = [1]
    file["soft"] = h5py.SoftLink("/x")
    file["dangling"] = h5py.SoftLink("/nowhere")
    file["other"] = h5py.ExternalLink("other.h5", "/y")
    found = zom.from_hdf5(file)
    assert list(found.spec.members) == ["x"]
    assert losses(found, "hdf5/link") == [
        ("/", "warning", '"dangling", a link to /nowhere'),
        ("/", "warning", '"other", a link to /y in other.h5'),
        ("/", "warning", '"soft", a link to /x'),
    ]


def test_an_object_with_two_names_is_one_node_at_its_shortest_path(file):
    file["a/deep/x"] = [1]
    file["z"] = file["a/deep/x"]
    found = zom.from_hdf5(file)
    assert [path for path, node in found.spec.walk() if node.kind == "array"] == ["/z"]
    assert losses(found, "hdf5/link") == [("/a/deep", "warning", '"x", another name of /z')]


def test_a_loop_of_groups_ends(file):
    file["a/b/loop"] = file
    file["a/b/self"] = file["a/b"]
    found = zom.from_hdf5(file)
    assert [path for path, _ in found.spec.walk()] == ["/", "/a", "/a/b"]
    assert len(losses(found, "hdf5/link")) == 2


def test_deep_groups_are_walked_without_recursion(file):
    group = file
    for _ in range(500):
        group = group.create_group("g")
    assert sum(1 for _ in zom.from_hdf5(file).spec.walk()) == 501


def test_types_with_a_name_are_no_nodes(file):
    file["t"] = np.dtype("i4")
    found = zom.from_hdf5(file)
    assert (list(found.spec.members), found.losses) == ([], ())


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("inner", ["", "/x"], ids=["array", "group"])
@pytest.mark.parametrize(
    "name", ["zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata", ".zom.copy", ".zom.journal"]
)
def test_a_name_that_is_a_document_is_dropped(file, tmp_path, name, inner, zarr_format):
    file[name + inner] = [1]
    file["kept"] = [2]
    found = zom.from_hdf5(file, zarr_format=zarr_format)
    assert (list(found.spec.members), len(losses(found, "hdf5/name"))) == (["kept"], 1)
    with pytest.warns(zom.SpecWarning, match="it is dropped; rename it in the file"):
        zom.copy(zom.store(file), tmp_path / "b.zarr", found.spec, verify=True)
    assert zom.open(tmp_path / "b.zarr", "kept")[0] == 2


def test_a_name_that_is_not_in_utf_8_is_dropped(file):
    h5py.h5g.create(file.id, b"bad\xff")
    file["x"] = [1]
    found = zom.from_hdf5(file)
    assert list(found.spec.members) == ["x"]
    assert losses(found, "hdf5/name") == [("/", "warning", "b'bad\\xff'")]


def test_a_reserved_name_is_kept_with_a_warning(file):
    file["__categories/x"] = [1]
    found = zom.from_hdf5(file)
    assert "__categories" in found.spec.members
    assert [loss.code for loss in found.losses] == ["v3/node-name"]


# --- dimensions -----------------------------------------------------------------------------------------


def test_dimension_scales_are_names(file):
    file["t"] = np.zeros((2, 3, 4))
    for axis, name in ((0, "time"), (2, "lon")):
        file[name] = np.arange(file["t"].shape[axis])
        file[name].make_scale(name)
        file["t"].dims[axis].attach_scale(file[name])
    found = zom.from_hdf5(file)
    assert found.spec["t"].dimension_names == ("time", None, "lon")
    assert found.spec["time"].dimension_names == ("time",)
    assert all(not node.attributes for _, node in found.spec.walk())
    assert found.losses == ()


def test_labels_are_names_where_there_are_no_scales(file):
    file["t"] = np.zeros((2, 3))
    file["t"].dims[0].label = "y"
    assert zom.from_hdf5(file).spec["t"].dimension_names == ("y", None)


def test_dimensions_without_names_have_none(file):
    file["t"] = np.zeros((2, 3))
    assert "dimension_names" not in zom.from_hdf5(file).spec["t"].document


@pytest.mark.parametrize("name", ["DIMENSION_LIST", "DIMENSION_LABELS"])
@pytest.mark.parametrize(
    "value",
    [3, np.arange(2), np.arange(4000), "a", np.array([b"a", b"b", b"c"]), h5py.Empty("f8"), np.float32(1)],
    ids=["number", "numbers", "many", "text", "texts", "empty", "float"],
)
@pytest.mark.parametrize("maxshape", [None, (None, None)])
def test_bookkeeping_of_another_type_names_no_dimensions(file, name, value, maxshape):
    """HDF5's own functions crash on some of these."""
    file.create_dataset("x", (2, 3), "i4", maxshape=maxshape)
    file["x"].attrs[name] = value
    assert zom.from_hdf5(file).spec["x"].dimension_names is None


def test_bookkeeping_that_h5py_can_not_read_names_no_dimensions(file):
    file["x"] = [1, 2]
    space = h5py.h5s.create_simple((1,))
    for name in (b"DIMENSION_LIST", b"DIMENSION_LABELS"):
        h5py.h5a.create(file["x"].id, name, h5py.h5t.UNIX_D32LE, space)
    assert zom.from_hdf5(file).spec["x"].dimension_names is None


@pytest.mark.parametrize("maxshape", [None, (None,)])
def test_a_scale_that_was_deleted_is_reported(file, maxshape):
    file["x"], file["y"] = [1, 2], [3, 4]
    file["x"].make_scale()
    file["y"].make_scale()
    file.create_dataset("a", (2,), "i4", maxshape=maxshape).dims[0].attach_scale(file["x"])
    file.create_dataset("b", (2,), "i4", maxshape=maxshape).dims[0].attach_scale(file["x"])
    file["b"].dims[0].attach_scale(file["y"])
    del file["x"]
    found = zom.from_hdf5(file)
    assert (found.spec["a"].dimension_names, found.spec["b"].dimension_names) == (None, ("y",))
    assert [(loss.code, loss.node, loss.found) for loss in found.losses] == [
        ("hdf5/dimension", "/a", "a deleted one"),
        ("hdf5/dimension", "/b", "a deleted one"),
    ]
    assert found.losses[0].fix == "it is skipped; detach it, or attach another one"


def test_a_second_scale_is_lost(file):
    file["t"] = np.zeros(2)
    for name in ("a", "b"):
        file[name] = [1, 2]
        file[name].make_scale()
        file["t"].dims[0].attach_scale(file[name])
    found = zom.from_hdf5(file)
    assert found.spec["t"].dimension_names == ("a",)
    assert losses(found, "hdf5/dimension") == [("/t", "warning", "'/a' and \"/b\"")]


def netcdf_dimension(file, name, length, number=0):
    """A dimension without a variable, as netCDF-C writes it."""
    made = file.create_dataset(name, (length,), ">f4")
    made.make_scale(f"This is a netCDF dimension but not a netCDF variable.{length:10}")
    made.attrs["_Netcdf4Dimid"] = np.int32(number)
    return made


def test_a_netcdf_dimension_without_a_variable_is_a_name_only(file):
    file["v"] = np.zeros(2)
    file["v"].dims[0].attach_scale(netcdf_dimension(file, "nv", 2))
    found = zom.from_hdf5(file)
    assert (list(found.spec.members), found.spec["v"].dimension_names) == (["v"], ("nv",))
    assert found.losses == ()


def test_a_netcdf_dimension_that_no_array_has_is_lost(file):
    netcdf_dimension(file, "nv", 2)
    found = zom.from_hdf5(file)
    assert losses(found, "hdf5/dimension") == [("/", "warning", '"nv" of length 2, which no array uses')]


def test_a_variable_called_like_a_dimension_that_it_does_not_have_keeps_its_name(file):
    file.attrs["_NCProperties"] = "version=2"
    netcdf_dimension(file, "x", 2)
    file["_nc4_non_coord_x"] = np.zeros((3,))
    assert list(zom.from_hdf5(file).spec.members) == ["x"]


def test_a_coordinate_of_several_dimensions_has_their_names(file):
    file["lon"] = np.zeros((2, 3))
    file["lon"].make_scale()
    file["lon"].attrs["_Netcdf4Dimid"] = np.int32(1)
    file["lon"].attrs["_Netcdf4Coordinates"] = np.array([0, 1], "i4")
    netcdf_dimension(file, "lat", 2, number=0)
    assert zom.from_hdf5(file).spec["lon"].dimension_names == ("lat", "lon")


# --- fill values ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "fill"),
    [
        ("i2", None),
        ("i2", -7),
        (">f8", np.nan),
        ("?", True),
        ("S3", b"ab"),
        ("c8", 1 + 2j),
        (h5py.string_dtype(), "none"),
        (h5py.string_dtype(), None),
        (np.dtype([("a", "i4"), ("b", ">f8")]), np.array((3, 4.5), [("a", "i4"), ("b", ">f8")])),
    ],
    ids=str,
)
@pytest.mark.parametrize("chunks", [(2,), None], ids=["chunked", "contiguous"])
def test_what_was_never_written_reads_as_the_fill_value(file, dtype, fill, chunks):
    made = file.create_dataset("x", (4,), dtype, fillvalue=fill, chunks=chunks)
    store = zom.store(file)
    assert sorted(store.list("x/")) == ["x/zarr.json"]
    opened = zom.open(store, "x")[...]
    stored = made.asstr()[...] if made.dtype.kind == "O" else made[...]
    np.testing.assert_array_equal(np.asarray(opened, stored.dtype), stored)


def test_dates_are_filled_with_zeros_and_not_with_nat(file):
    file.create_dataset("x", (4,), h5py.opaque_dtype(np.dtype("M8[s]")), chunks=(2,))
    assert zom.from_hdf5(file).spec["x"].fill_value == 0


def test_a_fill_value_that_is_not_defined_is_zero(file):
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    space = h5py.h5s.create_simple((3,))
    h5py.h5d.create(file.id, b"x", h5py.h5t.NATIVE_INT32, space, plist)
    assert zom.from_hdf5(file).spec["x"].fill_value == 0
