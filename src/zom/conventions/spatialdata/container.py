"""The rules for a container: which elements each group holds, and their valid names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.checks.absent_key import absent_key
from zom.checks.check import NOT_READ, Breach, Site, Skip
from zom.conventions.spatialdata.elements import PLACES, TYPES, is_image, role_of
from zom.json.python_value import is_dict
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.conventions.framework.rulebook import Functions
    from zom.conventions.spatialdata.elements import Role
    from zom.formats.node_view import Node

__all__ = ["CONTAINER_CHECKS", "elements_of"]

_NO_CONTAINER: Final = Skip("not a container, or a container without elements")


def elements_of(container: Node) -> list[tuple[Role, Node]]:
    """The members of the groups that hold elements, each with its expected role.

    >>> from zom.formats.node_view import attributes_node
    >>> elements_of(attributes_node({}))
    []
    """
    return [
        (place, node)
        for place in PLACES
        if place in container.groups
        for node in (container.groups[place].members or {}).values()
    ]


def _elements(site: Site) -> list[tuple[Role, Node]] | Skip:
    if role_of(site.node) != "container":
        return _NO_CONTAINER
    if site.node.members is None:
        return NOT_READ
    return elements_of(site.node) or _NO_CONTAINER


def _elements_as_placed(site: Site) -> Iterator[Breach] | Skip:
    found = _elements(site)
    return found if isinstance(found, Skip) else _misplaced(found)


def _no_image(node: Node) -> Breach:
    within = node.attributes.get("ome") if node.form == "v3" else None
    holder, before = (within, ("ome",)) if is_dict(within) else (node.attributes, ())
    key = "ome" if node.form == "v3" and not before else "multiscales"
    found, slip = absent_key(key, node, ("attributes", *before), holder)
    return Breach(node, ("attributes", *before, key), "an OME-Zarr image", found, slip=slip)


def _misplaced(elements: list[tuple[Role, Node]]) -> Iterator[Breach]:
    for role, node in elements:
        kind = node.attributes.get("encoding-type")
        path = ("attributes", "encoding-type")
        found = show(kind) if "encoding-type" in node.attributes else "nothing"
        if not node.is_group:
            yield Breach(node, (), f"a group: an element of {role}", "an array")
        elif role in {"images", "labels"}:
            if not is_image(node):
                yield _no_image(node)
        elif role == "tables":
            # The AnnData rules report a table that has only a version.
            if kind != "anndata" and (kind is not None or "encoding-version" not in node.attributes):
                yield Breach(node, path, '"anndata"', found)
        else:
            wanted = TYPES[0] if role == "shapes" else TYPES[1]
            if kind != wanted:
                yield Breach(node, path, show(wanted), found)


def _names_are_valid(site: Site) -> Iterator[Breach] | Skip:
    found = _elements(site)
    if isinstance(found, Skip):
        return found
    expected = "a name of letters, digits, _, . and -, that does not begin with __"
    return (
        Breach(node, (), expected, show(node.name))
        for _, node in found
        if node.name.startswith("__") or not all(each.isalnum() or each in "_-." for each in node.name)
    )


def _names_differ(site: Site) -> Iterator[Breach] | Skip:
    found = _elements(site)
    return found if isinstance(found, Skip) else _alike(found)


def _alike(elements: list[tuple[Role, Node]]) -> Iterator[Breach]:
    seen: dict[str, Node] = {}
    for _, node in elements:
        first = seen.setdefault(node.name.lower(), node)
        if first is not node:
            expected = f"a name that differs from that of {first.path} by more than case"
            expected = "a name that no other element has" if first.name == node.name else expected
            yield Breach(node, (), expected, show(node.name), None, (first.path,))


def _whole(site: Site) -> Iterator[Breach] | Skip:
    """Report members of a container that hold elements under an unknown name: readers skip them."""
    if role_of(site.node) != "container" or site.node.members is None:
        return _NO_CONTAINER
    return (
        Breach(node, (), f"one of the groups {', '.join(PLACES)}", show(node.name))
        for node in site.node.members.values()
        if node.name not in PLACES and node.name != "table"
    )


CONTAINER_CHECKS: Final[Functions] = {
    "elements": _elements_as_placed,
    "element-name": _names_are_valid,
    "element-names-distinct": _names_differ,
    "strangers": _whole,
}
