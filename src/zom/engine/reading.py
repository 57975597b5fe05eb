"""Reading: each chunk in a selection is read once, and put in its place.

Missing chunks have the fill value. A chunk is decoded directly into its place if that is contiguous,
and otherwise into memory that is reused for the next chunk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from zom.engine.gathering import LONGEST_INNER, READ_AT_ONCE, READ_WHOLE, read_shards
from zom.engine.runs import Runs, Turns, runs_of
from zom.engine.sharding import read_part
from zom.engine.source import ValueSource
from zom.engine.span import SPAN, read_span
from zom.engine.split import walk
from zom.engine.workers import OVERHEAD, OVERHEAD_OF_BATCHES, OVERHEAD_OF_BYTES, OVERHEAD_OF_SHARDS, Cost, run
from zom.errors import CodecError, StoreError
from zom.extension.raw import byte_view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zom.engine.chunks import Chunks, Keyed
    from zom.engine.index import Index
    from zom.engine.plan import ChunkForm
    from zom.engine.runs import Run, Runs
    from zom.engine.source import Source
    from zom.engine.split import ChunkPart, Walk
    from zom.extension.bound import Array, Data

__all__ = ["read_parts"]

_BATCH_BYTES = 1 << 24
"""Bytes of chunks, in memory, requested from a store at once."""

_SHARED = 1 << 23
"""Decoded bytes from which a shard that is wanted whole is read in parts, too, if several threads share
these, ..."""

_LARGE_SHARD = 1 << 25
"""... and from which it always is, to keep only pieces of the encoded data in memory."""

_FAR_THREADS = 4
"""Number of threads that wait for a remote store and decode; of 1, 2, 4 and 8, four were the fastest."""


def read_parts(chunks: Chunks, index: Index, work: Array) -> None:
    """Read what `index` selects into `work`, which has exactly that shape."""
    parts = walk(index, chunks.plan.axes)
    chunks.counts[0] += parts.count
    threads = 1 if parts.count == 1 else _threads(chunks)
    if chunks.store.capabilities.parallel > 1:
        batches = _batches(chunks, parts, _Destinations(chunks, index, work, parts.count), threads or 1)
        run(
            batches,
            parts.count,
            lambda some: _read_batches(chunks, some, index, work, parts.count),
            threads=threads,
        )
        return
    if parts.count == 1:
        _read_each(chunks, chunks.keyed(parts), index, work, parts.count)
        return
    runs = runs_of(chunks, parts, index)
    if runs is not None:
        _read_runs(chunks, runs, index, work, threads)
        return
    # Units only affect the choice of threads: a single element needn't wait for their count.
    overhead = _overhead(chunks, index, parts.count) if threads is None else OVERHEAD
    run(
        chunks.keyed(parts),
        parts.count,
        lambda some: _read_each(chunks, some, index, work, parts.count),
        threads=threads,
        cost=Cost(overhead, lambda: chunks.kind("read")),
    )


def _overhead(chunks: Chunks, index: Index, count: int) -> float:
    """The seconds for which each of `count` parts holds the interpreter lock."""
    units = chunks.units(index, count)
    if units == 1 and chunks.are_bytes:
        return OVERHEAD_OF_BYTES
    if units <= 1 or not chunks.decodes_batches:
        return OVERHEAD * units
    return OVERHEAD_OF_SHARDS + OVERHEAD_OF_BATCHES * units


def _threads(chunks: Chunks) -> int | None:
    options, parallel = chunks.options, chunks.store.capabilities.parallel
    if chunks.store.capabilities.lock_holds_all:
        return 1  # threads would wait for the lock that this thread holds
    if options.threads is not None:
        return options.threads
    if chunks.plan.data_type.itemsize is None:
        return 1  # their codecs hold the interpreter lock: threads would only wait for each other
    if parallel > 1:
        # One thread waits for the store while another decodes.
        return min(parallel, _FAR_THREADS)
    return None


def _read_each(chunks: Chunks, parts: Iterator[Keyed], index: Index, work: Array, count: int) -> None:
    """Read from fast stores: decode each chunk while its bytes are in the processor's cache."""
    places = _Destinations(chunks, index, work, count)
    only = places.only
    key = ""
    try:
        if only is not None:
            take = only.taker()
            for part, key in parts:
                take(part, key)
            return
        for part, key in parts:
            places.of(part.chunk).taker()(part, key)
    except (CodecError, MemoryError) as error:
        raise chunks.refused("decode", key, error) from error
    except StoreError as error:
        chunks.locate(error)
        raise


