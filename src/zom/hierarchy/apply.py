"""Applying plans: all or nothing, in an order that is safe at every point.

A change of one key is one operation of the store, and atomic by that. Everything else begins with a
journal, made where nobody else's is, and ends with its removal: documents of what goes are removed before
its chunks; new documents are written from the deepest up, and the topmost, without which no new node is
seen, last, only where nothing is. An interruption leaves the journal, with what finishes or undoes it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from zom.errors import ConflictError, ReadOnlyError, ZomError
from zom.hierarchy.clearing import clear_after, clear_all, clear_before
from zom.hierarchy.conflicts import BUSY, CHANGED, EXISTS, conflict
from zom.hierarchy.handles import handle_of, is_name, opened
from zom.hierarchy.journal import JOURNAL, Clearing, journal_key
from zom.hierarchy.ledger import FEW
from zom.hierarchy.planner import plan_for
from zom.hierarchy.survey import Lying, above_all, spec_in
from zom.paths import join, parse_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from zom.hierarchy.journal import Journal
    from zom.hierarchy.plan import OnConflict, Plan
    from zom.model.spec import Spec
    from zom.problems import Problem
    from zom.stores.interface import Store
    from zom.stores.opening import Place

__all__ = ["Steps", "apply", "carry_out", "check_journals", "materialize", "run", "undo"]

_BATCH = 1000
"""How many documents are handed to the store before `progress` is told."""


def materialize(  # noqa: PLR0913 - each is a choice of the caller's
    spec: Spec,
    store: Place,
    path: str = "",
    *,
    on_conflict: OnConflict = "refuse",
    prune: bool = False,
    data: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Any:
    """Make `store` hold what `spec` says at `path`; the handle of the node there, open to be written.

    The plan is made whole, as `zom.plan` shows it, before anything is written; ConflictError, and nothing
    written, where something is in the way. All or nothing: after an interruption the old tree is there,
    or the new one, or what `zom.repair` finishes or undoes. Doing it twice writes nothing the second time.

    `data` are values for new arrays by their paths in the spec; they are part of the all or nothing.

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
        made = plan_for(spec, there, path, on_conflict=on_conflict, prune=prune)
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


def root_of(plan: Plan) -> Any:
    """The handle of the plan's root."""
    layout = plan.layout
    if plan.root:
        spec: Any = spec_in(Lying(plan.path, layout, dict(plan.root)))
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
            raise _beaten(store, key)
        return
    with store.lock(key):
        found = store.get_version(key)
        if found is None or found.value != work.old[key]:
            raise _beaten(store, key)
        if work.removes:
            store.delete(key)
        elif not store.replace(key, work.writes[key], found.version):
            raise _beaten(store, key)


def _beaten(store: Store, key: str) -> ConflictError:
    found = "another: somebody else wrote or removed it meanwhile"
    node = f"/{key.rpartition('/')[0]}"
    problem = conflict(CHANGED, node, f"{key!r} as it was planned for", found, "plan again", key=key)
    return ConflictError([problem], store.url)


def check_journals(store: Store, path: str, *, own: bool) -> None:
    """ConflictError where a change above is under way, or at `path` itself."""
    keys = [journal_key(at) for at in ((path, *above_all(path)) if own else above_all(path))]
    for key, text in zip(keys, store.get_many(keys), strict=True):
        if text is not None:
            raise _busy(store, key)


def _busy(store: Store, key: str) -> ConflictError:
    where = "/" + key.removesuffix(JOURNAL).strip("/")
    fix = "wait for its end, or finish or undo it with zom.repair"
    problem = conflict(
        BUSY, where, "no change under way", "one that is not done, or was interrupted", fix, key=key
    )
    return ConflictError([problem], store.url)


# --- many keys ------------------------------------------------------------------------------------------


_COPIED = 64
"""How many values are held in memory while they are copied."""


class Steps:
    """Counts what is done, and tells."""

    def __init__(self, total: int, tell: Callable[[int, int], object] | None) -> None:
        self.total = total
        self.done = 0
        self._tell = tell

    def more(self, count: int = 1) -> None:
        """So many more are done."""
        self.done += count
        if self._tell is not None:
            self._tell(self.done, self.total)

    def batches(self, keys: list[str]) -> Iterable[list[str]]:
        """The keys in batches; all at once where nobody wants to be told."""
        size = _BATCH if self._tell is not None else len(keys)
        for start in range(0, len(keys), size or 1):
            yield keys[start : start + size]


def _apply_all(plan: Plan, values: list[Value], tell: Callable[[int, int], object] | None) -> None:
    store, work = plan.store, plan.journal
    if values:
        work = replace(work, way="undo", data=tuple(value.clearing for value in values))
    key = journal_key(work.path)
    # Who waits for the lock waits for a living process; a journal without one is an interrupted change.
    with store.lock(key):
        if not store.create(key, work.text()):
            raise _busy(store, key)
        try:
            _check_same(plan)
        except ConflictError:
            store.delete(key)
            raise
        steps = Steps(_count(work) + len(values), tell)
        try:
            run(store, work, steps, values)
        except BaseException as error:
            _give_up(store, key, work, error)
            raise
        store.delete(key)


