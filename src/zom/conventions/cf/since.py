"""Since which version of CF a rule holds: a dataset that names an older one is not asked for what came later.

cf.toml says at each rule by `since` which version made it, as the revision history of CF tells by the number of an
issue, or of a ticket before 1.8: https://cfconventions.org/cf-conventions/cf-conventions.html#revhistory. Rules without
it are as old as the versions whose conformance documents zom was compared with, or no text says when they began.
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
    """The convention with rules that tell programs in other languages, too, since which version they apply."""
    rules = tuple(map(_since, convention.rules))
    return replace(convention, rules=rules)


def _since(rule: CheckedRule) -> CheckedRule:
    if rule.since is None or not rule.is_portable:
        return rule
    return replace(rule, when=(*rule.when, _names(int(rule.since.removeprefix("1.")))))


def _names(minor: int) -> Condition:
    """Where the dataset names that version of CF or a newer one."""
    older = "|".join(str(each) for each in range(minor))
    return above(is_like("Conventions", rf"(?![\s\S]*CF-1\.({older})(?![0-9]))[\s\S]*CF-[\s\S]*"))


def version_followed(node: Node) -> tuple[int, int]:
    """The version of the dataset of a node."""
    return remembered(root_of(node), version_of)
