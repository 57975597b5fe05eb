"""The verbs that change a hierarchy: each makes a plan, which can be inspected before it is applied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast, overload

from zom.declaration.declaration import Declaration
from zom.errors import PathError, SpecError
from zom.handles.plan import Plan
from zom.handles.stated_values import NONE_STATED, with_values
from zom.hierarchy.change.planner import plan_for
from zom.hierarchy.change.removal import plan_deletion
from zom.hierarchy.change.renaming import plan_move
from zom.hierarchy.stored.broken import BrokenNode
from zom.hierarchy.stored.findings import warn
from zom.model.construction import outside
from zom.model.operand import check_is_spec
from zom.paths import join, parse_path
from zom.stores.opening import is_name, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.formats.full_spelling import Spelling
    from zom.handles.array import Array
    from zom.handles.group import ArrayClass, Group, GroupClass
    from zom.handles.plan import NodeT_co
    from zom.hierarchy.change.plan import OnConflict
    from zom.hierarchy.stored.layout import Layout
    from zom.model.spec import Spec
    from zom.problems import Problem
    from zom.stores.interface import Store
    from zom.stores.opening import Place

__all__ = [
    "consolidate",
    "delete",
    "made_node",
    "materialize",
    "plan",
    "plan_consolidate",
    "plan_delete",
    "plan_rename",
    "rename",
]


@overload
def materialize(
    spec: ArrayClass,
    store: Place,
    path: str = "",
    *,
    on_conflict: OnConflict = "refuse",
    prune: bool = False,
    data: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], object] | None = None,
    spelling: Spelling = "full",
    on_warning: Callable[[Problem], None] | None = None,
) -> Array[ArrayClass]: ...
@overload
def materialize(
    spec: GroupClass,
    store: Place,
    path: str = "",
    *,
    on_conflict: OnConflict = "refuse",
    prune: bool = False,
    data: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], object] | None = None,
    spelling: Spelling = "full",
    on_warning: Callable[[Problem], None] | None = None,
) -> Group[GroupClass]: ...
@overload
def materialize(
    spec: Spec | Declaration,
    store: Place,
    path: str = "",
    *,
    on_conflict: OnConflict = "refuse",
    prune: bool = False,
    data: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], object] | None = None,
    spelling: Spelling = "full",
    on_warning: Callable[[Problem], None] | None = None,
) -> Array | Group: ...
def materialize(  # noqa: PLR0913 - each is a choice of the caller
    spec: Spec | Declaration,
    store: Place,
    path: str = "",
    *,
    on_conflict: OnConflict = "refuse",
    prune: bool = False,
    data: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], object] | None = None,
    spelling: Spelling = "full",
    on_warning: Callable[[Problem], None] | None = None,
) -> Array | Group:
    """Make `store` match `spec` at `path`, and return a writable handle of the node there.

    The plan is complete, as `zom.plan` shows it, before anything is written; conflicts raise ConflictError,
    and nothing is written. All or nothing: after an interruption the store holds the old tree, or the new
    one, or a state that `zom.repair` finishes or undoes. A second run writes nothing.

    `data` are values for new arrays by their paths in the spec, and part of the all or nothing. A declaration
    (`zom.declare`) may be passed as the spec, and brings its values. See `zom.plan` for `spelling`. The
    plan's warnings, such as names that other systems don't support, go to `on_warning` before anything is
    written; without it they become `SpecWarning`s.

    >>> import zom
    >>> t = zom.v3.ArraySpec.build(shape=(3,), dtype="int8")
    >>> root = zom.materialize(zom.v3.GroupSpec(members={"t": t}), "memory:", data={"t": [1, 2, 3]})
    >>> zom.create_group(root.store, zom.v3.GroupSpec(), "more").path
    '/more'
    >>> zom.plan(t.replace(shape=(9,)), root.store, "t").problems[0].code
    'plan/exists'
    """
    if not isinstance(spec, Declaration):
        check_is_spec(spec, "a declaration")  # before a directory is made for the store
    there = opened(store)
    try:
        made = plan(spec, there, path, on_conflict=on_conflict, prune=prune, spelling=spelling)
        made.check()
        warn(made.url, made.warnings, on_warning, outside())
        return made.apply(data=data, progress=progress)
    except BaseException:
        if is_name(store):
            there.close()
        raise


@overload
def plan(
    spec: ArrayClass,
    store: Place,
    path: str = "",
    *,
    on_conflict: OnConflict = "refuse",
    prune: bool = False,
    spelling: Spelling = "full",
) -> Plan[Array[ArrayClass]]: ...
@overload
def plan(
    spec: GroupClass,
    store: Place,
    path: str = "",
    *,
    on_conflict: OnConflict = "refuse",
    prune: bool = False,
    spelling: Spelling = "full",
) -> Plan[Group[GroupClass]]: ...
@overload
def plan(
    spec: Spec | Declaration,
    store: Place,
    path: str = "",
    *,
    on_conflict: OnConflict = "refuse",
    prune: bool = False,
    spelling: Spelling = "full",
) -> Plan: ...
def plan(  # noqa: PLR0913 - each is a choice of the caller
    spec: Spec | Declaration,
    store: Place,
    path: str = "",
    *,
    on_conflict: OnConflict = "refuse",
    prune: bool = False,
    spelling: Spelling = "full",
) -> Plan:
    """The plan to make `store` match `spec` at `path`; nothing is written.

    An existing node with the same meaning is kept, whatever its spelling. With `on_conflict="refuse"`, one
    that differs is a conflict. With "update" it is changed if no chunk loses its meaning, and a conflict
    otherwise. With "replace" it is replaced, and its chunks are deleted. With "update", attributes that the
    spec omits entirely stay; given ones, even empty ones, replace all existing ones. Nodes that are not in
    the spec stay, unless you pass `prune`. Groups whose members the spec leaves open (`members` is None) are
    not read. Foreign files always stay.

    Values in a declaration that differ from the stored ones are a conflict ("refuse"), or written.

    Shorthand names in v3 documents, such as the codec "bytes", are written in full, because most readers
    reject them; with `spelling="given"`, documents are written as the spec spells them.

    >>> import zom
    >>> store = zom.store("memory://example-of-plan")
    >>> old = zom.v3.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,))
    >>> zom.create_array(store, old)[:] = 1
    >>> print(zom.plan(old.replace(shape=(2,)), store, on_conflict="update"))
    memory://example-of-plan: 1 to resize, 1 chunk to remove
      ~ /  array  resize: shape[0]: 4 -> 2; 1 chunk removed
    >>> print(zom.plan(old.replace(data_type="uint8"), store).problems[0])
    expected an array that means the same, found another: data_type: "int8" -> "uint8"; pass on_conflict='replace' to delete its chunks
    """
    if not isinstance(spec, Declaration):
        check_is_spec(spec, "a declaration")
    wanted: Any = spec.spec if isinstance(spec, Declaration) else spec
    values: Mapping[str, Any] = spec.values if isinstance(spec, Declaration) else {}
    made = plan_for(wanted, opened(store), path, on_conflict=on_conflict, prune=prune, spelling=spelling)
    made, stated = with_values(made, values, _opened) if values else (made, NONE_STATED)
    declared = None if isinstance(spec, Declaration) else spec
    return Plan.of(made, made_node, declared=declared, stated=stated)


def delete(store: Place, path: str = "", *, whole: bool = False) -> Plan[None]:
    """Delete the node at `path` and everything below it; return the applied plan.

    Its document is deleted first, then those below it, then their chunks; foreign files stay. Consolidated
    metadata above is updated. To delete the hierarchy at the root of the store, pass `whole=True` and no
    path. Use `zom.plan_delete` to see the plan first.

    >>> import zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "a")
    >>> array[:] = 1
    >>> print(zom.delete(array.store, "a"))
    memory:// /a: 1 to delete, 1 chunk to remove
      - /a  array  delete; 1 chunk removed
    >>> list(array.store.list())
    ['zarr.json']
    """
    return _done(plan_delete(store, path, whole=whole))


def plan_delete(store: Place, path: str = "", *, whole: bool = False) -> Plan[None]:
    """The plan of `zom.delete`; nothing is deleted before `apply`, which returns None.

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
    return Plan.of(plan_deletion(opened(store, existing=True), path), _no_node)


