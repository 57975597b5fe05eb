"""The nodes along a path: their possible documents and formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.hierarchy.stored.layout import V2_LAYOUT, V3_LAYOUT
from zom.hierarchy.stored.node import StoredNode
from zom.paths import join, parse_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.extension.datatype import Format
    from zom.stores.interface import Store

__all__ = ["documents_along", "form_above", "found_in"]


def documents_along(store: Store, names: tuple[str, ...]) -> dict[str, bytes | None]:
    """The v3 and v2 documents that may exist along a path, by key."""
    paths = [join(names[:count]) for count in range(len(names) + 1)]
    keys = [key for path in paths for layout in (V3_LAYOUT, V2_LAYOUT) for key in layout.tried(path)]
    return dict(zip(keys, store.get_many(keys), strict=True))


def found_in(texts: Mapping[str, bytes | None], path: str) -> StoredNode | None:
    """The node at `path` according to the documents in `texts`."""
    for layout in (V3_LAYOUT, V2_LAYOUT):
        keys = {end: layout.key(path, end) for end, _ in layout.marks}
        there = {end: text for end, key in keys.items() if (text := texts.get(key)) is not None}
        if there:
            return StoredNode.of(path, layout, there)
    return None


def form_above(store: Store, path: str) -> Format | None:
    """The format of the hierarchy that a node at `path` would be in, or None if there is none.

    >>> import zom
    >>> group = zom.create_group("memory:", zom.v2.GroupSpec())
    >>> form_above(group.store, "a/b"), form_above(group.store, "")
    ('v2', None)
    """
    names = parse_path(path)
    if not names:
        return None
    texts = documents_along(store, names[:-1])
    for count in reversed(range(len(names))):
        node = found_in(texts, join(names[:count]))
        if node is not None:
            return "draft" if node.is_entry else node.form
    return None
