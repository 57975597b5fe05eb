"""Alignment: whether separate tasks can write pieces of data at the same time.

Two tasks that write into the same stored object (a chunk or a shard) can lose data: each reads the object,
changes its part and writes back the whole. So every boundary between two pieces must be a boundary of stored
objects. Everything here is arithmetic on lengths: nothing is read, and dask is not needed.

Lengths describe the pieces along each dimension, as in `dask_array.chunks`. Axes describe the stored objects
(`stored_axes`). `start` is the index in the array where the data begins.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from zom.dataclass import dataclass
from zom.errors import ConflictError
from zom.formats.resolve import resolve
from zom.hierarchy.change.conflicts import conflict
from zom.problems import rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zom.extension.axis import Axis
    from zom.model.spec import Spec
    from zom.problems import Problem

__all__ = [
    "APART",
    "Misfit",
    "aligned_chunks",
    "aligned_lengths",
    "alignment_problems",
    "check_alignment",
    "find_cut",
    "find_shared",
    "stored_axes",
]

APART: Final = rule(
    "plan/chunks-apart",
    "two tasks don't write into one chunk or shard at the same time",
    source="zom: a task writes whole chunks or shards, and would overwrite changes of other tasks",
)


@dataclass(frozen=True, slots=True)
class Misfit:
    """A piece of data that covers a stored object only in part, along one dimension."""

    axis: int
    piece: int
    """The number of the piece along the dimension."""
    start: int
    stop: int
    """The elements of the array that the piece covers."""
    stored: int
    """The number of a stored object that the piece covers only in part."""
    stored_start: int
    stored_stop: int
    """The elements of that object."""
    inner: tuple[int, int] | None
    """The largest region of whole objects within the piece, or None."""
    outer: tuple[int, int]
    """The smallest region of whole objects around the piece."""


def stored_axes(spec: Spec) -> tuple[Axis, ...]:
    """Return the axes of an array, split into stored objects: shards, or chunks if it has no shards.

    >>> from zom import v3
    >>> spec = v3.ArraySpec.build(shape=(100,), dtype="int8", chunks=(5,), shards=(20,))
    >>> stored_axes(spec)[0].count
    5
    """
    resolved = resolve(spec)
    axes = resolved.encoding.axes
    if axes is None:
        message = f"expected an array with a known chunk grid, found {resolved.document.get('chunk_grid')!r}"
        raise TypeError(message)
    return axes(resolved.shape)


def find_shared(lengths: Sequence[int], axis: Axis, start: int = 0, *, number: int = 0) -> Misfit | None:
    """Return the first piece that shares a stored object with the next piece, or None.

    >>> from zom.extension.axis import Axis
    >>> find_shared([8, 8, 4], Axis(20, 4))
    >>> shared = find_shared([8, 6, 6], Axis(20, 4))
    >>> shared.piece, shared.stored, shared.inner, shared.outer
    (1, 3, (8, 12), (8, 16))
    """
    stops = start + np.cumsum(np.asarray(lengths, np.int64))
    last = stops[-1] if len(stops) else start
    inside = np.flatnonzero((stops > start) & (stops < last))
    begun = axis.starts(axis.find(stops[inside]))
    wrong = inside[begun != stops[inside]]
    if not len(wrong):
        return None
    piece, stop = int(wrong[0]), int(stops[wrong[0]])
    return _misfit(number, piece, (stop - int(lengths[piece]), stop), axis.at(stop)[0], axis)


def find_cut(start: int, stop: int, axis: Axis, *, number: int = 0) -> Misfit | None:
    """Return the region from `start` to `stop` if it covers a stored object only in part, None otherwise.

    The end of the array counts as an object boundary.

    >>> from zom.extension.axis import Axis
    >>> find_cut(4, 10, Axis(10, 4))
    >>> find_cut(2, 8, Axis(10, 4)).inner
    (4, 8)
    """
    if start >= stop:
        return None
    if axis.at(start)[1] != start:
        return _misfit(number, 0, (start, stop), axis.at(start)[0], axis)
    if stop < axis.length and axis.at(stop)[1] != stop:
        return _misfit(number, 0, (start, stop), axis.at(stop)[0], axis)
    return None


def _misfit(number: int, piece: int, covered: tuple[int, int], stored: int, axis: Axis) -> Misfit:
    start, stop = covered
    inner = (_up(start, axis), _down(stop, axis))
    end = min(axis.start(stored) + axis.size(stored), axis.length)
    return Misfit(
        number,
        piece,
        start,
        stop,
        stored,
        axis.start(stored),
        end,
        inner if inner[0] < inner[1] else None,
        (_down(start, axis), _up(stop, axis)),
    )


def _down(index: int, axis: Axis) -> int:
    """The last boundary at or before `index`."""
    return index if index >= axis.length else axis.at(index)[1]


def _up(index: int, axis: Axis) -> int:
    """The first boundary at or after `index`."""
    if index >= axis.length:
        return index
    _, start, size = axis.at(index)
    return index if start == index else min(start + size, axis.length)


def aligned_lengths(lengths: Sequence[int], axis: Axis, start: int = 0) -> tuple[int, ...]:
    """Return piece lengths that share no stored object: each boundary moves to the nearest object boundary.

    Aligned boundaries stay. A piece grows by less than one object.

    >>> from zom.extension.axis import Axis
    >>> aligned_lengths([3, 3, 3, 3, 8], Axis(20, 4)), aligned_lengths([10, 10], Axis(40, 4), start=2)
    ((4, 4, 4, 8), (10, 10))
    """
    stops = [start + int(each) for each in np.cumsum(np.asarray(lengths, np.int64))]
    last = stops[-1] if stops else start
    moved = {_nearest(stop, axis) for stop in stops if start < stop < last}
    found = [start, *sorted(stop for stop in moved if start < stop < last), last]
    return tuple(behind - before for before, behind in pairwise(found))


def _nearest(index: int, axis: Axis) -> int:
    down, up = _down(index, axis), _up(index, axis)
    return down if index - down < up - index else up


def aligned_chunks(
    chunks: Sequence[Sequence[int]], axes: Sequence[Axis], starts: Sequence[int] | None = None
) -> tuple[tuple[int, ...], ...]:
    """Return chunks for lazy data that can all be written at the same time.

    >>> from zom.extension.axis import Axis
    >>> aligned_chunks([[3, 3], [5]], [Axis(6, 2), Axis(5, 5)])
    ((4, 2), (5,))
    """
    places = zip(chunks, axes, starts or [0] * len(axes), strict=True)
    return tuple(aligned_lengths(lengths, axis, start) for lengths, axis, start in places)


def alignment_problems(  # noqa: PLR0913 - where the data is, and its names
    node: str,
    chunks: Sequence[Sequence[int]],
    axes: Sequence[Axis],
    starts: Sequence[int] | None = None,
    *,
    names: Sequence[Any] | None = None,
    whole: bool = False,
    fix: str = "rechunk the data to these",
) -> list[Problem]:
    """Report each dimension along which chunks of lazy data can't be written in parallel to array `node`.

    With `whole`, the data must also begin and end at object boundaries, since others may write next to it.

    >>> from zom.extension.axis import Axis
    >>> print(alignment_problems("/t", [[8, 6, 6]], [Axis(20, 4)], names=["time"])[0])
    /t: expected chunks of data that share no chunk of the array, found data chunk 1 along time, which writes [8:14] \
