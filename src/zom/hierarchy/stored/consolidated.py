"""Consolidated metadata for reading: one document with those of a whole hierarchy, trusted or compared.

v2: `.zmetadata`, as zarr-python writes it. v3: the member `consolidated_metadata` of a group's document,
https://github.com/zarr-developers/zarr-specs/pull/309. Only software that writes it keeps it in step with the
nodes. Where the two differ, the nodes' own documents count.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from zom.dataclass import dataclass
from zom.errors import SpecError
from zom.hierarchy.stored.findings import NOT_JSON
from zom.hierarchy.stored.node import Document, StoredNode
from zom.json.exact import same
from zom.json.python_value import is_dict
from zom.model.same_document import differing_members
from zom.model.stored import consolidated_entries, consolidated_entries_by, model_document
from zom.model.tree import BELOW_ARRAY
from zom.problems import Fault, rule, show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.hierarchy.stored.findings import Findings
    from zom.hierarchy.stored.layout import Layout
    from zom.model.family import NodeKind

__all__ = ["STALE", "Consolidated", "compare", "consolidated_at", "tree_of"]

STALE = rule(
    "store/stale-consolidated",
    "consolidated metadata matches the documents of the nodes",
    source="https://github.com/zarr-developers/zarr-specs/pull/309: a copy, which readers may use instead",
    lenient="warning",
    strict="warning",
    closed="warning",
)

_AGAIN: Final = "consolidate again; until then read with consolidated='ignore'"


@dataclass(frozen=True, slots=True)
class Consolidated:
    """The consolidated metadata of one group."""

    key: str
    text: bytes
    entries: Mapping[str, Mapping[str, Any]]
    """The documents by path below the group, as `a/b`, and by the ends of their keys."""
    inline: str | None
    """The member of the group's document that holds it, or None if it has its own document."""
    layout: Layout
    """The layout of the nodes that it describes."""

    def steps(self, path: str, end: str) -> tuple[str, ...]:
        """The JSON path to the document of the node at `path` in the text."""
        if self.inline is not None:
            return (self.inline, "metadata", path) if path else ()
        return ("metadata", self.layout.key(f"{self.layout.base}{path}", end).removeprefix(self.layout.base))

    def kind(self, layout: Layout, path: str) -> NodeKind | None:
        """The kind of the node at `path`, as the consolidated metadata says."""
        return _kind(layout, self.entries[path])


def consolidated_at(layout: Layout, path: str, document: Document, findings: Findings) -> Consolidated | None:
    """Parse the consolidated metadata in `document`, of the group at `path`; None if it has none.

    Invalid consolidated metadata raises SpecError; its problems have node and key.
    """
    value = document.value
    if value is NOT_JSON:
        return None
    if layout.inline is not None and (
        not isinstance(value, dict) or cast("dict[str, Any]", value).get(layout.inline) is None
    ):
        return None
    if not isinstance(value, dict):
        value = {}
    try:
        if layout.copy_key is None:
            entries = consolidated_entries(layout.family, cast("dict[str, Any]", value))
        else:
            entries = consolidated_entries_by(layout.node_of, cast("dict[str, Any]", value))
    except SpecError as error:
        placed = [replace(each, node=f"/{path}", key=document.key) for each in error.problems]
        raise SpecError(placed, findings.subject) from None
    relative = {place.strip("/"): documents for place, documents in entries.items()}
    return Consolidated(document.key, document.text, relative, layout.inline, layout)


def _kind(layout: Layout, documents: Mapping[str, Any]) -> NodeKind | None:
    for end, said in layout.marks:
        if end in documents:
            return said or (
                layout.family.kind_of(documents[end]) if isinstance(documents[end], dict) else None
            )
    return None


# --- trusted: the tree that it describes ---------------------------------------------------------------


