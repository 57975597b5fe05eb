"""Signs: conditions by which a convention is found, as data."""

from __future__ import annotations

import pytest

import zom
from zom import v3
from zom.conventions import Convention, Rule, has, is_a, is_value, lacks, required
from zom.errors import ExtensionError

RULE = Rule("title", required("title"), must="there is a title")
SIGNED = Convention(
    "signed",
    signs=(
        (has("seal"), lacks("forged")),
        (is_value("by", "me", "you"), is_a("group")),
    ),
    rules=(RULE,),
)


@pytest.mark.parametrize(
    ("attributes", "how"),
    [
        ({"seal": 1}, "has seal and has no forged"),
        ({"by": "me"}, 'has "me" or "you" at by and is of kind group'),
    ],
)
def test_a_convention_is_found_where_all_conditions_of_one_sign_hold(attributes, how):
    report = zom.validate(v3.GroupSpec(attributes=attributes, members={}), [SIGNED])
    assert [problem.code for problem in report] == ["signed/title"]
    assert [found.how for found in report.conventions] == [how]


@pytest.mark.parametrize("attributes", [{}, {"seal": 1, "forged": 0}, {"by": "him"}])
def test_a_convention_is_not_found_where_no_sign_holds(attributes):
    report = zom.validate(v3.GroupSpec(attributes=attributes, members={}), [SIGNED])
    assert [problem.code for problem in report] == ["convention/absent"]


def test_a_convention_is_found_in_one_way():
    with pytest.raises(ExtensionError, match="'twice': expected detect= or signs=, got both"):
        Convention("twice", signs=((has("a"),),), detect=lambda _node: None)
