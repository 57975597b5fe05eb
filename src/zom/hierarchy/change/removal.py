"""Removing nodes: documents first, then chunks; what is not Zarr's stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.errors import PathError
from zom.hierarchy.change.apply import carry_out
from zom.hierarchy.change.ledger import Ledger, is_within
from zom.hierarchy.stored.findings import Findings
from zom.hierarchy.stored.inventory import take_inventory
from zom.hierarchy.stored.lookup import find
from zom.hierarchy.stored.missing import not_found
from zom.hierarchy.stored.source import Source
from zom.paths import parse_path
from zom.stores.opening import opened

if TYPE_CHECKING:
    from zom.hierarchy.change.plan import Plan
    from zom.hierarchy.stored.inventory import Inventory
    from zom.stores.interface import Store
    from zom.stores.opening import Place

__all__ = ["delete", "found_at", "plan_delete"]


def delete(store: Place, path: str = "", *, whole: bool = False) -> Plan:
    """Delete the node at `path` and all below it; the plan by which it was done.

    Its document goes first, then those below it, then their chunks; files that are not Zarr's stay.
    Consolidated metadata above is put right. Without a path, pass `whole=True` to delete the hierarchy at
    the root of the store. `zom.plan_delete` shows the plan first.

    >>> import zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "a")
    >>> array[:] = 1
    >>> print(zom.delete(array.store, "a"))
    memory:// /a: 1 to delete, 1 chunk to remove
      - /a  array  delete; 1 chunk removed
    >>> list(array.store.list())
    ['zarr.json']
    """
    plan = plan_delete(store, path, whole=whole)
    carry_out(plan)
    return plan


def plan_delete(store: Place, path: str = "", *, whole: bool = False) -> Plan:
    """The plan of `zom.delete`; nothing is deleted before `apply`.

    >>> import zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "a")
    >>> print(zom.plan_delete(array.store, "a"))
    memory:// /a: 1 to delete
      - /a  array  delete
    """
    if whole and parse_path(path):
        raise PathError(f"{path!r}: expected no path with whole=True, which means the whole store")
    if not whole and not parse_path(path):
        raise PathError("expected the path of a node; pass whole=True to delete the whole store")
    there = opened(store, existing=True)
    ledger = Ledger(there, found_at(there, path), "replace", prune=True)
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


def found_at(store: Store, path: str, *, below: str | None = None) -> Inventory:
    """What lies at `path`, where a node is, or at `below`, above it; NotFound where none is."""
    inner = "/".join(parse_path(path))
    findings = Findings(store.url, "lenient")
    with Source(store) as source:
        there = find(source, inner, None, findings)
        if there is None:
            raise not_found(source, inner, None)
    return take_inventory(store, path if below is None else below, there[0].family.form)
