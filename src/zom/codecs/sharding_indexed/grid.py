"""How a shard is divided: the grid of its inner chunks, all of one shape, in C order."""

from __future__ import annotations

import math
from itertools import chain, product
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zom.extension.bound import Array

__all__ = ["ShardGrid"]

# Half of numpy's maximum rank: `split` needs two dimensions for each of a shard's.
_MOST_SPLIT = 32


def _slices(count: int, length: int) -> Iterator[slice]:
    return (slice(i * length, (i + 1) * length) for i in range(count))


class ShardGrid:
    """The inner chunks of a shard.

    >>> grid = ShardGrid((4, 6), (2, 3))
    >>> grid.counts, grid.count
    ((2, 2), 4)
    >>> list(grid.corners())[1]
    (slice(0, 2, None), slice(3, 6, None))
    """

    __slots__ = ("can_split", "chunk_shape", "count", "counts")

    def __init__(self, shape: tuple[int, ...], chunk_shape: tuple[int, ...]) -> None:
        self.chunk_shape = chunk_shape
        """The shape of an inner chunk."""
        self.counts = tuple(length // inner for length, inner in zip(shape, chunk_shape, strict=True))
        """The number of inner chunks along each dimension."""
        self.count = math.prod(self.counts)
        """The number of inner chunks."""
        self.can_split = 0 < len(shape) <= _MOST_SPLIT
        """Whether `split` works: numpy allows 64 dimensions, and a shard without any can't be split."""

    def corners(self) -> Iterable[tuple[Any, ...]]:
        """Return the index into a shard for each inner chunk."""
        if not self.counts:
            return [(...,)]
        first, *others = map(_slices, self.counts, self.chunk_shape)
        rest = [list(slices) for slices in others]
        # Generate the first dimension lazily: all slices of a long one would take more memory than the index.
        return chain.from_iterable(product([piece], *rest) for piece in first)

    def split(self, shard: Array) -> Array:
        """Return a view of a shard with the dimensions of the grid before those of an inner chunk.

        >>> import numpy as np
        >>> ShardGrid((4,), (2,)).split(np.arange(4)).tolist()
        [[0, 1], [2, 3]]
        """
        # numpy splits each dimension into two without a copy, so writes to the view reach the shard.
        lengths = [n for pair in zip(self.counts, self.chunk_shape, strict=True) for n in pair]
        axes = range(len(lengths))
        return shard.reshape(lengths).transpose(*axes[::2], *axes[1::2])
