"""Keys: parse the key of `array[...]` as numpy does.

https://numpy.org/doc/stable/user/basics.indexing.html
Each part of a key becomes a term: an integer, a slice, None for a new axis, `...`, or a numpy array of
indices or of booleans. Anything else, and anything that doesn't fit the array, raises SelectionError.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from zom.count import count_of
from zom.errors import SelectionError

if TYPE_CHECKING:
    from types import EllipsisType

    from zom.engine.index import AxisIndex
    from zom.extension.axis import Indices
    from zom.extension.bound import Array

__all__ = ["FULL", "Term", "as_entry", "forward", "indices_in", "nonzero", "number_in", "terms"]

Term: TypeAlias = "int | slice[Any, Any, Any] | EllipsisType | Array | None"
"""One part of a key; an array is boolean, or has integer indices and dimensions."""

FULL = slice(None)
"""A whole dimension."""

_PLAIN: frozenset[type] = frozenset({int, slice, type(None), type(...)})

_WANTED = "an integer, a slice, '...', None, or an array of integers or booleans"


def terms(key: Any, rank: int) -> list[Term]:
    """The parts of a key for an array of `rank` dimensions, completed with full slices.

    `...` is followed by the slices that it stands for.

    >>> terms((..., 1), 2), terms([True, False], 1)
    ([Ellipsis, slice(None, None, None), 1], [array([ True, False])])
    """
    # No cast here: it would be a call for each key.
    parts: tuple[Any, ...] = key if isinstance(key, tuple) else (key,)  # pyright: ignore[reportUnknownVariableType]
    found: list[Term] = []
    used, dots = 0, -1
    for part in parts:
        term: Term = part if type(part) in _PLAIN else _term(part)
        if term is Ellipsis:
            if dots >= 0:
                raise SelectionError("expected '...' at most once in a key, found it twice")
            dots = len(found)
        elif isinstance(term, np.ndarray):
            used += term.ndim if term.dtype.kind == "b" else 1
        elif term is not None:
            used += 1
        found.append(term)
    if used > rank:
        what = count_of(rank, "dimension")
        raise SelectionError(f"expected a key for {what} or fewer, found one for {used}")
    if used < rank:
        place = dots + 1 if dots >= 0 else len(found)
        found[place:place] = [FULL] * (rank - used)
    return found


def _term(part: Any) -> Term:
    if not isinstance(part, np.ndarray):
        if not isinstance(part, (bool, np.bool_)) and hasattr(part, "__index__"):
            return _integer(part)
        part = _as_array(part)
    array = cast("Array", part)
    if array.dtype.kind == "b":
        return array
    if array.dtype.kind not in "iu":
        raise SelectionError(f"expected {_WANTED}, found an array of {array.dtype}")
    if not array.ndim:
        return int(array)
    # A value beyond numpy's index type would wrap around to a negative index.
    if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
        raise SelectionError(f"index {array.max()} is out of bounds for every array")
    return array.astype(np.int64, copy=False)


def _integer(part: Any) -> int:
    try:
        return operator.index(part)
    except TypeError as cause:
        raise SelectionError(f"expected {_WANTED}, found {part!r}") from cause


def _as_array(part: Any) -> Array:
    if isinstance(part, (str, bytes, float, complex)):
        raise SelectionError(f"expected {_WANTED}, found {part!r}")
    try:
        made: Array = np.asarray(part)
    except ValueError as cause:
        raise SelectionError(f"expected {_WANTED}, found lists of different lengths") from cause
    # An empty list has no type: numpy treats it as indices.
    if not made.size and made.ndim and made.dtype.kind == "f":
        return made.astype(np.int64)
    if made.dtype.kind not in "biu":
        raise SelectionError(f"expected {_WANTED}, found {part!r}")
    return made


def nonzero(mask: Array, lengths: tuple[int, ...], dimension: int) -> tuple[Indices, ...]:
    """Where a mask is true, as indices for `dimension` and the following ones, one per dimension of the mask.

    These dimensions have the `lengths`.

    >>> nonzero(np.array([False, True, True]), (3,), 0)
    (array([1, 2]),)
    """
    for place, (found, length) in enumerate(zip(mask.shape, lengths, strict=False), dimension):
        # As in numpy, an empty mask fits everywhere, and selects nothing.
        if found not in {0, length}:
            message = f"expected a mask of length {length} for dimension {place}, found length {found}"
            raise SelectionError(message)
    return mask.nonzero()


def number_in(term: int, length: int, dimension: int, *, what: str = "index") -> int:
    """An index that may count from the end, as a non-negative one.

    >>> number_in(-1, 4, 0)
    3
    """
    found = term + length if term < 0 else term
    if not 0 <= found < length:
        raise SelectionError(f"{what} {term} is out of bounds for dimension {dimension} of length {length}")
    return found


def forward(
    term: slice[Any, Any, Any], length: int, dimension: int
) -> tuple[slice[int, int, int], int, bool]:
    """A slice with positive step over the same elements, their number, and whether `term` goes backward.

    >>> forward(slice(None, None, -2), 6, 0)
    (slice(1, 6, 2), 3, True)
    """
    if term == FULL:
        return slice(0, length, 1), length, False
    try:
        start, stop, step = term.indices(length)
    except (TypeError, ValueError) as cause:
        raise SelectionError(f"dimension {dimension} of length {length}: {cause}") from cause
    count = max(0, (stop - start + step - (1 if step > 0 else -1)) // step)
    if count < 2:
        return (slice(start, start + 1, 1), 1, False) if count else (slice(0, 0, 1), 0, False)
    last = start + (count - 1) * step
    return (
        (slice(start, last + 1, step), count, False)
        if step > 0
        else (slice(last, start + 1, -step), count, True)
    )


def indices_in(array: Indices, length: int, dimension: int) -> Indices:
    """Indices that may count from the end, as non-negative ones.

    >>> indices_in(np.array([0, -1]), 4, 0)
    array([0, 3])
    """
    if not array.size:
        return array
    low, high = int(array.min()), int(array.max())
    if high >= length or low < -length:
        number_in(high if high >= length else low, length, dimension)
    return np.where(array < 0, array + length, array) if low < 0 else array


def as_entry(indices: Indices) -> AxisIndex:
    """1-D indices as a slice, if they ascend with a constant step.

    >>> as_entry(np.array([2, 5, 8])), as_entry(np.array([2, 2]))
    (slice(2, 9, 3), array([2, 2]))
    """
    count = len(indices)
    if not count:
        return slice(0, 0, 1)
    first, last = int(indices[0]), int(indices[-1])
    if count == 1:
        return slice(first, first + 1, 1)
    step = int(indices[1]) - first
    if step < 1 or last - first != step * (count - 1) or not (np.diff(indices) == step).all():
        return indices
    return slice(first, last + 1, step)
