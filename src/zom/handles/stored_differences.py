"""Differences between the elements of two stored arrays: region by region, in limited memory.

Elements are compared bit for bit, in any byte order: NaN equals a NaN with the same bits, 0.0 is not -0.0.
Elements of variable length are compared by value. Regions without chunks in both arrays are skipped if the
fill values are equal. Unreadable chunks are reported, and all others compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from zom.declaration.values import unlike
from zom.errors import StoreError
from zom.handles.sound_values import GivenUp, SoundValues
from zom.hierarchy.copy.chunks import stored_chunks, tiles_of
from zom.hierarchy.copy.pair import ArrayPair, room_for
from zom.hierarchy.copy.tally import Progress, Tally
from zom.hierarchy.copy.tiling import distinct
from zom.hierarchy.stored.chunk_compatibility import same_fill

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.engine.chunks import Chunks
    from zom.handles.array import Array
    from zom.handles.sound_values import Region, Unread
    from zom.hierarchy.copy.tiling import Tiling

__all__ = ["SIDES", "Comparison", "Side", "Unlike", "compared_elements"]

Side: TypeAlias = Literal["old", "new"]
"""One of the two arrays."""
SIDES: tuple[Side, Side] = "old", "new"

_SHOWN = 5
"""The number of reported positions that differ."""


class Unlike(NamedTuple):
    """The elements that differ in two arrays."""

    elements: int
    """The number of elements that differ."""
    places: list[tuple[int, ...]]
    """The positions of the first ones, in C order."""
    old: Any
    """The first of them in the old array."""
    new: Any


class Comparison(NamedTuple):
    """The result of comparing the values of two arrays."""

    unlike: Unlike | None
    """The elements that differ, or None if none do."""
    unread: dict[Side, list[Unread]]
    """The unreadable parts of each array, which were not compared."""


def compared_elements(old: Array, new: Array) -> Comparison:
    """The differing elements of two arrays of one shape and data type, and those that can't be compared.

    >>> import zom
    >>> one, other = zom.array([1, 2, 3], chunks=2), zom.array([1, 5, 4], chunks=3, form="v2")
    >>> found = compared_elements(one, other).unlike
    >>> found.elements, found.places, int(found.old), int(found.new)
    (2, [(1,), (2,)], 2, 5)
    """
    one, other = SoundValues(old.chunk_access), SoundValues(new.chunk_access)
    found = _Found()
    try:
        tiles = _tiles(one.chunks, other.chunks)
        for number in _numbers(one, other, tiles):
            region = tiles.region(number)
            found.add(region, one.read(region), other.read(region))
    except GivenUp:
        pass  # `told` reports it
    return Comparison(found.made(), {"old": one.told(), "new": other.told()})


class _Found:
    """The differing elements of the regions compared so far."""

    def __init__(self) -> None:
        self._count = 0
        self._first: list[tuple[tuple[int, ...], Any, Any]] = []

    def add(self, region: Region, old: tuple[Any, Any], new: tuple[Any, Any]) -> None:
        """Compare a region: its values on each side, and masks of those lost."""
        (a, lost), (b, lost_too) = old, new
        places = unlike(a, b)
        for each in (lost, lost_too):
            if each is not None:
                places = places[~each.reshape(-1)[places]]
        self._count += len(places)
        for at in places[:_SHOWN]:
            inside = tuple(map(int, np.unravel_index(int(at), a.shape)))
            whole = tuple(part.start + place for part, place in zip(region, inside, strict=True))
            self._first.append((whole, a[inside], b[inside]))
        # Regions are in C order among themselves, but their elements are not.
        self._first = sorted(self._first, key=lambda one: one[0])[:_SHOWN]

    def made(self) -> Unlike | None:
        if not self._count:
            return None
        _, old, new = self._first[0]
        return Unlike(self._count, [place for place, _, _ in self._first], old, new)


def _tiles(old: Chunks, new: Chunks) -> Tiling:
    memory, progress = room_for(old.store, new.store), Progress(0, None)
    pair = ArrayPair(old, new, jobs=1, is_resumed=False, memory=memory, tally=Tally(), progress=progress)
    return tiles_of(pair)


def _numbers(old: SoundValues, new: SoundValues, tiles: Tiling) -> Iterator[int]:
    """The numbers of regions in which the arrays may differ, in order."""
    if not tiles.count:
        return iter(())
    both = (old.chunks, new.chunks)
    is_listed = all(each.store.capabilities.listable for each in both)
    if not is_listed or not same_fill(both[0].plan, both[1].plan):
        return iter(range(tiles.count))
    return distinct((number for each in (old, new) for number in _touched(each, tiles)), tiles.count)


def _touched(values: SoundValues, tiles: Tiling) -> Iterator[int]:
    """The numbers of the regions that contain stored chunks of one array."""
    chunks = values.chunks
    try:
        for _, place in stored_chunks(chunks):
            yield from tiles.touched(chunks.plan.axes, place)
    except StoreError as error:
        raise values.given_up(f"its chunks can't be listed: {error.reason}") from error
