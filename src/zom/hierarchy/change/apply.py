"""Applying plans: all or nothing, in an order that is safe at every point.

A change of one key is one operation of the store, and atomic by that. Everything else begins with a
journal, made where nobody else's is, and ends with its removal; `zom.hierarchy.change.steps` says what
happens in between. What fails on the way is undone before the error is raised, or finished where it
counts as made already; an interruption leaves the journal, which says which of both.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from zom.errors import ConflictError, ReadOnlyError
from zom.handles.handles import handle_of
from zom.hierarchy.change.carry import carry_through, check_journals, check_texts
from zom.hierarchy.change.conflicts import EXISTS, conflict
from zom.hierarchy.change.ledger import FEW
from zom.hierarchy.change.planner import plan_for
from zom.hierarchy.change.steps import Value, beaten
from zom.hierarchy.journal.journal import Clearing, is_aside, journal_key
from zom.hierarchy.stored.array_chunks import array_chunks
from zom.hierarchy.stored.findings import warn
from zom.hierarchy.stored.inventory import FoundNode, spec_in
from zom.model.construction import outside
from zom.paths import join, parse_path
from zom.stores.opening import is_name, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.hierarchy.change.plan import OnConflict, Plan
    from zom.model.full_spelling import Spelling
    from zom.model.spec import Spec
    from zom.problems import Problem
    from zom.stores.opening import Place

__all__ = ["apply", "carry_out", "materialize"]


def materialize(  # noqa: PLR0913 - each is a choice of the caller's
    spec: Spec,
    store: Place,
    path: str = "",
    *,
    on_conflict: OnConflict = "refuse",
    prune: bool = False,
    data: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], object] | None = None,
    spelling: Spelling = "full",
    on_warning: Callable[[Problem], None] | None = None,
) -> Any:
    """Make `store` hold what `spec` says at `path`; the handle of the node there, open to be written.

    The plan is made whole, as `zom.plan` shows it, before anything is written; ConflictError, and nothing
    written, where something is in the way. All or nothing: after an interruption the old tree is there,
    or the new one, or what `zom.repair` finishes or undoes. Doing it twice writes nothing the second time.

    `data` are values for new arrays by their paths in the spec; they are part of the all or nothing.
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
    there = opened(store)
    try:
        made = plan_for(spec, there, path, on_conflict=on_conflict, prune=prune, spelling=spelling)
        made.check()
        warn(made.url, made.warnings, on_warning, outside())
        return apply(made, data=data, progress=progress)
    except BaseException:
        if is_name(store):
            there.close()
        raise


def apply(
    plan: Plan,
    *,
    data: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Any:
    """Do what `plan` says; the handle of its root."""
    carry_out(plan, data=data, progress=progress)
    return root_of(plan)


def carry_out(
    plan: Plan,
    *,
    data: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> None:
    """Do what `plan` says."""
    plan.check()
    values = _values(plan, data or {})
    if plan.is_empty:
        return
    store, moves = plan.store, plan.journal.moves
    if not store.capabilities.writable:
        raise ReadOnlyError(store.url, plan.path.strip("/"), "write")
    if _is_single(plan) and not values:
        _apply_single(plan)
    elif len(moves) == 1 and store.capabilities.rename and not (plan.journal.writes or plan.journal.removes):
        check_journals(store, plan.journal.path, own=True)
        store.rename(*moves[0])
    else:
        _apply_all(plan, values, progress)
    if not plan.consolidated and "/" not in plan.made:
        from zom.hierarchy.change.consolidate import follow  # noqa: PLC0415 - it plans by what is here

        follow(store, plan.path, plan.layout)


def root_of(plan: Plan) -> Any:
    """The handle of the plan's root."""
    layout = plan.layout
    if plan.root:
        spec: Any = spec_in(FoundNode(plan.path, layout, dict(plan.root)))
    else:
        spec = layout.family.classes["group"]()
    return handle_of(spec, plan.store, plan.path, layout, mode="r+")


# --- one key --------------------------------------------------------------------------------------------


def _is_single(plan: Plan) -> bool:
    work = plan.journal
    return not (work.clears or work.first or work.moves) and len(work.writes) + len(work.removes) == 1


def _apply_single(plan: Plan) -> None:
    """Change one key, where it still is what it was."""
    store, work = plan.store, plan.journal
    check_journals(store, work.path, own=True)
    key = next(iter((*work.writes, *work.removes)))
    if work.old[key] is None:
        if not store.create(key, work.writes[key]):
            raise beaten(store, key)
        return
    with store.lock(key):
        found = store.get_version(key)
        if found is None or found.value != work.old[key]:
            raise beaten(store, key)
        if work.removes:
            store.delete(key)
        elif not store.replace(key, work.writes[key], found.version):
            raise beaten(store, key)


# --- many keys ------------------------------------------------------------------------------------------


def _apply_all(plan: Plan, values: list[Value], tell: Callable[[int, int], object] | None) -> None:
    work = replace(plan.journal, data=tuple(value.clearing for value in values))
    carry_through(plan.store, work, lambda: _check_same(plan), tell, values)


def _check_same(plan: Plan) -> None:
    """ConflictError where the store isn't as it was when it was planned."""
    store, work = plan.store, plan.journal
    check_journals(store, work.path, own=False)
    for prefix, seen in plan.seen.items():
        own = journal_key(work.path)
        now = frozenset(key for key in store.list(prefix) if key != own and not is_aside(key))
        if now != seen:
            raise beaten(store, min(now ^ seen))
    made = [key for key, text in work.old.items() if text is None]
    if plan.seen and len(made) > FEW:
        prefixes = tuple(plan.seen)
        made = [key for key in made if not key.startswith(prefixes)]
    keys = [*made, *(key for key, text in work.old.items() if text is not None)]
    check_texts(store, {key: work.old[key] for key in keys})


# --- values ---------------------------------------------------------------------------------------------


def _values(plan: Plan, data: Mapping[str, Any]) -> list[Value]:
    """The values for new arrays; ConflictError where one is not new, or where something is removed besides."""
    problems: list[Problem] = []
    values: list[Value] = []
    layout = plan.layout
    if data and not plan.journal.adds:
        found = "one that changes or removes what is there"
        fix = "apply it first, then write through the handles"
        problems.append(
            conflict(EXISTS, plan.path, "a plan that only creates, to bring data along", found, fix)
        )
    for given, value in data.items():
        path = join((*parse_path(plan.path), *parse_path(given)))
        ends = {end: plan.journal.writes.get(layout.key(path, end)) for end in layout.ends("array")}
        texts = {end: text for end, text in ends.items() if text is not None}
        spec = spec_in(FoundNode(path, layout, texts)) if path in plan.made else None
        if spec is None or spec.kind != "array":
            fix = "write through its handle"
            problems.append(
                conflict(EXISTS, path, "a new array, to bring data along", "none in the plan", fix)
            )
            continue
        prefix, form = layout.chunk_prefix(path), layout.family.form
        clearing = Clearing(path, prefix, form, spec.to_json(), scalar=layout.scalar_chunk)
        values.append(Value(clearing, array_chunks(spec, plan.store, path, layout), value))
    if problems:
        raise ConflictError(problems, plan.url)
    return values
