"""Surveys: list everything at a path of a store and below it, before anything is changed there.

One listing returns all keys, one batch of reads returns all documents, in any format. Every other key belongs
to the nearest node above it: as a chunk, or as a file that is not part of Zarr.
"""

from __future__ import annotations

from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, cast

from zom.dataclass import dataclass
from zom.errors import StoreError
from zom.formats.resolve import resolve
from zom.hierarchy.copy.mark import COPY_MARK, mark_key
from zom.hierarchy.journal.journal import JOURNAL, is_aside, journal_key
from zom.hierarchy.stored.layout import ENTRY_KEY, LAYOUTS, V2_LAYOUT, V3_LAYOUT, entry_layout
from zom.hierarchy.stored.node import Document, StoredNode
from zom.paths import join, parse_path
from zom.stores.together import together

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zom.extension.keys import KeyForm
    from zom.hierarchy.stored.layout import Layout
    from zom.model.spec import Spec
    from zom.stores.interface import Store

__all__ = [
    "Inventory",
    "above_all",
    "chunk_keys",
    "first_chunk",
    "key_form",
    "layout_for",
    "take_inventory",
]


def key_form(spec: Spec, scalar: str | None = None) -> KeyForm | None:
    """The form of the keys of an array's chunks, or None if unknown.

    `scalar` is the key of the only chunk of a zero-dimensional array, if the layout defines it.
    """
    array = resolve(spec)
    if array.obstacle is not None or array.encoding.keys is None:
        return None
    keys = array.encoding.keys()
    return keys if scalar is None else keys._replace(scalar=scalar)


def chunk_keys(
    spec: Spec, prefix: str, keys: Iterable[str], *, scalar: str | None = None
) -> list[str] | None:
    """The keys that are chunks of the array with the chunk prefix `prefix`, or None if unknown."""
    form = key_form(spec, scalar)
    if form is None:
        return None
    start, rank = len(prefix), len(cast("tuple[int, ...]", spec.__dict__["shape"]))
    return [key for key in keys if key.startswith(prefix) and form.coords(key[start:], rank) is not None]


@dataclass(frozen=True)
class Inventory:
    """Everything at a path and below it, and the nodes above it."""

    path: str
    layout: Layout
    """The layout that a node of the wanted format has there."""
    nodes: Mapping[str, StoredNode]
    """The nodes of that layout, by path, including those above."""
    others: Mapping[str, tuple[StoredNode, ...]]
    """The nodes of other formats, by path."""
    strays: Mapping[str | None, list[str]]
    """The keys that are not documents, by the path of the nearest node above, or None if there is none."""
    journals: tuple[str, ...]
    """The journals of running or interrupted changes."""
    listed: frozenset[str]
    """All keys that were listed."""
    loose: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """Documents without a node: attributes or consolidated metadata."""
    copies: tuple[str, ...] = ()
    """The marks of running or interrupted copies."""

    def place_of(self, key: str) -> str:
        """The path of the directory of a key that is not a document, as a path in the hierarchy."""
        return _place_of(key.rpartition("/")[0], self.layout)


