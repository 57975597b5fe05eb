"""Opening: one node of a hierarchy, by a path, in as few requests as tell its format."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from zom.hierarchy.findings import Findings
from zom.hierarchy.look import find
from zom.hierarchy.missing import not_found
from zom.hierarchy.node import spec_of
from zom.hierarchy.source import Source
from zom.limits import DEFAULT_LIMITS, Limits
from zom.paths import parse_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.hierarchy.layout import Layout
    from zom.hierarchy.look import Form
    from zom.problems import Level, Problem
    from zom.stores.interface import Store

__all__ = ["StoredNode", "read_node"]


@dataclass(frozen=True, slots=True)
class StoredNode:
    """One node as it lies in a store."""

    spec: Any
    """The array, or the group without its members: `members` is None."""
    layout: Layout
    """Where the parts of the node lie, and those of the nodes below it."""
    path: str
    """The path of the node in the store, as `/a/b`."""
    documents: Mapping[str, bytes]
    """The text of each of its documents, by key; empty for a group that has none."""
    problems: tuple[Problem, ...] = ()
    """What the level doesn't take for an error."""


def read_node(
    store: Store,
    path: str = "",
    *,
    form: Form | None = None,
    level: Level = "lenient",
    limits: Limits = DEFAULT_LIMITS,
) -> StoredNode:
    """The node at `path` in `store`, in the format `form` where one is given.

    NotFound says what is there instead; SpecError lists all problems of its documents, with key and
    line. A document is kept as it is stored, consolidated metadata included.

    >>> from zom.stores.memory import MemoryStore
    >>> store = MemoryStore({"a/zarr.json": b'{"zarr_format": 3, "node_type": "group"}'})
    >>> found = read_node(store, "/a")
    >>> found.spec.kind, found.layout.name, list(found.documents)
    ('group', 'v3', ['a/zarr.json'])
    >>> read_node(store, "/a/b")
    Traceback (most recent call last):
    zom.errors.NotFound: memory://: expected a node at /a/b, found nothing; /a is a group without members
    """
    inner = "/".join(parse_path(path))
    findings = Findings(store.url, level, limits)
    with Source(store) as source:
        found = find(source, inner, form, findings)
        if found is None:
            findings.raise_errors()
            raise not_found(source, inner, form)
    layout, node = found
    spec = spec_of(layout, node, findings, plain=True)
    findings.raise_errors()
    texts = {document.key: document.text for document in node.documents.values()}
    return StoredNode(spec, layout, node.shown, MappingProxyType(texts), findings.problems)
