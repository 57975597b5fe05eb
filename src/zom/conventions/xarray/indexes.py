"""The values of xarray's indexes, which a group of a DataTree shares with its ancestors.

A child inherits its ancestors' coordinates. If it has its own index for one of their dimensions, the two have
to be equal: xarray refuses to open a tree whose indexes differ ("not aligned with its parents").
https://docs.xarray.dev/en/stable/user-guide/hierarchical-data.html#alignment-and-coordinate-inheritance
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.checks.blocks import in_step
from zom.checks.check import VALUES_UNREAD, Breach, Site, Skip
from zom.numpy_later import np
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.formats.node_view import Node

__all__ = ["indexes_aligned"]


def indexes_aligned(site: Site) -> Iterator[Breach] | Skip:
    """Check that a group's indexes have the same values as those of its ancestors for the same dimension."""
    pairs = [(own, above) for own in _indexes(site.node) if (above := _above(own)) is not None]
    if not pairs:
        return Skip("no index in common with a group above")
    if any(node.blocks() is None for pair in pairs for node in pair):
        return VALUES_UNREAD
    return _differing(site, pairs)


def _indexes(group: Node) -> list[Node]:
    return [node for node in group.arrays.values() if node.dims == (node.name,)]


def _above(index: Node) -> Node | None:
    """The nearest index of the same name in the ancestors of its group."""
    groups = [] if index.parent is None else list(index.parent.ancestors())
    found = (group.arrays.get(index.name) for group in groups)
    return next((node for node in found if node is not None and node.dims == (node.name,)), None)


def _differing(site: Site, pairs: list[tuple[Node, Node]]) -> Iterator[Breach]:
    for own, above in pairs:
        found = _first_difference(own, above)
        if found is not None:
            place, left, right = found
            expected = f"{_item(right)} at index {place}, as in {above.path} above it"
            yield site.breach((), expected, _item(left), node=own, related=(above,))


def _first_difference(own: Node, above: Node) -> tuple[int, Any, Any] | None:
    """The first place where two indexes differ, with both values, or None if equal or of different shapes."""
    if own.shape != above.shape:
        return None
    for start, left, right in in_step(own.blocks() or iter(()), above.blocks() or iter(())):
        missing = _missing(left) & _missing(right)
        places = np.flatnonzero(~(np.asarray(left == right) | missing))
        if places.size:
            place = int(places[0])
            return start + place, left[place], right[place]
    return None


def _missing(values: Any) -> Any:
    """Which values are NaN or NaT; an index treats those as equal."""
    if values.dtype.kind in "fcmM":
        return np.asarray(values != values)  # noqa: PLR0124 - true for NaN and NaT only
    return np.zeros(values.shape, bool)


def _item(value: Any) -> str:
    return show(cast("Any", value.item()) if isinstance(value, np.generic) else value)
