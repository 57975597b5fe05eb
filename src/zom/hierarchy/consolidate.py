"""Consolidated metadata: written and dropped on request, and kept true when single documents change."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from zom import jsontext
from zom.errors import ConcurrentWriteError, ConversionError, NotFound
from zom.hierarchy.apply import carry_out
from zom.hierarchy.blocks import block_in, plain_text
from zom.hierarchy.handles import opened
from zom.hierarchy.planner import Planner, is_within
from zom.hierarchy.removal import found_at
from zom.hierarchy.survey import Lying, above_all
from zom.hierarchy.text import document_text
from zom.model.stored import NO_CONSOLIDATED
from zom.paths import join, parse_path
from zom.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Generator

    from zom.hierarchy.layout import Layout
    from zom.hierarchy.plan import Plan
    from zom.stores.interface import Store
    from zom.stores.opening import Place

__all__ = ["consolidate", "documents_change", "plan_consolidate"]

_TRIES = 60


def consolidate(store: Place, path: str = "", *, drop: bool = False) -> Plan:
    """Write the consolidated metadata of the group at `path`, or `drop` it; the plan by which it was done.

    v2 has it in `.zmetadata`, v3 in the group's own document, the draft not at all. What is written by
    zom keeps it true from then on.

    >>> import zom
    >>> group = zom.create_group("memory:", zom.v2.GroupSpec())
    >>> print(zom.consolidate(group.store))
    memory://: 1 to keep
      ~ /: consolidated metadata is written again
    >>> sorted(group.store.list())
    ['.zgroup', '.zmetadata']
    """
    plan = plan_consolidate(store, path, drop=drop)
    carry_out(plan)
    return plan


def plan_consolidate(store: Place, path: str = "", *, drop: bool = False) -> Plan:
    """The plan of `consolidate`; nothing is written."""
    there = opened(store)
    planner = Planner(there, found_at(there, path), "update", prune=False)
    layout, found = planner.layout, planner.found
    node = found.nodes.get(found.path)
    if layout.inline is None and layout.consolidated is None:
        what = f"a {layout.family.form} group"
        raise ConversionError(
            [Problem(NO_CONSOLIDATED.code, "error", found.path, "", (), "a v2 or v3 group", what)], there.url
        )
    if node is None or node.kind != "group":
        raise NotFound(f"{there.url}: expected a group at {found.path}, found {node or 'nothing'}")
    planner.check_journals()
    for at, each in found.nodes.items():
        if is_within(at, found.path):
            planner.documents[at] = dict(each.documents)
    planner.act(found.path, "group", "keep")
    if not drop:
        return planner.finished(frozenset({found.path}))
    if block_in(node) is not None:
        _drop(planner, node)
    return replace(planner.finished(frozenset()), consolidated=())


def _drop(planner: Planner, node: Lying) -> None:
    layout, path = planner.layout, node.path
    if layout.consolidated is not None:
        key = layout.key(path, layout.consolidated)
        planner.removes[key] = None
        planner.old[key] = node.documents[layout.consolidated]
    else:
        end = next(iter(node.documents))
        key = layout.key(path, end)
        planner.writes[key] = plain_text(node.documents[end], layout.inline)
        planner.old[key] = node.documents[end]


# --- single documents -------------------------------------------------------------------------------------


@contextmanager
def documents_change(store: Store, path: str, layout: Layout) -> Generator[None]:
    """Around a change of the documents of one node: blocks that speak of it are away, and come back true.

    Where there is no consolidated metadata at the node or above, that is one batch of small reads.

    >>> from zom.hierarchy.layout import V2_LAYOUT
    >>> from zom.stores.memory import MemoryStore
    >>> store = MemoryStore({".zgroup": b'{"zarr_format": 2}'})
    >>> with documents_change(store, "/", V2_LAYOUT):
    ...     store.set(".zattrs", b"{}")
    """
    holders = _holders(store, join(parse_path(path)), layout)
    for at in holders:
        _put_block(store, at, layout, None)
    yield
    for at, block in holders.items():
        _put_block(store, at, layout, _renewed(store, at, path, layout, block))


def _holders(store: Store, path: str, layout: Layout) -> dict[str, dict[str, Any]]:
    """The blocks at `path` and above that are there, by the paths of their groups."""
    end = layout.consolidated or next((end for end, kind in layout.marks if kind is None), None)
    if end is None or (layout.inline is None and layout.consolidated is None):
        return {}
    keys = {at: layout.key(at, end) for at in (path, *(above_all(path) if path != "/" else ()))}
    found: dict[str, dict[str, Any]] = {}
    for at, text in zip(keys, store.get_many(keys.values()), strict=True):
        block = None if text is None else block_in(Lying(at, layout, {end: text}))
        if block is not None:
            found[at] = block
    return found


def _renewed(store: Store, at: str, path: str, layout: Layout, block: dict[str, Any]) -> dict[str, Any]:
    """The block at `at` with what the node at `path` says now."""
    ends = (*(end for end, _ in layout.marks), *layout.extra)
    texts = dict(zip(ends, store.get_many(layout.key(path, end) for end in ends), strict=True))
    names = parse_path(path)[len(parse_path(at)) :]
    inner = "/".join(names)
    held: Any = block.get("metadata")
    entries = dict(cast("dict[str, Any]", held)) if isinstance(held, dict) else {}
    for end, text in texts.items():
        if layout.consolidated is None:
            if not inner:
                continue
            name = inner
        else:
            name = f"{inner}/{end}" if inner else end
        entries.pop(name, None) if text is None else entries.update(
            {name: jsontext.read(plain_text(text, layout.inline), [])}
        )
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
