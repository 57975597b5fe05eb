"""The CF rules for other stored values: flags, bounds, and the indexes of compression by gathering.

Values are read block by block, whatever the size of the arrays.
"""

from __future__ import annotations

from itertools import chain
from math import prod
from typing import TYPE_CHECKING, Any, Final

from zom.checks.blocks import Blocks, first_outside, in_step, index_text
from zom.checks.check import VALUES_UNREAD, Breach, Site, Skip, of_values
from zom.conventions.cf.missing import is_number
from zom.conventions.cf.units import LATITUDE, LONGITUDE
from zom.conventions.cf.variable import INTEGERS, Variable, listed
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.conventions.framework.rulebook import Functions
    from zom.formats.node_view import Node

__all__ = ["CHECKS"]

_NUMBERS: Final = frozenset({*INTEGERS, "float16", "float32", "float64"})
_POLAR: Final = 80.0
"""The latitude from which a cell may contain the pole, which is beyond all of its vertices."""


def _flags_are_listed(site: Site) -> Iterator[Breach] | Skip:
    attributes = site.node.attributes
    if "flag_masks" in attributes:
        return Skip("the flags are bits")
    flags = listed(attributes.get("flag_values"))
    if not flags or not all(map(is_number, flags)) or site.node.dtype not in INTEGERS:
        return Skip("the flags are not integers")
    return _beside(site, [*flags, *_missing_values(site.node)])


def _beside(site: Site, known: list[Any]) -> Iterator[Breach] | Skip:
    blocks = site.node.blocks()
    numbers = list(dict.fromkeys(filter(is_number, known)))
    return VALUES_UNREAD if blocks is None else _unlisted(site, blocks, numbers)


def _unlisted(site: Site, blocks: Blocks, known: list[Any]) -> Iterator[Breach]:
    wrong = first_outside(blocks, known)
    if wrong is not None:
        shown = ", ".join(map(str, known[:6])) + (", ..." if len(known) > 6 else "")
        found = f"{wrong[0]!s} at index {wrong[1]}"
        yield site.breach((), f"one of the flag_values or missing: {shown}", found, node=site.node)


def _bits_have_meanings(site: Site) -> Iterator[Breach] | Skip:
    attributes = site.node.attributes
    masks = listed(attributes.get("flag_masks"))
    flags = listed(attributes["flag_values"]) if "flag_values" in attributes else []
    if (
        not masks
        or not all(type(each) is int for each in (*masks, *flags))
        or site.node.dtype not in INTEGERS
    ):
        return Skip("the flags are not integers")
    if flags and len(flags) != len(masks):
        return Skip("flag_values and flag_masks differ in number")
    blocks = site.node.blocks()
    return VALUES_UNREAD if blocks is None else _without_meaning(site, blocks, masks, flags)


def _without_meaning(site: Site, blocks: Blocks, masks: list[int], flags: list[int]) -> Iterator[Breach]:
    """Report the first value with a bit outside the masks, or with bits of a mask that no flag_values has."""
    width = np.dtype(str(site.node.dtype)).itemsize * 8
    unsigned, full = np.dtype(f"uint{width}"), (1 << width) - 1
    missing = [each for each in _missing_values(site.node) if type(each) is int]
    known = dict.fromkeys(masks)
    every = 0
    for mask in known:
        every |= mask & full
    for start, values in blocks:
        bits = values.astype(unsigned)
        unknown = (bits & unsigned.type(~every & full)) != 0
        for mask in known if flags else ():
            named = [0, *(flag & full for flag, own in zip(flags, masks, strict=True) if own == mask)]
            unknown |= ~np.isin(bits & unsigned.type(mask & full), np.array(named, unsigned))
        unknown &= ~np.isin(values, missing)
        if unknown.any():
            place = np.unravel_index(int(np.argmax(unknown)), unknown.shape)
            what = "bits of flag_masks, with the flag_values of each" if flags else "bits of flag_masks"
            shown = f"{values[place]!s} at index {index_text(start, place)}"
            yield site.breach((), f"{what}, or a missing value", shown, node=site.node)
            return


def _missing_values(node: Node) -> list[Any]:
    """The values for missing data in the attributes and the document of an array."""
    told = (node.attributes.get(name) for name in ("_FillValue", "missing_value"))
    return [
        each for one in (*told, node.document.get("fill_value")) for each in listed(one) if is_number(each)
    ]


