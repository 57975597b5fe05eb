"""What the rules of OME-Zarr that are functions say: where, what was expected, what was found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import zom
from zom.testing.convention_cases import load_cases

CASES = Path(__file__).parents[2] / "conformance" / "conventions"

SAID = {
    ("axes-space-or-untyped", "one"): "expected 2 or 3 axes of type space or of no type, found 1",
    ("axes-channel", "a-channel-and-another"): (
        'expected at most 1 axis that is neither space nor time, found "t", "c"'
    ),
    ("axes-zyx", "xyz"): "expected the spatial axes in the order z, y, x, found x, y, z",
    ("scale-order", "one-axis-shrinks"): "expected 4 or more, as in the previous dataset, found 1",
    ("key-spelling", "without-its-s"): 'expected "multiscales", or another name, found "multiscale"',
    ("version-consistent", "an-older-label"): 'expected "0.5", as in /, found "0.4"',
    ("omero-count", "one-of-two"): "expected 2, the number of channels of /0, found 1",
    ("labels-key", "none"): "expected the list of label images, found nothing",
    ("labels-path", "no-such-group"): 'expected the path of a group with ome.multiscales, found "nucleus"',
    ("labels-path", "an-array"): 'expected the path of a group with ome.multiscales, found "nuclei/0", which is an array',
    ("labels-listed", "an-empty-list"): 'expected "nuclei" in the list, found nothing',
    ("labels-between", "a-title"): 'expected no attributes, found {"title": "x"}',
    ("label-value-integer", "a-fraction"): "expected an integer, found 1.5",
    ("label-source-image", "no-image"): 'expected the path of an image, found "../", which is not an image',
    ("label-levels", "two-of-one"): "expected 1 dataset, as in /, found 2",
    ("label-shape", "shorter"): "expected y: 4 as in /0, or 1, found y: 2",
    ("plate-row-case", "by-case-only"): 'expected a name that differs from "Aa" by more than case, found "aA"',
    ("plate-column-case", "by-case-only"): 'expected a name that differs from "Aa" by more than case, found "aA"',
    ("plate-well-range", "row"): "expected less than 2, the number of rows, found 2",
    ("plate-well-agrees", "columns-first"): (
        'expected "B/2", found "2/B" with rowIndex 1 and columnIndex 1'
    ),
    ("dataset-path-form", "from-the-root"): 'expected names joined by slashes, none of them ".", found "/1"',
    ("dataset-once", "the-first-one-again"): 'expected a value that is listed once, found "0" again',
    ("plate-tree", "no-well-metadata"): 'expected the path of a group with ome.well, found "B/2", a group without it',
    ("plate-empty-row", "an-empty-one"): "expected a row with images, found none",
    ("plate-empty-well", "an-empty-one"): "expected a well with images, found none",
    ("well-tree", "no-such-group"): 'expected the path of a group with ome.multiscales, found "1"',
    ("well-acquisition-needed", "one-does-not"): "expected one of the 2 acquisitions of the plate, found nothing",
    ("well-acquisition-known", "another"): "expected one of 0, 7, found 1",
    ("bf2raw-images", "a-gap"): "expected images in groups 0 to 2, found 0, 1, 3",
    ("bf2raw-images", "none"): "expected images in groups 0, found no images",
    ("bf2raw-series-path", "no-image"): 'expected the path of a group with ome.multiscales, found "1", a group without it',
    ("bf2raw-plate-series", "none"): "expected the list of images, found nothing",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "name"), list(SAID), ids=str)
def test_a_rule_says_what_was_expected_and_found(rule, name):
    cases = load_cases(CASES / "ome-0.5.json")
    (case,) = (
        each
        for each in cases
        if (each.rule["rule"], each.name) == (f"ome/{rule}", name) and each.findings is not None
    )
    report = zom.validate(case.document, conventions=["ome/0.5"], profile=case.profile)
    problem = next(each for each in (*report, *report.resting) if each.code == f"ome/{rule}")
    assert f"expected {problem.expected}, found {problem.found}" == SAID[rule, name]


def test_every_rule_that_is_a_function_has_its_message_here():
    from zom.conventions import conventions

    rules = [rule for rule in conventions["ome/0.5"].rules if not rule.check.reads_values]
    opaque = {rule.id for rule in rules if not rule.is_portable}
    # That of the format is in test_versions.
    assert opaque - {rule for rule, _ in SAID} == {"zarr-format"}


def test_chunks_that_are_not_nested_are_told_of_at_their_array():
    cases = load_cases(CASES / "ome-0.4.json")
    case = next(
        each for each in cases if each.rule["rule"] == "ome/dimension-separator" and each.name == "a-dot"
    )
    problem = next(each for each in zom.validate(case.document) if each.code == "ome/dimension-separator")
    assert str(problem).startswith('/1: dimension_separator: expected "/", found "."')


def test_a_name_like_the_one_that_is_missing_is_suggested():
    document = json.loads((CASES / "ome-0.5.json").read_text(encoding="utf-8"))["documents"]["labelled"]
    document["members"]["labels"]["attributes"]["ome"]["labels"] = ["nucleus"]
    messages = [str(problem) for problem in zom.validate(document) if problem.code == "ome/labels-path"]
    assert messages[0].endswith("did you mean 'nuclei'?")


def test_acquisitions_without_an_id_are_not_among_those_to_choose_from():
    image = {"zarr_format": 2, "attributes": {"well": {"images": [{"path": "0", "acquisition": 7}]}}}
    plate = {"plate": {"rows": [{"name": "A"}], "columns": [{"name": "1"}], "acquisitions": [{"id": 0}, {}]}}
    row = {"zarr_format": 2, "attributes": {}, "members": {"1": image}}
    report = zom.validate(
        {"zarr_format": 2, "attributes": plate, "members": {"A": row}}, conventions=["ome/0.4"]
    )
    every = (*report, *report.resting)
    (problem,) = (each for each in every if each.code == "ome/well-acquisition-known")
    assert (problem.expected, problem.found) == ("one of 0", "7")


def test_one_item_is_told_as_one():
    report = zom.validate({"zarr_format": 2, "attributes": {"multiscales": []}}, conventions=["ome/0.4"])
    (problem,) = (each for each in report if each.severity == "error")
    assert problem.expected == "a list of at least 1 item, each an object"


@pytest.mark.parametrize("scale", [10**400, 1e308])
def test_scales_of_hundreds_of_digits_are_compared(scale):
    datasets = [
        {"path": name, "coordinateTransformations": [{"type": "scale", "scale": [each, 1.0]}]}
        for name, each in (("0", scale), ("1", 0.5))
    ]
    axes = [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}]
    document = {"zarr_format": 2, "attributes": {"multiscales": [{"axes": axes, "datasets": datasets}]}}
    (problem,) = (
        each for each in zom.validate(document, conventions=["ome/0.4"]) if each.code == "ome/scale-order"
    )
    assert problem.found == "0.5"