def take_inventory(store: Store, path: str, family_form: str, *, expected: Iterable[str] = ()) -> Inventory:
    """Everything at `path` and below, and the nodes above it.

    On a store that can't be listed, only nodes at the `expected` paths are found.
    >>> from zom.stores.memory import MemoryStore
    >>> found = take_inventory(MemoryStore({"a/zarr.json": b'{"node_type": "array"}', "a/c/0": b""}), "/", "v3")
    >>> [str(node) for node in found.nodes.values()], found.strays
    (['a v3 array'], {'/a': ['a/c/0']})
    """
    names = parse_path(path)
    above = [join(names[:count]) for count in range(len(names))]
    path = join(names)
    texts, layout, listed = _looked(store, path, above, family_form, expected)
    keys = [key for key in listed if not is_aside(key)]
    journals = [key for key in keys if key.endswith(JOURNAL)]
    journals.extend(key for key in map(journal_key, above) if texts.get(key) is not None)
    marks = [mark_key(at, COPY_MARK) for at in above]
    copies = [key for key in keys if key.rpartition("/")[2] == COPY_MARK]
    copies.extend(key for key in marks if texts.get(key) is not None)
    documents: dict[tuple[str, str], dict[str, str]] = {}
    rest: list[str] = []
    layouts: dict[str, Layout] = {each.name: each for each in dict.fromkeys((V3_LAYOUT, V2_LAYOUT, layout))}
    for key in keys:
        place = _place(key, layouts.values())
        if place is None:
            if not key.endswith(JOURNAL):
                rest.append(key)
        else:
            documents.setdefault((place[1], place[0]), {})[place[2]] = key
    for at in above:
        for each in layouts.values():
            for end, key in {end: each.key(at, end) for end in _ends(each)}.items():
                if texts.get(key) is not None:
                    documents.setdefault((at, each.name), {})[end] = key
    texts.update(_texts(store, documents.values(), texts))
    known = cast("dict[str, bytes]", texts)
    found = _sorted(path, layout, layouts, documents, known, rest, journals, keys)
    return replace(found, copies=tuple(copies))


def _looked(
    store: Store, path: str, above: list[str], form: str, expected: Iterable[str]
) -> tuple[dict[str, bytes | None], Layout, list[str]]:
    """The documents above, the layout of nodes of that format, and all keys at `path` and below."""
    layout = LAYOUTS[form][0]
    if not layout.implicit_groups and store.capabilities.listable:
        # The listing includes the documents at the path itself.
        listing = partial(_listed, store, layout, path, "/", expected)
        if not above:
            return {}, layout, listing()
        texts, keys = together(store, partial(_above, store, above), listing)
        return texts, layout, keys
    # For the draft, the base must be known before listing.
    texts = _above(store, [*above, path])
    base, layout = layout_for(form, texts, [*above, path])
    if layout.implicit_groups:
        tried = [key for at in above for key in layout.tried(at)]
        texts.update(zip(tried, store.get_many(tried), strict=True))
    return texts, layout, _listed(store, layout, path, base, expected)


def _ends(layout: Layout) -> tuple[str, ...]:
    more = (layout.consolidated,) if layout.consolidated else ()
    return (*(end for end, _ in layout.marks), *layout.extra, *more)


def _above(store: Store, paths: list[str]) -> dict[str, bytes | None]:
    """The documents, journals and marks of copies at `paths`."""
    keys = [
        layout.key(path, end) for path in paths for layout in (V3_LAYOUT, V2_LAYOUT) for end in _ends(layout)
    ]
    keys.extend(map(journal_key, paths))
    keys.extend(mark_key(path, COPY_MARK) for path in paths)
    return dict(zip(keys, store.get_many(keys), strict=True))


def layout_for(form: str, texts: Mapping[str, bytes | None], paths: list[str]) -> tuple[str, Layout]:
    """The base of the hierarchy and the layout of its nodes; the base matters only for the draft."""
    layout = LAYOUTS[form][0]
    if not layout.implicit_groups:
        return "/", layout
    for path in reversed(paths):
        text = texts.get(V3_LAYOUT.key(path, ENTRY_KEY))
        if text is not None and b"metadata_encoding" in text:
            return path, entry_layout(text, path)
    return "/", layout


def _listed(store: Store, layout: Layout, path: str, base: str, expected: Iterable[str]) -> list[str]:
    if not store.capabilities.listable:
        tried = [
            each.key(at, end)
            for at in expected
            for each in dict.fromkeys((V3_LAYOUT, V2_LAYOUT, layout))
            for end in _ends(each)
        ]
        return [key for key, text in zip(tried, store.get_many(tried), strict=True) if text is not None]
    if not layout.implicit_groups or path == base:
        return list(store.list(V3_LAYOUT.directory(path)))
    own = [layout.key(path, end) for end, _ in layout.marks]
    there = [key for key, text in zip(own, store.get_many(own), strict=True) if text is not None]
    return [*there, *(key for prefix in layout.node_prefixes(path) for key in store.list(prefix))]


