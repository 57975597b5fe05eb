"""Dimensions: one implementation of their names and lengths, for conventions and for templates."""

from __future__ import annotations

from zom import v3
from zom.checks.check import Site
from zom.checks.dimensions import length_breaches, lengths_of, one_length, shared_dims
from zom.formats.node_view import spec_tree


def array(shape, *names):
    return v3.ArraySpec.build(shape=shape, dtype="int8", dimension_names=names)


def group(**members):
    return v3.GroupSpec(members=members)


def told(check, spec):
    node = spec_tree(spec)
    return [(each.node.path, each.path, each.expected) for each in check.run(Site(node, node))]


def test_a_length_that_differs_is_told_alike_by_conventions_and_templates():
    spec = group(a=array((4,), "x"), b=array((5,), "x"))
    expected = [("/b", ("shape", 0), '4 for the dimension "x", as in /a')]
    assert told(shared_dims(), spec) == told(one_length(None, ()), spec) == expected


def test_a_convention_asks_the_array_of_the_dimensions_own_name_and_a_template_the_first():
    spec = group(a=array((4,), "x"), x=array((5,), "x"))
    assert [path for path, *_ in told(shared_dims(), spec)] == ["/a"]
    assert [path for path, *_ in told(one_length(None, ()), spec)] == ["/x"]


def test_only_a_template_looks_below_groups():
    spec = group(a=array((4,), "x"), deep=group(b=array((5,), "x")))
    assert told(shared_dims(), spec) == []
    assert [path for path, *_ in told(one_length(None, ()), spec)] == ["/deep/b"]


def test_dimensions_are_named_or_left_out():
    spec = group(a=array((4, 2), "x", "y"), b=array((5, 3), "x", "y"))
    assert [path for _, path, _ in told(one_length({"y"}, ()), spec)] == [("shape", 1)]
    assert [path for _, path, _ in told(one_length(None, {"y"}), spec)] == [("shape", 0)]


def test_of_a_length_that_is_not_known_the_first_array_tells():
    root = spec_tree(group(a=array((4,), "x"), b=array((4,), "x"), c=array((5,), "x")))
    arrays = [(node, node.dims or (), node.shape or ()) for node in root.arrays.values()]
    assert [each.node.name for each in length_breaches(arrays, {})] == ["c"]
    assert lengths_of(root) == {"x": (4, root.arrays["a"])}
