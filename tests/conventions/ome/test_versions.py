"""Which version of OME-Zarr a hierarchy is taken for, and what is said where that can't be told."""

from __future__ import annotations

from typing import Any

import pytest

import zom
from zom.hierarchy.check.validate import validate_attributes

AXES = [{"name": name, "type": "space"} for name in "yx"]
DATASETS = [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 1]}]}]
IMAGE = {"axes": AXES, "datasets": DATASETS}


def v3_group(attributes: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {"zarr_format": 3, "node_type": "group", "attributes": attributes, "members": members}


def v2_group(attributes: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {"zarr_format": 2, "attributes": attributes, "members": members}


def found(document: dict[str, Any]) -> list[str]:
    return [each.convention for each in zom.validate(document).conventions]


def problems(document: dict[str, Any], *asked: str) -> dict[str, str]:
    report = zom.validate(document, conventions=list(asked) or "auto")
    return {problem.code: str(problem) for problem in report if problem.severity == "error"}


def test_a_v3_group_with_ome_is_found_by_its_version():
    assert found(v3_group({"ome": {"version": "0.5"}})) == ["ome/0.5"]


def test_a_v2_group_with_multiscales_is_of_version_04():
    assert found(v2_group({"multiscales": [{"version": "0.4"}]})) == ["ome/0.4"]


def test_metadata_in_v2_that_tells_no_version_is_of_version_04():
    assert found(v2_group({"plate": {"rows": []}})) == ["ome/0.4"]


def test_metadata_under_ome_that_tells_no_version_is_of_version_05():
    assert "ome/version" in problems(v3_group({"ome": {"multiscales": [IMAGE]}}))


@pytest.mark.parametrize("version", ["0.9", "1.0", 0.5, None, [], "latest"])
def test_a_version_that_is_not_known_is_one_error(version):
    report = problems(v3_group({"ome": {"version": version, "multiscales": "broken"}}))
    assert list(report) == ["convention/unknown-version"]


def test_an_unknown_version_is_told_beside_those_that_are_known():
    (message,) = problems(v3_group({"ome": {"version": "0.9"}})).values()
    assert (
        "attributes.ome.version: expected a known version of ome: 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, found"
        in message
    )
    assert 'found "0.9"' in message


def test_a_version_that_is_known_for_another_place_is_told_beside_those_of_this_one():
    (message,) = problems(v3_group({"ome": {"version": "0.4", "multiscales": [IMAGE]}})).values()
    assert "expected a version of ome with its metadata in this place: 0.5" in message
    assert message.endswith(
        'found "0.4"; write the version that the metadata follows, or store it as ome 0.4 does'
    )
    (message,) = problems(v2_group({"multiscales": [{**IMAGE, "version": "0.5"}]})).values()
    assert "with its metadata in this place: 0.1, 0.2, 0.3, 0.4, found" in message


def test_a_version_that_is_a_number_is_to_be_written_in_quotes():
    (message,) = problems(v3_group({"ome": {"version": 0.5}})).values()
    assert message == (
        'attributes.ome.version: expected a version of ome, a string, found 0.5; write it in quotes: "0.5"'
    )


@pytest.mark.parametrize("version", ["0.1", "0.2", "0.3"])
def test_older_versions_are_known_in_v2(version):
    axes = {"axes": ["t", "c", "z", "y", "x"]} if version == "0.3" else {}
    image = {"version": version, "datasets": [{"path": "0"}], **axes}
    report = validate_attributes({"multiscales": [image]})
    assert (report.of("error"), [found.convention for found in report.conventions]) == (
        (),
        [f"ome/{version}"],
    )
    broken = validate_attributes({"multiscales": [{**image, "datasets": []}]})
    assert [problem.code for problem in broken.of("error")] == ["ome/datasets"]


@pytest.mark.parametrize("version", ["0.6.dev1", "0.6.dev2", "0.6.dev3"])
def test_drafts_of_06_are_known_and_their_transformations_are_not_checked(version):
    scale = {"type": "scale", "scale": [0.2], "input": "0", "output": "physical"}
    image = {
        "name": "a",
        "coordinateSystems": [],
        "datasets": [{"path": "0", "coordinateTransformations": scale}],
    }
    report = validate_attributes({"ome": {"version": version, "multiscales": [image]}})
    assert [(problem.code, problem.severity) for problem in report] == [("ome/draft", "note")]
    (note,) = report
    assert str(note) == (
        "ome.version: expected a released version, whose transformations are checked, "
        f'found "{version}", a draft; write the image as OME-Zarr 0.5 or 0.6'
    )


def test_a_plate_of_an_unknown_version_is_told_of_once():
    field = v3_group({"ome": {"version": "0.9"}})
    plate = v3_group({"ome": {"version": "0.9"}}, A=v3_group({}, **{"1": v3_group({}, **{"0": field})}))
    report = zom.validate(plate)
    assert [(problem.code, problem.node) for problem in report] == [("convention/unknown-version", "/")]


def test_version_05_in_zarr_v2_is_an_error_that_tells_the_way_out():
    report = problems(v2_group({"ome": {"version": "0.5"}}))
    assert report["ome/zarr-format"].startswith(
        "attributes.ome: expected a Zarr v3 group, found ome in a Zarr v2 group; in Zarr v3, move"
    )


def test_version_04_in_zarr_v3_is_an_error_that_tells_the_way_out():
    report = problems(v3_group({"multiscales": [{**IMAGE, "version": "0.4"}]}))
    assert report["ome/zarr-format"].startswith(
        "attributes.multiscales: expected multiscales under ome, found multiscales among the attributes in Zarr v3"
    )


def test_multiscales_of_another_convention_are_not_taken_for_ome_zarr():
    assert not [name for name in found(v3_group({"multiscales": {"layout": []}})) if name.startswith("ome")]


@pytest.mark.parametrize(
    "attributes", [{"plate": "no. 7"}, {"well": "A1"}, {"labels": ["a"]}, {"series": ["0"]}]
)
def test_common_words_among_the_attributes_of_v2_are_not_taken_for_ome_zarr(attributes):
    assert found(v2_group(attributes)) == []


def test_what_is_asked_for_in_another_version_is_told_of():
    assert "convention/other-version" in problems(v3_group({"ome": {"version": "0.5"}}), "ome/0.4")


def test_versions_that_differ_within_a_hierarchy_are_an_error_at_the_node_that_differs():
    document = v3_group({"ome": {"version": "0.5"}}, a=v3_group({}, b=v3_group({"ome": {"version": "0.4"}})))
    report = zom.validate(document, conventions=["ome"])
    told = [problem for problem in report if problem.code == "ome/version-consistent"]
    assert [(problem.node, problem.expected, problem.found) for problem in told] == [
        ("/a/b", '"0.5", as in /', '"0.4"')
    ]