def tree_of(
    layout: Layout, path: str, block: Consolidated, findings: Findings, *, depth: int | None
) -> StoredNode:
    """The node at `path` and everything below it, as the consolidated metadata describes them.

    A missing parent becomes a group without attributes.
    """
    nodes = {"": StoredNode(f"/{path}", layout, {})}
    for place, documents in block.entries.items():
        several = len(documents) > 1
        items = documents.items()
        ordered = sorted(items, key=lambda item: item[0] in layout.extra) if several else items
        found = {
            end: Document(block.key, block.text, value, block.steps(place, end)) for end, value in ordered
        }
        nodes[place] = StoredNode(_joined(path, place), layout, found)
    for place in list(nodes):
        above = place
        while above:
            above = above.rpartition("/")[0]
            if above in nodes:
                break
            nodes[above] = StoredNode(_joined(path, above), layout, {})
    places = [place for place in sorted(nodes, key=_level) if depth is None or _level(place) <= depth]
    below: dict[str, list[str]] = {place: [] for place in places}
    arrays = {place for place in places if nodes[place].kind == "array"}
    for place in filter(None, places):
        above = place.rpartition("/")[0]
        below[above].append(place)
        if above in arrays:
            _note_below_array(nodes[above], nodes[place], block, findings)
    for place in reversed(places):
        if place in arrays:
            continue
        node = nodes[place]
        if node.kind == "group" and _level(place) != depth:
            members = {each.rpartition("/")[2]: nodes[each] for each in below[place]}
            nodes[place] = replace(node, members=members)
    return nodes[""]


def _joined(path: str, place: str) -> str:
    return "/" + f"{path}/{place}".strip("/")


def _note_below_array(parent: StoredNode, node: StoredNode, block: Consolidated, findings: Findings) -> None:
    found = f"the array {parent.path} above it"
    fix = "read the nodes themselves with consolidated='ignore'"
    fault = Fault(BELOW_ARRAY, (), "only groups above a node", found, fix)
    findings.add(fault, node=node.path, key=block.key)


# --- verified: what differs from the nodes themselves ----------------------------------------------------


def compare(root: StoredNode, block: Consolidated, findings: Findings, *, depth: int | None) -> None:
    """Report how the nodes that were read differ from the consolidated metadata."""
    start = len(root.inner) + 1 if root.inner else 0
    found = {node.inner[start:]: node for node in root.walk()}

    def tell(path: str, wanted: str, there: str) -> None:
        node = "/" + "/".join(part for part in (root.inner, path) if part)
        findings.add(Fault(STALE, (), wanted, there, _AGAIN), node=node, key=block.key)

    for path in block.entries:
        if path not in found and (depth is None or _level(path) <= depth):
            tell(path, "a node, according to the consolidated metadata", "none")
    for path, node in found.items():
        if not path and block.inline is not None:
            continue  # it is in this very document
        entry = block.entries.get(path)
        if entry is not None:
            differing = _differing(entry, node)
            if differing:
                tell(path, "the same in the consolidated metadata", f"another {' and '.join(differing)}")
        elif node.documents:
            tell(path, "an entry in the consolidated metadata", "none")


def _level(path: str) -> int:
    """The number of levels below the root."""
    return path.count("/") + 1 if path else 0


def _differing(entry: Mapping[str, Any], node: StoredNode) -> list[str]:
    """What differs in meaning, as names of members of the documents."""
    layout = node.layout
    if any(end != ".zattrs" for end in node.documents.keys() ^ entry.keys()):
        return ["kind of node"]
    mine = {end: each.value for end, each in node.documents.items() if each.value is not NOT_JSON}
    theirs = {end: value for end, value in entry.items() if end in mine or end not in node.documents}
    if not any(end != ".zattrs" for end in mine):
        return []  # the node's own document is invalid, and already reported
    if not all(is_dict(value) for value in (*mine.values(), *theirs.values())):
        return [] if same(mine, theirs) else ["document"]
    left, right = (model_document(layout.family, documents) for documents in (mine, theirs))
    names = differing_members(layout.family, left, right, ignore=[layout.inline] if layout.inline else ())
    return [name if name.isidentifier() else show(name) for name in names]
