"""Upkeep: keep consolidated metadata true when single documents change.

Documents and the consolidated metadata about them change together, with a journal. In any case readers find
the old ones or the new ones, and never stale or missing metadata.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from zom.hierarchy.change.blocks import block_end, block_in, plain_text
from zom.hierarchy.change.carry import carry_through, check_texts
from zom.hierarchy.journal.journal import Journal
from zom.hierarchy.stored.inventory import above_all
from zom.hierarchy.stored.text import document_text
from zom.json.read import read_json
from zom.paths import join, parse_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zom.hierarchy.stored.layout import Layout
    from zom.stores.interface import Store

__all__ = ["Written", "change_documents", "holders_of"]


NOTHING: Mapping[str, bytes | None] = MappingProxyType({})
"""No documents."""


class Written(NamedTuple):
    """A changed document of a node."""

    path: str
    end: str
    old: bytes | None
    new: bytes | None


def holders_of(
    store: Store, paths: Iterable[str], layout: Layout, known: Mapping[str, bytes | None] = NOTHING
) -> dict[str, bytes]:
    """The documents with consolidated metadata at `paths` and above, by group path, topmost first.

    If there is none, this takes one batch of small reads; documents in `known` are not read again.

    >>> from zom.hierarchy.stored.layout import V2_LAYOUT
    >>> from zom.stores.memory import MemoryStore
    >>> list(holders_of(MemoryStore({".zmetadata": b'{"metadata": {}}'}), ["/a/b"], V2_LAYOUT))
    ['/']
    """
    end = block_end(layout)
    if end is None:
        return {}
    nodes = [join(parse_path(path)) for path in paths]
    groups = sorted(
        {at for path in nodes for at in (path, *above_all(path))}, key=lambda at: len(parse_path(at))
    )
    keys = [layout.key(at, end) for at in groups]
    unknown = [key for key in keys if key not in known]
    texts = {**known, **dict(zip(unknown, store.get_many(unknown), strict=True))}
    return {
        at: text
        for at, key in zip(groups, keys, strict=True)
        if (text := texts[key]) is not None and block_in(layout, text) is not None
    }


def change_documents(
    store: Store, layout: Layout, changes: Iterable[Written], holders: Mapping[str, bytes]
) -> None:
    """Change documents and the blocks about them; ConflictError if others change them meanwhile.

    >>> from zom.hierarchy.stored.layout import V2_LAYOUT
    >>> from zom.stores.memory import MemoryStore
    >>> block = b'{"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2}}}'
    >>> store = MemoryStore({".zgroup": b'{"zarr_format": 2}', ".zmetadata": block})
    >>> new = Written("/", ".zattrs", None, b'{"n": 1}')
    >>> change_documents(store, V2_LAYOUT, [new], holders_of(store, ["/"], V2_LAYOUT))
    >>> read_json(store.get(".zmetadata"), [])["metadata"][".zattrs"]
    {'n': 1}
    """
    given = list(changes)
    end = cast("str", block_end(layout))
    old: dict[str, bytes | None] = {}
    new: dict[str, bytes | None] = {}
    for each in given:
        key = layout.key(each.path, each.end)
        old[key], new[key] = each.old, each.new
    first: dict[str, bytes | None] = {}
    for at in sorted(holders, key=lambda at: -len(parse_path(at))):
        key = layout.key(at, end)
        own = old.setdefault(key, holders[at])
        text = new.pop(key, None) or holders[at]
        first[key], new[key] = _with_block(layout, at, text, own or b"", given)
    work = Journal(
        next(iter(holders)),
        "undo",
        first=first,
        removes=tuple(key for key, text in new.items() if text is None),
        writes={key: text for key, text in new.items() if text is not None},
        old=old,
    )
    carry_through(store, work, lambda: check_texts(store, old))


def _with_block(
    layout: Layout, at: str, text: bytes, stored: bytes, changes: Iterable[Written]
) -> tuple[bytes | None, bytes]:
    """The document that holds a block: its interim version, and the one with the updated block."""
    block = cast("dict[str, Any]", block_in(layout, stored))
    held: Any = block.get("metadata")
    entries = dict(cast("dict[str, Any]", held)) if isinstance(held, dict) else {}
    for each in changes:
        inner = parse_path(each.path)
        if inner[: len(parse_path(at))] != parse_path(at):
            continue
        below = "/".join(inner[len(parse_path(at)) :])
        name = below if layout.consolidated is None else f"{below}/{each.end}".lstrip("/")
        if not name:
            continue
        entries.pop(name, None)
        if each.new is not None:
            entries[name] = read_json(plain_text(each.new, layout.inline), [])
    whole = {**block, "metadata": entries}
    if layout.consolidated is not None:
        return None, document_text(whole)
    inline = cast("str", layout.inline)
    plain = cast("dict[str, Any]", read_json(plain_text(text, inline), []))
    return plain_text(stored, inline), document_text({**plain, inline: whole})
