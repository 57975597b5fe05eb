"""The places of OME-Zarr 0.6 coordinate transformations at a node, with their inputs and outputs.

https://ngff.openmicroscopy.org/0.6/#coord-trafo-constraints
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from zom.conventions.ome.edition import lists
from zom.conventions.ome.transformations_shape import Piece, pieces
from zom.formats.node_view import UNKNOWN, Node, Unknown, remembered
from zom.json.python_value import is_dict, is_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.problems import Path


__all__ = [
    "Image",
    "Systems",
    "TransformationPlace",
    "images",
    "pieces_of",
    "places",
    "scene_systems",
    "systems_at",
]

Systems = dict[str, int | None]
"""Coordinate systems by name, each with its number of axes, or None if unknown."""


class Image(NamedTuple):
    """One of the `multiscales` of a node."""

    path: Path
    value: Mapping[str, Any]
    systems: Systems
    intrinsic: str | None
    """The coordinate system of the datasets: the output of the first dataset that names one."""

    @property
    def axes(self) -> list[Any] | None:
        """The axes of the intrinsic coordinate system, or None if they are not a list."""
        for _, system in lists(self.value, "coordinateSystems"):
            if system.get("name") == self.intrinsic and is_list(system.get("axes")):
                axes: list[Any] = system["axes"]
                return axes
        return None


class TransformationPlace(NamedTuple):
    """A transformation in a list that is not part of another transformation."""

    kind: Literal["dataset", "image", "scene"]
    path: Path
    value: Mapping[str, Any]
    systems: Systems
    """The coordinate systems of the same document that its `input` and `output` may name."""
    image: Image | None
    dataset: str | None
    """The `path` of its dataset."""

    def end(self, side: Literal["input", "output"], key: Literal["name", "path"]) -> str | None:
        """The name or path in its input or output."""
        found = self.value.get(side)
        text = found.get(key) if is_dict(found) else None
        return text if isinstance(text, str) else None


def systems_in(value: object) -> Systems:
    """The coordinate systems in a list.

    >>> systems_in([{"name": "physical", "axes": [{"name": "y"}, {"name": "x"}]}, 7])
    {'physical': 2}
    """
    found: Systems = {}
    for each in value if is_list(value) else ():
        if is_dict(each) and isinstance(each.get("name"), str):
            axes = each.get("axes")
            found.setdefault(each["name"], len(axes) if is_list(axes) else None)
    return found


def _ome(node: Node) -> Mapping[str, Any]:
    found = node.attributes.get("ome")
    return found if is_dict(found) else {}


def images(node: Node) -> tuple[Image, ...]:
    """The images that the attributes of a node describe."""
    return remembered(node, _images)


def _images(node: Node) -> tuple[Image, ...]:
    return tuple(
        Image(
            ("attributes", "ome", "multiscales", place),
            each,
            systems_in(each.get("coordinateSystems")),
            _intrinsic(each),
        )
        for place, each in lists(_ome(node), "multiscales")
    )


def _intrinsic(image: Mapping[str, Any]) -> str | None:
    for _, dataset in lists(image, "datasets"):
        for _, each in lists(dataset, "coordinateTransformations"):
            output = each.get("output")
            name = output.get("name") if is_dict(output) else None
            if isinstance(name, str):
                return name
    return None


def scene_systems(node: Node) -> Systems:
    """The scene's own coordinate systems."""
    scene = _ome(node).get("scene")
    return systems_in(scene.get("coordinateSystems")) if is_dict(scene) else {}


def places(node: Node) -> tuple[TransformationPlace, ...]:
    """Every transformation listed in the node's attributes: those of datasets, images and a scene."""
    return remembered(node, _places)


def _places(node: Node) -> tuple[TransformationPlace, ...]:
    found: list[TransformationPlace] = []
    for image in images(node):
        for place, dataset in lists(image.value, "datasets"):
            path = dataset.get("path")
            name = path if isinstance(path, str) else None
            within = (*image.path, "datasets", place)
            found.extend(_listed("dataset", within, dataset, image.systems, image, name))
        found.extend(_listed("image", image.path, image.value, image.systems, image, None))
    scene = _ome(node).get("scene")
    if is_dict(scene):
        found.extend(_listed("scene", ("attributes", "ome", "scene"), scene, scene_systems(node), None, None))
    return tuple(found)


def _listed(  # noqa: PLR0913, PLR0917 - the facts of a place
    kind: Literal["dataset", "image", "scene"],
    path: Path,
    value: Mapping[str, Any],
    systems: Systems,
    image: Image | None,
    dataset: str | None,
) -> Iterator[TransformationPlace]:
    for place, each in lists(value, "coordinateTransformations"):
        yield TransformationPlace(
            kind, (*path, "coordinateTransformations", place), each, systems, image, dataset
        )


def systems_at(node: Node, path: str) -> Systems | Unknown | None:
    """The coordinate systems of the image at `path`; None if it is no image, UNKNOWN if it wasn't read."""
    target = node.at(path)
    if not isinstance(target, Node):
        return target
    if not is_list(_ome(target).get("multiscales")):
        return None
    found: Systems = {}
    for image in images(target):
        found |= {name: axes for name, axes in image.systems.items() if name not in found}
    return found


def _axes_of(node: Node, place: TransformationPlace, side: Literal["input", "output"]) -> int | None:
    """The number of axes of the input or output, if known."""
    name, path = place.end(side, "name"), place.end(side, "path")
    if place.kind == "dataset" and side == "input":
        array = node.at(path if path is not None else place.dataset or "")
        return array.ndim if isinstance(array, Node) and array.is_array else None
    systems = place.systems if path is None else systems_at(node, path)
    if name is None or systems is None or systems is UNKNOWN or isinstance(systems, Unknown):
        return None
    return systems.get(name)


def pieces_of(node: Node) -> tuple[tuple[TransformationPlace, Piece], ...]:
    """Every transformation of the node, including nested ones, with the known numbers of axes."""
    return remembered(node, _pieces_of)


def _pieces_of(node: Node) -> tuple[tuple[TransformationPlace, Piece], ...]:
    found: list[tuple[TransformationPlace, Piece]] = []
    for place in places(node):
        inputs, outputs = _axes_of(node, place, "input"), _axes_of(node, place, "output")
        if place.kind == "dataset" and (inputs is None or inputs != outputs):
            # Another rule reports arrays whose dimensions differ from their coordinate system.
            inputs = outputs
        found.extend((place, piece) for piece in pieces(place.value, place.path, inputs, outputs))
    return tuple(found)
