"""Rules that ask for the values of arrays: judged where values are read, and not applied elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from cf_datasets import dataset

import zom
from zom import v3
from zom.conventions import CheckedRule, Convention, Skip, conventions, python
from zom.conventions.framework.judgement import Judgement
from zom.errors import StoreError
from zom.formats.node_view import spec_tree
from zom.hierarchy.check.values import Values
from zom.testing.faulty import FaultyStore


def rising(site):
    blocks = site.node.blocks()
    if blocks is None:
        return Skip("the values were not read")
    values = np.concatenate([values for _, values in blocks])
    return (
        []
        if (values[1:] > values[:-1]).all()
        else [site.breach((), "values that rise", "others", node=site.node)]
    )


RISING = Convention(
    "rising", owns=("axis",), on=("array",), rules=(CheckedRule("rises", python(rising), must="values rise"),)
)
SPEC = v3.ArraySpec.build(shape=(4,), dtype="int8", attributes={"axis": "X"}, compress="zstd")


def written(values):
    root = zom.materialize(v3.GroupSpec(members={"x": SPEC}), "memory:")
    root["x"][...] = values
    return root.store


def outcome(report):
    (count,) = report.rules
    return count.passed, count.failed, dict(count.reasons)


@pytest.mark.parametrize(("values", "expected"), [([1, 2, 3, 4], (1, 0, {})), ([1, 3, 2, 4], (0, 1, {}))])
def test_values_are_read_where_they_are_asked_for(values, expected):
    assert outcome(zom.validate(written(values), conventions=[RISING], data="values")) == expected


def test_without_data_the_rule_does_not_apply():
    expected = (0, 0, {"the values were not read": 1})
    assert outcome(zom.validate(written([1, 3, 2, 4]), conventions=[RISING])) == expected
    assert outcome(zom.validate(v3.GroupSpec(members={"x": SPEC}), conventions=[RISING])) == expected


def test_values_that_cannot_be_decoded_are_a_finding():
    store = written([1, 2, 3, 4])
    store.set("x/c/0", b"not zstd")
    report = zom.validate(store, conventions=[RISING], data="values")
    assert [problem.code for problem in report] == ["convention/unreadable-values"]
    assert str(report.problems[0]).startswith("/x: expected values that can be read, found ")
    assert "cannot decode chunk 'x/c/0' of /x: zstd" in str(report.problems[0])


def test_a_store_that_fails_is_an_error_and_no_finding():
    store = FaultyStore(written([1, 2, 3, 4]))
    zom.validate(store, conventions=[RISING], data="values")
    (place,) = [place for place, (_, key) in enumerate(store.operations) if key == "x/c/0"]
    failing = FaultyStore(store.inner, {place: "fail"})
    with pytest.raises(StoreError, match="input/output error"):
        zom.validate(failing, conventions=[RISING], data="values")


# --- the rules of shipped conventions ------------------------------------------------------------------


def filled(members, values):
    root = zom.materialize(v3.GroupSpec(members=members), "memory:")
    for path, each in values.items():
        root[path][...] = each
    return root.store


def findings(store, name, code):
    report = zom.validate(store, conventions=[name], data="values")
    (count,) = (each for each in report.rules if each.code == code)
    assert count.passed + count.failed, dict(count.reasons)
    return [
        f"{problem.node}: {problem.expected}; {problem.found}" for problem in report if problem.code == code
    ]


def index(name, dtype="float64", size=3):
    return v3.ArraySpec.build(shape=(size,), dtype=dtype, dimension_names=(name,))


@pytest.mark.parametrize(
    ("child", "expected"),
    [
        ([1.0, 2.0, np.nan], []),
        (
            [1.0, 2.5, np.nan],
            ["/child/x: 2.0 at index 1, as in /x above it; 2.5"],
        ),
    ],
)
def test_indexes_of_a_tree_have_the_same_values(child, expected):
    members = {"x": index("x"), "child": v3.GroupSpec(members={"x": index("x")})}
    store = filled(members, {"x": [1.0, 2.0, np.nan], "child/x": child})
    assert findings(store, "xarray", "xarray/tree-indexes") == expected


def coordinate(values):
    members = {"x": index("x", size=len(values))}
    root = zom.materialize(v3.GroupSpec(attributes={"Conventions": "CF-1.12"}, members=members), "memory:")
    root["x"][...] = values
    return root.store


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 2.0, 4.0], []),
        ([4.0, 2.0, 1.0], []),
        ([1.0, 2.0, 2.0], ["/x: values that all increase; 2.0 and then 2.0 at index 2"]),
        ([4.0, 2.0, 3.0], ["/x: values that all decrease; 2.0 and then 3.0 at index 2"]),
    ],
)
def test_coordinates_of_cf_rise_or_fall(values, expected):
    assert findings(coordinate(values), "cf", "cf/coordinate-values-monotonic") == expected


@pytest.mark.parametrize("values", [[1.0, np.nan, 3.0], [np.nan, np.nan], [3.0, np.nan, 4.0, 1.0]])
def test_missing_coordinates_are_told_of_and_not_their_order(values):
    report = zom.validate(coordinate(values), conventions=["cf"], data=True)
    assert [each.code for each in report if each.severity == "error"] == ["cf/coordinate-values-missing"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1.0, 2.0], []), ([1.0, np.nan, np.nan], ["/x: no missing values; 2, the first at index 1"])],
)
def test_coordinates_of_cf_are_all_there(values, expected):
    assert findings(coordinate(values), "cf", "cf/coordinate-values-missing") == expected


def test_several_rules_read_a_coordinate_once():
    store = FaultyStore(coordinate([1.0, 2.0, 4.0]))
    report = zom.validate(store, conventions=["cf"], data="values")
    judged = {count.code for count in report.rules if count.passed}
    assert {"cf/coordinate-values-monotonic", "cf/coordinate-values-missing"} <= judged
    assert [key for _, key in store.operations].count("x/c/0") == 1


def test_shards_behind_a_transpose_are_read_by_whole_chunks():
    """Chunks of the array, where the document has them in another order: each is read once, whatever a block is."""
    spec = v3.ArraySpec.build(
        shape=(4, 1 << 20),
        dtype="int8",
        chunks=(4, 1 << 19),
        codecs=[
            {"name": "transpose", "configuration": {"order": [1, 0]}},
            {
                "name": "sharding_indexed",
                "configuration": {
                    "chunk_shape": [1 << 18, 2],
                    "codecs": [{"name": "bytes"}],
                    "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
                },
            },
        ],
    )
    array = zom.create_array("memory:", spec)
    array[...] = 1
    values = Values(array.store, "", "v3", Judgement("text"), zom.Limits())
    found = {start: block.shape for start, block in values.blocks(spec_tree(array.spec))}
    assert set(found.values()) == {(2, 1 << 19)}
    assert set(found) == {(row, column) for row in (0, 2) for column in (0, 1 << 19)}


def element(kind, version, arrays, **attributes):
    members = {
        name: v3.ArraySpec.build(
            shape=(len(values),),
            dtype="float32" if name == "data" else "int32",
            attributes={"encoding-type": "array", "encoding-version": "0.2.0"},
        )
        for name, values in arrays.items()
    }
    typed = {"encoding-type": kind, "encoding-version": version, **attributes}
    root = zom.materialize(v3.GroupSpec(attributes=typed, members=members), "memory:")
    for name, values in arrays.items():
        root[name][...] = values
    return root.store


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ([0, 1, -1], []),
        ([0, 2, 3], ["/codes: values from -1 to 1; 2 at index 1"]),
        ([-2, 0, 0], ["/codes: values from -1 to 1; -2 at index 0"]),
    ],
)
def test_codes_of_categories_have_categories(codes, expected):
    store = element("categorical", "0.2.0", {"codes": codes, "categories": [7, 8]}, ordered=False)
    assert findings(store, "anndata", "anndata/categorical-codes") == expected


def sparse(kind="csr_matrix", indptr=(0, 1, 3), indices=(0, 1, 2), shape=(2, 3)):
    arrays = {"data": [1, 2, 3], "indices": list(indices), "indptr": list(indptr)}
    return element(kind, "0.1.0", arrays, shape=list(shape))


@pytest.mark.parametrize(
    ("indptr", "expected"),
    [
        ((0, 1, 3), []),
        ((1, 1, 3), ["/indptr: 0 as the first value; 1"]),
        ((0, 4, 3), ["/indptr: values that never decrease; 4 and then 3 at index 2"]),
        ((0, 1, 2), ["/indptr: 3 as the last value, the length of data; 2"]),
    ],
)
def test_indptr_leads_through_the_data(indptr, expected):
    assert findings(sparse(indptr=indptr), "anndata", "anndata/sparse-indptr-values") == expected


@pytest.mark.parametrize(
    ("kind", "shape", "indices", "expected"),
    [
        ("csr_matrix", (2, 3), (0, 1, 2), []),
        ("csr_matrix", (2, 2), (0, 1, 2), ["/indices: values from 0 to 1; 2 at index 2"]),
        ("csc_matrix", (3, 2), (0, 1, 2), []),
        ("csc_matrix", (3, 2), (0, -1, 2), ["/indices: values from 0 to 2; -1 at index 1"]),
    ],
)
def test_indices_are_within_the_shape(kind, shape, indices, expected):
    store = sparse(kind=kind, shape=shape, indices=indices)
    assert findings(store, "anndata", "anndata/sparse-indices-values") == expected


FLAGS = {"flag_values": [1, 2], "flag_meanings": "good bad", "_FillValue": -1}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([[1, 2], [-1, 1]], []),
        ([[1, 2], [1, 7]], ["/q: one of the flag_values or missing: 1, 2, -1, 0; 7 at index 1, 1"]),
    ],
)
@pytest.mark.parametrize("chunks", [(1, 1), (2, 2)])
def test_flags_are_among_the_flag_values(values, expected, chunks):
    store = dataset({"q": (values, "int8", ("y", "x"), FLAGS)}, chunks=chunks)
    assert findings(store, "cf", "cf/flag-values-stored") == expected


def test_a_flag_that_is_the_fill_value_too_is_named_once():
    store = dataset({"q": ([0, 7], "int8", ("x",), {**FLAGS, "flag_values": [0, 1]})})
    told = ["/q: one of the flag_values or missing: 0, 1, -1; 7 at index 1"]
    assert findings(store, "cf", "cf/flag-values-stored") == told


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0, 3, 5], []),
        ([0, 6], ["/p: indexes from 0 to 5; 6 at index 1"]),
        ([-1], ["/p: indexes from 0 to 5; -1 at index 0"]),
    ],
)
def test_indexes_of_a_compression_are_within_the_dimensions(values, expected):
    arrays = {
        "p": (values, "int32", ("p",), {"compress": "y x"}),
        "y": ([0.0, 1.0], "float32", ("y",), {}),
        "x": ([0.0, 1.0, 2.0], "float32", ("x",), {}),
    }
    assert findings(dataset(arrays), "cf", "cf/compress-indexes") == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [([0.5, 2.0], []), ([0.5, 2.5], ["/x: a point from 1.0 to 2.0, according to /b; 2.5 at index 1"])],
)
def test_points_lie_within_their_bounds(values, expected):
    arrays = {
        "x": (values, "float64", ("x",), {"bounds": "b"}),
        "b": ([[0.0, 1.0], [2.0, 1.0]], "float64", ("x", "nv"), {}),
    }
    assert findings(dataset(arrays), "cf", "cf/bounds-enclose") == expected


# --- arrays of any size --------------------------------------------------------------------------------


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of two values, so that what is wrong lies between two of them."""
    from zom.hierarchy.check import values

    monkeypatch.setattr(values, "BLOCK", 2)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("place", range(1, 7))
