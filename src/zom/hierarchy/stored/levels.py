"""Gathering: read the nodes below one, level by level, with one or two round trips per level.

A far store reads the documents of a level while it lists the directories of that level, if it can do both at
once. In v2 all chunks of an array may be in its directory, so only known groups are listed. If consolidated
metadata says what to expect, all of it is fetched up front. A local store is simply walked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from zom.hierarchy.journal.journal import journal_key, unsettled
from zom.hierarchy.stored.assumed import is_unfinished, note_missing_group
from zom.hierarchy.stored.layout import ENTRY_KEY, V2_LAYOUT, V3_LAYOUT, Layout, Sighting
from zom.hierarchy.stored.lookup import look, note_directory, note_two_formats
from zom.hierarchy.stored.node import StoredNode
from zom.problems import Fault, rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.errors import StoreError
    from zom.hierarchy.stored.findings import Findings
    from zom.hierarchy.stored.source import Source
    from zom.model.family import NodeKind

__all__ = ["MIXED_FORMAT", "Expected", "gather"]

MIXED_FORMAT = rule(
    "store/mixed-formats",
    "all nodes below a group have its format",
    source="Zarr v3, section Hierarchy, and Zarr v2, section Hierarchies: each format has only its own nodes",
    lenient="warning",
)

_OTHERS = {V3_LAYOUT.name: V2_LAYOUT, V2_LAYOUT.name: V3_LAYOUT}
"""The other format whose documents may be where those of a layout are looked up."""


class Expected:
    """The nodes expected below a group: their kinds, if known, by path (`a/b`)."""

    def __init__(self, kinds: Mapping[str, NodeKind | None]) -> None:
        self.kinds = kinds
        self._below: dict[str, dict[str, None]] = {}
        for path in kinds:
            place = path
            while place:
                above, _, name = place.rpartition("/")
                known = self._below.setdefault(above, {})
                if name in known:
                    break
                known[name] = None
                place = above

    def names(self, path: str) -> list[str]:
        """The names expected in the group at `path`."""
        return list(self._below.get(path, ()))


class _Candidate(NamedTuple):
    """A name in a group that may be a member."""

    group: StoredNode
    name: str
    path: str
    """The path of the member, in the form used in keys."""
    sighting: Sighting


_MembersOf: TypeAlias = "dict[str, dict[str, StoredNode] | None]"
"""The members, by name, of each group of one level, by path; None if they can't be listed."""


def gather(
    source: Source,
    root: StoredNode,
    findings: Findings,
    *,
    depth: int | None,
    expected: Expected | None = None,
) -> StoredNode:
    """`root` with its members and those of the groups below it, `depth` levels deep.

    On a store that can't be listed, only the `expected` nodes are found. On others, a directory without
    documents counts as a group if there are nodes below it; zom searches for these beyond the depth, too.
    """
    return _whole(root, list(_levels(source, root, findings, depth, expected)), findings, depth)


def _levels(
    source: Source, root: StoredNode, findings: Findings, depth: int | None, expected: Expected | None
) -> Iterator[_MembersOf]:
    """The nodes below `root`, level by level."""
    layout, listable = root.layout, source.store.capabilities.listable
    if expected is not None:
        _prefetch(source, root, expected, depth=depth)
    level: list[StoredNode] = [root]
    at = 0
    while level:
        is_wanted = depth is None or at < depth
        groups = [node for node in level if node.kind != "array" and (is_wanted or node.is_assumed)]
        if listable:
            source.fetch((), [layout.directory(node.path) for node in groups if node.below is not False])
        seen = {node.path: _sightings(source, root, node, findings, expected) for node in groups}
        found: _MembersOf = {path: None if names is None else {} for path, names in seen.items()}
        candidates = [
            _Candidate(node, name, f"{node.inner}/{name}".lstrip("/"), sighting)
            for node in groups
            for name, sighting in (seen[node.path] or {}).items()
        ]
        at += 1
        _ask(source, layout, candidates, lists=listable and (depth is None or at < depth))
        level = []
        for each, node in _members(source, root, candidates, findings, expected):
            cast("dict[str, StoredNode]", found[each.group.path])[each.name] = node
            level.append(node)
        yield found


