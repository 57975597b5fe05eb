"""Images: `multiscales`, the arrays of an image from the largest to the smallest.

https://ngff.openmicroscopy.org/0.5/#multiscale-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from zom.conventions.framework.attributes import Part
from zom.conventions.ome.axes import Axis, kind_of
from zom.conventions.ome.edition import lists
from zom.conventions.ome.transforms import Transformation  # noqa: TC001 - pydantic reads the annotation
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.checks.check import Breach, Site


__all__ = ["Dataset", "Multiscale", "no_scale_shrinks", "shrinks"]


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


def no_scale_shrinks(site: Site) -> Iterator[Breach]:
    """Check that no scale of a space axis decreases from one dataset to the next."""
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
                and shrinks(before[axis], scale[axis])
            ):
                path = site.at("datasets", place, "coordinateTransformations", at, "scale", axis)
                yield site.breach(
                    path, f"{show(before[axis])} or more, as in the previous dataset", scale[axis]
                )
        before = scale


def _scale_of(dataset: Mapping[str, Any]) -> tuple[int, list[Any]] | None:
    for place, each in lists(dataset, "coordinateTransformations"):
        if each.get("type") == "scale" and is_list(each.get("scale")):
            return place, each["scale"]
    return None


def shrinks(before: object, after: object) -> bool:
    """Whether a scale is smaller than the one before, by more than rounding.

    >>> shrinks(1.0, 0.5), shrinks(1.0, -1.0)
    (True, False)
    """
    if isinstance(before, bool) or isinstance(after, bool):
        return False
    if not isinstance(before, (int, float)) or not isinstance(after, (int, float)):
        return False
    # Computed sizes of levels may differ in the last digits, and a reflection has a negative scale. Integers
    # of hundreds of digits can be compared with floats, but not multiplied.
    return abs(after) < (abs(before) if abs(before) > 1e300 else abs(before) * (1 - 1e-9))
