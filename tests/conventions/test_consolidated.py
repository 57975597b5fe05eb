"""Consolidated metadata as a convention of documents, and how stores and `.zmetadata` are told of, once.

Its rules' cases are in tests/conformance/conventions/consolidated.json.
"""

from __future__ import annotations

import json
from typing import Any

import zom
from zom import v2, v3

ARRAY = v3.ArraySpec.build(shape=(4,), dtype="int8")


def document(members: dict[str, Any] | None = None) -> dict[str, Any]:
    group = v3.GroupSpec(
        members={"a": ARRAY, "g": v3.GroupSpec(members={"b": ARRAY})} if members is None else members
    )
    whole = group.to_dict()
    whole["consolidated_metadata"] = group.to_consolidated()["consolidated_metadata"]
    return whole


def codes(subject: object, conventions: Any = "auto") -> list[str]:
    return [problem.code for problem in zom.validate(subject, conventions)]


def test_a_group_with_a_block_is_found():
    report = zom.validate(document())
    assert [(each.convention, each.how) for each in report.conventions] == [
        ("consolidated", "has consolidated_metadata")
    ]
    assert list(report) == []


def test_a_group_without_a_block_has_no_such_convention():
    assert zom.validate(v3.GroupSpec(members={"a": ARRAY})).conventions == ()


def test_a_shape_that_changed_since_is_told_of_with_the_node():
    stale = document()
    stale["members"]["a"]["shape"] = [5]
    (problem,) = zom.validate(stale)
    assert str(problem) == (
        "consolidated_metadata.metadata.a.shape: expected [5], as in /a, found [4]; "
        "consolidate again: readers that use the copy see something else than the array is"
    )
    assert problem.related == ("/a",)


def test_one_node_left_out_is_one_finding():
    stale = document()
    del stale["consolidated_metadata"]["metadata"]["g/b"]
    (problem,) = zom.validate(stale)
    assert (problem.code, problem.pointer) == (
        "consolidated/complete",
        "/consolidated_metadata/metadata/g~1b",
    )


def test_a_number_and_a_boolean_are_not_the_same():
    stale = document()
    stale["members"]["a"]["attributes"] = {"n": True}
    stale["consolidated_metadata"]["metadata"]["a"]["attributes"] = {"n": 1}
    assert codes(stale) == ["consolidated/equal"]


def test_a_block_that_is_out_of_order_is_the_business_of_the_model():
    wrong = document()
    wrong["consolidated_metadata"] = {"kind": "inline", "must_understand": False, "metadata": []}
    assert {code.partition("/")[0] for code in codes(wrong)} == {"v3"}


def test_entries_that_are_no_documents_are_no_exception():
    for entry in (None, 7, "x", [], True):
        wrong = document()
        wrong["consolidated_metadata"]["metadata"]["a"] = entry
        zom.validate(wrong)


def test_a_stale_store_of_v3_is_told_of_once(tmp_path: Any):
    zom.materialize(v3.GroupSpec(members={"a": ARRAY}), tmp_path)
    zom.consolidate(tmp_path)
    (tmp_path / "a" / "zarr.json").write_text(json.dumps(ARRAY.replace(shape=(5,)).to_dict()))
    assert codes(tmp_path) == ["store/stale-consolidated"]


def test_a_stale_store_of_v2_is_told_of_once(tmp_path: Any):
    array = v2.ArraySpec.build(shape=(4,), dtype="int8")
    zom.materialize(v2.GroupSpec(members={"a": array}), tmp_path)
    zom.consolidate(tmp_path)
    (tmp_path / "a" / ".zarray").unlink()
    assert codes(tmp_path) == ["store/stale-consolidated"]


def test_consolidated_metadata_alone_has_nothing_to_differ_from():
    assert codes(json.dumps(v3.GroupSpec(members={"a": ARRAY}).to_consolidated())) == []
    assert codes(json.dumps(v2.GroupSpec(members={}).to_consolidated())) == []
