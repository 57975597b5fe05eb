"""`bioformats2raw.layout`: several images in one hierarchy, listed in `series` or numbered from 0.

https://ngff.openmicroscopy.org/0.5/#bf2raw
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.checks.check import Breach, Site, Skip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.conventions.ome.edition import Edition, Judge

__all__ = ["LAYOUT", "numbered", "series_beside_plate"]

LAYOUT: Final = "bioformats2raw.layout"
_CONTAINER: Final = "OME"


def numbered(edition: Edition) -> Judge:
    """Check that images without a `series` list are in groups 0, 1, 2 and so on."""

    def numbered(site: Site) -> Iterator[Breach] | Skip:
        node = site.node
        if node.members is None:
            return Skip("the members of the group are unknown")
        container = node.groups.get(_CONTAINER)
        if container is not None and "series" in edition.metadata(container):
            return Skip("series lists the images")
        images = [name for name, group in node.groups.items() if edition.is_image(group)]
        wanted = {str(number) for number in range(max(len(images), 1))}
        if set(images) == wanted:
            return iter(())
        expected = "images in groups 0" if len(wanted) == 1 else f"images in groups 0 to {len(wanted) - 1}"
        return iter((site.breach(site.at(), expected, ", ".join(images[:12]) or "no images"),))

    return numbered


def series_beside_plate(edition: Edition) -> Judge:
    """Check that the group OME has `series` if there is a plate."""

    def series_beside_plate(site: Site) -> Iterator[Breach] | Skip:
        container = site.node.groups.get(_CONTAINER)
        if container is None or "plate" not in edition.metadata(site.node):
            return Skip("no plate with a group OME")
        if "series" in edition.metadata(container):
            return iter(())
        return iter((site.breach(edition.path("series"), "the list of images", "nothing", node=container),))

    return series_beside_plate
