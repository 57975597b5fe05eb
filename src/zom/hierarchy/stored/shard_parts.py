"""Shards in detail: reads the indexes of many in batches, and checks their content.

Zarr v3, sharding_indexed codec. Everything is checked before use; a broken inner chunk doesn't keep the
others from being checked. No shard is held in memory as a whole.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from zom.codecs.sharding_indexed.index import MISSING
from zom.engine.source import ValueSource, check_length
from zom.errors import CodecError, StoreError
from zom.stores.interface import CHANGED, Part, Range

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zom.codecs.sharding_indexed.index import ShardIndex
    from zom.codecs.sharding_indexed.shard import ShardCoder
    from zom.engine.chunks import Chunks
    from zom.engine.plan import ChunkForm
    from zom.extension.bound import Data
    from zom.hierarchy.stored.chunks import StoredChunk
    from zom.stores.interface import ByteRange, Store, Versioned

__all__ = ["ShardFault", "ShardValue", "ShardValues", "count_inner", "shard_faults", "value_in_memory"]

_BATCH = 256
"""Maximum number of shards whose indexes are read at once."""

_BATCH_BYTES = 1 << 24
"""Bytes of inner chunks read at once."""


class Parts(Protocol):
    """A value that can be read in parts."""

    def get_many(self, ranges: Sequence[ByteRange]) -> Sequence[Data]:
        """The bytes of each range; fewer if the value ends earlier."""
        ...


class ShardValue(NamedTuple):
    """A shard in a store that can be read in parts."""

    parts: Parts
    size: int
    consistent: bool
    """Whether all parts are of one version of the value, even if someone writes meanwhile."""


class ShardFault(NamedTuple):
    """A problem of a shard."""

    error: CodecError
    in_index: bool
    """Whether the index is broken, and not an inner chunk."""


def value_in_memory(value: bytes) -> ShardValue:
    """A shard that was read whole.

    >>> value_in_memory(b"abc").size
    3
    """
    return ShardValue(ValueSource(value), len(value), consistent=True)


class _Fetched:
    """A value in a far store, with one range already read."""

    def __init__(self, store: Store, key: str, known: Range, found: Versioned) -> None:
        self._store = store
        self._key = key
        self._known = known
        self._data, self._version = found

    def get_many(self, ranges: Sequence[ByteRange]) -> list[bytes]:
        if list(ranges) == [self._known]:
            return [self._data]
        found = self._store.get_parts([Part(self._key, one, self._version) for one in ranges])
        there = [part.value for part in found if part is not None]
        if len(there) < len(found):
            raise StoreError(self._store.url, self._key, "read", CHANGED)
        return there


class ShardValues:
    """The shards of an array; on a far store, many indexes are read at once."""

    def __init__(self, chunks: Chunks) -> None:
        self._chunks = chunks
        self._store = chunks.store

    def read(self, found: Iterable[StoredChunk]) -> Iterator[tuple[StoredChunk, ShardValue | None]]:
        """Each shard with its readable parts, or None if it was deleted meanwhile."""
        if self._store.capabilities.parallel > 1:
            waiting = iter(found)
            while batch := list(islice(waiting, _BATCH)):
                yield from self._fetched(batch)
            return
        for chunk in found:
            with self._store.snapshot(chunk.key) as value:
                if value is None:
                    yield chunk, None
                else:
                    size = chunk.size if value.size is None else value.size
                    yield chunk, ShardValue(value, size, value.consistent)

    def _fetched(self, batch: list[StoredChunk]) -> Iterator[tuple[StoredChunk, ShardValue | None]]:
        plan = self._chunks.plan
        ranges = [_index_range(plan.form(plan.chunk_shape(chunk.place)), 0, chunk.size) for chunk in batch]
        asked = [Part(chunk.key, one) for chunk, one in zip(batch, ranges, strict=True)]
        for known, chunk, index in zip(ranges, batch, self._store.get_parts(asked), strict=True):
            if index is None:
                yield chunk, None
            else:
                parts = _Fetched(self._store, chunk.key, known, index)
                yield chunk, ShardValue(parts, chunk.size, consistent=False)


def _shard_of(form: ChunkForm) -> tuple[ShardCoder, ChunkForm]:
    if form.shard is None or form.inner is None:  # pragma: no cover - callers have looked
        raise TypeError("this chunk is not a shard")
    return form.shard, form.inner


def _index_range(form: ChunkForm, start: int, stop: int) -> Range:
    """The range of the index of a shard that spans `start` to `stop`."""
    location, nbytes = _shard_of(form)[0].index_range()
    nbytes = min(nbytes, stop - start)
    return Range(start if location == "start" else stop - nbytes, nbytes)


def _read_index(form: ChunkForm, parts: Parts, start: int, stop: int) -> ShardIndex:
    shard = _shard_of(form)[0]
    least = shard.index_range()[1]
    if stop - start < least:
        found = f"expected at least {least} bytes for the index, found {stop - start}"
        raise CodecError(found, shard.name)
    (data,) = parts.get_many([_index_range(form, start, stop)])
    return shard.parse_index(data, stop - start)


# --- counting -----------------------------------------------------------------------------------------


def count_inner(form: ChunkForm, value: ShardValue, extent: tuple[int, ...]) -> int:
    """The number of stored innermost chunks that hold some of the first `extent` elements."""
    return _count(form, value.parts, (0, value.size), extent)


def _count(form: ChunkForm, parts: Parts, span: tuple[int, int], extent: tuple[int, ...]) -> int:
    shard, inner = _shard_of(form)
    index = _read_index(form, parts, *span)
    index.check()
    there = (index.entries[:, 0] != MISSING).reshape(shard.counts)
    held = tuple(slice(-(-n // size)) for n, size in zip(extent, shard.chunk_shape, strict=True))
    inside = there[held]
    if inner.shard is None:
        return int(inside.sum())
    total = 0
    for place in np.argwhere(inside).tolist():
        entry = index.entry(int(np.ravel_multi_index(place, shard.counts)) if place else 0)
        if entry is None:  # pragma: no cover - it was looked at just now
            continue
        left = tuple(
            min(size, n - at * size) for at, n, size in zip(place, extent, shard.chunk_shape, strict=True)
        )
        total += _count(inner, parts, (span[0] + entry[0], span[0] + entry[1]), left)
    return total


# --- faults -------------------------------------------------------------------------------------------


def shard_faults(form: ChunkForm, value: ShardValue, *, decodes: bool) -> Iterator[ShardFault]:
    """The problems of the indexes of a shard and, if `decodes`, of the chunks in it.

    Only the first problem of each index and of each inner chunk is reported.
    """
    return _faults(form, value.parts, (0, value.size), decodes=decodes)


def _faults(form: ChunkForm, parts: Parts, span: tuple[int, int], *, decodes: bool) -> Iterator[ShardFault]:
    shard, inner = _shard_of(form)
    try:
        index = _read_index(form, parts, *span)
    except CodecError as error:
        yield ShardFault(error, in_index=True)
        return
    try:
        index.check()
    except CodecError as error:
        yield ShardFault(error, in_index=True)
    if inner.shard is None and not decodes:
        return
    for batch in _batches(index):
        if inner.shard is not None:
            for number, (start, stop) in batch:
                inside = (span[0] + start, span[0] + stop)
                for fault in _faults(inner, parts, inside, decodes=decodes):
                    yield ShardFault(shard.refuse(number, fault.error, (start, stop)), fault.in_index)
        else:
            yield from _decoded(form, parts, span[0], batch)


def _batches(index: ShardIndex) -> Iterator[list[tuple[int, tuple[int, int]]]]:
    """The stored inner chunks, by number and range; invalid entries are left out."""
    batch: list[tuple[int, tuple[int, int]]] = []
    waiting = 0
    for number in range(len(index)):
        try:
            entry = index.entry(number)
        except CodecError:  # the check of the index has reported it
            continue
        if entry is None:
            continue
        batch.append((number, entry))
        waiting += entry[1] - entry[0]
        if waiting >= _BATCH_BYTES:
            yield batch
            batch, waiting = [], 0
    if batch:
        yield batch


def _decoded(
    form: ChunkForm, parts: Parts, first: int, batch: list[tuple[int, tuple[int, int]]]
) -> Iterator[ShardFault]:
    """Decode inner chunks, and report those that fail."""
    shard, inner = _shard_of(form)
    values = parts.get_many([Range(first + start, stop - start) for _, (start, stop) in batch])
    for (number, span), data in zip(batch, values, strict=True):
        try:
            check_length(data, span)
            inner.chain.decode(data)
        except CodecError as error:
            yield ShardFault(shard.refuse(number, error, span), in_index=False)
