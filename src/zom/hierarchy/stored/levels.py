"""Gathering: the nodes below one, level by level, each level in one or two round trips.

A far store is asked for the documents of a level while it lists the directories of that level, as long
as it can do both at once; in v2, where all chunks of an array may lie in its directory, only groups are
listed, and so only when it is known that they are. Where consolidated metadata tell what to expect, all
of that is fetched beforehand. A store on this machine is simply walked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.hierarchy.journal.journal import journal_key, unsettled
from zom.hierarchy.stored.assumed import is_unfinished, note_missing_group
from zom.hierarchy.stored.layout import ENTRY_KEY, V2_LAYOUT, V3_LAYOUT, Layout, Sighting
from zom.hierarchy.stored.lookup import is_entry, look, note_directory, note_two_formats
from zom.hierarchy.stored.node import Node
from zom.problems import Fault, rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zom.errors import StoreError
    from zom.hierarchy.stored.findings import Findings
    from zom.hierarchy.stored.source import Source
    from zom.model.family import NodeKind

__all__ = ["MIXED_FORMAT", "Expected", "gather"]

MIXED_FORMAT = rule(
    "store/mixed-formats",
    "all nodes below a group have its format",
    source="Zarr v3, section Hierarchy, and Zarr v2, section Hierarchies: each knows its own nodes only",
    lenient="warning",
)

_OTHERS = {V3_LAYOUT.name: V2_LAYOUT, V2_LAYOUT.name: V3_LAYOUT}
"""Whose documents may lie where those of a layout are looked for."""


class Expected:
    """The nodes that are expected below a group: by path, as `a/b`, with the kind where it is known."""

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


class _Candidate:
    __slots__ = ("group", "name", "path", "sighting")

    def __init__(self, group: Node, name: str, sighting: Sighting) -> None:
        self.group = group
        self.name = name
        self.path = f"{group.path}/{name}" if group.path else name
        self.sighting = sighting


def gather(  # noqa: PLR0913 - all that a level needs
    source: Source,
    layout: Layout,
    root: Node,
    findings: Findings,
    *,
    depth: int | None,
    expected: Expected | None = None,
) -> None:
    """Fill in the members of `root` and of the groups below it, `depth` levels deep.

    On a store that can't be listed, only what is `expected` is found. Where it can, a directory without
    documents counts as a group if there are nodes below it; these are looked for beyond the depth, too.
    """
    listable = source.store.capabilities.listable
    start = len(root.path) + 1 if root.path else 0
    if expected is not None:
        _prefetch(source, layout, root, expected, depth=depth)
    level, at = [root], 0
    while level:
        is_wanted = depth is None or at < depth
        groups = [node for node in level if node.kind != "array" and (is_wanted or node.is_assumed)]
        if listable:
            source.fetch((), [layout.directory(node.path) for node in groups if node.below is not False])
        candidates: list[_Candidate] = []
        for node in groups:
            node.members = {}
            if listable:
                sightings = _listed(source, layout, node, findings)
            else:
                names = expected.names(node.path[start:]) if expected else []
                sightings = dict.fromkeys(names, Sighting())
            candidates.extend(_Candidate(node, name, sighting) for name, sighting in sightings.items())
        at += 1
        _ask(source, layout, candidates, lists=listable and (depth is None or at < depth))
        level = list(_members(source, layout, candidates, findings))
        if layout.implicit_groups and not listable:
            level.extend(_implicit(candidates, expected, start))
    if layout.implicit_groups and not listable:
        _prune(root)
    elif not layout.implicit_groups:
        _settle(root, start, findings, depth)


def _settle(root: Node, start: int, findings: Findings, depth: int | None) -> None:
    """Report the groups that are assumed; forget those with nothing below, and members that nobody wants."""
    for node in reversed(list(root.walk())):
        if node.members is None:
            continue
        for name, member in list(node.members.items()):
            if member.is_assumed and not member.members:
                del node.members[name]
        if node.kind is None and not node.members:
            node.members = None  # a document at fault doesn't say that it is a group
    for node in list(root.walk()):
        if node.is_assumed and node.members and node is not root:
            note_missing_group(node, next(iter(node.members.values())).shown, findings)
        level = node.path[start:].count("/") + 1 if node.path[start:] else 0
        if depth is not None and level >= depth:
            node.members = None


def _listed(source: Source, layout: Layout, node: Node, findings: Findings) -> dict[str, Sighting]:
    """What may be members of the group, by its listing."""
    if node.below is False:
        return {}
    prefix = layout.directory(node.path)
    listing = source.listing(prefix)
    error = source.failure(prefix)
    if error is not None:
        _note_unlisted(source, layout, node, error, findings)
        return {}
    if journal_key(node.path) in listing.keys:
        raise unsettled(source.store.url, journal_key(node.path))
    if node.is_assumed and is_unfinished(listing):
        return {}
    other = _OTHERS.get(layout.name)
    if other is not None and layout is V3_LAYOUT and listing.keys:
        lie = {other.key(node.path, end) for end, _ in other.marks}.intersection(listing.keys)
        if lie and not findings.knows("store/two-formats", node.shown):
            note_two_formats(node.path, min(lie), findings)
    return layout.sightings(node.path, listing)


def _note_unlisted(source: Source, layout: Layout, node: Node, error: StoreError, findings: Findings) -> None:
    """Report a group whose members can't be listed, unless its document could not be read either."""
    node.members = None
    if not any(source.failure(key) for key in layout.tried(node.path)):
        findings.note_failure(error, node=node.shown)