def _place(key: str, layouts: Iterable[Layout]) -> tuple[str, str, str] | None:
    """The (layout, path, end) of `key` if it is a document's key, or None."""
    above, _, name = key.rpartition("/")
    for layout in layouts:
        if layout.implicit_groups:
            place = layout.place_of(key)
            if place is not None:
                return layout.name, *place
        elif name in _ENDS[layout.name]:
            return layout.name, f"/{above}", name
    return None


_ENDS = {layout.name: frozenset(_ends(layout)) for layout in (V2_LAYOUT, V3_LAYOUT)}


def _texts(
    store: Store, documents: Iterable[Mapping[str, str]], known: Mapping[str, bytes | None]
) -> dict[str, bytes]:
    """The texts of all documents that are not known yet."""
    keys = [key for each in documents for key in each.values() if known.get(key) is None]
    found: dict[str, bytes] = {}
    for key, text in zip(keys, store.get_many(keys), strict=True):
        if text is None:
            reason = "it was listed and then deleted: the hierarchy changes while it is read; plan again"
            raise StoreError(store.url, key, "read", reason)
        found[key] = text
    return found


def _sorted(  # noqa: PLR0913, PLR0917 - everything that was found
    path: str,
    layout: Layout,
    layouts: Mapping[str, Layout],
    documents: Mapping[tuple[str, str], Mapping[str, str]],
    texts: Mapping[str, bytes],
    rest: list[str],
    journals: list[str],
    keys: list[str],
) -> Inventory:
    nodes: dict[str, StoredNode] = {}
    others: dict[str, tuple[StoredNode, ...]] = {}
    loose: dict[str, bytes] = {}
    for (at, name), found in documents.items():
        each = layouts[name]
        ordered = {end: Document(found[end], texts[found[end]]) for end in _ends(each) if end in found}
        node = StoredNode(at, each, ordered)
        if not any(end in ordered for end, _ in each.marks):
            loose.update({document.key: document.text for document in ordered.values()})
        elif name == layout.name and not node.is_entry:
            nodes[at] = node
        else:
            others[at] = (*others.get(at, ()), node)
    return Inventory(
        path,
        layout,
        nodes,
        others,
        _owned(layout, nodes, others, rest),
        tuple(journals),
        frozenset(keys),
        loose,
    )


def _owned(
    layout: Layout,
    nodes: Mapping[str, StoredNode],
    others: Mapping[str, tuple[StoredNode, ...]],
    rest: list[str],
) -> dict[str | None, list[str]]:
    """The keys that are not documents, grouped by the nearest node above them."""
    owners: dict[str, str | None] = {}
    found: dict[str | None, list[str]] = {}
    for key in rest:
        directory = key.rpartition("/")[0]
        if directory not in owners:
            owners[directory] = _owner(directory, layout, nodes, others)
        found.setdefault(owners[directory], []).append(key)
    return found


def _owner(
    directory: str,
    layout: Layout,
    nodes: Mapping[str, StoredNode],
    others: Mapping[str, tuple[StoredNode, ...]],
) -> str | None:
    at = _place_of(directory, layout)
    while True:
        if at in nodes or at in others:
            return at
        if at == "/":
            return None
        at = at.rpartition("/")[0] or "/"


def _place_of(directory: str, layout: Layout) -> str:
    if layout.implicit_groups:
        start = layout.chunk_prefix(layout.base or "/")
        if f"{directory}/".startswith(start):
            return join((*parse_path(layout.base), *parse_path(directory[len(start) :])))
    return f"/{directory}"


def first_chunk(layout: Layout, path: str, array: Spec) -> str | None:
    """The key of the first chunk that an array at `path` can have, or None if its keys are unknown.

    >>> from zom import v3
    >>> first_chunk(V3_LAYOUT, "/a", v3.ArraySpec.build(shape=(4, 4), dtype="int8"))
    'a/c/0/0'
    """
    form = key_form(array)
    zeros = (0,) * len(array.__dict__["shape"])
    return None if form is None else layout.chunk_prefix(path) + form.key(zeros)


def above_all(path: str) -> Iterator[str]:
    """The paths above `path`, nearest first."""
    while path != "/":
        path = path.rpartition("/")[0] or "/"
        yield path
