"""OME-Zarr 0.4 and 0.5 on the suites that OME publishes with its JSON Schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import zom
from zom.hierarchy.check.validate import validate_attributes

SUITES = json.loads((Path(__file__).parent / "published_suites.json").read_text(encoding="utf-8"))
CASES = [(suite, case) for suite in ("image", "plate", "label", "well") for case in SUITES[suite]]
STRICT = json.loads((Path(__file__).parent / "strict_suites.json").read_text(encoding="utf-8"))
STRICT_CASES = [(version, case) for version in ("0.4", "0.6") for case in STRICT[version]]
VERSIONS = pytest.mark.parametrize("version", ["0.4", "0.5"])

UNITLESS = {
    "axes": [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}],
    "datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 1]}]}],
}
"""An image without units, for which only the text asks."""


def name_of(value: object) -> str | None:
    return value["name"] if isinstance(value, dict) else None


def told(value: Any) -> Any:
    return [told(each) for each in value] if isinstance(value, list) else {"version": "0.4", **value}


def document(version: str, metadata: dict[str, Any]) -> dict[str, Any]:
    """A node of which the attributes are known, and no members."""
    if version == "0.5":
        return {"zarr_format": 3, "node_type": "group", "attributes": {"ome": {"version": "0.5", **metadata}}}
    versioned = {key: value if key == "omero" else told(value) for key, value in metadata.items()}
    return {"zarr_format": 2, "attributes": versioned}


def errors(version: str, case: dict[str, Any], profile: Any) -> set[str]:
    report = zom.validate(
        document(version, case["metadata"]), conventions=[f"ome/{version}"], profile=profile
    )
    return {problem.code for problem in report if problem.severity == "error"}


@VERSIONS
@pytest.mark.parametrize(("suite", "case"), CASES, ids=name_of)
def test_the_profile_of_the_schema_agrees_with_the_published_suites(version, suite, case):
    assert (not errors(version, case, "schema")) == case["valid"], suite


@VERSIONS
@pytest.mark.parametrize(("suite", "case"), CASES, ids=name_of)
def test_the_profile_of_the_text_differs_where_the_text_does(version, suite, case):
    found = errors(version, case, "text")
    # Two equal items are two that share a name, or a path, or nothing that the text speaks of.
    silent = {"duplicate_wells"} | ({"duplicate_images"} if version == "0.4" else set())
    if case["name"] in silent:
        assert found <= {"ome/plate-well-agrees"}, suite
    elif case["valid"]:
        assert found == set(case.get("text", ())), suite
    else:
        # An empty list of colors is the schema's affair.
        assert found - {"ome/plate-well-agrees", "ome/label-image"} or case["name"].startswith("empty_"), (
            suite
        )


@VERSIONS
@pytest.mark.parametrize("case", SUITES["strict"], ids=name_of)
def test_the_strict_profile_agrees_with_the_strict_schemas(version, case):
    assert (not errors(version, case, "strict")) == case["valid"]


@pytest.mark.parametrize(("version", "case"), STRICT_CASES, ids=name_of)
def test_the_strict_profile_agrees_with_the_strict_suites(version, case):
    report = validate_attributes(case["attributes"], conventions=[f"ome/{version}"], profile="strict")
    assert report.ok == case["valid"], report.text()
    # What should be, and isn't, is the strict profile's affair alone.
    assert validate_attributes(case["attributes"], conventions=[f"ome/{version}"], profile="schema").ok
    assert report.checked


@pytest.mark.parametrize("version", ["0.6.dev2", "0.6.dev3"])
def test_labels_of_drafts_need_colors_in_the_strict_profile(version):
    told = {"ome": {"version": version, "image-label": {}}}
    report = validate_attributes(told, conventions=["ome"], profile="strict")
    assert [problem.code for problem in report.of("error")] == ["ome/label-has-colors"]


@pytest.mark.parametrize("version", ["0.5", "0.6"])
def test_what_the_strict_schemas_find_wanting_is_a_note_of_the_text(version):
    found = validate_attributes({"ome": {"version": version, "image-label": {"source": {}}}}, profile="text")
    assert {
        problem.severity for problem in (*found, *found.resting) if problem.code == "ome/label-has-colors"
    } == {"note"}


def test_the_strict_profile_asks_for_what_the_schemas_state_and_for_no_rule_of_the_text_alone():
    image = {"version": "0.5", "multiscales": [{"name": "n", "type": "t", "metadata": {}, **UNITLESS}]}
    text = validate_attributes({"ome": image}, conventions=["ome/0.5"])
    assert "ome/axes-unit" in {problem.code for problem in text}
    assert validate_attributes({"ome": image}, conventions=["ome/0.5"], profile="strict").problems == ()
    full = validate_attributes({"ome": image}, conventions=["ome/0.5"], profile="full")
    assert {problem.code for problem in full.of("error")} == {"ome/axes-unit"}
