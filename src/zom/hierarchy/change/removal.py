"""Removing nodes: documents first, then chunks; foreign files stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.hierarchy.change.ledger import Ledger, found_at, is_within

if TYPE_CHECKING:
    from zom.hierarchy.change.plan import ChangePlan
    from zom.stores.interface import Store

__all__ = ["plan_deletion"]


def plan_deletion(store: Store, path: str = "") -> ChangePlan:
    """The plan to delete the node at `path` and everything below it."""
    ledger = Ledger(store, found_at(store, path), "replace", prune=True)
    found = ledger.found
    ledger.check_journals()
    for at, node in sorted(found.nodes.items()):
        if is_within(at, found.path):
            ledger.delete(at, node)
    for at, others in sorted(found.others.items()):
        for node in others:
            if is_within(at, found.path):
                ledger.delete(at, node)
    return ledger.finished()
