"""What was read from texts is not looked at again when it becomes a spec, and what was not is."""

from __future__ import annotations

import json

import pytest

import zom
from zom.errors import SpecError
from zom.json import value
from zom.json.value import JSONDict, JSONList
from zom.model import assembly
from zom.stores.memory import MemoryStore

ARRAY = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": [4],
    "data_type": "float32",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
    "chunk_key_encoding": {"name": "default"},
    "fill_value": 0,
    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
}
GROUP = {"zarr_format": 3, "node_type": "group", "attributes": {"a": {"b": [1, 2]}}}


def store_of(**nodes):
    texts = {"zarr.json": json.dumps(GROUP).encode()}
    return MemoryStore(
        texts | {f"{name}/zarr.json": json.dumps(node).encode() for name, node in nodes.items()}
    )


def test_frozen_documents_are_not_counted_again(monkeypatch):
    counted = []
    monkeypatch.setattr(value._Known, "count", lambda _, frozen: counted.append(frozen))
    zom.read(store_of(x=ARRAY, y=ARRAY))
    assert counted == []


def test_a_tree_that_was_read_cannot_be_changed():
    tree = zom.read(store_of(x=ARRAY))
    with pytest.raises(TypeError, match="can't change"):
        tree.attributes["a"]["b"].append(3)
    with pytest.raises(TypeError, match="can't change"):
        tree["x"].document["shape"].append(3)


def test_values_that_nobody_froze_are_frozen():
    made = assembly._taken({"a": JSONDict({"b": 1}), "c": {"d": [1]}}, [])
    assert type(made) is JSONDict
    assert type(made["c"]) is JSONDict
    assert type(made["c"]["d"]) is JSONList


def test_a_number_that_json_has_not_is_told_once():
    text = json.dumps({**GROUP, "attributes": {"x": float("nan")}}).encode()
    with pytest.raises(SpecError) as caught:
        zom.read(MemoryStore({"zarr.json": text}), level="strict")
    assert [problem.code for problem in caught.value.problems] == ["json/not-finite"]
