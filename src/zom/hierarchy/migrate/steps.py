"""The steps of a migration in place: chunks that move are copied and compared, then one change is carried through."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from zom.engine.workers import processors
from zom.errors import StoreError
from zom.hierarchy.change.carry import carry_through, check_journals, check_texts
from zom.hierarchy.copy.chunks import MEMORY, ArrayPair, copy_raw, stored_chunks, verify_raw
from zom.hierarchy.copy.tally import Progress, Tally
from zom.hierarchy.journal.journal import journal_key
from zom.hierarchy.migrate.plan import journal_of
from zom.hierarchy.stored.read import read_tree
from zom.hierarchy.stored.settled import Settled

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.hierarchy.journal.journal import Journal
    from zom.hierarchy.migrate.plan import MigrationPlan, MovedArray

__all__ = ["carry_out", "counted"]


def carry_out(plan: MigrationPlan, progress: Callable[[int, int], object] | None) -> dict[str, int]:
    """Migrate in place; how many chunks of each array were moved."""
    store, work = plan.original.store, journal_of(plan)
    counts: dict[str, int] = {}
    told = Progress(sum(math.prod(each.new.plan.grid) for each in plan.moves) + len(work.writes), progress)

    def check() -> None:
        check_journals(store, work.path, own=False)
        check_texts(store, work.old)

    def fill(begun: Journal) -> None:
        end = 0
        for each in plan.moves:
            pair = _pair(each, told)
            copy_raw(pair)
            verify_raw(replace(pair, progress=Progress(0, None)))
            counts[each.path] = pair.tally.raw
            end += math.prod(each.new.plan.grid)
            told.reach(end)
        _check_seen(plan, begun)
        # What is old goes soon: what takes its place must outlast a loss of power.
        store.flush()

    carry_through(store, work, check, fill=fill)
    store.flush()
    told.reach(told.total)
    return counts


def counted(plan: MigrationPlan) -> dict[str, int]:
    """How many chunks of each array would be moved."""
    if not plan.original.store.capabilities.listable:
        return {}
    return {each.path: sum(1 for _ in stored_chunks(each.old)) for each in plan.moves}


def _pair(array: MovedArray, progress: Progress) -> ArrayPair:
    return ArrayPair(
        array.old,
        array.new,
        jobs=processors(),
        is_resumed=False,
        memory=MEMORY,
        tally=Tally(),
        progress=progress,
    )


def _check_seen(plan: MigrationPlan, work: Journal) -> None:
    """StoreError unless the new hierarchy will read as it should: nothing has changed until then."""
    store, path = plan.original.store, work.path
    after = Settled(store, replace(work, way="finish"), journal_key(path), work.text())
    form = cast("Any", plan.layout.family.form)
    if read_tree(after, path, form=form, consolidated="ignore").spec != plan.conversion.spec:
        reason = "the new hierarchy would not read as it is meant to; the migration was undone"
        raise StoreError(store.url, path.strip("/"), "migrate", reason)
