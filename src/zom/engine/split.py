"""Splitting: the chunks that an index touches, and the part of each.

Expensive work is done once per dimension, not once per chunk: a chunk's part is one element of a product,
iterated without Python code in between. Memory grows with the chunks touched along each dimension, time
with all chunks touched; other chunks cost nothing.
"""

from __future__ import annotations

import math
from itertools import chain, pairwise, product, repeat
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from zom.engine.index import AxisIndex, Index, length_of, mesh, points_place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zom.extension.axis import Axis, Indices
    from zom.extension.keys import KeyForm

__all__ = ["ChunkPart", "Walk", "count_parts", "split", "walk"]


_NEW: Any = tuple.__dict__["__new__"]


class ChunkPart(NamedTuple):
    """The part of one chunk that an index selects: `work[outside] = chunk[inside.as_numpy()]`."""

    chunk: tuple[int, ...]
    """The chunk's position in the grid."""
    inside: Index
    """The selected elements, counted from the chunk's first element; it can be split again."""
    outside: Any
    """The numpy index of the part's place in the array of the whole index."""
    whole: bool
    """Whether every element of the chunk within the array is selected, once and in order."""


class Walk:
    """The parts of an index, in a fixed order: chunks in C order if all entries are slices.

    >>> from zom.extension.axis import Axis
    >>> from zom.extension.keys import KeyForm
    >>> found = walk(Index((slice(0, 4, 1), slice(5, 9, 1))), (Axis(6, 3), Axis(9, 4)))
    >>> found.count, list(found.chunks()), list(found.keys(KeyForm("c/", "/", "c")))
    (4, [(0, 1), (0, 2), (1, 1), (1, 2)], ['c/0/1', 'c/0/2', 'c/1/1', 'c/1/2'])
    """

    __slots__ = ("_columns", "count")

    def __init__(self, columns: tuple[_Column, ...]) -> None:
        self._columns = columns
        self.count = 1
        """Number of parts."""
        for column in columns:
            self.count *= len(column.chunks)

    def __iter__(self) -> Iterator[ChunkPart]:
        columns = self._columns
        if not columns:
            return iter((ChunkPart((), Index(()), (...,), whole=True),))
        if self.count == 1:
            return iter((self.part(0),))
        outsides: Iterator[Any] = product(*[column.outside for column in columns])
        if not all(column.basic for column in columns):
            outsides = map(mesh, outsides)
        insides = _made(Index, zip(product(*[column.inside for column in columns]), repeat(False)))
        wholes = map(all, product(*[column.whole for column in columns]))
        return _made(ChunkPart, zip(self.chunks(), insides, outsides, wholes, strict=True))

    def line(self) -> tuple[int, int]:
        """The dimension along which parts are adjacent, and their number until another dimension advances.

        >>> from zom.extension.axis import Axis
        >>> walk(Index((slice(0, 4, 1), slice(0, 9, 1), slice(0, 2, 1))), (Axis(6, 1), Axis(9, 3), Axis(2, 2))).line()
        (1, 3)
        """
        for axis in reversed(range(len(self._columns))):
            length = len(self._columns[axis].chunks)
            if length > 1:
                return axis, length
        return 0, self.count

    def part(self, number: int) -> ChunkPart:
        """The part at position `number`.

        Single elements are read often, and a product is slow to start.
        """
        chunk: list[int] = []
        inside: list[AxisIndex] = []
        outside: list[AxisIndex] = []
        whole = basic = True
        rest = self.count
        for column in self._columns:
            rest //= len(column.chunks)
            at, number = divmod(number, rest)
            chunk.append(column.chunks[at])
            inside.append(column.inside[at])
            outside.append(column.outside[at])
            whole = whole and column.whole[at]
            basic = basic and column.basic
        place: Any = tuple(outside) if basic else mesh(tuple(outside))
        # Like `_made` for many parts: Python calls would be noticeable here, too.
        index = _NEW(Index, (tuple(inside), False))
        part: ChunkPart = _NEW(ChunkPart, (tuple(chunk), index, place, whole))
        return part

    def along_line(self, first: int, count: int) -> Iterator[tuple[Any, Any]]:
        """Numpy indexes of chunk and result, for `count` parts of one line from `first` on, with slices only.

        >>> from zom.extension.axis import Axis
        >>> found = walk(Index((slice(0, 4, 1), slice(5, 9, 1))), (Axis(6, 3), Axis(9, 4)))
        >>> for inside, outside in found.along_line(2, 2):
        ...     print(inside[1], outside[1])
        slice(1, 4, 1) slice(0, 3, 1)
        slice(0, 1, 1) slice(3, 4, 1)
        """
        axis, line = self.line()
        part = self.part(first)
        entries, outside = part.inside.entries, part.outside
        place = first % line
        column = self._columns[axis]
        return (
            ((*entries[:axis], inner, *entries[axis + 1 :]), (*outside[:axis], outer, *outside[axis + 1 :]))
            for inner, outer in zip(
                column.inside[place : place + count], column.outside[place : place + count], strict=True
            )
        )

    def chunks(self) -> Iterator[tuple[int, ...]]:
        """The chunk of each part."""
        return product(*[column.chunks for column in self._columns])

    def keys(self, form: KeyForm, prefix: str = "") -> Iterator[str]:
        """The key of each part's chunk, after `prefix`."""
        if form.writer is not None:
            return (prefix + form.key(chunk) for chunk in self.chunks())
        if not self._columns:
            return iter((prefix + form.scalar,))
        texts: list[Iterable[str]] = [map(str, column.chunks) for column in self._columns]
        texts[0] = map((prefix + form.head).__add__, texts[0])
        if form.tail:
            texts[-1] = [text + form.tail for text in texts[-1]]
        return map(form.separator.join, product(*texts))

    def numbers(self, grid: tuple[int, ...]) -> Iterator[int]:
        """The number of each part's chunk, with all chunks counted in C order, as in shards."""
        strides = [math.prod(grid[place + 1 :]) for place in range(len(grid))]
        pairs = zip(self._columns, strides, strict=True)
        return map(sum, product(*[[chunk * stride for chunk in column.chunks] for column, stride in pairs]))


