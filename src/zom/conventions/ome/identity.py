"""Identity: how metadata of OME-Zarr 0.4 and 0.5 is found, which version it tells, and where it may stand.

https://ngff.openmicroscopy.org/0.5/#metadata
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.checks.check import Breach, Site, Skip, python
from zom.checks.checked_rule import CheckedRule, has, is_like, is_value, lacks, schema
from zom.checks.selector import parse_selector, select
from zom.checks.values import any_of, equals
from zom.conventions.framework.near_keys import spelled_within
from zom.conventions.ome.bioformats2raw import LAYOUT
from zom.formats.node_view import Node
from zom.json.python_value import is_dict
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zom.conventions.ome.edition import Edition

__all__ = [
    "BESIDE_OTHERS",
    "KEYS",
    "UNDER_OME",
    "VERSIONS",
    "dimension_separator",
    "metadata_rule",
    "namespace_rules",
    "version_rules",
]

KEYS: Final = ("multiscales", "omero", "image-label", "plate", "well", LAYOUT, "labels", "series")
"""The keys of OME-Zarr 0.4, which stand among the attributes of anyone."""
VERSIONS: Final = ("multiscales[*].version", "plate.version", "well.version", "image-label.version")
"""Where OME-Zarr 0.4 tells its version."""

_TELLING: Final = {
    "plate": ("plate.rows", "plate.columns", "plate.wells"),
    "well": ("well.images", "well.version"),
}
"""What tells a plate and a well from any that have the name: a plate may have its number there."""

BESIDE_OTHERS: Final = (
    *((has(key),) for key in ("multiscales", "image-label", r"bioformats2raw\.layout", "omero.channels")),
    *((has(selector),) for selectors in _TELLING.values() for selector in selectors),
    (is_value("@name", "labels"), has("labels")),
    (is_value("@name", "OME"), has("series")),
    # Of attributes alone nobody knows the name of the group.
    *((lacks("@kind"), is_like(f"{key}[*]", r"[\s\S]+")) for key in ("labels", "series")),
)
"""Where a group of Zarr v2 has metadata of 0.4 or older."""

_BARE: Final = {
    # Of another convention, an object is there.
    "multiscales": ("multiscales[*].datasets", "multiscales[*].axes"),
    "image-label": ("image-label.colors", "image-label.properties", "image-label.source"),
    **_TELLING,
}
"""What tells metadata of 0.4 in groups of Zarr v3, where it may not be, by key."""

UNDER_OME: Final = (
    (has("ome.version"),),
    # Without a version, coordinate systems and scenes are of 0.6.
    (has("ome"), lacks("ome.scene"), lacks("ome.multiscales[*].coordinateSystems")),
    *(
        (is_value("@format", "v3"), lacks("ome"), has(selector))
        for selectors in _BARE.values()
        for selector in selectors
    ),
)
"""Where a group has metadata of 0.5, or of 0.4 that is in Zarr v3."""


def version_rules(edition: Edition) -> tuple[CheckedRule, ...]:
    """The rules of 0.4 on versions."""
    return tuple(
        CheckedRule(
            "version",
            equals(edition.version, at=selector),
            must=f'Where an image, a label, a plate or a well has a `version`, it is the string "{edition.version}"',
            fix=f'write "version": "{edition.version}", or check by the convention of the version that stands there',
            source="both",
            link=edition.link("multiscale-md"),
        )
        for selector in VERSIONS
    )


def namespace_rules(edition: Edition) -> tuple[CheckedRule, ...]:
    """The rules of 0.5 on `ome`, on its version, and on the format of Zarr."""
    link = edition.link("metadata")
    return (
        CheckedRule(
            "namespace",
            schema(),
            must="`ome` is an object",
            fix="put the metadata into an object under `ome`",
            source="both",
            each="ome",
            link=link,
        ),
        CheckedRule(
            "version",
            schema(),
            must="`ome` has a `version`, a string",
            fix=f'write "version": "{edition.version}" into `ome`',
            source="both",
            each="ome.version",
            link=link,
        ),
        CheckedRule(
            "key-spelling",
            spelled_within("ome", ("version", "scene", *KEYS)),
            should="A key of `ome` is not nearly one of OME-Zarr: readers pass over what they don't know",
            fix="correct the name",
            link=link,
        ),
        CheckedRule(
            "version-consistent",
            python(_same_version),
            must="All OME-Zarr metadata of one hierarchy has the same version",
            fix="write all metadata of the hierarchy in one version",
            each="ome.version",
            link=link,
        ),
        CheckedRule(
            "zarr-format",
            python(_in_zarr_v3),
            must=f"OME-Zarr {edition.version} has its metadata under `ome` in groups of Zarr v3, and 0.4 beside other "
            "attributes in groups of Zarr v2",
            fix=f'in Zarr v3 move the metadata below `ome` with "version": "{edition.version}"; '
            "in Zarr v2 take it out of `ome`, in the form of 0.4",
            link=edition.link("storage-format"),
        ),
    )


def metadata_rule(edition: Edition, kinds: Sequence[str]) -> CheckedRule:
    """The rule that metadata describes something."""
    scene = ", a scene" if "scene" in kinds else ""
    return CheckedRule(
        "metadata",
        any_of([f".{kind}" for kind in kinds]),
        must=f"Metadata describes an image, labels, a plate, a well{scene} or a series of images",
        fix="add the metadata, or take `ome` away",
        source="schema",
        each="ome",
        link=edition.schema("ome_zarr"),
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


def _in_zarr_v3(site: Site) -> Iterator[Breach] | Skip:
    if site.node.kind is None:
        return Skip("nobody knows of which format the group is")
    return _in_another_format(site)


def _in_another_format(site: Site) -> Iterator[Breach]:
    if "ome" in site.node.attributes:
        if site.node.form == "v2":
            yield site.breach(("attributes", "ome"), "a group of Zarr v3", "ome in a group of Zarr v2")
        return
    key = next((key for key, found in _BARE.items() if any(map(site.values, found))), None)
    if key is not None:
        yield site.breach(
            ("attributes", key), f"{key} under ome", f"{key} beside other attributes in Zarr v3"
        )


def dimension_separator(edition: Edition) -> CheckedRule:
    """The rule of 0.4 on the layout of chunks."""
    return CheckedRule(
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
