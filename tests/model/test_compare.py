"""What means the same, and what differs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zom
from zom import draft, v2, v3
from zom.model.compare import canonical
from zom.testing.strategies import array_documents, group_specs

MODULES: dict[str, Any] = {"v2": v2, "v3": v3, "draft": draft}
ARRAY = v3.ArraySpec.build(shape=(4, 6), dtype="float32", chunks=(2, 3), compress="gzip", checksum=False)
OLD = v2.ArraySpec.build(shape=(4,), dtype="<i4", compress="zlib")
SHARDING = {
    "name": "sharding_indexed",
    "configuration": {
        "chunk_shape": [1, 3],
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
    },
}
AT_START = {**SHARDING, "configuration": {**SHARDING["configuration"], "index_location": "start"}}  # type: ignore[dict-item]
AT_END = {**SHARDING, "configuration": {**SHARDING["configuration"], "index_location": "end"}}  # type: ignore[dict-item]
OLD_2D = OLD.replace(shape=(4, 2), chunks=(2, 2))
U1 = v3.ArraySpec.build(shape=(4, 6), dtype="uint8", compress=None, checksum=False)


def grid(*lengths: int) -> dict[str, Any]:
    return {"name": "regular", "configuration": {"chunk_shape": list(lengths)}}


ALIKE = [
    (U1, {"codecs": ["bytes"]}, {"codecs": [{"name": "bytes"}]}),
    (U1, {"codecs": ["bytes"]}, {"codecs": [{"name": "bytes", "configuration": {}}]}),
    (U1, {"data_type": "uint8"}, {"data_type": {"name": "uint8"}}),
    (U1, {"data_type": "uint8"}, {"data_type": {"name": "uint8", "configuration": {}}}),
    (ARRAY, {"fill_value": "NaN"}, {"fill_value": "0x7fc00000"}),
    (ARRAY, {"fill_value": "Infinity"}, {"fill_value": "0x7f800000"}),
    (ARRAY, {"fill_value": 1}, {"fill_value": 1.0}),
    (ARRAY, {"attributes": {}}, {"attributes": zom.ABSENT}),
    (ARRAY, {"storage_transformers": ()}, {"storage_transformers": zom.ABSENT}),
    (ARRAY, {"dimension_names": (None, None)}, {"dimension_names": zom.ABSENT}),
    (ARRAY, {"chunk_key_encoding": "default"}, {"chunk_key_encoding": {"name": "default"}}),
    (
        ARRAY,
        {"chunk_key_encoding": "default"},
        {"chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}},
    ),
    (
        ARRAY,
        {"chunk_key_encoding": "v2"},
        {"chunk_key_encoding": {"name": "v2", "configuration": {"separator": "."}}},
    ),
    (ARRAY, {"codecs": (SHARDING,)}, {"codecs": (AT_END,)}),
    (U1, {"codecs": ["bytes"]}, {"codecs": [{"name": "bytes", "configuration": {"endian": "big"}}]}),
    (U1, {"codecs": ["bytes"]}, {"codecs": [{"name": "bytes", "must_understand": True}]}),
    (OLD, {"dimension_separator": "."}, {"dimension_separator": zom.ABSENT}),
    (
        OLD,
        {"filters": [{"id": "delta", "dtype": "<i4"}]},
        {"filters": [{"id": "delta", "dtype": "<i4", "astype": "<i4"}]},
    ),
    (OLD, {"compressor": {"id": "zlib"}}, {"compressor": {"id": "zlib", "level": 1}}),
    (OLD, {"attributes": {}}, {"attributes": zom.ABSENT}),
    (OLD, {"order": "C"}, {"order": "F"}),
    (OLD, {"dimension_separator": "."}, {"dimension_separator": "/"}),
]


@pytest.mark.parametrize(("spec", "one", "other"), ALIKE, ids=lambda value: str(value)[:50])
def test_two_spellings_of_one_thing_are_alike_though_not_equal(spec: Any, one: Any, other: Any) -> None:
    left, right = spec.replace(**one), spec.replace(**other)
    assert left != right
    assert left.like(right)
    assert right.like(left)
    assert not left.diff(right)
    assert str(left.diff(right)) == "no difference"


UNLIKE = [
    (ARRAY, {"fill_value": 0.0}, {"fill_value": -0.0}, "/fill_value"),
    (ARRAY, {"fill_value": "NaN"}, {"fill_value": "0x7fc00001"}, "/fill_value"),
    (ARRAY, {"attributes": {"a": True}}, {"attributes": {"a": 1}}, "/attributes/a"),
    (ARRAY, {"attributes": {"a": 1}}, {"attributes": {"a": 1.0}}, "/attributes/a"),
    (ARRAY, {"attributes": {"a": [0.0]}}, {"attributes": {"a": [-0.0]}}, "/attributes/a/0"),
    (ARRAY, {"dimension_names": ("x", None)}, {"dimension_names": ("x", "")}, "/dimension_names/1"),
    (
        ARRAY,
        {"chunk_grid": grid(2, 3)},
        {"chunk_grid": grid(2, 2)},
        "/chunk_grid/configuration/chunk_shape/1",
    ),
    (ARRAY, {"chunk_key_encoding": "default"}, {"chunk_key_encoding": "v2"}, "/chunk_key_encoding/name"),
    (ARRAY, {"codecs": (AT_START,)}, {"codecs": (AT_END,)}, "/codecs/0/configuration/index_location"),
    (OLD_2D, {"order": "C"}, {"order": "F"}, "/order"),
    (OLD, {"fill_value": None}, {"fill_value": 0}, "/fill_value"),
]


@pytest.mark.parametrize(("spec", "one", "other", "pointer"), UNLIKE, ids=lambda value: str(value)[:50])
def test_what_differs_is_found_in_its_place(spec: Any, one: Any, other: Any, pointer: str) -> None:
    left, right = spec.replace(**one), spec.replace(**other)
    assert not left.like(right)
    changes = left.diff(right).changes
    assert pointer in [change.pointer for change in changes]
    assert all(change.pointer.startswith(pointer.rsplit("/", 1)[0]) for change in changes)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_every_spec_is_like_itself_and_its_canonical_spelling(form: str, data: Any) -> None:
    spec = MODULES[form].parse(data.draw(array_documents(form)))
    plain = MODULES[form].parse(canonical(spec))
    assert spec.like(MODULES[form].parse(spec.to_json()))
    assert spec.like(plain)
    assert plain.like(spec)
    again = canonical(plain)
    assert json.dumps(again, sort_keys=True) == json.dumps(canonical(spec), sort_keys=True)


@given(left=group_specs(max_depth=2), right=group_specs(max_depth=2))
@settings(max_examples=60, deadline=None)
def test_like_is_symmetric_and_is_a_diff_without_changes(left: Any, right: Any) -> None:
    assert left.like(right) == right.like(left) == (not left.diff(right))
    if left == right:
        assert left.like(right)


LEFT = v3.GroupSpec(
    attributes={"a": 1, "proj:epsg": 1, "gone": 0},
    members={"x": ARRAY, "y": v3.GroupSpec(members={}), "t~": v3.GroupSpec(), "u": v3.GroupSpec()},
)
RIGHT = v3.GroupSpec(
    attributes={"a": 2, "proj:epsg": 2, "new": 0},
    members={
        "x": ARRAY.replace(attributes={"b/c": 1}),
        "y": v3.GroupSpec(members={"z": v3.GroupSpec()}),
        "t~": v3.GroupSpec(members={}),
        "v": v3.GroupSpec(),
    },
)


def test_a_diff_names_every_change_once() -> None:
    assert str(LEFT.diff(RIGHT)).splitlines() == [
        "~ /: attributes.a: 1 -> 2",
        "~ /: attributes['proj:epsg']: 1 -> 2",
        "- /: attributes.gone: 0",
        "+ /: attributes.new: 0",
        '- /u: the node: {"zarr_format": 3, "node_type": "group"}',
        '+ /v: the node: {"zarr_format": 3, "node_type": "group"}',
        "+ /x: attributes['b/c']: 1",
        '+ /y/z: the node: {"zarr_format": 3, "node_type": "group"}',
        '~ /t~: members: "unknown" -> "known"',
    ]


def test_a_diff_is_json_with_pointers() -> None:
    changes = json.loads(LEFT.diff(RIGHT).to_json())["changes"]
    assert changes[0] == {"kind": "changed", "node": "/", "pointer": "/attributes/a", "old": 1, "new": 2}
    assert changes[6] == {"kind": "added", "node": "/x", "pointer": "/members/x/attributes/b~1c", "new": 1}
    assert changes[4]["old"] == {"zarr_format": 3, "node_type": "group"}
    assert changes[-1]["pointer"] == "/members/t~0/members"
    assert json.loads(LEFT.diff(RIGHT).to_json(indent=2)) == {
        "changes": changes,
        "notes": [],
        "values_compared": None,
    }


def test_a_difference_is_false_where_there_is_none() -> None:
    difference = LEFT.diff(RIGHT)
    assert difference
    assert len(difference) == len(list(difference)) == 9
    assert not LEFT.diff(LEFT)


@pytest.mark.parametrize(
    ("ignore", "left"),
    [
        ("/attributes", ["/t~", "/u", "/v", "/y/z"]),
        ("/attributes/a", ["/", "/", "/", "/t~", "/u", "/v", "/x", "/y/z"]),
        ("/attributes/proj:epsg", ["/", "/", "/", "/t~", "/u", "/v", "/x", "/y/z"]),
        ("/attributes/proj:*", ["/", "/", "/", "/t~", "/u", "/v", "/x", "/y/z"]),
        ("/:/attributes", ["/t~", "/u", "/v", "/x", "/y/z"]),
        ("/x:/attributes/b~1c", ["/", "/", "/", "/", "/t~", "/u", "/v", "/y/z"]),
        ("/**", []),
        ("/members", ["/", "/", "/", "/", "/u", "/v", "/x", "/y/z"]),
        (("/?:", "/y/**:", "/t~:"), ["/", "/", "/", "/"]),
        (("/attributes/*", "/members", "/u:", "/v:", "/y/z:"), []),
    ],
)
def test_what_a_pattern_names_is_ignored(ignore: Any, left: list[str]) -> None:
    assert sorted(change.node for change in LEFT.diff(RIGHT, ignore)) == left
    assert LEFT.like(RIGHT, ignore) == (not left)


def test_nodes_of_another_kind_differ_as_a_whole() -> None:
    tree = v3.GroupSpec(members={"a": ARRAY})
    for other in (v3, v2):
        (change,) = tree.diff(other.GroupSpec(members={"a": other.GroupSpec()}))
        assert str(change) == f'~ /a: the node: "v3 array" -> "{other.__name__.removeprefix("zom.")} group"'


def test_what_only_a_lenient_reader_takes_can_be_compared() -> None:
    old = {
        "zarr_format": 2, "shape": [0, 4], "chunks": [0, 2], "dtype": "<f4", "fill_value": "nan", "order": "C",
        "filters": [], "dimension_separator": None,
    }  # fmt: skip
    heard: list[Any] = []
    spec = v2.parse(old, "lenient", on_warning=heard.append)
    assert heard
    clean = {**old, "filters": None, "compressor": None, "fill_value": "NaN", "chunks": [1, 2]}
    del clean["dimension_separator"]
    assert [change.pointer for change in spec.diff(v2.parse(clean))] == []
