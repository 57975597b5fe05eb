"""Paths in metadata that lead to groups: wells, fields of view, label images, images of a series."""

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
    from zom.problems import Path

__all__ = ["leads_to", "no_such_group"]


def leads_to(edition: Edition) -> Judge:
    """Check that each path at `at` leads to a group with `key` in its metadata.

    `ref` and `ref_has` would report an array twice, or not at all if it has kept the metadata of a group.
    """

    def leads(site: Site, key: str, at: str, base: Base = "group") -> Iterator[Breach] | Skip:
        found = [each for each in references(site, at, base) if each.target is not UNKNOWN]
        if not found:
            return Skip("no path to a node that was read")
        start = site.node if base == "group" else site.node.parent
        return (
            no_such_group(edition, site, value.path, value.value, target, key)._replace(
                fix=_near(start, value.value, target)
            )
            for value, target in found
            if not (isinstance(target, Node) and target.is_group and key in edition.metadata(target))
        )

    return leads


def no_such_group(  # noqa: PLR0913, PLR0917 - a breach has that many facts
    edition: Edition, site: Site, place: Path, path: str, target: object, key: str
) -> Breach:
    """The breach for a `path` at `place` whose target is not a group with `key`."""
    expected, found = f"the path of a group with {edition.at(key)}", show(path)
    if not isinstance(target, Node):
        return site.breach(place, expected, found)
    if target.is_array:
        return site.breach(place, expected, f"{found}, which is an array", related=[target])
    written = slip(key, edition.metadata(target))
    if written is None:
        return site.breach(place, expected, f"{found}, a group without it", related=[target])
    misspelt = (target.path, edition.path(written))
    return site.breach(
        place, expected, f"{found}, a group without it, but with {written!r}", related=[target], slip=misspelt
    )


def _near(start: Node | None, path: str, target: object) -> str | None:
    return near_name(start, path, "group") if start is not None and target is None else None
