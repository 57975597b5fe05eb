"""NCZarr: netCDF-4 in Zarr v2, as netCDF-C writes it: declared dimensions, listed members, typed attributes.

https://docs.unidata.ucar.edu/netcdf-c/current/nczarr_head.html The metadata are attributes since netCDF-C
4.9.3; the older members of .zgroup and .zarray are reported. netCDF-C 4.10.1 crashes on much of what breaks
these rules.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from zom.conventions.framework.registered import register
from zom.conventions.framework.rulebook import read_rulebook
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


def _detect(node: Node) -> str | None:
    """Detect a node if it or the root has NCZarr metadata; also the root if one of its members has any."""
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


NCZARR: Final = register(
    read_rulebook(
        Path(__file__).with_name("nczarr.toml"),
        detect=_detect,
        functions=(
            root_has_superblock,
            group_described,
            dimensions_sized,
            arrays_listed,
            groups_listed,
            array_described,
            references_lead,
            references_sized,
            types_known,
            types_there,
            named_as_xarray,
            members_not_metadata,
        ),
    )
)
