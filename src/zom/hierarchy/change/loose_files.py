"""Files that block a new node: foreign files, and files that would be read as its chunks."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from zom.errors import ConflictError
from zom.hierarchy.change.conflicts import CHANGED, FILES, IN_THE_WAY, conflict, few
from zom.hierarchy.journal.journal import JOURNAL, is_aside
from zom.hierarchy.stored.layout import V2_LAYOUT, V3_LAYOUT
from zom.hierarchy.stored.pending import busy
from zom.paths import is_document

if TYPE_CHECKING:
    from zom.stores.interface import Store

__all__ = ["check_files", "last_name"]

_LOOKED_AT = 1000
"""The number of keys of a directory that are checked."""

_OWN: Final = [end for layout in (V3_LAYOUT, V2_LAYOUT) for end, _ in layout.marks]
"""The documents that make a directory a node."""


def last_name(key: str) -> str:
    """The last name of a key."""
    return key.rpartition("/")[2]


def check_files(store: Store, directory: str, path: str, kind: str) -> None:
    """Raise ConflictError if files block a new node: foreign ones, or possible chunks."""
    if not store.capabilities.listable:
        return
    keys = list(islice(store.list(directory), _LOOKED_AT))
    if f"{directory}{JOURNAL}" in keys:
        # It wasn't here before: someone is creating the same group, and its documents will be here soon.
        raise busy(store, f"{directory}{JOURNAL}")
    keys = [key for key in keys if last_name(key) != JOURNAL and not is_aside(key)]
    documents = [key for key in keys if is_document(key)]
    if documents and kind != "array":
        return
    meanwhile = sorted({directory + name for name in _OWN} & set(documents))
    if meanwhile:
        # It wasn't here before, either: someone has created the same node; read it again.
        found = f"{last_name(meanwhile[0])!r}, which another process wrote meanwhile"
        raise ConflictError([conflict(CHANGED, path, "nothing", found, key=meanwhile[0])], store.url)
    if documents:
        found = f"nodes below it: {few(documents)}"
        raise ConflictError([conflict(IN_THE_WAY, path, "nothing below a new array", found)], store.url)
    if keys:
        fix = "choose another place, or move them away"
        found = f"files that are not part of a Zarr hierarchy: {few(keys)}"
        raise ConflictError([conflict(FILES, path, "nothing, to make it a node", found, fix)], store.url)
