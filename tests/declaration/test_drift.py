"""Drift: what a store no longer has of what is declared, documents and stated values."""

from __future__ import annotations

import json

import numpy as np
import pytest

import zom
from zom.cli.main import main

DECLARED = {
    "zom": 1,
    "sizes": {"x": 3, "y": 2},
    "members": {
        "x": {"dims": ["x"], "dtype": "float64", "values": [1.5, -0.0, 3.5]},
        "name": {"dims": ["x"], "dtype": "string", "values": ["a", "b", "c"]},
        "inner/flag": {"dims": ["y", "x"], "dtype": "bool", "values": True},
        "z": {"dims": ["x"], "dtype": "int8"},
    },
}


@pytest.fixture
def declared():
    return zom.declare(DECLARED)


def changed(left, right, **options):
    return list(map(str, zom.diff(left, right, **options)))


def test_what_was_applied_has_no_drift(declared):
    root = zom.materialize(declared, "memory:")
    root["z"][:] = 7  # nothing is stated of it
    assert not zom.diff(declared, root)
    assert not zom.diff(root, declared)


def test_other_values_are_a_difference_from_either_side(declared):
    root = zom.materialize(declared, "memory:")
    root["x"][1] = 0.0
    root["name"][:2] = np.array(["A", "B"], "T")
    root["inner/flag"][1, 2] = False
    assert changed(declared, root) == [
        "~ /x: values[1]: -0.0 -> 0.0",
        '~ /name: values[0]: "a" -> "A", the first of 2 elements',
        "~ /inner/flag: values[1][2]: true -> false",
    ]
    assert changed(root, declared)[2] == "~ /inner/flag: values[1][2]: false -> true"
    (change,) = zom.diff(root, declared, ignore=["/x:/values", "/inner/**:/values"])
    assert change.to_dict() == {
        "kind": "changed",
        "node": "/name",
        "pointer": "/members/name/values/0",
        "old": "A",
        "new": "a",
        "elements": 2,
    }


def test_a_part_of_a_store_is_compared_with_what_is_declared(declared, tmp_path):
    zom.materialize(declared, tmp_path / "a.zarr", "below/here")
    part = zom.open(tmp_path / "a.zarr", "below/here", mode="r+")
    assert not zom.diff(declared, part)
    part["x"][0] = 9
    assert changed(declared, part) == ["~ /x: values[0]: 1.5 -> 9.0"]


def test_arrays_of_another_shape_or_type_differ_by_their_documents_alone(declared):
    root = zom.materialize(declared, "memory:")
    longer = json.loads(json.dumps(DECLARED).replace('"x": 3', '"x": 4'))
    del longer["members"]["name"]
    longer["members"]["x"]["values"] = {"start": 0, "step": 1}
    found = changed(root, zom.declare(longer))
    assert not [each for each in found if "values" in each]
    assert "~ /x: shape[0]: 3 -> 4" in found


def test_what_two_declarations_state_is_compared(declared):
    other = json.loads(json.dumps(DECLARED))
    other["members"]["x"]["values"] = [1.5, -0.0, 4]
    del other["members"]["name"]["values"]
    assert changed(declared, zom.declare(other)) == [
        "~ /x: values[2]: 3.5 -> 4.0",
        '- /name: values: ["a", "b", "c"]',
    ]
    assert changed(zom.declare(other), declared)[1] == '+ /name: values: ["a", "b", "c"]'
    assert not zom.diff(declared, zom.declare(other).spec)


def test_values_that_codecs_round_are_no_drift():
    rounding = {"name": "numcodecs.bitround", "configuration": {"keepbits": 3}}
    node = {"shape": [3], "dtype": "float32", "filters": [rounding], "values": [1.123, 2.6, 3.1]}
    declared = zom.declare({"zom": 1, "members": {"a": node}})
    root = zom.materialize(declared, "memory:")
    assert not zom.diff(declared, root)
    root["a"][1] = 7
    assert len(zom.diff(declared, root)) == 1


def test_nan_is_equal_to_itself():
    declared = zom.declare({"zom": 1, "shape": [2], "dtype": "float32", "values": ["NaN", 1]})
    array = zom.materialize(declared, "memory:")
    assert not zom.diff(declared, array)
    array[1] = np.nan
    assert changed(array, declared) == ['~ /: values[1]: "NaN" -> 1.0']


def test_damaged_values_are_no_silent_agreement(declared, tmp_path, capsys):
    store, file = tmp_path / "a.zarr", tmp_path / "a.json"
    zom.materialize(declared, store)
    (store / "x" / "c" / "0").write_bytes(b"damaged")
    (change,) = zom.diff(declared, store).unreadable
    assert (change.node, change.side, change.key) == ("/x", "new", "x/c/0")
    file.write_text(json.dumps(DECLARED))
    assert main(["diff", str(file), str(store)]) == 3
    assert "! /x: values[0]: the new chunk 'x/c/0' can't be read" in capsys.readouterr().out


def test_the_command_exits_with_one_for_other_values(declared, tmp_path, capsys):
    store, file = tmp_path / "a.zarr", tmp_path / "a.json"
    file.write_text(json.dumps(DECLARED))
    zom.materialize(declared, store)
    assert main(["diff", str(file), str(store)]) == 0
    zom.open(store, mode="r+")["x"][2] = 1
    capsys.readouterr()
    assert main(["diff", str(file), str(store)]) == 1
    assert capsys.readouterr().out == "~ /x: values[2]: 3.5 -> 1.0\n"
    assert main(["diff", f"{store}", str(file), "--format", "json"]) == 1
    (change,) = json.loads(capsys.readouterr().out)["result"]["changes"]
    assert (change["old"], change["new"], change["elements"]) == (1.0, 3.5, 1)
    assert main(["diff", str(file), str(store), "--ignore", "/values"]) == 0
