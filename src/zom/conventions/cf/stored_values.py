"""The rules of CF on stored values beside coordinates: flags, bounds, and the indexes of a compression by gathering.

They are read block by block, however large the arrays are.
"""

from __future__ import annotations

from itertools import chain
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from zom.checks.blocks import in_step
from zom.checks.check import VALUES_UNREAD, Breach, Site, Skip, of_values
from zom.checks.checked_rule import CheckedRule, has
from zom.conventions.cf.missing import is_number
from zom.conventions.cf.variable import INTEGERS, Variable, listed, section

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.formats.node_view import Node

__all__ = ["RULES"]


def _flags_are_listed(site: Site) -> Iterator[Breach] | Skip:
    attributes = site.node.attributes
    if "flag_masks" in attributes:
        return Skip("flags of bits")
    flags = listed(attributes.get("flag_values"))
    missing = [
        each
        for name in ("_FillValue", "missing_value")
        if name in attributes
        for each in listed(attributes[name])
    ]
    if not flags or not all(map(is_number, (*flags, *missing))) or site.node.dtype not in INTEGERS:
        return Skip("no integers of flags")
    return _beside(site, [*flags, *missing, site.node.document.get("fill_value")])


def _beside(site: Site, known: list[Any]) -> Iterator[Breach] | Skip:
    blocks = site.node.blocks()
    return (
        VALUES_UNREAD
        if blocks is None
        else _unlisted(site, blocks, [each for each in known if is_number(each)])
    )


def _unlisted(
    site: Site, blocks: Iterator[tuple[tuple[int, ...], Any]], known: list[Any]
) -> Iterator[Breach]:
    for start, values in blocks:
        wrong = ~np.isin(values, known)
        if wrong.any():
            place = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
            index = ", ".join(str(first + int(step)) for first, step in zip(start, place, strict=True))
            shown = ", ".join(map(str, known[:6])) + (", ..." if len(known) > 6 else "")
            found = f"{values[place]!s} at index {index or '()'}"
            yield site.breach((), f"one of the flag_values or missing: {shown}", found, node=site.node)
            return


def _indexes_are_within(site: Site) -> Iterator[Breach] | Skip:
    variable = Variable(site.node)
    names = (variable.text("compress") or "").split()
    sizes = _sizes(site.node)
    lengths = [sizes.get(name.rpartition("/")[2]) for name in names]
    if not names or site.node.ndim != 1 or variable.dtype not in INTEGERS or None in lengths:
        return Skip("no list of indexes into known dimensions")
    blocks = site.node.blocks()
    end = prod(length for length in lengths if length is not None)
    return VALUES_UNREAD if blocks is None else _outside(site, blocks, end)


def _sizes(node: Node) -> dict[str, int]:
    """The lengths of the dimensions around a variable, the nearest of each name."""
    found: dict[str, int] = {}
    for group in node.ancestors():
        for each in group.arrays.values():
            for name, length in zip(each.dims or (), each.shape or (), strict=False):
                if name is not None:
                    found.setdefault(name, length)
    return found


def _outside(site: Site, blocks: Iterator[tuple[tuple[int, ...], Any]], end: int) -> Iterator[Breach]:
    for (start,), values in blocks:
        places = np.flatnonzero((values < 0) | (values >= end))
        if places.size:
            found = f"{values[places[0]]!s} at index {start + int(places[0])}"
            yield site.breach((), f"indexes from 0 to {end - 1}", found, node=site.node)
            return


def _points_are_in_their_bounds(site: Site) -> Iterator[Breach] | Skip:
    variable = Variable(site.node)
    node = variable.variable((variable.text("bounds") or "").strip())
    if site.node.ndim != 1 or node is None or node.shape != (*(variable.node.shape or ()), 2):
        return Skip("no bounds of two values for each point")
    points, bounds = site.node.blocks(), node.blocks()
    if points is None or bounds is None:
        return VALUES_UNREAD
    first = next(points, None), next(bounds, None)
    if any(each is None or each[1].dtype.kind not in "iuf" for each in first):
        return Skip("no numbers, or none at all")
    if first[1] is not None and first[1][1].shape[1] != 2:
        return Skip("bounds whose chunks part lower from upper ones")
    both = chain((first[0],), points), chain((first[1],), bounds)
    return _off(site, node, both)


def _off(site: Site, node: Node, both: Any) -> Iterator[Breach]:
    for start, points, bounds in in_step(*both):
        low, high = bounds.min(axis=1), bounds.max(axis=1)
        places = np.flatnonzero((points < low) | (points > high))
        if places.size:
            place = int(places[0])
            expected = f"a point from {low[place]!s} to {high[place]!s}, as {node.path} says"
            yield site.breach(
                (), expected, f"{points[place]!s} at index {start + place}", node=site.node, related=[node]
            )
            return


RULES: Final[tuple[CheckedRule, ...]] = (
    CheckedRule(
        "flag-values-stored",
        of_values(_flags_are_listed),
        should="the values of a variable with flag_values, and without flag_masks, are among them or missing",
        fix="add the flag to flag_values and flag_meanings, or correct the data",
        link=section("flags"),
        on="array",
        when=(has("flag_values"),),
    ),
    CheckedRule(
        "compress-indexes",
        of_values(_indexes_are_within),
        must="the values of the list variable of a compression by gathering are indexes into the dimensions that it names",
        fix="write the list again, with indexes from 0",
        link=section("compression-by-gathering"),
        on="array",
        when=(has("compress"),),
    ),
    CheckedRule(
        "bounds-enclose",
        of_values(_points_are_in_their_bounds),
        should="each point of a coordinate lies within its bounds, or on them",
        fix="correct the coordinates, or the bounds",
        link=section("cell-boundaries"),
        on="array",
        when=(has("bounds"),),
    ),
)
