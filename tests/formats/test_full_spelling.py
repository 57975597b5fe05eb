from __future__ import annotations

import json

import pytest

import zom
from zom import v2, v3
from zom.formats.full_spelling import spelled_in_full
from zom.stores.memory import MemoryStore

BYTES = {"name": "bytes", "configuration": {"endian": "little"}}


def array(**members):
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4],
        "data_type": "uint8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 0,
        "codecs": [{"name": "bytes"}],
    }
    return v3.ArraySpec.parse({**document, **members})


SHARDS = {"chunk_shape": [2], "codecs": ["bytes", "crc32c"], "index_codecs": [BYTES, "crc32c"]}
SHORT = {
    "codecs": ({"codecs": ["bytes"]}, {"codecs": [{"name": "bytes"}]}, ("codecs[0]",)),
    "a data type": ({"data_type": {"name": "uint8"}}, {"data_type": "uint8"}, ("data_type",)),
    "a data type with no parameters": (
        {"data_type": {"name": "uint8", "configuration": {}}},
        {"data_type": "uint8"},
        ("data_type",),
    ),
    "chunk keys": (
        {"chunk_key_encoding": "v2"},
        {"chunk_key_encoding": {"name": "v2"}},
        ("chunk_key_encoding",),
    ),
    "what must be understood": (
        {"codecs": [{"name": "bytes", "must_understand": True}]},
        {"codecs": [{"name": "bytes"}]},
        ("codecs[0].must_understand",),
    ),
    "codecs in shards": (
        {"codecs": [{"name": "sharding_indexed", "configuration": SHARDS}]},
        {
            "codecs": [
                {
                    "name": "sharding_indexed",
                    "configuration": {
                        "chunk_shape": [2],
                        "codecs": [{"name": "bytes"}, {"name": "crc32c"}],
                        "index_codecs": [BYTES, {"name": "crc32c"}],
                    },
                }
            ]
        },
        (
            "codecs[0].configuration.codecs[0]",
            "codecs[0].configuration.codecs[1]",
            "codecs[0].configuration.index_codecs[1]",
        ),
    ),
}


@pytest.mark.parametrize(("given", "full", "places"), SHORT.values(), ids=SHORT)
def test_names_are_spelled_in_full_and_mean_the_same(given, full, places):
    spec = array(**given)
    made, found = spelled_in_full(spec)
    assert json.loads(made.to_json()) == {**json.loads(spec.to_json()), **full}
    assert found == places
    assert made.like(spec)
    assert spelled_in_full(made) == (made, ())


@pytest.mark.parametrize(
    "spec",
    [
        array(),
        array(data_type={"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}, fill_value="", codecs=[BYTES]),
        array(data_type={"name": "acme.unknown"}),
        v3.GroupSpec(members={"a": array(codecs=["bytes"])}),
        v2.ArraySpec.build(shape=(4,), dtype="uint8"),
    ],
    ids=["full", "a type with parameters", "an unknown type", "a group", "v2"],
)  # fmt: skip
def test_other_documents_stay_as_they_are(spec):
    assert spelled_in_full(spec) == (spec, ())


def codecs_in(store, key="zarr.json"):
    return json.loads(store.get(key))["codecs"]


def test_stores_hold_full_names_unless_the_spelling_is_asked_for():
    spec = array(codecs=["bytes"])
    group = v3.GroupSpec(members={"a": spec})
    for spelling, expected in [("full", [{"name": "bytes"}]), ("given", ["bytes"])]:
        made = zom.create_array(MemoryStore(), spec, spelling=spelling)
        assert codecs_in(made.store) == expected
        assert made.spec == zom.read(made.store)
        root = zom.materialize(group, MemoryStore(), spelling=spelling)
        assert codecs_in(root.store, "a/zarr.json") == expected
        assert root["a"].spec == zom.read(root.store)["a"]
        below = zom.create_group(MemoryStore(), v3.GroupSpec()).create("a", spec, spelling=spelling)
        assert codecs_in(below.store, "a/zarr.json") == expected
    assert zom.read(root.store) == group
    with pytest.raises(ValueError, match="spelling: expected 'full' or 'given', got 'short'"):
        zom.materialize(group, MemoryStore(), spelling="short")


def test_a_plan_tells_what_it_writes_in_full():
    spec, store = array(codecs=["bytes"], chunk_key_encoding="default"), MemoryStore()
    plan = zom.plan(v3.GroupSpec(members={"a": spec}), store)
    line = "  + /a  array  create; names written in full: chunk_key_encoding, codecs[0]"
    assert str(plan).splitlines()[2] == line
    assert plan.to_dict()["actions"][1]["in_full"] == ["chunk_key_encoding", "codecs[0]"]
    plan.apply()
    assert zom.plan(v3.GroupSpec(members={"a": spec}), store).is_empty
    assert "in full" not in str(zom.plan(spec, MemoryStore(), spelling="given"))


def test_a_short_hand_that_is_stored_stays():
    spec, store = array(codecs=["bytes"]), MemoryStore()
    zom.materialize(spec, store, spelling="given")
    assert zom.plan(spec, store).is_empty
    assert zom.plan(array(), store).is_empty


def test_a_spec_for_a_copy_is_written_in_full_and_documents_that_stay_are_not():
    spec = array(codecs=["bytes"])
    root = zom.materialize(spec, MemoryStore(), spelling="given")
    same, other = MemoryStore(), MemoryStore()
    zom.copy(root, same)
    assert codecs_in(same) == ["bytes"]
    zom.copy(root, other, spec.replace(attributes={"a": 1}))
    assert codecs_in(other) == [{"name": "bytes"}]
