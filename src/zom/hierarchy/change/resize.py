"""Resizing: change an array's shape and its chunks, in an order that is safe at every point.

Shrinking writes the document first: in any case nobody sees fill values in place of data that is still part
of the array. Elements beyond the new end are deleted afterwards, also in the chunks at the edge: an array
that grows again shows fill values there, not old data. Growing deletes such leftovers first, because others
may have left them.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from operator import index
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from zom.count import count_of
from zom.engine.index import Index
from zom.engine.writing import write_parts
from zom.errors import ConflictError, SelectionError
from zom.hierarchy.change.conflicts import OBSTACLE, conflict
from zom.stores.interface import Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zom.engine.chunks import Chunks
    from zom.engine.plan import ArrayPlan
    from zom.extension.axis import Axis

__all__ = ["behind", "check_clearing", "clear_beyond", "resize_chunks"]

Shape: TypeAlias = "tuple[int, ...]"

_MANY = 1 << 16
"""The number of kept chunks up to which those at the edge are looked up beforehand."""

_FEW = 4096
"""The number of chunks up to which they are deleted by key, without listing the existing ones."""


def behind(old: tuple[int, ...], more: tuple[int, ...], axis: int) -> tuple[int, tuple[int, ...]]:
    """The dimension `axis` as a positive number, and the array's shape after appending data of shape `more`.

    >>> behind((2, 3), (5, 3), 0)
    (0, (7, 3))
    """
    try:
        axis = index(axis)
    except TypeError as cause:
        raise TypeError(f"axis: expected a whole number, got {axis!r}") from cause
    if not -len(old) <= axis < len(old):
        raise SelectionError(f"axis {axis} is out of bounds: the array has {count_of(len(old), 'dimension')}")
    place = axis % len(old)
    if len(more) != len(old) or more[:place] + more[place + 1 :] != old[:place] + old[place + 1 :]:
        raise SelectionError(f"data of shape {more} can't be appended to {old} along axis {place}")
    return place, (*old[:place], old[place] + more[place], *old[place + 1 :])


def check_clearing(chunks: Chunks, wide: ArrayPlan, shape: tuple[int, ...]) -> None:
    """Raise ConflictError if chunks outside `shape`, or at its edge, can't be deleted or written."""
    kept = _kept(wide, shape)
    gone = [key for keys in _keys_beyond(chunks, wide, kept) for key in keys]
    edges = (
        [] if 0 in shape else [chunks.prefix + wide.keys.key(place) for place in _edges(wide, shape, kept)]
    )
    there = [key for key in edges if chunks.store.exists(key)] if len(edges) <= _FEW else []
    problems = [
        conflict(OBSTACLE, chunks.node, expected, f"{found} at {key!r}", fix, key=key)
        for key, expected, found, fix in chunks.store.obstacles(Wanted(there, removes=gone))
    ]
    if problems:
        raise ConflictError(problems, chunks.store.url)


def resize_chunks(
    chunks: Chunks, wide: ArrayPlan, old: Shape, wanted: Shape, set_shape: Callable[[Shape, Shape], object]
) -> None:
    """Change the shape from `old` to `wanted`; `wide` covers both, and `set_shape` writes the document."""
    both = tuple(axis.length for axis in wide.axes)
    if chunks.store.capabilities.transactional:
        _resize_in_transaction(chunks, wide, old, wanted, set_shape)
        return
    if both != old:
        clear_beyond(chunks, wide, old)
    set_shape(old, wanted)
    if wanted != both:
        clear_beyond(chunks, wide, wanted)


def _resize_in_transaction(
    chunks: Chunks, wide: ArrayPlan, old: Shape, wanted: Shape, set_shape: Callable[[Shape, Shape], object]
) -> None:
    """The same in a transaction: the document always covers every chunk that is being changed."""
    both = tuple(axis.length for axis in wide.axes)
    now = old
    try:
        if both != old:
            set_shape(old, both)
            now = both
            clear_beyond(chunks, wide, old)
        if wanted != both:
            clear_beyond(chunks, wide, wanted)
            set_shape(both, wanted)
    except BaseException:
        if now != old:
            set_shape(now, old)
        raise


