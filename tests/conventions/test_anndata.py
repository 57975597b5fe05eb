"""AnnData's convention: where it is found, what its messages say, and what its skeletons are.

Its rules' cases are in tests/conformance/conventions/anndata.json; what anndata itself does is asked in
tests/interop/conventions_anndata.py.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

import zom
from zom import v2, v3
from zom.conventions.anndata import ANNDATA, categorical, csc, csr, nullable, skeleton
from zom.conventions.anndata.elements import VERSIONS

FORMATS = [2, 3]


def small(zarr_format: int = 3, **parts: Any) -> Any:
    return skeleton(4, 3, zarr_format=zarr_format, **parts)  # type: ignore[arg-type]


def document(**parts: Any) -> dict[str, Any]:
    return small(**parts).to_dict()


def messages(subject: object) -> list[str]:
    return [str(problem) for problem in zom.validate(subject, conventions=["anndata"])]


def codes(subject: object) -> list[str]:
    return [problem.code for problem in zom.validate(subject, conventions=["anndata"])]


# --- where it is found --------------------------------------------------------------------------------------


def test_the_rulebook_knows_each_type_as_an_array_or_a_group():
    said = [rule.when[0]["values"] for rule in ANNDATA.rules if rule.id == "kind"]
    assert len(said) == 2
    assert sorted(name for names in said for name in names) == sorted(VERSIONS)


def test_anndata_is_found_by_its_encoding():
    (found,) = zom.validate(small()).conventions
    assert (found.convention, found.first, found.how) == ("anndata", "/", 'has "anndata" at encoding-type')


def test_an_element_that_stands_alone_is_judged():
    alone = document(X=csr("float32"))["members"]["X"]
    del alone["members"]["indptr"]
    assert codes(alone) == ["anndata/sparse-members"]


def test_a_table_within_something_else_is_found():
    report = zom.validate(v3.GroupSpec(members={"tables": v3.GroupSpec(members={"table": small()})}))
    assert [found.first for found in report.conventions] == ["/tables/table"]


def test_any_group_with_obs_and_var_is_not_anndata():
    group = v3.GroupSpec(members={"obs": v3.GroupSpec(members={}), "var": v3.GroupSpec(members={})})
    assert zom.validate(group).conventions == ()


def test_what_anndata_0_7_wrote_is_told_of():
    old = document()
    del old["attributes"]
    for name in ("obs", "var"):
        old["members"][name]["attributes"]["encoding-version"] = "0.1.0"
    assert [(problem.code, problem.node) for problem in zom.validate(old)] == [
        ("anndata/encoding-type", "/"),
        ("anndata/legacy", "/obs"),
        ("anndata/legacy", "/var"),
    ]


# --- what it says -------------------------------------------------------------------------------------------


def test_a_matrix_of_another_size_names_the_axis():
    wrong = document(X="float32")
    wrong["members"]["X"]["shape"] = [7, 3]
    (message,) = messages(wrong)
    assert message == (
        "/X: shape[0]: expected 4 (n_obs, the length of the index of /obs), found 7; "
        "write one row for each entry of the index of obs, and one column for each entry of that of var"
    )


def test_a_column_that_is_not_there_suggests_a_near_name():
    wrong = document(obs={"cell_type": "int8"})
    wrong["members"]["obs"]["attributes"]["column-order"] = ["cell_tpye"]
    assert (
        "/obs: attributes.column-order[0]: expected the path of a node of this group, "
        "found \"cell_tpye\"; did you mean 'cell_type'?"
    ) in messages(wrong)


def test_a_column_that_is_not_listed_is_a_warning():
    wrong = document(obs={"n": "int8"})
    wrong["members"]["obs"]["attributes"]["column-order"] = []
    (problem,) = zom.validate(wrong, conventions=["anndata"])
    assert (problem.code, problem.severity) == ("anndata/columns-listed", "warning")
    assert problem.fix == "add its name to 'column-order': anndata silently drops unlisted columns"


def test_a_misspelt_encoding_suggests_a_near_name():
    wrong = document(X=csr("float32"))
    wrong["members"]["X"]["attributes"]["encoding-type"] = "csr-matrix"
    (found,) = [
        problem
        for problem in zom.validate(wrong, conventions=["anndata"])
        if problem.code == "anndata/encoding-known"
    ]
    assert str(found) == (
        "/X: attributes.encoding-type: expected an encoding type that anndata defines, "
        "found \"csr-matrix\"; did you mean 'csr_matrix' or 'csc_matrix'?"
    )


def test_a_future_version_says_which_is_known():
    wrong = document()
    wrong["attributes"]["encoding-version"] = "1.0.0"
    (problem,) = zom.validate(wrong, conventions=["anndata"])
    assert (problem.code, problem.expected, problem.found) == (
        "anndata/encoding-known",
        '"0.1.0", the known version of anndata',
        '"1.0.0"',
    )


def test_a_stranger_in_an_anndata_group_is_a_warning():
    wrong = document()
    wrong["members"]["Obsm"] = wrong["members"].pop("obsm")
    (problem,) = zom.validate(wrong, conventions=["anndata"])
    assert (problem.code, problem.severity, problem.fix) == (
        "anndata/members",
        "warning",
        "did you mean 'obsm'?",
    )


def test_sizes_are_not_judged_where_members_were_not_read():
    partly = document(X="float32")
    del partly["members"]["obs"]["members"]
    report = zom.validate(partly, conventions=["anndata"])
    assert len(report) == 0
    (count,) = [each for each in report.rules if each.code == "anndata/dataframe-length"]
    assert count.reasons["the length of the index is not known"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("value", [None, True, 7, 0.5, "x", [], {}, [None], [[1]], {"a": []}])
@pytest.mark.parametrize(
    "name",
    ["encoding-type", "encoding-version", "shape", "_index", "column-order", "ordered", "length", "form"],
)
def test_any_json_in_any_attribute_is_a_finding_or_nothing_but_never_an_exception(name: str, value: object):
    whole = document(X=csr("float32"), obs={"k": categorical(2), "m": nullable("int8")})
    for path in ([], ["X"], ["obs"], ["obs", "k"], ["obs", "m"], ["obs", "_index"]):
        changed = copy.deepcopy(whole)
        node = changed
        for step in path:
            node = node["members"][step]
        node.setdefault("attributes", {})[name] = value
        zom.validate(changed, conventions=["anndata"])


@pytest.mark.slow
def test_a_thousand_dataframes_within_each_other_are_judged():
    inner = document()["members"]["obs"]["members"]["_index"]
    for _ in range(1000):
        attributes = {
            "encoding-type": "dataframe",
            "encoding-version": "0.2.0",
            "_index": "i",
            "column-order": [],
        }
        inner = {"zarr_format": 3, "node_type": "group", "attributes": attributes, "members": {"i": inner}}
    assert "anndata/dataframe-length" not in codes(inner)


# --- skeletons ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("zarr_format", FORMATS)
def test_a_skeleton_with_everything_has_no_finding(zarr_format: int):
    spec = skeleton(
        100,
        20,
        X=csr("float32", stored=7),
        layers={"counts": "int32", "by columns": csc("int16", index_dtype="int64")},
        obs={"n": "int64", "text": "string", "kind": categorical(3, ordered=True), "maybe": nullable("bool")},
        var={"name": nullable("string"), "start": nullable("uint16")},
        obsm={"pca": 10, "where": (2, "float64")},
        varm={"loadings": 10},
        obsp={"near": csr("float64")},
        varp={"near": "float32"},
        zarr_format=zarr_format,  # type: ignore[arg-type]
    )
    report = zom.validate(spec)
    assert list(report) == []
    assert [found.convention for found in report.conventions] == ["anndata"]


@pytest.mark.parametrize(("zarr_format", "module"), [(2, v2), (3, v3)])
def test_a_skeleton_is_a_spec_of_the_format_that_is_asked_for(zarr_format: int, module: Any):
    assert isinstance(small(zarr_format), module.GroupSpec)


def test_the_arrays_of_a_sparse_matrix_fit_its_shape():
    spec = small(X=csr("float32", stored=5), layers={"c": csc("int8")})
    lengths = {name: array.shape for name, array in spec.members["X"].members.items()}
    assert lengths == {"data": (5,), "indices": (5,), "indptr": (5,)}
    assert spec.members["layers"].members["c"].members["indptr"].shape == (4,)


def test_the_columns_of_a_skeleton_are_in_order():
    spec = small(obs={"b": "int8", "a": "bool"})
    assert spec.members["obs"].attributes["column-order"] == ["b", "a"]


def test_a_skeleton_of_another_format_is_refused():
    with pytest.raises(ValueError, match="zarr_format: expected 2 or 3, got 4"):
        small(4)


def test_a_column_can_not_be_called_as_the_index():
    with pytest.raises(ValueError, match="a column can't be named '_index': that is the index"):
        small(obs={"_index": "int8"})


@pytest.mark.parametrize("zarr_format", FORMATS)
def test_a_materialized_skeleton_has_no_finding(zarr_format: int, tmp_path: Any):
    spec = small(zarr_format, X="float32", obs={"kind": categorical(2)})
    zom.materialize(spec, tmp_path / "a.zarr")
    assert list(zom.validate(tmp_path / "a.zarr", conventions=["anndata"])) == []


@pytest.mark.parametrize("name", ["MuData", "ngff:shapes", "nwb"])
def test_types_of_others_are_not_taken_for_anndata(name):
    attributes = {"encoding-type": name, "encoding-version": "0.1.0"}
    report = zom.validate(v3.GroupSpec(attributes=attributes, members={}))
    assert "anndata" not in {found.convention for found in report.conventions}
    assert not any(problem.code.startswith("anndata/") for problem in report)
