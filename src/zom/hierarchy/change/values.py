"""Values of new arrays: many small arrays at once, where a store takes many requests at once."""

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
"""How many arrays are written at once, at most; one of many chunks counts for as many as it has threads of its own."""

_OWN_THREADS: Final = 16

_BYTES: Final = 1 << 28
"""The bytes of the arrays that are written at once: their values may be made only then."""


_SMALL: Final = 1 << 20
"""The bytes of an array whose chunks are handed over together with those of others."""

_HELD: Final = 1 << 24
"""The bytes of encoded chunks that are held until they are handed over."""


class _Held(MemoryStore):
    """The chunks of new arrays on their way to a store: nothing is there yet that they could be put into."""

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
        """Write everything at once."""
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
    """Encode arrays in turn, and hand all their chunks over in few batches: each is one wait."""
    held, start = _Held(values[0].chunks.store), 0
    for end, value in enumerate(values, 1):
        _write(replace(value.chunks, store=held), value)
        if held.size >= _HELD or end == len(values):
            held.hand_over(values[start:end])
            steps.more(end - start)
            held, start = _Held(value.chunks.store), end


def threads_for(arrays: Sequence[Chunks]) -> int:
    """How many arrays to write at once: several only where the store answers late, and takes many requests at once.

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
