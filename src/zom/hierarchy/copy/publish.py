"""Publishing a copy: one change puts its documents in place when all chunks are written."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from zom.dataclass import dataclass
from zom.hierarchy.change.blocks import says_the_same
from zom.hierarchy.change.carry import carry_through, check_texts
from zom.hierarchy.change.consolidate import follow
from zom.hierarchy.change.consolidated_update import holders_of
from zom.hierarchy.change.ledger import Ledger, is_within
from zom.hierarchy.change.steps import in_order
from zom.hierarchy.journal.journal import Journal, base_of
from zom.hierarchy.stored.inventory import above_all, take_inventory
from zom.paths import parse_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.hierarchy.stored.layout import Layout
    from zom.stores.interface import Store

__all__ = ["Publication", "publish"]


@dataclass(frozen=True, slots=True)
class Publication:
    """The documents of a copy, and their place."""

    store: Store
    layout: Layout
    path: str
    texts: Mapping[str, Mapping[str, bytes]]
    """The documents of each node, by the path of the node and by key."""
    above: Mapping[str, bytes]
    """The documents of missing groups above, by key."""
    wanted: frozenset[str]
    """The groups that get consolidated metadata."""


def publish(work: Publication, *, replaces: bool) -> tuple[str, ...]:
    """Write the documents of a copy's nodes and of groups above; return the paths of consolidated groups.

    With `replaces` their chunks wait beside the documents, and everything at `path` is replaced.
    """
    store, layout, path = work.store, work.layout, work.path
    consolidates = layout.inline is not None or layout.consolidated is not None
    if replaces or (consolidates and (work.wanted or holders_of(store, [path], layout))):
        return _publish_planned(work, replaces=replaces)
    documents = {**work.above, **{key: text for found in work.texts.values() for key, text in found.items()}}
    there = dict(zip(documents, store.get_many(documents), strict=True))
    changed = [key for key in in_order(documents, layout) if there[key] != documents[key]]
    if changed:
        old = {key: there[key] for key in changed}
        top = _top(layout, path, work.above)
        journal = Journal(top, "undo", writes={key: documents[key] for key in changed}, old=old)
        carry_through(store, journal, lambda: check_texts(store, old))
        follow(store, path, layout)
    return ()


def _top(layout: Layout, path: str, above: Mapping[str, bytes]) -> str:
    """The path of the topmost node that changes."""
    if layout.implicit_groups:
        return f"/{layout.base.strip('/')}"
    made = [at for at in above_all(path) if any(layout.key(at, end) in above for end, _ in layout.marks)]
    return min([path, *made], key=len)


def _publish_planned(work: Publication, *, replaces: bool) -> tuple[str, ...]:
    """The same in one change with the consolidated metadata that includes the nodes."""
    store, layout, path = work.store, work.layout, work.path
    ledger = Ledger(store, take_inventory(store, path, layout.family.form), "replace", prune=True)
    for at, node in sorted(ledger.found.nodes.items()):
        if replaces and is_within(at, path):
            ledger.delete(at, node)
        elif is_within(at, path):
            ledger.documents[at] = node.texts
    for at, others in sorted(ledger.found.others.items()):
        for node in others if replaces and is_within(at, path) else ():
            ledger.delete(at, node)
    for at, found in work.texts.items():
        _write(ledger, at, found, replaces=replaces)
    for at in above_all(path):
        keys = [layout.key(at, end) for end, _ in layout.marks]
        found = {key: work.above[key] for key in keys if key in work.above}
        if found:
            _write(ledger, at, found, replaces=False)
    plan = ledger.finished(work.wanted)
    plan.check()
    base = layout.base if layout.implicit_groups else base_of(path)
    journal = replace(plan.journal, swap=base if replaces else None)
    carry_through(store, journal, lambda: check_texts(store, journal.old))
    return tuple(sorted(plan.consolidated, key=lambda at: (len(parse_path(at)), at)))


def _write(ledger: Ledger, at: str, texts: Mapping[str, bytes], *, replaces: bool) -> None:
    """Record the documents of a new node."""
    layout = ledger.layout
    ends = {layout.key(at, end): end for end in (*(end for end, _ in layout.marks), *layout.extra)}
    ledger.documents[at] = {ends[key]: text for key, text in texts.items() if key in ends}
    known = ledger.found.nodes.get(at)
    kind: Any = "group"
    ledger.act(at, kind, "create" if known is None else "replace")
    for key, text in texts.items():
        old = None if known is None else known.texts.get(ends.get(key, ""))
        if replaces or not says_the_same(text, old, layout.inline):
            ledger.put(key, text, old)
