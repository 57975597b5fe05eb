"""Consolidated metadata as a convention of documents, and how stores and `.zmetadata` are told of, once.

Its rules' cases are in tests/conformance/conventions/consolidated.json.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import zom
from zom import v2, v3
from zom.stores.memory import MemoryStore

ARRAY = v3.ArraySpec.build(shape=(4,), dtype="int8")


def document(members: dict[str, Any] | None = None) -> dict[str, Any]:
    group = v3.GroupSpec(
        members={"a": ARRAY, "g": v3.GroupSpec(members={"b": ARRAY})} if members is None else members
    )
    whole = group.to_dict()
    whole["consolidated_metadata"] = group.to_consolidated()["consolidated_metadata"]
    return whole


def codes(subject: object, conventions: Any = "auto") -> list[str]:
    return [problem.code for problem in zom.validate(subject, conventions=conventions)]


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
        "consolidate again: readers that use the copy see different metadata"
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
    assert codes(tmp_path) == ["consolidated/equal"]


def test_a_stale_store_of_v2_is_told_of_once(tmp_path: Any):
    array = v2.ArraySpec.build(shape=(4,), dtype="int8")
    zom.materialize(v2.GroupSpec(members={"a": array}), tmp_path)
    zom.consolidate(tmp_path)
    (tmp_path / "a" / ".zarray").unlink()
    assert codes(tmp_path) == ["consolidated/no-ghosts"]


def test_consolidated_metadata_alone_has_nothing_to_differ_from():
    assert codes(json.dumps(v3.GroupSpec(members={"a": ARRAY}).to_consolidated())) == []
    assert codes(json.dumps(v2.GroupSpec(members={}).to_consolidated())) == []


# --- in stores -------------------------------------------------------------------------------------------


def store_of(form):
    model = {"v2": v2, "v3": v3}[form]
    array = model.ArraySpec.build(shape=(4,), dtype="int8", attributes={"units": "K"})
    spec = model.GroupSpec(members={"a": array, "g": model.GroupSpec(members={})}, attributes={"title": "t"})
    root = zom.materialize(spec, "memory:")
    zom.consolidate(root.store)
    return root.store


def replaced(store, key, old, new):
    store.set(key, store.get(key).replace(old, new))


@pytest.mark.parametrize("form", ["v2", "v3"])
def test_a_store_whose_copy_is_true_passes(form):
    report = zom.validate(store_of(form), conventions=["consolidated"])
    assert report.problems == ()
    assert {each.code: each.passed for each in report.rules} == {
        "consolidated/equal": 1,
        "consolidated/complete": 1,
        "consolidated/no-ghosts": 1,
    }


@pytest.mark.parametrize(
    ("form", "key", "pointer", "where"),
    [
        ("v2", "a/.zattrs", "/metadata/a~1.zattrs/units", ".zmetadata"),
        ("v3", "a/zarr.json", "/consolidated_metadata/metadata/a/attributes", "zarr.json"),
    ],
)
def test_a_copy_in_a_store_that_says_something_else_is_told_once(form, key, pointer, where):
    store = store_of(form)
    replaced(store, key, b"K", b"degC")
    (problem,) = zom.validate(store).problems
    assert (problem.code, problem.severity, problem.key) == ("consolidated/equal", "error", where)
    assert pointer.startswith(problem.pointer)
    assert problem.line is not None
    assert problem.related == ("/a",)


def test_the_attributes_of_the_root_are_compared_in_v2():
    store = store_of("v2")
    replaced(store, ".zattrs", b'"t"', b'"other"')
    (problem,) = zom.validate(store).problems
    assert (problem.code, problem.node, problem.key) == ("consolidated/equal", "/", ".zmetadata")


@pytest.mark.parametrize(("form", "ends"), [("v2", [".zgroup", ".zattrs"]), ("v3", ["zarr.json"])])
@pytest.mark.parametrize("is_same", [True, False])
def test_nodes_that_are_gone_and_nodes_that_are_new_are_told(form, ends, is_same):
    store = store_of(form)
    for end in ends:
        text = store.get(f"g/{end}")
        store.delete(f"g/{end}")
        if text is not None:
            store.set(f"new/{end}", text)
    if not is_same:
        zom.open(store, "new", mode="r+").attrs["other"] = 1
    found = {problem.code: problem for problem in zom.validate(store)}
    assert (
        found.keys() == {"consolidated/no-ghosts"}
        if is_same
        else {
            "consolidated/no-ghosts",
            "consolidated/complete",
        }
    )
    renamed = ', and no entry for "new", which is the same' if is_same else ""
    assert found["consolidated/no-ghosts"].found == f'no node at "g"{renamed}'


def test_a_group_within_the_store_is_validated_by_its_own_path():
    inner = store_of("v3")
    store = MemoryStore({f"deep/{key}": inner.get(key) for key in inner.list()})
    replaced(store, "deep/a/zarr.json", b"K", b"degC")
    (problem,) = zom.validate(store, path="deep").problems
    assert (problem.node, problem.key, problem.related) == ("/deep", "deep/zarr.json", ("/deep/a",))


def test_a_block_of_a_group_below_is_checked_too():
    store = store_of("v3")
    zom.consolidate(store, "g")
    document = json.loads(store.get("g/zarr.json"))
    document["consolidated_metadata"]["metadata"]["ghost"] = {"zarr_format": 3, "node_type": "group"}
    store.set("g/zarr.json", json.dumps(document).encode())
    (problem,) = zom.validate(store, conventions=["consolidated"]).problems
    assert (problem.code, problem.node, problem.key) == ("consolidated/no-ghosts", "/g", "g/zarr.json")


@pytest.mark.parametrize(
    "attributes",
    [{"a": 1, "b": [{}]}, {1: 2, "a": 3}, {"a": {1, 2}}, {(1,): 3}, {"a": float("nan")}, {"a": b""}, 7, None],
    ids=str,
)
def test_a_renamed_node_may_hold_anything(attributes):
    node = {"zarr_format": 3, "node_type": "group", "attributes": attributes}
    whole = {
        "zarr_format": 3,
        "node_type": "group",
        "members": {"new": {**node, "members": {}}},
        "consolidated_metadata": {"kind": "inline", "must_understand": False, "metadata": {"old": node}},
    }
    found = [each for each in codes(whole) if each.startswith("consolidated/")]
    assert found in (["consolidated/no-ghosts"], [])
