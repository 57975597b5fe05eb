"""The rules of xarray on dimensions, groups, and names that lead to arrays.

xarray's own code is the authority, where its specification is silent: what opens, raises, or is lost.
https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html
"""

from __future__ import annotations

from typing import Final

from zom.checks.check import of_values, python
from zom.checks.checked_rule import CheckedRule, alike, has, is_value, lacks
from zom.checks.dimensions import shared_dims
from zom.checks.references import words
from zom.checks.tree import node_kind
from zom.checks.values import (
    equals,
    forbidden,
    json_type,
    length,
    pattern,
    required,
    unique,
)
from zom.conventions.xarray.indexes import indexes_aligned
from zom.conventions.xarray.trees import (
    descendants_aligned,
    dimensions_no_scalars,
    dimensions_spelled,
    grid_mappings_there,
)

__all__ = ["STRUCTURE", "V2", "V3"]

_ENCODING: Final = "https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html"
_TREES: Final = (
    "https://docs.xarray.dev/en/stable/user-guide/hierarchical-data.html#alignment-and-coordinate-inheritance"
)
_IO: Final = "https://docs.xarray.dev/en/stable/user-guide/io.html"
_CF: Final = "https://cfconventions.org/Data/cf-conventions/cf-conventions-1.12/cf-conventions.html"

V2: Final = is_value("@format", "v2")
V3: Final = is_value("@format", "v3")


