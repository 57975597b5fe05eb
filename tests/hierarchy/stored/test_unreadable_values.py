"""Comparing values of which some can't be read: these are told, and all others compared."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import zom
from zom.handles.comparing import Compared, differences
from zom.handles.sound_values import MOST_FAILURES, MOST_KEPT
from zom.testing.faulty import FaultyStore

VALUES = np.arange(64, dtype="float64").reshape(8, 8)
CHANGED = VALUES.copy()
CHANGED[7, 7] = -1
SHARDED = {"shards": (8, 8), "chunks": (2, 2)}


def tree(values=VALUES, form="v3", **facts):
    group = zom.create_group("memory:", form=form)
    compress = "gzip" if form == "draft" else "zstd"
    group.create_array("a", data=values, **{"chunks": (4, 4), "compress": compress, **facts})
    group.create_array("b", data=[1, 2, 3], **({"compress": "gzip"} if form == "draft" else {}))
    return group


def chunk(group, end="0/1"):
    (key,) = [
        key for key in group.store.list("") if key.endswith((f"c/{end}", f"c{end}", end.replace("/", ".")))
    ]
    return key


def damage(group, key, *places, value=None):
    """Change bytes of a value, or the value; the key."""
    data = bytearray(group.store.get(key) if value is None else value)
    for place in places:
        data[place] ^= 0xFF
    group.store.set(key, bytes(data))
    return key


def told(found):
    return [(each.kind, each.node, each.inside, each.side, each.key) for each in found]


DIFFERENCE = ("changed", "/a", ("values", 7, 7), "", "")


@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
@pytest.mark.parametrize("side", ["old", "new"])
def test_a_damaged_chunk_is_told_and_the_others_are_compared(form, side):
    broken, sound = tree(form=form), tree(CHANGED, form=form)
    key = damage(broken, chunk(broken), value=b"nonsense")
    sound["b"][1] = 7
    found = zom.diff(*((broken, sound) if side == "old" else (sound, broken)), data=True)
    assert told(found) == [
        DIFFERENCE,
        ("unreadable", "/a", ("values", 0, 4), side, key),
        ("changed", "/b", ("values", 1), "", ""),
    ]
    assert found.values_compared
    (unreadable,) = found.unreadable
    reason = {
        "draft": "gzip: damaged gzip data: incorrect header check",
        "v2": "zstd: expected a zstd frame (28 b5 2f fd) at byte 0, found 6e 6f 6e 73",
    }
    reason["v3"] = reason["v2"]
    assert str(unreadable) == f"! /a: values[0][4]: the {side} chunk {key!r} can't be read: {reason[form]}"
    assert unreadable.to_dict() == {
        "kind": "unreadable",
        "node": "/a",
        "pointer": "/members/a/values/0/4",
        "side": side,
        "key": key,
        "reason": reason[form],
    }


def test_chunks_that_are_damaged_on_both_sides_are_told_of_both():
    one, other = tree(), tree(form="v2")
    keys = [damage(each, chunk(each), value=b"?") for each in (one, other)]
    found = zom.diff(one, other, data=True)
    assert told(found) == [
        ("unreadable", "/a", ("values", 0, 4), "old", keys[0]),
        ("unreadable", "/a", ("values", 0, 4), "new", keys[1]),
    ]
    assert found, "what can't be read is never the same"


@pytest.mark.parametrize("chunks", [(8, 8), (1, 8), (8, 1), (3, 5)])
def test_a_damaged_chunk_is_told_once_whatever_the_other_chunks(chunks):
    broken = tree()
    key = damage(broken, chunk(broken, "1/0"), value=b"")
    found = zom.diff(broken, tree(CHANGED, chunks=chunks), "/chunk_grid", data=True)
    kinds = [(each.kind, each.inside, each.key) for each in found]
    assert kinds == [("changed", ("values", 7, 7), ""), ("unreadable", ("values", 4, 0), key)]


def test_only_the_damaged_inner_chunks_of_a_shard_are_left_out():
    broken, sound = tree(**SHARDED), tree(CHANGED, **SHARDED)
    sound["a"][0, 0] = 5  # in the damaged inner chunk: nobody knows
    sound["a"][0, 2] = 6  # beside it
    key = damage(broken, chunk(broken, "0/0"), 5, 6)
    found = zom.diff(broken, sound, data=True)
    assert [str(each) for each in found.changes[:1]] == [
        "~ /a: values[0][2]: 2.0 -> 6.0, the first of 2 elements; also at [7, 7]"
    ]
    assert told(found)[1:] == [("unreadable", "/a", ("values", 0, 0), "old", key)]
    assert found.changes[1].reason.startswith("sharding_indexed: inner chunk (0, 0), bytes 0 to ")


@pytest.mark.parametrize("value", [None, b"", b"short"])
def test_a_shard_whose_index_is_damaged_is_told_once(value):
    broken = tree(**SHARDED)
    places = (-4,) if value is None else ()
    key = damage(broken, chunk(broken, "0/0"), *places, value=value)
    found = zom.diff(tree(CHANGED), broken, "/**", data=True)
    assert found.changes == ()
    found = zom.diff(tree(CHANGED), broken, ["/chunk_grid", "/codecs"], data=True)
    assert told(found) == [("unreadable", "/a", ("values", 0, 0), "new", key)]


def test_only_the_damaged_chunks_of_shards_within_shards_are_left_out():
    codec = {"name": "bytes", "configuration": {"endian": "little"}}
    index = [codec, {"name": "crc32c"}]

    def shards(shape, codecs):
        facts = {"chunk_shape": shape, "codecs": codecs, "index_codecs": index}
        return [{"name": "sharding_indexed", "configuration": facts}]

    codecs = shards([4, 4], shards([2, 2], [codec, {"name": "crc32c"}]))
    spec = zom.v3.ArraySpec.build(shape=(8, 8), dtype="float64", chunks=(8, 8), codecs=codecs)
    broken, sound = (zom.materialize(spec, "memory:") for _ in range(2))
    for array in (broken, sound):
        array[...] = VALUES
    sound[0, 2] = sound[7, 7] = -1
    damage(broken, "c/0/0", 0)
    found = zom.diff(broken, sound, data=True)
    assert [each.inside for each in found] == [("values", 0, 2), ("values", 0, 0)]
    assert found.changes[0].elements == 2
    assert "inner chunk (0, 0)" in found.unreadable[0].reason


def test_text_beside_a_damaged_chunk_is_compared():
    one, other = (
        zom.create_array("memory:", data=np.array(words, dtype=object), chunks=(2,))
        for words in (["a", "bc", "d", "e"], ["a", "bc", "d", "f"])
    )
    damage(one, "c/0", value=b"?")
    found = zom.diff(one, other, data=True)
    assert [(each.kind, each.inside) for each in found] == [
        ("changed", ("values", 3)),
        ("unreadable", ("values", 0)),
    ]


def test_a_damaged_chunk_of_an_array_without_dimensions_is_told():
    one, other = zom.array(5), zom.array(5)
    damage(one, "c", value=b"?")
    assert told(zom.diff(one, other, data=True)) == [("unreadable", "/", ("values",), "old", "c")]


class Failing(FaultyStore):
    """A store that can't do one thing with the keys that begin with a text."""

    def __init__(self, inner, text, verb="read"):
        super().__init__(inner)
        self._failing = verb, text

    def done(self, verb, key, act):
        done = super().done(verb, key, act)
        if verb == self._failing[0] and key.startswith(self._failing[1]):
            raise OSError(5, "input/output error")
        return done