def rename(store: Place, old: str, new: str) -> Plan[Array | Group | BrokenNode]:
    """Move the node at the path `old`, and everything below it, to `new`; return the applied plan.

    A store that can rename does this in one step. Others copy every key before deleting it, and the node is
    invisible meanwhile. Other files in the node's directory move with it.

    >>> import zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "a")
    >>> print(zom.rename(array.store, "a", "b"))
    memory://: 1 to move
      > /a  array  move (to /b)
    >>> sorted(array.store.list())
    ['b/zarr.json', 'zarr.json']
    """
    return _done(plan_rename(store, old, new))


def plan_rename(store: Place, old: str, new: str) -> Plan[Array | Group | BrokenNode]:
    """The plan of `zom.rename`; nothing is moved before `apply`, which opens the node at its new path.

    A node that breaks rules is moved, too, and returned as a `BrokenNode`.

    >>> import zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "a")
    >>> zom.plan_rename(array.store, "a", "b").counts
    {'move': 1}
    """
    there = join(parse_path(new))
    return Plan.of(plan_move(opened(store, existing=True), old, new), lambda plan: _node_at(plan, there))


def consolidate(store: Place, path: str = "", *, drop: bool = False) -> Plan[Group]:
    """Write the consolidated metadata of the group at `path`, or `drop` it; return the applied plan.

    v2 keeps it in `.zmetadata`, v3 in the group's own document; the draft has none. Later writes by zom keep
    it true.

    >>> import zom
    >>> group = zom.create_group("memory:", zom.v2.GroupSpec())
    >>> print(zom.consolidate(group.store))
    memory://: 1 to keep
      ~ /: consolidated metadata is written again
    >>> sorted(group.store.list())
    ['.zgroup', '.zmetadata']
    """
    from zom.hierarchy.change.consolidate import consolidate as written  # noqa: PLC0415 - applies plans

    there = opened(store, existing=True)
    if drop:
        return _done(plan_consolidate(there, path, drop=True))
    return Plan.of(written(there, path), _group_there)