STRUCTURE: Final[tuple[CheckedRule, ...]] = (
    CheckedRule(
        "root-is-group",
        node_kind("group"),
        must="the root is a group: xarray opens groups as datasets, not single arrays",
        fix="put the array into a group, as one of its variables",
        link=_ENCODING,
        # Only the root has no name.
        when=(is_value("@name", ""),),
    ),
    CheckedRule(
        "dims-present",
        required("@dims"),
        must=(
            "every array names its dimensions: Zarr v3 in dimension_names (_ARRAY_DIMENSIONS "
            "does not count there), Zarr v2 in the attribute _ARRAY_DIMENSIONS"
        ),
        fix="name each dimension of the array",
        link=_ENCODING,
        when=(V3, has("@shape[*]")),
        on="array",
    ),
    CheckedRule(
        "dims-present",
        required("_ARRAY_DIMENSIONS"),
        must=(
            "every array names its dimensions: Zarr v3 in dimension_names (_ARRAY_DIMENSIONS "
            "does not count there), Zarr v2 in the attribute _ARRAY_DIMENSIONS"
        ),
        fix="name each dimension of the array",
        link=_ENCODING,
        when=(V2,),
        on="array",
    ),
    CheckedRule(
        "dims-list",
        json_type(["array"], at="_ARRAY_DIMENSIONS"),
        must="_ARRAY_DIMENSIONS of a Zarr v2 array is a list",
        fix='write a list of names, such as ["time", "lat"]',
        link=_ENCODING,
        when=(V2,),
        on="array",
    ),
    CheckedRule(
        "dims-length",
        length("@dims", like="@shape"),
        must="an array has as many dimension names as dimensions",
        fix="give one name for each dimension of the shape",
        link=_ENCODING,
        on="array",
    ),
    CheckedRule(
        "dims-strings",
        json_type(["string"], at="@dims[*]"),
        must=(
            "dimension names are texts: of null xarray makes one dimension None, "
            "which all that have no name share"
        ),
        fix="name the dimension",
        link=_ENCODING,
        on="array",
    ),
    CheckedRule(
        "dims-empty",
        pattern(r"[\s\S]+", at="@dims[*]"),
        should="dimension names are not empty",
        fix="name the dimension",
        link=_ENCODING,
        on="array",
    ),
    CheckedRule(
        "dims-unique",
        unique("@dims[*]"),
        must=(
            "the dimension names of one array differ: xarray cannot select along one of two "
            "dimensions of one name"
        ),
        fix="rename one of the dimensions",
        link=_ENCODING,
        on="array",
    ),
    CheckedRule(
        "dim-sizes",
        shared_dims(),
        must="arrays of one group that share a dimension have the same length along it",
        fix="make the lengths equal, or rename the dimension in one of the arrays",
        link=_ENCODING,
        on="group",
        after=("dims-*",),
    ),
    CheckedRule(
        "dim-scalar",
        python(dimensions_no_scalars),
        must=(
            "no scalar array has the name of a dimension of its group: 'dimension already exists "
            "as a scalar variable'"
        ),
        fix="rename the scalar array, or give it that dimension",
        link=_ENCODING,
        on="group",
        after=("dims-*",),
    ),
    CheckedRule(
        "dim-spelling",
        python(dimensions_spelled),
        should=(
            "a dimension without a coordinate is not called nearly as one that has a coordinate and the "
            "same length: xarray takes them for two"
        ),
        fix="write one name for both",
        link=_ENCODING,
        on="group",
    ),
    CheckedRule(
        "tree-align",
        python(descendants_aligned),
        must=(
            "a group of a DataTree has the lengths of its ancestors for every dimension whose "
            "name they use, with or without coordinates"
        ),
        fix="rename the dimension in the child group, or give it the ancestor's length",
        link=_TREES,
        on="group",
        after=("dims-*",),
    ),
    CheckedRule(
        "tree-indexes",
        of_values(indexes_aligned),
        must="an index of a group in a DataTree has the values of the index that an ancestor has of that name",
        fix="give both the same values, or rename the dimension of one of them",
        link=_TREES,
        on="group",
    ),
    CheckedRule(
        "coordinates-string",
        json_type(["string"], at="coordinates"),
        must=(
            "the attribute coordinates of an array is a text, names parted by spaces: on "
            "anything else xarray raises AttributeError"
        ),
        fix='write the names as one text, such as "lat lon"',
        link=_ENCODING,
        on="array",
    ),
    CheckedRule(
        "group-coordinates-string",
        json_type(["string"], at="coordinates"),
        should=(
            "the attribute coordinates of a group is a text, names parted by spaces: xarray "
            "passes over anything else in silence"
        ),
        fix='write the names as one text, such as "lat lon"',
        link=_ENCODING,
        on="group",
    ),
    CheckedRule(
        "coords-exist",
        words("coordinates"),
        should=(
            "every name in coordinates is an array of the same group: xarray drops the others in silence"
        ),
        fix="correct the name, add the array, or take the name out",
        link=f"{_CF}#coordinate-system",
    ),
    CheckedRule(
        "bounds-string",
        json_type(["string"], at="bounds"),
        must=(
            "the attribute bounds is a text, the name of one array: for a time, xarray raises "
            "TypeError on a list"
        ),
        fix="write the name as a text",
        link=_IO,
        on="array",
    ),
    *alike(
        CheckedRule(
            "references-string",
            json_type(["string"], at="grid_mapping"),
            should=(
                "grid_mapping, cell_measures, formula_terms, ancillary_variables and the like are "
                "texts: with decode_coords='all' xarray raises on anything else"
            ),
            fix="write the names as one text",
            link=_IO,
            on="array",
        ),
        json_type(["string"], at="cell_measures"),
        json_type(["string"], at="formula_terms"),
        json_type(["string"], at="ancillary_variables"),
        json_type(["string"], at="climatology"),
        json_type(["string"], at="geometry"),
        json_type(["string"], at="node_coordinates"),
        json_type(["string"], at="node_count"),
        json_type(["string"], at="part_node_count"),
        json_type(["string"], at="interior_ring"),
    ),
    *alike(
        CheckedRule(
            "references-exist",
            python(grid_mappings_there),
            should=(
                "every array that bounds, grid_mapping, cell_measures, formula_terms, "
                "ancillary_variables and the like name is an array of the same group"
            ),
            fix="correct the name, add the array, or take the attribute out",
            link=_IO,
            on="array",
        ),
        words("cell_measures", keys=True),
        words("formula_terms", keys=True),
        words("bounds"),
        words("ancillary_variables"),
        words("climatology"),
        words("geometry"),
        words("node_coordinates"),
        words("node_count"),
        words("part_node_count"),
        words("interior_ring"),
    ),
    CheckedRule(
        "stale-dims",
        equals(at="_ARRAY_DIMENSIONS", like="@dims"),
        should=(
            "_ARRAY_DIMENSIONS of a Zarr v3 array, if it is there, agrees with dimension_names: "
            "xarray passes over it"
        ),
        fix="take _ARRAY_DIMENSIONS out",
        link=_ENCODING,
        when=(V3,),
        on="array",
    ),
    CheckedRule(
        "stale-dims",
        forbidden("_ARRAY_DIMENSIONS"),
        should=(
            "_ARRAY_DIMENSIONS of a Zarr v3 array, if it is there, agrees with dimension_names: "
            "xarray passes over it"
        ),
        fix="take _ARRAY_DIMENSIONS out",
        link=_ENCODING,
        when=(V3, lacks("@shape[*]"), lacks("@dims")),
        on="array",
    ),
)