and shares chunk 3 ([12:16]) with data chunk 2; legal regions around it are [8:12] and [8:16]; rechunk the data to these
    """
    problems: list[Problem] = []
    places = zip(chunks, axes, starts or [0] * len(axes), strict=True)
    for number, (lengths, axis, start) in enumerate(places):
        called = str(number) if names is None else str(names[number])
        shared = find_shared(lengths, axis, start, number=number)
        if shared is not None:
            found = _shared_words(shared, called)
            problems.append(
                conflict(APART, node, "chunks of data that share no chunk of the array", found, fix)
            )
            continue
        cut = find_cut(start, start + sum(lengths), axis, number=number) if whole else None
        if cut is not None:
            found = _cut_words(cut, called)
            expected = "a region of whole chunks, since others may write next to it"
            problems.append(conflict(APART, node, expected, found, fix))
    return problems


def _shared_words(misfit: Misfit, called: str) -> str:
    piece = f"data chunk {misfit.piece} along {called}, which writes [{misfit.start}:{misfit.stop}]"
    stored = f"shares chunk {misfit.stored} ([{misfit.stored_start}:{misfit.stored_stop}])"
    return f"{piece} and {stored} with data chunk {misfit.piece + 1}; {_legal(misfit)}"


def _cut_words(misfit: Misfit, called: str) -> str:
    stored = f"chunk {misfit.stored} ([{misfit.stored_start}:{misfit.stored_stop}])"
    return f"[{misfit.start}:{misfit.stop}] along {called}, which covers {stored} in part; {_legal(misfit)}"


def _legal(misfit: Misfit) -> str:
    outer = f"[{misfit.outer[0]}:{misfit.outer[1]}]"
    if misfit.inner is None:
        return f"the legal region around it is {outer}, and there is none inside it"
    return f"legal regions around it are [{misfit.inner[0]}:{misfit.inner[1]}] and {outer}"


def check_alignment(url: str, problems: Iterable[Problem]) -> None:
    """Raise ConflictError, before anything is written, if there is a problem.

    >>> check_alignment("data.zarr", [])
    """
    found = tuple(problems)
    if found:
        raise ConflictError(found, url)
