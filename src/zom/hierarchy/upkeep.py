"""Upkeep: consolidated metadata stays true when single documents change.

A block that speaks of a document is taken away before that changes, and put back with what it says then:
an interruption in between leaves no block, never a stale one.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from zom import jsontext
from zom.errors import ConcurrentWriteError
from zom.hierarchy.blocks import block_in, plain_text
from zom.hierarchy.survey import Lying, above_all
from zom.hierarchy.text import document_text
from zom.paths import join, parse_path

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from zom.hierarchy.layout import Layout
    from zom.stores.interface import Store

__all__ = ["documents_change"]

_TRIES = 60


@contextmanager
def documents_change(store: Store, paths: Iterable[str], layout: Layout) -> Generator[None]:
    """Around a change of the documents of the nodes at `paths`: blocks that speak of them are kept true.

    Where there is no consolidated metadata at the nodes or above, that is one batch of small reads.

    >>> from zom.hierarchy.layout import V2_LAYOUT
    >>> from zom.stores.memory import MemoryStore
    >>> block = b'{"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2}}}'
    >>> store = MemoryStore({".zgroup": b'{"zarr_format": 2}', ".zmetadata": block})
    >>> with documents_change(store, ["/"], V2_LAYOUT):
    ...     store.set(".zattrs", b'{"n": 1}')
    ...     store.exists(".zmetadata")
    False
    >>> jsontext.read(store.get(".zmetadata"), [])["metadata"][".zattrs"]
    {'n': 1}
    """
    nodes = [join(parse_path(path)) for path in paths]
    holders = _holders(store, nodes, layout)
    for at in holders:
        _put_block(store, at, layout, None)
    try:
        yield
    finally:
        for at, block in holders.items():
            inside = [path for path in nodes if f"{path}/".startswith(f"{at.rstrip('/')}/")]
            _put_block(store, at, layout, _renewed(store, at, inside, layout, block))


def _holders(store: Store, paths: list[str], layout: Layout) -> dict[str, dict[str, Any]]:
    """The blocks at `paths` and above that are there, by the paths of their groups."""
    end = layout.consolidated or next((end for end, kind in layout.marks if kind is None), None)
    if end is None or (layout.inline is None and layout.consolidated is None):
        return {}
    groups = dict.fromkeys(at for path in paths for at in (path, *above_all(path)))
    keys = [layout.key(at, end) for at in groups]
    found: dict[str, dict[str, Any]] = {}
    for at, text in zip(groups, store.get_many(keys), strict=True):
        block = None if text is None else block_in(Lying(at, layout, {end: text}))
        if block is not None:
            found[at] = block
    return found


def _renewed(
    store: Store, at: str, paths: list[str], layout: Layout, block: dict[str, Any]
) -> dict[str, Any]:
    """The block at `at` with what the nodes at `paths` say now."""
    held: Any = block.get("metadata")
    entries = dict(cast("dict[str, Any]", held)) if isinstance(held, dict) else {}
    ends = (*(end for end, _ in layout.marks), *layout.extra)
    places = [(path, end) for path in paths for end in ends]
    texts = store.get_many(layout.key(path, end) for path, end in places)
    for (path, end), text in zip(places, texts, strict=True):
        inner = "/".join(parse_path(path)[len(parse_path(at)) :])
        name = inner if layout.consolidated is None else f"{inner}/{end}".lstrip("/")
        if not name:
            continue
        entries.pop(name, None)
        if text is not None:
            entries[name] = jsontext.read(plain_text(text, layout.inline), [])
    return {**block, "metadata": entries}


def _put_block(store: Store, at: str, layout: Layout, block: dict[str, Any] | None) -> None:
    """Put the block of the group at `at` into its place, or take it away."""
    if layout.consolidated is not None:
        key = layout.key(at, layout.consolidated)
        if block is None:
            store.delete(key)
        else:
            store.set(key, document_text(block))
        return
    key = layout.key(at, layout.marks[0][0])
    for _ in range(_TRIES):
        found = store.get_version(key)
        if found is None:
            return
        document = cast("dict[str, Any]", jsontext.read(plain_text(found.value, layout.inline), []))
        if block is not None:
            document = {**document, cast("str", layout.inline): block}
        if store.replace(key, document_text(document), found.version):
            return
    raise ConcurrentWriteError(store.url, key)