def test_a_fault_is_found_wherever_blocks_end(place):
    values = np.arange(7.0)
    values[place] = values[place - 1]
    members = {"x": v3.ArraySpec.build(shape=(7,), dtype="float64", dimension_names=("x",), chunks=(2,))}
    root = zom.materialize(v3.GroupSpec(attributes={"Conventions": "CF-1.12"}, members=members), "memory:")
    root["x"][...] = values
    told = f"{values[place - 1]} and then {values[place]} at index {place}"
    if place == 1:
        told = "0.0 and then 0.0 at index 1"
    assert findings(root.store, "cf", "cf/coordinate-values-monotonic")[0].endswith(f"; {told}")
    indptr = [0, 1, 2, 3, 4, 5, 6]
    indptr[place] = indptr[place - 1] - 1
    store = element(
        "csr_matrix", "0.1.0", {"data": [1] * 6, "indices": [0] * 6, "indptr": indptr}, shape=[6, 1]
    )
    found = findings(store, "anndata", "anndata/sparse-indptr-values")
    assert any(
        each.endswith(f"{indptr[place - 1]} and then {indptr[place]} at index {place}") for each in found
    )


@pytest.mark.parametrize(("data", "checked"), [(True, 1), ("values", 1), (False, 0), ("none", 0)])
def test_true_asks_for_the_values(data, checked):
    report = zom.validate(coordinate([1.0, 2.0]), conventions=["cf"], data=data)
    (rule,) = (each for each in report.rules if each.code == "cf/coordinate-values-monotonic")
    assert rule.passed == checked


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ("values", "convention/unreadable-values"),
        ("keys", "convention/unreadable-values"),
        ("index", "convention/unreadable-values"),
        ("all", "chunk/undecodable"),
    ],
)
@pytest.mark.parametrize("path", ["", "a/b"])
def test_a_damaged_chunk_is_one_finding_however_much_is_read(data, code, path):
    spec = v3.GroupSpec(attributes={"Conventions": "CF-1.12"}, members={"x": index("x", size=2)})
    store = zom.materialize(spec, "memory:", path).store
    store.set(f"{path}/x/c/0".lstrip("/"), b"short")
    report = zom.validate(store, path=path, conventions=["cf"], data=data)
    (problem,) = (each for each in report if each.severity == "error")
    assert (problem.code, problem.node) == (code, f"/{path}/x".replace("//", "/"))


