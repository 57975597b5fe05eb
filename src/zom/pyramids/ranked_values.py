"""Modes and medians of blocks, by sorting the elements of each block."""

from __future__ import annotations

from functools import cache
from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np

from zom.pyramids.exact_mean import mean_of_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.extension.bound import Array

__all__ = ["median_of_blocks", "mode_of_blocks"]

_NETWORK = 32
"""The most elements in a block for a sorting network on whole arrays; larger blocks use `np.sort`."""

_TIMES_UP = np.uint64((1 << 63) - 1)
"""An offset that orders times as unsigned integers: NaT, the smallest integer, becomes the largest."""


def mode_of_blocks(values: Array, factors: Sequence[int]) -> Array:
    """Return the most frequent value of each block, or the smallest of several; NaN and NaT sort last.

    >>> mode_of_blocks(np.array([[7, 7, 1, 3], [2, 9, 3, 1]]), (2, 2))
    array([[7, 1]])
    """
    is_time = values.dtype.kind in "mM"
    numbers: Array = values.view(np.uint64) + _TIMES_UP if is_time else values
    ranked = _ranked(numbers, factors)
    found = ranked[0].copy()
    run = np.ones(found.shape, np.int32)
    most = run.copy()
    for before, here in pairwise(ranked):
        same = here == before
        if here.dtype.kind == "f":
            same |= np.isnan(here) & np.isnan(before)
        run *= same
        run += 1
        better = run > most
        np.copyto(found, here, where=better)
        np.copyto(most, run, where=better)
    return (found - _TIMES_UP).view(values.dtype) if is_time else found


def median_of_blocks(values: Array, factors: Sequence[int]) -> Array:
    """Return the median of each block: the mean of the middle two if even, NaN if the block has NaN.

    >>> median_of_blocks(np.array([9, 1, 2, 100]), (4,))
    array([6])
    """
    ranked = _ranked(values, factors)
    middle = len(ranked) // 2
    if len(ranked) % 2:
        found = ranked[middle].copy()
    else:
        found = mean_of_blocks(np.stack(ranked[middle - 1 : middle + 1], axis=-1), (*[1] * values.ndim, 2))[
            ..., 0
        ]
    if values.dtype.kind == "f":
        found[np.isnan(ranked[-1])] = np.nan
    return found


def _ranked(values: Array, factors: Sequence[int]) -> list[Array]:
    """Return the smallest elements of all blocks, then the second smallest, and so on; NaN sorts last."""
    places = product(*map(range, factors))
    parts = [
        values[tuple(slice(place, None, factor) for place, factor in zip(here, factors, strict=True))]
        for here in places
    ]
    if len(parts) > _NETWORK or values.dtype.kind == "f":
        return list(np.sort(np.stack(parts), axis=0))
    parts = [np.ascontiguousarray(part) for part in parts]
    for low, high in _comparisons(len(parts)):
        a, b = parts[low], parts[high]
        parts[low], parts[high] = np.minimum(a, b), np.maximum(a, b)
    return parts


@cache
def _comparisons(count: int) -> tuple[tuple[int, int], ...]:
    """Batcher's merge exchange: the pairs of `count` elements to compare and swap, in order.

    >>> _comparisons(3)
    ((0, 2), (0, 1), (1, 2))
    """
    found: list[tuple[int, int]] = []
    top = 1 << max(count - 1, 0).bit_length() >> 1
    step = top
    while step:
        reach, bit, distance = top, 0, step
        while True:
            found += [(i, i + distance) for i in range(count - distance) if i & step == bit]
            if reach == step:
                break
            distance = reach - step
            reach >>= 1
            bit = step
        step >>= 1
    return tuple(found)
