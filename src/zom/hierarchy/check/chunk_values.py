"""The values of an array's chunks, judged: indexes of shards, and whether every chunk can be decoded.

Several threads decode, as when an array is read; no more is in memory at once than when it is read.
"""

from __future__ import annotations

import itertools
import math
import threading
from typing import TYPE_CHECKING

from zom.engine.workers import run
from zom.errors import CodecError, StoreError
from zom.hierarchy.check.chunk_keys import KeysOfArray, tell_missing, wanted_size
from zom.hierarchy.check.chunk_rules import INDEX, NOT_CHECKED, UNDECODABLE, UNREADABLE
from zom.hierarchy.stored.chunks import StoredChunk, chunks_in, sample_form
from zom.hierarchy.stored.shard_parts import ShardValues, shard_faults, value_in_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zom.engine.chunks import Chunks
    from zom.engine.plan import ChunkForm
    from zom.extension.bound import Array
    from zom.hierarchy.check.tally import Tally
    from zom.hierarchy.stored.shard_parts import ShardFault, ShardValue
    from zom.problems import Rule

__all__ = ["Progress", "ValuesOfArray"]

_NEAR = (32, 1 << 22)
_FAR = (256, 1 << 26)
"""How many chunks, and how many bytes of them, are asked at once of a store on this machine, and elsewhere."""

_MOST_ASKED = 1_000_000
"""The chunks of the largest grid that is tried key by key, where a store can't list its keys."""

_MOST_UNREADABLE = 20
"""How many keys may fail before the store is taken to be out of order, and not its values."""

_WHOLE = 1 << 28
"""The bytes of a shard that is read whole, to see whether a fault was there or came of a change meanwhile."""

_UNKNOWN = -1
"""Stands for the size of a value that nobody has listed."""

_FIX = "restore it from a copy, or write the chunk again"


class Progress:
    """Tells a caller how far a check is; may be told by several threads."""

    def __init__(self, tell: Callable[[int, int], object] | None, total: int) -> None:
        self._tell = tell
        self._lock = threading.Lock()
        self._done = 0
        self.total = total

    def add(self, count: int) -> None:
        """So many more chunks are done."""
        if self._tell is not None:
            with self._lock:
                self._done += count
                self._tell(self._done, max(self.total, self._done))


