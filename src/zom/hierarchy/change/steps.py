"""The steps of a change, in an order that is safe at every point; each can be repeated.

A change that only creates writes its documents in place, and last the one that makes them visible. Any other
change keeps them beside its journal: until all are written, no existing data has changed, and deleting the
waiting documents undoes it. Then the journal marks the change as made. The rest takes no more space: keys are
deleted, and each new document is moved into place.
"""

from __future__ import annotations

import errno
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from zom.errors import ConflictError, StoreError
from zom.hierarchy.change.clearing import clear_after, clear_all, clear_before
from zom.hierarchy.change.conflicts import CHANGED, conflict
from zom.hierarchy.change.values import put_values
from zom.hierarchy.journal.journal import MEANWHILE, NEW, OLD
from zom.paths import DOCUMENT_NAMES
from zom.stores.interface import Range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from zom.engine.chunks import Chunks
    from zom.hierarchy.journal.journal import Clearing, Journal, Way
    from zom.hierarchy.stored.layout import Layout
    from zom.stores.interface import Store

__all__ = [
    "COPIED",
    "Steps",
    "Value",
    "beaten",
    "commit",
    "create",
    "finish",
    "first_way",
    "in_order",
    "is_across",
    "is_document",
    "move",
    "prepare",
    "rank_of",
    "sweep",
    "undo",
    "write",
]

_BATCH = 1000
"""The number of documents passed to the store between calls of `progress`."""

_FEW = 16
"""From this many new documents on, they are written without checking that each is new."""

COPIED = 64
"""The number of values held in memory during a copy."""

_FULL = {errno.ENOSPC, errno.EDQUOT}


class Value(NamedTuple):
    """The values of a new array."""

    clearing: Clearing
    chunks: Chunks
    value: Any


class Steps:
    """Counts finished steps, and reports them."""

    def __init__(self, total: int, tell: Callable[[int, int], object] | None) -> None:
        self.total = total
        self.done = 0
        self._tell = tell

    def more(self, count: int = 1) -> None:
        """Add `count` finished steps."""
        self._reach(self.done + count)

    def end(self) -> None:
        """Report all steps as finished."""
        self._reach(self.total)

    def _reach(self, done: int) -> None:
        done = min(done, self.total)
        if done > self.done:
            self.done = done
            if self._tell is not None:
                self._tell(done, self.total)

    def batches(self, keys: list[str]) -> Iterator[list[str]]:
        """The keys in batches; in a single one if there is no progress callback."""
        size = _BATCH if self._tell is not None else len(keys)
        for start in range(0, len(keys), size or 1):
            yield keys[start : start + size]


def first_way(store: Store, work: Journal) -> Way:
    """How to end the change if it stops before `commit`."""
    prepares = any(clearing.new is not None for clearing in work.clears)
    waits = store.capabilities.move and bool(work.writes)
    new = work.data or work.swap is not None
    return "undo" if work.creates or prepares or waits or new else "finish"


def prepare(
    store: Store,
    work: Journal,
    steps: Steps,
    values: Sequence[Value] = (),
    fill: Callable[[], object] | None = None,
) -> None:
    """Write everything new, still invisible; `fill` writes chunks other than `values`."""
    for clearing in work.clears:
        clear_before(store, clearing)
    if work.creates:
        create(store, {key: text for key, text in work.writes.items() if key != work.last}, steps)
    elif store.capabilities.move:
        meanwhile = {key: text for key, text in work.first.items() if text is not None}
        write(store, {work.aside(key, MEANWHILE): text for key, text in meanwhile.items()}, steps)
        write(store, {work.aside(key): text for key, text in work.writes.items()}, steps)
    if work.swap is not None:
        store.set(work.waiting + OLD, b"")
    put_values(values, steps)
    if fill is not None:
        fill()


def create(store: Store, texts: Mapping[str, bytes], steps: Steps) -> None:
    """Write documents only where none exist: if several try to create a few, one succeeds."""
    if len(texts) >= _FEW:
        write(store, texts, steps)
        return
    made = zip(texts, store.create_many(texts), strict=True)
    # After a lost answer, the client may have sent the request again.
    others = [key for key, is_made in made if not is_made]
    for key, text in zip(others, store.get_many(others), strict=True):
        if text != texts[key]:
            raise beaten(store, key)
    steps.more(len(texts))


