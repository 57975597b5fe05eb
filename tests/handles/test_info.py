"""What is said of an open node, in a record and in a few lines."""

from __future__ import annotations

import json

import pytest

import zom
from zom import draft, v2, v3
from zom.stores.memory import MemoryStore
from zom.testing.logged import LoggedStore


def info(spec, path="a"):
    make = zom.create_array if spec.kind == "array" else zom.create_group
    return make(MemoryStore(), spec, path).info


def test_an_array_is_told_in_a_few_lines():
    spec = v3.ArraySpec.build(
        shape=(48, 180, 360),
        dtype="float32",
        chunks=(4, 90, 90),
        shards=(24, 180, 360),
        dimension_names=("time", "lat", "lon"),
        fill_value=float("nan"),
        attributes={"units": "K"},
    )
    assert str(info(spec)).splitlines() == [
        "array       /a in memory://",
        "format      v3",
        "type        float32",
        "shape       (time=48, lat=180, lon=360)",
        "chunks      4×90×90",
        "shards      24×180×360, 2 of them",
        "codecs      zstd",
        'fill        "NaN"',
        "order       C",
        "bytes       11.9 MiB in memory",
        'attributes  units="K"',
    ]


def test_nothing_is_read_for_it():
    store = LoggedStore(MemoryStore())
    array = zom.create_array(store, v3.ArraySpec.build(shape=(4,), dtype="int8"))
    store.log.calls.clear()
    assert array.info.count == 1
    assert store.log.calls == []


@pytest.mark.parametrize(
    ("spec", "order"),
    [
        (v2.ArraySpec.build(shape=(4, 3), dtype="int8", order="F"), "F"),
        (v2.ArraySpec.build(shape=(4, 3), dtype="int8"), "C"),
        (draft.ArraySpec.build(shape=(4, 3), dtype="int8"), "C"),
        (v3.ArraySpec.build(shape=(4, 3), dtype="int8"), "C"),
    ],
)
def test_the_order_is_told_in_every_format(spec, order):
    assert info(spec).order == order


@pytest.mark.parametrize(
    ("transposes", "told"),
    [([[1, 0]], "F"), ([[0, 1]], "C"), ([[1, 0], [1, 0]], None), ([], "C")],
)
def test_a_transpose_is_an_order(transposes, told):
    codecs = [{"name": "transpose", "configuration": {"order": order}} for order in transposes]
    spec = v3.ArraySpec.build(shape=(4, 3), dtype="int8").replace(codecs=[*codecs, "bytes"])
    assert info(spec).order == told


def test_another_order_is_told_as_it_is():
    codecs = [{"name": "transpose", "configuration": {"order": [0, 2, 1]}}, "bytes"]
    assert info(v3.ArraySpec.build(shape=(4, 3, 2), dtype="int8").replace(codecs=codecs)).order == "[0, 2, 1]"


def test_elements_without_a_fixed_size_have_no_bytes():
    told = info(v3.ArraySpec.build(shape=(4,), dtype="string"))
    assert told.nbytes is None
    assert "bytes" not in dict(told.lines())


def test_an_array_of_unknown_names_is_described():
    spec = v3.ArraySpec.build(shape=(4,), dtype="int8").replace(codecs=[{"name": "org.example.zip9"}])
    told = info(spec)
    assert (told.codecs, told.type) == ("org.example.zip9", "int8")


def test_a_scalar_has_one_chunk():
    told = info(v3.ArraySpec.build(shape=(), dtype="int8"))
    assert (told.shape, told.chunks, told.count) == ((), "one", 1)
    assert dict(told.lines())["shape"] == "()"


def test_a_group_is_told_in_a_few_lines():
    assert str(info(v3.GroupSpec(attributes={"title": "a", "n": 1}))).splitlines() == [
        "group         /a in memory://",
        "format        v3",
        'attributes    title="a" n=1',
        "consolidated  no",
    ]
    assert dict(info(v2.GroupSpec()).lines()) == {"group": "/a in memory://", "format": "v2"}


def test_a_group_that_holds_the_documents_of_others_says_so():
    text = json.dumps(v3.GroupSpec(members={"a": v3.GroupSpec(members={})}).to_consolidated())
    assert zom.open_group(MemoryStore({"zarr.json": text.encode()})).info.consolidated is True


def test_a_record_is_json():
    facts = info(v3.ArraySpec.build(shape=(4,), dtype="int8")).to_dict()
    assert json.loads(json.dumps(facts))["path"] == "/a"


def test_characters_that_steer_a_terminal_are_shown():
    assert "\x1b" not in str(info(v3.ArraySpec.build(shape=(4,), dtype="int8"), "a\u202eb"))
