"""Label images: `image-label`, the colors of the labels, and the image that they belong to.

https://ngff.openmicroscopy.org/0.5/#labels-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from zom.checks.check import Breach, Site, Skip, python
from zom.checks.checked_rule import CheckedRule, schema
from zom.checks.references import ref_dtype
from zom.checks.values import count, required, unique
from zom.conventions.framework.attributes import Part
from zom.conventions.ome.edition import lists, reached
from zom.formats.node_view import UNKNOWN, Node
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.conventions.ome.edition import Edition, Judge

__all__ = ["Color", "ImageLabel", "Property", "Source", "label_rules"]

INTEGERS = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"]
DEFAULT_SOURCE = "../../"


class Color(Part):
    """The color of a label."""

    label_value: float = Field(alias="label-value")
    rgba: Annotated[list[Annotated[int, Field(ge=0, le=255)]], Field(min_length=4, max_length=4)] = Field(
        default=[]
    )


class Property(Part):
    """What else there is to tell of a label."""

    label_value: int = Field(alias="label-value")


class Source(Part):
    """The image that labels belong to."""

    image: str = DEFAULT_SOURCE


class ImageLabel(Part):
    """What a label image tells of its labels."""

    colors: list[Color] = Field(default=[])
    properties: list[Property] = Field(default=[])
    source: Source = Field(default_factory=Source)


def label_rules(edition: Edition, anchor: str, *, pixels: str) -> tuple[CheckedRule, ...]:
    """The rules on a label image, of which the text speaks at `anchor`, and of its pixels at `pixels`."""
    return (
        *_form_rules(edition, anchor),
        *_value_rules(edition, anchor),
        *_array_rules(edition, anchor, pixels),
    )


def _form_rules(edition: Edition, anchor: str) -> tuple[CheckedRule, ...]:
    link = edition.link(anchor)
    label = edition.at("image-label")
    return (
        CheckedRule(
            "label-object",
            schema(),
            must=f"`{label}` is an object",
            fix="write it as an object",
            source="both",
            each=label,
            link=link,
        ),
        CheckedRule(
            "label-colors",
            schema(),
            must="`colors` is a list of objects",
            fix="write an object with `label-value` and `rgba` for each label",
            source="both",
            each=f"{label}.colors",
            link=link,
        ),
        CheckedRule(
            "label-properties",
            schema(),
            must="`properties` is a list of objects",
            fix="write an object with `label-value` for each label",
            source="both",
            each=f"{label}.properties",
            link=link,
        ),
        CheckedRule(
            "label-source",
            schema(),
            must="`source` is an object, whose `image`, where it is there, is a string",
            fix='write the path to the image as "image" in `source`',
            source="both",
            each=f"{label}.source",
            link=link,
        ),
        *(
            CheckedRule(
                "label-nonempty",
                count(f".{key}[*]", minimum=1),
                must="`colors` and `properties` have one item or more",
                fix="leave out what is empty",
                source="schema",
                each=label,
                link=edition.schema("label"),
            )
            for key in ("colors", "properties")
        ),
        *(
            CheckedRule(
                "label-distinct",
                unique(f".{key}[*]"),
                must="No two items of `colors`, and no two of `properties`, are the same",
                fix="remove what is there twice",
                source="schema",
                each=label,
                link=edition.schema("label"),
            )
            for key in ("colors", "properties")
        ),
    )


def _value_rules(edition: Edition, anchor: str) -> tuple[CheckedRule, ...]:
    link = edition.link(anchor)
    label = edition.at("image-label")
    return (
        CheckedRule(
            "label-value",
            schema(),
            must="Each item of `colors` has a `label-value`, a number",
            fix="add the number of the label",
            source="both",
            each=f"{label}.colors[*].label-value",
            link=link,
        ),
        CheckedRule(
            "label-property-value",
            schema(),
            must="Each item of `properties` has a `label-value`, an integer",
            fix="add the number of the label",
            source="both",
            each=f"{label}.properties[*].label-value",
            link=link,
        ),
        CheckedRule(
            "label-value-integer",
            python(_whole),
            must="The `label-value` of an item of `colors` is an integer",
            fix="write the number of the label without a fraction",
            each=f"{label}.colors[*].label-value",
            link=link,
        ),
        CheckedRule(
            "label-value-unique",
            unique(".colors[*].label-value"),
            must="Each `label-value` stands once in `colors`",
            fix="keep one color for each label",
            each=label,
            link=link,
        ),
        CheckedRule(
            "label-rgba",
            schema(),
            must="`rgba` is a list of four integers from 0 to 255",
            fix="write red, green, blue and opacity, each from 0 to 255",
            source="both",
            each=f"{label}.colors[*].rgba",
            link=link,
        ),
    )


def _array_rules(edition: Edition, anchor: str, pixels: str) -> tuple[CheckedRule, ...]:
    link = edition.link(anchor)
    label = edition.at("image-label")
    return (
        CheckedRule(
            "label-image",
            required(edition.at("multiscales")),
            must=f"A group with `{label}` has `{edition.at('multiscales')}`, too",
            fix="describe the label image by `multiscales`",
            each=label,
            link=link,
        ),
        CheckedRule(
            "label-dtype",
            ref_dtype(edition.at("multiscales[*].datasets[*].path"), kinds=INTEGERS),
            must="The arrays of a label image are of an integer data type of 8, 16, 32 or 64 bits",
            fix="write the labels as integers",
            each=label,
            link=edition.link(pixels),
        ),
        CheckedRule(
            "label-source-image",
            python(_source_is_image(edition)),
            must="`source.image` leads from the label image to an image",
            fix="write the path from the group of the label image to that of the image",
            after_any=("namespace", "multiscales"),
            each=f"{label}.source.image",
            link=link,
        ),
        CheckedRule(
            "label-levels",
            python(_as_many_levels(edition)),
            must="A label image has as many datasets as the image that it belongs to",
            fix="write the label image at each resolution of the image",
            each=label,
            link=link,
        ),
        CheckedRule(
            "label-shape",
            python(_same_shape(edition)),
            should="Each dimension of a label image is as long as that of its image, or 1",
            fix="write the label image in the shape of the image",
            each=label,
            link=edition.link("image-layout"),
            after_any=("axes*", "dataset*", "multiscales", "coordinate-system*"),
        ),
    )


def _whole(site: Site) -> Iterator[Breach]:
    if isinstance(site.scope, float) and not site.scope.is_integer():
        yield site.breach(site.at(), "an integer", site.scope)


def _source_of(edition: Edition, node: Node) -> Node | None:
    """The image that a label image belongs to, where it is known."""
    label = edition.metadata(node).get("image-label")
    source = label.get("source") if is_dict(label) else None
    path = source.get("image", DEFAULT_SOURCE) if is_dict(source) else DEFAULT_SOURCE
    found = reached(node, path) if isinstance(path, str) else None
    return found if isinstance(found, Node) and found is not node and edition.is_image(found) else None


def _source_is_image(edition: Edition) -> Judge:
    def source_is_image(site: Site) -> Iterator[Breach] | Skip:
        if not isinstance(site.scope, str):
            return Skip("it is no text")
        found = reached(site.node, site.scope)
        if found is UNKNOWN:
            return Skip("the image is outside of what was read")
        if edition.is_image(found):
            return iter(())
        seen = f"{show(site.scope)}, which is none" if isinstance(found, Node) else show(site.scope)
        return iter((site.breach(site.at(), "the path of an image", seen),))

    return source_is_image


def _levels(edition: Edition, node: Node) -> tuple[int, Mapping[str, Any]] | None:
    for place, image in edition.images(node):
        return place, image
    return None


def _as_many_levels(edition: Edition) -> Judge:
    def as_many_levels(site: Site) -> Iterator[Breach] | Skip:
        source = _source_of(edition, site.node)
        own, other = (_levels(edition, node) if node else None for node in (site.node, source))
        if own is None or other is None or source is None:
            return Skip("the image that the labels belong to is not known")
        have, want = own[1].get("datasets"), other[1].get("datasets")
        if not is_list(have) or not is_list(want) or len(have) == len(want):
            return iter(())
        path = edition.path("multiscales", own[0], "datasets")
        return iter(
            (
                site.breach(
                    path, f"{len(want)} datasets, as {source.path} has", str(len(have)), related=[source]
                ),
            )
        )

    return as_many_levels


def _same_shape(edition: Edition) -> Judge:
    def same_shape(site: Site) -> Iterator[Breach] | Skip:
        source = _source_of(edition, site.node)
        own, other = (_levels(edition, node) if node else None for node in (site.node, source))
        if own is None or other is None or source is None:
            return Skip("the image that the labels belong to is not known")
        return _wrong_shapes(site, _sizes(site.node, own[1]), _sizes(source, other[1]))

    return same_shape


def _sizes(node: Node, image: Mapping[str, Any]) -> list[tuple[Node, dict[str, int]]]:
    """Each array of an image with the lengths of its dimensions, by the names of the axes."""
    names = [axis.get("name") for _, axis in lists(image, "axes")]
    found: list[tuple[Node, dict[str, int]]] = []
    for _, dataset in lists(image, "datasets"):
        path = dataset.get("path")
        array = node.at(path) if isinstance(path, str) else None
        if isinstance(array, Node) and array.shape is not None and len(array.shape) == len(names):
            sizes = zip(names, array.shape, strict=True)
            found.append((array, {name: size for name, size in sizes if isinstance(name, str)}))
    return found


def _wrong_shapes(
    site: Site, own: list[tuple[Node, dict[str, int]]], other: list[tuple[Node, dict[str, int]]]
) -> Iterator[Breach]:
    if len(own) != len(other):
        return
    for (array, have), (image, want) in zip(own, other, strict=True):
        wrong = [name for name, size in have.items() if size != 1 and size != want.get(name, size)]
        if wrong:
            expected = ", ".join(f"{name}: {want[name]}" for name in wrong) + f" as in {image.path}, or 1"
            found = ", ".join(f"{name}: {have[name]}" for name in wrong)
            yield site.breach(("shape",), expected, found, node=array, related=[image])
