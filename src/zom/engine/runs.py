"""Runs: small chunks that lie side by side, read one after the other, decoded together, and put into their places at once.

A numpy operation for each small chunk takes as long as to decode it, and codecs that decode many at once need half of
the time for each, without the interpreter's lock.
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
"""Fewer chunks are read sooner one by one."""

_MOST_BYTES = 1 << 18
"""The bytes of chunks, decoded, that are in memory beside the result."""

_SLOW = 2e-4
"""The seconds that reading a small chunk takes where several threads do it better than one."""


class Run(NamedTuple):
    """Chunks that follow each other."""

    first: int
    """How many parts of the selection come before."""
    keys: list[str]


class Runs(NamedTuple):
    """The small chunks of one read, as runs."""

    parts: Walk
    form: ChunkForm
    axis: int
    """The dimension along which the chunks of a run follow each other."""
    line: int
    """How many chunks follow each other until another dimension goes on."""
    most: int
    """How many chunks make a run at most."""

    @property
    def number(self) -> int:
        """How many runs there are."""
        return self.parts.count // self.line * -(-self.line // self.most)

    def cut(self, keys: Iterator[str]) -> Iterator[Run]:
        """The runs of the chunks that have these keys, in order."""
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
    """The runs of a read; None where its chunks are read one by one."""
    uniform = chunks.plan.uniform
    if uniform is None or not index.basic:
        return None
    form = chunks.plan.form(uniform)
    axis, line = parts.line()
    if line < _SHORTEST or form.shard is not None or not form.rows.is_possible:
        return None
    return Runs(parts, form, axis, line, max(_SHORTEST, _MOST_BYTES // form.nbytes))


class Turns:
    """Lets one thread read at a time while others decode, as long as reading is quick.

    Threads that read small values hand the interpreter's lock to each other at every call of the system. Where a
    store takes its time, several wait for it better than one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_slow = False

    def read(self, chunks: Chunks, run: Run) -> list[bytes | None]:
        """The stored chunks of a run; None where one is missing."""
        get = chunks.store.get
        if self._is_slow:
            return [get(key) for key in run.keys]
        with self._lock:
            start = time.perf_counter()
            values = [get(key) for key in run.keys]
            self._is_slow = time.perf_counter() - start > _SLOW * len(values)
            return values
