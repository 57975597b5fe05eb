"""Attributes may hold any JSON in any place: that is a finding, and never an exception."""

from __future__ import annotations

import copy
import random
from pathlib import Path

import pytest

import zom
from zom.conventions import conventions
from zom.problems import show
from zom.testing.convention_cases import load_cases

FILES = sorted((Path(__file__).parent.parent / "conformance" / "conventions").glob("*.json"))

VALUES = [
    *(
        None,
        True,
        False,
        0,
        -1,
        7,
        1 << 70,
        0.5,
        -0.0,
        1e308,
        4.0,
        10**399,
        10**5000,
        float("inf"),
        float("nan"),
    ),
    *("", " ", "a", "0", "/", "..", "../..", "a/b", "days since", "\u0000", "ü" * 300, "x:", "[*]", "."),
    *([], [[]], [None], [1, "a", {}], [{}], {}, {"": {}}, {"name": []}, {"type": 7}, {"path": None}),
]


def places(value, path=()):
    """Every place of a document at which anything stands, but for what makes it Zarr."""
    yield path
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from places(inner, (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from places(inner, (*path, index))


def mutated(document, choose):
    found = copy.deepcopy(document)
    where = [path for path in places(found) if "attributes" in path]
    for path in choose.sample(where, min(len(where), choose.randint(1, 3))):
        here = found
        try:
            for step in path[:-1]:
                here = here[step]
            if choose.random() < 0.2:
                del here[path[-1]]
            else:
                here[path[-1]] = copy.deepcopy(choose.choice(VALUES))
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took the place away
    return found


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_any_value_in_any_place_is_a_finding_and_no_exception(path):
    cases = load_cases(path)
    name = cases[0].convention
    asked = [name] if name in {each.name for each in conventions} else "auto"
    choose = random.Random(path.stem)
    for _ in range(300):
        document = mutated(choose.choice(cases).document, choose)
        for problem in zom.validate(document, conventions=asked, profile="full"):
            assert "\n" not in str(problem)


@pytest.mark.parametrize("value", VALUES, ids=show)
def test_attributes_that_are_no_object_are_no_exception(value):
    document = {"zarr_format": 3, "node_type": "group", "attributes": value, "members": {}}
    for name in conventions.names():
        assert zom.validate(document, conventions=[name], level="lenient").nodes == 1
