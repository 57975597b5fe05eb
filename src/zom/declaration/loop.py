"""Loops: members repeated for every combination of the values of `for`."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, Final

from zom.declaration.element import UnfitError
from zom.declaration.expression import filled
from zom.declaration.values import steps_of
from zom.declaration.words import FORM
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.declaration.scope import Scope
    from zom.declaration.source import At, Problems

__all__ = ["MOST_NODES", "turns"]

MOST_NODES: Final = 1 << 17
"""The most nodes of a declaration."""


def turns(given: Any, scope: Scope, at: At, problems: Problems) -> Iterator[Mapping[str, Any]]:
    """Yield the values of the names in each turn of a loop; nothing if there are problems."""
    if not is_dict(given) or not given:
        problems.add(at.problem(FORM, "a mapping of names to lists or ranges", show(given)))
        return
    axes: dict[str, list[Any]] = {}
    count = 1
    for name, listed in given.items():
        if not name.isidentifier():
            problems.add(at.child(name).problem(FORM, "a name of letters, digits and _", show(name)))
            return
        axes[name] = _values(filled(listed, scope.names, at.child(name), problems), at.child(name), problems)
        count *= len(axes[name])
    if count > MOST_NODES:
        problems.add(at.problem(FORM, f"at most {MOST_NODES} turns", str(count)))
        return
    for each in product(*axes.values()):
        yield dict(zip(axes, each, strict=True))


def _values(listed: Any, at: At, problems: Problems) -> list[Any]:
    if is_list(listed):
        for index, each in enumerate(listed):
            if isinstance(each, bool) or not isinstance(each, (str, int)):
                problems.add(at.child(index).problem(FORM, "a string or a whole number", show(each)))
                return []
        return listed
    try:
        if is_dict(listed):
            found = steps_of(listed)
            if all(isinstance(each, int) for each in found):
                return found
    except UnfitError as unfit:
        problems.add(unfit.problem(at))
        return []
    problems.add(at.problem(FORM, "a list, or a range of whole numbers with start and stop", show(listed)))
    return []
