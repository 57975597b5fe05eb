"""The steps of a migration in place: first all that is new, then one key that makes it seen, then the old goes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from zom.engine.workers import processors
from zom.errors import ConflictError, StoreError
from zom.hierarchy.clearing import clear_all
from zom.hierarchy.conflicts import BUSY, conflict
from zom.hierarchy.copy_chunks import MEMORY, ArrayPair, copy_raw, stored_chunks, verify_raw
from zom.hierarchy.copy_mark import MIGRATION_MARK, mark_key
from zom.hierarchy.copy_tally import Progress, Tally
from zom.hierarchy.read import read_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from zom.hierarchy.migration import Work
    from zom.hierarchy.migration_plan import MigrationPlan
    from zom.stores.interface import Store

__all__ = ["carry_out", "counted", "is_switched", "remove_old"]

_KEYS = 1000
"""How many keys are handed to a store at once."""


def is_switched(store: Store, work: Work) -> bool:
    """Whether readers see the new hierarchy already."""
    return store.get(work.switch) == work.writes.get(work.switch)


def carry_out(
    store: Store,
    path: str,
    plan: MigrationPlan,
    progress: Callable[[int, int], object] | None,
    *,
    is_resumed: bool,
) -> dict[str, int]:
    """Do all of it; how many chunks of each array were moved."""
    work = plan.work
    counts: dict[str, int] = {}
    total = sum(new.nchunks for _, new in plan.moves)
    told = Progress(total + len(work.writes), progress)
    _leave_mark(store, path, work, is_resumed=is_resumed)
    end = 0
    for old, new in plan.moves:
        pair = _pair(old, new, told)
        copy_raw(pair)
        verify_raw(replace(pair, progress=Progress(0, None)))
        counts[new.path] = pair.tally.raw
        end += new.nchunks
        told.reach(end)
    beside = {key: text for key, text in work.writes.items() if key != work.switch}
    for keys in _batches(tuple(beside)):
        store.set_many([(key, beside[key]) for key in keys])
        told.add(len(keys))
    _check_written(store, beside)
    store.flush()
    if work.switch in work.writes:
        store.set(work.switch, work.writes[work.switch])
    else:
        store.delete(work.switch)
    _check_seen(store, path, plan)
    remove_old(store, path, work)
    told.reach(told.total)
    return counts


def counted(plan: MigrationPlan) -> dict[str, int]:
    """How many chunks of each array would be moved."""
    if not plan.original.store.capabilities.listable:
        return {}
    return {new.path: sum(1 for _ in stored_chunks(old.chunk_access)) for old, new in plan.moves}


def _leave_mark(store: Store, path: str, work: Work, *, is_resumed: bool) -> None:
    """Say what is under way; ConflictError where somebody else has just begun."""
    key = mark_key(path, MIGRATION_MARK)
    if is_resumed:
        store.set(key, work.text())
    elif not store.create(key, work.text()):
        fix = "wait for its end"
        problem = conflict(BUSY, path, "no other migration", "one that has just begun", fix, key=key)
        raise ConflictError([problem], store.url)


def _pair(old: Any, new: Any, progress: Progress) -> ArrayPair:
    return ArrayPair(
        old.chunk_access,
        new.chunk_access,
        jobs=processors(),
        is_resumed=False,
        memory=MEMORY,
        tally=Tally(),
        progress=progress,
    )


def _batches(keys: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for start in range(0, len(keys), _KEYS):
        yield keys[start : start + _KEYS]


def _check_written(store: Store, texts: Mapping[str, bytes]) -> None:
    for key, text in zip(texts, store.get_many(texts), strict=True):
        if text != texts[key]:
            raise StoreError(store.url, key, "migrate", "it doesn't read back as it was written")


def _check_seen(store: Store, path: str, plan: MigrationPlan) -> None:
    """StoreError unless the new hierarchy reads as it should: what is old is removed only then."""
    form = cast("Any", plan.layout.family.form)
    seen = read_tree(store, path, form=form, consolidated="ignore").spec
    if seen != plan.conversion.spec:
        reason = "the new hierarchy doesn't read as it was meant to; nothing is removed, look at both"
        raise StoreError(store.url, path.strip("/"), "migrate", reason)


def remove_old(store: Store, path: str, work: Work) -> None:
    """Take away what is old, and then the mark."""
    for keys in _batches(work.removes):
        store.delete_many(keys)
    for clearing in work.clears:
        clear_all(store, clearing)
    store.flush()
    store.delete(mark_key(path, MIGRATION_MARK))
