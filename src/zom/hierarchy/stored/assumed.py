"""Directories without documents that hold nodes: groups, though the format requires a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.hierarchy.copy.mark import COPY_MARK
from zom.hierarchy.journal.journal import JOURNAL, is_aside
from zom.hierarchy.stored.layout import V2_LAYOUT, V3_LAYOUT
from zom.hierarchy.stored.node import StoredNode
from zom.problems import Fault, rule

if TYPE_CHECKING:
    from zom.hierarchy.stored.findings import Findings
    from zom.hierarchy.stored.lookup import FormatName
    from zom.hierarchy.stored.source import Source
    from zom.stores.results import Listing

__all__ = ["MISSING_GROUP", "assumed_group", "is_unfinished", "note_missing_group"]

MISSING_GROUP = rule(
    "store/missing-group",
    "every directory above a node is a group, with a document of its own",
    source="Zarr v2, section Hierarchies, and Zarr v3, section Hierarchy: parents are groups; zarr-python "
    "opens the nodes below by their own paths",
    lenient="warning",
)

_MOST_LISTINGS = 32
"""The number of directories to list in search of a first node."""


def is_unfinished(listing: Listing) -> bool:
    """Whether the directory holds an unfinished change or copy: what it has left is not a group yet."""
    marks = {JOURNAL, COPY_MARK}
    return any(key.rpartition("/")[2] in marks for key in listing.keys)


def note_missing_group(node: StoredNode, below: str, findings: Findings) -> None:
    """Report a group that has no document, but a node at the path `below`."""
    fix = "create the group with zom.create_group"
    fault = Fault(MISSING_GROUP, (), "a document, which every group has", f"none, above {below}", fix)
    findings.add(fault, node=node.path)


def assumed_group(
    source: Source, path: str, form: FormatName | None, findings: Findings
) -> StoredNode | None:
    """A group for the directory at `path`, which has no document; None if no node is close below.

    >>> from zom.hierarchy.stored.findings import Findings
    >>> from zom.hierarchy.stored.source import Source
    >>> from zom.stores.memory import MemoryStore
    >>> store = MemoryStore({"a/b/.zarray": b"{}"})
    >>> node = assumed_group(Source(store), "a", None, Findings(store.url, "lenient"))
    >>> node.layout.name, node.path, node.is_assumed
    ('v2', '/a', True)
    """
    layouts = [each for each in (V3_LAYOUT, V2_LAYOUT) if each.is_asked_for(form)]
    if not layouts or not source.store.capabilities.listable:
        return None
    waiting = [V3_LAYOUT.directory(path)]
    for at in range(_MOST_LISTINGS):
        if at == len(waiting):
            break
        listing = source.peek_listing(waiting[at])
        if is_unfinished(listing):
            return None
        names = {key.rpartition("/")[2] for key in listing.keys} if at else set[str]()
        for layout in layouts:
            if names.intersection(end for end, _ in layout.marks):
                node = StoredNode(f"/{path}", layout, {}, is_assumed=True)
                note_missing_group(node, f"/{waiting[at][:-1]}", findings)
                return node
        waiting.extend(each for each in listing.prefixes if not is_aside(each))
    return None
