"""Locations: from faults, which know their place in a node, to problems, which know it in the document."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from zom.json.place import locate_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.problems import Fault, Level, Problem

__all__ = ["Places", "placed", "text_problems", "with_lines"]


def placed(faults: Sequence[Fault], names: list[str], level: Level) -> list[Problem]:
    """The faults of the node that `names` lead to, as problems of the whole document."""
    steps = tuple(step for name in names for step in ("members", name))
    node = "/" + "/".join(names)
    problems: list[Problem] = []
    for fault in faults:
        severity = fault.rule.severity(level)
        if severity is not None:
            problems.append(fault.problem(severity, node, before=steps))
    return problems


def text_problems(faults: Sequence[Fault], level: Level) -> list[Problem]:
    """The faults of a text, whose places are counted from its start, as problems."""
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
"""Texts longer than this are not searched for the lines of problems: it takes seconds."""


Places = dict[tuple["str | bytes", frozenset[str]], dict[str, "tuple[int, int] | None"]]
"""Where pointers lead to in texts that were searched: many documents of a store are alike."""


def with_lines(
    problems: tuple[Problem, ...], text: str | bytes, known: Places | None = None
) -> tuple[Problem, ...]:
    """The problems with the lines and columns in `text` that they stand at; `known` is used and added to.

    What a problem says of its place already, stays: it is the text that is at fault there.
    """
    if not problems or len(text) > _LOCATED_BYTES:
        return problems
    pointers = frozenset(problem.pointer for problem in problems)
    places = None if known is None else known.get((text, pointers))
    if places is None:
        places = locate_all(text, pointers)
        if known is not None:
            known[text, pointers] = places
    located: list[Problem] = []
    for problem in problems:
        place = places[problem.pointer]
        if place is None or problem.line is not None:
            located.append(problem)
        else:
            located.append(dataclasses.replace(problem, line=place[0], column=place[1]))
    return tuple(located)