def _ask(source: Source, layout: Layout, candidates: list[_Candidate], *, lists: bool) -> None:
    """Fetch what is needed of the candidates, in one round trip, and perhaps already their listings."""
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
    source: Source, layout: Layout, candidates: list[_Candidate], findings: Findings
) -> Iterator[Node]:
    """The nodes among the candidates, each put into its group."""
    strangers: list[_Candidate] = []
    for each in candidates:
        node = look(source, layout, each.path, findings, each.sighting)
        if node is None:
            strangers.append(each)
        elif layout is V3_LAYOUT and is_entry(node.documents[ENTRY_KEY].value):
            _note_mixed(each.path, node.documents[ENTRY_KEY].key, layout, "a draft hierarchy", findings)
        else:
            if each.group.members is not None:
                each.group.members[each.name] = node
            yield node
    other = _OTHERS.get(layout.name)
    if strangers and other is not None:
        mixed = _note_strangers(source, layout, other, strangers, findings)
        if source.store.capabilities.listable:
            yield from _assumed(each for each in strangers if each.path not in mixed)
    if source.is_far:
        source.forget(key for each in candidates for key in layout.tried(each.path))


def _assumed(strangers: Iterable[_Candidate]) -> Iterator[Node]:
    """Groups in place of directories without documents, until it is known what lies below them."""
    for each in strangers:
        # Below a document at fault may lie the chunks of an array.
        if each.group.kind == "group" and each.group.members is not None:
            node = each.group.members[each.name] = Node(each.path, "group", {})
            node.is_assumed = True
            yield node


def _note_strangers(
    source: Source, layout: Layout, other: Layout, strangers: list[_Candidate], findings: Findings
) -> set[str]:
    """Report the directories that hold a node of the other format; their paths."""
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
    wanted = f"a {layout.name} node, as the group above it"
    fix = f"read it by its own path, or move it out of the {layout.name} hierarchy"
    fault = Fault(MIXED_FORMAT, (), wanted, f"{found}, which was left out", fix)
    findings.add(fault, node=f"/{path}", key=key)


# --- what is expected ---------------------------------------------------------------------------------


def _prefetch(source: Source, layout: Layout, root: Node, expected: Expected, *, depth: int | None) -> None:
    """Fetch all that is expected, in one round trip."""
    if not source.is_far:
        return
    keys: list[str] = []
    prefixes = [layout.directory(root.path)]
    for path, kind in expected.kinds.items():
        place = f"{root.path}/{path}".strip("/") if path else root.path
        at = path.count("/") + 1 if path else 0
        if not path or (depth is not None and at > depth):
            continue
        keys.extend(layout.tried(place) if kind is None else layout.keys(place, kind))
        if kind == "group" and (depth is None or at < depth):
            prefixes.append(layout.directory(place))
    source.fetch(keys, prefixes if source.store.capabilities.listable else [])


def _implicit(candidates: list[_Candidate], expected: Expected | None, start: int) -> Iterator[Node]:
    """Groups without documents, above what is expected below them."""
    for each in candidates:
        members = each.group.members
        if members is None or each.name in members or expected is None:
            continue
        if expected.names(each.path[start:]):
            node = members[each.name] = Node(each.path, "group", {})
            yield node


def _prune(root: Node) -> None:
    """Take away the groups without documents below which nothing was found."""
    for node in reversed(list(root.walk())):
        for name, member in list((node.members or {}).items()):
            if not member.documents and not member.members and node.members is not None:
                del node.members[name]
