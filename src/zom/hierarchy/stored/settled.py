"""Reading during an unfinished change: the store as it was before the change, or as it will be after it.

A change counts as made once its journal says so. From then on its documents are read from the journal, and
what it deletes is hidden. Before that, what it has written is hidden. Nothing is written here; once the
journal is deleted, this store shows its inner store unchanged.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from typing_extensions import override

from zom.hierarchy.copy.mark import mark_key
from zom.hierarchy.journal.cleared_array import array_of
from zom.hierarchy.journal.journal import JOURNAL, OLD, is_aside
from zom.hierarchy.journal.text import parse_journal
from zom.hierarchy.stored.inventory import above_all, key_form
from zom.hierarchy.stored.pending import is_committed, refuse_outer
from zom.paths import parse_path
from zom.stores.interface import ByteRange, Snapshot, Store, Versioned, cut
from zom.stores.wrap import WrapperStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from zom.extension.keys import KeyForm
    from zom.hierarchy.journal.journal import Journal
    from zom.stores.interface import Listing

__all__ = ["Settled", "marks_in", "settled", "still_settled"]


def settled(store: Store, path: str, *, below: bool = False) -> Store:
    """A view of the store without half-done changes at `path`, above, or `below`; `store` if there are none.

    StoreError if a journal there is not one of zom's.

    >>> from zom.stores.memory import MemoryStore
    >>> store = MemoryStore()
    >>> settled(store, "/a") is store
    True
    """
    refuse_outer(store, path)
    seen = store
    for key, text in marks_in(store, path, JOURNAL, below=below).items():
        seen = Settled(seen, parse_journal(text, store.url, key), key, text)
    return seen


def marks_in(store: Store, path: str, name: str, *, below: bool) -> dict[str, bytes]:
    """The texts by key of journals or copy marks at `path`, above, and if `below`, below; deepest first."""
    keys = {mark_key(at, name) for at in (path, *above_all(path))}
    if below and store.capabilities.listable:
        prefix = "".join(f"{each}/" for each in parse_path(path))
        keys.update(key for key in store.list(prefix) if key.rpartition("/")[2] == name and not is_aside(key))
    ordered = sorted(keys, key=lambda key: (-key.count("/"), key))
    texts = zip(ordered, store.get_many(ordered), strict=True)
    return {key: text for key, text in texts if text is not None}


def still_settled(store: Store) -> bool:
    """Whether the changes that `store` hides, if any, have not advanced since it was made.

    >>> from zom.stores.memory import MemoryStore
    >>> still_settled(MemoryStore())
    True
    """
    while isinstance(store, Settled):
        if not store.is_current():
            return False
        store = store.inner
    return True


class Settled(WrapperStore):
    """A store as it is before or after a change, while that change is unfinished.

    >>> from zom.hierarchy.journal.journal import Journal
    >>> from zom.stores.memory import MemoryStore
    >>> work = Journal("/", "finish", removes=("a/zarr.json",), old={"a/zarr.json": b"{}"})
    >>> store = MemoryStore({"a/zarr.json": b"{}", ".zom.journal": work.text()})
    >>> settled(store, "/").get("a/zarr.json") is None
    True
    """

    def __init__(self, inner: Store, work: Journal, key: str, text: bytes) -> None:
        super().__init__(inner)
        self.capabilities = replace(inner.capabilities, writable=False)
        self._work = work
        self._journal = (key, text)
        self._committed = is_committed(inner, work)
        self._old = work.waiting + OLD
        self._moves = [*work.moves, *([] if work.swap is None else [(work.waiting, work.swap)])]
        self._cleared = list(_forms(work)) if self._committed else []
        self._removed = {key for key in work.removes if key not in work.writes}

    @property
    def journal(self) -> str:
        """The key of the journal."""
        return self._journal[0]

    def is_current(self) -> bool:
        """Whether the journal is unchanged."""
        key, text = self._journal
        return self.inner.get(key) == text

    # --- the place of a value ----------------------------------------------------------------------

    def _found(self, key: str) -> str | bytes | None:
        """The key that holds the value of `key`, or the value itself, or None if missing."""
        work = self._work
        if key == self._journal[0] or is_aside(key):
            return None
        if not self._committed:
            text = work.writes.get(key) if work.creates else None
            return key if text is None or self.inner.get(key) != text else None
        if key in work.writes:
            return work.writes[key]
        if work.swap is not None and key.startswith(work.swap):
            return self._swapped(key, work.swap)
        if key in self._removed or self._is_cleared(key):
            return None
        return self._moved(key)

    def _swapped(self, key: str, base: str) -> str | None:
        waiting = self._work.waiting + key[len(base) :]
        if self.inner.exists(waiting):
            return waiting
        goes = key in self._removed or self._is_cleared(key)
        return None if goes and self.inner.exists(self._old) else key

    def _moved(self, key: str) -> str | None:
        for old, new in self._moves:
            if key.startswith(new) and not self.inner.exists(key):
                return old + key[len(new) :]
            if key.startswith(old):
                return None
        return key

    def _is_cleared(self, key: str) -> bool:
        """Whether `key` is a deleted chunk, or collides with one (a file against a directory)."""
        return any(
            key.startswith(prefix) and self._goes(key, len(prefix), form, rank)
            for prefix, form, rank in self._cleared
        )

    def _goes(self, key: str, start: int, form: KeyForm, rank: int) -> bool:
        if form.coords(key[start:], rank) is not None:
            return True
        if self.capabilities.nested_keys:
            return False
        # Chunks of an array of another rank: if "c/0" was a chunk, nothing can be under "c/0/1" yet, and vice
        # versa.
        ends = (place for place, letter in enumerate(key) if letter == "/" and place > start)
        if any(form.coords(key[start:end], rank) is not None for end in ends):
            return True
        above = any(form.coords(key[start:], less) is not None for less in range(rank))
        return above and self._is_directory(key)

    def _is_directory(self, key: str) -> bool:
        """Whether there are keys below `key`, or an empty directory."""
        if next(iter(self.inner.list(f"{key}/")), None) is not None:
            return True
        parent = key[: key.rfind("/") + 1]
        return f"{key}/" in self.inner.list_dir(parent).prefixes

    # --- reading -----------------------------------------------------------------------------------

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        found = self._found(key) if self.is_current() else key
        if found is None or isinstance(found, bytes):
            return None if found is None else cut(found, byte_range)
        return self.inner.get(found, byte_range)

    @override
    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        return Store._read_many(self, requests)  # noqa: SLF001 - each key may have its value elsewhere

    @override
    def _read_into(self, key: str, target: memoryview[Any]) -> int | None:
        return Store._read_into(self, key, target)  # noqa: SLF001 - as above

    @override
    def _snapshot(self, key: str) -> Snapshot | None:
        return Store._snapshot(self, key)  # noqa: SLF001 - as above

    @override
    def _read_version(self, key: str) -> Versioned | None:
        return Store._read_version(self, key)  # noqa: SLF001 - as above

    # --- listing -----------------------------------------------------------------------------------

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        if not self.is_current():
            yield from self.inner.list(prefix)
            return
        told: set[str] = set()
        for key in self._candidates(prefix):
            if key not in told and self._is_there(key):
                told.add(key)
                yield key

    def _candidates(self, prefix: str) -> Iterator[str]:
        yield from self.inner.list(prefix)
        if not self._committed:
            return
        yield from (key for key in self._work.writes if key.startswith(prefix))
        for old, new in self._moves:
            if prefix.startswith(new):
                start, shown = old + prefix[len(new) :], prefix
            elif new.startswith(prefix):
                start, shown = old, new
            else:
                continue
            yield from (shown + key[len(start) :] for key in self.inner.list(start))

    def _is_there(self, key: str) -> bool:
        found = self._found(key)
        return isinstance(found, bytes) or (found is not None and (found == key or self.inner.exists(found)))

    @override
    def _sizes(self, prefix: str) -> Iterable[tuple[str, int]]:
        return Store._sizes(self, prefix)  # noqa: SLF001 - as above

    @override
    def _list_dir(self, prefix: str) -> Listing:
        return Store._list_dir(self, prefix)  # noqa: SLF001 - as above


def _forms(work: Journal) -> Iterator[tuple[str, KeyForm, int]]:
    """The deleted chunks' keys: their prefix, their form, and the rank."""
    for clearing in work.clears:
        if clearing.new is not None or clearing.kept is not None:
            continue
        array: Any = array_of(clearing, clearing.old)
        form = key_form(array, clearing.scalar)
        if form is not None:
            yield clearing.prefix, form, len(array.shape)
