"""The effect of a changed document on an array's chunks: none, some cut off, or all unreadable.

Chunks are read by the document. Attributes and dimension names don't affect them. The shape says which chunks
exist, and the fill value what missing ones read as. Everything else defines how they are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from zom.hierarchy.change.chunk_form import same_chunks, same_missing
from zom.model.compare import document_changes

if TYPE_CHECKING:
    from zom.model.difference import Change
    from zom.model.spec import Spec

__all__ = ["ChunkEffect", "changes_between"]

ChunkEffect = Literal["keep", "update attributes", "rewrite document", "refill", "resize", "replace"]
"""The effect of a new document; "refill" changes the value of elements that were never written."""

_LAYOUT = frozenset(
    {"data_type", "dtype", "chunk_grid", "chunks", "chunk_key_encoding", "dimension_separator", "order"}
    | {"chunk_memory_layout", "fill_value", "codecs", "filters", "compressor", "storage_transformers"}
    | {"extensions", "zarr_format", "node_type"}
)


def changes_between(old: Spec, new: Spec) -> tuple[ChunkEffect, tuple[Change, ...]]:
    """The effect of replacing the document of `old` with that of `new`, a node of the same kind.

    >>> from zom import v3
    >>> old = v3.ArraySpec.build(shape=(4,), dtype="int8", attributes={"units": "K"})
    >>> changes_between(old, old.replace(attributes={}))[0], changes_between(old, old.replace(shape=(2,)))[0]
    ('update attributes', 'resize')
    >>> changes_between(old, old.replace(fill_value=1))[0], changes_between(old, old.replace(data_type="uint8"))[0]
    ('refill', 'replace')
    """
    changes = tuple(document_changes(old, new, ignore=("/members", "/consolidated_metadata")))
    names = {change.inside[0] if change.inside else "node_type" for change in changes}
    if names & (_LAYOUT - {"fill_value"}) and not (old.kind == "array" and same_chunks(old, new)):
        return "replace", changes
    if "fill_value" in names and not same_missing(old, new):
        return "refill", changes
    if "shape" in names:
        return "resize", changes
    if names - {"attributes"}:
        return "rewrite document", changes
    return ("update attributes" if names else "keep"), changes
