"""Chunks: the loop that moves them between a store and an array in memory.

Reading takes each chunk that a selection touches, once; what nobody wrote is the fill value. A chunk is
decoded straight into its place where that place is contiguous, else into memory that is used again for
the next one. Writing a part of a chunk reads the rest of it, under the lock of its key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from zom.engine.locks import update
from zom.engine.sharding import merged, read_part
from zom.engine.span import read_span
from zom.engine.split import walk
from zom.engine.workers import run
from zom.errors import ChunkError, CodecError, MissingChunk
from zom.model.bound_chain import byte_view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zom.engine.index import Index
    from zom.engine.plan import ArrayPlan, ChunkForm
    from zom.engine.sharding import Assign
    from zom.engine.split import Part, Walk
    from zom.model.bound import Array, Data
    from zom.stores.interface import Store

__all__ = ["Chunks", "Missing", "Options", "read", "write"]

Keyed: TypeAlias = "tuple[Part, str]"
"""A part of a selection, and the key of its chunk."""

Missing: TypeAlias = Literal["fill", "error"]
"""What a chunk that is not there is."""

_BATCH_BYTES = 1 << 26
"""The bytes of chunks, in memory, that are asked of a store, or given to it, at once."""

_SPAN = 1 << 15
"""The bytes of a chunk from which on a part of it is read alone, where it is stored as it is."""


@dataclass(frozen=True, slots=True)
class Options:
    """How chunks are read and written.

    >>> Options().missing
    'fill'
    """

    missing: Missing = "fill"
    """What a chunk that is not there is: fill values, or an error."""
    write_empty_chunks: bool = False
    """Whether chunks that hold nothing but the fill value, bit for bit, are written."""
    threads: int | None = None
    """How many threads work on one operation, at most; None lets the chunks' work decide."""


@dataclass(frozen=True, slots=True, eq=False)
class Chunks:
    """The chunks of one array in one store."""

    plan: ArrayPlan
    store: Store
    prefix: str
    """What the keys of all chunks begin with: empty, or a prefix that ends in a slash."""
    node: str
    """The path of the array, for messages."""
    options: Options

    def keyed(self, parts: Walk) -> Iterator[Keyed]:
        """Each part with the key of its chunk."""
        return zip(parts, parts.keys(self.plan.keys, self.prefix), strict=True)

    def failure(self, verb: str, key: str, reason: str, codec: str = "") -> ChunkError:
        """The error of a chunk."""
        return ChunkError(self.store.url, self.node, key, verb, reason, codec=codec)


# --- reading -----------------------------------------------------------------------------------------


def read(chunks: Chunks, index: Index, work: Array) -> None:
    """Put what `index` selects into `work`, which has just that shape."""
    parts = walk(index, chunks.plan.axes)
    reader = _read_batches if chunks.store.capabilities.parallel > 1 else _read_each
    run(
        chunks.keyed(parts),
        parts.count,
        lambda some: reader(chunks, some, index, work),
        threads=_threads(chunks, parts.count),
    )


def _threads(chunks: Chunks, count: int) -> int | None:
    options, parallel = chunks.options, chunks.store.capabilities.parallel
    if options.threads is not None:
        return options.threads
    if chunks.plan.data_type.itemsize is None:
        return 1  # their codecs hold the interpreter: threads would only wait for each other
    if parallel > 1:
        # One waits for the store while another decodes; shards are asked for one by one.
        return min(parallel, 16) if chunks.plan.sharded else 2
    return 1 if count < 3 else None


def _read_each(chunks: Chunks, parts: Iterator[Keyed], index: Index, work: Array) -> None:
    """For stores that answer at once: a chunk is decoded while its bytes are in the processor's cache."""
    place = _Place(chunks, index, work)
    form_of, store = place.form_of, chunks.store
    key = ""
    try:
        for part, key in parts:
            form = form_of(part.chunk)
            if not part.whole and (form.shard is not None or place.spans(form)):
                place.read_some(part, form, key)
            elif form.chain.direct:
                place.read_direct(part, form, key)
            else:
                place.put(part, form, key, store.get(key))
    except CodecError as error:
        raise chunks.failure("decode", key, error.reason, error.codec) from error


