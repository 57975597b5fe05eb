"""Points: keys with arrays of indices, which numpy takes together, point by point.

https://numpy.org/doc/stable/user/basics.indexing.html#advanced-indexing
Arrays are broadcast to one shape. Its axes replace the arrays in the key, or come first if something is
between the arrays; an integer counts as an array there, and a mask as one array per dimension.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from zom.dataclass import dataclass
from zom.engine.index import AxisIndex, Index, length_of, points_place
from zom.engine.key import FULL, as_entry, forward, indices_in, nonzero, number_in
from zom.errors import SelectionError

if TYPE_CHECKING:
    from zom.engine.key import Term
    from zom.extension.axis import Indices
    from zom.extension.bound import Array

__all__ = ["BACK", "Layout", "points"]

BACK = slice(None, None, -1)
"""An index that reverses an axis."""


@dataclass(frozen=True, slots=True)
class Layout:
    """An index, and how to convert the result's axes to those of the array of the index."""

    index: Index
    shape: tuple[int, ...]
    """The shape of the result."""
    axes: tuple[int, ...]
    """The axes of the result, in a new order."""
    view: tuple[Any, ...]
    """The index to apply then."""
    merges: bool
    """Whether to reshape after that, because the array of the index merges several axes into one."""


def points(found: list[Term], shape: tuple[int, ...], *, first: bool) -> Layout:
    """The layout of terms that include arrays; their axes come `first`, or where numpy puts them.

    >>> points([np.array([0, 2]), slice(None), np.array([[1], [3]])], (3, 4, 5), first=False).shape
    (2, 2, 4)
    """
    gathered = _gather(found, shape)
    if first:
        gathered = gathered._replace(first=0)
    shapes = [array.shape for array in gathered.arrays]
    try:
        spread = np.broadcast_shapes(*shapes)
    except ValueError as cause:
        text = ", ".join(map(str, shapes))
        raise SelectionError(
            f"expected arrays of indices that broadcast together, found the shapes {text}"
        ) from cause
    if 0 in spread:
        # As in numpy, nothing is out of bounds if no point is left.
        return _joint(gathered, spread)
    pairs = zip(gathered.arrays, gathered.places, strict=True)
    checked = [array if place < 0 else indices_in(array, shape[place], place) for array, place in pairs]
    gathered = gathered._replace(arrays=checked)
    at = _mesh_axes(shapes, len(spread))
    return _joint(gathered, spread) if at is None else _meshed(gathered, spread, at)


class _Gathered(NamedTuple):
    """The meaning of the terms of a key."""

    entries: list[AxisIndex]
    """For each dimension, the selection by a slice or an integer."""
    axes: list[int | None]
    """The axes of the result except those of the arrays: their dimension, or None for new ones."""
    backward: set[int]
    """The dimensions with backward slices."""
    arrays: list[Indices]
    places: list[int]
    """The dimension of each array; -1 for a mask without dimensions, which only has a length."""
    first: int
    """The first axis of the result that belongs to the arrays."""


def _gather(found: list[Term], shape: tuple[int, ...]) -> _Gathered:
    gathered = _Gathered([], [], set(), [], [], 0)
    entries, first = gathered.entries, 0
    advanced = [number for number, term in enumerate(found) if isinstance(term, (int, np.ndarray))]
    for number, term in enumerate(found):
        place = len(entries)
        if number == advanced[0]:
            first = len(gathered.axes)
        if isinstance(term, slice):
            entry, _, backward = forward(term, shape[place], place)
            entries.append(entry)
            gathered.axes.append(place)
            if backward:
                gathered.backward.add(place)
        elif isinstance(term, int):
            index = number_in(term, shape[place], place)
            entries.append(slice(index, index + 1, 1))
        elif isinstance(term, np.ndarray):
            _gather_array(term, shape, gathered)
        elif term is None:
            gathered.axes.append(None)
    # Even a "..." that stands for no dimension separates its neighbours.
    apart = advanced[-1] - advanced[0] >= len(advanced)
    return gathered._replace(first=0 if apart else first)