def write(store: Store, texts: Mapping[str, bytes], steps: Steps) -> None:
    """Write documents in batches."""
    for batch in steps.batches(list(texts)):
        store.set_many([(key, texts[key]) for key in batch])
        steps.more(len(batch))


def commit(store: Store, work: Journal, key: str) -> None:
    """Mark the change as made, with one key."""
    if work.creates:
        last = work.last
        if not store.create(last, work.writes[last]) and store.get(last) != work.writes[last]:
            raise beaten(store, last)
    elif work.way == "undo":
        store.set(key, replace(work, way="finish").text())


def finish(store: Store, work: Journal, steps: Steps) -> None:
    """Do the rest of a change that counts as made."""
    if work.creates:
        return
    _hide_stale(store, work, steps)
    if work.beside:
        _put(store, work, work.writes, NEW, steps)
    if work.swap is None or store.exists(work.waiting + OLD):
        _remove(store, work, steps)
    if work.swap is not None:
        store.delete(work.waiting + OLD)
        move(store, work.waiting, work.swap)
    for old, new in work.moves:
        move(store, old, new)
    _put(store, work, work.writes, NEW, steps)
    if work.swap is not None:
        sweep(store, work)
    for clearing in work.clears:
        _clear_after(store, clearing)
        steps.more()


def _hide_stale(store: Store, work: Journal, steps: Steps) -> None:
    """Delete consolidated metadata that is not true while the rest is put in place."""
    stale = list(work.first)
    there = dict(zip(stale, store.get_many(stale), strict=True))
    left = {key: text for key, text in work.first.items() if there[key] not in {text, work.writes.get(key)}}
    store.delete_many([key for key, text in left.items() if text is None])
    _put(store, work, {key: text for key, text in left.items() if text is not None}, MEANWHILE, steps)


def _remove(store: Store, work: Journal, steps: Steps) -> None:
    there = zip(work.removes, store.get_many(work.removes), strict=True)
    # Also those already deleted: their deleter may have been killed before it removed their directories,
    # which the draft takes for groups.
    store.delete_many([key for key, text in there if text is None or text != work.writes.get(key)])
    steps.more(len(work.removes))
    for clearing in work.clears:
        clear_all(store, clearing)


def _put(store: Store, work: Journal, texts: Mapping[str, bytes], prefix: str, steps: Steps) -> None:
    """Put documents in their places, in order; waiting ones are moved, which takes no space."""
    keys = list(texts)
    left = [key for key, text in zip(keys, store.get_many(keys), strict=True) if text != texts[key]]
    if not store.capabilities.move:
        write(store, {key: texts[key] for key in left}, steps)
        return
    waiting = store.get_many([(work.aside(key, prefix), Range(0, 0)) for key in left])
    for key, there in zip(left, waiting, strict=True):
        if there is None:
            store.set(key, texts[key])
        elif not _moved(store, work.aside(key, prefix), key):
            _put(store, work, texts, prefix, steps)
            return
        steps.more()


def _moved(store: Store, old: str, new: str) -> bool:
    """Move one key; return False if other keys in the same directory moved with it.

    A full disk has no space for a new directory: then the directory of the waiting key is moved instead.
    """
    try:
        store.move(old, new)
    except StoreError as error:
        if is_across(error):
            _copy(store, [(old, new)])
            return True
        if not (_is_full(error) and store.capabilities.rename):
            raise
        pair = _directories(store, old, new)
        if pair is None:
            raise
        store.rename(*pair)
        return False
    return True


def _directories(store: Store, old: str, new: str) -> tuple[str, str] | None:
    """The topmost pair of equally named directories above two keys that is empty at the new place."""
    names, others = old.split("/")[:-1], new.split("/")[:-1]
    found = None
    while names and others and names[-1] == others[-1]:
        pair = ("/".join((*names, "")), "/".join((*others, "")))
        if next(iter(store.list(pair[1])), None) is not None:
            break
        found = pair
        names.pop()
        others.pop()
    return found


def is_across(error: StoreError) -> bool:
    """Whether a directory can't be renamed in one step: a container image's, or one with a mounted disk."""
    return _code_of(error) == errno.EXDEV


