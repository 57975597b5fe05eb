"""OME-Zarr 0.5: images, labels, plates and wells in Zarr v3, the metadata under `ome`.

https://ngff.openmicroscopy.org/0.5/
"""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from zom.checks.checked_rule import CheckedRule
from zom.checks.values import required
from zom.conventions.framework.attributes import Attributes
from zom.conventions.framework.convention import Convention, register
from zom.conventions.ome.axes import axes_form, axes_order, axes_units
from zom.conventions.ome.bioformats2raw import LAYOUT, layout_rules
from zom.conventions.ome.edition import Edition
from zom.conventions.ome.identity import UNDER_OME, metadata_rule, namespace_rules
from zom.conventions.ome.label_groups import label_list_rules, label_tree_rules
from zom.conventions.ome.label_images import ImageLabel, label_rules
from zom.conventions.ome.multiscales import Multiscale, array_rules, dimension_names, image_rules, scale_order
from zom.conventions.ome.omero import Omero, omero_rules
from zom.conventions.ome.plate_wells import plate_tree_rules
from zom.conventions.ome.plates import Plate, acquisition_rules, plate_rules
from zom.conventions.ome.transforms import transform_rules
from zom.conventions.ome.wells import Well, well_image_unique, well_rules

__all__ = ["V05", "Ome05"]

EDITION: Final = Edition("0.5", "ome", "https://ngff.openmicroscopy.org/0.5/")
_IMAGES: Final = EDITION.at("multiscales[*]")
_KINDS: Final = ("multiscales", "image-label", "labels", "plate", "well", "series", r"bioformats2raw\.layout")


class Ome05(Attributes, key="ome"):
    """What stands under `ome`."""

    version: str
    multiscales: list[Multiscale] = Field(default=[], min_length=1)
    omero: Omero = Field(default_factory=Omero.model_construct)
    labels: list[str] = Field(default=[])
    image_label: ImageLabel = Field(default_factory=ImageLabel, alias="image-label")
    plate: Plate = Field(default_factory=Plate.model_construct)
    well: Well = Field(default_factory=Well.model_construct)
    layout: Any = Field(default=3, alias=LAYOUT)
    series: list[str] = Field(default=[])


def _told() -> tuple[CheckedRule, ...]:
    """What else should be told of labels and plates."""
    return (
        CheckedRule(
            "label-has-colors",
            required(".colors"),
            should="`ome.image-label` has `colors`",
            fix="add the colors of the labels",
            source="both",
            each="ome.image-label",
            link=EDITION.link("labels-md"),
            advice=True,
        ),
        CheckedRule(
            "plate-has-field-count",
            required(".field_count"),
            should="A plate has a `field_count`",
            fix="write how many fields of view a well has at most",
            each="ome.plate",
            link=EDITION.link("plate-md"),
            advice=True,
        ),
    )


def _versions_told() -> tuple[CheckedRule, ...]:
    """The versions beside `ome.version` that the text still asks for, of a plate with MUST.

    The published schemas do not, nor do the text's own examples have them: a note is what is left.
    """
    return tuple(
        CheckedRule(
            f"{name}-version",
            required(".version"),
            note=f"`ome.{key}` has a `version`; the text still asks for it, though since 0.5 `ome.version` tells it",
            fix='add "version": "0.5" for readers that look there',
            each=f"ome.{key}",
            link=EDITION.link(anchor),
        )
        for name, key, anchor in (
            ("label", "image-label", "labels-md"),
            ("plate", "plate", "plate-md"),
            ("well", "well", "well-md"),
        )
    )


V05: Final = register(
    Convention(
        id="ome",
        version="0.5",
        title="OME-Zarr 0.5",
        link=EDITION.page,
        on=("group",),
        attributes=Ome05,
        signs=UNDER_OME,
        version_at=("ome.version",),
        free=("ome.multiscales[*].name",),
        assumed=True,
        rules=(
            *namespace_rules(EDITION),
            metadata_rule(EDITION, _KINDS),
            *image_rules(EDITION),
            *axes_form(EDITION, _IMAGES),
            *axes_order(EDITION, _IMAGES),
            *axes_units(EDITION, _IMAGES),
            *array_rules(EDITION),
            dimension_names(EDITION),
            scale_order(EDITION),
            *transform_rules(EDITION),
            *omero_rules(EDITION, needed="text"),
            *label_list_rules(EDITION),
            *label_tree_rules(EDITION),
            *label_rules(EDITION, "labels-md", pixels="labels-md"),
            *plate_rules(EDITION),
            *acquisition_rules(EDITION),
            *plate_tree_rules(EDITION),
            *well_rules(EDITION, names="both"),
            well_image_unique(EDITION),
            *layout_rules(EDITION),
            *_told(),
            *_versions_told(),
        ),
    )
)
