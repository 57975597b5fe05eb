"""Reading documents whose format is found in them, and the entry points of the draft."""

from __future__ import annotations

import json
from typing import Any

import pytest

import zom
from zom import draft, v2, v3
from zom.errors import SpecError

ENTRY = draft.EntryPoint(metadata_encoding={"type": "json", "metadata_key_suffix": ".json"}, extensions=())


@pytest.mark.parametrize(
    ("document", "cls"),
    [
        ({"zarr_format": 3, "node_type": "group"}, v3.GroupSpec),
        ({"zarr_format": 2}, v2.GroupSpec),
        (v3.ArraySpec.build(shape=1, dtype="u1").to_dict(), v3.ArraySpec),
        (v2.ArraySpec.build(shape=1, dtype="u1").to_dict(), v2.ArraySpec),
        (draft.ArraySpec.build(shape=1, dtype="u1").to_dict(), draft.ArraySpec),
        (ENTRY.to_dict(), draft.EntryPoint),
    ],
)
def test_the_format_of_a_document_is_found(document: Any, cls: Any) -> None:
    assert type(zom.parse(document)) is cls
    assert zom.validate(document, conventions=()).problems == ()


def test_a_spec_is_read_as_itself() -> None:
    spec = v2.GroupSpec(attributes={"a": 1})
    assert zom.parse(spec) is spec  # type: ignore[arg-type]
    assert v2.parse(spec) is spec  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="expected a v3 node, found a v2 group; convert it first"):
        v3.parse(spec)  # type: ignore[arg-type]


@pytest.mark.parametrize("module", [v2, v3, draft])
def test_parse_finds_the_kind(module: Any) -> None:
    array = module.ArraySpec.build(shape=1, dtype="u1")
    assert type(module.parse(array.to_json())) is module.ArraySpec
    assert type(module.parse(module.GroupSpec(attributes={}).to_json())) is module.GroupSpec


@pytest.mark.parametrize("document", [1, None, [1], True])
def test_what_is_no_object_is_one_problem(document: Any) -> None:
    (problem,) = zom.validate(document, conventions=()).problems
    assert (problem.pointer, problem.expected) == ("", "an object")


def test_an_entry_point_is_a_spec_like_others() -> None:
    assert ENTRY.major == 3
    assert draft.EntryPoint.parse(ENTRY.to_json()) == ENTRY
    assert ENTRY.to_documents() == {"zarr.json": ENTRY.to_dict()}
    assert draft.EntryPoint.from_documents(ENTRY.to_documents()) == ENTRY
    assert hash(ENTRY.replace()) == hash(ENTRY)
    assert list(ENTRY.walk()) == [("/", ENTRY)]
    assert ENTRY.like(draft.EntryPoint(metadata_encoding=ENTRY.metadata_encoding, extensions=()))


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"metadata_encoding": 3}, "/metadata_encoding"),
        ({"zarr_format": 3}, "/zarr_format"),
        ({"extensions": {}}, "/extensions"),
        ({"extensions": [{}]}, "/extensions/0/extension"),
    ],
)
def test_a_fault_in_an_entry_point_is_located(change: Any, pointer: str) -> None:
    assert draft.EntryPoint.check({**ENTRY.to_dict(), **change})[0].pointer == pointer


def test_an_entry_point_is_no_node_of_a_tree() -> None:
    with pytest.raises(SpecError, match="/a: expected a draft node, found a draft entry point"):
        draft.GroupSpec(members={"a": ENTRY})


# --- no guess ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "found"),
    [
        ({}, "an empty object"),
        ({"a": 1}, 'neither zarr_format nor node_type in an object with "a"'),
        (
            {"attributes": {}, "members": {}},
            'neither zarr_format nor node_type in an object with "attributes", "members"',
        ),
        (
            {"shape": [1], "chunks": [1], "dtype": "<i4", "filters": None, "order": "C", "fill_value": 0},
            (
                'neither zarr_format nor node_type in an object with "shape", "chunks", "dtype", "filters", '
                '"order" and 1 more members'
            ),
        ),
        ({"members": {"a": {"zarr_format": 3, "node_type": "group"}}}, None),
    ],
)
@pytest.mark.parametrize("level", ["lenient", "strict", "closed"])
def test_a_document_that_says_no_format_is_refused_with_what_is_missing(document, found, level):
    for given in (document, json.dumps(document)):
        (problem,) = zom.validate(given, conventions=(), level=level).problems
        assert (problem.code, problem.severity, problem.pointer) == ("document/format", "error", "")
        assert problem.expected == 'a member "zarr_format", 2 or 3'
        assert found is None or problem.found == found
        assert "zom.draft.parse" in problem.fix
        with pytest.raises(zom.SpecError, match='expected a member "zarr_format", 2 or 3'):
            zom.parse(given, level)
        assert [each.code for each in zom.validate(given).problems] == ["document/format"]


def test_documents_of_the_draft_are_read_where_something_says_so():
    array = draft.ArraySpec.build(shape=(2,), dtype="float32")
    tree = draft.GroupSpec(members={"g": draft.GroupSpec(members={"a": array})})
    assert zom.parse(tree.to_json()) == tree
    assert zom.parse(array.to_dict()) == array
    assert zom.validate(draft.GroupSpec(), conventions=()).problems == ()
    assert draft.parse("{}").kind == "group"


def test_a_document_that_holds_itself_says_no_format():
    document = {}
    document["members"] = {"a": document, "b": document}
    assert [problem.code for problem in zom.validate(document)] == ["document/format"]


@pytest.mark.parametrize("place", ["data.zarr", "s3://bucket/x.zarr", "/tmp/x", "zarr.json"])
def test_a_path_is_no_document_and_the_error_says_what_reads_it(place):
    with pytest.raises(SpecError, match=r"pass the text of a document; zom\.read\(\.\.\.\) reads a store"):
        zom.parse(place)
