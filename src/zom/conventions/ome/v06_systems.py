"""The rules of OME-Zarr 0.6 for coordinate systems and the arrays in them.

https://ngff.openmicroscopy.org/0.6/#coordinate-systems-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import Breach, Site, Skip
from zom.conventions.ome.axes import kind_of
from zom.conventions.ome.edition import Edition, arrays_of, lists
from zom.conventions.ome.multiscales import shrinks
from zom.conventions.ome.transformations_place import images
from zom.count import count_of
from zom.dataclass import dataclass
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.conventions.framework.rulebook import Functions
    from zom.conventions.ome.transformations_place import Image
    from zom.formats.node_view import Node

__all__ = ["EDITION", "SYSTEM_FUNCTIONS"]


@dataclass(frozen=True, slots=True)
class _Edition06(Edition):
    """The edition 0.6, in which the axes of an image are those of its intrinsic coordinate system."""

    def images(self, node: Node) -> list[tuple[int, Mapping[str, Any]]]:
        """The images of a node, each with axes in the form of 0.5."""
        return [(int(image.path[-1]), {**image.value, "axes": image.axes or []}) for image in images(node)]


EDITION: Final = _Edition06("ome")


def _spaces(site: Site) -> list[Breach] | Skip:
    """Check for two or three space axes, or array axes, as in the published schema and text's examples."""
    kinds = _kinds(site)
    if kinds is None:
        return Skip("no axes")
    space, array = kinds.count("space"), kinds.count("array")
    if 2 <= space <= 3 or (array >= 2 and not space):
        return []
    return [
        site.breach(
            site.at("axes"), "2 or 3 axes of type space, or 2 or more of type array", f"{space} of type space"
        )
    ]


def _one_other(site: Site) -> list[Breach] | Skip:
    kinds = _kinds(site)
    if kinds is None:
        return Skip("no axes")
    found = [kind for kind in kinds if kind not in {"space", "time", "array"}]
    if len(found) < 2:
        return []
    expected = "at most 1 axis that is neither space nor time"
    return [site.breach(site.at("axes"), expected, ", ".join(kind or "no type" for kind in found))]


def _kinds(site: Site) -> list[str | None] | None:
    axes = site.scope.get("axes") if is_dict(site.scope) else None
    return [kind_of(axis) for axis in axes if is_dict(axis)] if is_list(axes) else None


def _axes_of(image: Image) -> Iterator[tuple[int, str | None, int]]:
    """The coordinate systems of an image with a list of axes: index, name, number of axes."""
    for place, system in lists(image.value, "coordinateSystems"):
        if is_list(system.get("axes")):
            name = system.get("name")
            yield place, name if isinstance(name, str) else None, len(system["axes"])


def _ndim(site: Site) -> list[Breach] | Skip:
    """Check that arrays have as many dimensions as the intrinsic coordinate system has axes."""
    found: list[Breach] = []
    seen = False
    for image in images(site.node):
        wanted = image.systems.get(image.intrinsic or "")
        if wanted is None:
            continue
        for place, array in arrays_of(site.node, image.value):
            seen = True
            if array.ndim != wanted:
                expected = f"an array of {count_of(wanted, 'dimension')}, one for each axis of {show(image.intrinsic)}"
                text = (
                    f"{show(image.value['datasets'][place]['path'])} of shape {show(list(array.shape or ()))}"
                )
                found.append(
                    site.breach(
                        (*image.path, "datasets", place, "path"),
                        expected,
                        text,
                        related=(array,),
                        copied=(array.path, ("shape",)),
                    )
                )
    return found if seen else Skip("no arrays of images with a coordinate system")


def _other_systems(site: Site) -> list[Breach] | Skip:
    """Check that all systems of an image have as many axes: in the text, even those of a projectAxis."""
    found: list[Breach] = []
    seen = False
    for image in images(site.node):
        wanted = image.systems.get(image.intrinsic or "")
        for place, name, axes in _axes_of(image):
            if wanted is None or name == image.intrinsic:
                continue
            seen = True
            if axes != wanted:
                expected = f"{wanted} axes, as in {show(image.intrinsic)}"
                found.append(
                    site.breach((*image.path, "coordinateSystems", place, "axes"), expected, f"{axes}")
                )
    return found if seen else Skip("no coordinate system beside the intrinsic one")


def _scale_order(site: Site) -> list[Breach] | Skip:
    """Check that the pixel size in space doesn't decrease from one level to the next."""
    found: list[Breach] = []
    seen = False
    for image in images(site.node):
        spatial = _spatial(image)
        before: list[Any] | None = None
        for place, dataset in lists(image.value, "datasets"):
            path, scale = _scale_of(dataset)
            if scale is None:
                continue
            seen = True
            for axis in spatial:
                if (
                    before is not None
                    and axis < min(len(scale), len(before))
                    and shrinks(before[axis], scale[axis])
                ):
                    at = (*image.path, "datasets", place, *path, axis)
                    found.append(
                        site.breach(
                            at,
                            f"a scale of at least {show(before[axis])}, as in the previous dataset",
                            scale[axis],
                        )
                    )
            before = scale
    return found if seen else Skip("no dataset has a scale")


def _spatial(image: Image) -> list[int]:
    return [place for place, axis in enumerate(image.axes or []) if kind_of(axis) == "space"]


def _scale_of(dataset: Any) -> tuple[tuple[str | int, ...], list[Any] | None]:
    """The path of a dataset's scale, and the scale, or None if missing or not numbers."""
    listed = dataset.get("coordinateTransformations") if is_dict(dataset) else None
    here = listed[0] if is_list(listed) and listed else None
    path: tuple[str | int, ...] = ("coordinateTransformations", 0)
    if is_dict(here) and here.get("type") == "sequence":
        inner = here.get("transformations")
        here = inner[0] if is_list(inner) and inner else None
        path = (*path, "transformations", 0)
    scale = here.get("scale") if is_dict(here) and here.get("type") == "scale" else None
    if not is_list(scale) or not all(isinstance(each, (int, float)) for each in scale):
        return path, None
    return (*path, "scale"), scale


SYSTEM_FUNCTIONS: Final[Functions] = {
    "spaces": _spaces,
    "one_other": _one_other,
    "ndim": _ndim,
    "other_systems": _other_systems,
    "scale_order": _scale_order,
}
"""The functions of the 0.6 rules for coordinate systems and the arrays in them."""
