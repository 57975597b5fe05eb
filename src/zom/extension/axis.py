"""Axes: one dimension of an array, divided into chunks.

A regular axis is two numbers. An axis with varying edges keeps one entry for each run of equal edges,
never one for each chunk: `[1, 1000000000]` is one run.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from zom.count import count_of
from zom.dataclass import dataclass
from zom.errors import SelectionError
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Axis", "Indices", "Run"]

Indices: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
"""A numpy array of indices."""


class Run(NamedTuple):
    """Consecutive chunks of one size."""

    chunk: int
    """The number of the first chunk."""
    start: int
    """The index of the first element of the first chunk."""
    size: int


@dataclass(frozen=True, slots=True)
class Axis:
    """One dimension of a grid bound to an array: `Axis(length, size)` if all chunks have one size.

    Chunks entirely past the array's end don't count. The last chunk may extend past it.

    >>> axis = Axis(10, 4)
    >>> axis.count, axis.size(2), axis.start(2), axis.find(np.array([0, 9]))
    (3, 4, 8, array([0, 2]))
    >>> Axis.with_edges(10, [(4, 1), (3, 2)]).find(np.array([3, 4, 9]))
    array([0, 1, 2])
    """

    length: int
    """The length of the array along the dimension."""
    regular: int | None
    """The size of all chunks; None if sizes differ or there are no chunks."""
    runs: tuple[Run, ...] = ()
    """The chunks as runs of equal size, if `regular` is None."""
    count: int = field(init=False)
    """The number of chunks that hold elements of the array."""

    def __post_init__(self) -> None:
        count = 0
        if self.regular is not None:
            count = -(-self.length // self.regular)
        elif self.runs:
            last = self.runs[-1]
            count = last.chunk - (last.start - self.length) // last.size
        object.__setattr__(self, "count", count)

    @classmethod
    def with_edges(cls, length: int, edges: Iterable[tuple[int, int]]) -> Axis:
        """Return an axis with varying chunk sizes; `edges` are pairs of a size and its repeat count.

        Raise ValueError if the chunks together are shorter than the array.

        >>> Axis.with_edges(10**12, [(1, 10**9), (1000, 10**9)]).count
        1999000000
        """
        runs: list[Run] = []
        count = start = 0
        for size, repeats in edges:
            needed = min(repeats, -(-(length - start) // size))
            if needed <= 0:
                continue
            if not runs or runs[-1].size != size:
                runs.append(Run(count, start, size))
            count += needed
            start += needed * size
        if start < length:
            message = f"expected chunks that are together at least {length} long, found {start}"
            raise ValueError(message)
        return cls(length, runs[0].size) if len(runs) == 1 else cls(length, None, tuple(runs))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The distinct chunk sizes.

        >>> Axis.with_edges(10, [(4, 1), (2, 1), (4, 1)]).sizes
        (4, 2)
        """
        if self.regular is not None:
            return (self.regular,)
        return tuple(dict.fromkeys(run.size for run in self.runs))

    def size(self, chunk: int) -> int:
        """Return the stored length of the chunk, including elements past the array's end."""
        self._check(chunk)
        return self._run(chunk).size if self.regular is None else self.regular

    def start(self, chunk: int) -> int:
        """Return the index of the chunk's first element."""
        self._check(chunk)
        if self.regular is not None:
            return chunk * self.regular
        run = self._run(chunk)
        return run.start + (chunk - run.chunk) * run.size

    def _check(self, chunk: int) -> None:
        if not 0 <= chunk < self.count:
            message = f"chunk {chunk} is out of bounds: the dimension has {count_of(self.count, 'chunk')}"
            raise SelectionError(message)

    def _run(self, chunk: int) -> Run:
        return self.runs[bisect_right(self.runs, chunk, key=_chunk_of) - 1]

    def at(self, index: int) -> tuple[int, int, int]:
        """Return the number, start and size of the chunk that holds `index`, which must be in the array.

        >>> Axis(10, 4).at(9)
        (2, 8, 4)
        """
        if self.regular is not None:
            chunk = index // self.regular
            return chunk, chunk * self.regular, self.regular
        run = self.runs[bisect_right(self.runs, index, key=_start_of) - 1]
        steps = (index - run.start) // run.size
        return run.chunk + steps, run.start + steps * run.size, run.size

    def find(self, indices: Indices) -> Indices:
        """Return the chunk that holds each index; all indices must be in the array."""
        if self.regular is not None:
            return indices // self.regular
        chunks, starts, sizes = self._columns()
        run = np.searchsorted(starts, indices, side="right") - 1
        found: Indices = chunks[run] + (indices - starts[run]) // sizes[run]
        return found

    def starts(self, chunks: Indices) -> Indices:
        """Return the index of the first element of each chunk; all `chunks` must exist.

        >>> Axis.with_edges(10, [(4, 1), (3, 2)]).starts(np.array([2, 0]))
        array([7, 0])
        """
        if self.regular is not None:
            return chunks * self.regular
        numbers, starts, sizes = self._columns()
        run = np.searchsorted(numbers, chunks, side="right") - 1
        found: Indices = starts[run] + (chunks - numbers[run]) * sizes[run]
        return found

    def _columns(self) -> Indices:
        # An axis without chunks has no elements to find, but numpy can't index an empty table.
        return np.array(self.runs or [Run(0, 0, 1)], np.int64).T


def _chunk_of(run: Run) -> int:
    return run.chunk


def _start_of(run: Run) -> int:
    return run.start