def test_chunks_that_a_store_can_not_read_are_told():
    group = tree()
    failing = zom.open(Failing(group.store, "a/c/0/1"))
    found = zom.diff(failing, tree(CHANGED), data=True)
    assert told(found) == [DIFFERENCE, ("unreadable", "/a", ("values", 0, 4), "old", "a/c/0/1")]
    assert found.unreadable[0].reason == "input/output error"


def test_a_store_that_fails_again_and_again_is_given_up():
    group = tree(chunks=(1, 1))
    store = Failing(group.store, "a/c/")
    found = zom.diff(tree(chunks=(1, 1)), zom.open(store), data=True)
    assert len(found.unreadable) == MOST_FAILURES + 1
    assert str(found.unreadable[-1]) == (
        f"! /a: values: those of the new array can't be read: the store failed {MOST_FAILURES} times in a row; "
        "the rest was not compared"
    )
    assert len({key for _, key in store.operations if key.startswith("a/c/")}) <= MOST_FAILURES


def test_a_store_that_can_not_list_chunks_is_told():
    found = zom.diff(tree(CHANGED), zom.open(Failing(tree().store, "a/", "list")), data=True)
    assert str(found.unreadable[0]) == (
        "! /a: values: those of the new array can't be read: its chunks can't be listed: input/output error"
    )


def test_an_array_that_is_gone_by_then_is_told():
    store = tree().store
    read = Compared.stored(store)
    store.delete("a/zarr.json")
    found = differences(read, Compared.stored(tree(CHANGED).store), data=True)
    (unreadable,) = found.unreadable
    assert (unreadable.node, unreadable.side, unreadable.key) == ("/a", "old", "")
    assert "expected a node at /a, found nothing" in unreadable.reason


