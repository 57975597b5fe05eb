"""Label images: `image-label`, the colors of the labels, and their source image.

https://ngff.openmicroscopy.org/0.5/#labels-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from zom.checks.check import Breach, Site, Skip
from zom.conventions.framework.attributes import Part
from zom.conventions.ome.edition import arrays_of, lists, reached
from zom.count import count_of
from zom.formats.node_view import UNKNOWN, Node
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.conventions.ome.edition import Edition, Judge

__all__ = [
    "Color",
    "ImageLabel",
    "Property",
    "Source",
    "as_many_levels",
    "same_shape",
    "source_is_image",
    "whole",
]

DEFAULT_SOURCE = "../../"


class Color(Part):
    """The color of a label."""

    label_value: float = Field(alias="label-value")
    rgba: Annotated[list[Annotated[int, Field(ge=0, le=255)]], Field(min_length=4, max_length=4)] = Field(
        default=[]
    )


class Property(Part):
    """Further properties of a label."""

    label_value: int = Field(alias="label-value")


class Source(Part):
    """The source image of the labels."""

    image: str = DEFAULT_SOURCE


class ImageLabel(Part):
    """The description of the labels of a label image."""

    colors: list[Color] = Field(default=[])
    properties: list[Property] = Field(default=[])
    source: Source = Field(default_factory=Source)


def whole(site: Site) -> Iterator[Breach]:
    """Check that a number is an integer."""
    if isinstance(site.scope, float) and not site.scope.is_integer():
        yield site.breach(site.at(), "an integer", site.scope)


def _source_of(edition: Edition, node: Node) -> Node | None:
    """The source image of a label image if it is known."""
    label = edition.metadata(node).get("image-label")
    source = label.get("source") if is_dict(label) else None
    path = source.get("image", DEFAULT_SOURCE) if is_dict(source) else DEFAULT_SOURCE
    found = reached(node, path) if isinstance(path, str) else None
    return found if isinstance(found, Node) and found is not node and edition.is_image(found) else None


def source_is_image(edition: Edition) -> Judge:
    """Check that a path leads to an image."""

    def source_is_image(site: Site) -> Iterator[Breach] | Skip:
        if not isinstance(site.scope, str):
            return Skip("it is not a string")
        found = reached(site.node, site.scope)
        if found is UNKNOWN:
            return Skip("the image was not read")
        if edition.is_image(found):
            return iter(())
        seen = f"{show(site.scope)}, which is not an image" if isinstance(found, Node) else show(site.scope)
        return iter((site.breach(site.at(), "the path of an image", seen),))

    return source_is_image


def _with_source(edition: Edition, node: Node) -> tuple[Mapping[str, Any], Node, Mapping[str, Any]] | None:
    """A label image, the node of its source image, and that image, or None if unknown."""
    source = _source_of(edition, node)
    own, other = edition.images(node), edition.images(source) if source else []
    return (own[0][1], source, other[0][1]) if own and source and other else None


def _distinct(datasets: list[Any]) -> int:
    """The number of datasets without repeated paths, which another rule reports."""
    paths = [each.get("path") if is_dict(each) else None for each in datasets]
    return len(paths) - sum(path in paths[:place] for place, path in enumerate(paths) if path is not None)


def as_many_levels(edition: Edition) -> Judge:
    """Check that a label image has as many datasets as its source image."""

    def as_many_levels(site: Site) -> Iterator[Breach] | Skip:
        found = _with_source(edition, site.node)
        if found is None:
            return Skip("the image that the labels belong to is not known")
        own, source, other = found
        have, want = own.get("datasets"), other.get("datasets")
        if not is_list(have) or not is_list(want) or len(have) in {len(want), _distinct(want)}:
            return iter(())
        path = edition.path("multiscales", edition.images(site.node)[0][0], "datasets")
        expected = f"{count_of(len(want), 'dataset')}, as in {source.path}"
        return iter((site.breach(path, expected, str(len(have)), related=[source]),))

    return as_many_levels


def same_shape(edition: Edition) -> Judge:
    """Check that each dimension of a label image is as long as in its source image, or 1."""

    def same_shape(site: Site) -> Iterator[Breach] | Skip:
        found = _with_source(edition, site.node)
        if found is None:
            return Skip("the image that the labels belong to is not known")
        own, source, other = found
        return _wrong_shapes(site, _sizes(site.node, own), _sizes(source, other))

    return same_shape


def _sizes(node: Node, image: Mapping[str, Any]) -> list[tuple[Node, dict[str, int]]]:
    """Each array of an image with the lengths of its dimensions by axis name."""
    names = [axis.get("name") for _, axis in lists(image, "axes")]
    found: list[tuple[Node, dict[str, int]]] = []
    for _, array in arrays_of(node, image):
        if array.shape is not None and len(array.shape) == len(names):
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