def _is_full(error: StoreError) -> bool:
    return _code_of(error) in _FULL


def _code_of(error: StoreError) -> int | None:
    """The system's error number, or None if the error doesn't come from the system."""
    cause = error.__cause__
    return cause.errno if isinstance(cause, OSError) else None


def _clear_after(store: Store, clearing: Clearing) -> None:
    try:
        clear_after(store, clearing)
    except StoreError as error:
        # Leftovers are beyond the end, in chunks at the edge: growing deletes them.
        if not _is_full(error):
            raise


def undo(store: Store, work: Journal) -> None:
    """Undo what a change that doesn't count as made has written; writes of others stay.

    Keys are only deleted, so a full disk is no problem.
    """
    if not work.creates:
        if work.swap is not None:
            store.delete(work.waiting + OLD)
        sweep(store, work)
        for clearing in work.data:
            clear_all(store, clearing)
        return
    there = dict(zip(work.writes, store.get_many(work.writes), strict=True))
    ours = [
        key
        for key in reversed(work.writes)
        if work.old[key] is None and there[key] in {None, work.writes[key]}  # gone: as in `_remove`
    ]
    # The document that makes the others visible is deleted first, and alone.
    store.delete_many(ours[:1])
    store.delete_many(ours[1:])
    for clearing in work.data:
        clear_all(store, clearing)


def sweep(store: Store, work: Journal) -> None:
    """Delete the documents that wait beside the journal."""
    if store.capabilities.move and not work.creates:
        meanwhile = [work.aside(key, MEANWHILE) for key, text in work.first.items() if text is not None]
        store.delete_many([*meanwhile, *(work.aside(key) for key in work.writes)])


def move(store: Store, old: str, new: str) -> None:
    """Move all keys below a prefix, or copy them if the store can't: each key always exists somewhere."""
    if next(iter(store.list(old)), None) is None:
        return
    if store.capabilities.rename and not old.startswith(new) and next(iter(store.list(new)), None) is None:
        try:
            store.rename(old, new)
        except StoreError as error:
            if not is_across(error):
                raise
        else:
            return
    # Documents after chunks, and documents of groups after those of their members.
    keys = sorted(store.list(old), key=lambda key: (is_document(key), -key.count("/")))
    if store.capabilities.move:
        for key in keys:
            if not _moved(store, key, new + key[len(old) :]):
                move(store, old, new)
                return
        return
    for start in range(0, len(keys), COPIED):
        _copy(store, [(key, new + key[len(old) :]) for key in keys[start : start + COPIED]])


def _copy(store: Store, pairs: list[tuple[str, str]]) -> None:
    """Copy the value of the first key of each pair to the second, then delete the first."""
    keys = [old for old, _ in pairs]
    values = zip(pairs, store.get_many(keys), strict=True)
    store.set_many([(new, value) for (_, new), value in values if value is not None])
    store.delete_many(keys)


def in_order(keys: Iterable[str], layout: Layout) -> list[str]:
    """Document keys in the order of writing: deeper ones first, a node's own after its attributes.

    >>> from zom.hierarchy.stored.layout import V2_LAYOUT
    >>> in_order([".zgroup", "a/.zarray", "a/.zattrs", ".zmetadata"], V2_LAYOUT)
    ['a/.zattrs', 'a/.zarray', '.zgroup', '.zmetadata']
    """
    return sorted(keys, key=lambda key: rank_of(key, layout))


def rank_of(key: str, layout: Layout) -> tuple[int, int]:
    """The sort key: deeper documents first; per node attributes, own document, consolidated metadata."""
    name = key.rpartition("/")[2]
    return -key.count("/"), {".zattrs": 0, layout.consolidated: 2}.get(name, 1)


def is_document(key: str) -> bool:
    """Whether the key is that of a v2, v3 or draft document."""
    name = key.rpartition("/")[2]
    return name in DOCUMENT_NAMES or "meta" in key.split("/")


def beaten(store: Store, key: str) -> ConflictError:
    """The error that a document has changed since the plan."""
    found = "another: another process wrote or removed it meanwhile"
    node = f"/{key.rpartition('/')[0]}"
    problem = conflict(
        CHANGED, node, f"{key!r} as it was when the plan was made", found, "plan again", key=key
    )
    return ConflictError([problem], store.url)
