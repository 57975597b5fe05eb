"""OME-Zarr 0.6: images with coordinate systems and transformations, labels, plates, wells, scenes.

https://ngff.openmicroscopy.org/0.6/
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from zom.checks.checked_rule import CheckedRule, has, schema
from zom.checks.references import ref_dtype
from zom.checks.values import pattern, required
from zom.conventions.framework.convention import Convention, register
from zom.conventions.ome.axes import axes_form, axes_order, axes_units
from zom.conventions.ome.bioformats2raw import layout_rules
from zom.conventions.ome.edition import OMEZarr
from zom.conventions.ome.identity import metadata_rule, namespace_rules
from zom.conventions.ome.label_groups import label_list_rules, label_tree_rules
from zom.conventions.ome.label_images import label_rules
from zom.conventions.ome.multiscales import array_rules, image_rules
from zom.conventions.ome.omero import omero_rules
from zom.conventions.ome.plate_wells import plate_tree_rules
from zom.conventions.ome.plates import acquisition_rules, plate_rules
from zom.conventions.ome.scene import SCENE_RULES
from zom.conventions.ome.transformations_rules import TRANSFORMATION_RULES
from zom.conventions.ome.v06_form import Ome06
from zom.conventions.ome.v06_systems import EDITION, IMAGES, PLACES, SYSTEM_RULES
from zom.conventions.ome.wells import well_image_unique, well_rules

if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = ["V06", "V06DEV4", "V06RC0"]


# --- the rules that other versions share, with other pages, and of coordinate systems -----------------------

_OTHERWISE: Final = {
    "axes-ndim",  # of the intrinsic coordinate system
    "axes-type-known",  # more types
    "axes-space",  # or of type array
    "axes-space-or-untyped",
    "axes-channel",
    "omero-color",  # not needed any more
    "omero-window",
    "omero-window-range",
    "well-image-alphanumeric",  # any name that Zarr recommends
}
_ONLY_OF_IMAGES: Final = {"axes-count"}
_KINDS: Final = (
    *("multiscales", "image-label", "labels", "plate", "well", "scene", "series"),
    r"bioformats2raw\.layout",
)
_ANCHORS: Final = {"#multiscale-md": "#multiscales-md", "#hcs-layout": "#high-content-screening"}


def _turned(rule: CheckedRule, *, axes: bool = False) -> CheckedRule:
    """A rule of 0.5 as 0.6 has it: its axes are those of a coordinate system, and its sections have other names."""

    def said(text: str | None) -> str | None:
        if text is None or not axes:
            return text
        text = text.replace("a `name`, a string", "a `name`, a string that is not empty")
        return text.replace("An image has", "A coordinate system has").replace(
            " of an image", " of a coordinate system"
        )

    link = rule.link
    for old, new in _ANCHORS.items():
        link = link.replace(old, new) if link is not None else None
    return replace(rule, must=said(rule.must), should=said(rule.should), note=said(rule.note), link=link)


def _shared() -> Iterator[CheckedRule]:
    for place in PLACES:
        for each in axes_form(EDITION, place):
            if place == PLACES[0] or each.id not in _ONLY_OF_IMAGES:
                yield _turned(each, axes=True)
        yield from (_turned(each, axes=True) for each in axes_units(EDITION, place))
    yield from (_turned(each, axes=True) for each in axes_order(EDITION, PLACES[0]))
    shared = (
        image_rules(EDITION),
        array_rules(EDITION),
        omero_rules(EDITION, needed="schema"),
        label_list_rules(EDITION),
        label_tree_rules(EDITION),
        label_rules(EDITION, "labels-md", pixels="labels-md"),
        plate_rules(EDITION),
        acquisition_rules(EDITION),
        plate_tree_rules(EDITION),
        well_rules(EDITION, names="both"),
        (well_image_unique(EDITION),),
        layout_rules(EDITION),
    )
    for rules in shared:
        yield from map(_turned, rules)


def _transform_form(place: str) -> CheckedRule:
    return CheckedRule(
        "transform-form",
        schema(),
        must="Each transformation has a `type` that the specification knows, and the parameters of that type",
        fix="see the table of types in the specification",
        source="both",
        each=f"{place}.coordinateTransformations[*]",
        link=EDITION.link("trafo-types-md"),
    )


_RULES: Final = (
    *(each for each in namespace_rules(EDITION) if each.id != "namespace"),
    *(each for each in _shared() if each.id not in _OTHERWISE),
    metadata_rule(EDITION, _KINDS),
    *SYSTEM_RULES,
    CheckedRule(
        "transforms",
        schema(),
        must="Each dataset has `coordinateTransformations`, a list of objects",
        fix="add the scale that leads to the intrinsic coordinate system",
        source="both",
        each=f"{IMAGES}.datasets[*].coordinateTransformations",
        link=EDITION.link("multiscales-md"),
    ),
    CheckedRule(
        "transforms-of-image",
        schema(),
        must="The `coordinateTransformations` of a whole image, where there are any, are a list of one or more objects",
        fix="write them as a list, or leave them out",
        source="both",
        each=f"{IMAGES}.coordinateTransformations",
        link=EDITION.link("multiscales-md"),
    ),
    *(_transform_form(place) for place in (f"{IMAGES}.datasets[*]", IMAGES, "ome.scene")),
    CheckedRule(
        "dataset-dtype",
        ref_dtype(".datasets[*].path"),
        must="All arrays of an image have the same data type",
        fix="write all levels in the data type of the first",
        each=IMAGES,
        link=EDITION.link("multiscales-md"),
    ),
    CheckedRule(
        "omero-window-range",
        schema(),
        must="The `window` of a channel, where there is one, is an object with the numbers `start` and `end`",
        fix="write both as numbers",
        source="both",
        each="ome.omero.channels[*].window",
        link=EDITION.link("omero-md"),
    ),
    *(
        CheckedRule(
            "omero-window-limits",
            required(f".window.{key}"),
            must="The `window` of a channel has `min` and `max`",
            fix="add the least and the greatest value of the channel",
            source="schema",
            each="ome.omero.channels[*]",
            link=EDITION.schema("image"),
        )
        for key in ("min", "max")
    ),
    CheckedRule(
        "well-image-name",
        pattern(r"(?!\.+$)(?!__)[A-Za-z0-9_.-]+", at="ome.well.images[*].path"),
        must="The `path` of an image of a well is a name of letters, digits, -, _ and ., and not of periods only",
        fix="name the group of the image so, and not with __ at its beginning",
        source="both",
        link=EDITION.link("well-md"),
    ),
    *TRANSFORMATION_RULES,
    *SCENE_RULES,
)


V06: Final = register(
    OMEZarr(
        id="ome",
        version="0.6",
        title="OME-Zarr 0.6",
        link=EDITION.page,
        on=("group",),
        attributes=Ome06,
        owns=("ome",),
        version_at=("ome.version",),
        free=("ome.multiscales[*].name",),
        signs=((has("ome.version"),), (has("ome.scene"),), (has("ome.multiscales[*].coordinateSystems"),)),
        assumed=True,
        rules=_RULES,
    )
)
"""The convention."""


def _candidate(version: str) -> Convention:
    """0.6 by a name that it had before: nothing was to change but its name."""
    return register(replace(V06, version=version, title=f"OME-Zarr {version}", assumed=False))


V06RC0: Final = _candidate("0.6rc0")
V06DEV4: Final = _candidate("0.6.dev4")