def _count(work: Journal) -> int:
    return len(work.writes) + len(work.removes) + len(work.clears) + len(work.first)


def _give_up(store: Store, key: str, work: Journal, error: BaseException) -> None:
    """After a failure: undo what can be undone at once, and else say who can.

    Values are the caller's, and may fail in any way: they are read lazily, or can't be cast.
    """
    if work.way == "undo" and isinstance(error, Exception):
        try:
            undo(store, work)
            store.delete(key)
        except ZomError:
            pass
        else:
            return
    error.add_note(f"the change is half done: zom.repair finishes or undoes it ({store.url}: {key!r})")


def _check_same(plan: Plan) -> None:
    """ConflictError where the store isn't as it was when it was planned."""
    store, work = plan.store, plan.journal
    check_journals(store, work.path, own=False)
    for prefix, seen in plan.seen.items():
        now = frozenset(key for key in store.list(prefix) if key != journal_key(work.path))
        if now != seen:
            raise _beaten(store, min(now ^ seen))
    made = [key for key, text in work.old.items() if text is None]
    if plan.seen and len(made) > FEW:
        prefixes = tuple(plan.seen)
        made = [key for key in made if not key.startswith(prefixes)]
    keys = [*made, *(key for key, text in work.old.items() if text is not None)]
    for key, text in zip(keys, store.get_many(keys), strict=True):
        if text != work.old[key]:
            raise _beaten(store, key)


def run(store: Store, work: Journal, steps: Steps, values: Iterable[Value] = ()) -> None:
    """All steps of a change. Each of them can be done again."""
    for key, text in work.first.items():
        if text is None:
            store.delete(key)
        else:
            store.set(key, text)
        steps.more()
    for clearing in work.clears:
        clear_before(store, clearing)
    store.delete_many(work.removes)
    steps.more(len(work.removes))
    for clearing in work.clears:
        clear_all(store, clearing)
    for old, new in work.moves:
        move(store, old, new)
    *keys, last = work.writes or [""]
    for batch in steps.batches(keys):
        store.set_many([(key, work.writes[key]) for key in batch])
        steps.more(len(batch))
    for value in values:
        value.handle[...] = value.value
        steps.more()
    if last:
        _put_last(store, work, last)
        steps.more()
    for clearing in work.clears:
        clear_after(store, clearing)
        steps.more()


def move(store: Store, old: str, new: str) -> None:
    """Move all keys below a prefix; where the store can't, by copies, each key being in one place at least."""
    if next(iter(store.list(old)), None) is None:
        return
    if store.capabilities.rename:
        store.rename(old, new)
        return
    keys = list(store.list(old))
    for start in range(0, len(keys), _COPIED):
        batch = keys[start : start + _COPIED]
        pairs = zip(batch, store.get_many(batch), strict=True)
        store.set_many([(new + key[len(old) :], value) for key, value in pairs if value is not None])
        store.delete_many(batch)


def _put_last(store: Store, work: Journal, key: str) -> None:
    """Write the document that makes new nodes seen: only where nothing is, if nothing was."""
    text = work.writes[key]
    if work.old[key] is not None and key not in work.removes:
        store.set(key, text)
    elif not store.create(key, text) and store.get(key) != text:
        raise _beaten(store, key)


def undo(store: Store, work: Journal) -> None:
    """Take back what a change has written so far: what others wrote meanwhile stays."""
    there = dict(zip(work.writes, store.get_many(work.writes), strict=True))
    ours = [key for key in reversed(work.writes) if there[key] == work.writes[key] and work.old[key] is None]
    # The document that makes the others seen goes first, and alone.
    store.delete_many(ours[:1])
    store.delete_many(ours[1:])
    for clearing in work.data:
        clear_all(store, clearing)


# --- values ---------------------------------------------------------------------------------------------


class Value(NamedTuple):
    """What a new array is filled with."""

    clearing: Clearing
    handle: Any
    value: Any


def _values(plan: Plan, data: Mapping[str, Any]) -> list[Value]:
    """The values for new arrays; ConflictError where one is not new, or where something is removed besides."""
    problems: list[Problem] = []
    values: list[Value] = []
    layout = plan.layout
    if data and plan.journal.way != "undo":
        found = "one that changes or removes what is there"
        fix = "apply it first, then write through the handles"
        problems.append(
            conflict(EXISTS, plan.path, "a plan that only creates, to bring data along", found, fix)
        )
    for given, value in data.items():
        path = join((*parse_path(plan.path), *parse_path(given)))
        ends = {end: plan.journal.writes.get(layout.key(path, end)) for end in layout.ends("array")}
        texts = {end: text for end, text in ends.items() if text is not None}
        spec = spec_in(Lying(path, layout, texts)) if path in plan.made else None
        if spec is None or spec.kind != "array":
            fix = "write through its handle"
            problems.append(
                conflict(EXISTS, path, "a new array, to bring data along", "none in the plan", fix)
            )
            continue
        prefix, form = layout.chunk_prefix(path), layout.family.form
        clearing = Clearing(path, prefix, form, spec.to_json(), scalar=layout.scalar_chunk)
        values.append(Value(clearing, handle_of(spec, plan.store, path, layout, mode="r+"), value))
    if problems:
        raise ConflictError(problems, plan.url)
    return values