def test_values_that_can_not_be_decoded_are_told_once_and_judged_by_no_rule():
    store = coordinate([1.0, 2.0])
    store.set("x/c/0", b"short")
    report = zom.validate(store, conventions=["cf"], data=True)
    assert [each.code for each in report if each.severity == "error"] == ["convention/unreadable-values"]
    reasons = {each.code: dict(each.reasons) for each in report.rules}
    assert reasons["cf/coordinate-values-monotonic"] == {"the values can't be read": 1}


@pytest.mark.slow
def test_an_array_larger_than_what_is_read_at_once_takes_bounded_memory(tmp_path):
    """256 MiB of values: the peak stays below a quarter of that."""
    import tracemalloc

    size = 1 << 25
    spec = v3.ArraySpec.build(
        shape=(size,), dtype="float64", dimension_names=("x",), chunks=(1 << 18,), compress="zstd"
    )
    root = zom.materialize(
        v3.GroupSpec(attributes={"Conventions": "CF-1.12"}, members={"x": spec}), tmp_path / "x.zarr"
    )
    for begin in range(0, size, 1 << 22):
        root["x"][begin : begin + (1 << 22)] = np.arange(begin, begin + (1 << 22), dtype="float64")
    root["x"][size - 1] = 0.0
    tracemalloc.start()
    try:
        found = findings(tmp_path / "x.zarr", "cf", "cf/coordinate-values-monotonic")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found[0].endswith(f"{size - 2}.0 and then 0.0 at index {size - 1}")
    assert peak < 64 << 20


def test_every_rule_that_asks_for_values_is_shown_here_or_among_those_on_several_arrays():
    shown = {
        "anndata/categorical-codes",
        "anndata/names-distinct",
        "anndata/sparse-indices-values",
        "anndata/sparse-indptr-values",
        "cf/bounds-enclose",
        "cf/compress-indexes",
        "cf/coordinate-values-missing",
        "cf/coordinate-values-monotonic",
        "cf/flag-masks-stored",
        "cf/flag-values-stored",
        "ome/label-values-colored",
        "xarray/tree-indexes",
    }
    asked = {code for each in conventions for code, rule in each.codes() if rule.check.reads_values}
    assert asked == shown
