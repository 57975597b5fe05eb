"""Axes: the dimensions of an image, each with a name, a type and a unit.

https://ngff.openmicroscopy.org/0.5/#axes-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.conventions.framework.attributes import Part
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.check import Breach, Site


__all__ = ["Axis", "kind_of", "one_of_another_type", "space_in_order", "two_or_three_of_space"]


class Axis(Part):
    """A dimension."""

    name: str
    type: str = ""
    unit: Any = None


def kind_of(axis: object) -> str | None:
    """The type of an axis, or None.

    >>> kind_of({"name": "x", "type": "space"}), kind_of({"name": "x"})
    ('space', None)
    """
    found = axis.get("type") if is_dict(axis) else None
    return found if isinstance(found, str) else None


def _axes_of(site: Site) -> list[Any]:
    found = site.scope.get("axes") if is_dict(site.scope) else None
    return found if is_list(found) else []


def two_or_three_of_space(site: Site) -> Iterator[Breach]:
    """Check that two or three axes are of space, or have no type."""
    # An axis without a type also matches the `contains` of the published schema.
    axes = [axis for axis in _axes_of(site) if is_dict(axis)]
    found = sum("type" not in axis or axis["type"] == "space" for axis in axes)
    if axes and not 2 <= found <= 3:
        yield site.breach(site.at("axes"), "2 or 3 axes of type space or of no type", str(found))


def one_of_another_type(site: Site) -> Iterator[Breach]:
    """Check that at most one axis is neither of space nor of time."""
    axes = _axes_of(site)
    found = [axis for axis in axes if is_dict(axis) and kind_of(axis) not in {"space", "time"}]
    if len(found) > 1:
        names = ", ".join(show(axis.get("name")) for axis in found)
        yield site.breach(site.at("axes"), "at most 1 axis that is neither space nor time", names)


def space_in_order(site: Site) -> Iterator[Breach]:
    """Check that axes of space named z, y and x come in this order."""
    found = [axis.get("name") for axis in _axes_of(site) if is_dict(axis) and kind_of(axis) == "space"]
    names = [name for name in found if isinstance(name, str)]
    lower = [name.lower() for name in names]
    if len(found) == 3 and sorted(lower) == ["x", "y", "z"] and lower != ["z", "y", "x"]:
        yield site.breach(site.at("axes"), "the spatial axes in the order z, y, x", ", ".join(names))
