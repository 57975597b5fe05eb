"""Gather identical members into loops."""

from __future__ import annotations

from typing import Any, Final

from zom.declaration.words import is_document
from zom.json.exact import exact_text

__all__ = ["gathered"]

_FEWEST: Final = 3
"""The number of members from which a loop is shorter."""


def gathered(members: dict[str, Any], depth: int) -> dict[str, Any]:
    """Return the members, with identical ones as one loop; nested loops have different variables.

    >>> gathered({"1": {}, "2": {}, "3": {}, "x": {"dtype": "int8"}}, 0)
    {'${number}': {'for': {'number': {'start': 1, 'stop': 3}}}, 'x': {'dtype': 'int8'}}
    """
    alike: dict[Any, list[str]] = {}
    for name, said in members.items():
        alike.setdefault(exact_text(said), []).append(name)
    made: dict[str, Any] = {}
    for names in alike.values():
        said = members[names[0]]
        if len(names) < _FEWEST or is_document(said):
            made.update({name.replace("${", "$${"): said for name in names})
            continue
        variable, listed = _listed(names)
        variable += str(depth + 1) if depth else ""
        key = f"${{{variable}}}"
        while key in made:  # another loop in the same group
            variable += "_"
            key = f"${{{variable}}}"
        made[key] = {"for": {variable: listed}, **said}
    return made


def _listed(names: list[str]) -> tuple[str, Any]:
    """Return the loop's variable and its values: a range for consecutive numbers, else a list."""
    if all(name.isascii() and name.isdecimal() and str(int(name)) == name for name in names):
        numbers = [int(name) for name in names]
        if numbers == list(range(numbers[0], numbers[0] + len(numbers))):
            return "number", {"start": numbers[0], "stop": numbers[-1]}
    return "name", names
