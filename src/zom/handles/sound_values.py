"""Sound values: the readable values of an array with unreadable chunks, and a list of those.

A region that can't be read as a whole is read chunk by chunk, and within shards by inner chunks; failures are
recorded with the reason. Unreadable elements are never taken for values.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from zom.dataclass import dataclass
from zom.engine.index import Index
from zom.engine.indexing import read_selection
from zom.engine.selection import basic_or_numpy
from zom.engine.split import split
from zom.errors import ChunkError, ExtensionError, StoreError, UnknownName, ZomError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.engine.chunks import Chunks
    from zom.extension.axis import Axis

__all__ = ["GivenUp", "Region", "SoundValues", "Unread", "reason_of"]

Region = tuple["slice[int, int, int]", ...]
"""Elements from a start to a stop, along each dimension."""

MOST_KEPT: Final = 100
"""The maximum number of unreadable chunks reported per array."""
MOST_FAILURES: Final = 8
"""The number of consecutive store failures after which the rest of the array is given up."""


class Unread(NamedTuple):
    """An unreadable chunk, or a part of one."""

    place: tuple[int, ...]
    """Its first element in the array."""
    key: str
    reason: str


class GivenUp(ZomError):
    """The rest of an array is not read: its store fails again and again, or a codec is unknown."""


@dataclass(eq=False)
class SoundValues:
    """The readable values of an array; unreadable parts are kept in `unread`.

    >>> import zom
    >>> array = zom.array([1, 2, 3, 4], chunks=2)
    >>> array.store.set("c/0", b"?")
    >>> sound = SoundValues(array.chunk_access)
    >>> values, is_lost = sound.read((slice(0, 4, 1),))
    >>> values[2:].tolist(), is_lost.tolist(), [each.key for each in sound.unread]
    ([3, 4], [True, True, False, False], ['c/0'])
    """

    chunks: Chunks
    unread: list[Unread] = field(default_factory=list[Unread])
    are_more: bool = False
    """Whether there are more than the recorded ones."""
    _seen: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    _failures: int = 0
    _end: Unread | None = None

    def read(self, region: Region) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any] | None]:
        """The elements of a region, and a mask of the lost ones, or None if all were read."""
        try:
            values = self._values(region)
        except (ChunkError, StoreError):
            shape = tuple(part.stop - part.start for part in region)
            values, lost = np.zeros(shape, self.chunks.plan.dtype), np.zeros(shape, "bool")
            levels = list(_levels(self.chunks))
            for part in _pieces(region, levels[0]):
                self._read_piece(part, levels[1:], region, values, lost)
            return values, lost
        except (UnknownName, ExtensionError) as error:
            raise self.given_up(reason_of(error)) from error
        self._failures = 0
        return values, None

    def given_up(self, reason: str) -> GivenUp:
        """The error that ends reading the array; `told` reports the reason."""
        self._end = Unread((), "", reason)
        return GivenUp(reason)

    def told(self) -> list[Unread]:
        """The unreadable parts so far, and at the end that there are more, or why reading ended."""
        more = Unread((), "", "more chunks than these are damaged") if self.are_more else None
        return [*self.unread, *(each for each in (more, self._end) if each is not None)]

    def _values(self, region: Region) -> np.ndarray[Any, Any]:
        chosen = basic_or_numpy(region, self.chunks.plan.shape)
        return np.asarray(read_selection(self.chunks, chosen))

    def _read_piece(
        self, piece: Region, levels: list[tuple[Axis, ...]], whole: Region, values: Any, lost: Any
    ) -> Unread | None:
        """Put the readable elements of a piece into `values`; return the record if nothing can be read."""
        room = _within(whole, piece)
        try:
            values[room] = self._values(piece)
        except StoreError as error:
            lost[room] = True
            self._keep(unread := Unread(_start(piece), error.key, reason_of(error)))
            self._failures += 1
            if self._failures >= MOST_FAILURES:
                reason = f"the store failed {self._failures} times in a row; the rest was not compared"
                raise self.given_up(reason) from error
            return unread
        except ChunkError as error:
            if levels:
                return self._read_within(piece, levels, whole, values, lost)
            lost[room] = True
            self._keep(unread := Unread(_start(piece), error.key, reason_of(error)))
            return unread
        self._failures = 0
        return None

    def _read_within(
        self, piece: Region, levels: list[tuple[Axis, ...]], whole: Region, values: Any, lost: Any
    ) -> Unread | None:
        """Like `_read_piece`, for a shard: piece by piece, unless its index is broken."""
        last: Unread | None = None
        for inner in _pieces(piece, levels[0]):
            found = self._read_piece(inner, levels[1:], whole, values, lost)
            if found is not None and last is not None and found.reason == last.reason:
                # If an inner chunk is broken, the reason names it: this reason is about the whole shard.
                lost[_within(whole, piece)] = True
                return found
            last = found or last
        return None

    def _keep(self, unread: Unread) -> None:
        if (unread.key, unread.reason) in self._seen:
            return
        if len(self.unread) >= MOST_KEPT:
            self.are_more = True
            return
        self._seen.add((unread.key, unread.reason))
        self.unread.append(unread)


def reason_of(error: ZomError) -> str:
    """Why something could not be read, without its place.

    >>> reason_of(ChunkError("a.zarr", "/a", "a/c/0", "decode", "checksum mismatch", codec="crc32c"))
    'crc32c: checksum mismatch'
    """
    if isinstance(error, ChunkError):
        return f"{error.codec}: {error.reason}" if error.codec else error.reason
    return error.reason if isinstance(error, StoreError) else " ".join(str(error).split())


def _levels(chunks: Chunks) -> Iterator[tuple[Axis, ...]]:
    """The grids of stored data: of chunks, and if these are shards, of the chunks in them."""
    plan = chunks.plan
    yield plan.axes
    form = None if plan.uniform is None else plan.form(plan.uniform).inner
    while form is not None:
        yield tuple(
            replace(axis, regular=size) if axis.regular is not None else axis
            for axis, size in zip(plan.axes, form.shape, strict=True)
        )
        form = form.inner


def _pieces(region: Region, axes: tuple[Axis, ...]) -> Iterator[Region]:
    """The region, cut along the chunks of a grid."""
    if not region:
        yield region
        return
    for part in split(Index(region), axes):
        spans = zip(region, part.outside, strict=True)
        yield tuple(slice(own.start + out.start, own.start + out.stop, 1) for own, out in spans)


def _within(whole: Region, piece: Region) -> tuple[slice, ...]:
    return tuple(
        slice(each.start - own.start, each.stop - own.start) for own, each in zip(whole, piece, strict=True)
    )


def _start(region: Region) -> tuple[int, ...]:
    return tuple(part.start for part in region)
