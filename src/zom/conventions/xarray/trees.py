"""xarray's rules for whole groups: shared dimensions, and names that lead to arrays.

As in xarray/core/dataset.py and xarray/core/datatree.py:
https://docs.xarray.dev/en/stable/user-guide/hierarchical-data.html#alignment-and-coordinate-inheritance
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import NOT_READ, Breach, Site, Skip
from zom.checks.dimensions import length_breaches, lengths_of, named_arrays
from zom.checks.references import near_name
from zom.misspelling import is_own_dimension, is_short_slip, misspelt
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.dimensions import Lengths
    from zom.formats.node_view import Node

__all__ = [
    "descendants_aligned",
    "dimensions_no_scalars",
    "dimensions_spelled",
    "grid_mappings_there",
    "ordinary_unmasked",
]

_MOST_NAMES: Final = 64
"""The most dimensions of a group that are compared with each other."""


def ordinary_unmasked(site: Site) -> Iterator[Breach] | Skip:
    """Check that the fill_value of a v2 array, which xarray uses as the mask, is not an ordinary value."""
    if site.node.form != "v2":
        return Skip("not Zarr v2")
    fill = site.node.document.get("fill_value")
    if fill is None:
        return Skip("fill_value is null")
    if fill not in {0, ""} if isinstance(fill, (int, float, str)) else True:
        return iter(())
    return iter((site.breach(("fill_value",), "null, or a value that only marks missing data", fill),))


def masked_by_fractions(site: Site) -> Iterator[Breach] | Skip:
    """Check that a masked array without offset has no integer factor: integers can't hold NaN."""
    attributes = site.node.attributes
    factor = attributes.get("scale_factor")
    if not isinstance(factor, (int, float)) or isinstance(factor, bool):
        return Skip("no scale_factor")
    masks: tuple[Any, ...] = (attributes.get("_FillValue"), attributes.get("missing_value"))
    if site.node.form == "v2":
        masks = (*masks, site.node.document.get("fill_value"))
    if isinstance(factor, float) or "add_offset" in attributes or all(mask is None for mask in masks):
        return iter(())
    return iter((site.breach(("attributes", "scale_factor"), f"{factor}.0", str(factor)),))


def dimensions_spelled(site: Site) -> Iterator[Breach] | Skip:
    """Check that no dimension without coordinate is nearly named like an equally long one with coordinate."""
    if site.node.members is None:
        return NOT_READ
    lengths = lengths_of(site.node)
    known = {
        name: length
        for name, (length, _) in lengths.items()
        if (array := site.node.arrays.get(name)) is not None
        and _is_meant_as_coordinate(array, length, lengths)
    }
    others = [name for name in lengths if name not in known]
    if not known or not others:
        return Skip("no dimension with a coordinate, or no dimension without one")
    return _nearly_known(lengths, known, others)


def _is_meant_as_coordinate(array: Node, length: int, lengths: Lengths) -> bool:
    """Whether the array is meant as the coordinate of the dimension with its name, even if misspelt."""
    if array.dims is None or len(array.dims) != 1 or array.shape != (length,):
        return False
    (dim,) = array.dims
    return dim == array.name or (dim is not None and lengths[dim][1] is array and _is_own(dim, array.name))


def _is_own(dim: str, name: str) -> bool:
    """Whether an array's only dimension, as long as the dimension with the array's name, means that one."""
    return _is_nearly(dim, name) or is_own_dimension(dim, name)


def _nearly_known(lengths: Lengths, known: dict[str, int], others: list[str]) -> Iterator[Breach]:
    for name in islice(others, _MOST_NAMES):
        length, node = lengths[name]
        for meant in islice(known, _MOST_NAMES):
            # An array that has both dimensions shows that they differ.
            is_near = _is_own if node.name == meant else _is_nearly
            if known[meant] == length and is_near(name, meant) and meant not in (node.dims or ()):
                place = (node.dims or ()).index(name)
                fix = f"did you mean {meant!r}?"
                expected = f"{show(meant)}, the coordinate of the same length, or another name"
                yield Breach(node, (*node.dims_path, place), expected, show(name), fix)
                break


def _is_nearly(name: str, known: str) -> bool:
    short, long = sorted((name, known), key=len)
    is_short_for = len(short) > 2 and len(short) * 2 < len(long) and long.isalpha() and long.startswith(short)
    return is_short_for or misspelt(name, known) or is_short_slip(name, known)


def dimensions_no_scalars(site: Site) -> Iterator[Breach] | Skip:
    """Check that no scalar has the name of a dimension: 'already exists as a scalar variable'."""
    if site.node.members is None:
        return NOT_READ
    lengths = lengths_of(site.node)
    return (
        site.breach(("shape",), f"the dimension {show(name)}, as in {lengths[name][1].path}", "a scalar",
                    node=node, related=(lengths[name][1],))
        for name, node in site.node.arrays.items()
        if node.shape == () and name in lengths
    )  # fmt: skip


def descendants_aligned(site: Site) -> Iterator[Breach] | Skip:
    """Check that arrays below have this group's lengths, unless a group in between has the dimension, too."""
    if not site.node.groups:
        return Skip("no group below" if site.node.members is not None else NOT_READ.why)
    lengths = lengths_of(site.node)
    if not lengths:
        return Skip("no dimensions that a group below could share")
    return _unaligned(site, lengths)


def _unaligned(site: Site, lengths: Lengths) -> Iterator[Breach]:
    waiting = [(group, lengths) for group in site.node.groups.values()]
    while waiting:
        group, above = waiting.pop(0)
        yield from length_breaches(named_arrays(group), above, only=above, where=" above it")
        own = lengths_of(group)
        left = {dim: known for dim, known in above.items() if dim not in own}
        if left:
            waiting.extend((each, left) for each in group.groups.values())


def grid_mappings_there(site: Site) -> Iterator[Breach] | Skip:
    """Check that the names in grid_mapping exist: one name, or the long form of names with a colon."""
    mapping = site.node.attributes.get("grid_mapping")
    if not isinstance(mapping, str):
        return Skip("nothing at grid_mapping")
    group = site.group
    if group is None or group.members is None:
        return NOT_READ
    known = group.arrays
    names = (word.removesuffix(":") for word in mapping.replace(" :", ":").split())
    place = ("attributes", "grid_mapping")
    return (
        site.breach(place, "names of arrays of this group", show(name), fix=near_name(group, name, "array"))
        for name in names
        if name not in known
    )
