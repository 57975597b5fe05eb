"""Shards: chunks inside of chunks, read and written in parts.

Zarr v3, sharding_indexed codec. Only the index and the wanted inner chunks are read. To write a part, encoded
inner chunks that stay are copied, and the others are encoded anew. A shard with a damaged index is never
overwritten: its remaining content would be lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from zom.engine.boxes import read_boxes
from zom.engine.padding import encode_padded
from zom.engine.shard_points import read_points
from zom.engine.source import Window, check_length
from zom.engine.span import read_span
from zom.engine.split import walk
from zom.engine.workers import share, worth
from zom.errors import CodecError
from zom.stores.interface import Range, Suffix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from zom.codecs.sharding_indexed.index import ShardIndex
    from zom.codecs.sharding_indexed.shard import ShardCoder
    from zom.engine.index import Index
    from zom.engine.padding import Held
    from zom.engine.plan import ChunkForm
    from zom.engine.source import Source
    from zom.engine.split import ChunkPart
    from zom.extension.bound import Array, Data

__all__ = ["Assign", "merged", "place", "read_part"]

_LARGE = 1 << 18
"""Bytes of an uncompressed inner chunk from which a part of it is read alone."""

_BATCH = 1 << 24
"""Bytes of inner chunks that are requested at once, ..."""

_SHARE = 1 << 17
"""... and if several threads share them."""


Assign: TypeAlias = "Callable[[Array, Any, Array], None]"
"""Function that assigns values to a decoded chunk at a numpy index."""


def place(form: ChunkForm, data: Data, part: ChunkPart, target: Array) -> None:
    """Put the part of the chunk that is stored as `data` into its place in `target`."""
    _, inside, outside, whole = part
    # An array as index would make a copy.
    if whole and all(type(entry) is slice for entry in outside):
        room = target[outside]
        if room.shape == form.shape:
            form.chain.decode_into(data, room)
            return
    target[outside] = form.chain.decode(data)[inside.as_numpy()]


class _Wanted(NamedTuple):
    """An existing inner chunk, and the wanted part of it."""

    part: ChunkPart
    number: int
    """Its number among the inner chunks, in C order."""
    span: tuple[int, int]


def read_part(form: ChunkForm, source: Source, inside: Index, target: Array, *, threads: int = 1) -> None:
    """Read what `inside` selects of the shard `source` into `target`, of that shape, by up to `threads`."""
    shard, inner = _parts_of(form)
    location, nbytes = shard.index_range()
    where = Range(0, nbytes) if location == "start" else Suffix(nbytes)
    index = shard.parse_index(source.get(where), source.size)
    index.check()
    few = form.few_parts(inside)
    parts: Iterable[tuple[ChunkPart, int]]
    if few is not None:
        count, parts = len(few), few
    else:
        if read_boxes(shard, index, source, inside, target, threads=threads):
            return
        if read_points(shard, index, source, inside, target, threads=threads):
            return
        found = walk(inside, form.axes)
        count, parts = found.count, zip(found, found.numbers(shard.counts), strict=True)
    threads = worth(threads, count * inner.nbytes)

    def take(batches: Iterator[list[_Wanted]]) -> None:
        for wanted in batches:
            _read_inner(form, source, wanted, target)

    batches = _batches(form, index, parts, target, _BATCH if threads == 1 else _SHARE)
    share(batches, count, take, threads=threads)


def _batches(
    form: ChunkForm,
    index: ShardIndex,
    parts: Iterable[tuple[ChunkPart, int]],
    target: Array,
    most: int,
) -> Iterator[list[_Wanted]]:
    """Batches of existing inner chunks to read together, of about `most` bytes; missing ones are filled."""
    fill = _parts_of(form)[1].fill
    wanted: list[_Wanted] = []
    waiting = 0
    for part, number in parts:
        span = index.entry(number)
        if span is None:
            target[part.outside] = fill
            continue
        wanted.append(_Wanted(part, number, span))
        waiting += span[1] - span[0]
        if waiting >= most:
            yield wanted
            wanted, waiting = [], 0
    if wanted:
        yield wanted


def _parts_of(form: ChunkForm) -> tuple[ShardCoder, ChunkForm]:
    if form.shard is None or form.inner is None:  # pragma: no cover - callers have looked
        raise TypeError("this chunk is not a shard")
    return form.shard, form.inner


def _read_inner(form: ChunkForm, source: Source, wanted: list[_Wanted], target: Array) -> None:
    shard, inner = _parts_of(form)
    in_spans = inner.chain.direct and inner.nbytes >= _LARGE
    together: list[_Wanted] = []
    for each in wanted:
        part, number, span = each
        if part.whole or not (inner.shard is not None or (in_spans and part.inside.basic)):
            together.append(each)
            continue
        try:
            _read_part_of(inner, Window(source, *span), part, target)
        except CodecError as error:
            raise shard.refuse(number, error, span) from error
    wanted = together
    if not wanted:
        return
    values = source.get_many([Range(start, stop - start) for _, _, (start, stop) in wanted])
    for (part, number, span), value in zip(wanted, values, strict=True):
        try:
            check_length(value, span)
            place(inner, value, part, target)
        except CodecError as error:
            raise shard.refuse(number, error, span) from error


def _read_part_of(inner: ChunkForm, source: Source, part: ChunkPart, target: Array) -> None:
    room = target[part.outside]
    if inner.shard is None:
        read_span(inner, source, part.inside, room)
    else:
        read_part(inner, source, part.inside, room)
    if not np.may_share_memory(room, target):
        # An index with arrays makes a copy.
        target[part.outside] = room


def merged(  # noqa: PLR0913 - a chunk, a change, and how it is made
    form: ChunkForm,
    old: Data | None,
    inside: Index,
    values: Array,
    assign: Assign,
    *,
    keep_empty: bool,
    replaces: bool,
    whole: bool = False,
    held: Held | None = None,
    threads: int = 1,
) -> Data | None:
    """The encoded chunk `old` with `values` in it; None if it is all fill, unless `keep_empty`.

    If the chunk is `whole` in the selection, and the values are whole elements (`replaces`) and not fields,
    `old` is not read. `held` is the number of elements within the array, if not all are. At most `threads`
    threads change the inner chunks of a shard.
    """
    if whole and replaces:
        old = None
    if form.shard is None:
        array = form.new() if old is None else np.array(form.chain.decode(old))
        assign(array, inside.as_numpy(), values)
        return None if not keep_empty and form.is_fill(array) else encode_padded(form, array, held)
    shard, inner = _parts_of(form)
    spans = [None] * shard.count if old is None else _spans_of(shard, old)
    view = memoryview(b"" if old is None else old)
    chunks: list[Data | None] = [None if span is None else view[span[0] : span[1]] for span in spans]
    parts = walk(inside, form.axes)

    def take(some: Iterator[tuple[ChunkPart, int]]) -> None:
        for part, number in some:
            try:
                chunks[number] = merged(
                    inner,
                    chunks[number],
                    part.inside,
                    values[part.outside],
                    assign,
                    keep_empty=keep_empty,
                    replaces=replaces,
                    whole=part.whole,
                    held=None if held is None else _held_inside(inner, part, held),
                )
            except CodecError as error:
                raise shard.refuse(number, error, spans[number]) from error

    numbered = zip(parts, parts.numbers(shard.counts), strict=True)
    share(numbered, parts.count, take, threads=worth(threads, parts.count * inner.nbytes))
    if not keep_empty and all(chunk is None for chunk in chunks):
        return None
    return shard.build(chunks)


def _held_inside(inner: ChunkForm, part: ChunkPart, held: Held) -> Held:
    """Number of elements of an inner chunk within the array, if the shard has `held` of them."""
    lengths = zip(part.chunk, inner.shape, held, strict=True)
    return tuple([min(size, count - number * size) for number, size, count in lengths])


def _spans_of(shard: ShardCoder, data: Data) -> list[tuple[int, int] | None]:
    """The positions of the inner chunks of a shard whose whole index is valid."""
    return list(shard.parse(data).ranges())
