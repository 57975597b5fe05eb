"""OME-Zarr 0.4: images, labels, plates and wells in Zarr v2, the metadata beside other attributes.

https://ngff.openmicroscopy.org/0.4/
"""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from zom.checks.checked_rule import CheckedRule
from zom.checks.values import required
from zom.conventions.framework.attributes import Attributes
from zom.conventions.framework.convention import register
from zom.conventions.ome.axes import axes_form, axes_order, axes_units
from zom.conventions.ome.bioformats2raw import LAYOUT, layout_rules
from zom.conventions.ome.edition import Edition, OMEZarr
from zom.conventions.ome.identity import (
    BESIDE_OTHERS,
    KEYS,
    VERSIONS,
    dimension_separator,
    version_rules,
)
from zom.conventions.ome.label_groups import label_list_rules
from zom.conventions.ome.label_images import ImageLabel, label_rules
from zom.conventions.ome.multiscales import Multiscale, array_rules, image_rules, scale_order
from zom.conventions.ome.omero import Omero, omero_rules
from zom.conventions.ome.plate_wells import plate_tree_rules
from zom.conventions.ome.plates import Plate, acquisition_rules, plate_rules
from zom.conventions.ome.transforms import transform_rules
from zom.conventions.ome.wells import Well, well_rules

__all__ = ["V04", "Ome04"]

EDITION: Final = Edition("0.4", None, "https://ngff.openmicroscopy.org/0.4/")
_IMAGES: Final = EDITION.at("multiscales[*]")


class Ome04(Attributes):
    """The keys of OME-Zarr 0.4."""

    multiscales: list[Multiscale] = Field(default=[], min_length=1)
    omero: Omero = Field(default_factory=Omero.model_construct)
    labels: list[str] = Field(default=[])
    image_label: ImageLabel = Field(default_factory=ImageLabel, alias="image-label")
    plate: Plate = Field(default_factory=Plate.model_construct)
    well: Well = Field(default_factory=Well.model_construct)
    layout: Any = Field(default=3, alias=LAYOUT)
    series: list[str] = Field(default=[])


def _versions_told() -> tuple[CheckedRule, ...]:
    """Where a version should be told: of images the text says so, and the strict schemas of the others."""
    fix = 'add "version": "0.4"'
    return (
        CheckedRule(
            "multiscales-version",
            required(".version"),
            should="An image has a `version`",
            fix=fix,
            source="both",
            each=_IMAGES,
            link=EDITION.link("multiscale-md"),
            advice=True,
        ),
        *(
            CheckedRule(
                f"{key}-version",
                required(".version"),
                should=f"A {key} has a `version`",
                fix=fix,
                source="schema",
                each=key,
                link=EDITION.schema(f"strict_{key}"),
                advice=True,
            )
            for key in ("plate", "well")
        ),
    )


V04: Final = register(
    OMEZarr(
        id="ome",
        version="0.4",
        title="OME-Zarr 0.4",
        link=EDITION.page,
        on=("group",),
        formats=("v2",),
        attributes=Ome04,
        owns=KEYS,
        signs=BESIDE_OTHERS,
        version_at=VERSIONS,
        free=("multiscales[*].name",),
        assumed=True,
        rules=(
            *version_rules(EDITION),
            dimension_separator(EDITION),
            *image_rules(EDITION),
            *_versions_told(),
            *axes_form(EDITION, _IMAGES),
            *axes_order(EDITION, _IMAGES),
            *axes_units(EDITION, _IMAGES),
            *array_rules(EDITION),
            scale_order(EDITION),
            *transform_rules(EDITION),
            *omero_rules(EDITION, needed="both"),
            *label_list_rules(EDITION),
            *label_rules(EDITION, "label-md", pixels="image-layout"),
            # That labels have colors is said by the strict schema only.
            CheckedRule(
                "label-has-colors",
                required(".colors"),
                should="`image-label` has `colors`",
                fix="add the colors of the labels",
                source="schema",
                each="image-label",
                link=EDITION.schema("strict_label"),
                advice=True,
            ),
            *plate_rules(EDITION),
            *acquisition_rules(EDITION),
            *plate_tree_rules(EDITION),
            *well_rules(EDITION, names="schema"),
            *layout_rules(EDITION),
        ),
    )
)
