"""Parts of hierarchies: groups that are opened without what is around them, and attributes without a hierarchy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import zom

CASES = Path(__file__).parents[2] / "conformance" / "conventions"
ACROSS = {
    "ome/dataset-path",
    "ome/axes-ndim",
    "ome/labels-path",
    "ome/plate-tree",
    "ome/plate-empty-row",
    "ome/well-tree",
    "ome/bf2raw-images",
    "ome/bf2raw-series-path",
}


def documents(version: str) -> dict[str, Any]:
    return json.loads((CASES / f"ome-{version}.json").read_text(encoding="utf-8"))["documents"]


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_what_keeps_all_rules_has_no_finding(version):
    for name, document in documents(version).items():
        assert [str(problem) for problem in zom.validate(document, profile="full")] == [], name


@pytest.mark.parametrize("version", ["0.4", "0.5"])
@pytest.mark.parametrize("name", ["image", "labelled", "plate", "series"])
def test_attributes_alone_are_judged_without_rules_across_nodes(version, name):
    document = documents(version)[name]
    del document["members"]
    report = zom.validate(document, conventions=[f"ome/{version}"])
    assert list(report) == []
    assert not {count.code for count in report.rules if count.passed} & ACROSS


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_a_label_image_that_is_opened_alone_has_no_fault(version):
    label = documents(version)["labelled"]["members"]["labels"]["members"]["nuclei"]
    assert list(zom.validate(label)) == []


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_a_well_that_is_opened_alone_has_no_fault(version):
    assert list(zom.validate(documents(version)["plate"]["members"]["A"]["members"]["1"])) == []


def test_members_that_are_faulty_themselves_hide_no_rule():
    document = documents("0.5")["image"]
    document["attributes"]["ome"]["omero"] = 7
    document["members"]["1"] = None
    report = zom.validate(document)
    assert {problem.code for problem in report} == {"v3/node", "ome/omero"}
    assert "ome/dataset-path" in {problem.code for problem in report.resting}


def test_a_row_without_a_name_is_told_of_once():
    document = documents("0.5")["plate"]
    del document["attributes"]["ome"]["plate"]["rows"][0]["name"]
    del document["members"]
    report = zom.validate(document, conventions=["ome/0.5"])
    assert {problem.code for problem in report} == {"ome/plate-row-name"}
