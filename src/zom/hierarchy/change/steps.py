"""The steps of a change, in an order that is safe at every point; each of them can be done again.

A change that only creates writes documents where they belong, the one that makes them seen last. Any
other lets them wait beside its journal: until all are there, nothing that was there has changed, and
removing what waits undoes it. Then the journal says that the change is made. What is left takes no
more room: keys are removed, and each new document takes its place by a move.
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
"""How many documents are handed to the store before `progress` is told."""

_FEW = 16
"""Up to how many new documents are created one by one; of larger trees, others may write some meanwhile."""

COPIED = 64
"""How many values are held in memory while they are copied."""

_FULL = {errno.ENOSPC, errno.EDQUOT}


class Value(NamedTuple):
    """What a new array is filled with."""

    clearing: Clearing
    chunks: Chunks
    value: Any


class Steps:
    """Counts what is done, and tells."""

    def __init__(self, total: int, tell: Callable[[int, int], object] | None) -> None:
        self.total = total
        self.done = 0
        self._tell = tell

    def more(self, count: int = 1) -> None:
        """So many more are done."""
        self._reach(self.done + count)

    def end(self) -> None:
        """All are done."""
        self._reach(self.total)

    def _reach(self, done: int) -> None:
        done = min(done, self.total)
        if done > self.done:
            self.done = done
            if self._tell is not None:
                self._tell(done, self.total)

    def batches(self, keys: list[str]) -> Iterator[list[str]]:
        """The keys in batches; all at once where nobody wants to be told."""
        size = _BATCH if self._tell is not None else len(keys)
        for start in range(0, len(keys), size or 1):
            yield keys[start : start + size]


def first_way(store: Store, work: Journal) -> Way:
    """What becomes of the change if it ends before `commit`."""
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
    """Write all that is new, so that nobody sees it yet; `fill` writes other chunks than `values`."""
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
    """Write documents where nothing is: of several creators of a few, one succeeds."""
    if len(texts) >= _FEW:
        write(store, texts, steps)
        return
    made = zip(texts, store.create_many(texts), strict=True)
    # Of an answer that was lost, the client may have asked again.
    others = [key for key, is_made in made if not is_made]
    for key, text in zip(others, store.get_many(others), strict=True):
        if text != texts[key]:
            raise beaten(store, key)
    steps.more(len(texts))


def write(store: Store, texts: Mapping[str, bytes], steps: Steps) -> None:
    """Write documents, in batches."""
    for batch in steps.batches(list(texts)):
        store.set_many([(key, texts[key]) for key in batch])
        steps.more(len(batch))


def commit(store: Store, work: Journal, key: str) -> None:
    """Let the change count as made, by one key."""
    if work.creates:
        last = work.last
        if not store.create(last, work.writes[last]) and store.get(last) != work.writes[last]:
            raise beaten(store, last)
    elif work.way == "undo":
        store.set(key, replace(work, way="finish").text())


def finish(store: Store, work: Journal, steps: Steps) -> None:
    """Do what is left of a change that counts as made."""
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
    """Take away consolidated metadata that isn't true while the rest is put in place."""
    stale = list(work.first)
    there = dict(zip(stale, store.get_many(stale), strict=True))
    left = {key: text for key, text in work.first.items() if there[key] not in {text, work.writes.get(key)}}
    store.delete_many([key for key, text in left.items() if text is None])
    _put(store, work, {key: text for key, text in left.items() if text is not None}, MEANWHILE, steps)


def _remove(store: Store, work: Journal, steps: Steps) -> None:
    there = zip(work.removes, store.get_many(work.removes), strict=True)
    # Those that are gone, too: whoever deleted them may have been killed before their directories went, which
    # the draft takes for groups.
    store.delete_many([key for key, text in there if text is None or text != work.writes.get(key)])
    steps.more(len(work.removes))
    for clearing in work.clears:
        clear_all(store, clearing)


def _put(store: Store, work: Journal, texts: Mapping[str, bytes], prefix: str, steps: Steps) -> None:
    """Put documents in their places, in their order; what waits is moved, and takes no room for that."""
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
    """Move one key; False where others below the same directory were moved with it.

    On a full disk there is no room for a new directory: then the one in which the key waits takes its place.
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
    """The topmost of the directories above two keys of one name that has nothing in it at the new place."""
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
    """Whether a directory can't be renamed in one step, as one of a container's image, or one with another disk in it."""
    return _code_of(error) == errno.EXDEV


def _is_full(error: StoreError) -> bool:
    return _code_of(error) in _FULL


def _code_of(error: StoreError) -> int | None:
    """What the system answered; None where the error doesn't come from it."""
    cause = error.__cause__
    return cause.errno if isinstance(cause, OSError) else None


def _clear_after(store: Store, clearing: Clearing) -> None:
    try:
        clear_after(store, clearing)
    except StoreError as error:
        # What is left lies beyond the end, in chunks at the edge: growing looks after it.
        if not _is_full(error):
            raise


def undo(store: Store, work: Journal) -> None:
    """Take back what a change that doesn't count as made has written: what others wrote meanwhile stays.

    Keys are removed, and none is written: a full disk is no hindrance.
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
    # The document that makes the others seen goes first, and alone.
    store.delete_many(ours[:1])
    store.delete_many(ours[1:])
    for clearing in work.data:
        clear_all(store, clearing)


def sweep(store: Store, work: Journal) -> None:
    """Remove the documents that wait beside the journal."""
    if store.capabilities.move and not work.creates:
        meanwhile = [work.aside(key, MEANWHILE) for key, text in work.first.items() if text is not None]
        store.delete_many([*meanwhile, *(work.aside(key) for key in work.writes)])


def move(store: Store, old: str, new: str) -> None:
    """Move all keys below a prefix; where the store can't, by copies, each key being in one place at least."""
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
    # Documents after chunks, those of groups after those of their members.
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
    """Put what is under the first key of each pair under the second, and remove it then."""
    keys = [old for old, _ in pairs]
    values = zip(pairs, store.get_many(keys), strict=True)
    store.set_many([(new, value) for (_, new), value in values if value is not None])
    store.delete_many(keys)


def in_order(keys: Iterable[str], layout: Layout) -> list[str]:
    """The keys of documents in the order in which they are written: deeper ones first, a node's own last.

    >>> from zom.hierarchy.stored.layout import V2_LAYOUT
    >>> in_order([".zgroup", "a/.zarray", "a/.zattrs", ".zmetadata"], V2_LAYOUT)
    ['a/.zattrs', 'a/.zarray', '.zgroup', '.zmetadata']
    """
    return sorted(keys, key=lambda key: rank_of(key, layout))


def rank_of(key: str, layout: Layout) -> tuple[int, int]:
    """Deeper documents come first; of one node, attributes before its own, consolidated metadata last."""
    name = key.rpartition("/")[2]
    return -key.count("/"), {".zattrs": 0, layout.consolidated: 2}.get(name, 1)


def is_document(key: str) -> bool:
    """Whether the key is that of a document of v2 or v3, or of the draft."""
    name = key.rpartition("/")[2]
    return name in DOCUMENT_NAMES or "meta" in key.split("/")


def beaten(store: Store, key: str) -> ConflictError:
    """The error that a document isn't as it was when the change was planned."""
    found = "another: somebody else wrote or removed it meanwhile"
    node = f"/{key.rpartition('/')[0]}"
    problem = conflict(CHANGED, node, f"{key!r} as it was planned for", found, "plan again", key=key)
    return ConflictError([problem], store.url)
