"""Comparing what is stored: values chunk by chunk, items of lists, and hierarchies of two formats."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

import zom
from zom import v2, v3
from zom.model.compare import like
from zom.stores.memory import MemoryStore

VALUES = np.arange(60, dtype="float64").reshape(6, 10)
UNCOMPARED = "values were not compared; pass data=True to compare them"


def root(values=VALUES, form="v3", **facts):
    group = zom.create_group("memory:", form=form)
    group.create_array("a", data=values, **facts)
    return group


def lines(found):
    return str(found).splitlines()


# --- values ----------------------------------------------------------------------------------------------


def test_values_that_were_not_compared_are_told():
    changed = VALUES.copy()
    changed[3, 4] = -1
    found = zom.diff(root(), root(changed))
    assert not found
    assert lines(found) == ["no difference", UNCOMPARED]
    assert found.values_compared is False
    found = zom.diff(root(), root(attributes={"x": 1}))
    assert lines(found) == ["+ /a: attributes.x: 1", UNCOMPARED]


def test_nothing_is_told_of_values_where_there_are_none():
    for left, right in [(root(), zom.read(root().store)), (zom.create_group("memory:"), root())]:
        found = zom.diff(left, right)
        assert found.values_compared is None
        assert UNCOMPARED not in str(found)


@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
@pytest.mark.parametrize("chunks", [(6, 10), (1, 10), (4, 3), (5, 7)])
def test_values_are_compared_whatever_the_chunks_and_formats(form, chunks):
    changed = VALUES.copy()
    changed[0, 9], changed[5, 0], changed[3, 4] = -1, -2, -3
    ignored = ["/chunk_grid", "/chunks"]
    assert not zom.diff(root(chunks=(2, 2)), root(form=form, chunks=chunks), ignored, data=True)
    found = zom.diff(root(chunks=(2, 2)), root(changed, form=form, chunks=chunks), ignored, data=True)
    assert [str(change) for change in found] == [
        "~ /a: values[0][9]: 9.0 -> -1.0, the first of 3 elements; also at [3, 4], [5, 0]"
    ]
    assert found.values_compared is True
    (change,) = found
    assert change.to_dict() == {
        "kind": "changed",
        "node": "/a",
        "pointer": "/members/a/values/0/9",
        "old": 9.0,
        "new": -1.0,
        "elements": 3,
        "places": [[3, 4], [5, 0]],
    }


def test_some_places_are_told_and_all_are_counted():
    found = zom.diff(root(chunks=(2, 5)), root(VALUES + 1, chunks=(2, 5)), data=True)
    assert lines(found) == [
        "~ /a: values[0][0]: 0.0 -> 1.0, the first of 60 elements; also at [0, 1], [0, 2], [0, 3], [0, 4]"
    ]


def test_elements_are_compared_bit_for_bit():
    strange = np.array([np.nan, -np.nan, 0.0, np.inf, np.frombuffer(b"\1\0\0\0\0\0\xf8\x7f", "f8")[0]])
    assert not zom.diff(root(strange), root(strange.copy()), data=True)
    for at, other in [(0, -np.nan), (2, -0.0), (4, np.nan)]:
        changed = strange.copy()
        changed[at] = other
        (change,) = zom.diff(root(strange), root(changed), data=True)
        assert change.inside == ("values", at)


def test_the_order_of_bytes_is_no_difference():
    assert not zom.diff(root(VALUES.astype(">f8"), form="v2"), root(form="v2"), ["/dtype"], data=True)
    found = zom.diff(root(VALUES.astype(">f8"), form="v2"), root(), data=True)
    assert not found
    assert found.values_compared


def test_text_is_compared():
    one, other = (
        zom.create_array("memory:", data=np.array(words, dtype=object), chunks=(2,))
        for words in (["a", "bc", "d"], ["a", "bd", "d"])
    )
    (change,) = zom.diff(one, other, data=True)
    assert str(change) == '~ /: values[1]: "bc" -> "bd"'
    assert not zom.diff(one, one, data=True)


def test_what_is_not_stored_is_the_fill_value():
    sparse = zom.create_group("memory:")
    sparse.create_array("a", shape=(6, 10), dtype="float64", chunks=(2, 2))
    stored = zom.create_group("memory:")
    array = stored.create_array("a", shape=(6, 10), dtype="float64", chunks=(2, 2))
    array.with_options(write_empty_chunks=True)[:] = 0
    assert array.stored().count == 15
    assert not zom.diff(sparse, stored, data=True)
    array[5, 9] = 1
    for left, right in [(sparse, stored), (stored, sparse)]:
        (change,) = zom.diff(left, right, data=True)
        assert change.inside == ("values", 5, 9)


def test_other_fill_values_are_other_values():
    one, other = (zom.full((3,), fill) for fill in (1, 2))
    assert [change.inside for change in zom.diff(one, other, data=True)] == [("fill_value",), ("values", 0)]


def test_values_of_other_shapes_and_types_are_not_compared():
    found = zom.diff(root(), root(VALUES[:2]), data=True)
    assert all(change.inside[0] != "values" for change in found)
    found = zom.diff(root(), root(VALUES.astype("float32")), data=True)
    assert {change.inside[0] for change in found} & {"data_type"}


def test_arrays_of_a_part_of_a_hierarchy_are_compared():
    one, other = (zom.create_group("memory:") for _ in range(2))
    one["x/a"] = [1, 2]
    other["y/z/a"] = [1, 3]
    (change,) = zom.diff(one["x"], other["y/z"], data=True)
    assert str(change) == "~ /a: values[1]: 2 -> 3"


def test_ignored_values_are_no_change():
    assert not zom.diff(root(), root(VALUES + 1), "/a:/values", data=True)


def test_arrays_without_elements_and_without_dimensions_are_compared():
    assert not zom.diff(zom.zeros((0, 3)), zom.zeros((0, 3)), data=True)
    (change,) = zom.diff(zom.array(5), zom.array(6), data=True)
    assert str(change) == "~ /: values: 5 -> 6"


@pytest.mark.slow
def test_memory_is_bounded():
    arrays = []
    for chunks in [(100, 4000), (4000, 100)]:
        array = zom.zeros((8000, 8000), "float64", chunks=chunks, compress="zstd:1")
        for start in range(0, 8000, 1000):
            array[start : start + 1000] = 1
        arrays.append(array)
    tracemalloc.start()
    assert not zom.diff(*arrays, ["/chunk_grid"], data=True)
    assert tracemalloc.get_traced_memory()[1] < 200e6  # each holds 512 MB
    tracemalloc.stop()


def test_a_huge_array_with_few_chunks_is_compared_at_once():
    arrays = [zom.zeros((10**9, 10**6), "int8", chunks=(1000, 1000)) for _ in range(2)]
    for array in arrays:
        array[5, 7] = 1
        array[10**9 - 1, 10**6 - 1] = 1
    assert not zom.diff(*arrays, data=True)
    arrays[1][10**9 - 1, 3] = 2
    (change,) = zom.diff(*arrays, data=True)
    assert change.inside == ("values", 10**9 - 1, 3)


# --- lists -----------------------------------------------------------------------------------------------


def changes(old, new):
    group = v3.GroupSpec(attributes={"x": old})
    return [str(change) for change in group.diff(v3.GroupSpec(attributes={"x": new}))]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ([1, 2, 3], [1, 3], ["- /: attributes.x[1]: 2"]),
        ([1, 3], [1, 2, 3], ["+ /: attributes.x[1]: 2"]),
        ([], [{"a": 1}], ['+ /: attributes.x[0]: {"a": 1}']),
        ([{"name": "y", "n": 1}, {"name": "z"}], [{"name": "a"}, {"name": "y", "n": 2}, {"name": "z"}], ["~ /: attributes.x[1].n: 1 -> 2", '+ /: attributes.x[0]: {"name": "a"}']),
        ([[1, [2]]], [[1, [2, 3]]], ["+ /: attributes.x[0][1][1]: 3"]),
        ([1, 1, 1], [1], ["- /: attributes.x[1]: 1", "- /: attributes.x[2]: 1"]),
        ([1, 2], [5], ["~ /: attributes.x[0]: 1 -> 5", "- /: attributes.x[1]: 2"]),
        (["a" * 500], ["a" * 499 + "b"], ['~ /: attributes.x[0]: ...aaaaaaaaaaa" -> ...aaaaaaaaaab"']),
    ],
)  # fmt: skip
def test_items_of_lists_are_told(old, new, expected):
    assert changes(old, new) == expected


def test_long_lists_of_other_lengths_differ_as_a_whole():
    (line,) = changes([*range(5000)], [*range(1, 5000)])
    assert line.startswith("~ /: attributes.x: [0, 1, 2")


def test_codecs_that_came_and_went_are_told_one_by_one():
    old = v3.ArraySpec.build(shape=(8, 8), dtype="int16", compress="gzip:1")
    new = v3.ArraySpec.build(shape=(8, 8), dtype="int16", compress="gzip:9", order="F", checksum=True)
    assert [str(change) for change in old.diff(new)] == [
        '+ /: codecs[0]: {"name": "transpose", "configuration": {"order": [1, 0]}}',
        "~ /: codecs[2].configuration.level: 1 -> 9",
    ]


@pytest.mark.parametrize("old", [[], [1], [{"name": "a"}, {"name": "a"}], [[1], [2]], ["x", {"id": "b"}]])
@pytest.mark.parametrize(
    "new", [[], [1], [{"name": "a"}, {"name": "b"}, {"name": "a"}], [[2]], [{"id": "b"}]]
)
def test_lists_differ_where_they_are_not_alike(old, new):
    one, other = (v3.GroupSpec(attributes={"x": each}) for each in (old, new))
    assert bool(one.diff(other)) == (old != new) == (not like(one, other))


# --- formats ---------------------------------------------------------------------------------------------


def pair(**facts):
    names = {"dimension_names": ("y", "x"), "chunks": (3, 5), "attributes": {"units": "K"}}
    return [root(form=form, **{**names, **facts}) for form in ("v2", "v3")]


def test_the_same_in_two_formats_is_no_difference():
    found = zom.diff(*pair(), data=True)
    assert not found.changes, found
    assert found.values_compared
    assert found.notes[0] == "v2 -> v3"
    assert any("chunk_key_encoding" in note for note in found.notes)
    assert lines(found)[:2] == ["no difference", "note: v2 -> v3"]


def test_codecs_of_two_formats_are_notes():
    one, other = root(form="v2", compress="zlib"), root(compress="gzip")
    found = zom.diff(one, other)
    assert not found
    assert any(note.startswith("/a: codecs") for note in found.notes)


@pytest.mark.parametrize(
    ("facts", "inside"),
    [
        ({"chunks": (2, 2)}, "chunk_grid"),
        ({"fill_value": 7}, "fill_value"),
        ({"dimension_names": ("a", "b")}, "dimension_names"),
        ({"attributes": {"units": "C"}}, "attributes"),
        ({"dtype": "float32"}, "data_type"),
    ],
)
def test_what_means_something_else_in_another_format_is_a_change(facts, inside):
    one, _ = pair()
    _, other = pair(**facts)
    for left, right in [(one, other), (other, one)]:
        found = zom.diff(left, right)
        assert {change.inside[0] for change in found} == {inside}


def test_members_are_compared_across_formats():
    one, other = pair()
    one["b"] = [1]
    other["c"] = [1]
    assert [(change.kind, change.node) for change in zom.diff(one, other)] == [
        ("removed", "/b"),
        ("added", "/c"),
    ]


def test_what_v3_can_not_express_is_told():
    spec = v2.ArraySpec.build(shape=(4,), dtype="int16", filters=[{"id": "unheard-of"}])
    found = zom.diff(spec, v3.ArraySpec.build(shape=(4,), dtype="int16"))
    assert found
    assert "v2" in str(found)


@pytest.mark.parametrize(
    ("values", "reason"),
    [(np.arange(5), "the shapes differ"), (np.arange(4.0), "the data types differ")],
)
def test_values_that_can_not_be_compared_are_named(values, reason):
    one, other = MemoryStore(), MemoryStore()
    zom.save(one, a=np.arange(4), b=[1])
    zom.save(other, a=values, b=[2])
    found = zom.diff(one, other, data=True)
    assert found.notes == (f"/a: values were not compared, as {reason}",)
    assert str(found.changes[-1]) == "~ /b: values[0]: 1 -> 2"
    assert zom.diff(one, other).notes == ()


def test_values_that_a_side_does_not_have_are_not_called_the_same():
    store = MemoryStore()
    zom.save(store, a=np.arange(4), b=[1], c=[2])
    spec = zom.read(store)
    bare = "values were not compared, as a spec has no values"
    for sides in ((spec, store), (store, spec), (spec, spec)):
        assert zom.diff(*sides, data=True).notes == (f"/a and 2 more: {bare}",)
        assert zom.diff(*sides).notes == ()
    declared = {"shape": [4], "dtype": "int64"}
    full = zom.declare(
        {
            "zom": 1,
            "members": {"a": {**declared, "values": [0, 1, 2, 4]}, "b": {"shape": [1], "dtype": "int64"}},
        }
    )
    found = zom.diff(store, full, data=True)
    assert found.notes == ("/b: values were not compared, as a declaration doesn't state them",)
    assert [str(change) for change in found if change.node == "/a" and "values" in str(change)] == [
        "~ /a: values[3]: 3 -> 4"
    ]
    assert zom.diff(spec, full, data=True).notes == (f"/a and 1 more: {bare}",)
    assert zom.diff(zom.open(store)["a"], spec["a"], data=True).notes == (f"/: {bare}",)
    assert zom.diff(store, spec.replace(members={}), data=True).notes == ()


def test_values_of_a_type_that_nobody_knows_are_not_called_the_same():
    stores = [MemoryStore(), MemoryStore()]
    for number, store in enumerate(stores):
        zom.create_array(store, shape=(2,), dtype="uint8", compress=None)
        store.set("zarr.json", store.get("zarr.json").replace(b'"uint8"', b'"acme.byte"'))
        store.set("c/0", bytes([number, 1]))
    found = zom.diff(*stores, data=True)
    assert lines(found) == [
        f"! /: values: those of the {side} array can't be read: the data type 'acme.byte' is unknown"
        for side in ("old", "new")
    ]
    assert not zom.diff(*stores)


# --- the command -----------------------------------------------------------------------------------------


def zom_diff(*arguments):
    command = [sys.executable, "-m", "zom", "diff", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_compares_values_where_it_is_asked_to(tmp_path):
    changed = VALUES.copy()
    changed[1, 1] = -1
    for name, values, form in [("a.zarr", VALUES, "v3"), ("b.zarr", changed, "v2")]:
        zom.save(tmp_path / name, a=values, form=form)
    places = tmp_path / "a.zarr", tmp_path / "b.zarr"
    done = zom_diff(*places)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines()[0] == "no difference"
    assert done.stderr.splitlines()[-1] == "values were not compared; pass --data to compare them"
    assert "note: v3 -> v2" in done.stderr
    done = zom_diff(*places, "--data")
    assert (done.returncode, done.stdout) == (1, "~ /a: values[1][1]: 11.0 -> -1.0\n")
    assert "not compared" not in done.stderr
    zom.delete(places[0], whole=True)
