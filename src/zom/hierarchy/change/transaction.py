"""Changes of a store whose owner commits them: nobody sees half of one, so no journal is written.

Documents come before the chunks of their arrays, and chunks go before the shape that has them does: a store
that checks its keys takes no others. What fails is taken back, as far as documents go; chunks that were
deleted come back when the owner discards what isn't committed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.errors import ZomError
from zom.hierarchy.change.clearing import clear_after, clear_all, clear_before
from zom.hierarchy.change.steps import COPIED, Steps, create, is_document, undo, write
from zom.hierarchy.change.values import put_values
from zom.hierarchy.journal.cleared_array import array_of
from zom.hierarchy.journal.journal import journal_key
from zom.hierarchy.stored.layout import ENTRY_KEY, V3_LAYOUT
from zom.hierarchy.stored.text import document_text
from zom.json.python_value import is_dict
from zom.json.read import read_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zom.hierarchy.change.steps import Value
    from zom.hierarchy.journal.journal import Clearing, Journal
    from zom.stores.interface import Store

__all__ = ["UNDONE", "carry_in_transaction"]

UNDONE = "a part of the change is in the store: discard what is not committed, and begin again"
"""What is said of a change that could not be taken back."""


def carry_in_transaction(  # noqa: PLR0913, PLR0917 - as `carry_through`
    store: Store,
    work: Journal,
    steps: Steps,
    check: Callable[[], object],
    values: Sequence[Value] = (),
    fill: Callable[[], object] | None = None,
) -> None:
    """Make the change that a journal describes, without one; `check` raises where it may not begin."""
    # A lock of this process: of those who share what isn't committed, one changes a node at a time.
    with store.lock(journal_key(work.path)):
        check()
        try:
            _clear(store, work)
            if work.creates:
                create(store, work.writes, steps)
            else:
                write(store, work.writes, steps)
            put_values(values, steps)
            if fill is not None:
                fill()
        except BaseException as error:
            _take_back(store, work, error)
            raise
    steps.end()


def _clear(store: Store, work: Journal) -> None:
    """Take away what goes, and move what moves."""
    for clearing in work.clears:
        if clearing.new is not None:
            _widen(store, clearing)
            clear_before(store, clearing)
            clear_after(store, clearing)
        elif not store.capabilities.zarr_keys:
            clear_all(store, clearing)
    for old, new in work.moves:
        _move(store, old, new)
    store.delete_many([*work.removes, *_replaced(store, work)])


def _replaced(store: Store, work: Journal) -> list[str]:
    """The documents to delete before others take their place, where that takes the chunks away, too."""
    if not store.capabilities.zarr_keys:
        return []
    cleared = {V3_LAYOUT.key(clearing.path, ENTRY_KEY) for clearing in work.clears if clearing.new is None}
    return [
        key
        for key, text in work.writes.items()
        if (old := work.old.get(key)) is not None and (key in cleared or _kind(old) != _kind(text))
    ]


def _kind(text: bytes) -> Any:
    value = read_json(text, [])
    return value.get("node_type") if is_dict(value) else None


def _widen(store: Store, clearing: Clearing) -> None:
    """Let the document of a resized array have all chunks of its old shape and of its new one."""
    old, new = array_of(clearing, clearing.old), array_of(clearing, cast("str", clearing.new))
    both = tuple(map(max, old.__dict__["shape"], new.__dict__["shape"]))
    if store.capabilities.zarr_keys and both != old.__dict__["shape"]:
        ((key, document),) = V3_LAYOUT.documents(clearing.path, new.replace(shape=both)).items()
        store.set(key, document_text(document))


def _move(store: Store, old: str, new: str) -> None:
    """Copy all keys below a prefix, documents first, and delete them."""
    keys = sorted(store.list(old), key=lambda key: (not is_document(key), key.count("/")))
    for start in range(0, len(keys), COPIED):
        batch = keys[start : start + COPIED]
        pairs = zip(batch, store.get_many(batch), strict=True)
        store.set_many([(new + key[len(old) :], value) for key, value in pairs if value is not None])
    store.delete_many([key for key in keys if is_document(key) or not store.capabilities.zarr_keys])


def _take_back(store: Store, work: Journal, error: BaseException) -> None:
    """Let documents be what they were before a change that failed."""
    try:
        if work.creates:
            undo(store, work)
            return
        there = dict(zip(work.old, store.get_many(work.old), strict=True))
        store.delete_many(
            [key for key, text in work.old.items() if there[key] is not None and _differs(text, there[key])]
        )
        store.set_many(
            [(key, text) for key, text in work.old.items() if text is not None and text != there[key]]
        )
    except ZomError as second:
        error.add_note(f"{UNDONE} ({second})")
        return
    if work.clears or work.moves or work.removes:
        error.add_note(UNDONE)


def _differs(old: bytes | None, new: bytes | None) -> bool:
    """Whether the old document takes the place of the new one only when that is gone."""
    return old is None or _kind(old) != _kind(new or b"null")
