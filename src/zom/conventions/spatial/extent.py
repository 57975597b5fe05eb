"""The extent of a grid in space: the lengths of its two dimensions, and whether a bounding box matches it.

https://github.com/zarr-conventions/spatial/blob/v0.1/README.md#properties
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.conventions.affine import MOST
from zom.conventions.spatial.attributes import REGISTRATION
from zom.json.python_value import is_list
from zom.problems import show

if TYPE_CHECKING:
    from zom.formats.node_view import Node

__all__ = ["lengths_of", "off_by"]


def lengths_of(array: Node, dimensions: object) -> tuple[int, int] | None:
    """The lengths of an array's two spatial dimensions, Y first, or None if it doesn't have both.

    >>> from zom import v3
    >>> from zom.formats.node_view import spec_tree
    >>> array = spec_tree(v3.ArraySpec.build(shape=(3, 8, 6), dtype="u1", dimension_names=("band", "y", "x")))
    >>> lengths_of(array, ["y", "x"]), lengths_of(array, ["y", "lon"])
    ((8, 6), None)
    """
    dims, shape = array.dims, array.shape
    if (
        dims is None
        or shape is None
        or len(dims) != len(shape)
        or not is_list(dimensions)
        or len(dimensions) != 2
    ):
        return None
    if any(name not in dims for name in dimensions):
        return None
    y, x = (shape[dims.index(name)] for name in dimensions)
    return (y, x) if 0 <= min(y, x) <= max(y, x) <= MOST else None


def off_by(bbox: tuple[float, ...], node: Node, affine: Any, lengths: tuple[int, ...]) -> str | None:
    """The extent of a grid if a bounding box is more than half a cell away from it, else None."""
    # With "node", coordinates are those of cell centres, and the last one is one cell closer.
    less = 1 if node.attributes.get(REGISTRATION) == "node" else 0
    extent = affine.extent(lengths[0] - less, lengths[1] - less)
    y, x = affine.cell
    if all(abs(said - is_) <= 0.5 * cell for said, is_, cell in zip(bbox, extent, (x, y, x, y), strict=True)):
        return None
    return show([round(each, 9) for each in extent])
