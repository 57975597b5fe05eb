"""Indexes: the selected elements of an array, in the single form that the engine uses.

Every kind of key is converted to it: for each dimension, a slice with a positive step, or an array of
non-negative indices. The layout of the result is not part of it, but of the selection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from zom.extension.axis import Indices

__all__ = ["AxisIndex", "Index", "length_of", "mesh", "points_place"]

AxisIndex: TypeAlias = "slice[int, int, int] | Indices"
"""The selection along one dimension: a slice with a positive step, or indices in any order."""


def length_of(entry: AxisIndex) -> int:
    """The number of selected elements.

    >>> length_of(slice(0, 6, 2))
    3
    """
    return len(range(entry.start, entry.stop, entry.step)) if isinstance(entry, slice) else len(entry)


class Index(NamedTuple):
    """The selected elements, dimension by dimension.

    The array of these elements has one dimension per entry, in order. `joint` arrays are taken together,
    point by point, and make one dimension: where numpy puts it, in the place of adjacent arrays, and
    otherwise first.

    >>> Index((slice(0, 6, 2), np.array([5, 1]))).shape
    (3, 2)
    >>> Index((np.array([5, 1]), slice(0, 6, 2), np.array([0, 0])), joint=True).shape
    (2, 3)
    """

    entries: tuple[AxisIndex, ...]
    joint: bool = False

    @property
    def basic(self) -> bool:
        """Whether all entries are slices, so that numpy returns a view."""
        for entry in self.entries:  # noqa: SIM110 - twice as fast as all()
            if type(entry) is not slice:
                return False
        return True

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array of these elements."""
        lengths = [length_of(entry) for entry in self.entries]
        if not self.joint or self.basic:
            return tuple(lengths)
        arrays = [place for place, entry in enumerate(self.entries) if not isinstance(entry, slice)]
        rest = [length for place, length in enumerate(lengths) if place not in arrays]
        rest.insert(points_place(arrays), lengths[arrays[0]])
        return tuple(rest)

    def as_numpy(self) -> Any:
        """The numpy index for these elements; the result has the `shape` of this index.

        >>> chunk = np.arange(12).reshape(3, 4)
        >>> chunk[Index((np.array([2, 0]), np.array([1, 1, 3]))).as_numpy()]
        array([[ 9,  9, 11],
               [ 1,  1,  3]])
        """
        # Without dimensions, numpy returns an array only for `...`.
        return (self.entries if self.joint else mesh(self.entries)) or (...,)


def points_place(arrays: list[int]) -> int:
    """The dimension of the result for joint arrays in these places.

    >>> points_place([1, 2]), points_place([1, 3])
    (1, 0)
    """
    return arrays[0] if arrays[-1] - arrays[0] == len(arrays) - 1 else 0


def mesh(entries: tuple[AxisIndex, ...]) -> Any:
    """An index for numpy that takes the product of all entries, each in its own dimension."""
    arrays = [place for place, entry in enumerate(entries) if type(entry) is not slice]
    if len(arrays) < 2:
        return entries
    # Arrays that are not adjacent would come first: slices between them become arrays, too.
    first, last = arrays[0], arrays[-1]
    made: list[Any] = list(entries)
    for place in range(first, last + 1):
        entry = entries[place]
        if isinstance(entry, slice):
            entry = np.arange(entry.start, entry.stop, entry.step)
        made[place] = entry.reshape((-1,) + (1,) * (last - place))
    return tuple(made)
