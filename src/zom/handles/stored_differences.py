"""Where the elements of two stored arrays differ: region by region, in bounded memory, whatever chunks they have.

Elements are compared bit for bit, in whatever order their bytes are stored: NaN is the same as a NaN of the same
bits, and 0.0 is not -0.0. Of elements of variable length, the values are compared. Regions in which neither array
has chunks are skipped, where both have one fill value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from zom.declaration.values import unlike
from zom.engine.indexing import read_selection
from zom.engine.selection import basic_or_numpy
from zom.hierarchy.copy.chunks import stored_chunks, tiles_of
from zom.hierarchy.copy.pair import ArrayPair, room_for
from zom.hierarchy.copy.tally import Progress, Tally
from zom.hierarchy.copy.tiling import distinct
from zom.hierarchy.stored.chunk_compatibility import same_fill

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.engine.chunks import Chunks
    from zom.handles.array import Array
    from zom.hierarchy.copy.tiling import Tiling

__all__ = ["Unlike", "unlike_elements"]

_SHOWN = 5
"""How many of the places that differ are told."""


class Unlike(NamedTuple):
    """The elements that differ in two arrays."""

    elements: int
    """How many there are."""
    places: list[tuple[int, ...]]
    """The first of them, in C order."""
    old: Any
    """The first of them in the one array."""
    new: Any


def unlike_elements(old: Array, new: Array) -> Unlike | None:
    """The elements that differ in two arrays of one shape and data type; None where none does.

    >>> import zom
    >>> one, other = zom.array([1, 2, 3], chunks=2), zom.array([1, 5, 4], chunks=3, form="v2")
    >>> found = unlike_elements(one, other)
    >>> found.elements, found.places, int(found.old), int(found.new)
    (2, [(1,), (2,)], 2, 5)
    """
    mine, theirs = old.chunk_access, new.chunk_access
    pair = ArrayPair(
        mine,
        theirs,
        jobs=1,
        is_resumed=False,
        memory=room_for(mine.store, theirs.store),
        tally=Tally(),
        progress=Progress(0, None),
    )
    tiles = tiles_of(pair)
    count, found = 0, list[tuple[tuple[int, ...], Any, Any]]()
    for number in _numbers(mine, theirs, tiles):
        region = tiles.region(number)
        a, b = (
            np.asarray(read_selection(each, basic_or_numpy(region, each.plan.shape)))
            for each in (mine, theirs)
        )
        places = unlike(a, b)
        count += len(places)
        for at in places[:_SHOWN]:
            inside = tuple(map(int, np.unravel_index(int(at), a.shape)))
            whole = tuple(part.start + place for part, place in zip(region, inside, strict=True))
            found.append((whole, a[inside], b[inside]))
        # Regions come in C order of themselves, not of their elements.
        found = sorted(found, key=lambda one: one[0])[:_SHOWN]
    if not count:
        return None
    return Unlike(count, [place for place, _, _ in found], found[0][1], found[0][2])


def _numbers(old: Chunks, new: Chunks, tiles: Tiling) -> Iterator[int]:
    """The regions in which the arrays may differ, in order."""
    if not tiles.count:
        return iter(())
    both = (old, new)
    if not same_fill(old.plan, new.plan) or not all(each.store.capabilities.listable for each in both):
        return iter(range(tiles.count))
    touched = (
        number
        for each in both
        for _, place in stored_chunks(each)
        for number in tiles.touched(each.plan.axes, place)
    )
    return distinct(touched, tiles.count)
