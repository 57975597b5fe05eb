"""Exclusive changes of a document, together with consolidated metadata about its node."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from zom.hierarchy.change.consolidated_update import holders_of
from zom.hierarchy.journal.journal import journal_key

if TYPE_CHECKING:
    from collections.abc import Generator

    from zom.hierarchy.stored.layout import Layout
    from zom.stores.interface import Store

__all__ = ["alone"]


@contextmanager
def alone(store: Store, path: str, layout: Layout, key: str) -> Generator[dict[str, bytes]]:
    """A block in which nobody else changes the node at `path`, whose own document is under `key`.

    It yields the documents with consolidated metadata about the node. If there are any, their journal is
    locked before the document, as every writer of both does. If there are none, and someone consolidates
    meanwhile, the metadata is written again at the end.
    """
    inside, here = _without_blocks.get(), (id(store), key)
    if here in inside:
        yield {}
        return
    holders = holders_of(store, [path], layout)
    with ExitStack() as held:
        if holders:
            held.enter_context(store.lock(journal_key(next(iter(holders)))))
        held.enter_context(store.lock(key))
        if holders:
            yield holders_of(store, [path], layout)
            return
        token = _without_blocks.set(inside | {here})
        try:
            yield {}
        finally:
            _without_blocks.reset(token)
    from zom.hierarchy.change.consolidate import follow  # noqa: PLC0415 - plans from the current state

    follow(store, path, layout)


_without_blocks: ContextVar[frozenset[tuple[int, str]]] = ContextVar("without blocks", default=frozenset())
"""The documents that this thread changes alone, with their stores: it waits for no journal meanwhile."""
