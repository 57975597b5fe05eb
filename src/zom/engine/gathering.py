"""Gathering: parts of many shards of a store with high latency, in two round trips.

The indexes of all shards are requested at once, then the inner chunks of all shards at once. Inner chunks
close to each other in a shard are one request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from zom.engine.sharding import place as put_in_place
from zom.engine.source import check_length
from zom.engine.split import walk
from zom.engine.workers import share, worth
from zom.errors import CodecError, StoreError
from zom.stores.interface import CHANGED, Part, Range, Suffix, near

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zom.codecs.sharding_indexed.shard import ShardCoder
    from zom.engine.chunks import Chunks, Keyed
    from zom.engine.plan import ChunkForm
    from zom.engine.split import ChunkPart
    from zom.extension.bound import Array, Data
    from zom.stores.interface import ByteRange, Span

__all__ = ["LONGEST_INNER", "READ_AT_ONCE", "READ_WHOLE", "read_shards"]

READ_WHOLE = 1 << 19
"""Shards up to this many decoded bytes are read whole: 0.5 MiB take less time than a round trip."""

READ_AT_ONCE = 1 << 26
"""Shards that are wanted whole are one request up to this many decoded bytes; larger ones are several."""

LONGEST_INNER = 1 << 22
"""Shards inside of shards up to this many decoded bytes are read whole, like other inner chunks."""

_GAP = 1 << 16
"""Unneeded bytes that are read along: a request costs about as much as 64 KiB, some 0.5 ms."""

_LONGEST = 1 << 23
"""Bytes of one request; longer ones are faster over several connections."""

_BATCH = 1 << 26
"""Bytes of inner chunks that are requested at once."""

_TRIES = 6
"""Number of attempts to read a shard that others replace meanwhile."""


class _Inner(NamedTuple):
    """A wanted inner chunk, and its destination."""

    key: str
    version: Any
    """The version of the shard whose index gave the span."""
    form: ChunkForm
    part: ChunkPart
    number: int
    """Its number among the inner chunks, in C order."""
    span: Span
    target: Array


class Destination(Protocol):
    """The destination of the shards of one form."""

    form: ChunkForm

    def room(self, part: ChunkPart) -> Array:
        """The memory for a part."""
        ...

    def keep(self, part: ChunkPart, room: Array) -> None:
        """Put the data read into `room` in its place."""

    def put(self, part: ChunkPart, key: str, data: Data | None) -> None:
        """Put a part of a shard that was read whole in its place."""

    def put_fill(self, key: str, outside: Any) -> None:
        """Handle a missing shard."""


class Destinations(Protocol):
    """The destinations of all shards."""

    def of(self, chunk: tuple[int, ...]) -> Destination:
        """The destination of chunks of that shape."""
        ...


def read_shards(chunks: Chunks, batch: Sequence[Keyed], places: Destinations, *, threads: int) -> None:
    """Read the wanted parts of each shard of `batch` into their places, and decode with at most `threads`.

    A shard that is replaced between the reads of its index and its inner chunks is read again, if the store
    has versions. Otherwise, a shard that is wanted completely is read by one request.
    """
    left, before = list(batch), dict[str, Any]()
    for _ in range(_TRIES):
        versions = _read_shards(chunks, left, places, before, threads)
        left = [keyed for keyed in left if keyed[1] in versions]
        before = versions
        if not left:
            return
    raise StoreError(chunks.store.url, left[0][1], "read", CHANGED)


def _read_shards(
    chunks: Chunks, batch: Sequence[Keyed], places: Destinations, before: dict[str, Any], threads: int
) -> dict[str, Any]:
    """Do this once; return the keys of shards replaced meanwhile, with the versions of their indexes.

    If a replaced shard still has its version in `before`, no version is requested for it.
    """
    found = [(part, key, places.of(part.chunk)) for part, key in batch]
    indexes = chunks.store.get_parts([Part(key, _index_range(place.form)) for _, key, place in found])
    waiting: list[_Inner] = []
    rooms: list[tuple[Destination, ChunkPart, Array]] = []
    changed: dict[str, Any] = {}
    nbytes = 0
    for (part, key, place), index in zip(found, indexes, strict=True):
        if index is None:
            place.put_fill(key, part.outside)
            continue
        version = None if key in before and before[key] == index.version else index.version
        try:
            if part.whole and index.version is None:
                place.put(part, key, chunks.store.get(key))  # one request gets one version
                continue
            room = place.room(part)
            rooms.append((place, part, room))
            for each in _wanted(place.form, key, version, part, index.value, room):
                waiting.append(each)
                nbytes += each.span[1] - each.span[0]
                if nbytes >= _BATCH:
                    changed.update(_read_inner(chunks, waiting, threads))
                    waiting, nbytes = [], 0
        except (CodecError, MemoryError) as error:
            raise chunks.refused("decode", key, error) from error
    changed.update(_read_inner(chunks, waiting, threads))
    for place, part, room in rooms:
        place.keep(part, room)
    return changed


def _index_range(form: ChunkForm) -> ByteRange:
    location, nbytes = _parts_of(form)[0].index_range()
    return Range(0, nbytes) if location == "start" else Suffix(nbytes)


def _parts_of(form: ChunkForm) -> tuple[ShardCoder, ChunkForm]:
    if form.shard is None or form.inner is None:  # pragma: no cover - callers have looked
        raise TypeError("this chunk is not a shard")
    return form.shard, form.inner


def _wanted(  # noqa: PLR0913, PLR0917 - a shard, the wanted part, and its destination
    form: ChunkForm, key: str, version: Any, part: ChunkPart, data: bytes, target: Array
) -> Iterable[_Inner]:
    """The existing inner chunks among the wanted ones; missing ones are filled."""
    shard, inner = _parts_of(form)
    index = shard.parse_index(data)
    index.check()
    parts = walk(part.inside, form.axes)
    for each, number in zip(parts, parts.numbers(shard.counts), strict=True):
        span = index.entry(number)
        if span is None:
            target[each.outside] = inner.fill
        else:
            yield _Inner(key, version, form, each, number, span, target)


def _read_inner(chunks: Chunks, wanted: list[_Inner], threads: int) -> dict[str, Any]:
    """Request all inner chunks at once, and put them in their places.

    Returns the keys of shards that were deleted or replaced, with the requested versions.
    """
    by_key: dict[str, list[_Inner]] = {}
    for each in wanted:
        by_key.setdefault(each.key, []).append(each)
    asked: list[tuple[str, Span, list[_Inner]]] = []
    for key, found in by_key.items():
        found.sort(key=lambda each: each.span)
        first = 0
        for span in near((each.span for each in found), gap=_GAP, longest=_LONGEST):
            stop = first
            while stop < len(found) and found[stop].span[1] <= span[1]:
                stop += 1
            asked.append((key, span, found[first:stop]))
            first = stop
    values = chunks.store.get_parts(
        [Part(key, Range(start, stop - start), inside[0].version) for key, (start, stop), inside in asked]
    )
    pieces: list[tuple[_Inner, Data]] = []
    changed: dict[str, Any] = {}
    for (key, span, inside), value in zip(asked, values, strict=True):
        if value is None:
            changed[key] = inside[0].version
            continue
        view = memoryview(value.value)
        pieces += [(each, view[each.span[0] - span[0] : each.span[1] - span[0]]) for each in inside]

    def take(some: Iterator[tuple[_Inner, Data]]) -> None:
        for each, data in some:
            _put(chunks, each, data)

    nbytes = sum(_parts_of(each.form)[1].nbytes for each in wanted)
    share(iter(pieces), len(pieces), take, threads=worth(threads, nbytes))
    return changed


def _put(chunks: Chunks, each: _Inner, data: Data) -> None:
    shard, inner = _parts_of(each.form)
    try:
        check_length(data, each.span)
        put_in_place(inner, data, each.part, each.target)
    except MemoryError as error:
        raise chunks.refused("decode", each.key, error) from error
    except CodecError as error:
        refused = shard.refuse(each.number, error, each.span)
        raise chunks.refused("decode", each.key, refused) from error