class _PointWalk(Walk):
    """The parts of an index whose arrays are taken together, point by point."""

    __slots__ = ("_points", "_rank")

    def __init__(self, columns: tuple[_Column, ...], points: _Points, rank: int) -> None:
        super().__init__(columns)
        self._points = points
        self._rank = rank
        self.count *= len(points.chunks)

    def __iter__(self) -> Iterator[ChunkPart]:
        points, columns = self._points, self._columns
        place = points_place(points.places)
        others = [number for number in range(self._rank) if number not in points.places]
        inside: list[Any] = [None] * self._rank
        rows = [list(zip(column.inside, column.outside, strict=True)) for column in columns]
        chunks = self.chunks()
        for pieces, where in zip(points.inside, points.outside, strict=True):
            for number, piece in zip(points.places, pieces, strict=True):
                inside[number] = piece
            for row in product(*rows):
                outside = [one for _, one in row]
                outside.insert(place, where)
                for number, (one, _) in zip(others, row, strict=True):
                    inside[number] = one
                yield ChunkPart(next(chunks), Index(tuple(inside), joint=True), tuple(outside), whole=False)

    def chunks(self) -> Iterator[tuple[int, ...]]:
        columns, places = self._columns, self._points.places
        if not columns:
            yield from self._points.chunks
            return
        others = [number for number in range(self._rank) if number not in places]
        # The position of each number in the concatenated tuples.
        order = sorted(range(self._rank), key=(*places, *others).__getitem__)
        for mine in self._points.chunks:
            for rest in product(*[column.chunks for column in columns]):
                both = mine + rest
                yield tuple([both[number] for number in order])

    def keys(self, form: KeyForm, prefix: str = "") -> Iterator[str]:
        return (prefix + form.key(chunk) for chunk in self.chunks())

    def numbers(self, grid: tuple[int, ...]) -> Iterator[int]:
        strides = [math.prod(grid[place + 1 :]) for place in range(len(grid))]
        return (sum(map(mul, chunk, strides)) for chunk in self.chunks())


def walk(index: Index, axes: tuple[Axis, ...]) -> Walk:
    """The parts of `index` in the chunks along `axes`, with their number and their keys."""
    entries = index.entries
    if not index.joint:
        return Walk(tuple(map(_column, entries, axes)))
    places = [place for place, entry in enumerate(entries) if not isinstance(entry, slice)]
    if len(places) < 2:
        return Walk(tuple(map(_column, entries, axes)))
    rest = [place for place in range(len(entries)) if place not in places]
    columns = tuple([_column(entries[place], axes[place]) for place in rest])
    arrays = [entry for entry in entries if not isinstance(entry, slice)]
    return _PointWalk(columns, _points(arrays, [axes[place] for place in places], places), len(entries))


