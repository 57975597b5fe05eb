"""The group `labels` of an image: the list of its label images, and what is around them.

https://ngff.openmicroscopy.org/0.5/#labels-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.checks.check import Breach, Site, Skip, python
from zom.checks.checked_rule import CheckedRule, schema
from zom.checks.references import ref_has
from zom.checks.values import forbidden
from zom.conventions.ome.paths import leads_to
from zom.formats.node_view import Node
from zom.json.python_value import is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.conventions.ome.edition import Edition, Judge

__all__ = ["label_list_rules", "label_tree_rules"]


def label_list_rules(edition: Edition) -> tuple[CheckedRule, ...]:
    """The rules on the list of label images."""
    link = edition.link("labels-md")
    labels = edition.at("labels")
    return (
        CheckedRule(
            "labels",
            schema(),
            must=f"`{labels}` is a list of strings",
            fix="list the paths of the label images",
            each=labels,
            link=link,
        ),
        CheckedRule(
            "labels-key",
            python(_with_list(edition)),
            must=f"The group `labels` of an image has its list `{labels}`",
            fix="list the paths of the label images there",
            each=edition.at("multiscales"),
            link=link,
        ),
        CheckedRule(
            "labels-path",
            leads_to(edition, "multiscales", ".[*]"),
            must=f"Each path in `{labels}` leads to an image below the group",
            fix="write the label image, or correct the path",
            after_any=("namespace", "multiscales"),
            each=labels,
            link=link,
        ),
    )


def label_tree_rules(edition: Edition) -> tuple[CheckedRule, ...]:
    """The rules on the group of label images that came with 0.5."""
    link = edition.link("labels-md")
    labels = edition.at("labels")
    return (
        CheckedRule(
            "labels-listed",
            python(_all_listed(edition)),
            should="All label images below a group `labels` are listed in it",
            fix="add the path to the list",
            each=labels,
            link=link,
        ),
        CheckedRule(
            "labels-no-image",
            forbidden(edition.at("multiscales")),
            must="A group `labels` is no image itself",
            fix="move the image into a group of its own below it",
            each=labels,
            link=link,
        ),
        CheckedRule(
            "labels-between",
            python(_nothing_between(edition)),
            must="Groups between `labels` and a label image have no attributes",
            fix="move the attributes into the label image",
            each=labels,
            link=link,
        ),
        CheckedRule(
            "label-metadata",
            ref_has(".[*]", edition.at("image-label")),
            should="A label image has `ome.image-label`",
            fix="add `image-label`, with the colors of the labels",
            each=labels,
            link=link,
        ),
    )


def _with_list(edition: Edition) -> Judge:
    def with_list(site: Site) -> Iterator[Breach] | Skip:
        node = (site.node.members or {}).get("labels")
        if node is None:
            return Skip("no group labels")
        if node.is_array:
            return iter((site.breach((), "a group with the list of label images", "an array", node=node),))
        if "labels" in edition.metadata(node):
            return iter(())
        breach = site.breach(
            edition.path("labels"), "the list of label images", "nothing", node=node, related=[site.node]
        )
        return iter((breach,))

    return with_list


def _listed(edition: Edition, node: Node) -> list[str]:
    found = edition.metadata(node).get("labels")
    return [path.strip("/") for path in found if isinstance(path, str)] if is_list(found) else []


def _below(edition: Edition, node: Node) -> Iterator[Node]:
    """The images below a group, those within images left out."""
    waiting = [*reversed(node.groups.values())]
    while waiting:
        each = waiting.pop()
        if edition.is_image(each):
            yield each
        else:
            waiting.extend(reversed(each.groups.values()))


def _all_listed(edition: Edition) -> Judge:
    def all_listed(site: Site) -> Iterator[Breach] | Skip:
        if site.node.members is None:
            return Skip("the members of the group are not known")
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


def _nothing_between(edition: Edition) -> Judge:
    def nothing_between(site: Site) -> Iterator[Breach] | Skip:
        between: dict[str, Node] = {}
        for path in _listed(edition, site.node):
            found = site.node.at(path)
            above = found.parent if isinstance(found, Node) else None
            while above is not None and above is not site.node:
                between[above.path] = above
                above = above.parent
        if site.node.members is None:
            return Skip("the members of the group are not known")
        return (
            site.breach(("attributes",), "no attributes", dict(node.attributes), node=node)
            for node in between.values()
            if node.attributes
        )

    return nothing_between
