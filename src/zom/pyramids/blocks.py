"""Blocks: split an array into blocks of equal shape, and reduce each block to one element."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zom.extension.bound import Array
    from zom.pyramids.method import Method

__all__ = ["computed_as", "in_order", "reduced", "reduced_shape"]

_AT_ONCE = 1 << 20
"""Bytes to reduce at once, so that intermediate results stay in the processor's cache."""


def reduced_shape(shape: Sequence[int], factors: Sequence[int]) -> tuple[int, ...]:
    """Return the number of blocks along each axis, including a partial last block.

    >>> reduced_shape((5, 4), (2, 2))
    (3, 2)
    """
    return tuple(-(-length // factor) for length, factor in zip(shape, factors, strict=True))


def reduced(values: Array, factors: Sequence[int], method: Method, *, out: Array | None = None) -> Array:
    """Reduce each block to one element; the last block of an axis may be smaller.

    >>> from zom.pyramids.method import METHODS
    >>> reduced(np.array([1, 3, 7]), (2,), METHODS["mean"])
    array([2, 7])
    """
    native: Array = values.astype(computed_as(values.dtype), copy=False)
    found: Array = (
        np.empty(reduced_shape(native.shape, factors), in_order(values.dtype)) if out is None else out
    )
    steps = _steps(found.shape, factors, native.dtype.itemsize)
    sides = [list(_pieces(*each)) for each in zip(native.shape, factors, steps, strict=True)]
    for pieces in product(*sides):
        source = native[tuple(piece.source for piece in pieces)]
        target = tuple(piece.target for piece in pieces)
        found[target] = method.reduce(source, [piece.factor for piece in pieces])
    return found


def in_order(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type in native byte order.

    >>> in_order(np.dtype(">u2")) == np.dtype("=u2")
    True
    """
    return dtype if dtype.kind in "OT" else dtype.newbyteorder("=")  # numpy's strings have no byte order


def computed_as(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type to compute with; types of ml_dtypes are replaced by numpy's own.

    >>> computed_as(np.dtype("u2"))
    dtype('uint16')
    """
    if dtype.type.__module__ != "ml_dtypes":
        return in_order(dtype)
    return np.dtype({"i": "i1", "u": "u1"}.get(dtype.name[0], "f8"))


def _steps(counts: Sequence[int], factors: Sequence[int], itemsize: int) -> list[int]:
    """Return the number of blocks to reduce at once along each axis: whole rows first."""
    steps = list(counts)
    size = math.prod(counts) * math.prod(factors) * max(itemsize, 1)
    for axis, count in enumerate(counts):
        if size <= _AT_ONCE:
            break
        row = size // max(count, 1)
        steps[axis] = max(1, _AT_ONCE // max(row, 1))
        size = row * steps[axis]
    return steps


class _Piece(NamedTuple):
    """A range of one axis with blocks of equal length."""

    source: slice
    target: slice
    factor: int


def _pieces(length: int, factor: int, step: int) -> Iterator[_Piece]:
    whole, rest = divmod(length, factor)
    for first in range(0, whole, step):
        last = min(first + step, whole)
        yield _Piece(slice(first * factor, last * factor), slice(first, last), factor)
    if rest:
        yield _Piece(slice(whole * factor, length), slice(whole, whole + 1), rest)
