"""Applying plans: all or nothing, in an order that is safe at every point.

A change of one key is one atomic operation of the store. Any other change first writes a journal, only if
nobody else's exists, and ends by deleting it; `zom.hierarchy.change.steps` describes the steps in between. A
failed change is undone before the error is raised, or finished if it already counts as made. An interruption
leaves the journal, which says which of the two.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from zom.errors import ConflictError, ReadOnlyError, StoreError
from zom.hierarchy.change.carry import carry_through, check_journals, check_texts
from zom.hierarchy.change.conflicts import EXISTS, conflict
from zom.hierarchy.change.consolidate import follow
from zom.hierarchy.change.ledger import FEW
from zom.hierarchy.change.renaming import key_by_key
from zom.hierarchy.change.steps import Value, beaten, is_across
from zom.hierarchy.journal.journal import Clearing, is_aside, journal_key
from zom.hierarchy.stored.array_chunks import array_chunks
from zom.hierarchy.stored.node import StoredNode
from zom.paths import join, parse_path
from zom.stores.together import together

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.hierarchy.change.plan import ChangePlan
    from zom.hierarchy.journal.journal import Journal
    from zom.model.spec import Spec
    from zom.problems import Problem
    from zom.stores.interface import Store

__all__ = ["carry_out", "root_spec"]


def carry_out(
    plan: ChangePlan,
    *,
    data: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> None:
    """Apply `plan`."""
    plan.check()
    values = _values(plan, data or {})
    if plan.is_empty:
        return
    store, moves = plan.store, plan.journal.moves
    if not store.capabilities.writable:
        raise ReadOnlyError(store.url, plan.path.strip("/"), "write")
    if _is_single(plan) and not values and not store.capabilities.transactional:
        _apply_single(plan)
    elif len(moves) == 1 and store.capabilities.rename and not (plan.journal.writes or plan.journal.removes):
        check_journals(store, plan.journal.path, own=True)
        _rename(plan, progress)
    else:
        _apply_all(plan, values, progress)
    if not plan.consolidated and "/" not in plan.made:
        follow(store, plan.path, plan.layout)


def root_spec(plan: ChangePlan) -> Spec:
    """The spec of the node at the plan's path, with its new document."""
    if plan.root:
        return cast("Spec", StoredNode.of(plan.path, plan.layout, plan.root).spec())
    return cast("Spec", cast("Any", plan.layout.family.classes["group"])())


def _rename(plan: ChangePlan, progress: Callable[[int, int], object] | None) -> None:
    try:
        plan.store.rename(*plan.journal.moves[0])
    except StoreError as error:
        if not is_across(error):
            raise
        slower = key_by_key(plan)
        slower.check()
        _apply_all(slower, [], progress)


# --- one key --------------------------------------------------------------------------------------------


def _is_single(plan: ChangePlan) -> bool:
    work = plan.journal
    return not (work.clears or work.first or work.moves) and len(work.writes) + len(work.removes) == 1


def _apply_single(plan: ChangePlan) -> None:
    """Change one key if it is unchanged since the plan."""
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


def _apply_all(plan: ChangePlan, values: list[Value], tell: Callable[[int, int], object] | None) -> None:
    work = replace(plan.journal, data=tuple(value.clearing for value in values))
    carry_through(plan.store, work, lambda: _check_same(plan), tell, values)


def _check_same(plan: ChangePlan) -> None:
    """Raise ConflictError if the store has changed since the plan."""
    store, work = plan.store, plan.journal
    made = [key for key, text in work.old.items() if text is None]
    if plan.seen and len(made) > FEW:
        prefixes = tuple(plan.seen)
        made = [key for key in made if not key.startswith(prefixes)]
    keys = [*made, *(key for key, text in work.old.items() if text is not None)]
    together(
        store,
        partial(check_journals, store, work.path, own=False),
        *(partial(_check_listed, store, work, prefix, seen) for prefix, seen in plan.seen.items()),
        partial(check_texts, store, {key: work.old[key] for key in keys}),
    )


def _check_listed(store: Store, work: Journal, prefix: str, seen: frozenset[str]) -> None:
    own = journal_key(work.path)
    now = frozenset(key for key in store.list(prefix) if key != own and not is_aside(key))
    if now != seen:
        raise beaten(store, min(now ^ seen))


# --- values ---------------------------------------------------------------------------------------------


def _values(plan: ChangePlan, data: Mapping[str, Any]) -> list[Value]:
    """The values for new arrays; ConflictError if one is not new, or the plan also changes or deletes."""
    problems: list[Problem] = []
    values: list[Value] = []
    layout = plan.layout
    if data and not plan.journal.adds:
        found = "one that changes or removes existing nodes"
        fix = "apply it first, then write through the handles"
        problems.append(
            conflict(EXISTS, plan.path, "a plan that only creates nodes, to write data with it", found, fix)
        )
    for given, value in data.items():
        path = join((*parse_path(plan.path), *parse_path(given)))
        ends = {end: plan.journal.writes.get(layout.key(path, end)) for end in layout.ends("array")}
        texts = {end: text for end, text in ends.items() if text is not None}
        spec = StoredNode.of(path, layout, texts).spec() if path in plan.made else None
        if spec is None or spec.kind != "array":
            fix = "write through its handle"
            problems.append(conflict(EXISTS, path, "a new array, to write data to", "none in the plan", fix))
            continue
        prefix, form = layout.chunk_prefix(path), layout.family.form
        clearing = Clearing(path, prefix, form, spec.to_json(), scalar=layout.scalar_chunk)
        values.append(Value(clearing, array_chunks(spec, plan.store, path, layout), value))
    if problems:
        raise ConflictError(problems, plan.url)
    return values
