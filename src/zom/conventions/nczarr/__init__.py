"""NCZarr: netCDF-4 in Zarr v2, as netCDF-C writes it: declared dimensions, listed members, typed attributes.

https://docs.unidata.ucar.edu/netcdf-c/current/nczarr_head.html
The metadata are attributes since netCDF-C 4.9.3; the members of .zgroup and .zarray that came before them
are told of. netCDF-C 4.10.1 crashes on much of what breaks these rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.checks.check import python
from zom.checks.checked_rule import CheckedRule, alike, is_value, lacks
from zom.checks.values import (
    between,
    equals,
    json_type,
    length,
    member_of,
    one_of,
    pattern,
    required,
)
from zom.conventions.framework.convention import Convention, register
from zom.conventions.nczarr.checks import (
    OLD,
    array_described,
    arrays_listed,
    dimensions_sized,
    group_described,
    groups_listed,
    members_not_metadata,
    named_as_xarray,
    references_lead,
    references_sized,
    root_has_superblock,
    types_known,
    types_there,
)

if TYPE_CHECKING:
    from zom.formats.node_view import Node

__all__ = ["NCZARR"]

_LINK: Final = "https://docs.unidata.ucar.edu/netcdf-c/current/nczarr_head.html"


def _detect(node: Node) -> str | None:
    """A node is NCZarr's where it, or the root, has metadata of it; the root, where a member has, too."""
    key = _key(node)
    if key is not None:
        return f"has {key}"
    root = node.root
    if root is not node:
        return None if (key := _key(root)) is None else f"the root has {key}"
    member = next((each for each in (root.members or {}).values() if _key(each) is not None), None)
    return None if member is None else f"{member.path} has {_key(member)}"


def _key(node: Node) -> str | None:
    return next(
        (key for keys in (node.attributes, node.document) for key in keys if OLD.fullmatch(key)), None
    )


_SCALAR: Final = is_value("_nczarr_array.scalar", 1)

