"""Filling a level from the one below it, region by region, in bounded memory.

A region is made of whole chunks of the coarser level, so that each is written once, whole. Regions over which
the finer level has no chunk stay missing, and cost nothing: they are found by listing its keys.
"""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, cast

import numpy as np

from zom.dataclass import dataclass
from zom.engine.indexing import read_selection, write_selection
from zom.engine.selection import basic_or_numpy
from zom.engine.workers import run
from zom.extension.axis import Axis
from zom.hierarchy.copy.chunks import stored_chunks
from zom.hierarchy.copy.tiling import Tiling, distinct, tiling
from zom.hierarchy.stored.chunk_compatibility import same_fill
from zom.pyramids.blocks import in_order, reduced
from zom.pyramids.method import method_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zom.engine.chunks import Chunks
    from zom.engine.plan import ChunkForm
    from zom.extension.bound import Array
    from zom.handles.array import Array as Handle
    from zom.hierarchy.copy.tally import Progress
    from zom.hierarchy.executor import Pool
    from zom.pyramids.method import Method

__all__ = ["LEAST", "LevelPair", "Region", "SentLevels", "fill_level", "regions_of"]

LEAST = 1 << 22
"""Regions have at least so many bytes of the finer level, where there are so many."""

Region = tuple[slice, ...]
"""The elements from and to a place along each axis."""


@dataclass(frozen=True, slots=True)
class LevelPair:
    """The chunks of a level, and of the one that is made of it."""

    fine: Chunks
    coarse: Chunks
    factors: tuple[int, ...]
    """How many elements of the finer level make one of the coarser, along each axis."""
    method: Method
    memory: int
    """The bytes of the finer level that a thread holds; where one chunk has more, that chunk."""


def fill_level(
    pair: LevelPair, jobs: int, progress: Progress, shared: tuple[Pool, SentLevels] | None = None
) -> None:
    """Fill the coarser level; each of `jobs` threads, or of the processes of a pool, takes one region after the other."""
    tiles = regions_of(pair)
    if not tiles.count:
        return
    if shared is not None:
        pool, sent = shared
        for count in pool.run(_fill_elsewhere, sent, _numbers(pair, tiles)):
            progress.add(count)
        return
    pieces = _piece_lengths(pair, tiles)

    def take(numbers: Iterator[int]) -> None:
        for number in numbers:
            fill_region(pair, tiles.region(number), pieces)
            progress.add(tiles.chunks(number))

    run(_numbers(pair, tiles), tiles.count, take, threads=jobs)


class SentLevels:
    """Two levels as another process opens them, once."""

    def __init__(
        self, levels: tuple[Handle, Handle], factors: tuple[int, ...], method: str, memory: int
    ) -> None:
        self._levels = levels
        self._factors = factors
        self._method = method
        self._memory = memory

    def open(self) -> LevelPair:
        """The chunks of both; the arrays keep what they have opened."""
        fine, coarse = self._levels
        return LevelPair(
            fine.chunk_access, coarse.chunk_access, self._factors, method_of(self._method), self._memory
        )


def _fill_elsewhere(sent: SentLevels, number: int) -> int:
    """Fill the region of that number in whatever process this is; how many chunks it has."""
    pair = sent.open()
    tiles = regions_of(pair)
    fill_region(pair, tiles.region(number), _piece_lengths(pair, tiles))
    return tiles.chunks(number)


def regions_of(pair: LevelPair) -> Tiling:
    """The regions of the coarser level, each with whole chunks of the finer one where memory allows it."""
    coarse = pair.coarse.plan
    width = max(coarse.dtype.itemsize, 1) * math.prod(pair.factors)
    far = max(pair.fine.store.capabilities.parallel, pair.coarse.store.capabilities.parallel) > 1
    least = pair.memory // 4 if far else min(LEAST, pair.memory)
    source = [
        Axis(mine.length, unit)
        for mine, unit in zip(coarse.axes, _units(pair.factors, _decoded(pair.fine)), strict=True)
    ]
    return tiling(source, coarse.axes, width, memory=pair.memory, least=least)


def fill_region(pair: LevelPair, region: Region, pieces: Sequence[int]) -> None:
    """Fill one region, from pieces of the finer level."""
    fine, coarse = pair.fine.plan, pair.coarse.plan
    work: Array = np.empty([part.stop - part.start for part in region], in_order(coarse.dtype))
    for piece in _cut(region, pieces):
        source = tuple(
            slice(part.start * factor, min(part.stop * factor, axis.length))
            for part, factor, axis in zip(piece, pair.factors, fine.axes, strict=True)
        )
        values = read_selection(pair.fine, basic_or_numpy(source, fine.shape))
        target = tuple(
            slice(part.start - whole.start, part.stop - whole.start)
            for part, whole in zip(piece, region, strict=True)
        )
        reduced(values, pair.factors, pair.method, out=work[target])
    write_selection(pair.coarse, basic_or_numpy(region, coarse.shape), work)


def _numbers(pair: LevelPair, tiles: Tiling) -> Iterator[int]:
    """The numbers of the regions that a chunk of the finer level lies in, in order."""
    fine = pair.fine
    if not fine.store.capabilities.listable or not same_fill(fine.plan, pair.coarse.plan):
        return iter(range(tiles.count))
    found = (number for _, chunk in stored_chunks(fine) for number in _touched(pair, tiles, chunk))
    return distinct(found, tiles.count)


def _touched(pair: LevelPair, tiles: Tiling, chunk: tuple[int, ...]) -> Iterator[int]:
    spans: list[tuple[int, int]] = []
    for axis, factor, number in zip(pair.fine.plan.axes, pair.factors, chunk, strict=True):
        start = axis.start(number)
        last = min(start + axis.size(number), axis.length) - 1
        spans.append((start // factor, last // factor))
    return tiles.over(spans)


def _decoded(chunks: Chunks) -> tuple[int, ...]:
    """The lengths of what is decoded on its own: of shards, the chunks in them."""
    plan = chunks.plan
    if plan.sharded:
        return cast("ChunkForm", plan.form(cast("tuple[int, ...]", plan.uniform)).inner).shape
    return tuple(max(axis.sizes, default=1) for axis in plan.axes)


def _units(factors: Sequence[int], lengths: Sequence[int]) -> list[int]:
    """After how many elements of the coarser level a chunk of the finer one begins, too."""
    return [math.lcm(length, factor) // factor for length, factor in zip(lengths, factors, strict=True)]


def _piece_lengths(pair: LevelPair, tiles: Tiling) -> list[int]:
    """How many elements of the coarser level are made at once: shards are made of several pieces."""
    lengths = [
        min(step * max(axis.sizes, default=1), axis.length)
        for axis, step in zip(tiles.axes, tiles.steps, strict=True)
    ]
    width = max(pair.coarse.plan.dtype.itemsize, 1) * math.prod(pair.factors)
    units = _units(pair.factors, _decoded(pair.fine))
    for least in (units, [1] * len(units)):
        for axis, unit in enumerate(least):
            while math.prod(lengths) * width > pair.memory and lengths[axis] > unit:
                half = -(-lengths[axis] // 2)
                lengths[axis] = -(-half // unit) * unit
    return lengths


def _cut(region: Region, lengths: Sequence[int]) -> Iterator[Region]:
    sides = [
        [slice(start, min(start + length, part.stop)) for start in range(part.start, part.stop, length)]
        for part, length in zip(region, lengths, strict=True)
    ]
    return product(*sides)
