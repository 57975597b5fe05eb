"""New nodes: create an array or a hierarchy in an empty place, or replace an existing node.

Arrays may come with values: either everything is created with all values, or nothing. Replaced data stays
visible until its replacement is fully written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from zom.errors import CodecError, ConflictError, ReadOnlyError
from zom.hierarchy.change.apply import carry_out
from zom.hierarchy.change.conflicts import EXISTS
from zom.hierarchy.change.create import check_path, check_vacant, repeated
from zom.hierarchy.change.planner import plan_for
from zom.hierarchy.copy.copy import copy
from zom.hierarchy.journal.repair import repair
from zom.hierarchy.stored.layout import LAYOUTS
from zom.hierarchy.stored.pending import check_settled
from zom.model.output import member_specs
from zom.paths import join
from zom.stores.memory import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.hierarchy.stored.layout import Layout
    from zom.model.spec import Spec
    from zom.stores.interface import Store

__all__ = ["new_node"]


def new_node(
    store: Store, spec: Spec, path: str, *, data: Mapping[str, Any] | None = None, overwrite: bool = False
) -> Layout:
    """Create what `spec` describes, and missing groups above; `data` are values by path within it.

    An existing node raises ConflictError, and nothing is written; with `overwrite` the new one replaces it.

    >>> import numpy as np
    >>> from zom import v3
    >>> store = MemoryStore()
    >>> layout = new_node(store, v3.ArraySpec.build(shape=(3,), dtype="int8"), "a", data={"/": np.arange(3)})
    >>> layout = new_node(store, v3.ArraySpec.build(shape=(), dtype="int8"), "a", data={"/": 5}, overwrite=True)
    >>> sorted(store.list())
    ['a/c', 'a/zarr.json', 'zarr.json']
    """
    path = join(check_path(spec, path))
    if not store.capabilities.writable:
        raise ReadOnlyError(store.url, path, "create")
    if overwrite and not data:
        return _replaced(store, spec, path)
    try:
        return _planned(store, spec, path, data or {})
    except ConflictError as error:
        is_there = any(each.code == EXISTS.code and each.node == path for each in error.problems)
        if not overwrite or not is_there:
            raise
    return _replaced_by_values(store, spec, path, data or {})


def _planned(store: Store, spec: Spec, path: str, data: Mapping[str, Any]) -> Layout:
    """Create new nodes and their values in one change."""
    check_settled(store, path)

    def attempt() -> Layout:
        check_vacant(store, spec, path)
        plan = plan_for(spec, store, path, spelling="given")
        plan.check()
        if path not in plan.made:
            check_vacant(store, spec, path)
        carry_out(plan, data=data)
        return plan.layout

    return repeated(store, path, attempt)


def _replaced(store: Store, spec: Spec, path: str) -> Layout:
    """Replace existing data, and everything below it, with nodes without chunks."""
    whole = spec.replace(members={}) if spec.kind == "group" and member_specs(spec) is None else spec

    def attempt() -> Layout:
        plan = plan_for(whole, store, path, on_conflict="replace", prune=True, spelling="given")
        carry_out(plan)
        return plan.layout

    return repeated(store, path, attempt)


def _replaced_by_values(store: Store, spec: Spec, path: str, data: Mapping[str, Any]) -> Layout:
    """Replace existing data with nodes and values: create them in memory, then copy them into place."""
    # Each has its own name, so that no copy resumes another's.
    made = MemoryStore(name=f"new-{uuid4()}")
    try:
        _planned(made, spec, path, data)
    except CodecError as error:
        # It names the store in memory, which the caller doesn't know.
        raise CodecError(str(error).replace(made.url, store.url, 1)) from error
    try:
        copy(made, store, path=path, target_path=path, on_conflict="replace")
    except ConflictError:
        raise
    except BaseException:
        repair(store, path)
        raise
    return LAYOUTS[spec.family.form][0]