_RULES: Final[tuple[CheckedRule, ...]] = (
    CheckedRule(
        "superblock",
        python(root_has_superblock),
        must=(
            "the root has _nczarr_superblock, an object: netCDF takes a hierarchy without it for "
            "plain Zarr, and drops the names of dimensions"
        ),
        fix='add "_nczarr_superblock": {"version": "2.0.0"} to the root\'s attributes',
        link=f"{_LINK}#nczarr_vs_zarr",
        on="group",
    ),
    *alike(
        CheckedRule(
            "superblock-version",
            required("_nczarr_superblock.version"),
            should="the superblock has a version, a text of three numbers",
            fix='write the version that netCDF writes: "2.0.0"',
            link=f"{_LINK}#nczarr_vs_zarr",
            on="group",
            advice=True,
        ),
        json_type(["string"], at="_nczarr_superblock.version"),
        pattern(r"[0-9]+\.[0-9]+\.[0-9]+", at="_nczarr_superblock.version"),
    ),
    *alike(
        CheckedRule(
            "group",
            python(group_described),
            must=(
                "every group has _nczarr_group, an object with dimensions, arrays and groups: what "
                "it does not list netCDF does not see"
            ),
            fix="write _nczarr_group with the dimensions, arrays and groups of the group",
            link=f"{_LINK}#nczarr_vs_zarr",
            on="group",
        ),
        required("_nczarr_group.dimensions"),
        required("_nczarr_group.arrays"),
        required("_nczarr_group.groups"),
        json_type(["object"], at="_nczarr_group.dimensions"),
        json_type(["array"], at="_nczarr_group.arrays"),
        json_type(["array"], at="_nczarr_group.groups"),
        json_type(["string"], at="_nczarr_group.arrays[*]"),
        json_type(["string"], at="_nczarr_group.groups[*]"),
    ),
    CheckedRule(
        "dimension-size",
        python(dimensions_sized),
        must=(
            "a dimension is declared by its length, an integer of at least 0, or by an object "
            "with size and unlimited, 0 or 1"
        ),
        fix='write the length, or {"size": 2, "unlimited": 1}',
        link=f"{_LINK}#nczarr_vs_zarr",
        on="group",
    ),
    CheckedRule(
        "arrays-exist",
        member_of("_nczarr_group.arrays[*]", values_of="@arrays[*]"),
        must="each name in arrays is an array of the group",
        fix="take the name out, or write the array",
        link=f"{_LINK}#nczarr_vs_zarr",
        on="group",
    ),
    CheckedRule(
        "arrays-listed",
        python(arrays_listed),
        must="each array of the group is listed in arrays: netCDF does not see the others",
        fix="add the name to arrays",
        link=f"{_LINK}#nczarr_vs_zarr",
        on="group",
        after=("arrays-exist",),
    ),
    CheckedRule(
        "groups-exist",
        member_of("_nczarr_group.groups[*]", values_of="@groups[*]"),
        must="each name in groups is a group below",
        fix="take the name out, or write the group",
        link=f"{_LINK}#nczarr_vs_zarr",
        on="group",
    ),
    CheckedRule(
        "groups-listed",
        python(groups_listed),
        must="each group below is listed in groups: netCDF does not see the others",
        fix="add the name to groups",
        link=f"{_LINK}#nczarr_vs_zarr",
        on="group",
    ),
    CheckedRule(
        "array",
        python(array_described),
        must="every array has _nczarr_array, an object",
        fix="write _nczarr_array with dimension_references and storage",
        link=f"{_LINK}#nczarr_vs_zarr",
        on="array",
    ),
    CheckedRule(
        "references",
        required("_nczarr_array.dimension_references"),
        must=(
            "dimension_references of an array is a list of fully qualified names of dimensions, such as /time"
        ),
        fix="write a list of names that begin with a slash",
        link=f"{_LINK}#nczarr_vs_zarr",
        on="array",
        when=(lacks("_nczarr_array.dimrefs"),),
    ),
    *alike(
        CheckedRule(
            "references",
            json_type(["array"], at="_nczarr_array.dimension_references"),
            must=(
                "dimension_references of an array is a list of fully qualified names of dimensions, such as /time"
            ),
            fix="write a list of names that begin with a slash",
            link=f"{_LINK}#nczarr_vs_zarr",
            on="array",
        ),
        json_type(["string"], at="_nczarr_array.dimension_references[*]"),
        pattern(r"/[\s\S]*", at="_nczarr_array.dimension_references[*]"),
        json_type(["array"], at="_nczarr_array.dimrefs"),
        json_type(["string"], at="_nczarr_array.dimrefs[*]"),
        pattern(r"/[\s\S]*", at="_nczarr_array.dimrefs[*]"),
    ),
    *alike(
        CheckedRule(
            "references-length",
            length("_nczarr_array.dimension_references", like="@shape"),
            must=(
                "an array refers to as many dimensions as it has; a scalar to none, and has the "
                'shape [1] and the mark "scalar": 1'
            ),
            fix="refer to one dimension for each length of the shape",
            link=f"{_LINK}#nczarr_vs_zarr",
            on="array",
            when=(lacks("_nczarr_array.scalar"),),
        ),
        length("_nczarr_array.dimrefs", like="@shape"),
    ),
    *alike(
        CheckedRule(
            "references-length",
            length("_nczarr_array.dimension_references", equals=0),
            must=(
                "an array refers to as many dimensions as it has; a scalar to none, and has the "
                'shape [1] and the mark "scalar": 1'
            ),
            fix="refer to one dimension for each length of the shape",
            link=f"{_LINK}#nczarr_vs_zarr",
            on="array",
            when=(_SCALAR,),
        ),
        equals([1], at="@shape"),
    ),
    CheckedRule(
        "references-resolve",
        python(references_lead),
        must=(
            "each reference leads to a dimension that the group of the array, or one above it, "
            "declares: netCDF-C crashes on others"
        ),
        fix="correct the reference, or declare the dimension",
        link=f"{_LINK}#nczarr_vs_zarr",
        on="array",
        after_any=("group",),
    ),
    CheckedRule(
        "reference-sizes",
        python(references_sized),
        must="a dimension is as long as the arrays are along it",
        fix="correct the length of the dimension, or the shape",
        link=f"{_LINK}#nczarr_vs_zarr",
        on="array",
    ),
    CheckedRule(
        "storage",
        one_of(["chunked", "contiguous", "compact", "scalar"], at="_nczarr_array.storage"),
        should="storage is chunked, contiguous, compact or scalar",
        fix='write "chunked"',
        link=f"{_LINK}#nczarr_vs_zarr",
        on="array",
    ),
    CheckedRule(
        "attribute-types",
        python(types_known),
        must=(
            "types in _nczarr_attr is an object of the NumPy types of attributes, such as <i4, "
            ">S1, or |J0 for JSON"
        ),
        fix="write the types as NumPy writes them",
        link=f"{_LINK}#nczarr_json",
    ),
    CheckedRule(
        "types-exist",
        python(types_there),
        should="types in _nczarr_attr speaks of attributes that are there",
        fix="take the type out",
        link=f"{_LINK}#nczarr_json",
    ),
    CheckedRule(
        "xarray-dims",
        python(named_as_xarray),
        should=(
            "_ARRAY_DIMENSIONS of an array, if it is there, has the last parts of the "
            "references, or of a scalar _scalar_"
        ),
        fix="write the names that the references end with",
        link=f"{_LINK}#nczarr_compatibility",
        on="array",
        after=("references-resolve",),
    ),
    *alike(
        CheckedRule(
            "string-length",
            json_type(["integer"], at="_nczarr_default_maxstrlen"),
            must=(
                "_nczarr_default_maxstrlen of the root and _nczarr_maxstrlen of an array are integers above 0"
            ),
            fix="write the number of characters",
            link=_LINK,
            on="group",
        ),
        between(1, at="_nczarr_default_maxstrlen"),
    ),
    *alike(
        CheckedRule(
            "string-length",
            json_type(["integer"], at="_nczarr_maxstrlen"),
            must=(
                "_nczarr_default_maxstrlen of the root and _nczarr_maxstrlen of an array are integers above 0"
            ),
            fix="write the number of characters",
            link=_LINK,
            on="array",
        ),
        between(1, at="_nczarr_maxstrlen"),
    ),
    CheckedRule(
        "old-place",
        python(members_not_metadata),
        should=(
            "the metadata of NCZarr are attributes: members of .zgroup and .zarray, as netCDF-C "
            "4.9.2 and older wrote them, are not Zarr, and xarray passes over them"
        ),
        fix="write the dataset anew with netCDF-C 4.9.3 or newer",
        link=f"{_LINK}#nczarr_vs_zarr",
    ),
)

NCZARR: Final = register(
    Convention(
        id="nczarr",
        refines=("xarray",),
        title="NCZarr",
        link=_LINK,
        formats=("v2",),
        owns=("_nczarr_*", "_NCZARR_*"),
        detect=_detect,
        rules=_RULES,
    )
)
