"""Geometries: points, lines and polygons as coordinates: CF 7.5.

https://cfconventions.org/cf-conventions/cf-conventions.html#geometries
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.conventions.cf.naming import names_each, names_one
from zom.conventions.cf.variable import Variable, judged, judged_text, only

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.check import Breach
    from zom.conventions.framework.rulebook import Functions
    from zom.formats.node_view import Node

__all__ = ["CHECKS"]

_COUNTS: Final = ("node_count", "part_node_count", "interior_ring")


def _container(variable: Variable) -> Iterator[Breach]:
    for name in ("geometry_type", "node_coordinates"):
        if name not in variable.attributes:
            yield variable.breach(name, f"{name} on a geometry container", "nothing")


@only("not a geometry container")
def _is_container(variable: Variable) -> bool:
    return variable.is_named("geometry")


@only("a UGRID mesh")
def _is_no_mesh(variable: Variable) -> bool:
    """Whether the nodes belong to a geometry: a UGRID mesh has such an attribute, too, with its own rules."""
    return not (variable.text("cf_role") == "mesh_topology" or "topology_dimension" in variable.attributes)


def _nodes(variable: Variable) -> list[Node]:
    words = (variable.text("node_coordinates") or "").split()
    return [node for node in map(variable.variable, words) if node is not None]


def _axes(variable: Variable) -> Iterator[Breach]:
    for node in _nodes(variable):
        if "axis" not in node.attributes:
            yield variable.breach(
                "node_coordinates",
                "variables with the attribute axis",
                f"{node.name!r} without",
                related=[node],
            )


def _once(variable: Variable) -> Iterator[Breach]:
    seen: dict[str, Node] = {}
    for node in _nodes(variable):
        axis = str(node.attributes.get("axis")).upper()
        first = seen.setdefault(axis, node)
        if "axis" in node.attributes and first is not node:
            expected = f"one variable of the axis {axis}: {first.name!r}"
            yield variable.breach(
                "node_coordinates", expected, f"{node.name!r} as well", related=[first, node]
            )


def _dimensions(variable: Variable) -> Iterator[Breach]:
    nodes = [node for node in _nodes(variable) if node.dims is not None]
    for node in nodes:
        if len(node.dims or ()) != 1 or node.dims != nodes[0].dims:
            expected = "variables with the same single dimension"
            found = f"{node.name!r} of ({', '.join(map(str, node.dims or ()))})"
            yield variable.breach("node_coordinates", expected, found, related=[node])


def _carried(variable: Variable) -> Iterator[Breach]:
    for user in variable.dataset.named(variable.node, "geometry"):
        for name in ("grid_mapping", "coordinates"):
            if name in variable.attributes and name not in user.attributes:
                expected, place = f"{name} on {user.path} as well", (user.path, ("attributes", name))
                yield variable.breach(name, expected, "none there", related=[user], copied=place)


def _of_nodes(variable: Variable, text: str) -> Iterator[Breach]:
    node = variable.variable(text.strip())
    if len(text.split()) != 1:
        yield variable.breach("nodes", "the name of one variable", repr(text))
    elif variable.is_missing(text.strip()):
        yield variable.unknown("nodes", text.strip())
    elif node is not None and not variable.dataset.named(node, "node_coordinates"):
        yield variable.breach("nodes", "a variable that node_coordinates names", repr(text), related=[node])


def _counted(variable: Variable) -> Iterator[Breach]:
    """Check geometries without node_count: each is a point, so its nodes are on a dimension of the data."""
    kind = (variable.text("geometry_type") or "").lower()
    dims = {dim for node in _nodes(variable) for dim in node.dims or ()}
    single = not any(user.shape for user in variable.dataset.named(variable.node, "geometry"))
    if single:
        return
    if kind != "point":
        yield variable.breach("node_count", f"node_count, which a {kind} needs", "nothing")
        return
    for user in variable.dataset.named(variable.node, "geometry"):
        if not dims & set(user.dims or ()):
            expected = f"nodes on a dimension of {user.path}, or a node_count"
            yield variable.breach(
                "node_coordinates", expected, f"nodes on {', '.join(map(str, dims))}", related=[user]
            )


@only("not a geometry without node_count")
def _is_uncounted(variable: Variable) -> bool:
    return "node_count" not in variable.attributes and _is_container(variable) and bool(_nodes(variable))


def _instances(variable: Variable, text: str) -> Iterator[Breach]:
    container = variable.variable(text.strip())
    if container is None or not variable.shape:
        return
    other = variable.of(container)
    counts = other.variable(other.text("node_count") or "")
    wanted = counts.dims if counts is not None else None
    if wanted and not set(wanted) & set(variable.dims or ()):
        expected = f"a geometry with node_count on a dimension of this variable: {', '.join(map(str, variable.dims or ()))}"
        found = f"{text.strip()!r}, with node_count on {', '.join(map(str, wanted))}"
        yield variable.breach("geometry", expected, found, related=[container])


def _ring_dimension(variable: Variable, text: str) -> Iterator[Breach]:
    ring, parts = (
        variable.variable(text.strip()),
        variable.variable((variable.text("part_node_count") or "").strip()),
    )
    if ring is not None and parts is not None and (ring.dims != parts.dims or len(ring.dims or ()) != 1):
        expected = f"a variable with the dimension of {parts.name!r}: {', '.join(map(str, parts.dims or ()))}"
        found = f"{text.strip()!r} of ({', '.join(map(str, ring.dims or ()))})"
        yield variable.breach("interior_ring", expected, found, related=[ring, parts])


CHECKS: Final[Functions] = {
    "geometry-exists": names_one("geometry"),
    "geometry-container": judged(_container, where=_is_container),
    "geometry-instances": judged_text(_instances, "geometry"),
    "node-coordinates-exist": names_each("node_coordinates"),
    "node-coordinates-axis": judged(_axes, about="node_coordinates", where=_is_no_mesh),
    "node-coordinates-once": judged(_once, about="node_coordinates", where=_is_no_mesh),
    "node-coordinates-dimension": judged(_dimensions, about="node_coordinates", where=_is_no_mesh),
    **{f"{name.replace('_', '-')}-exists": names_one(name) for name in _COUNTS},
    "node-count-given": judged(_counted, where=_is_uncounted),
    "interior-ring-dimension": judged_text(_ring_dimension, "interior_ring"),
    "geometry-attributes": judged(_carried, where=_is_container),
    "nodes": judged_text(_of_nodes, "nodes"),
}
