"""Looking up a node: which documents are at a path, and so which format it has.

    zarr.json with the integer 3               v3
    zarr.json with a URI, metadata_encoding    the draft, as the entry point of the hierarchy says
    .zarray, .zgroup                           v2; the array if both exist
    none, but something below                  a group in the draft; no node in v2 and v3

If v3 and v2 documents are side by side, v3 counts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, cast

from zom.errors import StoreError
from zom.formats.families import ENTRY_POINT
from zom.hierarchy.stored.findings import NOT_JSON, UNREADABLE
from zom.hierarchy.stored.layout import DRAFT_2022, ENTRY_KEY, V2_LAYOUT, V3_LAYOUT, draft_layout
from zom.hierarchy.stored.node import Document, StoredNode, is_entry
from zom.model.assembly import assemble
from zom.problems import Fault, rule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.formats.draft import EntryPoint
    from zom.hierarchy.stored.findings import Findings
    from zom.hierarchy.stored.layout import Layout, Sighting
    from zom.hierarchy.stored.source import Source

__all__ = [
    "TWO_FORMATS",
    "TWO_KINDS",
    "FormatName",
    "find",
    "layout_of",
    "look",
    "note_directory",
    "note_two_formats",
]

FormatName = Literal["v2", "v3", "draft"]
"""A format that a caller can ask for."""

TWO_FORMATS = rule(
    "store/two-formats",
    "a node has the documents of one format",
    source="Zarr v3, section Stores, and Zarr v2, section Hierarchies: neither format mentions the other; v3 is read",
    lenient="warning",
    strict="warning",
    closed="warning",
)
DIRECTORY = rule(
    "store/directory-for-document",
    "a document is a value, not a directory",
    source="Zarr v3, File system store: the value of a key is the content of a file",
    lenient="warning",
    strict="warning",
    closed="warning",
)
TWO_KINDS = rule(
    "store/two-kinds",
    "a node is an array or a group, not both",
    source="Zarr v2, section Hierarchies: a group can't be where an array exists; all readers open the array",
    lenient="warning",
)


def find(
    source: Source, path: str, form: FormatName | None, findings: Findings, *, also: Iterable[str] = ()
) -> StoredNode | None:
    """The node at `path`, which has no leading or trailing slash.

    `also` are keys that are needed soon.
    """
    source.fetch((*_keys(path, form), *also))
    v2, v3, draft = (layout.is_asked_for(form) for layout in (V2_LAYOUT, V3_LAYOUT, DRAFT_2022))
    if v3 or draft:
        key = V3_LAYOUT.key(path, ENTRY_KEY)
        document = _read(source, key, path, findings)
        if document is not None:
            if is_entry(document.value):
                if draft:
                    return _find_draft(source, path, path, document, findings)
            elif v3:
                _note_v2(source, path, findings)
                return StoredNode(f"/{path}", V3_LAYOUT, {ENTRY_KEY: document})
    if v2 and (node := look(source, V2_LAYOUT, path, findings)) is not None:
        return node
    if v3 and (node := _in_place_of_document(source, V3_LAYOUT, path, findings)) is not None:
        return node
    return _find_below_entry(source, path, findings) if path and draft else None


def _keys(path: str, form: FormatName | None) -> tuple[str, ...]:
    # The document of a v3 node has the key of an entry point of the draft.
    first = V3_LAYOUT.is_asked_for(form) or DRAFT_2022.is_asked_for(form)
    keys = V3_LAYOUT.tried(path) if first else ()
    return (*keys, *V2_LAYOUT.tried(path)) if V2_LAYOUT.is_asked_for(form) else keys


def _note_v2(source: Source, path: str, findings: Findings) -> None:
    """Report v2 documents found beside those of v3."""
    for end, _ in V2_LAYOUT.marks:
        key = V2_LAYOUT.key(path, end)
        if source.peek(key) is not None:
            note_two_formats(path, key, findings)
            return


def note_two_formats(path: str, key: str, findings: Findings) -> None:
    """Report a document of the other format at `path`, under `key`."""
    fix = "delete one of them; form='v2' reads the v2 node"
    fault = Fault(TWO_FORMATS, (), "documents of one format", "v3 and v2 side by side", fix)
    findings.add(fault, node=f"/{path}", key=key)


# --- v2 and v3: documents in the node's own directory -------------------------------------------------


def look(
    source: Source, layout: Layout, path: str, findings: Findings, sighting: Sighting | None = None
) -> StoredNode | None:
    """The node at `path` in a hierarchy of this layout, or None if it has no documents there."""
    ends = None if sighting is None else sighting.ends
    below = None if sighting is None else sighting.below
    documents: dict[str, Document] = {}
    for end in _marks(source, layout, path, ends):
        key = layout.key(path, end)
        if documents:
            if ends is not None or source.peek(key) is not None:
                _note_two_kinds(path, key, findings)
            continue
        document = _read(source, key, path, findings)
        if document is None:
            if ends is not None:
                reason = (
                    "it was listed and then deleted: the hierarchy changes while it is read; read it again"
                )
                raise StoreError(source.store.url, key, "read", reason)
            continue
        documents[end] = document
    if not documents:
        if ends == ():
            return StoredNode(f"/{path}", layout, {}, below=True)
        return _in_place_of_document(source, layout, path, findings)
    for end in layout.extra:
        document = _read(source, layout.key(path, end), path, findings)
        if document is not None:
            documents[end] = document
    return StoredNode(f"/{path}", layout, documents, below)


def _marks(source: Source, layout: Layout, path: str, ends: tuple[str, ...] | None) -> list[str]:
    """The documents that can define the node: those listed or fetched, otherwise all."""
    if ends is not None:
        return [end for end, _ in layout.marks if end in ends]
    marks = [end for end, _ in layout.marks]
    if source.is_far and len(marks) > 1:
        return [end for end in marks if source.peek(layout.key(path, end)) is not None] or marks
    return marks


def _read(source: Source, key: str, path: str, findings: Findings) -> Document | None:
    text = source.get(key)
    if text is not None:
        return Document(key, text, findings.value(key, f"/{path}", text))
    if key in source.directories:
        note_directory(path, key, findings)
    error = source.failure(key)
    if error is None:
        return None
    findings.note_failure(error, node=f"/{path}", key=key)
    return Document(key, b"", NOT_JSON)


def note_directory(path: str, key: str, findings: Findings) -> None:
    """Report a directory that has the name of a document of the node at `path`."""
    fix = "move the directory away, or delete it"
    fault = Fault(DIRECTORY, (), "a document, or nothing", "a directory", fix)
    findings.add(fault, node=f"/{path}", key=key)


def _in_place_of_document(source: Source, layout: Layout, path: str, findings: Findings) -> StoredNode | None:
    """A stand-in for a node that has a directory in place of its document."""
    for end, _ in layout.marks:
        key = layout.key(path, end)
        if key in source.directories:
            findings.withdraw(DIRECTORY.code, key)
            fix = "move the directory away, and write the document again"
            fault = Fault(UNREADABLE, (), "a document that can be read", "a directory", fix)
            findings.add(fault, node=f"/{path}", key=key)
            return StoredNode(f"/{path}", layout, {end: Document(key, b"", NOT_JSON)})
    return None


def _note_two_kinds(path: str, key: str, findings: Findings) -> None:
    found = "the documents of both; the array is read"
    fault = Fault(TWO_KINDS, (), "an array or a group", found, "delete one of them")
    findings.add(fault, node=f"/{path}", key=key)


# --- the draft: an entry point, and documents in a tree of their own ----------------------------------


def _find_below_entry(source: Source, path: str, findings: Findings) -> StoredNode | None:
    """The node at `path` of a draft hierarchy whose entry point is further up."""
    names = path.split("/")
    above = ["/".join(names[:count]) for count in range(len(names) - 1, -1, -1)]
    source.fetch(V3_LAYOUT.key(base, ENTRY_KEY) for base in above)
    for base in above:
        key = V3_LAYOUT.key(base, ENTRY_KEY)
        text = source.get(key)
        # Documents of other nodes are not checked here, but an invalid entry point must be reported.
        if text is not None and b"metadata_encoding" in text:
            value = findings.value(key, f"/{base}", text)
            if is_entry(value):
                return _find_draft(source, path, base, Document(key, text, value), findings)
    return None


def layout_of(entry: Document, base: str, findings: Findings) -> Layout:
    """The layout of the draft hierarchy below `base`, from its entry point."""
    spec, problems = assemble(ENTRY_POINT, entry.value, findings.level, limits=findings.limits)
    for problem in problems:
        findings.place(replace(problem, node=f"/{base}", key=entry.key), entry.text)
    if spec is None:
        # An entry point that the level rejects still says the layout; one that can't be parsed doesn't.
        spec = assemble(ENTRY_POINT, entry.value, "lenient", limits=findings.limits)[0]
    if spec is None:
        findings.raise_errors()
    return draft_layout(cast("EntryPoint", spec), base)


def _find_draft(
    source: Source, path: str, base: str, entry: Document, findings: Findings
) -> StoredNode | None:
    """The node at `path` of the draft hierarchy below `base`."""
    layout = layout_of(entry, base, findings)
    directory = layout.directory(path)
    listable = source.store.capabilities.listable
    source.fetch(layout.tried(path), [directory] if listable else [])
    node = look(source, layout, path, findings)
    if node is not None:
        return node
    if path == base:
        return StoredNode(f"/{path}", layout, {})
    if not listable or not any(source.peek_listing(directory)):
        return None
    return StoredNode(f"/{path}", layout, {}, below=True)
