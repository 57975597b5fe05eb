"""Public functions that are given something else than they take: they say what they expect, and write nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zom
from zom import v3

ARRAY = v3.ArraySpec.build(shape=(8, 8), dtype="float32")
GIVEN: dict[str, Any] = {
    "numpy's array": np.zeros((3, 3)),
    "a document": {"zarr_format": 3, "node_type": "group"},
    "a list": [ARRAY],
    "a number": 3,
    "None": None,
    "a class": v3.GroupSpec,
    "text": "no/such/place",
    "bytes": b"x",
    "a path": Path("no/such/place"),
    "a function": len,
    "a handle": zom.create_group("memory:"),
}
SPECS: dict[str, Any] = {
    "materialize": lambda x: zom.materialize(x, "made.zarr"),
    "plan": lambda x: zom.plan(x, "memory:"),
    "convert": lambda x: zom.convert(x, "v2"),
    "infer": zom.template.Template.infer,
    "create": lambda x: zom.create_group("memory:").create("a", x),
    "create_group": lambda x: zom.create_group("memory:", x),
}
OTHERS: dict[str, Any] = {
    "diff": lambda x: zom.diff(x, ARRAY),
    "diff with": lambda x: zom.diff(ARRAY, x),
    "spec.diff": ARRAY.diff,
    "like": lambda x: zom.like(x, ARRAY),
    "copy": lambda x: zom.copy(x, "memory:"),
    "migrate": lambda x: zom.migrate(x, target="memory:"),
    "open": zom.open,
    "read": zom.read,
    "store": zom.store,
    "consolidate": zom.consolidate,
    "delete": lambda x: zom.delete(x, "a"),
    "repair": zom.repair,
    "declaration_of": zom.declaration_of,
    "unflatten": zom.unflatten,
    "from_tree": v3.GroupSpec.from_tree,
    "ignore": lambda x: ARRAY.diff(ARRAY, ignore=x),
    "members": lambda x: v3.GroupSpec(members={"a": x}),
    "compress": lambda x: v3.ArraySpec.build(shape=3, dtype="int8", compress=x),
}


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("call", SPECS)
def test_what_takes_a_spec_says_so(tmp_path, monkeypatch, call, given):
    monkeypatch.chdir(tmp_path)
    if call == "create_group" and given == "None":
        return
    with pytest.raises(TypeError) as raised:
        SPECS[call](GIVEN[given])
    assert str(raised.value).startswith("expected a spec")
    assert "; " in str(raised.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("call", OTHERS)
def test_nothing_fails_in_its_own_code(tmp_path, monkeypatch, call, given):
    monkeypatch.chdir(tmp_path)
    try:
        OTHERS[call](GIVEN[given])
    except (zom.ZomError, TypeError, ValueError) as error:
        words = ("expected", "cannot open", "found nothing", "pass a path", "needs", "pip install")
        assert any(each in str(error) for each in words), str(error)  # noqa: PT017 - whatever it raises


MESSAGES = [
    ({"zarr_format": 3}, "got a dict; zom.parse makes a spec from a document"),
    ("a.zarr", "got a str; zom.read makes a spec from a store, zom.parse from the text of a document"),
    (v3.GroupSpec, "got the class GroupSpec; call it"),
    (np.zeros(3), "got a ndarray; ArraySpec.from_array and GroupSpec.from_tree make specs from arrays"),
    (zom.create_group("memory:"), "got a Group; pass its spec, or the result of its read()"),
    (3, "got an int; ArraySpec.from_array and GroupSpec.from_tree make specs from arrays"),
]


@pytest.mark.parametrize(("given", "words"), MESSAGES)
def test_what_makes_a_spec_of_it_is_said(given, words):
    with pytest.raises(TypeError) as raised:
        zom.convert(given, "v2")
    assert str(raised.value) == f"expected a spec, {words}"
