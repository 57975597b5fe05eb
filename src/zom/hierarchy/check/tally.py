"""Tallies: problems collected by several threads, with a limit per kind; the rest is counted."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from zom.count import count_of
from zom.hierarchy.check.chunk_rules import MORE
from zom.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.problems import Level, Rule

__all__ = ["Tally"]


class Tally:
    """The problems of a check: at most `most` per rule and node, and the number of further ones.

    >>> from zom.hierarchy.check.chunk_rules import FOREIGN
    >>> tally = Tally(most=1)
    >>> for key in ("a/x", "a/y", "a/z"):
    ...     tally.add(FOREIGN, "/a", "a chunk", repr(key), key=key)
    >>> for problem in tally.problems():
    ...     print(problem)
    /a: expected a chunk, found 'a/x'
    /a: expected at most 1 problem of chunk/foreign-key, found 2 more; pass a larger limit= to see more
    """

    def __init__(self, most: int | None = 1000, level: Level = "strict") -> None:
        if most is not None and most < 1:
            raise ValueError(f"limit: expected None or a number from 1 on, got {most!r}")
        self.most = most
        self._level: Level = level
        self._found: dict[tuple[str, str], list[Problem]] = {}
        self._more: dict[tuple[str, str], int] = {}
        self._lock = threading.Lock()

    def add(  # noqa: PLR0913 - a problem has that many facts
        self,
        broken: Rule,
        node: str,
        expected: str,
        found: str,
        fix: str | None = None,
        *,
        key: str | None = None,
        related: Iterable[str] = (),
    ) -> None:
        """Add a problem of the node at the path `node`."""
        severity = broken.severity(self._level)
        if severity is None:
            return
        self.put(
            Problem(broken.code, severity, node, "", (), expected, found, fix, key, related=tuple(related))
        )

    def put(self, problem: Problem) -> None:
        """Add an existing problem."""
        place = (problem.node, problem.code)
        with self._lock:
            listed = self._found.setdefault(place, [])
            if self.most is None or len(listed) < self.most:
                listed.append(problem)
            else:
                self._more[place] = self._more.get(place, 0) + 1

    def skip(self, broken: Rule, node: str, count: int) -> None:
        """Count problems beyond the limit, which were not kept."""
        with self._lock:
            place = (node, broken.code)
            if count and place in self._found:
                self._more[place] = self._more.get(place, 0) + count

    def problems(self) -> tuple[Problem, ...]:
        """All problems, by node and rule in the order in which each was first found, and by key."""
        made: list[Problem] = []
        for (node, code), listed in self._found.items():
            made.extend(sorted(listed, key=_key_of))
            more = self._more.get((node, code))
            if more is not None:
                made.append(self._rest(node, code, more, listed[0]))
        return tuple(made)

    def _rest(self, node: str, code: str, more: int, sample: Problem) -> Problem:
        listed = count_of(self.most or 0, "problem")
        expected, fix = f"at most {listed} of {code}", "pass a larger limit= to see more"
        rest = Problem(MORE.code, "note", node, "", (), expected, f"{more} more", fix)
        # Its severity is that of the problems it stands for.
        return replace(rest, severity=sample.severity)


def _key_of(problem: Problem) -> str:
    return problem.key or ""
