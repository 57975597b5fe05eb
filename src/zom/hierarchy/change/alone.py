"""Changing a document while nobody else does, with the consolidated metadata that speaks of its node."""

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
    """A block in which nobody else changes the node at `path`, whose own document lies under `key`.

    It is given what holds blocks that speak of the node. Their journal is locked before the document, as
    by everybody who changes both. Where nothing holds any, and somebody consolidates meanwhile, that is
    done again at the end.
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
    from zom.hierarchy.change.consolidate import follow  # noqa: PLC0415 - it plans by what is here

    follow(store, path, layout)


_without_blocks: ContextVar[frozenset[tuple[int, str]]] = ContextVar("without blocks", default=frozenset())
"""The documents that this thread changes alone, each in its store: no journal is waited for meanwhile."""
