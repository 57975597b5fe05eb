"""Identity: how to detect OME-Zarr 0.4 and 0.5 metadata, their version, and where they may be.

https://ngff.openmicroscopy.org/0.5/#metadata
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.checks.check import Breach, Site, Skip
from zom.checks.selector import parse_selector, select
from zom.conventions.framework.near_keys import spelled_within
from zom.conventions.ome.bioformats2raw import LAYOUT
from zom.formats.node_view import Node
from zom.json.python_value import is_dict
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = ["KEY_SPELLING", "in_zarr_v3", "nested_chunks", "same_version"]

_KEYS: Final = (
    "version",
    "scene",
    "multiscales",
    "omero",
    "image-label",
    "plate",
    "well",
    LAYOUT,
    "labels",
    "series",
)
"""The keys under `ome` in any version."""


_BARE: Final = {
    # In another convention, it is an object.
    "multiscales": ("multiscales[*].datasets", "multiscales[*].axes"),
    "image-label": ("image-label.colors", "image-label.properties", "image-label.source"),
    "plate": ("plate.rows", "plate.columns", "plate.wells"),
    "well": ("well.images", "well.version"),
}
"""The selectors that identify 0.4 metadata in Zarr v3 groups, where it is invalid, by key."""


KEY_SPELLING: Final = spelled_within("ome", _KEYS)
"""The check for near misses of OME-Zarr keys."""


def _version_of(node: Node) -> object:
    found = node.attributes.get("ome")
    return found.get("version") if is_dict(found) else None


def same_version(site: Site) -> Iterator[Breach] | Skip:
    """Check that all metadata below the first group with a version has the same version."""
    own = _version_of(site.node)
    if own is None:
        return Skip("it has no version")
    if any(_version_of(above) is not None for above in site.node.ancestors()):
        return Skip("it is checked at the group above")
    return _other_versions(site, own)


def _other_versions(site: Site, own: object) -> Iterator[Breach]:
    for node in site.node.walk():
        if node.is_group and "ome" in node.attributes:
            found = _version_of(node)
            if found is not None and found != own:
                expected = f"{show(own)}, as in {site.node.path}"
                yield site.breach(
                    ("attributes", "ome", "version"), expected, show(found), node=node, related=[site.node]
                )


def in_zarr_v3(site: Site) -> Iterator[Breach] | Skip:
    """Check that metadata is in its version's place: under `ome` in Zarr v3, among attributes in Zarr v2."""
    if site.node.kind is None:
        return Skip("the Zarr format of the group is not known")
    return _in_another_format(site)


def _in_another_format(site: Site) -> Iterator[Breach]:
    if "ome" in site.node.attributes:
        if site.node.form == "v2":
            yield site.breach(("attributes", "ome"), "a Zarr v3 group", "ome in a Zarr v2 group")
        return
    key = next((key for key, found in _BARE.items() if any(map(site.values, found))), None)
    if key is not None:
        yield site.breach(("attributes", key), f"{key} under ome", f"{key} among the attributes in Zarr v3")


_PATHS: Final = parse_selector("datasets[*].path").steps


def nested_chunks(site: Site) -> Iterator[Breach] | Skip:
    """Check that chunks are in nested directories."""
    paths = (path for _, path in select(site.scope, _PATHS) if isinstance(path, str))
    arrays = [node for node in map(site.node.at, paths) if isinstance(node, Node) and node.is_array]
    if not arrays:
        return Skip("no array is known")
    # By default, chunk keys are joined by dots.
    found = ((array, array.document.get("dimension_separator", ".")) for array in arrays)
    return (
        site.breach(("dimension_separator",), '"/"', show(separator), node=array)
        for array, separator in found
        if separator != "/"
    )
