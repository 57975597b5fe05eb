"""xarray: how Zarr groups store Datasets and DataTrees; checked, and built.

https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html

By default, a group counts as a Dataset if one of its arrays is a coordinate variable (its only dimension has
its own name), names `coordinates`, or has the `_ARRAY_DIMENSIONS` of Zarr v2, or if in Zarr v3 all dimensions
of all arrays have names. The levels of an OME-Zarr image don't count: ask for xarray's rules to check them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from zom.checks.check import of_document, of_values
from zom.conventions.framework.registered import register
from zom.conventions.framework.rulebook import read_rulebook
from zom.conventions.xarray.dataset import Variable, dataset
from zom.conventions.xarray.indexes import indexes_aligned
from zom.conventions.xarray.keys import keys_spelled
from zom.conventions.xarray.times import date_plain, since_spelled, unit_counted, units_read
from zom.conventions.xarray.trees import (
    descendants_aligned,
    dimensions_no_scalars,
    dimensions_spelled,
    grid_mappings_there,
    masked_by_fractions,
    ordinary_unmasked,
)
from zom.formats.node_view import remembered
from zom.json.python_value import is_list

if TYPE_CHECKING:
    from zom.formats.node_view import Node

__all__ = ["XARRAY", "Variable", "dataset"]

_OTHERS: Final = frozenset({"multiscales", "encoding-type", "spatialdata_attrs"})
"""Attributes of groups of other conventions, whose arrays are not variables."""


def _detect(node: Node) -> str | None:
    """The reason why the node is part of a Dataset, or None."""
    group = node if node.is_group else node.parent
    # Otherwise each array of a group would query all the others.
    return None if group is None else remembered(group, _dataset)


def _dataset(group: Node) -> str | None:
    attributes = group.attributes
    if "ome" in attributes or is_list(attributes.get("multiscales")):
        return None
    for array in group.arrays.values():
        if array.form == "v2" and array.raw_dims is not None:
            return f"{array.path} has _ARRAY_DIMENSIONS"
        if array.dims == (array.name,):
            return f"{array.path} is a coordinate"
        if "coordinates" in array.attributes:
            return f"{array.path} has coordinates"
    return _named_throughout(group)


def _named_throughout(group: Node) -> str | None:
    """The reason why the arrays of a Zarr v3 group look like a Dataset without coordinates, or None.

    Every dimension has a name. Dimensions of the same name have the same length, unless xarray left its mark
    in the document: the levels of a pyramid share names, too, but differ in size.
    """
    arrays = group.arrays.values()
    if (
        group.form != "v3"
        or not _OTHERS.isdisjoint(group.attributes)
        or not any(array.dims if array.shape is None else array.shape for array in arrays)
    ):
        return None
    lengths: dict[str, int] = {}
    agree = True
    for array in arrays:
        names = array.dims or ()
        # Without valid lengths, the names still identify the group.
        if None in names or not (names if array.ndim is None else len(names) == array.ndim):
            return None
        for name, length in zip(names, array.shape or (), strict=False):
            agree = agree and name is not None and lengths.setdefault(name, length) == length
    if agree:
        return "all dimensions of its arrays have names"
    if any("_FillValue" in array.attributes for array in arrays):
        return "all dimensions of its arrays have names, and _FillValue is an attribute"
    return None


XARRAY: Final = register(
    read_rulebook(
        Path(__file__).with_name("xarray.toml"),
        detect=_detect,
        functions=(
            dimensions_no_scalars,
            dimensions_spelled,
            descendants_aligned,
            of_values(indexes_aligned),
            grid_mappings_there,
            keys_spelled,
            of_document(ordinary_unmasked),
            of_document(units_read),
            of_document(unit_counted),
            of_document(date_plain),
            of_document(since_spelled),
            of_document(masked_by_fractions),
        ),
    )
)
