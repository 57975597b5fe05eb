"""The `NotFound` error of a path without a node: what is there instead, found by at most one listing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.errors import NotFound
from zom.extension.registry import did_you_mean, near
from zom.hierarchy.copy.mark import COPY_MARK
from zom.hierarchy.stored.findings import Findings
from zom.hierarchy.stored.layout import V2_LAYOUT
from zom.hierarchy.stored.lookup import find
from zom.hierarchy.stored.settled import Settled

if TYPE_CHECKING:
    from zom.hierarchy.stored.lookup import FormatName
    from zom.hierarchy.stored.node import StoredNode
    from zom.hierarchy.stored.source import Source

__all__ = ["not_found"]

_SHOWN = 10


def not_found(source: Source, path: str, form: FormatName | None) -> NotFound:
    """The error for `path`, below which nothing was found."""
    wanted = "a node" if form is None else f"a {form} node"
    return NotFound(f"{source.store.url}: expected {wanted} at /{path}, found {_instead(source, path, form)}")


def _instead(source: Source, path: str, form: FormatName | None) -> str:
    if isinstance(source.store, Settled):
        return "a change that is running or was interrupted: zom.repair finishes or undoes it"
    if form is not None:
        other = find(source, path, None, _nobody(source))
        if other is not None:
            return f"a {other.layout.name} {other.kind or 'node'}; leave out form"
    above = path
    while above:
        above = above.rpartition("/")[0]
        found = find(source, above, form, _nobody(source))
        if found is not None:
            return _below(source, found, path)
    if not source.store.capabilities.listable:
        return "no document at the path or above it; this store can't be listed"
    return _at_the_root(source, path)


def _at_the_root(source: Source, path: str) -> str:
    """What the store contains, for a `path` that has no node above it."""
    listing = source.listing("")
    names = sorted({*listing.keys, *listing.prefixes})
    if not names:
        return "nothing: the store is empty"
    if COPY_MARK in names:
        return "a copy that is running or was interrupted: repeat the same copy to finish it, or remove its remains with zom.repair"
    if V2_LAYOUT.consolidated in names:
        return (
            "consolidated metadata without documents of nodes: they were deleted, or not copied; "
            "zom.read(..., consolidated='only') shows the hierarchy as it was"
        )
    hint = f" below {path.partition('/')[0]!r}" if f"{path.partition('/')[0]}/" in names else ""
    return f"no document at the path{' or above it' if path else ''}{hint}; the store contains {_list(names)}"


def _nobody(source: Source) -> Findings:
    """Findings that are discarded: problems of the nodes above don't matter here."""
    return Findings(source.store.url, "lenient")


def _below(source: Source, node: StoredNode, path: str) -> str:
    """What to report about `path` if `node` is the nearest one above it."""
    if node.kind == "array":
        return f"nothing; {node.path} is an array, which has no members"
    place = f"nothing; the nearest node above is the group {node.path}"
    if not source.store.capabilities.listable:
        return place
    listing = source.listing(node.layout.directory(node.path))
    names = sorted(node.layout.sightings(node.path, listing))
    name = path[len(node.inner) :].strip("/").partition("/")[0]
    if name in names:
        return f"nothing; {node.path} is a group, in which {name!r} has no document of its own"
    if not names:
        return f"nothing; {node.path} is a group without members"
    hint = did_you_mean(near(name, names))
    return f"nothing; {node.path} is a group with {_list(names)}{f'; {hint}' if hint else ''}"


def _list(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(map(repr, names[:_SHOWN]))}{more}"