def _read_batches(chunks: Chunks, parts: Iterator[Keyed], index: Index, work: Array) -> None:
    """For stores that take their time, and answer many requests at once."""
    place = _Place(chunks, index, work)
    form_of = place.form_of
    key = ""
    try:
        for batch in _batches(parts, form_of, chunks.store.capabilities.parallel):
            whole: list[tuple[Part, ChunkForm, str]] = []
            for part, key in batch:
                form = form_of(part.chunk)
                if not part.whole and form.shard is not None:
                    place.read_some(part, form, key)
                else:
                    whole.append((part, form, key))
            values = chunks.store.get_many([item[2] for item in whole])
            for (part, form, key), data in zip(whole, values, strict=True):
                place.put(part, form, key, data)
    except CodecError as error:
        raise chunks.failure("decode", key, error.reason, error.codec) from error


def _batches(
    parts: Iterator[Keyed], form_of: Callable[[tuple[int, ...]], ChunkForm], parallel: int
) -> Iterator[list[Keyed]]:
    batch: list[Keyed] = []
    nbytes = 0
    for part, key in parts:
        form = form_of(part.chunk)
        batch.append((part, key))
        nbytes += form.nbytes
        # Parts of shards are asked for one shard at a time: several threads share them.
        alone = form.shard is not None and not part.whole
        if alone or len(batch) >= parallel or nbytes >= _BATCH_BYTES:
            yield batch
            batch, nbytes = [], 0
    if batch:
        yield batch


class _Place:
    """Where the chunks of one operation come to lie; each thread has its own."""

    def __init__(self, chunks: Chunks, index: Index, work: Array) -> None:
        self._chunks = chunks
        self._plan = chunks.plan
        self._basic = index.basic
        self._work = work
        self._scratch: Array | None = None
        uniform = chunks.plan.uniform
        self._form = None if uniform is None else chunks.plan.form(uniform)

    def form_of(self, chunk: tuple[int, ...]) -> ChunkForm:
        """The form of a chunk."""
        return self._form or self._plan.form(self._plan.chunk_shape(chunk))

    def spans(self, form: ChunkForm) -> bool:
        """Whether a part of such a chunk is better read alone."""
        return form.chain.direct and self._basic and form.nbytes > _SPAN

    def _scratch_for(self, form: ChunkForm) -> Array:
        if self._scratch is None or self._scratch.shape != form.shape:
            self._scratch = form.chain.scratch()
        return self._scratch

    def put(self, part: Part, form: ChunkForm, key: str, data: Data | None) -> None:
        """Put the part of the chunk that is stored as `data` into its place."""
        chain, outside = form.chain, part.outside
        if data is None:
            self._put_fill(key, outside)
            return
        if part.whole and self._basic:
            room = self._work[outside]
            if room.shape == form.shape and (room.flags.c_contiguous or not chain.plain):
                chain.decode_into(data, room)
                return
        if chain.plain:
            scratch = self._scratch_for(form)
            chain.decode_into(data, scratch)
        else:
            scratch = chain.decode(data)
        self._work[outside] = scratch[part.inside.as_numpy()]

    def _put_fill(self, key: str, outside: Any) -> None:
        if self._chunks.options.missing == "error":
            chunks = self._chunks
            raise MissingChunk(chunks.store.url, chunks.node, key, "read", "it is not there")
        self._work[outside] = self._plan.fill

    def read_direct(self, part: Part, form: ChunkForm, key: str) -> None:
        """Read a chunk that is stored as it lies in memory, into its place if that is in one piece."""
        room = self._work[part.outside] if part.whole and self._basic else None
        straight = room is not None and room.shape == form.shape and room.flags.c_contiguous
        target = room if room is not None and straight else self._scratch_for(form)
        length = self._chunks.store.get_into(key, byte_view(target))
        if length is None:
            self._put_fill(key, part.outside)
        elif length != form.nbytes:
            raise CodecError(f"expected {form.nbytes} bytes, found {length}", "bytes")
        elif not straight:
            self._work[part.outside] = target[part.inside.as_numpy()]

    def read_some(self, part: Part, form: ChunkForm, key: str) -> None:
        """Read only those bytes of a chunk that are wanted: of a shard, or of one stored as it is."""
        with self._chunks.store.snapshot(key) as source:
            if source is None:
                self._put_fill(key, part.outside)
                return
            room = self._work[part.outside]
            if form.shard is not None:
                read_part(form, source, part.inside, room)
            else:
                read_span(form, source, part.inside, room)
            if not self._basic:
                # Taken with arrays, it is a copy.
                self._work[part.outside] = room


