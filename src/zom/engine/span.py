"""Spans: a part of a chunk that is stored as it lies in memory, read without the rest of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from zom.errors import CodecError
from zom.stores.interface import Range

if TYPE_CHECKING:
    from zom.engine.index import Index
    from zom.engine.plan import ChunkForm
    from zom.engine.sharding import Source
    from zom.extension.bound import Array

__all__ = ["read_span"]


def read_span(form: ChunkForm, source: Source, inside: Index, target: Array) -> None:
    """Put what the slices of `inside` select of the chunk `source` into `target`, which has just that shape.

    What is read reaches from the first element that is wanted to the last one.
    """
    width = form.chain.block.dtype.itemsize
    if source.size is not None and source.size != form.nbytes:
        raise CodecError(f"expected {form.nbytes} bytes, found {source.size}", "bytes")
    first, last = 0, 0
    counts: list[int] = []
    strides: list[int] = []
    stride = width
    for length, entry in zip(reversed(form.shape), reversed(inside.entries), strict=True):
        if not isinstance(entry, slice):
            raise TypeError("a span is selected by slices")  # pragma: no cover - callers have looked
        count = (entry.stop - entry.start - 1) // entry.step + 1
        counts.append(count)
        strides.append(stride * entry.step)
        first += stride * entry.start
        last += stride * (entry.start + (count - 1) * entry.step)
        stride *= length
    length = last + width - first
    data = source.get(Range(first, length))
    if len(data) != length:
        raise CodecError(f"expected bytes {first} to {last + width}, found {len(data)} of them", "bytes")
    target[...] = np.ndarray(counts[::-1], form.chain.block.dtype, data, 0, strides[::-1])
