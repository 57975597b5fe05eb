"""The versions of CF that a rule applies to: a dataset is not checked by later or withdrawn rules.

In cf.toml, `since` names the version that introduced a rule, and `until` the one that withdrew it, according
to the revision history of CF by number of an issue, or of a ticket before 1.8:
https://cfconventions.org/cf-conventions/cf-conventions.html#revhistory. Rules without `since` are as old as
the versions whose conformance documents zom was compared with, or no text says when they began.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from zom.checks.checked_rule import above, is_like
from zom.conventions.cf.dataset import root_of, version_of
from zom.formats.node_view import remembered

if TYPE_CHECKING:
    from zom.checks.checked_rule import CheckedRule, Condition
    from zom.conventions.framework.convention import Convention
    from zom.formats.node_view import Node

__all__ = ["version_followed", "with_versions"]


def with_versions(convention: Convention) -> Convention:
    """The convention with conditions on versions that programs in other languages can read, too."""
    rules = tuple(map(_dated, convention.rules))
    return replace(convention, rules=rules)


def _dated(rule: CheckedRule) -> CheckedRule:
    if not rule.is_portable:
        return rule
    since = () if rule.since is None else (_names_newer(rule.since),)
    until = () if rule.until is None else (_names_older(rule.until),)
    return replace(rule, when=(*rule.when, *since, *until))


def _names_newer(version: str) -> Condition:
    """The condition that the dataset names that version of CF or a newer one."""
    return above(is_like("Conventions", rf"(?![\s\S]*{_before(version)})[\s\S]*CF-[\s\S]*"))


def _names_older(version: str) -> Condition:
    """The condition that the dataset names a version of CF before that one."""
    return above(is_like("Conventions", rf"[\s\S]*{_before(version)}[\s\S]*"))


def _before(version: str) -> str:
    older = "|".join(str(each) for each in range(int(version.removeprefix("1."))))
    return rf"CF-1\.({older})(?![0-9])"


def version_followed(node: Node) -> tuple[int, int]:
    """The version of the node's dataset."""
    return remembered(root_of(node), version_of)
