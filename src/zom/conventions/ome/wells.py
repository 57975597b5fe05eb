"""Wells: the fields of view of one well, each an image.

https://ngff.openmicroscopy.org/0.5/#well-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from zom.checks.check import Breach, Site, Skip, python
from zom.checks.checked_rule import CheckedRule, schema
from zom.checks.values import pattern, unique
from zom.conventions.framework.attributes import Part
from zom.conventions.ome.edition import lists
from zom.conventions.ome.paths import leads_to
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.checked_rule import Source
    from zom.conventions.ome.edition import Edition, Judge

__all__ = ["FieldOfView", "Well", "well_image_unique", "well_rules"]


class FieldOfView(Part):
    """A field of view."""

    path: str
    acquisition: int = 0


class Well(Part):
    """A well."""

    images: list[FieldOfView] = Field(min_length=1)


def well_rules(edition: Edition, *, names: Source) -> tuple[CheckedRule, ...]:
    """The rules on wells; `names` tells who states that paths are of letters and digits only."""
    return (*_form_rules(edition, names), *_tree_rules(edition))


def _form_rules(edition: Edition, names: Source) -> tuple[CheckedRule, ...]:
    link = edition.link("well-md")
    well = edition.at("well")
    image = f"{well}.images[*]"
    return (
        CheckedRule(
            "well",
            schema(),
            must=f"`{well}` is an object",
            fix="write it as an object",
            source="both",
            each=well,
            link=link,
        ),
        CheckedRule(
            "well-images",
            schema(),
            must="A well has `images`, a list of one or more objects",
            fix="list the fields of view",
            source="both",
            each=f"{well}.images",
            link=link,
        ),
        CheckedRule(
            "well-image-path",
            schema(),
            must="Each image of a well has a `path`, a string",
            fix="write the name of its group",
            source="both",
            each=f"{image}.path",
            link=link,
        ),
        CheckedRule(
            "well-image-alphanumeric",
            pattern("[A-Za-z0-9]+", at=".images[*].path"),
            must="The `path` of an image of a well has letters A to Z, a to z and digits only",
            fix="name the group of the image by letters and digits",
            source=names,
            each=well,
            link=edition.schema("well") if names == "schema" else link,
        ),
        CheckedRule(
            "well-distinct",
            unique(".images[*]"),
            must="No two images of a well are the same",
            fix="list each field of view once",
            source="schema",
            each=well,
            link=edition.schema("well"),
        ),
        CheckedRule(
            "well-acquisition",
            schema(),
            must="The `acquisition` of an image of a well is an integer",
            fix="write the id of the acquisition",
            source="both",
            each=f"{image}.acquisition",
            link=link,
        ),
    )


def well_image_unique(edition: Edition) -> CheckedRule:
    """The rule that came with 0.5."""
    return CheckedRule(
        "well-image-unique",
        unique(".images[*].path"),
        must="No two images of a well have the same `path`",
        fix="list each field of view once",
        each=edition.at("well"),
        link=edition.link("well-md"),
    )


def _tree_rules(edition: Edition) -> tuple[CheckedRule, ...]:
    link, layout = edition.link("well-md"), edition.link("hcs-layout")
    well = edition.at("well")
    return (
        CheckedRule(
            "well-acquisition-needed",
            python(_acquisition_told(edition)),
            must="Where a plate has several acquisitions, each image of its wells tells its `acquisition`",
            fix="add the id of the acquisition that the image is part of",
            each=well,
            link=link,
        ),
        CheckedRule(
            "well-acquisition-known",
            python(_acquisition_known(edition)),
            must="The `acquisition` of an image of a well is the `id` of one of the plate's acquisitions",
            fix="write the id of an acquisition that the plate lists",
            each=well,
            link=link,
            after_any=("plate-acquisition*",),
        ),
        CheckedRule(
            "well-tree",
            leads_to(edition, "multiscales", ".images[*].path"),
            must=f"The `path` of an image of a well leads to a group with `{edition.at('multiscales')}`",
            fix="write the image, or take it off the list",
            each=well,
            link=layout,
            after_any=("namespace", "multiscales"),
        ),
    )


def _acquisitions(edition: Edition, site: Site) -> list[Any] | None:
    """The ids of the acquisitions of the plate above; None where no plate is known, or it lists none."""
    row = site.node.parent
    plate = edition.metadata(row.parent).get("plate") if row is not None and row.parent is not None else None
    if not is_dict(plate) or not is_list(plate.get("acquisitions")):
        return None
    return [each.get("id") for _, each in lists(plate, "acquisitions")]


def _acquisition_told(edition: Edition) -> Judge:
    def acquisition_told(site: Site) -> Iterator[Breach] | Skip:
        ids = _acquisitions(edition, site)
        if ids is None or len(ids) < 2 or not is_dict(site.scope):
            return Skip("no plate of several acquisitions is above")
        expected = f"one of the {len(ids)} acquisitions of the plate"
        return (
            site.breach(site.at("images", place, "acquisition"), expected, "nothing")
            for place, image in lists(site.scope, "images")
            if "acquisition" not in image
        )

    return acquisition_told


def _acquisition_known(edition: Edition) -> Judge:
    def acquisition_known(site: Site) -> Iterator[Breach] | Skip:
        ids = [each for each in _acquisitions(edition, site) or () if each is not None]
        if not ids or not is_dict(site.scope):
            return Skip("no plate with acquisitions is above")
        expected = f"one of {', '.join(map(show, ids[:12]))}"
        return (
            site.breach(site.at("images", place, "acquisition"), expected, image["acquisition"])
            for place, image in lists(site.scope, "images")
            if type(image.get("acquisition")) in {int, float} and image["acquisition"] not in ids
        )

    return acquisition_known
