"""Spans: read a part of a chunk that is stored as it is in memory, without the rest of it."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from zom.errors import CodecError
from zom.stores.interface import Range

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zom.engine.index import Index
    from zom.engine.plan import ChunkForm
    from zom.engine.source import Source
    from zom.extension.bound import Array

__all__ = ["SPAN", "read_span"]

SPAN = 1 << 15
"""Bytes of an uncompressed chunk from which a part of it is read alone."""

_GAP = 1 << 15
"""Unneeded bytes that are read along; that takes as long as another system call."""

_MOST_PIECES = 1 << 12
"""Maximum number of pieces of a span."""


def read_span(form: ChunkForm, source: Source, inside: Index, target: Array) -> None:
    """Read what the slices of `inside` select of the chunk `source` into `target`, of exactly that shape.

    It reads from the first wanted element to the last one. If large parts between two of them are not wanted,
    it reads pieces.
    """
    dtype = form.chain.block.dtype
    if source.size is not None and source.size != form.nbytes:
        raise CodecError(f"expected {form.nbytes} bytes, found {source.size}", "bytes")
    first, counts, strides = _places(form, inside)
    cut, length = _cut(counts, strides, dtype.itemsize)
    starts = [first]
    for count, stride in zip(counts[:cut], strides[:cut], strict=True):
        starts = [start + number * stride for start in starts for number in range(count)]
    values = source.get_many([Range(start, length) for start in starts])
    places: Iterable[Any] = product(*map(range, counts[:cut]))
    for place, start, data in zip(places, starts, values, strict=True):
        if len(data) != length:
            found = f"expected bytes {start} to {start + length}, found {len(data)} of them"
            raise CodecError(found, "bytes")
        target[(*place, ...)] = np.ndarray(counts[cut:], dtype, data, 0, strides[cut:])


def _places(form: ChunkForm, inside: Index) -> tuple[int, list[int], list[int]]:
    """The first wanted byte, and along each dimension the number of elements and the bytes between them."""
    first, stride = 0, form.chain.block.dtype.itemsize
    counts: list[int] = []
    strides: list[int] = []
    for length, entry in zip(reversed(form.shape), reversed(inside.entries), strict=True):
        if not isinstance(entry, slice):
            raise TypeError("a span is selected by slices")  # pragma: no cover - callers have looked
        counts.append((entry.stop - entry.start - 1) // entry.step + 1)
        strides.append(stride * entry.step)
        first += stride * entry.start
        stride *= length
    return first, counts[::-1], strides[::-1]


def _cut(counts: Sequence[int], strides: Sequence[int], width: int) -> tuple[int, int]:
    """The number of dimensions in which each index is a piece of its own, and the bytes of a piece.

    >>> _cut([8, 1, 1], [260_640, 1440, 4], 4), _cut([8, 181, 360], [260_640, 1440, 4], 4), _cut([9, 1], [512, 4], 4)
    ((1, 4), (0, 2085120), (0, 4100))
    """
    cut, pieces = 0, 1
    while True:
        pairs = zip(counts[cut:], strides[cut:], strict=True)
        length = width + sum((count - 1) * stride for count, stride in pairs)
        if cut == len(counts):
            return cut, length
        below = length - (counts[cut] - 1) * strides[cut]
        pieces *= counts[cut]
        if strides[cut] - below < _GAP or pieces > _MOST_PIECES:
            return cut, length
        cut += 1
