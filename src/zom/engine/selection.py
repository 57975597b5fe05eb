"""Selections: the elements that a key selects, and the layout of the resulting array.

`array[key]` follows numpy: https://numpy.org/doc/stable/user/basics.indexing.html. `oindex` and `vindex`
follow NEP 21: https://numpy.org/neps/nep-0021-advanced-indexing.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from zom.engine.index import AxisIndex, Index
from zom.engine.key import FULL, as_entry, forward, indices_in, nonzero, number_in, terms
from zom.engine.points import BACK, points
from zom.engine.split import ChunkPart, count_parts, split
from zom.errors import SelectionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.engine.key import Term
    from zom.extension.axis import Axis
    from zom.extension.bound import Array

__all__ = [
    "ChunkPart",
    "Index",
    "Selection",
    "basic_or_numpy",
    "blocks",
    "count_parts",
    "outer",
    "split",
    "vectorized",
]


class Selection:
    """An index, and the layout of the array that the user passes or gets.

    The engine uses another array, `work`, with one dimension for each of the stored array: integers keep an
    axis of length 1, and all steps are positive.

    >>> selection = basic_or_numpy((2, slice(None, None, -2)), (3, 5))
    >>> selection.shape, selection.work_shape, selection.index.entries
    ((3,), (1, 3), (slice(2, 3, 1), slice(0, 5, 2)))
    >>> work, is_view = selection.work_of(out := np.zeros(3))
    >>> work[:] = [[1, 2, 3]]
    >>> out, is_view
    (array([3., 2., 1.]), True)
    """

    __slots__ = ("_axes", "_merges", "_view", "index", "is_empty", "shape", "work_shape")

    def __init__(  # noqa: PLR0913 - two shapes, and the way from one to the other
        self,
        index: Index,
        shape: tuple[int, ...],
        work_shape: tuple[int, ...],
        *,
        view: tuple[Any, ...] | None = None,
        axes: tuple[int, ...] | None = None,
        merges: bool = False,
    ) -> None:
        self.index = index
        self.shape = shape
        """The shape of the result."""
        self.is_empty = 0 in shape
        """Whether it selects no elements; then no chunk may be touched, whatever `index` says."""
        self.work_shape = work_shape
        """The shape of the array that holds the parts of `index`."""
        self._axes = axes
        """The axes of the result in the order of `work`; None if they are equal."""
        self._view = view
        """A numpy index, applied next, that reverses steps, drops new axes and adds those of integers."""
        self._merges = merges
        """Whether `work` merges several axes of the result: those of an array of indices."""

    def work_of(self, out: Array) -> tuple[Array, bool]:
        """The array to fill for `out`, which has the shape of the result, and whether it is a view.

        If it is not a view, pass it to `put_back` afterwards.
        """
        if not self._merges:
            return (out if self._view is None and self._axes is None else self._turned(out)), True
        if self.is_empty:
            return np.empty(self.work_shape, out.dtype), False
        turned = self._turned(out)
        work = turned.reshape(self.work_shape)
        if np.may_share_memory(work, turned):
            return work, True
        return np.empty(self.work_shape, out.dtype), False

    def put_back(self, work: Array, out: Array) -> None:
        """Copy the filled `work` into `out`."""
        if not self.is_empty:
            turned = self._turned(out)
            turned[...] = work.reshape(turned.shape)

    def spread(self, value: Array) -> Array:
        """`value` in the layout of `work`, broadcast as in numpy assignments; a view if possible."""
        shape = value.shape
        if shape == self.shape:
            return self._as_work(value)
        if not shape:
            return np.broadcast_to(value, self.work_shape)
        extra = max(0, len(shape) - len(self.shape))
        fitting = value.reshape(shape[extra:]) if all(length == 1 for length in shape[:extra]) else None
        try:
            if fitting is not None:
                return self._as_work(np.broadcast_to(fitting, self.shape))
        except ValueError:
            pass
        raise SelectionError(
            f"expected values of the shape {self.shape}, or that broadcast to it, found {shape}"
        )

    def _as_work(self, value: Array) -> Array:
        if not self._merges:
            return self._turned(value)
        if self.is_empty:
            return np.empty(self.work_shape, value.dtype)
        return self._turned(value).reshape(self.work_shape)

    def _turned(self, array: Array) -> Array:
        if self._axes is not None:
            array = array.transpose(self._axes)
        return array if self._view is None else array[self._view]


def basic_or_numpy(key: Any, shape: tuple[int, ...]) -> Selection:
    """The selection of `array[key]`, as in numpy.

    >>> basic_or_numpy(([0, 2], slice(None), [[1], [3]]), (3, 4, 5)).shape
    (2, 2, 4)
    """
    found = terms(key, len(shape))
    return _together(found, shape, first=False) if _has_arrays(found) else _each(found, shape)


def vectorized(key: Any, shape: tuple[int, ...]) -> Selection:
    """The selection of `array.vindex[key]`: arrays are taken together, and make the first axes.

    >>> vectorized((slice(None), [0, 2, 2], [1, 3, 0]), (3, 4, 5)).shape
    (3, 3)
    """
    found = terms(key, len(shape))
    return _together(found, shape, first=True) if _has_arrays(found) else _each(found, shape)


def outer(key: Any, shape: tuple[int, ...]) -> Selection:
    """The selection of `array.oindex[key]`: each dimension by itself.

    >>> outer(([0, 2], slice(None), [True, False, True, False, False]), (3, 4, 5)).shape
    (2, 4, 2)
    """
    found = terms(key, len(shape))
    for term in found:
        if term is None:
            raise SelectionError("expected no None in a key of oindex: add the new axis to the result")
        if isinstance(term, np.ndarray) and term.ndim != 1:
            message = f"expected arrays and masks of 1 dimension in a key of oindex, found one of {term.ndim}"
            raise SelectionError(message)
    return _each(found, shape)


def blocks(key: Any, axes: Sequence[Axis]) -> Selection:
    """The selection of `array.blocks[key]`: whole chunks, counted along each dimension.

    >>> from zom.extension.axis import Axis
    >>> blocks((1, slice(None, None, 2)), (Axis(10, 4), Axis(9, 2))).shape
    (4, 5)
    """
    entries: list[AxisIndex] = []
    for term in terms(key, len(axes)):
        if term is ...:
            continue
        place = len(entries)
        axis = axes[place]
        if isinstance(term, int):
            chunk = number_in(term, axis.count, place, what="chunk")
            entries.append(_elements(axis, range(chunk, chunk + 1)))
        elif isinstance(term, slice):
            chosen, _, backward = forward(term, axis.count, place)
            chunks = range(chosen.start, chosen.stop, chosen.step)
            entries.append(_elements(axis, chunks[::-1] if backward else chunks))
        else:
            raise SelectionError(
                "expected integers and slices of chunks in a key of blocks, found something else"
            )
    index = Index(tuple(entries))
    return Selection(index, index.shape, index.shape)


def _elements(axis: Axis, chunks: range) -> AxisIndex:
    """The elements of these chunks along one dimension."""
    if not chunks:
        return slice(0, 0, 1)
    spans = [
        (axis.start(chunk), axis.size(chunk))
        for chunk in ((chunks[0], chunks[-1]) if chunks.step == 1 else chunks)
    ]
    if chunks.step == 1:
        return slice(spans[0][0], min(sum(spans[-1]), axis.length), 1)
    # There are other chunks in between, or chunks go backward while the elements in each go forward.
    return as_entry(
        np.concatenate([np.arange(start, min(start + size, axis.length)) for start, size in spans])
    )


def _has_arrays(found: list[Term]) -> bool:
    for term in found:  # noqa: SIM110 - twice as fast as any()
        if isinstance(term, np.ndarray):
            return True
    return False


def _together(found: list[Term], shape: tuple[int, ...], *, first: bool) -> Selection:
    made = points(found, shape, first=first)
    return Selection(
        made.index, made.shape, made.index.shape, axes=made.axes, view=made.view, merges=made.merges
    )


def _each(found: list[Term], shape: tuple[int, ...]) -> Selection:
    """The selection of each dimension by itself."""
    entries: list[AxisIndex] = []
    view: list[Any] = []
    result: list[int] = []
    work: list[int] = []
    plain = True
    for term in found:
        if term is None:
            view.append(0)
            result.append(1)
            plain = False
            continue
        if term is ...:
            continue
        place = len(entries)
        if isinstance(term, int):
            number = number_in(term, shape[place], place)
            entries.append(slice(number, number + 1, 1))
            work.append(1)
            view.append(None)
            plain = False
            continue
        entry: AxisIndex
        if isinstance(term, slice):
            entry, count, backward = forward(term, shape[place], place)
        else:
            entry, count = _taken(term, shape[place], place)
            backward = False
        entries.append(entry)
        work.append(count)
        view.append(BACK if backward else FULL)
        result.append(count)
        plain = plain and not backward
    # With "...", numpy returns an array, not an element, if no dimension is left.
    turned = None if plain else (*view, ...)
    return Selection(Index(tuple(entries)), tuple(result), tuple(work), view=turned)


def _taken(term: Array, length: int, place: int) -> tuple[AxisIndex, int]:
    """The selection of an array of indices or booleans along one dimension, and its number of elements."""
    indices = (
        nonzero(term, (length,), place)[0] if term.dtype.kind == "b" else indices_in(term, length, place)
    )
    return as_entry(indices), len(indices)
