"""Findings that are the same in every language: nothing depends on the order of members, or on how numbers are written."""

from __future__ import annotations

import pytest

from zom.checks.check import Site
from zom.conventions import shared_dims, unique
from zom.formats.node_view import attributes_node, document_tree

GROUP = {"zarr_format": 3, "node_type": "group"}


def array(length):
    return {"zarr_format": 3, "node_type": "array", "shape": [length], "dimension_names": ["x"]}


def places(check, root):
    return [(breach.node.path, breach.path) for breach in check.run(Site(root, root))]


@pytest.mark.parametrize("names", ["ab", "ba"])
def test_a_dimension_is_as_long_as_in_the_array_whose_name_comes_first(names):
    members = {name: array({"a": 1, "b": 2}[name]) for name in names}
    root = document_tree({**GROUP, "members": members})
    assert places(shared_dims(), root) == [("/b", ("shape", 0))]


@pytest.mark.parametrize("names", ["ax", "xa"])
def test_a_dimension_is_as_long_as_in_the_array_of_its_own_name(names):
    root = document_tree({**GROUP, "members": {name: array({"a": 1, "x": 2}[name]) for name in names}})
    assert places(shared_dims(), root) == [("/a", ("shape", 0))]


@pytest.mark.parametrize(
    ("values", "same"),
    [
        ([1, 1.0], True),
        ([{"a": 1, "b": 2}, {"b": 2.0, "a": 1}], True),
        ([1, True], False),
        ([1, "1"], False),
        ([[1], "[1]"], False),
        ([None, "null"], False),
        (["a", "A"], False),
    ],
)
def test_values_are_the_same_as_json_schema_counts_them(values, same):
    root = attributes_node({"list": values})
    assert bool(places(unique("list[*]"), root)) is same
