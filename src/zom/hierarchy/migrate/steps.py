"""The steps of a migration in place: copy and compare chunks that move, then carry out one change."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from zom.engine.workers import processors
from zom.errors import StoreError
from zom.hierarchy.change.carry import carry_through, check_journals, check_texts
from zom.hierarchy.copy.chunks import copy_raw, stored_chunks, verify_raw
from zom.hierarchy.copy.pair import ArrayPair, room_for
from zom.hierarchy.copy.tally import Progress, Tally
from zom.hierarchy.journal.journal import journal_key
from zom.hierarchy.migrate.plan import journal_of
from zom.hierarchy.stored.read import read_tree
from zom.hierarchy.stored.settled import Settled

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.hierarchy.executor import Pool
    from zom.hierarchy.journal.journal import Journal
    from zom.hierarchy.migrate.plan import MigrationPlan, MovedArray
    from zom.stores.interface import Store

__all__ = ["carry_out", "counted"]


def carry_out(
    plan: MigrationPlan, progress: Callable[[int, int], object] | None, pool: Pool | None = None
) -> dict[str, tuple[int, int]]:
    """Migrate in place, and return the number of moved chunks and their bytes for each array."""
    store = plan.original.store
    if pool is not None and plan.moves:
        pool.check(target=store)
        _check_shared(store, plan.original.tree.path)
    work = journal_of(plan)
    counts: dict[str, tuple[int, int]] = {}
    told = Progress(sum(math.prod(each.new.plan.grid) for each in plan.moves) + len(work.writes), progress)

    def check() -> None:
        check_journals(store, work.path, own=False)
        check_texts(store, work.old)

    def fill(begun: Journal) -> None:
        end = 0
        for each in plan.moves:
            pair = _pair(each, told, pool)
            copy_raw(pair)
            verify_raw(replace(pair, progress=Progress(0, None)))
            counts[each.path] = (pair.tally.raw, pair.tally.nbytes)
            end += math.prod(each.new.plan.grid)
            told.reach(end)
        _check_seen(plan, begun)
        # The old data is deleted soon: its replacement must survive a loss of power.
        store.flush()

    carry_through(store, work, check, fill=fill)
    store.flush()
    told.reach(told.total)
    return counts


def counted(plan: MigrationPlan) -> dict[str, tuple[int, int]]:
    """The number of chunks of each array that would be moved; their bytes are not known yet (0)."""
    if not plan.original.store.capabilities.listable:
        return {}
    return {each.path: (sum(1 for _ in stored_chunks(each.old)), 0) for each in plan.moves}


def _pair(array: MovedArray, progress: Progress, pool: Pool | None) -> ArrayPair:
    return ArrayPair(
        array.old,
        array.new,
        # Other threads would wait for the lock that this one holds.
        jobs=1 if array.old.store.capabilities.lock_holds_all else processors(),
        is_resumed=False,
        memory=room_for(array.old.store, array.new.store),
        tally=Tally(),
        progress=progress,
        pool=pool,
        places=array.places,
    )


def _check_shared(store: Store, path: str) -> None:
    """Raise StoreError if other processes would wait for the lock held while chunks are moved."""
    if store.capabilities.lock_holds_all:
        reason = "its lock keeps other processes out while chunks are moved in place; leave out executor, or pass target="
        raise StoreError(store.url, path.strip("/"), "migrate", reason)


def _check_seen(plan: MigrationPlan, work: Journal) -> None:
    """Raise StoreError unless the new hierarchy will read as it should, before anything has changed."""
    store, path = plan.original.store, work.path
    after = Settled(store, replace(work, way="finish"), journal_key(path), work.text())
    form = cast("Any", plan.layout.family.form)
    if read_tree(after, path, form=form, consolidated="ignore").spec != plan.conversion.spec:
        reason = "the new hierarchy would not read as planned; the migration was undone"
        raise StoreError(store.url, path.strip("/"), "migrate", reason)
