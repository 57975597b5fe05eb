"""Counts of a running copy, updated by several threads."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Progress", "Tally"]


class Progress:
    """Reports finished chunks and their total to a caller, one thread at a time.

    >>> seen = []
    >>> progress = Progress(2, lambda done, total: seen.append((done, total)))
    >>> progress.add(1); progress.reach(2); seen
    [(1, 2), (2, 2)]
    """

    def __init__(self, total: int, tell: Callable[[int, int], object] | None) -> None:
        self.done = 0
        self.total = total
        self._tell = tell
        self._guard = threading.Lock()

    def add(self, count: int) -> None:
        """Add `count` finished chunks."""
        with self._guard:
            self._set(self.done + count)

    def reach(self, done: int) -> None:
        """Report all chunks up to `done` as finished, including missing ones."""
        with self._guard:
            self._set(done)

    def _set(self, done: int) -> None:
        done = min(done, self.total)
        if done > self.done:
            self.done = done
            if self._tell is not None:
                self._tell(done, self.total)


class Tally:
    """Counts of the chunks of one array.

    >>> tally = Tally()
    >>> tally.add(raw=2, nbytes=10); tally.raw, tally.nbytes
    (2, 10)
    """

    def __init__(self) -> None:
        self.raw = 0
        """The number of chunks of the source copied as they are."""
        self.encoded = 0
        """The number of chunks of the target encoded again."""
        self.skipped = 0
        """The number of chunks already written by an earlier copy."""
        self.nbytes = 0
        """The number of bytes written."""
        self._guard = threading.Lock()

    def add(self, *, raw: int = 0, encoded: int = 0, skipped: int = 0, nbytes: int = 0) -> None:
        """Add to the counts."""
        with self._guard:
            self.raw += raw
            self.encoded += encoded
            self.skipped += skipped
            self.nbytes += nbytes

    def counts(self) -> dict[str, int]:
        """The counts by name, as keyword arguments of `add`."""
        names = ("raw", "encoded", "skipped", "nbytes")
        return {name: getattr(self, name) for name in names}