def _whole(root: StoredNode, levels: list[_MembersOf], findings: Findings, depth: int | None) -> StoredNode:
    """`root` with everything that was found; each node is completed after those below it.

    Assumed groups are reported, and dropped if nothing is below them. Nodes beyond the depth are dropped,
    too.
    """
    below: _MembersOf = {}
    for at in range(len(levels), 0, -1):
        for path, members in levels[at - 1].items():
            kept: dict[str, StoredNode] = {}
            for name, node in (members or {}).items():
                inside = below.get(node.path)
                if node.documents or inside or node.below:
                    kept[name] = node if depth is not None and at >= depth else _with(node, inside)
            below[path] = None if members is None else kept
    _note_assumed(root, below, findings)
    return _with(root, below.get(root.path))


def _with(node: StoredNode, members: dict[str, StoredNode] | None) -> StoredNode:
    """The node with its members; a node of unknown kind (invalid document) without any stays as it is."""
    if members is None or (not members and node.kind is None):
        return node
    return replace(node, members=members)


def _note_assumed(root: StoredNode, below: _MembersOf, findings: Findings) -> None:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        members = below.get(node.path)
        if members:
            if node.is_assumed and node is not root:
                note_missing_group(node, next(iter(members.values())).path, findings)
            waiting.extend(reversed(members.values()))


def _sightings(
    source: Source, root: StoredNode, node: StoredNode, findings: Findings, expected: Expected | None
) -> dict[str, Sighting] | None:
    """The possible members of the group, or None if it can't be listed."""
    if source.store.capabilities.listable:
        return _listed(source, node, findings)
    start = len(root.inner) + 1 if root.inner else 0
    names = expected.names(node.inner[start:]) if expected else []
    return dict.fromkeys(names, Sighting())


def _listed(source: Source, node: StoredNode, findings: Findings) -> dict[str, Sighting] | None:
    """The possible members of the group, from its listing."""
    layout = node.layout
    if node.below is False:
        return {}
    prefix = layout.directory(node.path)
    listing = source.listing(prefix)
    error = source.failure(prefix)
    if error is not None:
        _note_unlisted(source, node, error, findings)
        return None
    if journal_key(node.path) in listing.keys:
        raise unsettled(source.store.url, journal_key(node.path))
    if node.is_assumed and is_unfinished(listing):
        return {}
    other = _OTHERS.get(layout.name)
    if other is not None and layout is V3_LAYOUT and listing.keys:
        lie = {other.key(node.path, end) for end, _ in other.marks}.intersection(listing.keys)
        if lie and not findings.knows("store/two-formats", node.path):
            note_two_formats(node.inner, min(lie), findings)
    return layout.sightings(node.path, listing)


def _note_unlisted(source: Source, node: StoredNode, error: StoreError, findings: Findings) -> None:
    """Report a group whose members can't be listed, unless its document could not be read either."""
    if not any(source.failure(key) for key in node.layout.tried(node.path)):
        findings.note_failure(error, node=node.path)


def _ask(source: Source, layout: Layout, candidates: list[_Candidate], *, lists: bool) -> None:
    """Fetch what the candidates need in one round trip, and start their listings if that is cheap."""
    if not source.is_far:
        return
    keys: list[str] = []
    certain: list[str] = []
    perhaps: list[str] = []
    for each in candidates:
        ends = each.sighting.ends
        keys.extend(_keys(source, layout, each.path, ends))
        if lists and ends is not None and each.sighting.below and ".array.json" not in ends:
            certain.append(layout.directory(each.path))
        elif lists and ends is None and not layout.flat_chunks:
            perhaps.append(layout.directory(each.path))
    few = len(keys) + len(perhaps) <= 2 * source.at_once
    source.fetch(keys, certain, perhaps if few else ())


