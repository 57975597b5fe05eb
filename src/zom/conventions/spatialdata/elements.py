"""The elements of SpatialData: how to recognize each, and the versions of their formats.

https://github.com/scverse/spatialdata/blob/main/src/spatialdata/_io/format.py lists the versions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from zom.checks.absent_key import absent_key
from zom.checks.check import Breach, Site, Skip
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.conventions.framework.rulebook import Functions
    from zom.formats.node_view import Node
    from zom.problems import Path

__all__ = [
    "ATTRIBUTES",
    "ELEMENT_CHECKS",
    "LINK",
    "PLACES",
    "TABLE_TYPE",
    "TYPES",
    "Role",
    "metadata_of",
    "role_of",
]

LINK: Final = "https://spatialdata.scverse.org/en/stable/design_doc.html"

ATTRIBUTES: Final = "spatialdata_attrs"
TABLE_TYPE: Final = "spatialdata-encoding-type"
TYPES: Final = ("ngff:shapes", "ngff:points")
"""The values of `encoding-type` that SpatialData defines."""

Role: TypeAlias = Literal["container", "images", "labels", "points", "shapes", "tables"]
"""The role of a group: the container, or an element of the group with this name."""

PLACES: Final[tuple[Role, ...]] = ("images", "labels", "points", "shapes", "tables")
"""The groups of a container that hold elements."""

_VERSIONS: Final[dict[Role, dict[str, tuple[str, ...]]]] = {
    "container": {"v2": ("0.1",), "v3": ("0.2",)},
    "images": {"v2": ("0.1", "0.2"), "v3": ("0.3",)},
    "labels": {"v2": ("0.1", "0.2"), "v3": ("0.3",)},
    "points": {"v2": ("0.1",), "v3": ("0.2",)},
    "shapes": {"v2": ("0.1", "0.2"), "v3": ("0.3",)},
    "tables": {"v2": ("0.1",), "v3": ("0.2",)},
}
"""The versions of each format by the Zarr format that stores it."""


_OME_ZARR: Final = {"0.1": "0.4", "0.2": "0.4-dev-spatialdata", "0.3": "0.5-dev-spatialdata"}
"""The OME-Zarr version that images name, by the version of their format."""


def role_of(node: Node) -> Role:
    """The role of a group with SpatialData metadata.

    >>> from zom.formats.node_view import attributes_node
    >>> role_of(attributes_node({"encoding-type": "ngff:points"})), role_of(attributes_node({"spatialdata_attrs": {}}))
    ('points', 'container')
    """
    attributes = node.attributes
    kind = attributes.get("encoding-type")
    if kind in TYPES:
        return "shapes" if kind == TYPES[0] else "points"
    if TABLE_TYPE in attributes:
        return "tables"
    place = None if node.parent is None else node.parent.name
    for role in PLACES:
        if role == place:
            return role
    if is_image(node):
        return "labels" if "image-label" in metadata_of(node)[1] else "images"
    return "container"


def is_image(node: Node) -> bool:
    """Whether the node has OME-Zarr image metadata."""
    return "multiscales" in metadata_of(node)[1]


def metadata_of(node: Node) -> tuple[Path, dict[str, Any]]:
    """The path of a group's OME-Zarr metadata, and the metadata."""
    found = node.attributes.get("ome")
    return (("ome",), found) if is_dict(found) else ((), dict(node.attributes))


def image_of(node: Node) -> tuple[Path, dict[str, Any]] | None:
    """The path and metadata of the image in a group's attributes; SpatialData has one image per group."""
    before, metadata = metadata_of(node)
    images = metadata.get("multiscales")
    first = images[0] if is_list(images) and images else None
    return ((*before, "multiscales", 0), first) if is_dict(first) else None


def _version_place(role: Role) -> Path:
    return ("version",) if role == "tables" else (ATTRIBUTES, "version")


