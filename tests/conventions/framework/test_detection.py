"""What is said of conventions that are asked for: absent, in another version, or found without a rule that applies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import zom
from zom import v3
from zom.conventions import conventions
from zom.formats.node_view import document_tree
from zom.hierarchy.check.validate import validate_attributes

CONFORMANCE = Path(__file__).parents[2] / "conformance"
WELL = v3.GroupSpec(attributes={"well": {"images": []}}, members={})


def dataset(*arrays, **attributes):
    made = {
        name: v3.ArraySpec.build(shape=shape, dtype="float32", dimension_names=dims, attributes=own)
        for name, dims, shape, own in arrays
    }
    return v3.GroupSpec(attributes=attributes, members=made)


def names(report):
    return {found.convention for found in report.conventions}


def nodes_of_the_corpus():
    for file in sorted((CONFORMANCE / "conventions").glob("*.json")):
        for document in json.loads(file.read_text()).get("documents", {}).values():
            yield from document_tree(document).walk()


def test_no_convention_is_found_where_it_says_that_attributes_are_needed_and_none_of_them_is_there():
    found, passed = 0, 0
    for node in nodes_of_the_corpus():
        for convention in conventions:
            if convention.found_at(node) is None:
                continue
            found += 1
            if convention.needed is not None:
                passed += 1
                assert not convention.needed.isdisjoint(node.attributes), (convention.name, node.path)
    assert found > passed > 100


def test_what_is_asked_for_and_has_no_rule_that_applies_is_an_error():
    report = zom.validate(WELL, conventions=["ome"], profile="schema")
    assert (report.ok, report.checked) == (False, 0)
    (problem,) = report
    assert (problem.code, problem.expected) == (
        "convention/nothing-checked",
        "a rule of ome/0.5 that applies, in the profile schema",
    )
    assert problem.found.startswith("none, though the convention is found at /: ")
    assert problem.fix == (
        'check that the metadata is complete and in the right place; the profile "full" has more rules'
    )


@pytest.mark.parametrize("profile", ["schema", "strict", "text", "full"])
@pytest.mark.parametrize("convention", sorted({each.id for each in zom.conventions.conventions}))
def test_no_report_of_a_convention_that_checked_nothing_is_ok(profile, convention):
    report = zom.validate(
        v3.GroupSpec(attributes={"title": "t"}, members={}), conventions=[convention], profile=profile
    )
    assert report.checked or not report.ok


def test_text_that_is_no_json_has_one_finding():
    broken = '{"zarr_format": 3, "node_type": "group", "attributes": {"ome": {"version": "0.5"},}'
    assert [problem.code for problem in zom.validate(broken, conventions=["ome"])] == ["json/syntax"]
    assert [problem.code for problem in validate_attributes('{"ome": {', conventions=["ome"])] == [
        "json/syntax"
    ]


def test_attributes_alone_may_be_of_either_format():
    found = validate_attributes({"ome": {"version": "0.5", "labels": []}})
    assert (found.ok, names(found)) == (True, {"ome/0.5"})
    assert names(validate_attributes({"series": ["0", "1"]}, conventions=["ome"])) == {"ome/0.4"}


def test_a_group_of_v3_whose_dimensions_all_have_names_is_a_dataset():
    assert names(zom.validate(dataset(("t", ("y", "x"), (3, 4), {}), ("u", ("y",), (3,), {})))) == {"xarray"}


@pytest.mark.parametrize("spec", [
    dataset(("0", ("y", "x"), (8, 8), {}), ("1", ("y", "x"), (4, 4), {})),
    dataset(("0", ("y", "x"), (8, 8), {}), multiscales={"layout": []}),
    dataset(("t", ("y", "x"), (3, 4), {}), ("u", None, (3,), {})),
    dataset(("t", ("y", None), (3, 4), {})),
    dataset(("t", (), (), {})),
])  # fmt: skip
def test_levels_of_a_pyramid_and_arrays_without_names_are_no_dataset(spec):
    assert "xarray" not in names(zom.validate(spec))


def test_a_dataset_that_disagrees_on_a_length_is_found_by_what_xarray_writes():
    fill = {"_FillValue": "AAAAAAAA+H8="}
    spec = dataset(("t", ("y", "x"), (3, 4), fill), ("u", ("y", "x"), (3, 5), fill))
    assert [problem.code for problem in zom.validate(spec)] == ["xarray/dim-sizes"]


# --- misspelt keys -----------------------------------------------------------------------------------------


def told(attributes, **choices):
    report = zom.validate(v3.GroupSpec(attributes=attributes, members={}), **choices)
    return [str(each) for each in report if each.code in {"convention/misspelt-key", "convention/absent"}]


def near(key, meant, before="attributes."):
    return f'{before}{key}: expected "{meant}", or a clearly different name, found "{key}"; did you mean {meant!r}?'


@pytest.mark.parametrize(("attributes", "key", "meant"), [
    ({"OME": {"version": "0.5"}}, "OME", "ome"),
    ({"zarr_convention": [{"uuid": "f17cb550-5864-4468-aeb7-f3180cfb622f"}]}, "zarr_convention", "zarr_conventions"),
    ({"encoding_type": "array"}, "encoding_type", "encoding-type"),
    ({"conventions": "CF-1.8"}, "conventions", "Conventions"),
    ({"spatialdata_attr": {"version": "0.2"}}, "spatialdata_attr", "spatialdata_attrs"),
])  # fmt: skip
def test_a_key_by_which_a_convention_would_be_found_is_told(attributes, key, meant):
    assert told(attributes) == [near(key, meant)]


@pytest.mark.parametrize("attributes", [
    {"OME": "a text of somebody"}, {"omen": {}}, {"series": 7}, {"plates": 3}, {"title": "t", "titles": []},
    {"encoding_type": "utf-8"}, {"conventions": "COARDS"}, {"image": {}}, {"label": ["cat"]},
])  # fmt: skip
def test_keys_of_others_are_not_told(attributes):
    assert told(attributes) == []


def test_one_finding_tells_of_a_convention_that_is_asked_for_and_of_its_misspelt_key():
    (message,) = told({"OME": {"version": "0.5"}}, conventions=["ome"])
    assert message.startswith("attributes.OME: expected metadata of ome/0.1 or ")
    assert message.endswith("found \"OME\"; rename 'OME' to 'ome'")


def test_a_misspelt_key_within_metadata_is_told_with_what_is_missing():
    axes = [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}]
    dataset_ = {"path": "0", "coordinateTransformation": [{"type": "scale", "scale": [1, 1]}]}
    image = {"axes": axes, "datasets": [dataset_]}
    report = zom.validate(v3.GroupSpec(attributes={"ome": {"version": "0.5", "multiscales": [image]}}))
    (error,) = report.of("error")
    assert error.found == "nothing, but 'coordinateTransformation'"
    assert error.fix == "rename 'coordinateTransformation' to 'coordinateTransformations'"


def test_a_misspelt_key_of_several_is_told_with_what_is_missing():
    attributes = {"long_name": "quality", "flag_value": [0, 1], "flag_meanings": "good bad"}
    array = v3.ArraySpec.build(shape=(), dtype="int8", attributes=attributes)
    report = zom.validate(v3.GroupSpec(attributes={"Conventions": "CF-1.11"}, members={"q": array}))
    (error,) = report.of("error")
    assert (error.code, error.found) == ("cf/flag-meanings-need-values", "nothing, but 'flag_value'")
    assert error.fix == "rename 'flag_value' to 'flag_values'"
    assert not report.of("warning")


def test_a_finding_that_names_a_misspelt_key_rests_on_others_as_well():
    uuid = {"uuid": "b77365e5-2b0c-4141-b917-c03b7c68e935"}
    attributes = {"zarr_conventions": [uuid], "license": {"SPDX": "MIT"}}
    report = zom.validate(v3.GroupSpec(attributes=attributes), conventions=["license"])
    assert [(each.code, each.found) for each in report] == [("license/one-form", "nothing, but 'SPDX'")]


def test_a_misspelt_key_that_need_not_be_there_is_told_itself():
    plate = {
        "rows": [{"name": "A"}], "columns": [{"name": "1"}], "aquisitions": [], "name": "p", "field_count": 1,
        "wells": [{"path": "A/1", "rowIndex": 0, "columnIndex": 0}],
    }  # fmt: skip
    assert told({"ome": {"version": "0.5", "plate": plate}}) == [
        near("aquisitions", "acquisitions", "attributes.ome.plate.")
    ]
