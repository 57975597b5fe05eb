"""Members: one implementation for what a template says of them and for the check `member` of conventions."""

from __future__ import annotations

import re

from zom import v3
from zom.checks.check import NOT_READ, Site
from zom.checks.members import Membership, NamePattern, no_other_members, required_members
from zom.checks.tree import member
from zom.formats.node_view import spec_tree
from zom.template import GroupTemplate


def group(**members):
    return v3.GroupSpec(members=members)


def site(spec):
    node = spec_tree(spec)
    return Site(node, node)


def test_a_missing_member_is_told_alike_by_a_convention_and_by_a_template():
    spec = group(tmie=group())
    (of_convention,) = member("time").run(site(spec))
    (of_template,) = GroupTemplate(members={"time": GroupTemplate()}).check(spec)
    assert of_convention.found == of_template.found == "nothing of that name"
    assert of_convention.fix == of_template.fix == "did you mean 'tmie'?"


def test_where_members_are_not_known_no_check_of_them_applies():
    unknown = site(v3.GroupSpec())
    membership = Membership(("a",), required=("a",), is_open=False)
    for check in (member("a"), required_members(membership), no_other_members(membership)):
        assert check.run(unknown) is NOT_READ


def test_a_member_is_claimed_by_its_name_then_by_the_first_pattern():
    membership = Membership(
        ("1",), patterns=(NamePattern(re.compile("[0-9]")), NamePattern(re.compile("[0-9]+")))
    )
    found = membership.sorted(spec_tree(group(**{"1": group(), "2": group(), "23": group(), "x": group()})))
    assert [list(claimed) for claimed in found.claimed] == [["2"], ["23"]]
    assert found.strangers == ("x",)


def test_each_group_has_members_of_its_own():
    membership = Membership(patterns=(NamePattern(re.compile("a.*")),))
    first, second = spec_tree(group(a1=group())), spec_tree(group(a2=group()))
    for node, names in ((first, ["a1"]), (second, ["a2"]), (first, ["a1"])):
        assert list(membership.sorted(node).claimed[0]) == names