def split(index: Index, axes: tuple[Axis, ...]) -> Iterator[ChunkPart]:
    """The part of each chunk that `index` selects, in an array that is cut along `axes`.

    >>> from zom.extension.axis import Axis
    >>> for part in split(Index((slice(2, 9, 3),)), (Axis(10, 4),)):
    ...     print(part.chunk, part.inside.entries, part.outside, part.whole)
    (0,) (slice(2, 3, 3),) (slice(0, 1, 1),) False
    (1,) (slice(1, 2, 3),) (slice(1, 2, 1),) False
    (2,) (slice(0, 1, 3),) (slice(2, 3, 1),) False
    """
    return iter(walk(index, axes))


def count_parts(index: Index, axes: tuple[Axis, ...]) -> int:
    """The number of chunks that `index` touches, which is the number of parts from `split`.

    >>> from zom.extension.axis import Axis
    >>> count_parts(Index((slice(0, 10, 1), slice(0, 10**12, 1))), (Axis(10, 4), Axis(10**12, 1000)))
    3000000000
    """
    if not index.basic:
        return walk(index, axes).count
    return math.prod(
        [_touched(cast("Any", entry), axis) for entry, axis in zip(index.entries, axes, strict=True)]
    )


def _touched(entry: slice[int, int, int], axis: Axis) -> int:
    start, stop, step = entry.start, entry.stop, entry.step
    if stop <= start:
        return 0
    if step > min(axis.sizes):
        return len(_column(entry, axis).chunks)
    # Each chunk is at least as long as a step: none between the first and the last is skipped.
    return axis.at(stop - 1 - (stop - 1 - start) % step)[0] - axis.at(start)[0] + 1


# --- one dimension -----------------------------------------------------------------------------------


class _Column(NamedTuple):
    """The chunks that are touched along one dimension, and the part of each."""

    chunks: list[int]
    inside: list[AxisIndex]
    outside: list[AxisIndex]
    whole: list[bool]
    basic: bool
    """Whether all of `inside` and `outside` are slices."""


def _column(entry: AxisIndex, axis: Axis) -> _Column:
    if not isinstance(entry, slice):
        return _array_column(entry, axis)
    if entry.stop <= entry.start:
        return _Column([], [], [], [], basic=True)
    if entry.step == 1 and axis.regular is not None:
        return _run_column(entry.start, entry.stop, axis.regular, axis.length)
    return _slice_column(entry, axis)


def _run_column(start: int, stop: int, size: int, length: int) -> _Column:
    """The column of a slice without gaps over chunks of one size: only the outer ones can be partial."""
    first, last = start // size, (stop - 1) // size
    begin = last * size
    end_whole = stop - begin == min(size, length - begin)
    if first == last:
        inside: list[AxisIndex] = [slice(start - begin, stop - begin, 1)]
        return _Column(
            [first], inside, [slice(0, stop - start, 1)], [end_whole and start == begin], basic=True
        )
    between = last - first - 1
    edge = (first + 1) * size
    edges = chain((0,), range(edge - start, begin - start + 1, size), (stop - start,))
    return _Column(
        list(range(first, last + 1)),
        [slice(size - (edge - start), size, 1), *[slice(0, size, 1)] * between, slice(0, stop - begin, 1)],
        [slice(low, high, 1) for low, high in pairwise(edges)],
        [edge - start == size, *[True] * between, end_whole],
        basic=True,
    )


