"""Sweeping: delete what an interrupted copy has left if nobody resumes it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from zom.hierarchy.change.clearing import clear_all
from zom.hierarchy.change.steps import is_document
from zom.hierarchy.copy.mark import COPY_MARK, parse_mark
from zom.hierarchy.journal.fit import draft_at
from zom.hierarchy.journal.journal import JOURNAL, NEW, unsettled
from zom.hierarchy.stored.layout import V2_LAYOUT, V3_LAYOUT

if TYPE_CHECKING:
    from zom.hierarchy.copy.mark import CopyMark
    from zom.hierarchy.journal.journal import Clearing
    from zom.stores.interface import Store

__all__ = ["left_by", "sweep_copy"]


def left_by(store: Store, mark: CopyMark, base: str) -> tuple[tuple[str, ...], tuple[Clearing, ...]]:
    """What a copy has left: the keys of waiting documents, and arrays with unreachable chunks."""
    waiting: tuple[str, ...] = ()
    if store.capabilities.listable:
        waiting = tuple(key for key in store.list(base + NEW) if is_document(key))
    if mark.replaces:
        return waiting, tuple(
            replace(each, prefix=base + NEW + each.prefix[len(base) :]) for each in mark.arrays
        )
    draft = draft_at(store, f"/{base.strip('/')}")
    layouts = {"v2": V2_LAYOUT, "v3": V3_LAYOUT, "draft": draft}
    arrays: list[Clearing] = []
    for each in mark.arrays:
        layout = layouts[each.form]
        keys = () if layout is None else layout.keys(each.path, "array")[:1]
        # The chunks of an existing array are its own, whoever wrote them.
        if not any(store.exists(key) for key in keys):
            arrays.append(each)
    return waiting, tuple(arrays)


def sweep_copy(store: Store, key: str) -> bool:
    """Delete what the copy with the mark under `key` has left; return whether there was a mark.

    A copy of a living process is waited for, if the store can detect it.
    """
    base = key.removesuffix(COPY_MARK)
    with store.presence(key):
        text = store.get(key)
        if text is None:
            return False
        if store.exists(base + JOURNAL):
            raise unsettled(store.url, base + JOURNAL, "repair")
        waiting, arrays = left_by(store, parse_mark(text, store.url, key), base)
        for each in arrays:
            clear_all(store, each)
        store.delete_many(waiting)
        store.delete(key)
    return True
