"""The stored chunks of an array and their sizes, found by listing keys, without reading values.

The cost is that of listing everything below the array, and doesn't grow with the grid: an array of 10^15
chunks with ten stored ones is answered at once.
"""

from __future__ import annotations

import math
from array import array
from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from zom.brief import notebook_html
from zom.dataclass import dataclass
from zom.errors import CodecError, SelectionError
from zom.formats.facts import byte_text
from zom.hierarchy.stored.shard_parts import ShardValues, count_inner

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zom.engine.chunks import Chunks
    from zom.engine.plan import ArrayPlan, ChunkForm
    from zom.extension.axis import Axis, Indices
    from zom.extension.bound import Array

__all__ = ["StoredChunk", "StoredChunks", "chunks_in", "in_grid", "sample_form", "stored_chunks"]

_MOST_SHOWN = 10_000_000
"""The number of chunks in the largest grid that `StoredChunks.exists` supports."""


class StoredChunk(NamedTuple):
    """A stored chunk."""

    place: tuple[int, ...]
    """Its position in the grid."""
    key: str
    size: int
    """The size of its value in bytes."""


def chunks_in(chunks: Chunks) -> Iterator[StoredChunk]:
    """Every chunk of the grid that the store lists, in no particular order; other keys are ignored."""
    keys, grid = chunks.plan.keys, chunks.plan.grid
    start, rank = len(chunks.prefix), len(grid)
    for key, size in chunks.store.sizes(chunks.prefix):
        place = keys.coords(key[start:], rank)
        if place is not None and in_grid(place, grid):
            yield StoredChunk(place, key, size)


def sample_form(plan: ArrayPlan) -> ChunkForm | None:
    """The form of the first chunk, or None if the grid has none. This binds codecs, which may fail."""
    return None if 0 in plan.grid else plan.form(plan.chunk_shape((0,) * len(plan.grid)))


def in_grid(place: tuple[int, ...], grid: tuple[int, ...]) -> bool:
    """Whether `place` is in the grid.

    >>> in_grid((1, 0), (2, 2)), in_grid((2, 0), (2, 2)), in_grid((), ())
    (True, False, True)
    """
    for number, count in zip(place, grid, strict=True):  # noqa: SIM110 - twice as fast as all()
        if number >= count:
            return False
    return True


@dataclass(frozen=True, slots=True, eq=False)
class StoredChunks:
    """The stored chunks of an array; returned by `Array.stored()`.

    Iteration yields the position of each in the grid.

    >>> import zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4, 6), dtype="int16", chunks=(2, 3)))
    >>> array[2:, :3] = 7
    >>> stored = array.stored()
    >>> stored.count, stored.total, list(stored), stored.memory_nbytes
    (1, 4, [(1, 0)], 12)
    >>> stored.exists
    array([[False, False],
           [ True, False]])
    """

    grid: tuple[int, ...]
    """The number of chunks along each dimension; in a sharded array, of shards."""
    total: int
    """The number of chunks in the grid."""
    count: int
    """The number of stored chunks."""
    nbytes: int
    """The size of all stored chunks in bytes, without the array's documents."""
    memory_nbytes: int | None
    """The size of their elements in memory, in bytes; None if elements differ in length."""
    inner_total: int | None = None
    """The number of chunks inside shards, if requested; otherwise None."""
    inner_count: int | None = None
    """The number of stored chunks inside shards."""
    _places: array[int] = field(default_factory=lambda: array("q"), repr=False)

    @property
    def missing(self) -> int:
        """The number of chunks that are not stored: they read as the fill value."""
        return self.total - self.count

    @property
    def ratio(self) -> float | None:
        """Size in memory divided by stored size; None if unknown."""
        return self.memory_nbytes / self.nbytes if self.memory_nbytes is not None and self.nbytes else None

    @property
    def places(self) -> Indices:
        """The positions in the grid, one row per stored chunk, in no particular order."""
        return _rows(self._places, len(self.grid), self.count)

    @property
    def exists(self) -> Array:
        """For each chunk of the grid, whether it is stored; raises if there are more than 10 million."""
        if self.total > _MOST_SHOWN:
            message = f"a grid of {self.total} chunks is too large for an array of booleans; iterate over `stored()`"
            raise SelectionError(message)
        made = np.zeros(self.grid, np.bool_)
        made[tuple(self.places.T)] = self.count > 0
        return made

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        for row in self.places:
            yield tuple(row.tolist())

    def __len__(self) -> int:
        return self.count

    def __bool__(self) -> bool:
        return self.count > 0

    def _repr_html_(self) -> str:
        """The HTML for a notebook."""
        return notebook_html("stored", self)

    def __str__(self) -> str:
        unit = "shard" if self.inner_total is not None else "chunk"
        text = f"{self.count} of {self.total} {unit}{'' if self.total == 1 else 's'}"
        if self.inner_total is not None:
            text += f" with {self.inner_count} of {self.inner_total} chunks"
        text += f", {byte_text(self.nbytes)} stored"
        if self.memory_nbytes is not None:
            text += f" of {byte_text(self.memory_nbytes)} in memory"
        return text if self.ratio is None else f"{text}, ratio {self.ratio:.2f}"


