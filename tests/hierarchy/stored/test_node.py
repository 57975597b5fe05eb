"""The record of a node in a store: it parses nothing before it is asked."""

from __future__ import annotations

import ast
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

import zom
from zom.hierarchy.stored import node as node_module
from zom.hierarchy.stored.inventory import take_inventory
from zom.hierarchy.stored.layout import DRAFT_2022, V2_LAYOUT, V3_LAYOUT
from zom.hierarchy.stored.node import StoredNode
from zom.hierarchy.stored.read import read_tree
from zom.stores.memory import MemoryStore

GROUP = b'{"zarr_format": 3, "node_type": "group"}'
ENTRY = b'{"zarr_format": "https://purl.org/zarr/spec/protocol/core/3.0", "metadata_encoding": "x"}'


@pytest.mark.parametrize(
    ("layout", "texts", "kind", "words"),
    [
        (V3_LAYOUT, {"zarr.json": GROUP}, "group", "a v3 group"),
        (V3_LAYOUT, {"zarr.json": b"{"}, None, "a v3 document that cannot be read"),
        (V3_LAYOUT, {"zarr.json": b'{"node_type": 3}'}, None, "a v3 document that cannot be read"),
        (V3_LAYOUT, {"zarr.json": ENTRY}, None, "a draft hierarchy"),
        (V2_LAYOUT, {".zarray": b"{", ".zgroup": b"{}"}, "array", "a v2 array"),
        (V2_LAYOUT, {".zgroup": b"{", ".zattrs": b"{}"}, "group", "a v2 group"),
        (V2_LAYOUT, {".zattrs": b"{}"}, None, "a v2 document that cannot be read"),
        (DRAFT_2022, {}, "group", "a draft group"),
    ],
)
def test_the_key_of_a_document_tells_the_kind_or_else_its_text(layout, texts, kind, words):
    node = StoredNode.of("/a", layout, texts)
    assert (node.kind, str(node)) == (kind, words)


def test_documents_are_not_parsed_before_they_are_needed(monkeypatch):
    store = MemoryStore()
    zom.create_array(store, zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "a")
    parsed = []
    read = node_module.read_json
    monkeypatch.setattr(node_module, "read_json", lambda *given: parsed.append(given) or read(*given))
    found = take_inventory(store, "/", "v3")
    assert (sorted(found.nodes), parsed) == (["/", "/a"], [])
    assert found.nodes["/a"].kind == "array"
    assert found.nodes["/a"].spec().shape == (4,)
    assert len(parsed) == 1


@pytest.mark.parametrize("text", [b"{", b"null", b"[]", ENTRY, b'{"zarr_format": 3, "node_type": "array"}'])
def test_a_node_at_fault_has_no_spec(text):
    assert StoredNode.of("/", V3_LAYOUT, {"zarr.json": text}).spec() is None


def test_a_walk_gives_groups_before_their_members_and_none_where_they_are_not_known():
    store = MemoryStore(dict.fromkeys(("zarr.json", "b/zarr.json", "a/zarr.json", "a/c/zarr.json"), GROUP))
    root = read_tree(store).root
    assert [node.path for node in root.walk()] == ["/", "/a", "/a/c", "/b"]
    assert [dict(node.members) for node in root.walk() if node.path in {"/a/c", "/b"}] == [{}, {}]
    assert [node.members for node in read_tree(store, depth=1).root.members.values()] == [None, None]


def test_nobody_changes_a_node_that_was_read():
    root = read_tree(MemoryStore({"zarr.json": GROUP})).root
    with pytest.raises(FrozenInstanceError):
        root.members = None


def test_nodes_of_a_store_have_one_class_and_no_other_class_there_is_called_node():
    folder = Path(zom.__file__).parent / "hierarchy"
    classes = {
        item.name
        for file in folder.rglob("*.py")
        for item in ast.walk(ast.parse(file.read_text()))
        if isinstance(item, ast.ClassDef) and item.name.endswith("Node")
    }
    # One can't be read, one is open, one is a line of a report.
    assert classes == {"StoredNode", "BrokenNode", "OpenNode", "CopiedNode"}
