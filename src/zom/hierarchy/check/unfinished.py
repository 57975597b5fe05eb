"""Unfinished changes: the problems of a hierarchy that is between two states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.hierarchy.check.chunk_keys import note_unfinished
from zom.hierarchy.check.tally import Tally
from zom.hierarchy.journal.journal import JOURNAL, journal_key
from zom.paths import join, parse_path

if TYPE_CHECKING:
    from zom.problems import Level, Problem
    from zom.stores.interface import Store

__all__ = ["unfinished_changes"]


def unfinished_changes(store: Store, path: str, level: Level) -> tuple[Problem, ...]:
    """A problem for every unfinished change, above `path` and below it.

    >>> from zom.stores.memory import MemoryStore
    >>> unfinished_changes(MemoryStore({"zarr.json": b"{}"}), "", "strict")
    ()
    """
    tally = Tally(None, level)
    names = parse_path(path)
    above = [journal_key(join(names[:count])) for count in range(len(names))]
    found = [key for key, text in zip(above, store.get_many(above), strict=True) if text is not None]
    if store.capabilities.listable:
        prefix = "/".join((*names, ""))
        found.extend(key for key in store.list(prefix) if key.rpartition("/")[2] == JOURNAL)
    for key in found:
        note_unfinished(tally, key)
    return tally.problems()
