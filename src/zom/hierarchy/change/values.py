"""Values of new arrays: many small arrays at once, where a store takes many requests at once."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Final

from zom.engine.indexing import write_selection
from zom.engine.selection import basic_or_numpy
from zom.engine.workers import run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zom.engine.chunks import Chunks
    from zom.hierarchy.change.steps import Steps, Value

__all__ = ["put_values", "threads_for"]

_REQUESTS: Final = 64
"""How many arrays are written at once, at most; one of many chunks counts for as many as it has threads of its own."""

_OWN_THREADS: Final = 16

_BYTES: Final = 1 << 28
"""The bytes of the arrays that are written at once: their values may be made only then."""


def put_values(values: Sequence[Value], steps: Steps) -> None:
    """Write the values of new arrays."""
    told = threading.Lock()

    def take(items: Iterator[Value]) -> None:
        for value in items:
            write_selection(value.chunks, basic_or_numpy(..., value.chunks.plan.shape), value.value)
            with told:
                steps.more()

    threads = threads_for([value.chunks for value in values])
    run(iter(values), len(values), take, threads=threads)


def threads_for(arrays: Sequence[Chunks]) -> int:
    """How many arrays to write at once: several only where the store answers late, and takes many requests at once.

    >>> threads_for([])
    1
    """
    if len(arrays) < 2:
        return 1
    store = arrays[0].store.capabilities
    if store.parallel < 2 or store.lock_holds_all:
        return 1
    plans = [each.plan for each in arrays]
    chunks = max(math.prod(plan.grid) for plan in plans)
    size = max(math.prod(plan.shape) * plan.dtype.itemsize for plan in plans)
    return max(1, min(store.parallel, _REQUESTS // min(max(chunks, 1), _OWN_THREADS), _BYTES // max(size, 1)))
