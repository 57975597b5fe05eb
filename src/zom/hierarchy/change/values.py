"""Values of new arrays: many small arrays at once, if the store handles many requests at once."""

from __future__ import annotations

import math
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from typing_extensions import override

from zom.engine.indexing import write_selection
from zom.engine.selection import basic_or_numpy
from zom.engine.workers import run
from zom.errors import StoreError
from zom.stores.memory import MemoryStore
from zom.stores.together import answers_late

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zom.engine.chunks import Chunks
    from zom.hierarchy.change.steps import Steps, Value
    from zom.stores.interface import Store

__all__ = ["put_values", "threads_for"]

_REQUESTS: Final = 64
"""The maximum number of arrays written at once; one with many chunks counts as its number of threads."""

_OWN_THREADS: Final = 16

_BYTES: Final = 1 << 28
"""The total size in bytes of arrays written at once, because their values may be computed only then."""


_SMALL: Final = 1 << 20
"""The size in bytes up to which an array's chunks are written together with those of others."""

_HELD: Final = 1 << 24
"""The size in bytes of the encoded chunks that are held before they are written."""


class _Held(MemoryStore):
    """Chunks of new arrays that are collected for a store; keys in it don't exist yet."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self.size = 0

    @override
    def _write(self, key: str, value: bytes) -> None:
        self.size += len(value)
        super()._write(key, value)

    @property
    @override
    def url(self) -> str:
        return self._store.url

    def hand_over(self, arrays: Sequence[Value]) -> None:
        """Write all collected chunks at once."""
        chunks = {key: cast("bytes", self.get(key)) for key in self.list()}
        try:
            self._store.set_many(chunks)
        except StoreError as error:
            for each in arrays:
                if error.key.startswith(each.chunks.prefix):
                    each.chunks.locate(error)
            raise


def put_values(values: Sequence[Value], steps: Steps) -> None:
    """Write the values of new arrays."""
    told = threading.Lock()

    def take(items: Iterator[Value]) -> None:
        for value in items:
            _write(value.chunks, value)
            with told:
                steps.more()

    small = [value for value in values if _is_small(value.chunks)]
    if len(small) > 1:
        _put_small(small, steps)
        values = [value for value in values if not _is_small(value.chunks)]
    threads = threads_for([value.chunks for value in values])
    run(iter(values), len(values), take, threads=threads)


def _write(chunks: Chunks, value: Value) -> None:
    write_selection(chunks, basic_or_numpy(..., chunks.plan.shape), value.value)


def _is_small(chunks: Chunks) -> bool:
    return answers_late(chunks.store) and _size(chunks) <= _SMALL


def _put_small(values: Sequence[Value], steps: Steps) -> None:
    """Encode arrays in turn, and write all their chunks in few batches, because each batch is one wait."""
    held, start = _Held(values[0].chunks.store), 0
    for end, value in enumerate(values, 1):
        _write(replace(value.chunks, store=held), value)
        if held.size >= _HELD or end == len(values):
            held.hand_over(values[start:end])
            steps.more(end - start)
            held, start = _Held(value.chunks.store), end


def threads_for(arrays: Sequence[Chunks]) -> int:
    """The number of arrays to write at once: several only on stores with high latency and parallel requests.

    >>> threads_for([])
    1
    """
    if len(arrays) < 2:
        return 1
    if not answers_late(arrays[0].store):
        return 1
    chunks = max(math.prod(each.plan.grid) for each in arrays)
    size = max(map(_size, arrays))
    parallel = arrays[0].store.capabilities.parallel
    return max(1, min(parallel, _REQUESTS // min(max(chunks, 1), _OWN_THREADS), _BYTES // max(size, 1)))


def _size(chunks: Chunks) -> int:
    return math.prod(chunks.plan.shape) * chunks.plan.dtype.itemsize
