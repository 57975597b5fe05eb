"""OME-Zarr 0.4 and 0.5 on the suites that OME publishes with its JSON Schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import zom
from zom.conventions import conventions

SUITES = json.loads((Path(__file__).parent / "published_suites.json").read_text(encoding="utf-8"))
CASES = [(suite, case) for suite in ("image", "plate", "label", "well") for case in SUITES[suite]]
VERSIONS = pytest.mark.parametrize("version", ["0.4", "0.5"])


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
def test_what_both_schema_and_text_should_have_is_what_the_strict_schemas_ask_for(version, case):
    published = {code for code, rule in conventions[f"ome/{version}"].codes() if rule.source != "text"}
    assert (not errors(version, case, "full") & published) == case["valid"]