def clear_beyond(chunks: Chunks, wide: ArrayPlan, shape: tuple[int, ...]) -> None:
    """Delete chunks outside `shape` (of the array as described by `wide`), and reset elements at its edge."""
    _remove_chunks(chunks, wide, shape)
    _clear_edges(chunks, wide, shape)


def _remove_chunks(chunks: Chunks, wide: ArrayPlan, shape: tuple[int, ...]) -> None:
    """Delete the chunks without elements of `shape`."""
    for keys in _keys_beyond(chunks, wide, _kept(wide, shape)):
        chunks.store.delete_many(keys)


def _kept(wide: ArrayPlan, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The number of chunks along each dimension that hold elements of `shape`."""
    return tuple(
        0
        if not length
        else int(axis.find(np.array([length - 1]))[0]) + 1
        if length < axis.length
        else axis.count
        for axis, length in zip(wide.axes, shape, strict=True)
    )


def _keys_beyond(chunks: Chunks, wide: ArrayPlan, kept: tuple[int, ...]) -> Iterator[list[str]]:
    """The keys of the chunks beyond `kept`: possible ones, or if those are many, existing ones."""
    grid = wide.grid
    if kept == grid:
        return
    store, prefix, keys = chunks.store, chunks.prefix, wide.keys
    beyond = math.prod(grid) - math.prod(kept)
    if beyond > _FEW and store.capabilities.listable:
        found = (key[len(prefix) :] for key in store.list(prefix))
        places = ((key, keys.coords(key, len(grid))) for key in found)
        yield [prefix + key for key, place in places if place is not None and _is_beyond(place, kept, grid)]
        return
    yield [prefix + keys.key(place) for place in _places_beyond(kept, grid)]


def _edges(wide: ArrayPlan, shape: tuple[int, ...], kept: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The positions of the chunks that cross the end of `shape`."""
    cut = [_end_of(axis, length) != length for axis, length in zip(wide.axes, shape, strict=True)]
    if any(cut) and math.prod(kept) <= _MANY:
        for place in product(*map(range, kept)):
            if any(is_cut and n + 1 == count for n, count, is_cut in zip(place, kept, cut, strict=True)):
                yield place


def _is_beyond(place: tuple[int, ...], kept: tuple[int, ...], grid: tuple[int, ...]) -> bool:
    inside = all(number < count for number, count in zip(place, grid, strict=True))
    return inside and any(number >= count for number, count in zip(place, kept, strict=True))


def _places_beyond(kept: tuple[int, ...], grid: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every position of the grid that is not kept, once."""
    for axis in range(len(grid)):
        spans = [
            range(count)
            if place < axis
            else range(count, grid[place])
            if place == axis
            else range(grid[place])
            for place, count in enumerate(kept)
        ]
        yield from product(*spans)


def _clear_edges(chunks: Chunks, wide: ArrayPlan, shape: tuple[int, ...]) -> None:
    """Write fill values beyond the new end, in the chunks that cross it."""
    if 0 in shape:
        return
    ends = [_end_of(axis, length) for axis, length in zip(wide.axes, shape, strict=True)]
    wider = replace(chunks, plan=wide)
    for place, (length, end) in enumerate(zip(shape, ends, strict=True)):
        if end == length:
            continue
        # Elements beyond the end along several dimensions are reset with the first of them.
        before = [slice(0, kept, 1) for kept in shape[:place]]
        behind = [slice(0, last, 1) for last in ends[place + 1 :]]
        index = Index((*before, slice(length, end, 1), *behind))
        write_parts(wider, index, np.broadcast_to(wide.fill, index.shape))


def _end_of(axis: Axis, length: int) -> int:
    """The end of the chunk that holds the last of `length` elements."""
    if length == axis.length:
        return length
    last = int(axis.find(np.array([length - 1]))[0])
    return min(axis.start(last) + axis.size(last), axis.length)
