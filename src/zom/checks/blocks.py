"""Values of arrays in blocks: what rules that compare two arrays need, however large those are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Blocks", "in_step"]

Blocks: TypeAlias = "Iterator[tuple[tuple[int, ...], Any]]"
"""Values, block by block, each with the index where it begins."""


def in_step(lefts: Blocks, rights: Blocks) -> Iterator[tuple[int, Any, Any]]:
    """The values of two arrays, of which the first dimension is cut into equal pieces, wherever their blocks end.

    Blocks must hold all of the other dimensions.

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
