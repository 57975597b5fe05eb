"""Suppression: hide findings that you have reviewed, by rule and node.

`xarray/dims-*` is a pattern of rules, `xarray/dims-present@/raw/**` one of rules and nodes. In patterns of
rules `*` matches anything; in those of nodes anything within a name, and `**` any number of names.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from zom.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.problems import Problem

__all__ = ["Suppression", "parse_suppressions"]


@dataclass(frozen=True, slots=True)
class Suppression:
    """A pattern of rules, and one of nodes.

    >>> Suppression.parse("xarray/*@/raw/**").nodes
    '/raw/**'
    """

    rules: str
    nodes: str = "/**"

    @classmethod
    def parse(cls, text: str) -> Suppression:
        """Parse `text`; raises ValueError if it is not a pattern."""
        if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance] - users' lists
            raise TypeError(f"suppress: expected patterns as text, got {text!r}")
        rules, has_nodes, nodes = text.partition("@")
        if not rules or (has_nodes and not nodes.startswith("/")):
            wanted = "a pattern of rules, or of rules and nodes such as 'xarray/dims-*@/raw/**'"
            raise ValueError(f"suppress: expected {wanted}, got {text!r}")
        return cls(rules, nodes or "/**")

    def covers(self, problem: Problem) -> bool:
        """Whether the patterns match the problem's rule and node.

        >>> from zom.problems import Problem
        >>> problem = Problem("xarray/dims-length", "error", "/raw/t", "", (), "", "")
        >>> Suppression.parse("xarray/*@/raw/**").covers(problem), Suppression.parse("xarray/*@/raw").covers(problem)
        (True, False)
        """
        if not fnmatchcase(problem.code, self.rules):
            return False
        return re.fullmatch(_regex(self.nodes), problem.node) is not None


def _regex(pattern: str) -> str:
    """A pattern of nodes as a regular expression: `/a/**` matches `/a` as well."""
    parts = re.split(r"(/\*\*|\*\*|\*|\?)", pattern.rstrip("/") or "/")
    said = {"/**": "(/.*)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(said.get(part, re.escape(part)) for part in parts)


def parse_suppressions(texts: Iterable[str] | str) -> tuple[Suppression, ...]:
    """Parse each of the texts.

    >>> [each.rules for each in parse_suppressions("cf/*")]
    ['cf/*']
    """
    given = [texts] if isinstance(texts, str) else texts
    return tuple(Suppression.parse(text) for text in given)
