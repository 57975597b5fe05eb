"""Points in a shard of small inner chunks, which are decoded into rows; numpy takes all points at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from zom.engine.boxes import AT_ONCE, read_rows
from zom.engine.plan import FEW
from zom.engine.workers import share, worth
from zom.errors import CodecError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.codecs.sharding_indexed.index import ShardIndex
    from zom.codecs.sharding_indexed.shard import ShardCoder
    from zom.engine.index import Index
    from zom.engine.source import Source
    from zom.extension.axis import Indices
    from zom.extension.bound import Array

__all__ = ["read_points"]


def read_points(  # noqa: PLR0913 - a part of a shard, its place, and who reads it
    shard: ShardCoder,
    index: ShardIndex,
    source: Source,
    inside: Index,
    target: Array,
    *,
    threads: int = 1,
) -> bool:
    """Put the points that `inside` selects of the shard `source` into `target`; return False if impossible.

    It is impossible for a faulty inner chunk, for example: reading one by one reports it.
    """
    if not shard.rows.is_possible or not inside.joint or any(type(each) is slice for each in inside.entries):
        return False
    numbers, within = _divided(cast("tuple[Indices, ...]", inside.entries), shard)
    wanted, which = np.unique(numbers, return_inverse=True)
    if len(wanted) < FEW:
        return False
    threads = worth(threads, len(wanted) * shard.rows.nbytes)
    step = max(1, min(AT_ONCE // shard.rows.nbytes, -(-len(wanted) // (1 if threads == 1 else 2 * threads))))

    def take(numbers: Iterator[int]) -> None:
        for low in numbers:
            rows = read_rows(shard, source, index.entries[wanted[low : low + step]])
            mine = np.flatnonzero((which >= low) & (which < low + step))
            target[mine] = rows[(which[mine] - low, *[offsets[mine] for offsets in within])]

    lows = range(0, len(wanted), step)
    try:
        share(iter(lows), len(lows), take, threads=threads)
    except CodecError:
        return False
    return True


def _divided(points: tuple[Indices, ...], shard: ShardCoder) -> tuple[Array, list[Array]]:
    """The number of each point's inner chunk, in C order, and its position in it, dimension by dimension."""
    numbers: Array = np.zeros(len(points[0]), np.int64)
    within: list[Array] = []
    for indices, count, size in zip(points, shard.counts, shard.chunk_shape, strict=True):
        places, offsets = cast("tuple[Any, Any]", np.divmod(indices, size))
        numbers = numbers * count + places
        within.append(offsets)
    return numbers, within