def stored_chunks(chunks: Chunks, *, inner: bool = False) -> StoredChunks:
    """The stored chunks; with `inner`, the indexes of shards are read, too.

    A shard with a damaged index raises ChunkError.
    """
    plan = chunks.plan
    places: array[int] = array("q")
    nbytes = count = inside = 0
    found: Iterable[StoredChunk] = chunks_in(chunks)
    sample = sample_form(plan) if inner else None
    sharded = sample is not None and sample.shard is not None
    if sharded:
        found, totals = _counting(chunks, found)
    else:
        totals = [0]
    for chunk in found:
        places.extend(chunk.place)
        nbytes += chunk.size
        count += 1
    inside = totals[0]
    return StoredChunks(
        grid=plan.grid,
        total=math.prod(plan.grid),
        count=count,
        nbytes=nbytes,
        memory_nbytes=_memory(plan, _rows(places, len(plan.grid), count)),
        inner_total=_inner_total(plan, sample) if sharded else None,
        inner_count=inside if sharded else None,
        _places=places,
    )


def _counting(chunks: Chunks, found: Iterable[StoredChunk]) -> tuple[Iterator[StoredChunk], list[int]]:
    """The same chunks, and a list whose only item sums up the number of chunks inside them."""
    total = [0]

    def counted() -> Iterator[StoredChunk]:
        for chunk, value in ShardValues(chunks).read(found):
            yield chunk
            if value is None:
                continue
            form = chunks.plan.form(chunks.plan.chunk_shape(chunk.place))
            try:
                total[0] += count_inner(form, value, extent(chunks.plan, chunk.place))
            except CodecError as error:
                raise chunks.failure("read", chunk.key, error.reason, error.codec) from error

    return counted(), total


def extent(plan: ArrayPlan, place: tuple[int, ...]) -> tuple[int, ...]:
    """The number of elements of the array in the chunk, along each dimension, without its overhang."""
    return tuple(
        min(axis.size(number), axis.length - axis.start(number))
        for axis, number in zip(plan.axes, place, strict=True)
    )


def _rows(places: array[int], rank: int, count: int) -> Indices:
    made: Indices = np.frombuffer(places, np.int64) if len(places) else np.empty(0, np.int64)
    return made.reshape(count, rank)


def _memory(plan: ArrayPlan, places: Indices) -> int | None:
    """The bytes in memory of the elements in these chunks."""
    if plan.data_type.itemsize is None:
        return None
    elements: Any = np.ones(len(places), np.int64)
    for axis, numbers in zip(plan.axes, places.T, strict=True):
        elements = elements * _extents(axis, numbers)
    return int(elements.sum()) * plan.dtype.itemsize


def _extents(axis: Axis, numbers: Indices) -> Indices:
    """The number of elements of the array in each chunk along one dimension."""
    if axis.regular is not None:
        return np.minimum(axis.regular, axis.length - numbers * axis.regular)
    known, where = np.unique(numbers, return_inverse=True)
    sizes = [min(axis.size(n), axis.length - axis.start(n)) for n in known.tolist()]
    made: Indices = np.array(sizes, np.int64)[where]
    return made


def _inner_total(plan: ArrayPlan, form: ChunkForm | None) -> int:
    """The number of the smallest chunks that hold elements of the array; one of its shards has `form`."""
    total = 1
    for place, axis in enumerate(plan.axes):
        sizes = _inner_sizes(form, place)
        total *= sum(_pieces(length, sizes) * repeats for length, repeats in _lengths(axis))
    return total


def _lengths(axis: Axis) -> Iterator[tuple[int, int]]:
    """Pairs: the number of the array's elements in a chunk, and the number of chunks with this many."""
    if not axis.count:
        return
    yield min(axis.size(axis.count - 1), axis.length - axis.start(axis.count - 1)), 1
    if axis.regular is not None:
        yield axis.regular, axis.count - 1
        return
    ends = [*(run.chunk for run in axis.runs[1:]), axis.count]
    for run, end in zip(axis.runs, ends, strict=True):
        yield run.size, min(end, axis.count - 1) - run.chunk


def _inner_sizes(form: ChunkForm | None, place: int) -> list[int]:
    """The sizes of chunks inside chunks along a dimension, outermost first."""
    sizes: list[int] = []
    while form is not None and form.shard is not None:
        sizes.append(form.shard.chunk_shape[place])
        form = form.inner
    return sizes


def _pieces(length: int, sizes: list[int]) -> int:
    """The number of pieces of `length` elements after cutting by each size in turn."""
    if not sizes:
        return 1 if length else 0
    whole, rest = divmod(length, sizes[0])
    return whole * _pieces(sizes[0], sizes[1:]) + (_pieces(rest, sizes[1:]) if rest else 0)
