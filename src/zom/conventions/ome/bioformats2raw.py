"""`bioformats2raw.layout`: several images in one hierarchy, listed in `series` or numbered from 0.

https://ngff.openmicroscopy.org/0.5/#bf2raw
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.checks.check import Breach, Site, Skip, python
from zom.checks.checked_rule import CheckedRule, lacks, schema
from zom.checks.values import equals
from zom.conventions.ome.paths import leads_to

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.conventions.ome.edition import Edition, Judge

__all__ = ["LAYOUT", "layout_rules"]

LAYOUT: Final = "bioformats2raw.layout"
_SELECTOR: Final = r"bioformats2raw\.layout"
_CONTAINER: Final = "OME"


def layout_rules(edition: Edition) -> tuple[CheckedRule, ...]:
    """The rules on the layout and on `series`."""
    link = edition.link("bf2raw")
    layout, series = edition.at(_SELECTOR), edition.at("series")
    return (
        CheckedRule(
            "bf2raw",
            equals(3, at=layout),
            must="`bioformats2raw.layout` is 3",
            fix="write the number 3",
            source="both",
            each=layout,
            link=link,
        ),
        CheckedRule(
            "bf2raw-series",
            schema(),
            must="`series` in the group OME is a list of strings",
            fix="list the paths of the images",
            source="both",
            each=series,
            link=link,
        ),
        CheckedRule(
            "bf2raw-series-path",
            leads_to(edition, "multiscales", ".[*]", base="parent"),
            must="Each path in `series` leads from the group above OME to an image",
            fix="write the image, or correct the path",
            each=series,
            link=link,
        ),
        CheckedRule(
            "bf2raw-images",
            python(_numbered(edition)),
            must="Without `series` and `plate` the images are in groups 0, 1, 2 and so on",
            fix="name the groups of the images by numbers from 0, or list them in `series` of a group OME",
            each=layout,
            when=(lacks(edition.at("plate")),),
            link=link,
        ),
        CheckedRule(
            "bf2raw-plate-series",
            python(_series_beside_plate(edition)),
            should="Beside a plate the group OME has `series`, too, for readers that know no plates",
            fix="list the paths of all images in `series`",
            each=layout,
            link=link,
        ),
    )


def _numbered(edition: Edition) -> Judge:
    def numbered(site: Site) -> Iterator[Breach] | Skip:
        node = site.node
        if node.members is None:
            return Skip("the members of the group are not known")
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


def _series_beside_plate(edition: Edition) -> Judge:
    def series_beside_plate(site: Site) -> Iterator[Breach] | Skip:
        container = site.node.groups.get(_CONTAINER)
        if container is None or "plate" not in edition.metadata(site.node):
            return Skip("no plate with a group OME")
        if "series" in edition.metadata(container):
            return iter(())
        return iter((site.breach(edition.path("series"), "the list of images", "nothing", node=container),))

    return series_beside_plate
