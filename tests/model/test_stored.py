"""Stored documents, node by node and consolidated."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zom import draft, v2, v3
from zom.errors import ConversionError, SpecError
from zom.testing.strategies import array_documents, group_documents, group_specs, json_values

MODULES: dict[str, Any] = {"v2": v2, "v3": v3, "draft": draft}
ARRAY = v3.ArraySpec.build(shape=(4,), dtype="int32")
OLD = v2.ArraySpec.build(shape=(4,), dtype="int32")


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        (v3.GroupSpec(), ["zarr.json"]),
        (ARRAY, ["zarr.json"]),
        (v2.GroupSpec(), [".zgroup"]),
        (v2.GroupSpec(attributes={}), [".zgroup", ".zattrs"]),
        (OLD, [".zarray"]),
        (OLD.replace(attributes={"a": 1}), [".zarray", ".zattrs"]),
        (draft.GroupSpec(), []),
        (draft.GroupSpec(attributes={}), [".group.json"]),
        (draft.ArraySpec.build(shape=1, dtype="u1"), [".array.json"]),
        (
            draft.EntryPoint(
                metadata_encoding={"type": "json", "metadata_key_suffix": ".json"}, extensions=()
            ),
            ["zarr.json"],
        ),
    ],
)
def test_a_node_is_stored_under_the_keys_of_its_format(spec: Any, names: list[str]) -> None:
    assert list(spec.to_documents()) == names


@pytest.mark.slow
@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_node_reads_back_from_its_stored_documents(form: str, data: Any) -> None:
    strategy = array_documents(form) | group_documents(form, members="unknown")  # type: ignore[arg-type]
    spec = MODULES[form].parse(data.draw(strategy))
    documents = json.loads(json.dumps(spec.to_documents()))
    again = type(spec).from_documents(documents) if documents else spec
    assert again == spec


def test_members_have_documents_of_their_own() -> None:
    group = v3.GroupSpec(members={"a": ARRAY})
    assert group.to_documents() == {"zarr.json": {"zarr_format": 3, "node_type": "group"}}


EXTRA = {"must_understand": False, "value": 1}


@pytest.mark.parametrize("underscores", range(4))
def test_a_stored_member_that_the_model_has_a_name_for_gets_an_underscore(underscores: int) -> None:
    stored = {"zarr_format": 3, "node_type": "group", "_" * underscores + "members": EXTRA}
    spec = v3.GroupSpec.from_documents({"zarr.json": stored})
    assert spec.members is None
    assert spec.document["_" * (underscores + 1) + "members"] == EXTRA
    assert spec.to_documents() == {"zarr.json": stored}


def test_both_names_are_told_apart() -> None:
    stored = {"zarr_format": 3, "node_type": "group", "members": EXTRA, "_members": {**EXTRA, "value": 2}}
    spec = v3.GroupSpec.from_documents({"zarr.json": stored}).replace(members={"a": ARRAY})
    assert list(spec.to_dict()) == ["zarr_format", "node_type", "_members", "__members", "members"]
    assert spec.to_documents() == {"zarr.json": stored}
    assert v3.GroupSpec.from_consolidated(spec.to_consolidated()) == spec


@given(
    names=st.lists(
        st.builds(
            lambda n, word: "_" * n + word, st.integers(0, 3), st.sampled_from(["members", "attributes", "x"])
        ),
        unique=True,
    ),
    value=json_values(1),
)
@settings(max_examples=60, deadline=None)
def test_extra_members_of_v2_documents_come_back_under_their_names(names: list[str], value: Any) -> None:
    main = {**OLD.to_documents()[".zarray"], **dict.fromkeys(names, value)}
    documents = {".zarray": main, ".zattrs": {"attributes": 1, "members": 2}}
    spec = v2.ArraySpec.from_documents(documents, "lenient")
    assert spec.attributes == {"attributes": 1, "members": 2}
    assert spec.to_documents() == documents
    assert list(spec.to_documents()[".zarray"]) == list(main)


# --- consolidated ----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("form", ["v2", "v3"])
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_tree_reads_back_from_its_consolidated_metadata(form: Any, data: Any) -> None:
    tree = data.draw(group_specs(form, members="known"))
    document = json.loads(json.dumps(tree.to_consolidated()))
    assert MODULES[form].GroupSpec.from_consolidated(document) == tree


def test_v2_keeps_the_documents_by_their_keys() -> None:
    tree = v2.GroupSpec(members={"a": OLD.replace(attributes={"x": 1}), "b": v2.GroupSpec(members={})})
    document = tree.to_consolidated()
    assert document["zarr_consolidated_format"] == 1
    assert list(document["metadata"]) == [".zgroup", "a/.zarray", "a/.zattrs", "b/.zgroup"]


def test_v3_keeps_the_documents_by_their_paths() -> None:
    tree = v3.GroupSpec(attributes={"t": 1}, members={"a": v3.GroupSpec(members={"b": ARRAY})})
    block = tree.to_consolidated()["consolidated_metadata"]
    assert (block["kind"], block["must_understand"]) == ("inline", False)
    assert list(block["metadata"]) == ["a", "a/b"]
    assert block["metadata"]["a/b"] == ARRAY.to_dict()


def test_what_was_consolidated_before_is_not_consolidated_again() -> None:
    """A block that stays after its members changed lists arrays that are not there."""
    old = {"kind": "inline", "must_understand": False, "metadata": {"phantom": ARRAY.to_dict()}}
    inner = v3.GroupSpec(members={}, consolidated_metadata=old)
    tree = v3.GroupSpec(members={"a": inner}, consolidated_metadata=old)
    document = tree.to_consolidated()
    assert list(document["consolidated_metadata"]["metadata"]) == ["a"]
    assert "phantom" not in json.dumps(document)
    again = v3.GroupSpec.from_consolidated(document)
    assert again == v3.GroupSpec(members={"a": v3.GroupSpec(members={})})


def test_blocks_that_other_writers_nest_are_dropped() -> None:
    entry = {**v3.GroupSpec().to_dict(), "consolidated_metadata": {"kind": "inline", "metadata": {}}}
    document = v3.GroupSpec(members={}).to_consolidated()
    document["consolidated_metadata"]["metadata"] = {"/a": entry, "a/b": ARRAY.to_dict()}
    assert v3.GroupSpec.from_consolidated(document) == v3.GroupSpec(
        members={"a": v3.GroupSpec(members={"b": ARRAY})}
    )


def test_parents_that_v2_does_not_list_are_groups() -> None:
    metadata = {"a/b/.zarray": OLD.to_documents()[".zarray"], "x/.zattrs": {"lonely": 1}}
    tree = v2.GroupSpec.from_consolidated({"zarr_consolidated_format": 1, "metadata": metadata})
    assert list(tree.flatten()) == ["/", "/a", "/a/b"]


def test_an_array_wins_where_v2_has_a_group_document_beside_it() -> None:
    metadata = {
        "a/.zgroup": {"zarr_format": 2},
        "a/.zarray": OLD.to_documents()[".zarray"],
        ".zgroup": {"zarr_format": 2},
    }
    tree = v2.GroupSpec.from_consolidated({"zarr_consolidated_format": 1, "metadata": metadata})
    assert tree["a"].kind == "array"


def test_problems_point_into_the_consolidated_document() -> None:
    broken = {**ARRAY.to_dict(), "shape": [-1]}
    document = v3.GroupSpec(members={}).to_consolidated()
    document["consolidated_metadata"]["metadata"] = {"a/b": broken, "c": {**broken, "x": 1}}
    with pytest.raises(SpecError) as caught:
        v3.GroupSpec.from_consolidated(document)
    assert [(p.node, p.pointer) for p in caught.value.problems] == [
        ("/a/b", "/consolidated_metadata/metadata/a~1b/shape/0"),
        ("/c", "/consolidated_metadata/metadata/c/shape/0"),
        ("/c", "/consolidated_metadata/metadata/c/x"),
    ]


def test_problems_of_v2_name_the_key() -> None:
    metadata = {
        ".zgroup": {"zarr_format": 2},
        "a/.zarray": {**OLD.to_documents()[".zarray"], "order": "K"},
        "a/.zattrs": [],
    }
    with pytest.raises(SpecError) as caught:
        v2.GroupSpec.from_consolidated({"zarr_consolidated_format": 1, "metadata": metadata})
    assert sorted((p.key, p.pointer) for p in caught.value.problems) == [
        ("a/.zarray", "/metadata/a~1.zarray/order"),
        ("a/.zattrs", "/metadata/a~1.zattrs"),
    ]


@pytest.mark.parametrize(
    ("cls", "document", "pointer"),
    [
        (v2.GroupSpec, {}, "/zarr_consolidated_format"),
        (v2.GroupSpec, {"zarr_consolidated_format": 1}, "/metadata"),
        (v2.GroupSpec, {"zarr_consolidated_format": 1, "metadata": []}, "/metadata"),
        (v2.GroupSpec, {"zarr_consolidated_format": 1, "metadata": {}}, "/metadata"),
        (v3.GroupSpec, {}, "/consolidated_metadata"),
        (v3.GroupSpec, {"consolidated_metadata": None}, "/consolidated_metadata"),
        (v3.GroupSpec, {"consolidated_metadata": {}}, "/consolidated_metadata/metadata"),
    ],
)
def test_what_is_no_consolidated_metadata_is_refused(cls: Any, document: Any, pointer: str) -> None:
    with pytest.raises(SpecError) as caught:
        cls.from_consolidated(document)
    (problem,) = caught.value.problems
    assert (problem.code, problem.pointer) == ("stored/consolidated", pointer)


@pytest.mark.parametrize(
    ("cls", "document", "pointer"),
    [
        (
            v2.GroupSpec,
            {"zarr_consolidated_format": 1, "metadata": {"/a/.zgroup": {"zarr_format": 2}}},
            "/metadata/~1a~1.zgroup",
        ),
        (
            v3.GroupSpec,
            {
                "zarr_format": 3,
                "node_type": "group",
                "consolidated_metadata": {
                    "kind": "inline",
                    "must_understand": False,
                    "metadata": {"a//b": {"zarr_format": 3, "node_type": "group"}},
                },
            },
            "/consolidated_metadata/metadata/a~1~1b",
        ),
    ],
)
def test_a_key_that_no_node_has_is_a_problem(cls: Any, document: Any, pointer: str) -> None:
    with pytest.raises(SpecError) as caught:
        cls.from_consolidated(document)
    (problem,) = caught.value.problems
    assert (problem.code, problem.pointer) == ("stored/consolidated", pointer)
    assert problem.expected == "the key of a node's document"


def test_the_draft_has_no_consolidated_metadata() -> None:
    with pytest.raises(
        ConversionError, match="consolidated metadata: expected a v2 node or a v3 group, found a draft group"
    ):
        draft.GroupSpec(members={}).to_consolidated()


def test_the_draft_has_no_consolidated_metadata_to_be_read() -> None:
    with pytest.raises(ConversionError, match="expected a v2 node or a v3 group, found a draft group"):
        draft.GroupSpec.from_consolidated({"consolidated_metadata": {"metadata": {}}})
