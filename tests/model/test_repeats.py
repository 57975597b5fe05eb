"""Trees made in Python whose nodes stand in several places, and such that contain themselves."""

from __future__ import annotations

import pytest

import zom
from zom import v2, v3
from zom.errors import SpecError
from zom.limits import Limits

GROUP = {"zarr_format": 3, "node_type": "group"}


def documents(levels, leaf=None):
    node = {**GROUP, "members": {}} if leaf is None else leaf
    for _ in range(levels):
        node = {**GROUP, "members": {f"m{index}": node for index in range(10)}}
    return node


def specs(levels):
    node = v3.GroupSpec(members={})
    for _ in range(levels):
        node = v3.GroupSpec(members={f"m{index}": node for index in range(10)})
    return node


TOO_MANY = (
    "members: expected at most 262144 repeated nodes, found {} nodes in total; make a tree of fewer nodes"
)


@pytest.mark.parametrize("leaf", [None, {**GROUP, "x": 1}, {**GROUP, "attributes": 7}, 7], ids=str)
@pytest.mark.parametrize("call", [v3.GroupSpec.check, lambda tree: zom.validate(tree).problems])
def test_ten_levels_of_ten_times_the_same_member_are_refused_at_once(call, leaf):
    (problem,) = call(documents(10, leaf))
    assert (problem.code, problem.pointer) == ("tree/repeats", "/members")
    assert str(problem) == TOO_MANY.format(11111111111)


def test_a_tree_without_a_countable_number_of_nodes_is_refused():
    node = documents(0)
    for _ in range(1000):
        node = {**GROUP, "members": {"a": node, "b": node}}
    (problem,) = zom.validate(node, conventions=()).problems
    assert problem.found == "more than can be counted"


def test_specs_that_stand_in_too_many_places_are_refused():
    with pytest.raises(SpecError, match="at most 262144 repeated nodes, found 1111111 nodes"):
        specs(6)


def test_nodes_that_stand_in_some_places_are_a_tree_like_any_other():
    tree = specs(3)
    assert tree == v3.GroupSpec.parse(documents(3)) == v3.GroupSpec.parse(tree.to_json())
    assert hash(tree) == hash(v3.GroupSpec.parse(tree.to_json()))
    assert sum(1 for _ in tree.walk()) == 1111
    assert not tree.diff(specs(3))


def test_the_limit_is_an_argument():
    assert v3.GroupSpec.check(documents(2), limits=Limits(repeated_nodes=110)) == ()
    (problem,) = v3.GroupSpec.check(documents(2), limits=Limits(repeated_nodes=100))
    assert problem.code == "tree/repeats"
    text = v3.GroupSpec.parse(documents(2)).to_json()
    assert v3.GroupSpec.check(text, limits=Limits(repeated_nodes=1)) == ()


def test_each_of_few_problems_is_told_wherever_it_stands():
    found = zom.validate(documents(2, {**GROUP, "x": 1}), conventions=()).problems
    assert len(found) == 100
    assert len({problem.node for problem in found}) == 100


@pytest.mark.slow
@pytest.mark.parametrize("names", ["a", "ab", "abcdefghij"])
@pytest.mark.parametrize("call", [v3.check, lambda tree: zom.validate(tree).problems])
def test_a_group_that_contains_itself_is_told_of_with_its_place(names, call):
    inner = {**GROUP}
    inner["members"] = dict.fromkeys(names, inner)
    (problem,) = call({**GROUP, "members": {"x": {**GROUP, "members": {"y": inner}}}})
    assert (problem.code, problem.pointer) == ("tree/cycle", "/members/x/members/y/members/a")
    assert "found a group that contains itself" in str(problem)


def test_a_deep_tree_is_no_cycle():
    node = documents(0)
    for _ in range(3000):
        node = {**GROUP, "members": {"a": node}}
    assert zom.validate(node, conventions=()).problems == ()


def test_a_tree_of_mappings_that_stand_in_several_places():
    tree = {}
    for _ in range(4):
        tree = {f"m{index}": tree for index in range(10)}
    assert sum(1 for _ in v2.GroupSpec.from_tree(tree).walk()) == 11111
    for _ in range(6):
        tree = {f"m{index}": tree for index in range(10)}
    with pytest.raises(SpecError, match="at most 262144 repeated nodes"):
        v2.GroupSpec.from_tree(tree)


def test_a_mapping_that_contains_itself_makes_no_tree():
    tree = {}
    tree["a"] = {"b": tree}
    with pytest.raises(SpecError, match="a mapping that doesn't contain itself"):
        v3.GroupSpec.from_tree(tree)


def test_from_tree_leaves_the_mappings_it_is_given():
    inner = {"x": {}}
    tree = v3.GroupSpec.from_tree({"a": inner, "a/y": {}, "b": inner})
    assert inner == {"x": {}}
    assert list(tree.members["a"].members) == ["x", "y"]
    assert list(tree.members["b"].members) == ["x"]
