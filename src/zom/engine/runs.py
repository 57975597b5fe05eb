"""Runs: adjacent small chunks, read one after the other, decoded together, and copied at once.

A numpy operation for each small chunk takes as long as decoding it. Codecs that decode many chunks at once
need half the time per chunk, without the interpreter lock.
"""

from __future__ import annotations

import threading
import time
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.engine.chunks import Chunks
    from zom.engine.index import Index
    from zom.engine.plan import ChunkForm
    from zom.engine.split import Walk
    from zom.extension.bound import Array

__all__ = ["Run", "Runs", "Turns", "runs_of"]

_SHORTEST = 8
"""Below this number, chunks are read faster one by one."""

_MOST_BYTES = 1 << 18
"""Bytes of decoded chunks in memory besides the result."""

_SLOW = 2e-4
"""Seconds to read a small chunk from which several threads are faster than one."""


class Run(NamedTuple):
    """Consecutive chunks."""

    first: int
    """Number of parts of the selection before it."""
    keys: list[str]


class Runs(NamedTuple):
    """The small chunks of one read, as runs."""

    parts: Walk
    form: ChunkForm
    axis: int
    """The dimension along which the chunks of a run are adjacent."""
    line: int
    """Number of adjacent chunks until another dimension advances."""
    most: int
    """Maximum number of chunks in a run."""

    @property
    def number(self) -> int:
        """Number of runs."""
        return self.parts.count // self.line * -(-self.line // self.most)

    def cut(self, keys: Iterator[str]) -> Iterator[Run]:
        """The runs of the chunks with these keys, in order."""
        for start in range(0, self.parts.count, self.line):
            for low in range(0, self.line, self.most):
                yield Run(start + low, list(islice(keys, min(self.most, self.line - low))))

    def put(self, run: Run, rows: Array, work: Array) -> None:
        """Put the decoded chunks of a run into their places."""
        axis, shape, count = self.axis, self.form.shape, len(rows)
        low, high = self.parts.part(run.first).outside, self.parts.part(run.first + count - 1).outside
        room = work[(*low[:axis], slice(low[axis].start, high[axis].stop), *low[axis + 1 :])]
        if room.shape == (*shape[:axis], shape[axis] * count, *shape[axis + 1 :]):
            split = room.reshape(*shape[:axis], count, *shape[axis:])
            np.moveaxis(split, axis, 0)[...] = rows
            return
        for row, (inside, outside) in zip(rows, self.parts.along_line(run.first, count), strict=True):
            work[outside] = row[inside]


def runs_of(chunks: Chunks, parts: Walk, index: Index) -> Runs | None:
    """The runs of a read, or None if its chunks must be read one by one."""
    uniform = chunks.plan.uniform
    if uniform is None or not index.basic:
        return None
    form = chunks.plan.form(uniform)
    axis, line = parts.line()
    if line < _SHORTEST or form.shard is not None or not form.rows.is_possible:
        return None
    return Runs(parts, form, axis, line, max(_SHORTEST, _MOST_BYTES // form.nbytes))


class Turns:
    """Lets one thread read at a time while others decode, as long as reading is fast.

    Threads that read small values pass the interpreter lock to each other at every system call. For a slow
    store, several waiting threads are better than one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_slow = False

    def read(self, chunks: Chunks, run: Run) -> list[bytes | None]:
        """The stored chunks of a run, with None for missing ones."""
        get = chunks.store.get
        if self._is_slow:
            return [get(key) for key in run.keys]
        with self._lock:
            start = time.perf_counter()
            values = [get(key) for key in run.keys]
            self._is_slow = time.perf_counter() - start > _SLOW * len(values)
            return values