def _slice_column(entry: slice[int, int, int], axis: Axis) -> _Column:
    """The column of any slice: from the first selected element in a chunk to the first outside of it."""
    start, step = entry.start, entry.step
    total = length_of(entry)
    column = _Column([], [], [], [], basic=True)
    low = 0
    while low < total:
        at = start + low * step
        chunk, begin, size = axis.at(at)
        high = min(total, (begin + size - 1 - start) // step + 1)
        stop = start + (high - 1) * step + 1
        column.chunks.append(chunk)
        column.inside.append(slice(at - begin, stop - begin, step))
        column.outside.append(slice(low, high, 1))
        column.whole.append(high - low == min(size, axis.length - begin))
        low = high
    return column


def _array_column(entry: Indices, axis: Axis) -> _Column:
    """The column of indices: those of each chunk, in the given order."""
    numbers = axis.find(entry)
    order, bounds = _groups(numbers)
    if order is not None:
        numbers, entry = numbers[order], entry[order]
    inside = entry - axis.starts(numbers)
    chunks: list[int] = numbers[bounds[:-1]].tolist()
    column = _Column(chunks, [], [], [], basic=False)
    for chunk, (low, high) in zip(chunks, pairwise(bounds), strict=True):
        piece = _run_of(inside[low:high])
        column.inside.append(piece)
        column.outside.append(slice(low, high, 1) if order is None else _run_of(order[low:high]))
        extent = min(axis.size(chunk), axis.length - axis.start(chunk))
        column.whole.append(isinstance(piece, slice) and high - low == extent)
    return column


def _run_of(indices: Indices) -> AxisIndex:
    """Indices that ascend by one, as a slice; others unchanged."""
    first, last = int(indices[0]), int(indices[-1])
    if last - first != len(indices) - 1 or not (np.diff(indices) == 1).all():
        return indices
    return slice(first, last + 1, 1)


def _groups(numbers: Indices) -> tuple[Indices | None, list[int]]:
    """A stable order that groups equal numbers, None if they are grouped, and the bounds of each group."""
    if not len(numbers):
        return None, [0]
    order: Indices | None = None
    if (numbers[1:] < numbers[:-1]).any():
        low, high = int(numbers.min()), int(numbers.max())
        # numpy sorts 16-bit numbers by counting, in linear time.
        narrow = (numbers - low).astype(np.uint16) if high - low < 1 << 16 else numbers
        order = np.argsort(narrow, kind="stable")
        numbers = numbers[order]
    changes: list[int] = (np.flatnonzero(numbers[1:] != numbers[:-1]) + 1).tolist()
    return order, [0, *changes, len(numbers)]


# --- points ------------------------------------------------------------------------------------------


class _Points(NamedTuple):
    """Points, gathered by chunk."""

    places: list[int]
    """Their dimensions."""
    chunks: list[tuple[int, ...]]
    """For each chunk, its numbers in these dimensions."""
    inside: list[tuple[Indices, ...]]
    outside: list[AxisIndex]


def _points(arrays: list[Indices], axes: list[Axis], places: list[int]) -> _Points:
    numbers = [axis.find(array) for axis, array in zip(axes, arrays, strict=True)]
    order, bounds = _groups(_raveled(numbers, axes))
    if order is not None:
        numbers, arrays = [one[order] for one in numbers], [one[order] for one in arrays]
    firsts = bounds[:-1]
    chunks: Iterable[tuple[int, ...]] = zip(*[one[firsts].tolist() for one in numbers], strict=True)
    triples = zip(arrays, axes, numbers, strict=True)
    relative = [array - axis.starts(found) for array, axis, found in triples]
    spans = [slice(low, high, 1) for low, high in pairwise(bounds)]
    inside: Iterable[tuple[Indices, ...]] = zip(
        *[[one[span] for span in spans] for one in relative], strict=True
    )
    outside: list[AxisIndex] = list(spans) if order is None else [order[span] for span in spans]
    return _Points(places, list(chunks), list(inside), outside)


def _raveled(numbers: list[Indices], axes: list[Axis]) -> Indices:
    """One number per chunk, in C order."""
    made = numbers[0].astype(np.int64, copy=False)  # numpy's own indices have 32 bits on some machines
    size = axes[0].count
    for more, axis in zip(numbers[1:], axes[1:], strict=True):
        size *= axis.count
        if size >= 1 << 63:
            # The grid has more chunks than a number has values; only a few are touched.
            made = np.unique(made, return_inverse=True)[1].astype(np.int64)
            more = np.unique(more, return_inverse=True)[1].astype(np.int64)  # noqa: PLW2901
            made = made * (int(more.max(initial=0)) + 1) + more
            size = len(made) ** 2
        else:
            made = made * axis.count + more
    return made


def _made(kind: type[Any], rows: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    """Convert tuples to the named tuple `kind`, without a Python call for each."""
    return map(_NEW, repeat(kind), rows)
