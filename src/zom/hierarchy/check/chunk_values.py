"""Check the values of an array's chunks: indexes of shards, and whether every chunk can be decoded.

Threads, or the processes of an executor, decode, with no more memory than a read of the array needs.
"""

from __future__ import annotations

import itertools
import math
import threading
from typing import TYPE_CHECKING, NamedTuple

from zom.engine.workers import run
from zom.hierarchy.check.chunk_batch import (
    MOST_UNREADABLE,
    UNKNOWN,
    BatchCheck,
    SentCheck,
    check_elsewhere,
    form_of,
)
from zom.hierarchy.check.chunk_keys import KeysOfArray, tell_missing
from zom.hierarchy.check.chunk_rules import INDEX, NOT_CHECKED, UNREADABLE
from zom.hierarchy.stored.chunks import StoredChunk, chunks_in, sample_form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zom.engine.chunks import Chunks
    from zom.engine.plan import ChunkForm
    from zom.hierarchy.check.chunk_batch import CheckedBatch
    from zom.hierarchy.check.tally import Tally
    from zom.hierarchy.executor import Pool
    from zom.hierarchy.stored.array_chunks import ArrayPlace
    from zom.problems import Rule

__all__ = ["Progress", "ValuesOfArray"]

_NEAR = (32, 1 << 22)
_FAR = (256, 1 << 26)
"""The number of chunks, and their bytes, requested at once from a local store, and from a far one."""

_MOST_ASKED = 1_000_000
"""The number of chunks in the largest grid that is tried key by key, if a store can't list its keys."""

_FIX = "restore it from a copy, or write the chunk again"


class Progress:
    """Reports the progress of a check to a caller; thread-safe."""

    def __init__(self, tell: Callable[[int, int], object] | None, total: int) -> None:
        self._tell = tell
        self._lock = threading.Lock()
        self._done = 0
        self.total = total

    def add(self, count: int) -> None:
        """Add `count` finished chunks."""
        if self._tell is not None:
            with self._lock:
                self._done += count
                self._tell(self._done, max(self.total, self._done))


class ValuesOfArray:
    """The values of one array's chunks."""

    def __init__(self, place: ArrayPlace, chunks: Chunks, keys: KeysOfArray, tally: Tally) -> None:
        self._place = place
        self._chunks = chunks
        self._keys = keys
        self._tally = tally
        self._unreadable = 0

    def check(self, *, decodes: bool, progress: Progress, pool: Pool | None = None) -> None:
        """Check the indexes of shards and, if `decodes`, every chunk."""
        if not self._keys.is_bound:
            return
        form = sample_form(self._chunks.plan)
        if form is None or (form.shard is None and not decodes):
            progress.add(self._keys.count)
            return
        work = _Work(self._keys.count, form, decodes, progress, pool)
        self._start(chunks_in(self._chunks), work)

    def check_unlisted(
        self, *, decodes: bool, progress: Callable[[int, int], object] | None, pool: Pool | None = None
    ) -> None:
        """Like `check`, for a store that can't list its keys: try each chunk of the grid if they are few."""
        plan, node = self._chunks.plan, self._chunks.node
        total = math.prod(plan.grid)
        form = sample_form(plan) if self._keys.is_bound else None
        if form is None:
            return
        if total > _MOST_ASKED:
            wanted = f"at most {_MOST_ASKED} chunks, to look for each of them"
            self._tally.add(NOT_CHECKED, node, wanted, f"{total}")
            return
        places = itertools.product(*map(range, plan.grid))
        prefix = self._chunks.prefix
        tried = (StoredChunk(place, prefix + plan.keys.key(place), UNKNOWN) for place in places)
        self._start(tried, _Work(total, form, decodes, Progress(progress, total), pool))
        tell_missing(self._tally, node, total, self._keys.count)

    def _start(self, found: Iterator[StoredChunk], work: _Work) -> None:
        if work.pool is not None:
            sent = SentCheck(self._place, decodes=work.decodes)
            for result in work.pool.run(check_elsewhere, sent, self._batches(found, work)):
                self._tell(result, work)
            return

        def take(some: Iterator[StoredChunk]) -> None:
            mine = BatchCheck(self._chunks, decodes=work.decodes)
            for batch in self._batches(some, work):
                self._tell(mine.check(batch), work)

        run(found, work.chunks, take, threads=self._threads(work))

    def _threads(self, work: _Work) -> int | None:
        options, parallel = self._chunks.options, self._chunks.store.capabilities.parallel
        if options.threads is not None:
            return options.threads
        if parallel > 1:
            # One waits for the store while another decodes; the insides of shards are requested one by one.
            return min(parallel, 16) if work.form.shard is not None and work.decodes else 2
        return 1 if work.chunks < 3 or self._chunks.plan.data_type.itemsize is None else None

    def _batches(self, found: Iterator[StoredChunk], work: _Work) -> Iterator[list[StoredChunk]]:
        is_near = work.pool is None and self._chunks.store.capabilities.parallel == 1
        most, most_bytes = _NEAR if is_near else _FAR
        batch: list[StoredChunk] = []
        nbytes = 0
        for chunk in found:
            batch.append(chunk)
            nbytes += form_of(self._chunks, chunk).nbytes if chunk.size == UNKNOWN else chunk.size
            if len(batch) >= most or (work.decodes and nbytes >= most_bytes):
                yield batch
                batch, nbytes = [], 0
        if batch:
            yield batch

    # --- what was found -----------------------------------------------------------------------------------

    def _tell(self, result: CheckedBatch, work: _Work) -> None:
        for broken, key, fault in result.faults:
            self._add(broken, key, fault, _FIX)
        for key, error in result.unreadable:
            self._unreadable += 1
            if self._unreadable > MOST_UNREADABLE:
                raise error
            self._add(UNREADABLE, key, error.reason, error.step or "make it readable")
        for chunk, size in result.found:
            self._keys.count_one(chunk.key, size, form_of(self._chunks, chunk))
        work.progress.add(result.chunks)

    def _add(self, broken: Rule, key: str, found: str, fix: str) -> None:
        wanted = {INDEX: "a sound index", UNREADABLE: "a value that can be read"}.get(broken, "a sound chunk")
        self._tally.add(broken, self._chunks.node, f"{wanted} in {key!r}", found, fix, key=key)


class _Work(NamedTuple):
    """How the chunks of an array are checked."""

    chunks: int
    """The number of chunks."""
    form: ChunkForm
    """The form of the first chunk."""
    decodes: bool
    progress: Progress
    pool: Pool | None
