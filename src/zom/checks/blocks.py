"""Array values in blocks, for rules that compare arrays of any size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias
from zlib import crc32

from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Blocks", "first_outside", "in_step", "index_text", "repeated"]

Blocks: TypeAlias = "Iterator[tuple[tuple[int, ...], Any]]"
"""Blocks of values, each with the index where it begins."""

SUMS: Final = 1 << 22
"""Number of checksums held at once."""
CANDIDATES: Final = 1 << 10
"""Number of values with equal checksums compared at once."""


def in_step(lefts: Blocks, rights: Blocks) -> Iterator[tuple[int, Any, Any]]:
    """Yield equal slices of two arrays along the first dimension, with their start, wherever blocks end.

    Blocks must span all other dimensions.

    >>> [(begin, left, right) for begin, left, right in in_step(iter([((0,), "abc")]), iter([((0,), "x"), ((1,), "yz")]))]
    [(0, 'a', 'x'), (1, 'bc', 'yz')]
    """
    left: Any = None
    right: Any = None
    begin = 0
    while True:
        left = next(lefts, (None, None))[1] if left is None or not len(left) else left
        right = next(rights, (None, None))[1] if right is None or not len(right) else right
        if left is None or right is None:
            return
        size = min(len(left), len(right))
        yield begin, left[:size], right[:size]
        left, right, begin = left[size:], right[size:], begin + size


def index_text(start: tuple[int, ...], place: Any) -> str:
    """The index, as text, of the value at `place` in the block that begins at `start`.

    >>> index_text((4, 0), (1, 2)), index_text((), ())
    ('5, 2', '()')
    """
    return ", ".join(str(first + int(step)) for first, step in zip(start, place, strict=True)) or "()"


def first_outside(blocks: Blocks, known: Any) -> tuple[Any, str] | None:
    """The first value that is not in `known`, with its index, or None.

    >>> first_outside(iter([((0,), np.array([1, 2])), ((2,), np.array([1, 7]))]), [1, 2])
    (np.int64(7), '3')
    """
    for start, values in blocks:
        wrong = ~np.isin(values, known)
        if wrong.any():
            place = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
            return values[place], index_text(start, place)
    return None


def repeated(read: Callable[[], Blocks], size: int) -> tuple[Any, int, int] | None:
    """A repeated value of one dimension and its two indexes, or None if all `size` values differ.

    Holds the checksums of only a share of the values at once, and reads large arrays several times.

    >>> repeated(lambda: iter([((0,), np.array(["a", "b"])), ((2,), np.array(["c", "a"]))]), 4)
    ('a', 0, 3)
    """
    turns = -(-size // SUMS)
    for turn in range(turns):
        shares: list[Any] = []
        for _, values in read():
            sums = _checksums(values)
            shares.append(sums[sums % turns == turn])
        every = np.sort(np.concatenate(shares)) if shares else np.empty(0, "uint32")
        twice = np.unique(every[1:][every[1:] == every[:-1]])
        for first in range(0, len(twice), CANDIDATES):
            found = _repeated_among(read(), twice[first : first + CANDIDATES])
            if found is not None:
                return found
    return None


def _checksums(values: Any) -> Any:
    """A checksum of each value; equal values have equal checksums."""
    texts = (str(value).encode("utf-8", "surrogatepass") for value in values.tolist())
    return np.fromiter(map(crc32, texts), "uint32", len(values))


def _repeated_among(blocks: Blocks, sums: Any) -> tuple[Any, int, int] | None:
    """The first repeated value with one of these checksums; different values may share a checksum."""
    seen: dict[Any, int] = {}
    for (start,), values in blocks:
        for place in np.flatnonzero(np.isin(_checksums(values), sums)).tolist():
            value = values[place : place + 1].tolist()[0]
            if seen.setdefault(value, start + place) != start + place:
                return value, seen[value], start + place
    return None
