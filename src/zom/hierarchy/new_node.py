"""New nodes: an array or a hierarchy where nothing is, or in the place of what is there.

Arrays may bring their values: then all is there with all of them, or nothing. What is replaced is seen until all that
takes its place is written.
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
    """Make what `spec` describes, with the groups above it that are missing; `data` are values by path within it.

    ConflictError, and nothing written, where a node is there; with `overwrite` the new one takes its place.

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
    """New nodes and their values, in one change."""
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
    """Nodes without chunks in the place of what is there, and of all below it."""
    whole = spec.replace(members={}) if spec.kind == "group" and member_specs(spec) is None else spec

    def attempt() -> Layout:
        plan = plan_for(whole, store, path, on_conflict="replace", prune=True, spelling="given")
        carry_out(plan)
        return plan.layout

    return repeated(store, path, attempt)


def _replaced_by_values(store: Store, spec: Spec, path: str, data: Mapping[str, Any]) -> Layout:
    """Nodes and values in the place of what is there: made in memory, then put in their place as a copy."""
    # Each has a name of its own, so that no copy takes up what another has left.
    made = MemoryStore(name=f"new-{uuid4()}")
    try:
        _planned(made, spec, path, data)
    except CodecError as error:
        # It names the memory, of which nobody knows.
        raise CodecError(str(error).replace(made.url, store.url, 1)) from error
    try:
        copy(made, store, path=path, target_path=path, on_conflict="replace")
    except ConflictError:
        raise
    except BaseException:
        repair(store, path)
        raise
    return LAYOUTS[spec.family.form][0]
