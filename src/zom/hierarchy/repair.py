"""Repair: changes that were interrupted are finished, or undone where they only created."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from zom.errors import ConflictError, ReadOnlyError
from zom.hierarchy.apply import Steps, run, undo
from zom.hierarchy.conflicts import CHANGED, conflict
from zom.hierarchy.handles import opened
from zom.hierarchy.journal import JOURNAL, Journal, journal_key
from zom.hierarchy.survey import above_all
from zom.paths import join, parse_path

if TYPE_CHECKING:
    from zom.stores.interface import Store
    from zom.stores.opening import Place

__all__ = ["Repair", "repair"]


@dataclass(frozen=True, slots=True)
class Repair:
    """What became of a change that was interrupted.

    >>> print(Repair("/a", "undone"))
    /a: undone
    """

    path: str
    """The topmost node that it was about."""
    outcome: Literal["finished", "undone"]

    def __str__(self) -> str:
        return f"{self.path}: {self.outcome}"


def repair(
    store: Place, path: str = "", *, on_conflict: Literal["refuse", "replace"] = "refuse"
) -> tuple[Repair, ...]:
    """Finish the changes at `path` and below that were interrupted, or undo those that only created nodes.

    Of a store whose locks reach other processes (directories, SQLite files), changes that are under way
    are waited for; of others, be sure that none is. Where somebody has changed a document since,
    ConflictError names it, and nothing is done; with "replace" the interrupted change wins.

    >>> import zom
    >>> zom.repair("memory:")
    ()
    """
    there = opened(store, existing=True)
    if not there.capabilities.writable:
        raise ReadOnlyError(there.url, path.strip("/"), "repair")
    return tuple(
        done
        for key in _journals(there, join(parse_path(path)))
        if (done := _repaired(there, key, on_conflict))
    )


def _journals(store: Store, path: str) -> list[str]:
    """The keys of all journals at `path`, above and below, the deepest first."""
    keys = [journal_key(at) for at in (path, *above_all(path))]
    found = {key for key, text in zip(keys, store.get_many(keys), strict=True) if text is not None}
    if store.capabilities.listable:
        prefix = "" if path == "/" else f"{path[1:]}/"
        found.update(key for key in store.list(prefix) if key == JOURNAL or key.endswith(f"/{JOURNAL}"))
    return sorted(found, key=lambda key: (-key.count("/"), key))


def _repaired(store: Store, key: str, on_conflict: str) -> Repair | None:
    with store.lock(key):
        text = store.get(key)
        if text is None:
            return None
        work = Journal.parse(text, store.url, key)
        last = next(reversed(work.writes), "")
        finished = bool(last) and store.get(last) == work.writes[last] != work.old.get(last)
        if work.way == "undo" and not finished:
            undo(store, work)
        else:
            if on_conflict == "refuse":
                _check(store, work, key)
            run(store, _rest(work) if finished else work, Steps(0, None))
        store.delete(key)
    return Repair(work.path, "finished" if finished or work.way == "finish" else "undone")


def _rest(work: Journal) -> Journal:
    """What comes after the last document: the cutting of chunks."""
    resized = tuple(clearing for clearing in work.clears if clearing.new is not None)
    return Journal(work.path, "finish", clears=resized)


def _check(store: Store, work: Journal, journal: str) -> None:
    """ConflictError where a document is neither as it was nor as it was to be."""
    keys = list(work.old)
    problems = [
        conflict(
            CHANGED,
            f"/{key.rpartition('/')[0]}",
            f"{key!r} as the interrupted change left it",
            "another: somebody has written it since",
            f"repair with on_conflict='replace', or delete {journal!r} to leave all as it is",
            key=key,
        )
        for key, text in zip(keys, store.get_many(keys), strict=True)
        if text not in {None, work.old[key], work.writes.get(key), work.first.get(key)}
    ]
    if problems:
        raise ConflictError(problems, store.url)
