"""Images: `multiscales`, the arrays of an image from the largest to the smallest.

https://ngff.openmicroscopy.org/0.5/#multiscale-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from zom.checks.check import Breach, Site, python
from zom.checks.checked_rule import CheckedRule, schema
from zom.checks.references import ref, ref_dims, ref_ndim, ref_order
from zom.checks.values import json_type, required, unique
from zom.conventions.framework.attributes import Part
from zom.conventions.ome.axes import Axis, kind_of
from zom.conventions.ome.edition import lists
from zom.conventions.ome.transforms import Transformation  # noqa: TC001 - pydantic reads the annotation
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.conventions.ome.edition import Edition

__all__ = ["Dataset", "Multiscale", "array_rules", "dimension_names", "image_rules", "scale_order"]


class Dataset(Part):
    """One array of an image."""

    path: str
    coordinate_transformations: list[Transformation] = Field(alias="coordinateTransformations", min_length=1)


class Multiscale(Part):
    """An image of several resolutions."""

    name: str = ""
    axes: list[Axis]
    datasets: list[Dataset] = Field(min_length=1)
    coordinate_transformations: list[Transformation] = Field(
        default=[], alias="coordinateTransformations", min_length=1
    )


def image_rules(edition: Edition) -> tuple[CheckedRule, ...]:
    """The rules on the list of images and on what each tells of itself."""
    link = edition.link("multiscale-md")
    images = edition.at("multiscales")
    image = f"{images}[*]"
    return (
        CheckedRule(
            "multiscales",
            schema(),
            must=f"`{images}` is a list of one or more objects",
            fix="give a list with an object for each image",
            source="both",
            each=images,
            link=link,
        ),
        CheckedRule(
            "multiscales-distinct",
            unique(".[*]"),
            must=f"No two items of `{images}` are the same",
            fix="remove the item that is there twice",
            source="schema",
            each=images,
            link=edition.schema("image"),
        ),
        *_told(edition, image),
        CheckedRule(
            "datasets",
            schema(),
            must="An image has `datasets`, a list of one or more objects",
            fix="list the arrays of the image, the largest first",
            source="both",
            each=f"{image}.datasets",
            link=link,
        ),
        CheckedRule(
            "dataset-has-path",
            schema(),
            must="Each dataset has a `path`, a string",
            fix="write the path of the array, relative to the group",
            source="both",
            each=f"{image}.datasets[*].path",
            link=link,
        ),
    )


def _told(edition: Edition, image: str) -> tuple[CheckedRule, ...]:
    link = edition.link("multiscale-md")
    told = (
        ("name", "An image has a `name`", "name the image"),
        ("type", "An image has a `type`", "name the method of downscaling"),
        (
            "metadata",
            "An image has `metadata` on its downscaling",
            "tell in an object how the levels were made",
        ),
    )
    return (
        *(
            CheckedRule(
                f"multiscales-{key}",
                required(f".{key}"),
                should=text,
                fix=fix,
                source="both",
                each=image,
                link=link,
                advice=True,
            )
            for key, text, fix in told
        ),
        CheckedRule(
            "multiscales-type-string",
            json_type(["string"], at=".type"),
            should="The `type` of an image is a string",
            fix="name the method of downscaling as a string",
            each=image,
            link=link,
        ),
        CheckedRule(
            "multiscales-metadata-object",
            json_type(["object"], at=".metadata"),
            should="The `metadata` of an image is an object",
            fix="tell in an object how the levels were made",
            each=image,
            link=link,
        ),
        CheckedRule(
            "multiscales-name-string",
            schema(),
            must="The `name` of an image is a string",
            fix="write the name as a string",
            source="schema",
            each=f"{image}.name",
            link=edition.schema("image"),
        ),
    )


def array_rules(edition: Edition) -> tuple[CheckedRule, ...]:
    """The rules on the arrays to which the datasets of an image lead."""
    link = edition.link("multiscale-md")
    image = edition.at("multiscales[*]")
    return (
        CheckedRule(
            "axes-ndim",
            ref_ndim(".datasets[*].path", like=".axes[*]"),
            must="An array has as many dimensions as its image has axes",
            fix="give an axis for each dimension",
            each=image,
            link=edition.link("axes-md"),
        ),
        CheckedRule(
            "dataset-path",
            ref(".datasets[*].path", kind="array"),
            must="The `path` of a dataset leads from the group of the image to an array",
            fix="write the array, or correct the path",
            each=image,
            link=link,
        ),
        CheckedRule(
            "dataset-order",
            ref_order(".datasets[*].path"),
            must="Datasets come in order from the largest array to the smallest",
            fix="list the array of highest resolution first",
            each=image,
            link=link,
        ),
    )


def dimension_names(edition: Edition) -> CheckedRule:
    """The rule that arrays name their dimensions as the image names its axes."""
    return CheckedRule(
        "dimension-names",
        ref_dims(".datasets[*].path", like=".axes[*].name"),
        must="The `dimension_names` of an array are the names of the axes of its image, in their order",
        fix="write the names of the axes into `dimension_names` of the array",
        each=edition.at("multiscales[*]"),
        link=edition.link("axes-md"),
        after=("axes*",),
    )


def scale_order(edition: Edition) -> CheckedRule:
    """The rule that pixels become no smaller from one dataset to the next."""
    return CheckedRule(
        "scale-order",
        python(_no_scale_shrinks),
        must="From one dataset to the next no scale of an axis of space becomes smaller",
        fix="list the array of highest resolution first, with the size of its pixels",
        each=edition.at("multiscales[*]"),
        link=edition.link("multiscale-md"),
    )


def _no_scale_shrinks(site: Site) -> Iterator[Breach]:
    if not is_dict(site.scope):
        return
    axes = site.scope.get("axes")
    space = [place for place, axis in enumerate(axes) if kind_of(axis) == "space"] if is_list(axes) else []
    before: list[Any] | None = None
    for place, dataset in lists(site.scope, "datasets"):
        found = _scale_of(dataset)
        if found is None:
            continue
        at, scale = found
        for axis in space if before is not None else ():
            if (
                before is not None
                and axis < min(len(before), len(scale))
                and _shrinks(before[axis], scale[axis])
            ):
                path = site.at("datasets", place, "coordinateTransformations", at, "scale", axis)
                yield site.breach(
                    path, f"{show(before[axis])} or more, as the dataset before has", scale[axis]
                )
        before = scale


def _scale_of(dataset: Mapping[str, Any]) -> tuple[int, list[Any]] | None:
    for place, each in lists(dataset, "coordinateTransformations"):
        if each.get("type") == "scale" and is_list(each.get("scale")):
            return place, each["scale"]
    return None


def _shrinks(before: object, after: object) -> bool:
    if isinstance(before, bool) or isinstance(after, bool):
        return False
    if not isinstance(before, (int, float)) or not isinstance(after, (int, float)):
        return False
    # Sizes of levels that are computed may differ in the last digits.
    # Integers of hundreds of digits can be compared with floats, and not multiplied.
    return abs(after) < (abs(before) if abs(before) > 1e300 else abs(before) * (1 - 1e-9))
