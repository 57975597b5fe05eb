"""Boxes: slices of a shard of small inner chunks, decoded together into rows and copied at once.

The inner chunks that slices touch form a box. Those close to each other in the shard are read in one piece.
"""

from __future__ import annotations

from itertools import product, starmap
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from zom.codecs.sharding_indexed.grid import ShardGrid
from zom.codecs.sharding_indexed.index import MISSING
from zom.engine.plan import FEW
from zom.engine.workers import share, worth
from zom.errors import CodecError
from zom.extension.pieces import Pieces
from zom.stores.interface import Range, near

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zom.codecs.sharding_indexed.index import ShardIndex
    from zom.codecs.sharding_indexed.shard import ShardCoder
    from zom.engine.index import Index
    from zom.engine.source import Source
    from zom.extension.bound import Array

__all__ = ["AT_ONCE", "read_boxes", "read_rows"]

_GAP = 1 << 13
"""Unneeded bytes between inner chunks that are read along; that takes as long as another system call."""

AT_ONCE = 1 << 22
"""Bytes of decoded inner chunks in memory besides the result."""

_Box: TypeAlias = "tuple[tuple[int, int], ...]"
"""Ranges of inner chunks along each dimension, counted among those that slices touch."""


class _Run(NamedTuple):
    """The inner chunks that a slice touches along one dimension: all from the first to the last."""

    first: int
    chunks: int
    size: int
    """Number of elements of an inner chunk."""
    start: int
    """The first wanted element, counted from that of the first inner chunk."""
    step: int
    length: int
    """Number of wanted elements."""

    def rows(self, low: int, high: int) -> tuple[slice, slice]:
        """The wanted elements in the inner chunks from `low` to `high`, and their place in the result."""
        begin = max(0, -(-(low * self.size - self.start) // self.step))
        end = min(self.length, -(-(high * self.size - self.start) // self.step))
        start = self.start + begin * self.step - low * self.size
        stop = start + max(0, end - begin - 1) * self.step + 1
        return slice(start, stop if end > begin else start, self.step), slice(begin, end)


def read_boxes(  # noqa: PLR0913 - a part of a shard, its place, and who reads it
    shard: ShardCoder,
    index: ShardIndex,
    source: Source,
    inside: Index,
    target: Array,
    *,
    threads: int = 1,
) -> bool:
    """Put what `inside` selects of the shard `source` into `target`; return False if that isn't possible.

    It isn't for a faulty inner chunk, for example: reading one by one reports it.
    """
    if not shard.rows.is_possible or not shard.grid.can_split or not inside.basic or not target.size:
        return False
    runs = list(starmap(_run, zip(inside.entries, shard.chunk_shape, strict=True)))
    if any(run is None for run in runs):
        return False
    found: Any = runs
    count = prod(run.chunks for run in found)
    if count < FEW:
        return False

    def read(numbers: Array) -> Array:
        return read_rows(shard, source, index.entries[numbers])

    def take(boxes: Iterator[_Box]) -> None:
        for box in boxes:
            _read_box(read, shard.counts, found, box, target)

    threads = worth(threads, count * shard.rows.nbytes)
    boxes = list(_boxes([run.chunks for run in found], shard.rows.nbytes, threads))
    try:
        share(iter(boxes), len(boxes), take, threads=threads)
    except CodecError:
        return False
    return True


def _run(entry: Any, size: int) -> _Run | None:
    """The inner chunks of `size` that a slice touches; None if it skips one."""
    if entry.step > size:
        return None
    first, start = divmod(entry.start, size)
    length = (entry.stop - entry.start - 1) // entry.step + 1
    last = (entry.start + (length - 1) * entry.step) // size
    return _Run(first, last - first + 1, size, start, entry.step, length)


def _boxes(counts: Sequence[int], nbytes: int, threads: int) -> Iterator[_Box]:
    """A box, cut into parts that are read together; at least two per thread, if there are several.

    >>> list(_boxes([1, 3, 4], 1 << 20, 1))
    [((0, 1), (0, 1), (0, 4)), ((0, 1), (1, 2), (0, 4)), ((0, 1), (2, 3), (0, 4))]
    """
    most = AT_ONCE
    if threads > 1:
        most = min(most, -(-prod(counts) * nbytes // (2 * threads)))
    steps = [1] * len(counts)
    # Take whole rows of inner chunks while they are small, then as many of them as are small.
    for place in reversed(range(len(counts))):
        steps[place] = max(1, min(counts[place], most // nbytes))
        nbytes *= steps[place]
        if steps[place] < counts[place]:
            break
    ranges = [
        [(low, min(count, low + step)) for low in range(0, count, step)]
        for count, step in zip(counts, steps, strict=True)
    ]
    return product(*ranges)


def _read_box(
    read: Callable[[Array], Array], counts: tuple[int, ...], runs: Sequence[_Run], box: _Box, target: Array
) -> None:
    """Put the wanted elements of one box into `target`; `read` returns inner chunks by their numbers."""
    touched = tuple([high - low for low, high in box])
    sizes = tuple([run.size for run in runs])
    rows = read(_numbers(counts, runs, box))
    shape = tuple(map(int.__mul__, touched, sizes))
    grid = ShardGrid(shape, sizes)
    split = rows.reshape(*touched, *sizes)
    cuts = [run.rows(low, high) for run, (low, high) in zip(runs, box, strict=True)]
    room = target[tuple(place for _, place in cuts)]
    if room.shape == shape:
        grid.split(room)[...] = split
        return
    decoded = np.empty(shape, rows.dtype)
    grid.split(decoded)[...] = split
    room[...] = decoded[tuple(cut for cut, _ in cuts)]


def _numbers(counts: tuple[int, ...], runs: Sequence[_Run], box: _Box) -> Array:
    """The numbers of a box's inner chunks in the shard, in C order."""
    numbers: Array = np.zeros((), np.int64)
    for count, each, (low, high) in zip(counts, runs, box, strict=True):
        numbers = numbers[..., None] * count + np.arange(each.first + low, each.first + high)
    return numbers.reshape(-1)


def read_rows(shard: ShardCoder, source: Source, entries: Array) -> Array:
    """Decode the inner chunks of these index entries; raise CodecError, without a place, if one is faulty."""
    starts, there = entries[:, 0], entries[:, 0] != MISSING
    stops = starts + entries[:, 1]
    if not there.all():
        starts, stops = starts[there], stops[there]
    spans = near(zip(starts.tolist(), stops.tolist(), strict=True), gap=_GAP, longest=AT_ONCE)
    values = [memoryview(value) for value in source.get_many([Range(low, high - low) for low, high in spans])]
    for (low, high), value in zip(spans, values, strict=True):
        if len(value) != high - low:
            raise CodecError("fewer bytes than the index states")
    if len(spans) == 1 and len(starts) == len(entries) and shard.inner.direct:
        rows = shard.rows.cut(values[0], (starts - spans[0][0]).astype(np.int64))
        if rows is not None:
            return rows
    data = values[0] if len(values) == 1 else memoryview(b"".join(values))
    lengths = (stops - starts).astype(np.int64)
    return shard.rows.decode(Pieces(data, _moved(starts, spans), lengths), there)


def _moved(starts: Array, spans: Sequence[tuple[int, int]]) -> Array:
    """The new positions of data at `starts`, after the spans that were read are joined."""
    lows, highs = np.array(spans, np.int64).reshape(-1, 2).T
    sizes = highs - lows
    owners = np.searchsorted(lows, starts.astype(np.int64), side="right") - 1
    moved: Array = starts.astype(np.int64) + (sizes.cumsum() - sizes - lows)[owners]
    return moved
