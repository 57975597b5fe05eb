"""Locations: convert faults, located in a node, to problems, located in the document."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.problems import Fault, Level, Problem

__all__ = ["Places", "placed", "text_problems", "with_lines"]


def placed(faults: Sequence[Fault], names: list[str], level: Level) -> list[Problem]:
    """Convert faults of the node that `names` lead to into problems of the whole document."""
    steps = tuple(step for name in names for step in ("members", name))
    node = "/" + "/".join(names)
    problems: list[Problem] = []
    for fault in faults:
        severity = fault.rule.severity(level)
        if severity is not None:
            problems.append(fault.problem(severity, node, before=steps))
    return problems


def text_problems(faults: Sequence[Fault], level: Level) -> list[Problem]:
    """Convert faults of a text, located from its root, into problems."""
    problems: list[Problem] = []
    for fault in faults:
        names: list[str] = []
        path = fault.path
        while len(path) > 1 and path[0] == "members":
            names.append(str(path[1]))
            path = path[2:]
        problems.extend(placed([fault._replace(path=path)], names, level))
    return problems


_LOCATED_BYTES = 1 << 24
"""Longer texts are not searched by default, because it takes seconds."""


Places = dict[tuple["str | bytes", frozenset[str]], dict[str, "tuple[int, int] | None"]]
"""Locations of pointers in searched texts, for reuse: many documents of a store are equal."""


def with_lines(
    problems: tuple[Problem, ...],
    text: str | bytes,
    known: Places | None = None,
    *,
    most: int = _LOCATED_BYTES,
) -> tuple[Problem, ...]:
    """Add lines and columns in `text` to problems; `known` caches searches.

    Problems that already have a line, from the scanner, keep it. Texts of more than `most` bytes are not
    searched.
    """
    pointers = frozenset(problem.pointer for problem in problems if problem.line is None)
    if not pointers or len(text) > most:
        return problems
    places = None if known is None else known.get((text, pointers))
    if places is None:
        from zom.json.place import locate_all  # noqa: PLC0415 - most documents have no problems

        places = locate_all(text, pointers)
        if known is not None:
            known[text, pointers] = places
    located: list[Problem] = []
    for problem in problems:
        place = None if problem.line is not None else places[problem.pointer]
        located.append(
            dataclasses.replace(problem, line=place[0], column=place[1]) if place is not None else problem
        )
    return tuple(located)