# --- writing -----------------------------------------------------------------------------------------


def write(chunks: Chunks, index: Index, values: Array, *, assign: Assign | None = None) -> None:
    """Put `values`, which has the shape that `index` selects, into the chunks.

    `assign` puts them into a decoded chunk where they are not whole elements of it.
    """
    parts = walk(index, chunks.plan.axes)
    writer = _Writer(chunks, values, assign)
    threads = _write_threads(chunks, parts.count)
    run(chunks.keyed(parts), parts.count, writer.take, threads=threads)


def _write_threads(chunks: Chunks, count: int) -> int | None:
    options, parallel = chunks.options, chunks.store.capabilities.parallel
    if options.threads is not None:
        return options.threads
    if parallel > 1:
        return min(parallel, 16)
    return 1 if count < 3 or chunks.plan.data_type.itemsize is None else None


def _put_values(chunk: Array, where: Any, values: Array) -> None:
    chunk[where] = values


class _Writer:
    """What encodes the chunks of one operation, and gives them to the store."""

    def __init__(self, chunks: Chunks, values: Array, assign: Assign | None) -> None:
        self._chunks = chunks
        self._values = values
        self._assign = assign or _put_values
        self._replaces = assign is None
        self._keep_empty = chunks.options.write_empty_chunks

    def take(self, parts: Iterator[Keyed]) -> None:
        """Write all of `parts`."""
        chunks, plan = self._chunks, self._chunks.plan
        uniform = plan.uniform
        only = None if uniform is None else plan.form(uniform)
        key = ""
        try:
            for part, key in parts:
                form = only or plan.form(plan.chunk_shape(part.chunk))
                if part.whole and self._replaces:
                    self._put(key, self._encoded(form, part))
                else:
                    self._update(key, form, part)
        except CodecError as error:
            raise chunks.failure("encode", key, error.reason, error.codec) from error

    def _put(self, key: str, data: Data | None) -> None:
        if data is None:
            self._chunks.store.delete(key)
        else:
            self._chunks.store.set(key, data)

    def _encoded(self, form: ChunkForm, part: Part) -> Data | None:
        """The chunk that `values` fill; None where it is all fill and not to be written."""
        values = self._values[part.outside]
        if values.shape == form.shape:
            array = np.asarray(values, form.chain.block.dtype)
        else:
            array = form.new()
            array[part.inside.as_numpy()] = values
        if not self._keep_empty and form.is_fill(array):
            return None
        return form.chain.encode(array)

    def _update(self, key: str, form: ChunkForm, part: Part) -> None:
        values = self._values[part.outside]
        chunks = self._chunks

        def change(old: bytes | None) -> Data | None:
            try:
                return merged(
                    form,
                    old,
                    part.inside,
                    values,
                    self._assign,
                    keep_empty=self._keep_empty,
                    replaces=self._replaces,
                    whole=part.whole,
                )
            except CodecError as error:
                raise chunks.failure("change", key, error.reason, error.codec) from error

        update(chunks.store, key, change, empty=lambda: form.chain.encode(form.new()))
