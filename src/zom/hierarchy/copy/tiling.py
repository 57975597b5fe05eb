"""Tilings: the regions in which an array is copied from chunks of one shape to chunks of another.

A region consists of whole chunks of the target, so that each is written once, whole. As far as memory allows,
it is large enough to decode each chunk of the source only once: the perfect region is the least common
multiple of both along every dimension.
"""

from __future__ import annotations

import math
from array import array as numbers_array
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from zom.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zom.extension.axis import Axis

__all__ = ["Tiling", "distinct", "tiling"]

_LISTED = 1 << 20
"""The number of region numbers that are kept before duplicates are dropped."""


@dataclass(frozen=True, slots=True)
class Tiling:
    """Regions of an array, numbered in C order.

    >>> from zom.extension.axis import Axis
    >>> tiles = Tiling((Axis(10, 2), Axis(4, 4)), (2, 1))
    >>> tiles.grid, tiles.region(2), tiles.chunks(2)
    ((3, 1), (slice(8, 10, 1), slice(0, 4, 1)), 1)
    """

    axes: tuple[Axis, ...]
    """The dimensions of the array, cut into the chunks of the target."""
    steps: tuple[int, ...]
    """The number of chunks of the target in a region, along each dimension."""

    @property
    def grid(self) -> tuple[int, ...]:
        """The number of regions along each dimension."""
        return tuple(-(-axis.count // step) for axis, step in zip(self.axes, self.steps, strict=True))

    @property
    def count(self) -> int:
        """The number of regions."""
        return math.prod(self.grid)

    @property
    def most(self) -> int:
        """The number of elements in the largest region."""
        return math.prod(
            min(step * max(axis.sizes, default=1), axis.length)
            for axis, step in zip(self.axes, self.steps, strict=True)
        )

    def _spans(self, number: int) -> list[tuple[int, int]]:
        """The chunks of the target in a region, as (start, stop) along each dimension."""
        found: list[tuple[int, int]] = []
        for axis, step, count in reversed(list(zip(self.axes, self.steps, self.grid, strict=True))):
            number, place = divmod(number, count)
            found.append((place * step, min((place + 1) * step, axis.count)))
        return found[::-1]

    def region(self, number: int) -> tuple[slice[int, int, int], ...]:
        """The elements of a region."""
        return tuple(
            slice(axis.start(first), min(axis.start(last - 1) + axis.size(last - 1), axis.length), 1)
            for axis, (first, last) in zip(self.axes, self._spans(number), strict=True)
        )

    def chunks(self, number: int) -> int:
        """The number of chunks of the target in a region."""
        return math.prod(last - first for first, last in self._spans(number))

    def touched(self, source: Sequence[Axis], chunk: tuple[int, ...]) -> Iterator[int]:
        """The numbers of the regions that a chunk of the source overlaps.

        >>> from zom.extension.axis import Axis
        >>> list(Tiling((Axis(10, 2),), (1,)).touched([Axis(10, 5)], (1,)))
        [2, 3, 4]
        """
        spans: list[tuple[int, int]] = []
        for theirs, number in zip(source, chunk, strict=True):
            start = theirs.start(number)
            spans.append((start, min(start + theirs.size(number), theirs.length) - 1))
        return self.over(spans)

    def over(self, spans: Sequence[tuple[int, int]]) -> Iterator[int]:
        """The numbers of the regions with elements from the first to the last of each span.

        >>> from zom.extension.axis import Axis
        >>> list(Tiling((Axis(10, 2),), (1,)).over([(5, 9)]))
        [2, 3, 4]
        """
        ranges = [
            range(axis.at(first)[0] // step, axis.at(last)[0] // step + 1)
            for axis, step, (first, last) in zip(self.axes, self.steps, spans, strict=True)
        ]
        grid = self.grid
        for places in product(*ranges):
            found = 0
            for place, count in zip(places, grid, strict=True):
                found = found * count + place
            yield found


def distinct(numbers: Iterable[int], count: int) -> Iterator[int]:
    """The distinct numbers of regions, in order; there are `count` regions, and each number takes 8 bytes.

    >>> list(distinct([2, 0, 2], 3))
    [0, 2]
    """
    if count >= 1 << 63:
        yield from sorted(set(numbers))
        return
    seen = np.empty(0, np.int64)
    some = numbers_array("q")
    for number in numbers:
        some.append(number)
        if len(some) > _LISTED:
            seen = np.union1d(seen, np.frombuffer(some, np.int64))
            some = numbers_array("q")
    seen = np.union1d(seen, np.frombuffer(some, np.int64)) if len(some) else seen
    yield from map(int, seen)


def tiling(
    source: Sequence[Axis], target: Sequence[Axis], itemsize: int, *, memory: int, least: int = 0
) -> Tiling:
    """Regions of at most `memory` bytes, except single chunks of the target that are larger.

    They grow where that saves most decoding, and then, if they are still smaller, to `least` bytes.

    >>> from zom.extension.axis import Axis
    >>> tiling([Axis(100, 10)], [Axis(100, 4)], 1, memory=50).steps, tiling([Axis(100, 10)], [Axis(100, 4)], 1, memory=19).steps
    ((5,), (4,))
    """
    sides = [_Side(theirs, mine) for theirs, mine in zip(source, target, strict=True)]
    steps = [1] * len(sides)
    while True:
        best = _best_growth(sides, steps, itemsize, memory)
        if best is None:
            break
        steps[best[0]] = best[1]
    for place in reversed(range(len(sides))):
        while steps[place] < sides[place].count:
            more = min(2 * steps[place], sides[place].count)
            grown = [*steps[:place], more, *steps[place + 1 :]]
            if _nbytes(sides, grown, itemsize) > min(memory, least):
                break
            steps = grown
    return Tiling(tuple(target), tuple(steps))


class _Side:
    """One dimension: the effect of regions with a given number of chunks of the target."""

    def __init__(self, source: Axis, target: Axis) -> None:
        self.count = max(target.count, 1)
        self.length = target.length
        self._target = max(target.sizes, default=1)
        self._source = max(source.sizes, default=1)
        self._exact = source.regular is not None and target.regular is not None
        if source == target:
            self.most = 1
        elif self._exact:
            self.most = min(math.lcm(self._source, self._target) // self._target, self.count)
        else:
            self.most = self.count

    def extent(self, step: int) -> int:
        """The length of a region."""
        return max(1, min(step * self._target, self.length))

    def decodings(self, step: int) -> float:
        """The average number of times that a chunk of the source is decoded."""
        if step >= self.most:
            return 1.0
        length = step * self._target
        common = math.gcd(self._source, length) if self._exact else 0
        return 1 + (self._source - common) / length


def _nbytes(sides: Sequence[_Side], steps: Sequence[int], itemsize: int) -> int:
    return itemsize * math.prod(side.extent(step) for side, step in zip(sides, steps, strict=True))


class _Growth(NamedTuple):
    place: int
    step: int
    gain: float


def _best_growth(sides: Sequence[_Side], steps: list[int], itemsize: int, memory: int) -> _Growth | None:
    """The dimension along which the region grows, and its new number of chunks; None if nothing is gained."""
    best: _Growth | None = None
    for place, (side, step) in enumerate(zip(sides, steps, strict=True)):
        for more in _larger(step, side.most):
            grown = [*steps[:place], more, *steps[place + 1 :]]
            if _nbytes(sides, grown, itemsize) > memory:
                continue
            saved = math.log(side.decodings(step) / side.decodings(more))
            cost = math.log(side.extent(more) / side.extent(step)) or 1e-9
            if saved > 1e-9 and (best is None or saved / cost > best.gain):
                best = _Growth(place, more, saved / cost)
    return best


def _larger(step: int, most: int) -> Iterator[int]:
    """Candidates for a larger number of chunks: the best one, and some fractions of it."""
    if most > step:
        yield most
    more = step + 1 if step < 4 else step * 5 // 4
    while more < most:
        yield more
        more = more + 1 if more < 4 else more * 5 // 4
