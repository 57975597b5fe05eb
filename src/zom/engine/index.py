"""Indexes: which elements of an array are meant, in the one form that the engine works with.

Every kind of key becomes it: for each dimension there is a slice that goes forward, or an array of
indices that are not negative. What a result looks like is not told here, but by the selection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from zom.extension.axis import Indices

__all__ = ["AxisIndex", "Index", "length_of", "mesh", "points_place"]

AxisIndex: TypeAlias = "slice[int, int, int] | Indices"
"""What is meant along one dimension: a slice of positive step, or indices in any order."""


def length_of(entry: AxisIndex) -> int:
    """How many elements are meant.

    >>> length_of(slice(0, 6, 2))
    3
    """
    return len(range(entry.start, entry.stop, entry.step)) if isinstance(entry, slice) else len(entry)


class Index(NamedTuple):
    """The elements that are meant, dimension by dimension.

    The array that they make has one dimension for each entry, in order. Arrays that are `joint` go
    together point by point, and make one dimension: where numpy puts it, in the place of arrays that
    stand side by side, and else first.

    >>> Index((slice(0, 6, 2), np.array([5, 1]))).shape
    (3, 2)
    >>> Index((np.array([5, 1]), slice(0, 6, 2), np.array([0, 0])), joint=True).shape
    (2, 3)
    """

    entries: tuple[AxisIndex, ...]
    joint: bool = False

    @property
    def basic(self) -> bool:
        """Whether all entries are slices: numpy gives a view then."""
        for entry in self.entries:  # noqa: SIM110 - twice as fast as all()
            if type(entry) is not slice:
                return False
        return True

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array that the elements make."""
        lengths = [length_of(entry) for entry in self.entries]
        if not self.joint or self.basic:
            return tuple(lengths)
        arrays = [place for place, entry in enumerate(self.entries) if not isinstance(entry, slice)]
        rest = [length for place, length in enumerate(lengths) if place not in arrays]
        rest.insert(points_place(arrays), lengths[arrays[0]])
        return tuple(rest)

    def as_numpy(self) -> Any:
        """What to index a numpy array with, to have just these elements in the array of `shape`.

        >>> chunk = np.arange(12).reshape(3, 4)
        >>> chunk[Index((np.array([2, 0]), np.array([1, 1, 3]))).as_numpy()]
        array([[ 9,  9, 11],
               [ 1,  1,  3]])
        """
        # Without dimensions, numpy gives an array only where it is asked for all of it.
        return (self.entries if self.joint else mesh(self.entries)) or (...,)


def points_place(arrays: list[int]) -> int:
    """The dimension of the result that joint arrays make, of arrays in these places.

    >>> points_place([1, 2]), points_place([1, 3])
    (1, 0)
    """
    return arrays[0] if arrays[-1] - arrays[0] == len(arrays) - 1 else 0


def mesh(entries: tuple[AxisIndex, ...]) -> Any:
    """What makes numpy take the product of all entries, each in its own dimension."""
    arrays = [place for place, entry in enumerate(entries) if type(entry) is not slice]
    if len(arrays) < 2:
        return entries
    # Arrays that don't stand side by side would come first: slices between them become arrays, too.
    first, last = arrays[0], arrays[-1]
    made: list[Any] = list(entries)
    for place in range(first, last + 1):
        entry = entries[place]
        if isinstance(entry, slice):
            entry = np.arange(entry.start, entry.stop, entry.step)
        made[place] = entry.reshape((-1,) + (1,) * (last - place))
    return tuple(made)
