"""Signs: conditions by which a convention is found, as data."""

from __future__ import annotations

import pytest

import zom
from zom import v3
from zom.conventions import (
    CheckedRule,
    Convention,
    above,
    at_root,
    has,
    is_a,
    is_like,
    is_value,
    lacks,
    required,
)
from zom.errors import ExtensionError

RULE = CheckedRule("title", required("title"), must="there is a title")
SIGNED = Convention(
    "signed",
    uuid="7b2",
    signs=(
        (has("seal"), lacks("forged")),
        (is_value("by", "me", "you"), is_a("group")),
        (at_root(is_like("words", ".*SEAL-[0-9].*")),),
    ),
    rules=(RULE,),
)


@pytest.mark.parametrize(
    ("attributes", "how"),
    [
        ({"seal": 1}, "has seal and has no forged"),
        ({"by": "me"}, 'has "me" at by and is of kind group'),
        ({"words": "a SEAL-7 b"}, "the root has a matching string at words"),
        ({"zarr_conventions": [{"uuid": "7b2"}]}, "declared in zarr_conventions"),
    ],
)
def test_a_convention_is_found_where_all_conditions_of_one_sign_hold(attributes, how):
    report = zom.validate(v3.GroupSpec(attributes=attributes, members={}), conventions=[SIGNED])
    assert [problem.code for problem in report] == ["signed/title"]
    assert [found.how for found in report.conventions] == [how]


@pytest.mark.parametrize(
    "attributes", [{}, {"seal": 1, "forged": 0}, {"by": "him"}, {"words": "SEAL-x"}, {"words": ["SEAL-1"]}]
)
def test_a_convention_is_not_found_where_no_sign_holds(attributes):
    report = zom.validate(v3.GroupSpec(attributes=attributes, members={}), conventions=[SIGNED])
    assert [problem.code for problem in report] == ["convention/absent"]


def test_a_sign_at_the_root_holds_for_all_nodes():
    root = v3.GroupSpec(attributes={"words": "SEAL-1", "title": 1}, members={"a": v3.GroupSpec(members={})})
    assert [(problem.code, problem.node) for problem in zom.validate(root, conventions=[SIGNED])] == [
        ("signed/title", "/a")
    ]


def test_a_sign_above_holds_for_a_group_and_all_below_it():
    below = Convention("below", signs=((above(has("words")),),), rules=(RULE,))
    inner = v3.GroupSpec(attributes={"words": 1}, members={"b": v3.GroupSpec(members={})})
    root = v3.GroupSpec(members={"a": inner, "c": v3.GroupSpec(members={})})
    report = zom.validate(root, conventions=[below])
    assert [problem.node for problem in report] == ["/a", "/a/b"]
    assert [found.how for found in report.conventions] == ["it or a group above has words"]


def test_what_is_not_there_is_told_by_what_it_would_be_found_by():
    owner = Convention(
        "owner", owns=("wax",), signs=((has("wax.colour"), is_value("@name", "a")),), rules=(RULE,)
    )
    sealed = Convention(
        "sealed", owns=("wax",), signs=((above(is_like("words[*]", "SEAL")),),), rules=(RULE,)
    )
    for convention, key in ((owner, "wax"), (sealed, "words"), (SIGNED, "by, seal, words")):
        (problem,) = zom.validate(v3.GroupSpec(members={}), conventions=[convention])
        assert problem.expected == f"metadata of {convention.name}, such as {key}"


def test_a_convention_is_found_in_one_way():
    with pytest.raises(ExtensionError, match="'twice': expected detect= or signs=, got both"):
        Convention("twice", signs=((has("a"),),), detect=lambda _node: None)


def test_a_rule_that_looks_at_the_root_is_not_judged_alike_for_documents_that_are_alike():
    for condition in (at_root(has("words")), above(has("words"))):
        assert not CheckedRule(
            "title", required("title"), must="there is a title", when=(condition,)
        ).is_local
    assert RULE.is_local
