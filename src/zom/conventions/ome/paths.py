"""Paths in metadata that lead to groups: of wells, of fields of view, of label images, of a series of images."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.checks.check import Breach, Site, Skip
from zom.checks.references import Base, near_name, references
from zom.formats.node_view import UNKNOWN, Node
from zom.misspelling import slip
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.conventions.ome.edition import Edition, Judge

__all__ = ["leads_to"]


def leads_to(edition: Edition) -> Judge:
    """What finds each path at `at` that doesn't lead to a group with `key` in its metadata.

    `ref` and `ref_has` would tell of an array twice, or not at all where it has kept the metadata of a group.
    """

    def leads(site: Site, key: str, at: str, base: Base = "group") -> Iterator[Breach] | Skip:
        found = [each for each in references(site, at, base) if each.target is not UNKNOWN]
        if not found:
            return Skip("no path to a node that was read")
        start = site.node if base == "group" else site.node.parent
        expected = f"the path of a group with {edition.at(key)}"
        return (
            site.breach(
                value.path,
                expected,
                f"{show(value.value)}{_seen(edition, target, key)}",
                fix=_near(start, value.value, target),
                related=[target] if isinstance(target, Node) else (),
            )
            for value, target in found
            if not (isinstance(target, Node) and target.is_group and key in edition.metadata(target))
        )

    return leads


def _seen(edition: Edition, target: object, key: str) -> str:
    if not isinstance(target, Node):
        return ""
    if target.is_array:
        return ", which is an array"
    written = slip(key, edition.metadata(target))
    return ", which has none" if written is None else f", which has none, but {written!r}"


def _near(start: Node | None, path: str, target: object) -> str | None:
    return near_name(start, path, "group") if start is not None and target is None else None
