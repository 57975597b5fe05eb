"""OME-Zarr rules for stored values: label images whose values `colors` describes.

https://ngff.openmicroscopy.org/0.5/#labels-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.checks.blocks import first_outside
from zom.checks.check import VALUES_UNREAD, Breach, Site, Skip, of_values
from zom.conventions.ome.edition import lists
from zom.formats.node_view import Node
from zom.json.python_value import is_dict, is_list

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.check import Check
    from zom.conventions.ome.edition import Edition

__all__ = ["values_colored"]

BACKGROUND = 0
"""The value of pixels without a label; viewers show nothing there."""


def values_colored(edition: Edition) -> Check:
    """Check that the colors of a label image cover each of its values."""

    def values_colored(site: Site) -> Iterator[Breach] | Skip:
        array = _full_size(edition, site.node)
        if array is None or "int" not in str(array.dtype):
            return Skip("no integer label image")
        known = _described(site.scope)
        if known is None:
            return Skip("no colors with integer labels")
        blocks = array.blocks()
        if blocks is None:
            return VALUES_UNREAD
        wrong = first_outside(blocks, [BACKGROUND, *known])
        if wrong is None:
            return iter(())
        found = f"none for {wrong[0]!s}, the value at index {wrong[1]} of {array.path}"
        return iter((site.breach(site.at(), "a color for each label", found, related=[array]),))

    return of_values(values_colored)


def _full_size(edition: Edition, node: Node) -> Node | None:
    """The array of the first dataset of a label image, which is the largest."""
    for _, image in edition.images(node):
        for _, dataset in lists(image, "datasets"):
            path = dataset.get("path")
            found = node.at(path) if isinstance(path, str) else None
            return found if isinstance(found, Node) and found.is_array else None
    return None


def _described(colors: Any) -> list[int] | None:
    """The label values with a color, or None if any is not an integer, which other rules report."""
    if not is_list(colors):
        return None
    values = [each.get("label-value") if is_dict(each) else None for each in colors]
    whole = [value for value in values if type(value) is int]
    return whole if len(whole) == len(values) else None
