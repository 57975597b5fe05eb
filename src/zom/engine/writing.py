"""Writing: whole chunks are encoded anew, parts are merged into existing ones.

Writing a part of a chunk reads the rest of it, under the lock of its key. By default, chunks that hold only
the fill value, bit for bit, are deleted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from zom.engine.locks import update
from zom.engine.padding import encode_padded
from zom.engine.sharding import merged
from zom.engine.split import walk
from zom.engine.workers import OVERHEAD, Cost, run
from zom.errors import CodecError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.engine.chunks import Chunks, Keyed
    from zom.engine.index import Index
    from zom.engine.padding import Held
    from zom.engine.plan import ChunkForm
    from zom.engine.sharding import Assign
    from zom.engine.split import ChunkPart
    from zom.extension.bound import Array, Data
    from zom.stores.interface import Store

__all__ = ["write_parts"]

_MOST_THREADS = 16

_SMALL = 1 << 16
"""Chunks up to this many bytes, in memory, are written in batches: a call costs more than they do."""

_BATCH = 64
"""Maximum number of chunks in a batch, ..."""

_BATCH_BYTES = 1 << 20
"""... and of their encoded bytes."""


def write_parts(chunks: Chunks, index: Index, values: Array, *, assign: Assign | None = None) -> None:
    """Write `values`, of the shape that `index` selects, into the chunks.

    `assign` puts them into a decoded chunk if they are not whole elements of it.
    """
    parts = walk(index, chunks.plan.axes)
    writer = _Writer(chunks, values, assign, parts.count)
    if parts.count == 1:
        writer.take(chunks.keyed(parts))
        return
    threads = _threads(chunks)
    units = chunks.units(index, parts.count) if threads is None else 1
    cost = Cost(OVERHEAD * units, lambda: chunks.kind("write"))
    with chunks.store.writing():
        run(chunks.keyed(parts), parts.count, writer.take_some, threads=threads, cost=cost)


def _threads(chunks: Chunks) -> int | None:
    options, parallel = chunks.options, chunks.store.capabilities.parallel
    if chunks.store.capabilities.lock_holds_all:
        return 1  # threads would wait for the lock that this thread holds
    if options.threads is not None:
        return options.threads
    if parallel > 1:
        return min(parallel, _MOST_THREADS)
    if chunks.plan.data_type.itemsize is None:
        return 1  # their codecs hold the interpreter lock: threads would only wait for each other
    return None


def _put_values(chunk: Array, where: Any, values: Array) -> None:
    chunk[where] = values


def _is_damaged(form: ChunkForm, old: Data | None) -> bool:
    """Whether the existing chunk, and not the new values, is the reason that a chunk can't be changed."""
    if old is None:
        return False
    try:
        form.chain.decode(old)
    except CodecError:
        return True
    return False


class _Batch:
    """Encoded chunks that are collected to be written together."""

    __slots__ = ("_items", "_nbytes", "_store")

    def __init__(self, store: Store) -> None:
        self._store = store
        self._items: list[tuple[str, Data]] = []
        self._nbytes = 0

    def put(self, key: str, data: Data) -> None:
        """Write it now, or with the next ones."""
        self._items.append((key, data))
        self._nbytes += len(data)
        if len(self._items) >= _BATCH or self._nbytes >= _BATCH_BYTES:
            self.close()

    def close(self) -> None:
        """Write the collected chunks."""
        items, self._items, self._nbytes = self._items, [], 0
        if items:
            self._store.set_many(items)


class _Writer:
    """Encodes the chunks of one operation, and writes them to the store."""

    def __init__(self, chunks: Chunks, values: Array, assign: Assign | None, count: int) -> None:
        self._chunks = chunks
        self._values = values
        self._assign = assign or _put_values
        self._replaces = assign is None
        self._keep_empty = chunks.options.write_empty_chunks
        self._count = count

    def take_some(self, parts: Iterator[Keyed]) -> None:
        """Write all of `parts`, in one of the threads of an operation."""
        with self._chunks.store.writing(helps=True):
            self.take(parts)

    def take(self, parts: Iterator[Keyed]) -> None:
        """Write all of `parts`."""
        chunks, plan = self._chunks, self._chunks.plan
        uniform = plan.uniform
        only = None if uniform is None else plan.form(uniform)
        batch = _Batch(chunks.store) if only is not None and only.nbytes <= _SMALL else None
        key = ""
        try:
            for part, key in parts:
                form = only or plan.form(plan.chunk_shape(part.chunk))
                values = self._values[part.outside]
                if not part.whole or not self._replaces or values.shape != form.shape:
                    self._update(key, form, part, values)
                    continue
                data = self._encoded(form, values)
                if data is None or batch is None:
                    self._put(key, data)
                else:
                    batch.put(key, data)
            if batch is not None:
                batch.close()
        except (CodecError, MemoryError) as error:
            raise chunks.refused("encode", key, error) from error
        except StoreError as error:
            chunks.locate(error)
            raise

    def _put(self, key: str, data: Data | None) -> None:
        if data is None:
            self._chunks.store.delete(key)
        else:
            self._chunks.store.set(key, data)

    def _encoded(self, form: ChunkForm, values: Array) -> Data | None:
        """The encoded chunk of `values`; None if it is all fill and must not be written."""
        array = np.asarray(values, form.chain.block.dtype)
        if not self._keep_empty and form.is_fill(array):
            return None
        threads = self._chunks.threads_inside(form, self._count)
        return encode_padded(form, array, values.shape, threads=threads)

    def _update(self, key: str, form: ChunkForm, part: ChunkPart, values: Array) -> None:
        """Merge `values` into the existing chunk.

        At the edge of the array, this is needed even if all of the chunk within the array is written: others
        may have made the array longer since it was opened here. Then, only a damaged chunk is replaced.
        """
        chunks = self._chunks
        held: Held | None = chunks.plan.held(part.chunk)
        if held == form.shape:
            held = None

        def made(old: bytes | None) -> Data | None:
            return merged(
                form,
                old,
                part.inside,
                values,
                self._assign,
                keep_empty=self._keep_empty,
                replaces=self._replaces,
                held=held,
                threads=chunks.threads_inside(form, self._count),
            )

        def change(old: bytes | None) -> Data | None:
            try:
                try:
                    return made(old)
                except CodecError:
                    if old is None or not (part.whole and self._replaces):
                        raise
                    return made(None)
            except MemoryError as error:
                raise chunks.refused("change", key, error) from error
            except CodecError as error:
                raise chunks.refused("change" if _is_damaged(form, old) else "encode", key, error) from error

        update(chunks.store, key, change, empty=lambda: form.chain.encode(form.new()))