class ValuesOfArray:
    """The values of one array's chunks."""

    def __init__(self, chunks: Chunks, keys: KeysOfArray, tally: Tally) -> None:
        self._chunks = chunks
        self._keys = keys
        self._tally = tally
        self._unreadable = 0
        self._decodes = False
        self._only: ChunkForm | None = None
        self._progress = Progress(None, 0)

    def check(self, *, decodes: bool, progress: Progress) -> None:
        """Check the indexes of shards, and where it `decodes`, every chunk."""
        if not self._keys.is_bound:
            return
        form = sample_form(self._chunks.plan)
        if form is None or (form.shard is None and not decodes):
            progress.add(self._keys.count)
            return
        self._start(chunks_in(self._chunks), self._keys.count, form, decodes=decodes, progress=progress)

    def check_unlisted(self, *, decodes: bool, progress: Callable[[int, int], object] | None) -> None:
        """The same in a store that can't list its keys: each chunk of the grid is tried, if they are few."""
        plan, node = self._chunks.plan, self._chunks.node
        total = math.prod(plan.grid)
        form = sample_form(plan) if self._keys.is_bound else None
        if form is None:
            return
        if total > _MOST_ASKED:
            wanted = f"at most {_MOST_ASKED} chunks, to try each of them"
            self._tally.add(NOT_CHECKED, node, wanted, f"{total}")
            return
        places = itertools.product(*map(range, plan.grid))
        prefix = self._chunks.prefix
        tried = (StoredChunk(place, prefix + plan.keys.key(place), _UNKNOWN) for place in places)
        self._start(tried, total, form, decodes=decodes, progress=Progress(progress, total))
        tell_missing(self._tally, node, total, self._keys.count)

    def _start(
        self, found: Iterator[StoredChunk], count: int, form: ChunkForm, *, decodes: bool, progress: Progress
    ) -> None:
        self._decodes = decodes
        self._only = form if self._chunks.plan.uniform is not None else None
        self._progress = progress
        run(found, count, self._take, threads=self._threads(form, count))

    def _threads(self, form: ChunkForm, count: int) -> int | None:
        options, parallel = self._chunks.options, self._chunks.store.capabilities.parallel
        if options.threads is not None:
            return options.threads
        if parallel > 1:
            # One waits for the store while another decodes; the insides of shards are asked for one by one.
            return min(parallel, 16) if form.shard is not None and self._decodes else 2
        return 1 if count < 3 or self._chunks.plan.data_type.itemsize is None else None

    # --- what each thread does ----------------------------------------------------------------------------

    def _take(self, found: Iterator[StoredChunk]) -> None:
        scratch: dict[tuple[int, ...], Array] = {}
        for batch in self._batches(found):
            self._check(batch, scratch)
            self._progress.add(len(batch))

    def _batches(self, found: Iterator[StoredChunk]) -> Iterator[list[StoredChunk]]:
        most, most_bytes = _NEAR if self._chunks.store.capabilities.parallel == 1 else _FAR
        batch: list[StoredChunk] = []
        nbytes = 0
        for chunk in found:
            batch.append(chunk)
            nbytes += self._form(chunk).nbytes if chunk.size == _UNKNOWN else chunk.size
            if len(batch) >= most or (self._decodes and nbytes >= most_bytes):
                yield batch
                batch, nbytes = [], 0
        if batch:
            yield batch

    def _form(self, chunk: StoredChunk) -> ChunkForm:
        return self._only or self._chunks.plan.form(self._chunks.plan.chunk_shape(chunk.place))

    def _check(self, batch: list[StoredChunk], scratch: dict[tuple[int, ...], Array]) -> None:
        """Check all of `batch`; where the store fails, one by one, to tell which can't be read."""
        try:
            faults = list(self._faults(batch, scratch))
        except StoreError as error:
            if len(batch) > 1:
                for chunk in batch:
                    self._check([chunk], scratch)
                return
            self._unreadable += 1
            if self._unreadable > _MOST_UNREADABLE:
                raise
            self._tell(UNREADABLE, batch[0].key, error.reason, "see to it that it can be read")
            return
        for broken, key, fault in faults:
            self._tell(broken, key, str(fault), _FIX)

    def _tell(self, broken: Rule, key: str, found: str, fix: str) -> None:
        wanted = {INDEX: "a sound index", UNREADABLE: "a value that can be read"}.get(broken, "a sound chunk")
        self._tally.add(broken, self._chunks.node, f"{wanted} in {key!r}", found, fix, key=key)

    def _faults(
        self, batch: list[StoredChunk], scratch: dict[tuple[int, ...], Array]
    ) -> Iterator[tuple[Rule, str, CodecError]]:
        plain: list[tuple[StoredChunk, ChunkForm]] = []
        shards: list[StoredChunk] = []
        unknown: list[StoredChunk] = []
        for chunk in batch:
            form = self._only or self._form(chunk)
            if chunk.size == _UNKNOWN:
                unknown.append(chunk)
            elif wanted_size(form, chunk.size) is not None:
                continue  # the listing has told of it
            elif form.shard is not None:
                shards.append(chunk)
            elif self._decodes:
                plain.append((chunk, form))
        for chunk, value in ShardValues(self._chunks).read(shards):
            if value is not None:
                yield from self._shard(chunk, value)
        values = self._chunks.store.get_many([chunk.key for chunk, _ in plain])
        for (chunk, form), data in zip(plain, values, strict=True):
            error = None if data is None else _fault(form, data, scratch)
            if error is not None:
                yield UNDECODABLE, chunk.key, error
        yield from self._unlisted_faults(unknown, scratch)

    def _unlisted_faults(
        self, batch: list[StoredChunk], scratch: dict[tuple[int, ...], Array]
    ) -> Iterator[tuple[Rule, str, CodecError]]:
        values = self._chunks.store.get_many([chunk.key for chunk in batch])
        for chunk, data in zip(batch, values, strict=True):
            if data is None:
                continue
            form = self._form(chunk)
            self._keys.count_one(chunk.key, len(data), form)
            if form.shard is not None and wanted_size(form, len(data)) is None:
                yield from self._shard(chunk, value_in_memory(data))
            elif self._decodes and (error := _fault(form, data, scratch)) is not None:
                yield UNDECODABLE, chunk.key, error

    def _shard(self, chunk: StoredChunk, value: ShardValue) -> Iterator[tuple[Rule, str, CodecError]]:
        form = self._form(chunk)
        faults: list[ShardFault] = list(shard_faults(form, value, decodes=self._decodes))
        if faults and not value.consistent and value.size <= _WHOLE:
            # Somebody may have written another shard between the index and what it tells of.
            data = self._chunks.store.get(chunk.key)
            if data is None:
                return
            faults = list(shard_faults(form, value_in_memory(data), decodes=self._decodes))
        for error, in_index in faults:
            yield INDEX if in_index else UNDECODABLE, chunk.key, error


def _fault(form: ChunkForm, data: bytes, scratch: dict[tuple[int, ...], Array]) -> CodecError | None:
    """Why a chunk can't be decoded; None where it can, or where its size has told already."""
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
