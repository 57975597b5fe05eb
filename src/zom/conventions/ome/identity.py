"""Identity: how metadata of OME-Zarr 0.4 and 0.5 is found, which version it tells, and where it may stand.

https://ngff.openmicroscopy.org/0.5/#metadata
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.conventions.check import Breach, Site, Skip, python
from zom.conventions.ome.bioformats2raw import LAYOUT
from zom.conventions.rule import Rule, schema
from zom.conventions.selector import parse_selector, select
from zom.conventions.value_checks import equals
from zom.conventions.view import Node
from zom.model.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.conventions.ome.edition import Edition

__all__ = [
    "KEYS",
    "VERSIONS",
    "dimension_separator",
    "found_beside_others",
    "found_under_ome",
    "namespace_rules",
    "untold_of_systems",
    "version_rules",
]

KEYS: Final = ("multiscales", "omero", "image-label", "plate", "well", LAYOUT, "labels", "series")
"""The keys of OME-Zarr 0.4, which stand among the attributes of anyone."""
VERSIONS: Final = ("multiscales[*].version", "plate.version", "well.version", "image-label.version")
"""Where OME-Zarr 0.4 tells its version."""

_PLAIN: Final = ("multiscales", "image-label", LAYOUT)


def found_beside_others(node: Node) -> str | None:
    """Why a group of Zarr v2 has metadata of 0.4 or older; None where it has none.

    >>> from zom.conventions.view import attributes_node
    >>> found_beside_others(attributes_node({"plate": {"rows": []}}, "v2"))
    'has plate'
    >>> found_beside_others(attributes_node({"plate": "no. 7", "labels": ["a", "b"]}, "v2"))
    """
    attributes = node.attributes
    for key in _PLAIN:
        if key in attributes:
            return f"has {key}"
    for key in ("plate", "well", "omero"):
        # A plate may be told by its number, and a well by its name, without OME-Zarr.
        if key in attributes and (attributes[key] is None or isinstance(attributes[key], (dict, list))):
            return f"has {key}"
    if "labels" in attributes and (node.name == "labels" or _is_image(node.parent)):
        return "has labels"
    if "series" in attributes and node.name == "OME":
        return "has series"
    return None


def _is_image(node: Node | None) -> bool:
    return node is not None and "multiscales" in node.attributes


def found_under_ome(node: Node) -> str | None:
    """Why a group has metadata of 0.5, or of 0.4 that is in Zarr v3; None where it has none.

    >>> from zom.conventions.view import attributes_node
    >>> found_under_ome(attributes_node({"ome": {}})), found_under_ome(attributes_node({"multiscales": [{"axes": []}]}))
    ('has ome', 'has multiscales beside other attributes')
    """
    if "ome" in node.attributes:
        return None if untold_of_systems(node) else "has ome"
    key = _bare_key(node)
    return None if key is None else f"has {key} beside other attributes"


def untold_of_systems(node: Node) -> bool:
    """Whether metadata tells no version, but has what came with 0.6: coordinate systems, or a scene.

    >>> from zom.conventions.view import attributes_node
    >>> untold_of_systems(attributes_node({"ome": {"scene": {}}}))
    True
    """
    ome = node.attributes.get("ome")
    if not is_dict(ome) or "version" in ome:
        return False
    images = ome.get("multiscales")
    listed = images if is_list(images) else ()
    return "scene" in ome or any(is_dict(each) and "coordinateSystems" in each for each in listed)


def _bare_key(node: Node) -> str | None:
    """The key of 0.4 that a group of Zarr v3 has beside its other attributes.

    `multiscales` is a key of another convention, too, where it holds an object.
    """
    if node.form == "v2" or "ome" in node.attributes:
        return None
    for key, hints in (
        ("multiscales", {"datasets", "axes"}),
        ("plate", {"wells", "rows", "columns"}),
        ("well", {"images"}),
        ("image-label", {"colors", "properties", "source"}),
    ):
        found: Any = node.attributes.get(key)
        found = found[0] if key == "multiscales" and is_list(found) and found else found
        if is_dict(found) and not hints.isdisjoint(found) and "layout" not in found:
            return key
    return None


def version_rules(edition: Edition) -> tuple[Rule, ...]:
    """The rules of 0.4 on versions."""
    return tuple(
        Rule(
            "version",
            equals(edition.version, at=selector),
            must=f'Where an image, a label, a plate or a well has a `version`, it is the string "{edition.version}"',
            fix=f'write "version": "{edition.version}", or check by the convention of the version that stands there',
            source="both",
            link=edition.link("multiscale-md"),
        )
        for selector in VERSIONS
    )


def namespace_rules(edition: Edition) -> tuple[Rule, ...]:
    """The rules of 0.5 on `ome`, on its version, and on the format of Zarr."""
    link = edition.link("metadata")
    return (
        Rule(
            "namespace",
            schema(),
            must="`ome` is an object",
            fix="put the metadata into an object under `ome`",
            source="both",
            each="ome",
            link=link,
        ),
        Rule(
            "version",
            schema(),
            must="`ome` has a `version`, a string",
            fix=f'write "version": "{edition.version}" into `ome`',
            source="both",
            each="ome.version",
            link=link,
        ),
        Rule(
            "version-consistent",
            python(_same_version),
            must="All OME-Zarr metadata of one hierarchy has the same version",
            fix="write all metadata of the hierarchy in one version",
            each="ome.version",
            link=link,
        ),
        Rule(
            "zarr-format",
            python(_in_zarr_v3),
            must=f"OME-Zarr {edition.version} has its metadata under `ome` in groups of Zarr v3, and 0.4 beside other "
            "attributes in groups of Zarr v2",
            fix=f'in Zarr v3 move the metadata below `ome` with "version": "{edition.version}"; '
            "in Zarr v2 take it out of `ome`, in the form of 0.4",
            link=edition.link("storage-format"),
        ),
    )


def _version_of(node: Node) -> object:
    found = node.attributes.get("ome")
    return found.get("version") if is_dict(found) else None


def _same_version(site: Site) -> Iterator[Breach] | Skip:
    own = _version_of(site.node)
    if own is None:
        return Skip("it tells no version")
    if any(_version_of(above) is not None for above in site.node.ancestors()):
        return Skip("it is judged from the group above")
    return _other_versions(site, own)


def _other_versions(site: Site, own: object) -> Iterator[Breach]:
    for node in site.node.walk():
        if node.is_group and "ome" in node.attributes:
            found = _version_of(node)
            if found is not None and found != own:
                expected = f"{show(own)}, as {site.node.path} has"
                yield site.breach(
                    ("attributes", "ome", "version"), expected, show(found), node=node, related=[site.node]
                )


def _in_zarr_v3(site: Site) -> Iterator[Breach]:
    node = site.node
    key = _bare_key(node)
    if key is not None:
        yield site.breach(
            ("attributes", key), f"{key} under ome", f"{key} beside other attributes in Zarr v3"
        )
    elif node.form == "v2":
        yield site.breach(("attributes", "ome"), "a group of Zarr v3", "ome in a group of Zarr v2")


def dimension_separator(edition: Edition) -> Rule:
    """The rule of 0.4 on the layout of chunks."""
    return Rule(
        "dimension-separator",
        python(_nested_chunks),
        must='The chunks of an image are stored in nested directories: `dimension_separator` is "/"',
        fix='write the array with "dimension_separator": "/"',
        each=edition.at("multiscales[*]"),
        link=edition.link("image-layout"),
    )


_PATHS: Final = parse_selector("datasets[*].path").steps


def _nested_chunks(site: Site) -> Iterator[Breach] | Skip:
    paths = (path for _, path in select(site.scope, _PATHS) if isinstance(path, str))
    arrays = [node for node in map(site.node.at, paths) if isinstance(node, Node) and node.is_array]
    if not arrays:
        return Skip("no array is known")
    # Where the document has none, chunks are joined by dots.
    found = ((array, array.document.get("dimension_separator", ".")) for array in arrays)
    return (
        site.breach(("dimension_separator",), '"/"', show(separator), node=array)
        for array, separator in found
        if separator != "/"
    )
