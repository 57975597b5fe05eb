"""What a change of an array's document does to its chunks: nothing, cut some off, or make all unreadable.

Chunks are read by the document. Attributes and names of dimensions say nothing about them; the shape
says which there are; everything else how they are read. Of codecs whose streams describe themselves,
some configuration counts for writing only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from zom.model.compare import diff

if TYPE_CHECKING:
    from zom.model.compare import Change
    from zom.model.spec import Spec

__all__ = ["Meaning", "changes_between"]

Meaning = Literal["keep", "update attributes", "rewrite document", "resize", "replace"]

_LAYOUT = frozenset(
    {"data_type", "dtype", "chunk_grid", "chunks", "chunk_key_encoding", "dimension_separator", "order"}
    | {"chunk_memory_layout", "fill_value", "codecs", "filters", "compressor", "storage_transformers"}
    | {"extensions", "zarr_format", "node_type"}
)

_WRITING_ONLY = {
    "gzip": {"level"},
    "zlib": {"level"},
    "bz2": {"level"},
    "zstd": {"level", "checksum"},
    "lz4": {"acceleration"},
    "blosc": {"cname", "clevel", "shuffle", "typesize", "blocksize"},
}
"""What of a codec's configuration its streams tell themselves, by the name of the codec."""


def changes_between(old: Spec, new: Spec) -> tuple[Meaning, tuple[Change, ...]]:
    """What it means to put the document of `new` in the place of `old`, a node of the same kind.

    >>> from zom import v3
    >>> old = v3.ArraySpec.build(shape=(4,), dtype="int8", attributes={"units": "K"})
    >>> changes_between(old, old.replace(attributes={}))[0], changes_between(old, old.replace(shape=(2,)))[0]
    ('update attributes', 'resize')
    >>> changes_between(old, old.replace(data_type="uint8"))[0]
    'replace'
    """
    changes = tuple(diff(old, new, ignore=("/members", "/consolidated_metadata")))
    meaning: Meaning = "keep"
    for change in changes:
        name = change.inside[0] if change.inside else "node_type"
        if name == "attributes":
            found: Meaning = "update attributes"
        elif name == "shape":
            found = "resize"
        elif name in _LAYOUT and not _is_for_writing(change, new):
            found = "replace"
        else:
            found = "rewrite document"
        meaning = max(meaning, found, key=_ORDER.index)
    return meaning, changes


_ORDER: list[Meaning] = ["keep", "update attributes", "rewrite document", "resize", "replace"]


def _is_for_writing(change: Change, new: Spec) -> bool:
    """Whether the change is in a codec's configuration, where readers don't look."""
    value: Any = new.document
    codec = None
    for step in change.inside[:-1]:
        if isinstance(value, dict):
            inner = cast("dict[str, Any]", value)
            codec = inner.get("name", inner.get("id", codec))
            value = inner.get(cast("str", step))
        elif isinstance(value, list) and isinstance(step, int) and step < len(cast("list[Any]", value)):
            value = cast("list[Any]", value)[step]
        else:
            return False
    if isinstance(value, dict):
        inner = cast("dict[str, Any]", value)
        codec = inner.get("name", inner.get("id", codec))
    return change.inside[-1] in _WRITING_ONLY.get(str(codec).removeprefix("numcodecs."), ())
