"""Whether a journal fits its place: everything that it deletes must be part of a node that it describes.

A journal may be a copy, or made by other software. Its keys can't leave its directory; here its content is
compared with the documents that it contains and with the existing ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.errors import SpecError, ZomError
from zom.hierarchy.journal.cleared_array import array_of
from zom.hierarchy.journal.text import refused
from zom.hierarchy.stored.inventory import key_form
from zom.hierarchy.stored.layout import (
    DRAFT_2021,
    ENTRY_KEY,
    V2_LAYOUT,
    V3_LAYOUT,
    entry_layout,
)
from zom.hierarchy.stored.node import StoredNode
from zom.paths import is_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.extension.keys import KeyForm
    from zom.hierarchy.journal.journal import Clearing, Journal
    from zom.hierarchy.stored.layout import Layout
    from zom.stores.interface import Store

__all__ = ["check_fits", "draft_at"]


def check_fits(store: Store, work: Journal, key: str) -> None:
    """Raise StoreError if the journal under `key` names anything that is not part of a node it describes."""
    fault = next(_faults(store, work), None)
    if fault is not None:
        raise refused(store.url, key, fault)


def _faults(store: Store, work: Journal) -> Iterator[str]:
    draft = draft_at(store, work.path, work)
    for key in sorted(work.documents):
        if is_document(key):
            continue
        if draft is None or draft.place_of(key) is None:
            yield f"{key!r}, which is not a document of a node"
    old = {key: text for key, text in work.old.items() if text is not None}
    for clearing in work.clears:
        yield from _odd(clearing, _layout(clearing, draft), old)
        if clearing.new is not None and not _resized(clearing):
            yield f"an array other than {clearing.path} in its place"
    for clearing in work.data:
        yield from _odd(clearing, _layout(clearing, draft), work.writes)
    for pair in work.moves:
        if not any(_is_node(store, work, prefix, draft) for prefix in pair):
            yield f"a move of {pair[0]!r}, which is not a node"


def draft_at(store: Store, path: str, work: Journal | None = None) -> Layout | None:
    """The layout of the draft hierarchy at `path`, which the journal may create; None if there is none."""
    key = V3_LAYOUT.key(path, ENTRY_KEY)
    told = () if work is None else (work.writes.get(key), work.old.get(key))
    for text in (*told, store.get(key)):
        if text is not None and StoredNode.of(path, V3_LAYOUT, {ENTRY_KEY: text}).is_entry:
            try:
                return entry_layout(text, path)
            except SpecError:
                return None
    return None


def _layout(clearing: Clearing, draft: Layout | None) -> Layout | None:
    return {"v2": V2_LAYOUT, "v3": V3_LAYOUT}.get(clearing.form, draft)


def _odd(clearing: Clearing, layout: Layout | None, texts: Mapping[str, bytes]) -> Iterator[str]:
    """The problems of a record of chunks: the array's document must define the same keys."""
    what = f"chunks of {clearing.path}"
    if layout is None or clearing.prefix != layout.chunk_prefix(clearing.path):
        yield f"{what} below {clearing.prefix!r}"
        return
    documents = {end: texts.get(layout.key(clearing.path, end)) for end in layout.ends("array")}
    known = {end: text for end, text in documents.items() if text is not None}
    if next(iter(documents.values())) is None:
        yield f"{what}, without the array's document"
        return
    try:
        array = StoredNode.of(clearing.path, layout, known).spec()
        told = array_of(clearing, clearing.old)
        for each in (clearing.new, clearing.kept):
            if each is not None:
                array_of(clearing, each)
        same = array is not None and array.kind == "array" and _form(array) == _form(told)
    except ZomError:
        same = False
    if not same or clearing.scalar not in {None, DRAFT_2021.scalar_chunk}:
        yield f"{what} at keys that don't match the array's document"


def _resized(clearing: Clearing) -> bool:
    """Whether old and new are one array except for the shape."""
    old = array_of(clearing, clearing.old)
    new = array_of(clearing, clearing.new or clearing.old)
    return _form(old) == _form(new)


def _form(array: Any) -> tuple[KeyForm | None, int]:
    return key_form(array), len(array.shape)


def _is_node(store: Store, work: Journal, prefix: str, draft: Layout | None) -> bool:
    """Whether there is, or was, a node at a prefix that is moved."""
    if draft is not None:
        starts = (draft.directory(work.path), draft.chunk_prefix(work.path))
        return prefix.startswith(starts) and prefix not in starts
    keys = [f"{prefix}{end}" for end in (*V3_LAYOUT.tried("/"), *V2_LAYOUT.tried("/"))]
    return any(key in work.documents for key in keys) or any(
        text is not None for text in store.get_many(keys)
    )
