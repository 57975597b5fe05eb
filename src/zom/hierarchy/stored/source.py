"""Sources: a store that is asked for many documents and listings at once, and for each only once.

One `fetch` names everything that the next level of a tree needs. That is one round trip on a store that works
on several requests at once. A local store reads each value when it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from zom.errors import StoreError
from zom.stores.key_tree import KeyTree

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from concurrent.futures import Future
    from types import TracebackType

    from zom.stores.interface import Listing, Store
    from zom.threads import Threads

__all__ = ["Source"]

_MOST_THREADS = 64


class Source:
    """The documents and listings of a store, while one hierarchy is read.

    >>> from zom.stores.memory import MemoryStore
    >>> with Source(MemoryStore({"zarr.json": b"{}"})) as source:
    ...     source.fetch(["zarr.json", ".zarray"])
    ...     source.get("zarr.json")
    b'{}'
    """

    __slots__ = (
        "_listings",
        "_pool",
        "_scanned",
        "_texts",
        "_tree",
        "_under_way",
        "at_once",
        "directories",
        "rounds",
        "store",
    )

    def __init__(self, store: Store) -> None:
        self.store = store
        self.at_once: int = getattr(store.capabilities, "parallel", 1)
        """The number of requests that the store works on at once."""
        self.rounds = 0
        """The number of times that the store was waited for, if it works on several requests at once."""
        self.directories: set[str] = set()
        """Keys of documents that turned out to be directories."""
        self._texts: dict[str, bytes | None] = {}
        self._listings: dict[str, Listing] = {}
        self._under_way: dict[str, Future[Listing]] = {}
        self._scanned: str | None = None
        """The prefix whose keys are all in `_tree`, if the store lists by a scan."""
        self._tree = KeyTree()
        self._pool: Threads | None = None

    @property
    def is_far(self) -> bool:
        """Whether to request much at once, even if it may not be needed."""
        return self.at_once > 1

    def fetch(
        self, keys: Iterable[str] = (), prefixes: Iterable[str] = (), perhaps: Iterable[str] = ()
    ) -> None:
        """Request documents and listings in one round trip, without waiting for the listings `perhaps`."""
        if not self.is_far:
            return
        wanted = [key for key in dict.fromkeys(keys) if key not in self._texts]
        if self.store.lists_by_scan:
            prefixes = perhaps = ()
        certain = [prefix for prefix in dict.fromkeys(prefixes) if prefix not in self._listings]
        new = [prefix for prefix in certain if prefix not in self._under_way]
        if wanted or new:
            self.rounds += 1
        # Nothing else to wait for, so no threads.
        if not wanted and len(certain) == len(new) == 1:
            self._listings[new[0]] = self.store.list_dir(new[0])
            return
        guesses = [each for each in dict.fromkeys(perhaps) if each not in self._listings] if wanted else []
        self._start([*new, *guesses])
        if wanted:
            self._texts.update(zip(wanted, self.store.get_many(wanted), strict=True))
        for prefix in certain:
            self._finish(prefix)

    def _start(self, prefixes: Sequence[str]) -> None:
        """List `prefixes` in threads."""
        new = [prefix for prefix in prefixes if prefix not in self._under_way]
        if not new:
            return
        if self._pool is None:
            from zom.threads import Threads  # noqa: PLC0415 - loaded only if needed

            most = min(self.at_once, _MOST_THREADS)
            self._pool = Threads(most, thread_name_prefix="zom-list")
        for prefix in new:
            self._under_way[prefix] = self._pool.submit(self.store.list_dir, prefix)

    def _finish(self, prefix: str) -> None:
        self._listings[prefix] = self._under_way.pop(prefix).result()

    def get(self, key: str) -> bytes | None:
        """The document under `key`, or None if missing. Fetched documents are returned once."""
        if self._texts and key in self._texts:
            return self._texts.pop(key)
        if self.is_far:
            self.rounds += 1
        try:
            return self.store.get(key)
        except StoreError as error:
            if not isinstance(error.__cause__, IsADirectoryError):
                raise
            self.directories.add(key)
            return None

    def failure(self, key: str) -> StoreError | None:
        """Why the document under `key`, or the listing of a prefix, is not available; None if it is."""
        del key
        return None

    def peek(self, key: str) -> bytes | None:
        """The document under `key` if it has already been fetched."""
        return self._texts.get(key)

    def forget(self, keys: Iterable[str]) -> None:
        """Drop fetched documents that are not needed."""
        for key in keys:
            self._texts.pop(key, None)

    def listing(self, prefix: str) -> Listing:
        """The keys and prefixes directly below `prefix`."""
        if prefix in self._under_way:
            self._finish(prefix)
        found = self._listings.pop(prefix, None)
        if found is None:
            found = self._listed(prefix)
        return found

    def _listed(self, prefix: str) -> Listing:
        scans = self.store.lists_by_scan
        if scans and self._scanned is not None and prefix.startswith(self._scanned):
            return self._in_tree(prefix)
        if self.is_far:
            self.rounds += 1
        if not scans:
            return self.store.list_dir(prefix)
        self._scanned, self._tree = prefix, KeyTree(self.store.list(prefix))
        return self._in_tree(prefix)

    def _in_tree(self, prefix: str) -> Listing:
        found = self._tree.list_dir(prefix)
        found.keys.sort()
        found.prefixes.sort()
        return found

    def peek_listing(self, prefix: str) -> Listing:
        """Like `listing`, for a prefix that will be listed again."""
        found = self._listings[prefix] = self.listing(prefix)
        return found

    def close(self) -> None:
        """Cancel the listings that are not needed."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
        self._under_way.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