def _version_known(site: Site) -> Iterator[Breach] | Skip:
    """Check the version: readers choose the format by it, for images by the OME-Zarr version."""
    node = site.node
    role = role_of(node)
    if node.parent is not None and node.parent.name in PLACES and node.parent.name != role:
        return Skip("it is in the group of another kind of element")
    place = _version_place(role)
    held = node.attributes if len(place) == 1 else node.attributes.get(ATTRIBUTES)
    found = held.get("version") if is_dict(held) else None
    if found is None and role in {"images", "labels"}:
        return Skip("the OME-Zarr metadata has the version")
    known = _VERSIONS[role][node.form]
    if found in known:
        return _ome_version_fits(site, found) if role in {"images", "labels"} else iter(())
    what = "the container" if role == "container" else role
    expected = f"{' or '.join(map(show, known))}, the version of {what} in Zarr {node.form}"
    shown = show(found) if is_dict(held) and "version" in held else "nothing"
    return iter((site.breach(("attributes", *place), expected, shown),))


def _ome_version_fits(site: Site, version: str) -> Iterator[Breach]:
    """Report an image that lacks the OME-Zarr version, or has OME-Zarr's own instead of SpatialData's."""
    node = site.node
    path, held = metadata_of(node) if node.form == "v3" else image_of(node) or ((), {})
    if not path:
        return  # not an image: another rule reports it
    found, wanted = held.get("version"), _OME_ZARR[version]
    if found is None or (found in ("0.4", "0.5") and found != wanted):
        expected = f"{show(wanted)}, as the format of {role_of(node)} is {version}"
        place = ("attributes", *path)
        shown, slip = (show(found), None) if "version" in held else absent_key("version", node, place, held)
        yield site.breach((*place, "version"), expected, shown, slip=slip)


def _axes_told(site: Site) -> Iterator[Breach] | Skip:
    if role_of(site.node) not in {"points", "shapes"}:
        return Skip("neither points nor shapes")
    found = site.node.attributes.get("axes")
    if found in (["x", "y"], ["x", "y", "z"]):
        return iter(())
    shown = show(found) if "axes" in site.node.attributes else "nothing"
    return iter((site.breach(("attributes", "axes"), '["x", "y"] or ["x", "y", "z"]', shown),))


def _point_keys(site: Site) -> Iterator[Breach] | Skip:
    held = site.node.attributes.get(ATTRIBUTES)
    if role_of(site.node) != "points" or not is_dict(held):
        return Skip("no points")
    return (
        site.breach(("attributes", ATTRIBUTES, key), "a string: the name of a column", show(held[key]))
        for key in ("feature_key", "instance_key")
        if key in held and not isinstance(held[key], str)
    )


_GEOMETRIES: Final = {"POINT": 0, "POLYGON": 3, "MULTIPOLYGON": 6}
"""The geometries of shapes, with their numbers in shapely."""


def _is_old_shapes(node: Node) -> bool:
    held = node.attributes.get(ATTRIBUTES)
    return role_of(node) == "shapes" and is_dict(held) and held.get("version") == "0.1"


def _geometry_told(site: Site) -> Iterator[Breach] | Skip:
    node = site.node
    if not _is_old_shapes(node):
        return Skip("no shapes of version 0.1")
    held = node.attributes[ATTRIBUTES].get("geos")
    name, number = (held.get("name"), held.get("type")) if is_dict(held) else (None, None)
    if isinstance(name, str) and _GEOMETRIES.get(name, -1) == number and not isinstance(number, bool):
        return iter(())
    known = ", ".join(f'{{"name": "{each}", "type": {code}}}' for each, code in _GEOMETRIES.items())
    shown = "nothing" if held is None else show(held)
    return iter((site.breach(("attributes", ATTRIBUTES, "geos"), f"one of {known}", shown),))


def _coordinates_there(site: Site) -> Iterator[Breach] | Skip:
    node = site.node
    if not _is_old_shapes(node):
        return Skip("no shapes of version 0.1")
    if node.members is None:
        return Skip("the members of the group are unknown")
    geometry = node.attributes[ATTRIBUTES].get("geos")
    name = geometry.get("name") if is_dict(geometry) else None
    wanted = ("coords", "Index", *(("radius",) if name == "POINT" else ()))
    return (
        site.breach(("members", each), f"an array {show(each)}", "nothing")
        for each in wanted
        if each not in node.arrays
    )


ELEMENT_CHECKS: Final[Functions] = {
    "version": _version_known,
    "axes": _axes_told,
    "point-keys": _point_keys,
    "geometry": _geometry_told,
    "geometry-arrays": _coordinates_there,
}
