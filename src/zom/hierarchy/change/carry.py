"""Carrying a change through: from writing its journal to deleting it, or back.

A failed change is undone before the error is raised, or finished if it already counts as made. An
interruption leaves the journal, which says which of the two.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from zom.errors import ZomError
from zom.hierarchy.change.steps import (
    Steps,
    beaten,
    commit,
    finish,
    first_way,
    prepare,
    sweep,
    undo,
)
from zom.hierarchy.change.transaction import carry_in_transaction
from zom.hierarchy.journal.journal import journal_key
from zom.hierarchy.stored.inventory import above_all
from zom.hierarchy.stored.pending import busy, refuse_outer
from zom.stores.together import together

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from zom.hierarchy.change.steps import Value
    from zom.hierarchy.journal.journal import Journal
    from zom.stores.interface import Store

__all__ = ["carry_through", "check_journals", "check_texts"]


def carry_through(  # noqa: PLR0913, PLR0917 - a change, and how to report it
    store: Store,
    work: Journal,
    check: Callable[[], object],
    tell: Callable[[int, int], object] | None = None,
    values: Sequence[Value] = (),
    fill: Callable[[Journal], object] | None = None,
) -> None:
    """Make the change described by a journal; `check` raises if it may not begin.

    After a failure it is undone or finished; if neither is possible, a note says what to do.
    """
    steps = Steps(_count(work) + len(values), tell)
    if store.capabilities.transactional:
        carry_in_transaction(store, work, steps, check, values, None if fill is None else lambda: fill(work))
        return
    work = replace(work, way=first_way(store, work), token=os.urandom(8).hex())
    key = journal_key(work.path)
    at: _Stage = "check"
    # Waiting for the lock waits for a living process; a journal without lock is an interrupted change.
    with store.lock(key):
        try:
            _begin(store, key, work, check)
            at = "prepare"
            prepare(store, work, steps, values, None if fill is None else lambda: fill(work))
            commit(store, work, key)
            finish(store, work, steps)
            steps.end()
            at = "end"
            store.delete(key)
        except BaseException as error:
            if not _settle(store, key, work, error, at):
                raise


def _begin(store: Store, key: str, work: Journal, check: Callable[[], object]) -> None:
    """Write the journal, and check that nobody else makes a change and nothing has changed."""
    text = work.text()

    def own() -> None:
        if store.get(key) != text:
            raise busy(store, key)

    made = store.claim(key, text)
    if made is None:
        together(store, own, check)
        return
    if not made:
        own()  # the client may have asked again after a lost answer: the token tells our journal
    check()


def _count(work: Journal) -> int:
    return len(work.writes) + len(work.removes) + len(work.clears) + len(work.first)


_Stage = Literal["check", "prepare", "end"]
"""The progress of a change: nothing written yet; documents and chunks written; nothing left to do."""


def _settle(store: Store, key: str, work: Journal, error: BaseException, at: _Stage) -> bool:
    """After a failure, undo or finish the change; return whether it is made and `error` can be dropped.

    Values belong to the caller, and may fail in any way: they are read lazily, or can't be cast.
    """
    note = f"the change is incomplete: zom.repair finishes or undoes it ({store.url}: {key!r})"
    finished = replace(work, way="finish").text()
    try:
        text = store.get(key)
        if text is None and at == "end":
            return isinstance(error, ZomError)
        if text is None or text not in {work.text(), finished}:
            return False
        made = at == "end" or (at == "prepare" and text == finished and not work.creates)
        if made:
            finish(store, work, Steps(0, None))
        elif at == "prepare":
            undo(store, work)
        if at == "prepare":
            sweep(store, work)
        store.delete(key)
    except Exception:  # noqa: BLE001 - the first error is the one to report
        error.add_note(note)
        return False
    except BaseException as second:
        second.add_note(note)
        raise
    if made and not isinstance(error, ZomError):
        error.add_note("the change was made nevertheless")
    return made and isinstance(error, ZomError)


def check_journals(store: Store, path: str, *, own: bool) -> None:
    """Raise ConflictError if a change above is running, or at `path` itself if `own`."""
    keys = [journal_key(at) for at in ((path, *above_all(path)) if own else above_all(path))]
    for key, text in zip(keys, store.get_many(keys), strict=True):
        if text is not None:
            raise busy(store, key)
    refuse_outer(store, path, "change")


def check_texts(store: Store, texts: Mapping[str, bytes | None]) -> None:
    """Raise ConflictError if a document has changed."""
    for key, text in zip(texts, store.get_many(texts), strict=True):
        if text != texts[key]:
            raise beaten(store, key)