def test_a_codec_that_is_not_there_is_told():
    one, other = tree(), tree(CHANGED)
    for group in (one, other):
        text = group.store.get("a/zarr.json").replace(b'"zstd"', b'"acme.squeeze"')
        group.store.set("a/zarr.json", text)
    found = zom.diff(zom.open(one.store), zom.open(other.store), data=True)
    sides = [(each.kind, each.node, each.side) for each in found]
    assert sides == [("unreadable", "/a", "old"), ("unreadable", "/a", "new")]
    assert all("acme.squeeze" in each.reason for each in found)


def test_many_damaged_chunks_are_told_up_to_a_number():
    wide = zom.create_array("memory:", data=np.arange(MOST_KEPT + 20), chunks=(1,))
    for number in range(MOST_KEPT + 20):
        wide.store.set(f"c/{number}", b"?")
    found = zom.diff(wide, zom.array(np.arange(MOST_KEPT + 20), chunks=(1,)), data=True)
    assert len(found) == MOST_KEPT + 1
    assert str(found.changes[-1]) == (
        "! /: values: those of the old array can't be read: more chunks than these are damaged"
    )


def test_what_is_ignored_is_not_told():
    broken = tree()
    damage(broken, chunk(broken), value=b"?")
    assert not zom.diff(broken, tree(), "/a:/values", data=True)


@pytest.mark.parametrize("is_left", [True, False])
def test_values_that_a_declaration_states_are_compared_beside_a_damaged_chunk(is_left):
    declared = zom.declare({"zom": 1, "shape": [4], "dtype": "int8", "chunks": [2], "values": [1, 2, 3, 4]})
    array = zom.materialize(declared, "memory:")
    array[3] = 9
    key = damage(array, "c/0", value=b"?")
    found = zom.diff(*((declared, array) if is_left else (array, declared)))
    side = "new" if is_left else "old"
    assert told(found) == [
        ("changed", "/", ("values", 3), "", ""),
        ("unreadable", "/", ("values", 0), side, key),
    ]


# --- the command -----------------------------------------------------------------------------------------


def zom_diff(*arguments):
    command = [sys.executable, "-m", "zom", "diff", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def places(tmp_path):
    for name, values in [("a.zarr", VALUES), ("b.zarr", CHANGED)]:
        zom.save(tmp_path / name, a=values)
        zom.open(tmp_path / name, mode="r+").create_array("broken", data=VALUES, chunks=(4, 8))
    (tmp_path / "b.zarr/broken/c/1/0").write_bytes(b"nonsense")
    return tmp_path / "a.zarr", tmp_path / "b.zarr"


def test_the_command_goes_on_and_ends_with_3(places):
    done = zom_diff(*places, "--data")
    assert done.returncode == 3
    assert done.stdout.splitlines() == [
        "~ /a: values[7][7]: 63.0 -> -1.0",
        (
            "! /broken: values[4][0]: the new chunk 'broken/c/1/0' can't be read: zstd: expected a zstd frame "
            "(28 b5 2f fd) at byte 0, found 6e 6f 6e 73"
        ),
    ]
    assert done.stderr == (
        "some values can't be read and were not compared; run zom validate STORE --data all to find these chunks\n"
    )
    assert zom_diff(*places).returncode == 0
    assert zom_diff(*places, "--data", "--ignore", "/broken:/values").returncode == 1


def test_its_json_and_its_page_have_what_can_not_be_read(places):
    done = zom_diff(*places, "--data", "--format", "json")
    envelope = json.loads(done.stdout)
    assert (done.returncode, envelope["exit_code"]) == (3, 3)
    assert envelope["result"]["changes"][1]["key"] == "broken/c/1/0"
    page = zom_diff(*places, "--data", "--format", "html")
    assert page.returncode == 3
    assert (
        "can&#x27;t be read: chunk broken/c/1/0: zstd" in page.stdout
        or "can't be read: chunk broken/c/1/0: zstd" in page.stdout
    )
    assert "not compared" in page.stdout


def test_a_chunk_that_the_system_does_not_read_is_told(places):
    (places[0] / "a/c/0/0").unlink()
    (places[0] / "a/c/0/0").symlink_to("0")  # to itself
    done = zom_diff(*places, "--data", "--ignore", "/broken:/values")
    assert done.returncode == 3
    line = done.stdout.splitlines()[-1]
    assert (
        line
        == "! /a: values[0][0]: the old chunk 'a/c/0/0' can't be read: a symbolic link that is not followed, or that leads to itself"
    )
