"""Transformations of 0.4 and 0.5: the scale, and the translation, that lead from pixels to physical coordinates.

https://ngff.openmicroscopy.org/0.5/#trafo-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from pydantic import Field

from zom.checks.checked_rule import CheckedRule, has, is_value, lacks, schema
from zom.checks.values import count, length, required, sequence
from zom.conventions.framework.attributes import Part

if TYPE_CHECKING:
    from zom.conventions.ome.edition import Edition

__all__ = ["Transformation", "transform_rules"]

TYPES: Final = ("scale", "translation")


class Transformation(Part):
    """A scale or a translation."""

    type: Literal["scale", "translation"]
    scale: list[float] = Field(default=[])
    translation: list[float] = Field(default=[])
    path: str = ""


def transform_rules(edition: Edition) -> tuple[CheckedRule, ...]:
    """The rules on the transformations of datasets, and on those of whole images."""
    link = edition.link("multiscale-md")
    image = edition.at("multiscales[*]")
    dataset = f"{image}.datasets[*]"
    return (
        CheckedRule(
            "transforms",
            schema(),
            must="Each dataset has `coordinateTransformations`, a list of one or more objects",
            fix="add the scale that leads to the coordinates of the axes",
            source="both",
            each=f"{dataset}.coordinateTransformations",
            link=link,
        ),
        CheckedRule(
            "transforms-of-image",
            schema(),
            must="The `coordinateTransformations` of a whole image, where there are any, are a list of one or more objects",
            fix="write them as a list, as those of a dataset, or leave them out",
            source="both",
            each=f"{image}.coordinateTransformations",
            link=link,
        ),
        *(rule for holder in (dataset, image) for rule in _kinds(edition, holder)),
        *(
            rule
            for holder in (dataset, image)
            for rule in _vectors(edition, f"{holder}.coordinateTransformations[*]")
        ),
        *(
            CheckedRule(
                "transform-length",
                length(f"{where}coordinateTransformations[*].{kind}", like=".axes"),
                must="A scale and a translation have as many numbers as there are axes",
                fix="write a number for each axis",
                each=image,
                link=link,
                after=("axes-*",),
            )
            for where in (".datasets[*].", ".")
            for kind in TYPES
        ),
    )


def _kinds(edition: Edition, holder: str) -> tuple[CheckedRule, ...]:
    """What types of transformations there are, how many of each, and in which order."""
    link = edition.link("multiscale-md")
    some = (has(".coordinateTransformations[*]"),)
    return (
        CheckedRule(
            "transform-type",
            schema(),
            must='A transformation has as its `type` "scale" or "translation"',
            fix="write the transformation as a scale and, where need be, a translation",
            source="both",
            each=f"{holder}.coordinateTransformations[*].type",
            link=link,
        ),
        CheckedRule(
            "transform-scale",
            count(".coordinateTransformations[*].type", values=["scale"], minimum=1, maximum=1),
            must='Transformations contain exactly one of type "scale"',
            fix="keep one scale, the size of a pixel",
            source="both",
            each=holder,
            when=some,
            link=link,
        ),
        CheckedRule(
            "transform-translation",
            count(".coordinateTransformations[*].type", values=["translation"], maximum=1),
            must='Transformations contain at most one of type "translation"',
            fix="add the translations up",
            each=holder,
            when=some,
            link=link,
        ),
        CheckedRule(
            "transform-order",
            sequence(".coordinateTransformations[*]", "type", [["scale", "*"], ["translation"]]),
            must="A translation comes after the scale",
            fix="put the scale first, and the translation in physical units behind it",
            each=holder,
            link=link,
        ),
    )


def _vectors(edition: Edition, each: str) -> tuple[CheckedRule, ...]:
    """What numbers a transformation holds.

    The text lets an array hold them, at the `path` of the transformation; the published schema does not.
    """
    link, published = edition.link("trafo-md"), edition.schema("image")
    text = (
        "A scale has a list of numbers as `scale`, a translation as `translation`, "
        "or else the `path` of an array that holds them"
    )
    fix = "write a number for each axis"
    inline = "A transformation holds its numbers, two or more, itself"
    place = "write the numbers in place of `path`"
    rules: list[CheckedRule] = []
    for kind in TYPES:
        of_kind = is_value(".type", kind)
        rules += (
            CheckedRule("transform-vector", schema(), must=text, fix=fix, source="both", each=f"{each}.{kind}", link=link),
            CheckedRule("transform-vector", required(f".{kind}"), must=text, fix=fix, source="both", each=each,
                 when=(of_kind, lacks(".path")), link=link),
            CheckedRule("transform-inline", required(f".{kind}"), must=inline, fix=place, source="schema", each=each,
                 when=(of_kind, has(".path")), link=published),
            CheckedRule("transform-inline", count(f".{kind}[*]", minimum=2), must=inline, fix=place, source="schema", each=each,
                 when=(of_kind, has(f".{kind}")), link=published),
        )  # fmt: skip
    return tuple(rules)
