"""Conditions in words: why a convention was found at a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.checks.equality import equal
from zom.checks.selector import readable
from zom.problems import show

if TYPE_CHECKING:
    from zom.checks.check import Site
    from zom.checks.checked_rule import Condition

__all__ = ["in_words"]


def in_words(condition: Condition, site: Site | None = None) -> str:
    """The condition in words that follow the name of a node; with `site`, only values that exist there.

    >>> in_words({"has": "ome"})
    'has ome'
    """
    if "root" in condition:
        return f"the root {in_words(condition['root'])}"
    if "above" in condition:
        return f"it or a group above {in_words(condition['above'])}"
    if "has" in condition:
        return f"has {readable(condition['has'])}"
    if "lacks" in condition:
        return f"has no {readable(condition['lacks'])}"
    if "kind" in condition:
        return f"is of kind {condition['kind']}"
    known = condition.get("values", ())
    if site is not None:
        there = [found.value for found in site.values(condition["at"])]
        known = [each for each in known if any(equal(each, value) for value in there)]
    shown = " or ".join(map(show, known)) or "a matching string"
    return f"has {shown} at {readable(condition['at'])}"
