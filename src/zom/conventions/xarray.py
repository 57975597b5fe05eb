"""xarray: how a Dataset lies in a Zarr group.

https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.conventions.convention import Convention, register
from zom.conventions.reference_checks import words
from zom.conventions.rule import Rule, has
from zom.conventions.tree_checks import shared_dims
from zom.conventions.value_checks import json_type, length, required, unique

if TYPE_CHECKING:
    from zom.conventions.view import Node

__all__ = ["XARRAY"]

_LINK: Final = "https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html"


def _found(node: Node) -> str | None:
    """A group of variables is xarray's where one of its arrays is a coordinate, or names dimensions as in v2."""
    group = node if node.is_group else node.parent
    if group is None:
        return None
    for array in group.arrays.values():
        if array.form != "v3" and array.raw_dims is not None:
            return f"{array.path} has _ARRAY_DIMENSIONS"
        if array.dims == (array.name,):
            return f"{array.path} is a coordinate"
        if "coordinates" in array.attributes:
            return f"{array.path} has coordinates"
    return None


XARRAY: Final = register(
    Convention(
        id="xarray",
        title="xarray's Zarr encoding",
        link=_LINK,
        owns=("_ARRAY_DIMENSIONS",),
        detect=_found,
        everywhere=True,
        rules=(
            Rule(
                "dims-present",
                required("@dims"),
                must="every array names its dimensions: dimension_names in v3, _ARRAY_DIMENSIONS in v2",
                fix="add a name for each dimension",
                on="array",
                link=_LINK,
            ),
            Rule(
                "dims-length",
                length("@dims", like="@shape"),
                must="an array has as many dimension names as dimensions",
                fix="add a name for each dimension",
                on="array",
                link=_LINK,
            ),
            Rule(
                "dims-strings",
                json_type(["string"], at="@dims[*]"),
                should="every dimension has a name",
                on="array",
                link=_LINK,
            ),
            Rule(
                "dims-unique",
                unique("@dims[*]"),
                must="the dimensions of an array have different names",
                on="array",
            ),
            Rule(
                "dim-sizes",
                shared_dims(),
                must="a dimension has the same length in all arrays of a group",
                on="group",
                link=_LINK,
            ),
            Rule(
                "coordinates-string",
                json_type(["string"], at="coordinates"),
                must="coordinates is text: names separated by blanks",
                when=(has("coordinates"),),
            ),
            Rule(
                "coords-exist",
                words("coordinates"),
                should="the words of coordinates name arrays of the group",
            ),
        ),
    )
)
