"""What is said once: of what is wrong at one place of a document, the problem that tells why."""

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
"""The rules at whose breach null stands in a document, in place of a value that can't be held."""


def said_once(problems: Iterable[Problem]) -> list[Problem]:
    """`problems` of one document without what is wrong with the nulls that stand in place of other values.

    NaN, and where it is a warning a number too large, which is held as an infinity, are told of once, and not where the
    value is in error: what may be no such number says more than that JSON has none.

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
    # What is wrong with the text, such as a key that stands there twice, is another fault.
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
