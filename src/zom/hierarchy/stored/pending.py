"""Unfinished changes: readers and writers look for journals at a node and above, one small read per level.

A store opened below the root of a hierarchy doesn't show the journals above it. If it is a directory or a
part of another store, they are looked up there, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.errors import ConflictError
from zom.hierarchy.change.conflicts import BUSY, conflict
from zom.hierarchy.copy.mark import COPY_MARK, mark_key
from zom.hierarchy.journal.journal import (
    JOURNAL,
    Unsettled,
    base_of,
    journal_key,
    journal_keys,
    unsettled,
)
from zom.hierarchy.journal.text import parse_journal
from zom.hierarchy.stored.outer import outer_texts
from zom.paths import join, parse_path

if TYPE_CHECKING:
    from zom.hierarchy.journal.journal import Journal
    from zom.stores.interface import Store

__all__ = ["busy", "check_settled", "concerns", "is_committed", "pending", "refuse_outer"]


def pending(store: Store, path: str = "") -> str | None:
    """The key of the journal of a running or interrupted change that concerns `path`, or None.

    Takes one small read per level, all at once. Journals below `path` are not looked up.
    >>> from zom.stores.memory import MemoryStore
    >>> pending(MemoryStore(), "/a/b") is None
    True
    """
    keys = journal_keys(path)
    found = zip(keys, store.get_many(keys), strict=True)
    own = journal_key(path)
    return next(
        (
            key
            for key, text in found
            if text is not None and (key == own or concerns(parse_journal(text, store.url, key), path))
        ),
        None,
    )


def concerns(work: Journal, path: str) -> bool:
    """Whether the journal changes anything at `path` or below.

    >>> from zom.hierarchy.journal.journal import Journal
    >>> work = Journal("/", "undo", writes={"a/b/zarr.json": b"{}"}, old={"a/b/zarr.json": None})
    >>> concerns(work, "/a"), concerns(work, "/c")
    (True, False)
    """
    inner = base_of(path)
    if not inner or work.base.startswith(inner) or work.swap is not None:
        return True
    prefixes = [base_of(each.path) for each in (*work.clears, *work.data)]
    prefixes += [prefix for pair in work.moves for prefix in pair]
    if any(each.startswith(inner) or inner.startswith(each) for each in prefixes):
        return True
    # In the draft, documents have keys outside their node's path: every change above counts.
    meta = f"{work.base}meta/"
    return any(each.startswith((inner, meta)) for each in work.documents)


def is_committed(store: Store, work: Journal) -> bool:
    """Whether the change counts as made: repair finishes it instead of undoing it."""
    if work.creates:
        return store.get(work.last) == work.writes[work.last]
    return work.way == "finish"


def busy(store: Store, key: str) -> ConflictError:
    """The error that another change has begun, as shown by the journal under `key`."""
    where = f"/{key.rpartition('/')[0]}"
    fix = "wait until it ends, or finish or undo it with zom.repair"
    found = "one that is running or was interrupted"
    return ConflictError([conflict(BUSY, where, "no change under way", found, fix, key=key)], store.url)


def check_settled(store: Store, path: str, *, copies: bool = True) -> None:
    """Raise Unsettled if a change at `path` or above has not ended; wait for one of a living process.

    A running copy to `path` counts, too, unless `copies` is false.

    Writers call this before they write, and hold no lock meanwhile.
    """
    names = parse_path(path)
    paths = [join(names[:count]) for count in range(len(names), -1, -1)]
    names_of = (JOURNAL, *([COPY_MARK] if copies else []))
    keys = [mark_key(at, name) for name in names_of for at in paths]
    key = _first(store, keys)
    if key is not None and key.endswith(JOURNAL) and store.capabilities.process_locks:
        with store.lock(key):
            key = _first(store, keys)
    if key is not None:
        raise unsettled(store.url, key, "change")
    refuse_outer(store, path, "change")


def _first(store: Store, keys: list[str]) -> str | None:
    return next((key for key, text in zip(keys, store.get_many(keys), strict=True) if text is not None), None)


def refuse_outer(store: Store, path: str, verb: str = "read") -> None:
    """Raise Unsettled if an unfinished change above the root of the store concerns `path`."""
    for url, key, inner, text in outer_texts(store):
        work = parse_journal(text, url, key)
        whole = join((*parse_path(inner), *parse_path(path)))
        if concerns(work, whole) and (verb != "read" or work.creates or work.way == "finish"):
            where = f"/{key.rpartition('/')[0]}"
            reason = (
                f"a change of {where} in {url}, which contains it, is running or was interrupted: wait until it "
                f"ends, or finish or undo it with zom.repair({url!r})"
            )
            raise Unsettled(store.url, path.strip("/"), verb, reason)
