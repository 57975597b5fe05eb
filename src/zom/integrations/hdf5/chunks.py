"""The chunks of a dataset as Zarr chunks, read one by one, and unchanged if the bytes are the same."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from zom.engine.compile import compile_plan
from zom.integrations.hdf5.stored_chunks import look_at_chunks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.engine.plan import ArrayPlan
    from zom.integrations.hdf5.arrays import SourceArray
    from zom.model.spec import Spec

__all__ = ["SourceChunks"]


class SourceChunks:
    r"""The chunks of one dataset.

    >>> import h5py
    >>> from zom.integrations.hdf5.spec import read_hierarchy
    >>> file = h5py.File("a.h5", "w", driver="core", backing_store=False)
    >>> file.create_dataset("x", (5,), "<i2", chunks=(2,))[:2] = [1, 2]
    >>> found = read_hierarchy(file)
    >>> chunks = SourceChunks(found.arrays["/x"], found.spec["x"])
    >>> list(chunks.stored()), chunks.read((0,)), chunks.read((1,))
    ([(0,)], b'\x01\x00\x02\x00', None)
    """

    def __init__(self, array: SourceArray, spec: Spec, node: str = "/") -> None:
        self.array = array
        self.node = node
        """The path of the array."""
        self.plan: ArrayPlan = compile_plan(spec)
        self._places: Any = None
        """The sorted numbers of the chunks in the file, 8 bytes each."""

    @property
    def _grid(self) -> tuple[int, ...]:
        """The grid of chunks with elements of the file: smaller than the array's if the array is longer."""
        held = zip(self.plan.grid, self.array.held, self._chunk, strict=True)
        return tuple(min(count, -(-length // size)) for count, length, size in held)

    @property
    def _chunk(self) -> tuple[int, ...]:
        # Grids of files are regular; an array without elements has no first chunk to look at.
        return cast("tuple[int, ...]", self.plan.uniform)

    def stored(self) -> Iterator[tuple[int, ...]]:
        """Yield the places of the chunks in the file: all places if a dataset without chunks is allocated."""
        grid = self._grid
        if self.array.dataset.chunks is None:
            if self._is_allocated():
                yield from product(*map(range, grid))
            return
        for number in self._numbers():
            yield _place(int(number), grid)

    def has(self, place: tuple[int, ...]) -> bool:
        """Whether the file has a chunk at `place`."""
        grid = self._grid
        if any(at >= count for at, count in zip(place, grid, strict=True)):
            return False
        if self.array.dataset.chunks is None:
            return self._is_allocated()
        numbers = self._numbers()
        number = int(np.ravel_multi_index(place, grid)) if place else 0
        at = int(np.searchsorted(numbers, number))
        return at < len(numbers) and int(numbers[at]) == number

    def read(self, place: tuple[int, ...]) -> bytes | None:
        """Return the bytes of a Zarr chunk, or None if the file doesn't have it."""
        if not self.has(place):
            return None
        if self.array.same_bytes and not self._is_short(place):
            data = self._as_it_is(place)
            if data is not None:
                return data
        return self._encoded(place)

    def _is_short(self, place: tuple[int, ...]) -> bool:
        """Whether a chunk has elements beyond the dataset's shape, whose stored bytes are undefined."""
        starts = [axis.start(number) for axis, number in zip(self.plan.axes, place, strict=True)]
        ends = zip(starts, self.plan.held(place), self.array.held, strict=True)
        return any(start + size > length for start, size, length in ends)

    def _as_it_is(self, place: tuple[int, ...]) -> bytes | None:
        """Return the bytes in the file, or None if only some of the filters were applied to them."""
        rank = len(self.array.dataset.shape)
        chunk = self.array.dataset.chunks
        offset = tuple(number * length for number, length in zip(place[:rank], chunk, strict=True))
        mask, data = self.array.dataset.id.read_direct_chunk(offset)
        # A chunk at the edge may be unfiltered, which no mask shows: then it has its full size.
        nbytes = math.prod(self._chunk) * self.plan.dtype.itemsize
        is_bare = len(data) == nbytes and len(self.array.document["codecs"]) > 1
        return None if mask or is_bare else bytes(data)

    def _encoded(self, place: tuple[int, ...]) -> bytes:
        plan, dataset = self.plan, self.array.dataset
        starts = [axis.start(number) for axis, number in zip(plan.axes, place, strict=True)]
        wanted = zip(starts, plan.held(place), self.array.held, strict=True)
        held = [min(size, length - start) for start, size, length in wanted]
        parts = tuple(slice(start, start + size) for start, size in zip(starts, held, strict=True))
        rank = len(dataset.shape or ())
        values = self.array.elements.converted(dataset[parts[:rank]])
        form = plan.form(plan.chunk_shape(place))
        if values.shape == form.shape:
            chunk = np.asarray(values, form.chain.block.dtype)
        else:
            chunk = form.new()
            chunk[tuple(slice(0, size) for size in held)] = values
        return bytes(form.chain.encode(chunk))

    def _is_allocated(self) -> bool:
        """Whether a dataset without chunks was ever written."""
        dataset = self.array.dataset
        if dataset.shape is None or 0 in dataset.shape:
            return False
        filled = dataset.id.get_create_plist()
        return bool(dataset.is_virtual or dataset.id.get_storage_size() or filled.get_external_count())

    def _numbers(self) -> Any:
        if self._places is None:
            self._places = np.sort(self._listed())
        return self._places

    def _listed(self) -> Any:
        dataset, grid = self.array.dataset, self._grid
        if 0 in grid:
            return np.empty(0, np.int64)
        rank = len(dataset.shape)
        offsets: list[tuple[int, ...]] = []

        def note(info: Any) -> bool:
            offsets.append(info.chunk_offset)
            return False

        look_at_chunks(dataset, note)
        places = np.array(offsets, np.int64).reshape(-1, rank) // np.array(dataset.chunks, np.int64)
        # After a dataset shrinks, chunks beyond its shape may still exist.
        places = places[(places < np.array(grid[:rank])).all(axis=1)]
        return np.ravel_multi_index(tuple(places.T), grid[:rank]) if rank else np.zeros(len(places), np.int64)


def _place(number: int, grid: tuple[int, ...]) -> tuple[int, ...]:
    """Return the place of a chunk in the grid from its number in C order."""
    found: list[int] = []
    for count in reversed(grid):
        number, at = divmod(number, count)
        found.append(at)
    return tuple(reversed(found))
