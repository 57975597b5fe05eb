"""How deep rules lie: a rule that rests on another one ranks behind it, whosoever that is."""

from __future__ import annotations

import pytest

import zom
from zom.conventions import CheckedRule, Convention, required
from zom.conventions.framework.rule_depth import depth, depths_of
from zom.errors import ExtensionError
from zom.formats.node_view import attributes_node


def convention(name, **after):
    return Convention(
        name,
        everywhere=True,
        rules=[CheckedRule(rule, required(rule), must=rule, after=causes) for rule, causes in after.items()],
    )


def test_a_rule_lies_behind_those_of_other_conventions_and_behind_what_these_rest_on():
    one = convention("one", a=("b",), b=("two/c",))
    two = convention("two", c=("d*",), d=())
    found = depths_of((one, two))
    assert {f"{each.id}/{rule}": deep for (each, rule), deep in found.items()} == {
        "two/d": 0,
        "two/c": 1,
        "one/b": 2,
        "one/a": 3,
    }
    # Alone, there is nothing of the other to rest on.
    assert [depth(one, rule) for rule in one.rules] == [1, 0]


def test_of_findings_that_rest_on_each_other_across_conventions_the_first_speaks():
    one, two = convention("one", a=("two/b",)), convention("two", b=("c",), c=())
    node = attributes_node({"x": 1})
    report = zom.validate({"zarr_format": 3, "node_type": "group", **node.document}, conventions=[one, two])
    assert [each.code for each in report] == ["two/c"]
    assert {each.code for each in report.resting} == {"one/a", "two/b"}


def test_rules_of_two_conventions_that_rest_on_each_other_are_ranked_without_that():
    one, two = convention("one", a=("two/b",)), convention("two", b=("one/a",))
    assert {*depths_of((one, two)).values()} == {0}


def test_rules_of_one_convention_never_rest_on_each_other():
    wrong = convention("one", a=("b",), b=("a",))
    with pytest.raises(ExtensionError, match="convention 'one': rules rest on each other: a, b"):
        depths_of((wrong,))
