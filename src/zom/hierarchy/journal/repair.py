"""Repair: finish interrupted changes, or undo them if they don't count as made yet.

The leftovers of an interrupted copy are deleted; to finish it, make the same copy again.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from zom.brief import notebook_html, short
from zom.dataclass import dataclass
from zom.errors import ConflictError, ReadOnlyError, StoreError
from zom.hierarchy.change.conflicts import CHANGED, conflict
from zom.hierarchy.change.steps import Steps, finish, sweep, undo
from zom.hierarchy.copy.mark import COPY_MARK, parse_mark
from zom.hierarchy.copy.sweep import left_by, sweep_copy
from zom.hierarchy.journal.fit import check_fits
from zom.hierarchy.journal.journal import JOURNAL
from zom.hierarchy.journal.text import parse_journal
from zom.hierarchy.stored.pending import is_committed
from zom.hierarchy.stored.settled import marks_in
from zom.paths import join, parse_path
from zom.problems import one_line
from zom.stores.opening import is_name, opened
from zom.stores.zip import ZipStore

if TYPE_CHECKING:
    from zom.hierarchy.journal.journal import Journal
    from zom.problems import Problem
    from zom.stores.interface import Store
    from zom.stores.opening import Place

__all__ = ["Repair", "plan_repair", "repair", "repaired"]

OnConflict = Literal["refuse", "replace"]
"""What to do about a document changed since by someone else: do nothing and raise, or let the change win."""


@dataclass(frozen=True, slots=True)
class Repair:
    """The planned or completed repair of an interrupted change.

    >>> print(Repair("/a", "undone"))
    /a: undone
    """

    path: str
    """The topmost node of the change."""
    outcome: Literal["finish", "undo", "finished", "undone"]
    """What a repair will do (from `plan_repair`), or what it did."""
    writes: tuple[str, ...] = ()
    """The keys of the documents to write."""
    removes: tuple[str, ...] = ()
    """The keys of the documents to delete."""
    arrays: tuple[str, ...] = ()
    """The paths of the arrays with chunks to delete."""
    moves: tuple[tuple[str, str], ...] = ()
    """Prefixes whose keys are moved, as (old, new) pairs."""
    problems: tuple[Problem, ...] = ()
    """What blocks the repair: documents changed since by someone else."""

    def check(self) -> None:
        """Raise ConflictError if anything blocks the repair."""
        if self.problems:
            raise ConflictError(self.problems, self.path)

    def to_dict(self) -> dict[str, Any]:
        """The repair as plain JSON.

        >>> Repair("/a", "undone").to_dict()
        {'path': '/a', 'outcome': 'undone'}
        """
        facts: dict[str, Any] = {"path": self.path, "outcome": self.outcome}
        for name in ("writes", "removes", "arrays"):
            if getattr(self, name):
                facts[name] = list(getattr(self, name))
        if self.moves:
            facts["moves"] = [list(pair) for pair in self.moves]
        if self.problems:
            facts["problems"] = [problem.to_dict() for problem in self.problems]
        return facts

    def __repr__(self) -> str:
        return short("Repair", str(self).partition("\n")[0])

    def _repr_html_(self) -> str:
        """The HTML for a notebook."""
        return notebook_html("repair", self)

    def __str__(self) -> str:
        to = "to " if self.outcome in {"finish", "undo"} else ""
        lines = [f"{self.path}: {to}{self.outcome}"]
        lines += [f"  + {key}" for key in self.writes]
        lines += [f"  - {key}" for key in self.removes]
        lines += [f"  - chunks of {path}" for path in self.arrays]
        lines += [f"  > {old} to {new}" for old, new in self.moves]
        lines += [f"  ! {problem}" for problem in self.problems]
        return "\n".join(map(one_line, lines))


def repair(store: Place, path: str = "", *, on_conflict: OnConflict = "refuse") -> tuple[Repair, ...]:
    """Finish the interrupted changes at `path` and below, or undo those that don't count as made.

    Leftovers of an interrupted copy are deleted; to finish it, make the same copy again.

    Only keys in the journal of a change are touched, whatever root the store is opened from. A journal that
    is damaged, or names anything outside its place, is refused. A full disk is no problem on a local
    directory: keys are deleted and moved, and nothing new is written.

    If the store's locks reach other processes (directories, SQLite files), running changes are waited for; on
    other stores, make sure that none is running. If someone has changed a document since, ConflictError names
    it, and nothing is done; with "replace" the interrupted change wins. Use `zom.plan_repair` to see the
    repair beforehand. Temporary files of killed writers, which no listing shows, are deleted. A zip file
    passed by name is opened for writing only if there is something to repair, and closed again.

    >>> import zom
    >>> zom.repair("memory:")
    ()
    """
    there = opened(store, existing=True)
    if is_name(store) and isinstance(there, ZipStore):
        there.close()
        return _repaired_archive(store, path, on_conflict)
    if not there.capabilities.writable:
        raise ReadOnlyError(there.url, path.strip("/"), "repair")
    return _repaired_in(there, join(parse_path(path)), on_conflict)


def _repaired_archive(place: Place, path: str, on_conflict: OnConflict) -> tuple[Repair, ...]:
    """Repair a zip file, which is rewritten only if there is something to repair."""
    if not plan_repair(place, path):
        return ()
    with opened(place, read_only=False, existing=True) as there:
        return _repaired_in(there, join(parse_path(path)), on_conflict)


def _repaired_in(there: Store, at: str, on_conflict: OnConflict) -> tuple[Repair, ...]:
    changes = [
        done
        for key in marks_in(there, at, JOURNAL, below=True)
        if (done := repaired(there, key, on_conflict))
    ]
    copies = [
        Repair(_at(key), "undone")
        for key in marks_in(there, at, COPY_MARK, below=True)
        if sweep_copy(there, key)
    ]
    with suppress(StoreError):
        there.sweep()  # what can't be deleted is hidden and harmless
    return (*changes, *copies)


def plan_repair(store: Place, path: str = "", *, on_conflict: OnConflict = "refuse") -> tuple[Repair, ...]:
    """The repairs that `zom.repair` would make; nothing is written.

    >>> import zom
    >>> from zom.hierarchy.journal.journal import Journal
    >>> store = zom.store("memory://example-of-plan-repair")
    >>> work = Journal("/", "undo", writes={"zarr.json": b"{}"}, old={"zarr.json": None})
    >>> store.set(".zom.journal", work.text())
    >>> print(zom.plan_repair(store)[0])
    /: to undo
    """
    there = opened(store, read_only=True if is_name(store) else None, existing=True)
    at = join(parse_path(path))
    try:
        found = marks_in(there, at, JOURNAL, below=True)
        changes = [_planned(there, key, text, on_conflict)[1] for key, text in found.items()]
        copies = [
            _planned_sweep(there, key, text)
            for key, text in marks_in(there, at, COPY_MARK, below=True).items()
        ]
    finally:
        if is_name(store):
            there.close()
    return (*changes, *copies)


def _at(key: str) -> str:
    return f"/{key.rpartition('/')[0]}"


def _planned_sweep(store: Store, key: str, text: bytes) -> Repair:
    mark = parse_mark(text, store.url, key)
    waiting, arrays = left_by(store, mark, key.removesuffix(COPY_MARK))
    return Repair(_at(key), "undo", removes=waiting, arrays=tuple(each.path for each in arrays))


def _planned(store: Store, key: str, text: bytes, on_conflict: str) -> tuple[Journal, Repair]:
    work = parse_journal(text, store.url, key)
    check_fits(store, work, key)
    if not is_committed(store, work):
        made = work.writes if work.creates else {}
        found = zip(made, store.get_many(made), strict=True)
        ours = tuple(each for each, text in found if text == made[each])
        return work, Repair(work.path, "undo", (), ours, tuple(each.path for each in work.data))
    if work.creates:
        return work, Repair(work.path, "finish")
    documents = list(work.writes)
    there = dict(zip(documents, store.get_many(documents), strict=True))
    gone = list(work.removes)
    left = {each for each, found in zip(gone, store.get_many(gone), strict=True) if found is not None}
    problems = tuple(_changed(store, work, key)) if on_conflict == "refuse" else ()
    planned = Repair(
        work.path,
        "finish",
        tuple(each for each in documents if there[each] != work.writes[each]),
        tuple(each for each in gone if each in left and each not in work.writes),
        tuple(each.path for each in work.clears),
        work.moves,
        problems,
    )
    return work, planned


def repaired(store: Store, key: str, on_conflict: str) -> Repair | None:
    """Repair the change with the journal under `key`; None if the journal is gone."""
    with store.lock(key):
        text = store.get(key)
        if text is None:
            return None
        work, planned = _planned(store, key, text, on_conflict)
        if planned.problems:
            raise ConflictError(planned.problems, store.url)
        if planned.outcome == "undo":
            undo(store, work)
        else:
            finish(store, work, Steps(0, None))
        sweep(store, work)
        store.delete(key)
    return Repair(work.path, "undone" if planned.outcome == "undo" else "finished")


def _changed(store: Store, work: Journal, journal: str) -> list[Problem]:
    """Conflicts of documents that match neither their old nor their new content."""
    keys = list(work.old)
    return [
        conflict(
            CHANGED,
            f"/{key.rpartition('/')[0]}",
            f"{key!r} unchanged since the interrupted change",
            "another: it was written after that",
            f"repair with on_conflict='replace', or delete {journal!r} to leave everything as it is",
            key=key,
        )
        for key, text in zip(keys, store.get_many(keys), strict=True)
        if text not in {None, work.old[key], work.writes.get(key), work.first.get(key)}
    ]