def _read_runs(chunks: Chunks, runs: Runs, index: Index, work: Array, threads: int | None) -> None:
    """Read small chunks from fast stores: adjacent ones are decoded together."""
    turns = Turns()
    keys = runs.parts.keys(chunks.plan.keys, chunks.prefix)
    chain = runs.form.chain
    # If decoding is fast compared with reading a file, the system calls determine the cost.
    overhead = OVERHEAD_OF_BATCHES if chain.batches and chain.is_slow else OVERHEAD
    run(
        runs.cut(keys),
        runs.number,
        lambda some: _read_each_run(
            chunks, runs, some, turns, _Destinations(chunks, index, work, runs.number)
        ),
        threads=threads,
        cost=Cost(overhead * min(runs.most, runs.line), lambda: chunks.kind("read")),
    )


def _read_each_run(
    chunks: Chunks, runs: Runs, some: Iterator[Run], turns: Turns, places: _Destinations
) -> None:
    place = places.of(runs.form.shape)
    key = ""
    try:
        for each in some:
            values = turns.read(chunks, each)
            for value, key in zip(values, each.keys, strict=True):
                if value is None:
                    chunks.note_missing(key)
            try:
                rows = runs.form.rows.decode(*_present(values))
            except CodecError:
                # Decode one by one to report the faulty chunk.
                for number, (value, key) in enumerate(zip(values, each.keys, strict=True), each.first):
                    if value is not None:
                        place.put(runs.parts.part(number), key, value)
                raise
            runs.put(each, rows, places.work)
    except (CodecError, MemoryError) as error:
        raise chunks.refused("decode", key, error) from error
    except StoreError as error:
        chunks.locate(error)
        raise


def _present(values: list[bytes | None]) -> tuple[list[bytes], Array | None]:
    """The existing values, and a mask of them if some are missing."""
    found = [value for value in values if value is not None]
    if len(found) == len(values):
        return found, None
    return found, np.array([value is not None for value in values])


def _read_batches(
    chunks: Chunks, batches: Iterator[list[Keyed]], index: Index, work: Array, count: int
) -> None:
    """Read from slow stores, which answer many requests at once."""
    places = _Destinations(chunks, index, work, count)
    key = ""
    try:
        for batch in batches:
            whole: list[Keyed] = []
            some: list[Keyed] = []
            for part, key in batch:
                place = places.of(part.chunk)
                if not place.is_gathered(part):
                    whole.append((part, key))
                elif place.nested:
                    place.take_some(part, key)
                else:
                    some.append((part, key))
            if some:
                form = places.of(some[0][0].chunk).form
                read_shards(chunks, some, places, threads=chunks.threads_inside(form, count))
            values = chunks.store.get_many([key for _, key in whole])
            for (part, key), data in zip(whole, values, strict=True):
                places.of(part.chunk).put(part, key, data)
    except (CodecError, MemoryError) as error:
        raise chunks.refused("decode", key, error) from error
    except StoreError as error:
        chunks.locate(error)
        raise


