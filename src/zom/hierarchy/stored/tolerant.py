"""Sources that continue after an error: failed reads are recorded, everything else is still read."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from typing_extensions import override

from zom.errors import StoreError
from zom.hierarchy.stored.source import Source
from zom.stores.results import Listing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from zom.stores.interface import Store

__all__ = ["TolerantSource"]

T = TypeVar("T")

_MOST_IN_A_ROW = 8
"""The number of consecutive failures after which a far store counts as unreachable."""


class TolerantSource(Source):
    """A source in which single documents and listings may fail.

    >>> from zom.testing.faulty import FaultyStore
    >>> from zom.stores.memory import MemoryStore
    >>> with TolerantSource(FaultyStore(MemoryStore({"a": b"1"}), {0: "fail", 1: "fail"})) as source:
    ...     source.get("a"), str(source.failure("a"))
    (None, "memory://: cannot read 'a': input/output error; check the disk, then try again")
    """

    __slots__ = ("_failures", "_in_a_row")

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._failures: dict[str, StoreError] = {}
        self._in_a_row = 0

    @override
    def failure(self, key: str) -> StoreError | None:
        return self._failures.get(key)

    @override
    def fetch(
        self, keys: Iterable[str] = (), prefixes: Iterable[str] = (), perhaps: Iterable[str] = ()
    ) -> None:
        try:
            super().fetch(keys, prefixes, perhaps)
        except StoreError:
            return  # each key is then read on its own, which shows the one that fails

    @override
    def get(self, key: str) -> bytes | None:
        try:
            found = self._twice(super().get, key)
        except StoreError as error:
            self._note(key, error)
            return None
        self._in_a_row = 0
        return found

    @override
    def listing(self, prefix: str) -> Listing:
        try:
            found = self._twice(super().listing, prefix)
        except StoreError as error:
            self._note(prefix, error)
            return Listing([], [])
        self._in_a_row = 0
        return found

    @staticmethod
    def _twice(ask: Callable[[str], T], key: str) -> T:
        """Call `ask`, and once more if it fails: only a lasting failure leaves out a node."""
        try:
            return ask(key)
        except StoreError:
            return ask(key)

    def _note(self, key: str, error: StoreError) -> None:
        self._in_a_row += 1
        if self.is_far and self._in_a_row > _MOST_IN_A_ROW:
            raise error
        self._failures[key] = error