def _indexes_are_within(site: Site) -> Iterator[Breach] | Skip:
    variable = Variable(site.node)
    names = (variable.text("compress") or "").split()
    sizes = _sizes(site.node)
    lengths = [sizes.get(name.rpartition("/")[2]) for name in names]
    if not names or site.node.ndim != 1 or variable.dtype not in INTEGERS or None in lengths:
        return Skip("not a list of indexes into known dimensions")
    blocks = site.node.blocks()
    end = prod(length for length in lengths if length is not None)
    return VALUES_UNREAD if blocks is None else _outside(site, blocks, end)


def _sizes(node: Node) -> dict[str, int]:
    """The lengths of the dimensions around a variable; the nearest group wins for each name."""
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
    shape = site.node.shape
    if node is None or not node.shape or not shape or node.shape[:-1] != shape:
        return Skip("no bounds for each point")
    if any(name in each.attributes for each in (site.node, node) for name in ("scale_factor", "add_offset")):
        return Skip("packed values")
    is_line = len(shape) == 1 and node.shape[-1] == 2
    return _points_are_between(site, node) if is_line else _points_are_among_vertices(site, variable, node)


def _points_are_between(site: Site, node: Node) -> Iterator[Breach] | Skip:
    points, bounds = site.node.blocks(), node.blocks()
    if points is None or bounds is None:
        return VALUES_UNREAD
    first = next(points, None), next(bounds, None)
    if any(each is None or each[1].dtype.kind not in "iuf" for each in first):
        return Skip("no values, or values that are not numbers")
    if first[1] is not None and first[1][1].shape[1] != 2:
        return Skip("chunks of the bounds separate lower from upper bounds")
    both = chain((first[0],), points), chain((first[1],), bounds)
    return _off(site, node, both)


def _points_are_among_vertices(site: Site, variable: Variable, node: Node) -> Iterator[Breach] | Skip:
    bounds = node.blocks()
    first = None if bounds is None else next(bounds, None)
    if bounds is None:
        return VALUES_UNREAD
    if first is None or first[1].dtype.kind not in "iuf" or site.node.dtype not in _NUMBERS:
        return Skip("no values, or values that are not numbers")
    if node.shape is None or first[1].shape[-1] != node.shape[-1]:
        return Skip("chunks of the bounds separate the vertices of a cell")
    return _outside_cells(site, variable, node, chain((first,), bounds))


def _outside_cells(site: Site, variable: Variable, node: Node, bounds: Blocks) -> Iterator[Breach]:
    """Report the first point that is farther from its cell than the cell is wide.

    Edges may be curved, and cells may contain a pole: points outside the vertices' box may be in the cell.
    """
    units = (variable.text("units") or "").strip()
    missing = [*_missing_values(site.node), *_missing_values(node)]
    for start, corners in bounds:
        points = site.node.part(start[:-1], corners.shape[:-1])
        vertices, centres = corners.astype("float64"), points.astype("float64")
        away = vertices - centres[..., None]
        if units in LONGITUDE:
            away = (away + 180) % 360 - 180
        low, high = away.min(axis=-1), away.max(axis=-1)
        wrong = (low > high - low) | (high < low - high)
        wrong &= ~(np.isin(points, missing) | np.isin(corners, missing).any(axis=-1))
        if units in LATITUDE:
            wrong &= (np.abs(centres) < _POLAR) | (np.abs(centres) <= np.abs(vertices).max(axis=-1))
        if wrong.any():
            place = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
            cell = corners[place]
            expected = f"a point in its cell, from {cell.min()!s} to {cell.max()!s}, according to {node.path}"
            shown = f"{points[place]!s} at index {index_text(start[:-1], place)}"
            yield site.breach((), expected, shown, node=site.node, related=[node])
            return


def _off(site: Site, node: Node, both: Any) -> Iterator[Breach]:
    for start, points, bounds in in_step(*both):
        low, high = bounds.min(axis=1), bounds.max(axis=1)
        places = np.flatnonzero((points < low) | (points > high))
        if places.size:
            place = int(places[0])
            expected = f"a point from {low[place]!s} to {high[place]!s}, according to {node.path}"
            yield site.breach(
                (), expected, f"{points[place]!s} at index {start + place}", node=site.node, related=[node]
            )
            return


CHECKS: Final[Functions] = {
    "flag-values-stored": of_values(_flags_are_listed),
    "flag-masks-stored": of_values(_bits_have_meanings),
    "compress-indexes": of_values(_indexes_are_within),
    "bounds-enclose": of_values(_points_are_in_their_bounds),
}
