"""Changes of a store whose owner commits them: they are invisible until then, so there is no journal.

Documents are written before the chunks of their arrays, and chunks are deleted before their shape changes,
because a store that checks its keys accepts nothing else. After a failure documents are restored; deleted
chunks return when the owner discards uncommitted data.
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

UNDONE = "part of the change is in the store: discard uncommitted changes and try again"
"""The note on a change that could not be undone."""


def carry_in_transaction(  # noqa: PLR0913, PLR0917 - as `carry_through`
    store: Store,
    work: Journal,
    steps: Steps,
    check: Callable[[], object],
    values: Sequence[Value] = (),
    fill: Callable[[], object] | None = None,
) -> None:
    """Make the change described by a journal, without writing one; `check` raises if it may not begin."""
    # A lock of this process: only one user of the uncommitted data changes a node at a time.
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
    """Delete what is to be deleted, and move what is to be moved."""
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
    """Documents to delete before they are replaced, if that also deletes their chunks."""
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
    """Let the document of a resized array cover all chunks of its old and new shape."""
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
    """Restore the documents from before a failed change."""
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
    """Whether the new document must be deleted before the old one is restored."""
    return old is None or _kind(old) != _kind(new or b"null")
