"""`zom.diff` compares specs and stores."""

from __future__ import annotations

import pytest

import zom
from zom import v3

ONE = v3.GroupSpec(attributes={"a": 1}, members={})
TWO = v3.GroupSpec(attributes={"a": 2}, members={})


@pytest.fixture
def places(tmp_path):
    zom.create_group(tmp_path / "one", ONE)
    zom.create_group(tmp_path / "two", TWO)
    return tmp_path


@pytest.mark.parametrize("left", ["spec", "path", "store", "handle"])
@pytest.mark.parametrize("right", ["spec", "path", "store", "handle"])
def test_either_side_may_be_a_spec_or_lie_in_a_store(places, left, right):
    def side(kind, name, spec):
        if kind == "spec":
            return spec
        place = places / name
        return {"path": lambda: place, "store": lambda: zom.store(place), "handle": lambda: zom.open(place)}[
            kind
        ]()

    found = zom.diff(side(left, "one", ONE), side(right, "two", TWO))
    assert [str(change) for change in found] == ["~ /: attributes.a: 1 -> 2"]


def test_a_handle_stands_for_what_lies_below_it(places):
    group = zom.open_group(places / "one", mode="r+")
    below = group.create("below", v3.GroupSpec(attributes={"a": 2}))
    assert not zom.diff(below, TWO)


def test_a_place_without_a_hierarchy_is_not_found(tmp_path):
    with pytest.raises(zom.NotFound):
        zom.diff(ONE, zom.store(tmp_path))
