"""Report a value's problem once: keep the problem that explains the others at one place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.json.value import NOT_FINITE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.problems import Problem

__all__ = ["said_once"]

_NOT_HELD = frozenset(
    {"json/not-json", "json/depth", "json/repeats", "json/number-range", "json/integer-digits"}
)
"""The rules whose breach replaces a value that can't be represented with null."""


def said_once(problems: Iterable[Problem]) -> list[Problem]:
    """Return `problems` of one document without those of nulls that replace other values.

    NaN, and a too large number that is only a warning (held as an infinity), are reported once, and only if
    the value has no other error: that error says more than "JSON has no such number".

    >>> from zom.problems import Problem
    >>> nan, other = (Problem(code, "error", "/", "/fill_value", ("fill_value",), "another", "NaN")
    ...               for code in ("json/not-finite", "fill-value/range"))
    >>> [problem.code for problem in said_once([nan, other, nan])], len(said_once([nan, nan]))
    (['fill-value/range'], 1)
    """
    given = list(problems)
    nulls = {each.pointer for each in given if _is_null(each)}
    if not nulls and not any(map(_is_strange_number, given)):
        return given
    # Faults of the text, such as a duplicate key, are separate.
    told = {each.pointer for each in given if each.severity == "error" and not each.code.startswith("json/")}
    told |= nulls
    kept: list[Problem] = []
    for each in given:
        if _is_strange_number(each):
            if each.pointer not in told:
                told.add(each.pointer)
                kept.append(each)
        elif each.pointer not in nulls or _is_null(each):
            kept.append(each)
    return kept


def _is_null(problem: Problem) -> bool:
    return problem.code in _NOT_HELD and problem.severity == "error"


def _is_strange_number(problem: Problem) -> bool:
    return problem.code == NOT_FINITE.code or (problem.code in _NOT_HELD and problem.severity != "error")
