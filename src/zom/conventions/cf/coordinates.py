"""Coordinates and their axes: CF 4 to 4.3, 5 and 6.1.

https://cfconventions.org/cf-conventions/cf-conventions.html#coordinate-types
https://cfconventions.org/cf-conventions/cf-conventions.html#coordinate-system

The conformance document forbids `axis` on auxiliary coordinate variables; the text of chapters 5 and 9 allows
it. The text has authority, as the conformance document itself says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.conventions.cf.missing import without_fill, without_nan_fill
from zom.conventions.cf.naming import names_each
from zom.conventions.cf.units import axis_of_units, is_pressure
from zom.conventions.cf.variable import Variable, judged, judged_text, only
from zom.misspelling import is_own_dimension

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zom.checks.check import Breach
    from zom.conventions.framework.rulebook import Functions
    from zom.formats.node_view import Node

__all__ = ["CHECKS", "uncompressed"]

_DOWN: Final = frozenset({"depth", "ocean_depth", "depth_below_geoid"})
_UP: Final = frozenset({"height", "altitude", "height_above_geopotential_datum", "height_above_reference_ellipsoid", "height_above_mean_sea_level"})  # fmt: skip


def uncompressed(variable: Variable) -> set[str | None]:
    """The dimensions of a variable, including those compressed by gathering."""
    dims = set(variable.dims or ())
    for dim in variable.dims or ():
        node = None if dim is None else variable.variable(dim)
        text = None if node is None else node.attributes.get("compress")
        dims.update(text.split() if isinstance(text, str) else ())
    return dims


def _place(variable: Variable, _axis: str) -> Iterator[Breach]:
    if variable.is_coordinate_of_any_sort or variable.is_boundary or variable.dims == (variable.name,):
        return
    (dim,) = variable.dims if variable.dims is not None and len(variable.dims) == 1 else (None,)
    if dim is not None and is_own_dimension(dim, variable.name) and variable.is_missing(dim):
        path = (*variable.node.dims_path, 0)
        expected = f"{variable.name!r}, the variable's name, because axis marks it as a coordinate"
        yield variable.breach(path, expected, repr(dim), fix=f"did you mean {variable.name!r}?")
    else:
        expected = (
            "a variable with a dimension of its own name, or one that another variable names in coordinates"
        )
        yield variable.breach("axis", expected, "neither")


def _consistent(variable: Variable, axis: str) -> Iterator[Breach]:
    told = axis_of_units(variable.attributes.get("units"))
    positive = variable.text("positive") or ""
    why = f"units {variable.text('units')!r}"
    if told is None and positive.lower() in {"up", "down"}:
        told, why = "Z", f"positive {positive!r}"
    if told is not None and axis.upper() in {"X", "Y", "Z", "T"} and told != axis.upper():
        yield variable.breach("axis", f"{told!r}, implied by {why}", repr(axis))


def _once(variable: Variable) -> Iterator[Breach]:
    seen: dict[str, Node] = {}
    coordinates = variable.coordinates
    for each in coordinates.all:
        axis = (each.text("axis") or "").upper()
        if axis not in {"X", "Y", "Z", "T"}:
            continue
        first = seen.setdefault(axis, each.node)
        if first is not each.node:
            path = (
                variable.node.dims_path
                if each in coordinates.of_dimensions
                else ("attributes", "coordinates")
            )
            expected = f"one coordinate of the axis {axis}: {first.name!r}"
            yield variable.breach(path, expected, f"{each.name!r} as well", related=[first, each.node])


@only("not a vertical coordinate")
def _is_vertical(variable: Variable) -> bool:
    if not (variable.is_coordinate or variable.is_auxiliary) or variable.is_boundary:
        return False
    axis, name = variable.text("axis"), variable.text("standard_name")
    return (axis or "").upper() == "Z" or name in _DOWN | _UP


def _positive_given(variable: Variable) -> Iterator[Breach]:
    if "positive" not in variable.attributes and not is_pressure(variable.attributes.get("units")):
        yield variable.breach("positive", "'up' or 'down', as the units are not of pressure", "nothing")


def _positive_consistent(variable: Variable, positive: str) -> Iterator[Breach]:
    name = variable.text("standard_name")
    wanted = "down" if name in _DOWN else "up"
    if positive.lower() in {"up", "down"} and positive.lower() != wanted:
        yield variable.breach("positive", f"{wanted!r} for a {name}", repr(positive))


def _dimensions(variable: Variable, text: str) -> Iterator[Breach]:
    allowed = uncompressed(variable)
    for word in text.split():
        node = variable.variable(word)
        if node is None or node.dims is None or node is variable.node:
            continue
        dims = node.dims[:-1] if variable.of(node).is_char else node.dims
        extra = [dim for dim in dims if dim not in allowed]
        if extra and not variable.of(node).is_text:
            expected = f"coordinates with dimensions among {_listed(variable.dims)}"
            found = f"{word!r} of {_listed(node.dims)}"
            yield variable.breach("coordinates", expected, found, related=[node])


def _listed(dims: tuple[str | None, ...] | None) -> str:
    return "(" + ", ".join(str(dim) for dim in dims or ()) + ")"


def _labels(variable: Variable, text: str) -> Iterator[Breach]:
    for word in text.split():
        node = variable.variable(word)
        label = None if node is None else variable.of(node)
        if node is None or label is None or not label.is_text or label.dims is None:
            continue
        dims = label.dims[:-1] if label.is_char else label.dims
        if len(dims) > 1 or any(dim not in uncompressed(variable) for dim in dims):
            expected = f"a label with at most one dimension, from {_listed(variable.dims)}"
            yield variable.breach(
                "coordinates", expected, f"{word!r} of {_listed(label.dims)}", related=[node]
            )


@only("ragged arrays, or a variable without data")
def _is_direct(variable: Variable) -> bool:
    """Whether the coordinates have to be on the variable's own dimensions."""
    return not variable.dataset.is_ragged and not variable.is_container