def plan_consolidate(store: Place, path: str = "", *, drop: bool = False) -> Plan[Group]:
    """The plan of `zom.consolidate`; nothing is written before `apply`.

    >>> import zom
    >>> zom.plan_consolidate(zom.create_group("memory:", zom.v2.GroupSpec()).store).consolidated
    ('/',)
    """
    from zom.hierarchy.change.consolidate import plan_consolidation  # noqa: PLC0415 - as above

    return Plan.of(plan_consolidation(opened(store, existing=True), path, drop=drop), _group_there)


def made_node(plan: Plan[Any]) -> Any:
    """The handle of the node at the path of an applied plan, without reading it.

    >>> import zom
    >>> made_node(zom.plan(zom.v3.GroupSpec(), "memory:", "a"))
    <zom.Group memory:// /a mode='r+'>
    """
    return _opened(plan.root_spec(), plan.store, plan.path, plan.layout, mode="r+")


def _no_node(_plan: Plan[Any]) -> None:
    """The result of deleting a node."""


def _node_at(plan: Plan[Any], path: str) -> Array | Group | BrokenNode:
    """The handle of the node at `path`, which the applied plan moved or read, but didn't write."""
    from zom.hierarchy.stored.open import read_node  # noqa: PLC0415 - not needed for planning alone

    try:
        node = read_node(plan.store, path, form=plan.layout.family.form)
    except SpecError as error:
        # It was moved as it was.
        return BrokenNode(plan.store, path, error.problems)
    opened: Array | Group = _opened(node.spec, node.store, node.path, node.layout, mode="r+")
    return opened


def _opened(spec: Spec, store: Store, path: str, layout: Layout, **how: Any) -> Any:
    from zom.handles.group import handle_of  # noqa: PLC0415 - arrays load the whole engine

    return handle_of(spec, store, path, layout, **how)


def _group_there(plan: Plan[Group]) -> Group:
    return cast("Group", _node_at(plan, plan.path))


def _done(plan: Plan[NodeT_co]) -> Plan[NodeT_co]:
    """Apply the plan, and return it."""
    from zom.hierarchy.change.apply import carry_out  # noqa: PLC0415 - not needed for planning alone

    carry_out(plan)
    return plan
