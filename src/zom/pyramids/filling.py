"""Fill a level from the next finer one, region by region, in bounded memory.

A region consists of whole chunks of the coarser level, so each chunk is written once. Regions without stored
chunks in the finer level are skipped at no cost: listing the keys finds them.
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
"""The minimum bytes of the finer level in a region, if the level is large enough."""

Region = tuple[slice, ...]
"""A range of elements along each axis."""


@dataclass(frozen=True, slots=True)
class LevelPair:
    """The chunks of a level and of the next coarser level."""

    fine: Chunks
    coarse: Chunks
    factors: tuple[int, ...]
    """The number of finer elements per coarser element along each axis."""
    method: Method
    memory: int
    """The bytes of the finer level that a thread holds, or one chunk if that is larger."""


def fill_level(
    pair: LevelPair, jobs: int, progress: Progress, shared: tuple[Pool, SentLevels] | None = None
) -> None:
    """Fill the coarser level with `jobs` threads or the processes of a pool, one region at a time each."""
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
    """Two levels in the form that is sent to another process, which opens them once."""

    def __init__(
        self, levels: tuple[Handle, Handle], factors: tuple[int, ...], method: str, memory: int
    ) -> None:
        self._levels = levels
        self._factors = factors
        self._method = method
        self._memory = memory

    def open(self) -> LevelPair:
        """Return the chunks of both levels; the arrays cache what they open."""
        fine, coarse = self._levels
        return LevelPair(
            fine.chunk_access, coarse.chunk_access, self._factors, method_of(self._method), self._memory
        )


def _fill_elsewhere(sent: SentLevels, number: int) -> int:
    """Fill a region in the current process; return the number of its chunks."""
    pair = sent.open()
    tiles = regions_of(pair)
    fill_region(pair, tiles.region(number), _piece_lengths(pair, tiles))
    return tiles.chunks(number)


def regions_of(pair: LevelPair) -> Tiling:
    """Return the regions of the coarser level, with whole chunks of the finer one if memory allows."""
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
    """Fill one region from pieces of the finer level."""
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
    """Return the numbers of the regions that contain stored chunks of the finer level, in order."""
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
    """Return the shape of the smallest unit to decode: chunks, or inner chunks of shards."""
    plan = chunks.plan
    if plan.sharded:
        return cast("ChunkForm", plan.form(cast("tuple[int, ...]", plan.uniform)).inner).shape
    return tuple(max(axis.sizes, default=1) for axis in plan.axes)


def _units(factors: Sequence[int], lengths: Sequence[int]) -> list[int]:
    """Return the steps in the coarser level at which chunks of the finer level begin too."""
    return [math.lcm(length, factor) // factor for length, factor in zip(lengths, factors, strict=True)]


def _piece_lengths(pair: LevelPair, tiles: Tiling) -> list[int]:
    """Return the lengths of coarser elements to compute at once: a shard may take several pieces."""
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
