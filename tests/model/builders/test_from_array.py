"""Specs from arrays that exist, and groups from nested mappings of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from zom import draft, v2, v3
from zom.errors import SpecError

MODULES: dict[str, Any] = {"v2": v2, "v3": v3, "draft": draft}


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        ("bool", "bool"),
        ("i1", "int8"),
        (">u2", "uint16"),
        ("f2", "float16"),
        ("c16", "complex128"),
        ("S5", "null_terminated_bytes"),
        ("U3", "fixed_length_utf32"),
        ("M8[ns]", "numpy.datetime64"),
        ("m8[10s]", "numpy.timedelta64"),
        ("V4", "raw_bytes"),
        ([("a", "i4"), ("b", "S2")], "struct"),
    ],
)
def test_a_numpy_array_of_any_type_has_a_spec(dtype: Any, name: str) -> None:
    array = np.zeros((2, 3), dtype)
    new = v3.ArraySpec.from_array(array)
    assert new.shape == (2, 3)
    assert (new.data_type if isinstance(new.data_type, str) else new.data_type["name"]) == name
    assert v3.check(new.to_json()) == ()
    old = v2.ArraySpec.from_array(array)
    assert v2.check(old.to_json()) == ()


def test_an_array_of_text_or_bytes_is_one_of_variable_length() -> None:
    assert v3.ArraySpec.from_array(np.array(["a", None], object)).data_type == "string"
    assert v3.ArraySpec.from_array(np.array([b"a"], object)).data_type == "bytes"
    assert v2.ArraySpec.from_array(np.array(["a"], object)).filters == [{"id": "vlen-utf8"}]
    assert v3.ArraySpec.from_array(np.array(["a"], np.dtypes.StringDType())).data_type == "string"


def test_an_array_of_anything_is_refused() -> None:
    with pytest.raises(
        SpecError, match=r"dtype: expected elements that are all str or all bytes, found .*int, str"
    ):
        v3.ArraySpec.from_array(np.array(["a", 1], object))


def test_a_masked_array_has_its_fill_value() -> None:
    array = np.ma.masked_array([1.0, 2.0], [0, 1], fill_value=-1)
    assert v3.ArraySpec.from_array(array).fill_value == -1.0


def test_scalars_and_empty_arrays_have_specs() -> None:
    assert v3.ArraySpec.from_array(np.float64(3)).shape == ()
    assert v3.ArraySpec.from_array(np.zeros((0, 3))).shape == (0, 3)


def test_lists_are_the_arrays_that_numpy_makes_of_them() -> None:
    assert v3.ArraySpec.from_array([[1.0, 2.0]]).shape == (1, 2)


@pytest.mark.parametrize("value", [None, np.array([], object), np.array([None], object)])
def test_an_array_that_does_not_tell_its_type_is_refused(value: Any) -> None:
    with pytest.raises(SpecError, match=r"objects: no elements to determine the type.*; name the dtype"):
        v3.ArraySpec.from_array(value)


def test_changes_go_to_build() -> None:
    spec = v3.ArraySpec.from_array(np.zeros((4, 4)), chunks=(2, 2), dtype="float32", attributes={"a": 1})
    assert spec.chunk_grid["configuration"] == {"chunk_shape": [2, 2]}
    assert spec.data_type == "float32"
    assert spec.attributes == {"a": 1}


def named(**facts: Any) -> Any:
    return SimpleNamespace(**{"shape": (4, 6), "dtype": np.dtype("f4"), **facts})


def test_what_an_array_says_of_its_layout_is_kept() -> None:
    array = named(
        chunks=(2, 3),
        dims=("y", "x"),
        attrs={"units": np.str_("m"), "n": np.int8(3), "raw": b"x"},
        fillvalue=7.0,
    )
    spec = v3.ArraySpec.from_array(array)
    assert spec.chunk_grid["configuration"] == {"chunk_shape": [2, 3]}
    assert spec.dimension_names == ("y", "x")
    assert spec.attributes == {"units": "m", "n": 3, "raw": "x"}
    assert spec.fill_value == 7.0


def test_unequal_chunks_are_refused_with_a_way_out() -> None:
    with pytest.raises(
        SpecError, match=r"equal chunks along dimension 0, but for a shorter last one.*rechunk the array"
    ):
        v3.ArraySpec.from_array(named(chunks=((1, 3), (6,))))
    with pytest.raises(SpecError, match="chunks: expected known chunk lengths"):
        v3.ArraySpec.from_array(named(chunks=((float("nan"),), (6,))))


@pytest.mark.parametrize("form", ["v2", "v3"])
def test_a_zarr_array_brings_its_whole_document(form: str) -> None:
    spec = MODULES[form].ArraySpec.build(
        shape=(4, 6),
        dtype="f4",
        chunks=(2, 3),
        attributes={"a": 1},
        compress="gzip",
        dimension_names=("y", "x"),
    )
    document = {**spec.to_dict(), "storage_transformers": ()} if form == "v3" else spec.to_dict()
    array = named(metadata=SimpleNamespace(to_dict=lambda: document))
    assert MODULES[form].ArraySpec.from_array(array) == spec


def test_a_zarr_array_without_names_of_dimensions_has_none() -> None:
    spec = v3.ArraySpec.build(shape=(4, 6), dtype="f4", shards="auto")
    document = {**spec.to_dict(), "dimension_names": None}
    assert v3.ArraySpec.from_array(named(metadata=SimpleNamespace(to_dict=lambda: document))) == spec


def test_an_h5py_dataset_has_a_spec(tmp_path: Any) -> None:
    h5py = pytest.importorskip("h5py", reason="pip install h5py")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        data = file.create_dataset(
            "d", shape=(4, 6), dtype="i2", chunks=(2, 3), compression="gzip", compression_opts=7, fillvalue=3
        )
        data.attrs["units"] = "m"
        data.attrs["n"] = np.arange(2)
        text = file.create_dataset("t", data=["a", "b"], dtype=h5py.string_dtype())
        spec = v3.ArraySpec.from_array(data)
        assert spec.chunk_grid["configuration"] == {"chunk_shape": [2, 3]}
        assert spec.codecs[1] == {"name": "gzip", "configuration": {"level": 7}}
        assert spec.fill_value == 3
        assert spec.attributes == {"units": "m", "n": [0, 1]}
        assert v3.ArraySpec.from_array(text).data_type == "string"
        assert v3.ArraySpec.from_array(text).fill_value == ""
        links = file.create_dataset("r", shape=(2,), dtype=h5py.ref_dtype)
        with pytest.raises(
            SpecError, match='dtype: expected elements that Zarr supports, found "objects of HDF5'
        ):
            v3.ArraySpec.from_array(links)
        assert v3.GroupSpec.from_tree({"d": data})["d"] == spec


def test_a_dask_array_has_a_spec() -> None:
    da = pytest.importorskip("dask.array", reason="pip install dask")
    spec = v3.ArraySpec.from_array(da.zeros((5, 6), chunks=(2, 3)))
    assert spec.chunk_grid["configuration"] == {"chunk_shape": [2, 3]}
    assert spec.data_type == "float64"


# --- from_tree ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
def test_a_group_is_made_of_nested_mappings(form: str) -> None:
    module = MODULES[form]
    array = module.ArraySpec.build(shape=1, dtype="u1")
    tree = module.GroupSpec.from_tree(
        {"a": np.zeros(3, "u1"), "b/c": {"d": array}, "b": {"e": {}}}, attributes={"t": 1}
    )
    assert sorted(tree.flatten()) == ["/", "/a", "/b", "/b/c", "/b/c/d", "/b/e"]
    assert tree["b/c/d"] is array
    assert tree["b/e"].members == {}
    assert tree.attributes == {"t": 1}
    assert module.check(tree.to_json()) == ()


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ({"a": None}, "a: expected a spec, an array or a mapping, found null"),
        ({"a": "x"}, 'a: expected a spec, an array or a mapping, found "x"'),
        ({"a": v3.GroupSpec(), "a/b": {}}, "expected a mapping at 'a', with members"),
        ({"a/b": {}, "a": v3.GroupSpec()}, "expected one member for a path"),
        ({"a": np.zeros(1), "a/": np.zeros(1)}, "expected one member for a path"),
        ({"__x": {}}, 'expected a name that does not start with "__"'),
        ({"a": v2.GroupSpec()}, "/a: expected a v3 node, found a v2 group"),
    ],
)
def test_what_makes_no_tree_is_refused(tree: Any, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        v3.GroupSpec.from_tree(tree)
    assert message in str(caught.value)


def test_the_callers_mapping_stays_as_it_is() -> None:
    tree: dict[str, Any] = {"a": {"b": {}}, "a/c": {}}
    v3.GroupSpec.from_tree(tree)
    assert tree == {"a": {"b": {}}, "a/c": {}}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
def test_mappings_of_any_depth_make_a_tree(form: str) -> None:
    tree: dict[str, Any] = {}
    for _ in range(10_000):
        tree = {"a": tree, "b": {}}
    node = MODULES[form].GroupSpec.from_tree({"x": tree, "y": tree})
    assert list(node.members) == ["x", "y"]
    depth = 0
    while node.members:
        assert list(node.members) in (["x", "y"], ["a", "b"])
        node, depth = next(iter(node.members.values())), depth + 1
    assert depth == 10_001


def test_a_mapping_that_contains_itself_is_refused() -> None:
    tree: dict[str, Any] = {"a": {"b": {}}}
    tree["a"]["b"]["c"] = tree["a"]
    with pytest.raises(SpecError, match="c: expected a mapping that doesn't contain itself"):
        v3.GroupSpec.from_tree(tree)


def test_a_group_of_many_mappings_takes_time_for_each_once() -> None:
    assert len(v3.GroupSpec.from_tree({f"g{number}": {} for number in range(3000)}).members) == 3000
