"""Check batches of chunks: problems of their values, found by any thread or process.

The results are reported elsewhere, because another process may have checked the batch.
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any, NamedTuple

from zom.errors import CodecError, StoreError
from zom.hierarchy.check.chunk_keys import wanted_size
from zom.hierarchy.check.chunk_rules import INDEX, UNDECODABLE
from zom.hierarchy.stored.shard_parts import ShardValues, shard_faults, value_in_memory
from zom.reason import reason_of_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.engine.chunks import Chunks
    from zom.engine.plan import ChunkForm
    from zom.extension.bound import Array
    from zom.hierarchy.stored.array_chunks import ArrayPlace
    from zom.hierarchy.stored.chunks import StoredChunk
    from zom.hierarchy.stored.shard_parts import ShardFault, ShardValue
    from zom.problems import Rule

__all__ = [
    "MOST_UNREADABLE",
    "UNKNOWN",
    "BatchCheck",
    "CheckedBatch",
    "SentCheck",
    "check_elsewhere",
    "form_of",
]

MOST_UNREADABLE = 20
"""The number of keys that may fail before the store itself counts as failing."""

UNKNOWN = -1
"""The size of a value that was not listed."""

_WHOLE = 1 << 28
"""The maximum size in bytes of a shard that is read again whole, to rule out a change during the check."""


class CheckedBatch(NamedTuple):
    """The results of one batch of chunks."""

    chunks: int
    """The number of chunks in it."""
    faults: list[tuple[Rule, str, str]]
    """The broken rule, the key, and the problem."""
    unreadable: list[tuple[str, StoreError]]
    """The keys that can't be read."""
    found: list[tuple[StoredChunk, int]]
    """Existing chunks of previously unknown size, with their sizes."""


def form_of(chunks: Chunks, chunk: StoredChunk) -> ChunkForm:
    """The form of a chunk."""
    plan = chunks.plan
    return plan.form(plan.uniform or plan.chunk_shape(chunk.place))


class BatchCheck:
    """Checks batches of one array's chunks; each thread has its own."""

    def __init__(self, chunks: Chunks, *, decodes: bool) -> None:
        self._chunks = chunks
        self._decodes = decodes
        self._scratch: dict[tuple[int, ...], Array] = {}

    def check(self, batch: list[StoredChunk]) -> CheckedBatch:
        """Check `batch`; if the store fails, read its chunks one by one."""
        result = CheckedBatch(len(batch), [], [], [])
        self._check(batch, result)
        return result

    def _check(self, batch: list[StoredChunk], result: CheckedBatch) -> None:
        sizes: list[tuple[StoredChunk, int]] = []
        try:
            faults = [(broken, key, str(error)) for broken, key, error in self._faults(batch, sizes)]
        except (StoreError, MemoryError) as cause:
            if len(batch) > 1:
                for chunk in batch:
                    self._check([chunk], result)
                return
            key = batch[0].key
            error = cause if isinstance(cause, StoreError) else self._no_memory(key)
            result.unreadable.append((key, error))
            if len(result.unreadable) > MOST_UNREADABLE:
                raise
            return
        result.faults.extend(faults)
        result.found.extend(sizes)

    def _no_memory(self, key: str) -> StoreError:
        return StoreError(self._chunks.store.url, key, "read", reason_of_number(errno.ENOMEM))

    def _faults(
        self, batch: list[StoredChunk], sizes: list[tuple[StoredChunk, int]]
    ) -> Iterator[tuple[Rule, str, CodecError]]:
        plain: list[tuple[StoredChunk, ChunkForm]] = []
        shards: list[StoredChunk] = []
        unknown: list[StoredChunk] = []
        for chunk in batch:
            form = form_of(self._chunks, chunk)
            if chunk.size == UNKNOWN:
                unknown.append(chunk)
            elif wanted_size(form, chunk.size) is not None:
                continue  # the listing has reported it
            elif form.shard is not None:
                shards.append(chunk)
            elif self._decodes:
                plain.append((chunk, form))
        for chunk, value in ShardValues(self._chunks).read(shards):
            if value is not None:
                yield from self._shard(chunk, value)
        values = self._chunks.store.get_many([chunk.key for chunk, _ in plain])
        for (chunk, form), data in zip(plain, values, strict=True):
            error = None if data is None else _fault(form, data, self._scratch)
            if error is not None:
                yield UNDECODABLE, chunk.key, error
        yield from self._unlisted_faults(unknown, sizes)

    def _unlisted_faults(
        self, batch: list[StoredChunk], sizes: list[tuple[StoredChunk, int]]
    ) -> Iterator[tuple[Rule, str, CodecError]]:
        values = self._chunks.store.get_many([chunk.key for chunk in batch])
        for chunk, data in zip(batch, values, strict=True):
            if data is None:
                continue
            form = form_of(self._chunks, chunk)
            sizes.append((chunk, len(data)))
            if form.shard is not None and wanted_size(form, len(data)) is None:
                yield from self._shard(chunk, value_in_memory(data))
            elif self._decodes and (error := _fault(form, data, self._scratch)) is not None:
                yield UNDECODABLE, chunk.key, error

    def _shard(self, chunk: StoredChunk, value: ShardValue) -> Iterator[tuple[Rule, str, CodecError]]:
        form = form_of(self._chunks, chunk)
        faults: list[ShardFault] = list(shard_faults(form, value, decodes=self._decodes))
        if faults and not value.consistent and value.size <= _WHOLE:
            # Another process may have replaced the shard between reads of the index and of its chunks.
            data = self._chunks.store.get(chunk.key)
            if data is None:
                return
            faults = list(shard_faults(form, value_in_memory(data), decodes=self._decodes))
        for error, in_index in faults:
            yield INDEX if in_index else UNDECODABLE, chunk.key, error


def _fault(form: ChunkForm, data: bytes, scratch: dict[tuple[int, ...], Array]) -> CodecError | None:
    """Why a chunk can't be decoded; None if it can, or if its size was already reported."""
    chain = form.chain
    if wanted_size(form, len(data)) is not None:
        return None
    try:
        if chain.plain:
            if form.shape not in scratch:
                scratch.clear()
                scratch[form.shape] = chain.scratch()
            chain.decode_into(data, scratch[form.shape])
        else:
            chain.decode(data)
    except CodecError as error:
        return error
    return None


# --- in other processes ---------------------------------------------------------------------------------


class SentCheck:
    """Everything that another process needs to check an array, which it opens once."""

    def __init__(self, place: ArrayPlace, *, decodes: bool) -> None:
        self._place = place
        self.decodes = decodes
        self._opened: Chunks | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_opened": None}

    def open(self) -> Chunks:
        """The chunks of the array."""
        if self._opened is None:
            self._opened = self._place.open()
        return self._opened


def check_elsewhere(sent: SentCheck, batch: list[StoredChunk]) -> CheckedBatch:
    """The problems of a batch, found in whichever process this is."""
    return BatchCheck(sent.open(), decodes=sent.decodes).check(batch)