def _keys(source: Source, layout: Layout, path: str, ends: tuple[str, ...] | None) -> list[str]:
    """The keys of the node at `path` that are not known yet."""
    if ends is not None:
        return [layout.key(path, end) for end in ends]
    marks = [layout.key(path, end) for end, _ in layout.marks]
    if any(source.peek(key) is not None for key in marks):
        marks = []
    return [*marks, *(layout.key(path, end) for end in layout.extra)]


def _members(
    source: Source,
    root: StoredNode,
    candidates: list[_Candidate],
    findings: Findings,
    expected: Expected | None,
) -> Iterator[tuple[_Candidate, StoredNode]]:
    """The candidates that are nodes."""
    layout, listable = root.layout, source.store.capabilities.listable
    start = len(root.inner) + 1 if root.inner else 0
    strangers: list[_Candidate] = []
    for each in candidates:
        node = look(source, layout, each.path, findings, each.sighting)
        if node is None:
            strangers.append(each)
        elif layout is V3_LAYOUT and node.is_entry:
            _note_mixed(each.path, node.documents[ENTRY_KEY].key, layout, "a draft hierarchy", findings)
        else:
            yield each, node
    other = _OTHERS.get(layout.name)
    mixed = _note_strangers(source, layout, other, strangers, findings) if strangers and other else set[str]()
    for each in strangers:
        if other is not None and listable and each.path not in mixed and each.group.kind == "group":
            # Chunks of an array may be below an invalid document.
            yield each, StoredNode(f"/{each.path}", layout, {}, is_assumed=True)
        elif other is None and not listable and expected is not None and expected.names(each.path[start:]):
            # A group of the draft without a document, above what is expected below it.
            yield each, StoredNode(f"/{each.path}", layout, {})
    if source.is_far:
        source.forget(key for each in candidates for key in layout.tried(each.path))


def _note_strangers(
    source: Source, layout: Layout, other: Layout, strangers: list[_Candidate], findings: Findings
) -> set[str]:
    """Report the directories that hold a node of the other format, and return their paths."""
    mixed: set[str] = set()
    ends = [end for end, _ in other.marks]
    source.fetch(other.key(each.path, end) for each in strangers for end in ends)
    for each in strangers:
        found = next((key for end in ends if source.get(key := other.key(each.path, end)) is not None), None)
        if found is not None:
            mixed.add(each.path)
            _note_mixed(each.path, found, layout, f"a {other.name} node", findings)
        for key in (other.key(each.path, end) for end in ends):
            if key in source.directories:
                note_directory(each.path, key, findings)
    return mixed


def _note_mixed(path: str, key: str, layout: Layout, found: str, findings: Findings) -> None:
    wanted = f"a {layout.name} node, like the group above it"
    fix = f"read it by its own path, or move it out of the {layout.name} hierarchy"
    fault = Fault(MIXED_FORMAT, (), wanted, f"{found}, which was left out", fix)
    findings.add(fault, node=f"/{path}", key=key)


# --- what is expected ---------------------------------------------------------------------------------


def _prefetch(source: Source, root: StoredNode, expected: Expected, *, depth: int | None) -> None:
    """Fetch everything that is expected, in one round trip."""
    if not source.is_far:
        return
    layout = root.layout
    keys: list[str] = []
    prefixes = [layout.directory(root.path)]
    for path, kind in expected.kinds.items():
        place = f"{root.inner}/{path}".strip("/")
        at = path.count("/") + 1 if path else 0
        if not path or (depth is not None and at > depth):
            continue
        keys.extend(layout.tried(place) if kind is None else layout.keys(place, kind))
        if kind == "group" and (depth is None or at < depth):
            prefixes.append(layout.directory(place))
    source.fetch(keys, prefixes if source.store.capabilities.listable else [])