@only("no variable of strings among the coordinates")
def _names_label(variable: Variable) -> bool:
    if not _is_direct(variable):
        return False
    words = (variable.text("coordinates") or "").split()
    nodes = [variable.variable(word) for word in words]
    return any(variable.of(node).is_text for node in nodes if node is not None)


@only("not a coordinate variable")
def _is_coordinate(variable: Variable) -> bool:
    return variable.is_coordinate


def _text_coordinate(variable: Variable) -> Iterator[Breach]:
    if variable.is_text and variable.dims == (variable.name,):
        yield variable.breach(
            variable.node.dims_path, "a dimension with another name than the variable", repr(variable.name)
        )


def _own_dimension(variable: Variable) -> Iterator[Breach]:
    for place, dim in enumerate(variable.dims or ()):
        if dim == variable.name:
            yield variable.breach(
                (*variable.node.dims_path, place), f"a name other than {dim!r}, the variable's", repr(dim)
            )


@only("not a coordinate with several dimensions")
def _is_multidimensional(variable: Variable) -> bool:
    return variable.node.ndim is not None and variable.node.ndim > 1 and variable.is_auxiliary


def _horizontal_axis(variable: Variable) -> Iterator[Breach]:
    if "axis" not in variable.attributes:
        yield variable.breach("axis", repr(variable.axis), "nothing")


@only("not a horizontal coordinate variable")
def _is_horizontal(variable: Variable) -> bool:
    return variable.is_coordinate and variable.axis in {"X", "Y"}


def _has_coordinates(variable: Variable) -> Iterator[Breach]:
    """Check that an auxiliary coordinate alone on its dimension has a coordinate variable instead."""
    for place, (dim, size) in enumerate(zip(variable.dims or (), variable.shape or (), strict=False)):
        if dim is None or size < 2 or any(each.dims == (dim,) for each in variable.coordinates.of_dimensions):
            continue
        here = [each for each in variable.coordinates.all if each.dims == (dim,)]
        axes = [each.node for each in here if each in variable.coordinates.on_axes]
        if len(axes) == 1:
            expected = f"a coordinate variable {dim!r}, as {axes[0].name!r} depends on this dimension only"
            yield variable.breach((*variable.node.dims_path, place), expected, "none", related=axes)


@only("not gridded data")
def _is_gridded(variable: Variable) -> bool:
    return variable.is_data and not variable.dataset.has_features


def _located(variable: Variable) -> Iterator[Breach]:
    if not {"latitude", "longitude"} <= variable.coordinates.standard_names:
        units = {axis_of_units(each.attributes.get("units")) for each in variable.coordinates.all}
        if not {"X", "Y"} <= units:
            expected = "a grid mapping, or latitude and longitude among the coordinates"
            yield variable.breach("grid_mapping", expected, "neither")


@only("the data are not on a projection, or have a grid mapping")
def _is_projected(variable: Variable) -> bool:
    names = {each.text("standard_name") for each in variable.coordinates.of_dimensions}
    projected = {"projection_x_coordinate", "projection_y_coordinate"}, {"grid_longitude", "grid_latitude"}
    return (
        variable.is_data
        and any(pair <= names for pair in projected)
        and "grid_mapping" not in variable.attributes
    )


def _of_coordinate(check: Callable[[Variable], Iterator[Breach]]) -> Any:
    return judged(check, where=_is_coordinate, reach="name")


CHECKS: Final[Functions] = {
    "axis-of-coordinates": judged_text(_place, "axis"),
    "axis-agrees": judged_text(_consistent, "axis", reach="document"),
    "axis-once": judged(_once, where=only("not a data variable")(lambda v: v.is_data)),
    "positive-given": judged(_positive_given, where=_is_vertical),
    "positive-agrees": judged_text(
        _positive_consistent,
        "positive",
        where=only("no standard name that implies up or down")(
            lambda v: v.text("standard_name") in _DOWN | _UP
        ),
        reach="document",
    ),
    "coordinates-exist": names_each("coordinates"),
    "coordinates-dimensions": judged_text(_dimensions, "coordinates", where=_is_direct),
    "label-dimensions": judged_text(_labels, "coordinates", where=_names_label),
    "ancillary-exist": names_each("ancillary_variables"),
    "coordinate-without-fill": _of_coordinate(without_fill("coordinates are never missing")),
    "coordinate-without-nan-fill": _of_coordinate(without_nan_fill),
    "text-coordinate": judged(
        _text_coordinate,
        where=only("not a one-dimensional variable of strings")(lambda v: v.is_text and v.node.ndim == 1),
        reach="name",
    ),
    "multidimensional-name": judged(_own_dimension, where=_is_multidimensional),
    "dimension-coordinates": judged(_has_coordinates, where=_is_gridded),
    "horizontal-axis": judged(_horizontal_axis, where=_is_horizontal),
    "georeferenced": judged(_located, where=_is_projected),
}