def _gather_array(term: Array, shape: tuple[int, ...], gathered: _Gathered) -> None:
    place = len(gathered.entries)
    if term.dtype.kind == "b" and not term.ndim:
        gathered.arrays.append(np.zeros(int(term), np.int64))
        gathered.places.append(-1)
        return
    arrays = nonzero(term, shape[place:], place) if term.dtype.kind == "b" else (term,)
    gathered.arrays.extend(arrays)
    gathered.places.extend(range(place, place + len(arrays)))
    gathered.entries.extend([slice(0, 0, 1)] * len(arrays))


def _mesh_axes(shapes: list[tuple[int, ...]], rank: int) -> list[int | None] | None:
    """Per array, its only axis longer than 1, as in `np.ix_`; None if it has two, or arrays share one."""
    found: list[int | None] = []
    for shape in shapes:
        long = [rank - len(shape) + axis for axis, length in enumerate(shape) if length != 1]
        if len(long) > 1 or (long and long[0] in found):
            return None
        found.append(long[0] if long else None)
    return found


def _meshed(gathered: _Gathered, spread: tuple[int, ...], at: list[int | None]) -> Layout:
    """Arrays that span a product: each dimension is selected by itself, without a list of points."""
    entries, axis_of = gathered.entries, _axis_of(gathered, len(spread))
    for array, place, axis in zip(gathered.arrays, gathered.places, at, strict=True):
        if place >= 0:
            entries[place] = as_entry(array.reshape(-1))
            if axis is not None:
                axis_of[place] = gathered.first + axis
    sources: list[tuple[int, ...]] = [
        (axis_of[place],) if place in axis_of else () for place in range(len(entries))
    ]
    return _laid_out(gathered, spread, Index(tuple(entries)), sources)


def _joint(gathered: _Gathered, spread: tuple[int, ...]) -> Layout:
    """Arrays that are taken together, broadcast to one shape."""
    entries, axis_of = gathered.entries, _axis_of(gathered, len(spread))
    places: list[int] = []
    for array, place in zip(gathered.arrays, gathered.places, strict=True):
        if place >= 0:
            entries[place] = np.broadcast_to(array, spread).reshape(-1)
            places.append(place)
    rest = [place for place in range(len(entries)) if place not in places]
    sources: list[tuple[int, ...]] = [(axis_of[place],) if place in axis_of else () for place in rest]
    if places:
        sources.insert(points_place(places), tuple(range(gathered.first, gathered.first + len(spread))))
        if len(places) == 1:
            entries[places[0]] = as_entry(np.asarray(entries[places[0]]))
    # A false mask without dimensions selects nothing, which no dimension shows.
    nothing = [slice(0, 0, 1)] if entries and not places and 0 in spread else []
    index = Index((*nothing, *entries[len(nothing) :]), joint=len(places) > 1)
    return _laid_out(gathered, spread, index, sources)


def _axis_of(gathered: _Gathered, rank: int) -> dict[int, int]:
    """The axis of the result for each dimension with a slice."""
    first = gathered.first
    return {
        place: axis if axis < first else axis + rank
        for axis, place in enumerate(gathered.axes)
        if place is not None
    }


def _laid_out(
    gathered: _Gathered, spread: tuple[int, ...], index: Index, sources: list[tuple[int, ...]]
) -> Layout:
    """The layout; `sources` has, per axis of the index's array, the axes of the result that form it."""
    entries, first = gathered.entries, gathered.first
    shape = [1 if place is None else length_of(entries[place]) for place in gathered.axes]
    shape[first:first] = spread
    turned = {axis for place, axis in _axis_of(gathered, len(spread)).items() if place in gathered.backward}
    axes: list[int] = []
    view: list[Any] = []
    for source in sources:
        axes.extend(source)
        view.extend([BACK if axis in turned else FULL for axis in source] or [None])
    rest = [axis for axis in range(len(shape)) if axis not in axes]
    # An empty axis of a mask without dimensions is not in the index, and can't be dropped.
    merges = any(len(source) > 1 for source in sources) or any(not shape[axis] for axis in rest)
    return Layout(index, tuple(shape), (*axes, *rest), (*view, *([0] * len(rest)), ...), merges)
