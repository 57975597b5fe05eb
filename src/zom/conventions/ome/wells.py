"""Wells: the fields of view of one well, each an image.

https://ngff.openmicroscopy.org/0.5/#well-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from zom.checks.check import Breach, Site, Skip
from zom.conventions.framework.attributes import Part
from zom.conventions.ome.edition import lists
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.conventions.ome.edition import Edition, Judge
    from zom.formats.node_view import Node

__all__ = ["FieldOfView", "Well", "acquisition_known", "acquisition_told"]


class FieldOfView(Part):
    """A field of view."""

    path: str
    acquisition: int = 0


class Well(Part):
    """A well."""

    images: list[FieldOfView] = Field(min_length=1)


def _plate_above(site: Site) -> Node | None:
    """The group above a well's row."""
    row = site.node.parent
    return None if row is None else row.parent


def _acquisitions(edition: Edition, site: Site) -> list[Any] | None:
    """The acquisition ids of the plate above, or None if no plate is known or it lists none."""
    above = _plate_above(site)
    plate = None if above is None else edition.metadata(above).get("plate")
    if not is_dict(plate) or not is_list(plate.get("acquisitions")):
        return None
    return [each.get("id") for _, each in lists(plate, "acquisitions")]


def acquisition_told(edition: Edition) -> Judge:
    """Check that each image names its acquisition if the plate has several."""

    def acquisition_told(site: Site) -> Iterator[Breach] | Skip:
        ids = _acquisitions(edition, site)
        if ids is None or len(ids) < 2 or not is_dict(site.scope):
            return Skip("it is not in a plate with several acquisitions")
        expected = f"one of the {len(ids)} acquisitions of the plate"
        return (
            site.breach(site.at("images", place, "acquisition"), expected, "nothing")
            for place, image in lists(site.scope, "images")
            if "acquisition" not in image
        )

    return acquisition_told


def acquisition_known(edition: Edition) -> Judge:
    """Check that the acquisition of an image is one that the plate lists."""

    def acquisition_known(site: Site) -> Iterator[Breach] | Skip:
        ids = [each for each in _acquisitions(edition, site) or () if each is not None]
        above = _plate_above(site)
        if above is None or not ids or not is_dict(site.scope):
            return Skip("it is not in a plate with acquisitions")
        expected = f"one of {', '.join(map(show, ids[:12]))}"
        return (
            site.breach(
                site.at("images", place, "acquisition"),
                expected,
                image["acquisition"],
                # Report a lost acquisition only at the first of its images.
                cause=(f"acquisition {image['acquisition']}", above.path),
            )
            for place, image in lists(site.scope, "images")
            if type(image.get("acquisition")) in {int, float} and image["acquisition"] not in ids
        )

    return acquisition_known
