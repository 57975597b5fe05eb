"""Checks that an attribute names one or several variables of the dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.conventions.cf.variable import Variable, judged_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from zom.checks.check import Breach, Check

__all__ = ["names_each", "names_one"]


def names_one(name: str) -> Check:
    """A check that the attribute `name` is the name of one variable.

    >>> names_one("bounds").needs
    'bounds'
    """

    def names_a_variable(variable: Variable, text: str) -> Iterator[Breach]:
        words = text.split()
        if len(words) != 1:
            yield variable.breach(name, "the name of one variable", repr(text))
        elif variable.is_missing(words[0]):
            yield variable.unknown(name, words[0])

    return judged_text(names_a_variable, name)


def names_each(name: str, words: Callable[[str], Iterable[str]] = str.split) -> Check:
    """A check that each of the `words` of the attribute `name` is the name of a variable.

    >>> names_each("coordinates").needs
    'coordinates'
    """

    def names_variables(variable: Variable, text: str) -> Iterator[Breach]:
        return (variable.unknown(name, word) for word in words(text) if variable.is_missing(word))

    return judged_text(names_variables, name)
