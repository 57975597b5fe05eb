"""The group `labels` of an image: the list of its label images, and the groups around them.

https://ngff.openmicroscopy.org/0.5/#labels-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.checks.absent_key import absent_key
from zom.checks.check import Breach, Site, Skip
from zom.formats.node_view import Node
from zom.json.python_value import is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.conventions.ome.edition import Edition, Judge

__all__ = ["all_listed", "nothing_between", "with_list"]


def with_list(edition: Edition) -> Judge:
    """Check that the group `labels` of an image has its list."""

    def with_list(site: Site) -> Iterator[Breach] | Skip:
        node = (site.node.members or {}).get("labels")
        if node is None:
            return Skip("no group labels")
        if node.is_array:
            return iter((site.breach((), "a group with the list of label images", "an array", node=node),))
        if "labels" in edition.metadata(node):
            return iter(())
        found, slip = absent_key("labels", node, edition.path(), edition.metadata(node))
        breach = site.breach(
            edition.path("labels"),
            "the list of label images",
            found,
            node=node,
            related=[site.node],
            slip=slip,
        )
        return iter((breach,))

    return with_list


def _listed(edition: Edition, node: Node) -> list[str]:
    found = edition.metadata(node).get("labels")
    return [path.strip("/") for path in found if isinstance(path, str)] if is_list(found) else []


def _below(edition: Edition, node: Node) -> Iterator[Node]:
    """The images below a group, without those inside images."""
    waiting = [*reversed(node.groups.values())]
    while waiting:
        each = waiting.pop()
        if edition.is_image(each):
            yield each
        else:
            waiting.extend(reversed(each.groups.values()))


def all_listed(edition: Edition) -> Judge:
    """Check that all label images below the group are in its list."""

    def all_listed(site: Site) -> Iterator[Breach] | Skip:
        if site.node.members is None:
            return Skip("the members of the group are unknown")
        start = len(site.node.path.rstrip("/")) + 1
        listed = set(_listed(edition, site.node))
        missing = [node for node in _below(edition, site.node) if node.path[start:] not in listed]
        return (
            site.breach(
                edition.path("labels"), f"{show(node.path[start:])} in the list", "nothing", related=[node]
            )
            for node in missing
        )

    return all_listed


def nothing_between(edition: Edition) -> Judge:
    """Check that groups between `labels` and a label image have no attributes."""

    def nothing_between(site: Site) -> Iterator[Breach] | Skip:
        between: dict[str, Node] = {}
        for path in _listed(edition, site.node):
            found = site.node.at(path)
            above = found.parent if isinstance(found, Node) else None
            while above is not None and above is not site.node:
                between[above.path] = above
                above = above.parent
        if site.node.members is None:
            return Skip("the members of the group are unknown")
        return (
            site.breach(("attributes",), "no attributes", dict(node.attributes), node=node)
            for node in between.values()
            if node.attributes
        )

    return nothing_between
