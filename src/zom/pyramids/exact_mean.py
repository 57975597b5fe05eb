"""Means of blocks: exact for integers, in double precision for floating-point numbers.

Integers are rounded half to even, as by `round`. No sum overflows: if no numpy integer can hold the sum of a
block, quotients and remainders are summed instead.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.extension.bound import Array

__all__ = ["mean_of_blocks"]


def mean_of_blocks(values: Array, factors: Sequence[int]) -> Array:
    """Return the mean of each block of `factors` elements; the factors must divide the shape.

    >>> mean_of_blocks(np.array([[1, 2], [2, 5], [255, 255], [255, 255]], "u1"), (2, 2))
    array([[  2],
           [255]], dtype=uint8)
    >>> mean_of_blocks(np.array([2**63 - 1, 2**63 - 1, 0, 1]), (2,))
    array([9223372036854775807,                   0])
    """
    kind = values.dtype.kind
    if kind in "mM":
        return _mean_of_times(values, factors)
    if kind == "c":
        parts = np.ascontiguousarray(values).view(f"f{values.dtype.itemsize // 2}").reshape(*values.shape, 2)
        return np.ascontiguousarray(mean_of_blocks(parts, (*factors, 1))).view(values.dtype)[..., 0]
    count = math.prod(factors)
    return _mean_of_integers(values, factors, count) if kind in "iu" else _mean(values, factors, count)


def block_sum(values: Array, factors: Sequence[int], dtype: Any) -> Array:
    """Return the sum of each block as `dtype`, computed one axis at a time, the outermost first."""
    found: Array = values
    for axis, factor in enumerate(factors):
        if factor > 1:
            # Whole rows are added first, so that at most half of the elements are left for the slower axes.
            parts = [found[(*[slice(None)] * axis, slice(place, None, factor))] for place in range(factor)]
            found = np.add(parts[0], parts[1], dtype=dtype)
            for part in parts[2:]:
                np.add(found, part, out=found)
    return found if found is not values else values.astype(dtype)


# --- integers -------------------------------------------------------------------------------------------


def _mean_of_integers(values: Array, factors: Sequence[int], count: int) -> Array:
    limits = np.iinfo(values.dtype)
    for bits in (16, 32, 64):
        room = np.iinfo(f"{values.dtype.kind}{bits // 8}")
        # Rounding adds half a block.
        if limits.max * count + count <= room.max and limits.min * count >= room.min:
            return _halves_to_even(block_sum(values, factors, room.dtype), count).astype(values.dtype)
    return _mean_of_large(values, factors, count)


def _halves_to_even(sums: Array, count: int) -> Array:
    """Divide each sum by `count`, rounded to the nearest integer, ties to even."""
    number = sums.dtype.type
    if count == 1:
        return sums
    if count & (count - 1) == 0:
        bits = number(count.bit_length() - 1)
        odd: Array = (sums >> bits) & number(1)
        odd += number(count // 2 - 1)
        found: Array = (sums + odd) >> bits
        return found
    raised = sums + number(count // 2)
    found = raised // number(count)
    if count % 2 == 0:
        found -= (raised == found * number(count)) & (found & number(1)).astype(np.bool_)
    return found


def _mean_of_large(values: Array, factors: Sequence[int], count: int) -> Array:
    """Compute means from quotients and remainders; wraparound cancels out, since the mean always fits."""
    number = values.dtype.type
    if count & (count - 1) == 0:
        quotients, left = values >> number(count.bit_length() - 1), values & number(count - 1)
    else:
        quotients = values // number(count)
        left = values - quotients * number(count)
    whole = block_sum(quotients, factors, values.dtype)
    rest = block_sum(left.astype(np.int64, copy=False), factors, np.int64)
    more = rest // count
    whole += more.astype(values.dtype)
    twice = 2 * (rest - more * count)
    odd = (whole & number(1)).astype(np.bool_)
    whole += ((twice > count) | ((twice == count) & odd)).astype(values.dtype)
    return whole


def _mean_of_times(values: Array, factors: Sequence[int]) -> Array:
    """Return means of dates or durations; a block with NaT gives NaT."""
    numbers: Array = values.view(np.int64)
    found = mean_of_blocks(numbers, factors)
    missing = block_sum(np.isnat(values), factors, np.int64) > 0
    found[missing] = np.iinfo(np.int64).min
    return found.view(values.dtype)


# --- floating point -------------------------------------------------------------------------------------


def _mean(values: Array, factors: Sequence[int], count: int) -> Array:
    wide = np.promote_types(values.dtype, np.float64)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        found: Array = block_sum(values, factors, wide) / wide.type(count)
        if wide == values.dtype:
            found = _kept_between(found, values, factors)
        narrow: Array = found.astype(values.dtype, copy=False)
        return narrow


def _kept_between(found: Array, values: Array, factors: Sequence[int]) -> Array:
    """Correct means whose sums overflowed or were rounded, to stay within the values of the block.

    So the mean of equal values is that value, and chunks of the fill value stay unchanged.
    """
    if np.isinf(found).any():
        count = values.dtype.type(math.prod(factors))
        again = block_sum(values / count, factors, values.dtype)
        found = np.where(np.isinf(found), again, found)
    if max(factors) > 2:  # else each sum has two terms, and the sum of equal terms is exact
        low, high = values, values
        for axis, factor in enumerate(factors):
            if factor > 1:
                parts = [(*[slice(None)] * axis, slice(place, None, factor)) for place in range(factor)]
                low = np.minimum.reduce([low[part] for part in parts])
                high = np.maximum.reduce([high[part] for part in parts])
        found = np.clip(found, low, high)
    return found
