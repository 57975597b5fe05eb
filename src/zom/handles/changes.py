"""The verbs that change a hierarchy: each makes a plan, which can be shown before it is applied."""

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
def materialize(  # noqa: PLR0913 - each is a choice of the caller's
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
    """Make `store` hold what `spec` says at `path`; the handle of the node there, open to be written.

    The plan is made whole, as `zom.plan` shows it, before anything is written; ConflictError, and nothing
    written, where something is in the way. All or nothing: after an interruption the old tree is there,
    or the new one, or what `zom.repair` finishes or undoes. Doing it twice writes nothing the second time.

    `data` are values for new arrays by their paths in the spec; they are part of the all or nothing. A
    declaration (`zom.declare`) may stand for the spec, and brings its values.
    `spelling` is told of at `zom.plan`. The warnings of the plan, such as names that other systems can't have,
    go to `on_warning` before anything is written; without one they become `SpecWarning`s.

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
def plan(  # noqa: PLR0913 - each is a choice of the caller's
    spec: Spec | Declaration,
    store: Place,
    path: str = "",
    *,
    on_conflict: OnConflict = "refuse",
    prune: bool = False,
    spelling: Spelling = "full",
) -> Plan:
    """What it takes to make `store` hold what `spec` says at `path`; nothing is written.

    A node that is there and means the same is kept, whatever its spelling. One that differs is, by
    `on_conflict`, a conflict ("refuse"); changed, where no chunk loses its meaning, and a conflict where
    one would ("update"); or replaced, and its chunks removed ("replace"). With "update", attributes that
    the spec doesn't give at all stay as they are; given ones, empty ones too, take the place of all that
    are there. Nodes that the spec doesn't know stay, unless it is to `prune`; groups whose members the
    spec doesn't know (`members` is None) are not looked into. Files that are not Zarr's stay always.

    Of a declaration, stated values that are others than those stored are a conflict ("refuse"), or written.

    Short-hand names in documents of v3, such as the codec "bytes", are written in full, as most readers
    refuse them; with `spelling="given"`, documents are written as the spec spells them.

    >>> import zom
    >>> store = zom.store("memory://example-of-plan")
    >>> old = zom.v3.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,))
    >>> zom.create_array(store, old)[:] = 1
    >>> print(zom.plan(old.replace(shape=(2,)), store, on_conflict="update"))
    memory://example-of-plan: 1 to resize, 1 chunk to remove
      ~ /  array  resize: shape[0]: 4 -> 2; 1 chunk removed
    >>> print(zom.plan(old.replace(data_type="uint8"), store).problems[0])
    expected an array that means the same, found another: data_type: "int8" -> "uint8"; ask for on_conflict='replace', and its chunks go
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
    return _done(plan_delete(store, path, whole=whole))


def plan_delete(store: Place, path: str = "", *, whole: bool = False) -> Plan[None]:
    """The plan of `zom.delete`; nothing is deleted before `apply`, which gives None.

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
    """Move the node at the path `old`, and all below it, to the path `new`; the plan by which it was done.

    Where the store can rename, that is one step; elsewhere every key is copied before it is removed, and
    the node is not seen meanwhile. Whatever else lies in the node's directory moves with it.

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

    A node that breaks rules is moved, too, and is a `BrokenNode` there.

    >>> import zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "a")
    >>> zom.plan_rename(array.store, "a", "b").counts
    {'move': 1}
    """
    there = join(parse_path(new))
    return Plan.of(plan_move(opened(store, existing=True), old, new), lambda plan: _node_at(plan, there))


def consolidate(store: Place, path: str = "", *, drop: bool = False) -> Plan[Group]:
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
    from zom.hierarchy.change.consolidate import consolidate as written  # noqa: PLC0415 - it brings what applies plans

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
    """The handle of the node at the path of a plan that is done; nothing is read for it.

    >>> import zom
    >>> made_node(zom.plan(zom.v3.GroupSpec(), "memory:", "a"))
    <zom.Group memory:// /a mode='r+'>
    """
    return _opened(plan.root_spec(), plan.store, plan.path, plan.layout, mode="r+")


def _no_node(_plan: Plan[Any]) -> None:
    """What is left of what was deleted."""


def _node_at(plan: Plan[Any], path: str) -> Array | Group | BrokenNode:
    """The handle of what lies at `path`, which a plan that is done has not written but moved, or read."""
    from zom.hierarchy.stored.open import read_node  # noqa: PLC0415 - who only plans needs none of it

    try:
        node = read_node(plan.store, path, form=plan.layout.family.form)
    except SpecError as error:
        # It is moved all the same, as it was.
        return BrokenNode(plan.store, path, error.problems)
    opened: Array | Group = _opened(node.spec, node.store, node.path, node.layout, mode="r+")
    return opened


def _opened(spec: Spec, store: Store, path: str, layout: Layout, **how: Any) -> Any:
    from zom.handles.group import handle_of  # noqa: PLC0415 - arrays bring the whole engine

    return handle_of(spec, store, path, layout, **how)


def _group_there(plan: Plan[Group]) -> Group:
    return cast("Group", _node_at(plan, plan.path))


def _done(plan: Plan[NodeT_co]) -> Plan[NodeT_co]:
    """The plan, once it is applied."""
    from zom.hierarchy.change.apply import carry_out  # noqa: PLC0415 - who only plans needs none of it

    carry_out(plan)
    return plan
