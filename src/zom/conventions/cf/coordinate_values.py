"""The rules of CF on the values of coordinate variables: they are there, and strictly rise or fall.

https://cfconventions.org/cf-conventions/cf-conventions.html#terminology, "coordinate variable".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from zom.checks.check import VALUES_UNREAD, Breach, Site, Skip, of_values
from zom.checks.checked_rule import CheckedRule
from zom.conventions.cf.variable import Variable, section

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["RULES"]


def _values_of(site: Site) -> Any | Skip:
    """The values of a coordinate variable, of numbers."""
    if not Variable(site.node).is_coordinate:
        return Skip("not a coordinate variable")
    values = site.node.values
    if values is None:
        return VALUES_UNREAD
    return values if values.ndim == 1 and values.dtype.kind in "iufM" else Skip("its values are no numbers")


def _none_missing(site: Site) -> Iterator[Breach] | Skip:
    values = _values_of(site)
    return values if isinstance(values, Skip) else _missing(site, values)


def _missing(site: Site, values: Any) -> Iterator[Breach]:
    places = np.flatnonzero(np.asarray(values != values))  # noqa: PLR0124 - true of what is no number only
    if places.size:
        where = f"{places.size}, the first at index {places[0]}"
        yield site.breach((), "no missing values", where, node=site.node)


def _monotonic(site: Site) -> Iterator[Breach] | Skip:
    values = _values_of(site)
    if isinstance(values, Skip):
        return values
    return _turning(site, values) if len(values) > 1 else Skip("it has fewer than two values")


def _turning(site: Site, values: Any) -> Iterator[Breach]:
    before, after = values[:-1], values[1:]
    rises = bool(after[0] > before[0])
    places = np.flatnonzero(~np.asarray(after > before if rises else after < before))
    if places.size:
        place = int(places[0])
        expected = f"values that all {'rise' if rises else 'fall'}"
        found = f"{before[place]!s} and then {after[place]!s} at index {place + 1}"
        yield site.breach((), expected, found, node=site.node)


RULES: Final[tuple[CheckedRule, ...]] = (
    CheckedRule(
        "coordinate-values-missing",
        of_values(_none_missing),
        must="a coordinate variable has no missing values",
        fix="give each place along the dimension its coordinate, or make the variable an auxiliary one",
        link=section("terminology"),
        on="array",
    ),
    CheckedRule(
        "coordinate-values-monotonic",
        of_values(_monotonic),
        must="the values of a coordinate variable strictly rise or strictly fall",
        fix="sort the data along the dimension, or make the variable an auxiliary coordinate",
        link=section("terminology"),
        on="array",
    ),
)