def _batches(chunks: Chunks, parts: Walk, places: _Destinations, threads: int) -> Iterator[list[Keyed]]:
    """Batches of chunks that each thread requests from the store at once."""
    parallel = chunks.store.capabilities.parallel
    # Threads share and decode whole chunks; parts of shards need less decoding.
    most = min(parallel, -(-parts.count // threads))
    batch: list[Keyed] = []
    nbytes = 0
    for part, key in chunks.keyed(parts):
        place = places.of(part.chunk)
        batch.append((part, key))
        gathered = place.is_gathered(part)
        nbytes += place.index_nbytes if gathered else place.form.nbytes
        # Large shards that are wanted whole, or nested, are requested one by one: threads share them.
        alone = gathered if part.whole else place.nested
        if alone or len(batch) >= (parallel if gathered else most) or nbytes >= _BATCH_BYTES:
            yield batch
            batch, nbytes = [], 0
    if batch:
        yield batch


class _Destinations:
    """The destinations of the `count` chunks of one operation; each thread has its own."""

    def __init__(self, chunks: Chunks, index: Index, work: Array, count: int) -> None:
        self._chunks = chunks
        self._index = index
        self._count = count
        self.work = work
        self._by_shape: dict[tuple[int, ...], _Destination] = {}
        uniform = chunks.plan.uniform
        self.only = None if uniform is None else self._place(uniform)

    def _place(self, shape: tuple[int, ...]) -> _Destination:
        return _Destination(
            self._chunks, self._chunks.plan.form(shape), self.work, self._count, basic=self._index.basic
        )

    def of(self, chunk: tuple[int, ...]) -> _Destination:
        """The destination of chunks of that shape."""
        if self.only is not None:
            return self.only
        shape = self._chunks.plan.chunk_shape(chunk)
        found = self._by_shape.get(shape)
        if found is None:
            # Keep reusable memory for one shape at a time.
            self._by_shape = {shape: self._place(shape)}
            found = self._by_shape[shape]
        return found


class _Destination:
    """The destination of chunks of one shape."""

    def __init__(self, chunks: Chunks, form: ChunkForm, work: Array, count: int, *, basic: bool) -> None:
        self.form = form
        self.shard = form.shard is not None
        self._inside = chunks.threads_inside(form, count)
        self._least = _LARGE_SHARD if self._inside == 1 else _SHARED
        inner = form.inner
        self.nested = inner is not None and inner.shard is not None and inner.nbytes > LONGEST_INNER
        self.index_nbytes = 0 if form.shard is None else form.shard.index_range()[1]
        self._chunks = chunks
        self._store = chunks.store
        self._get = chunks.store.get
        self._work = work
        self._basic = basic
        self._plain = form.chain.plain
        self._reuses = form.chain.plain and not form.chain.allocates
        self._decode_into = form.chain.decode_into
        self._scratch: Array | None = None
        self._spans = form.chain.direct and basic and form.nbytes > SPAN

    def taker(self) -> Callable[[ChunkPart, str], None]:
        """The function that reads a chunk of this form; stored here, it would keep the result alive."""
        if self.shard:
            return self._take_shard
        return self._take_direct if self.form.chain.direct else self._take_decoded

    def _memory(self) -> Array:
        if self._scratch is None:
            self._scratch = self.form.scratch()
        return self._scratch

    def _take_decoded(self, part: ChunkPart, key: str) -> None:
        self.put(part, key, self._get(key))

    def _take_shard(self, part: ChunkPart, key: str) -> None:
        if part.whole and self.form.nbytes < self._least:
            self.put(part, key, self._get(key))
        else:
            self.take_some(part, key)

    def put(self, part: ChunkPart, key: str, data: Data | None) -> None:
        """Put the part of the chunk that is stored as `data` into its place."""
        _, inside, outside, whole = part
        if data is None:
            self.put_fill(key, outside)
            return
        if self._inside > 1 and self.form.nbytes >= _SHARED:
            self._put_part(part, ValueSource(data))
            return
        full = False
        if whole and self._basic:
            room = self._work[outside]
            full = room.shape == self.form.shape
            if full and (room.flags.c_contiguous or not self._plain):
                self._decode_into(data, room)
                return
        if self._reuses:
            chunk = self._memory()
            self._decode_into(data, chunk)
        else:
            chunk = self.form.chain.decode(data)
        self._work[outside] = chunk if full else chunk[inside.as_numpy()]

    def put_fill(self, key: str, outside: Any) -> None:
        """Put fill values in the place of a missing chunk, or raise if that is an error."""
        self._chunks.note_missing(key)
        self._work[outside] = self._chunks.plan.fill

    def _take_direct(self, part: ChunkPart, key: str) -> None:
        """Read a chunk that is stored as it is in memory; directly into its place if that is contiguous."""
        _, inside, outside, whole = part
        target: Array | None = None
        full = straight = False
        if whole and self._basic:
            target = self._work[outside]
            full = target.shape == self.form.shape
            straight = full and target.flags.c_contiguous
        if self._spans and not full:
            self.take_some(part, key)
            return
        if target is None or not straight:
            target = self._memory()
        length = self._store.get_into(key, byte_view(target))
        if length is None:
            self.put_fill(key, outside)
        elif length != self.form.nbytes:
            raise CodecError(f"expected {self.form.nbytes} bytes, found {length}", "bytes")
        elif not straight:
            self._work[outside] = target if full else target[inside.as_numpy()]

    def is_gathered(self, part: ChunkPart) -> bool:
        """Whether to request inner chunks of a shard from a slow store, instead of the whole shard."""
        if part.whole:
            return self.shard and self.form.nbytes > READ_AT_ONCE and not self.nested
        return self.shard and self.form.nbytes > READ_WHOLE

    def room(self, part: ChunkPart) -> Array:
        """The destination of the part: a view, or a copy for `keep` if the index has arrays."""
        room: Array = self._work[part.outside]
        return room

    def keep(self, part: ChunkPart, room: Array) -> None:
        """Put the data read into `room` in its place."""
        if not self._basic:
            self._work[part.outside] = room

    def take_some(self, part: ChunkPart, key: str) -> None:
        """Read only the wanted bytes of a chunk: of a shard, or of one that is stored as it is."""
        with self._store.snapshot(key) as source:
            if source is None:
                self.put_fill(key, part.outside)
                return
            if part.whole and not source.consistent:
                self.put(part, key, source.get())
                return
            self._put_part(part, source)

    def _put_part(self, part: ChunkPart, source: Source) -> None:
        room = self.room(part)
        if self.shard:
            read_part(self.form, source, part.inside, room, threads=self._inside)
        else:
            read_span(self.form, source, part.inside, room)
        self.keep(part, room)
