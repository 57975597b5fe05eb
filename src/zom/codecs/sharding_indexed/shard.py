"""The coder of shards: consecutive inner chunks, and the index that locates them.

Zarr v3, sharding_indexed codec, binary shard format. The draft's sharding storage transformer, whose
index has no checksum, uses the same coder with other index codecs. This module doesn't access stores:
to read parts of a shard, get the ranges from the index and decode them with `inner`.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from zom.codecs.sharding_indexed.grid import ShardGrid
from zom.codecs.sharding_indexed.index import MISSING, IndexCoder
from zom.errors import CodecError, ExtensionError
from zom.extension.bound import Coder
from zom.extension.fill_bits import FillTest
from zom.extension.pieces import Pieces
from zom.extension.raw import byte_view
from zom.extension.rows import RowDecoder
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zom.codecs.sharding_indexed.index import IndexLocation, ShardIndex
    from zom.extension.bound import Array, Block, Data
    from zom.extension.bound_chain import BoundChain

__all__ = ["ShardCoder", "Share"]

# An index has 16 bytes for each inner chunk, so at most 256 MiB.
_MOST_CHUNKS = 1 << 24

# The bytes that the codecs of an inner chunk may add to it, however small it is.
_ADDED = 1 << 12

_AT_ONCE = 1 << 20
"""The decoded size of the inner chunks that are copied to their places at once, in bytes."""


Share: TypeAlias = "Callable[[Callable[[Iterator[int]], None], int], None]"
"""Calls a function that takes all numbers below a count; several concurrent calls may share them."""


def _alone(take: Callable[[Iterator[int]], None], count: int) -> None:
    take(iter(range(count)))


class ShardCoder(Coder[Any, Any]):
    """Encodes and decodes a shard of inner chunks.

    >>> import zom.codecs, zom.dtypes
    >>> from zom.codecs.sharding_indexed.index import index_block
    >>> from zom.extension.bound import Block
    >>> from zom.extension.bound_chain import bind_chain
    >>> from zom.extension.resolve import data_type
    >>> whole, part = (Block(shape, data_type("int8"), 0) for shape in [(4,), (2,)])
    >>> coder = ShardCoder(whole, bind_chain([], part), bind_chain([], index_block((2,))))
    >>> shard = coder.encode(np.array([0, 0, 7, 8], "i1"))
    >>> coder.decode(shard), list(coder.parse(shard).ranges()), len(shard)
    (array([0, 0, 7, 8], dtype=int8), [None, (0, 2)], 34)
    """

    scatters = True

    def __init__(
        self,
        block: Block,
        inner: BoundChain,
        index: BoundChain,
        *,
        location: IndexLocation = "end",
        name: str = "sharding_indexed",
    ) -> None:
        self.block = block
        self.inner = inner
        """The codecs of the inner chunks."""
        self.chunk_shape = inner.block.shape
        """The shape of an inner chunk."""
        self.grid = ShardGrid(block.shape, self.chunk_shape)
        self.counts = self.grid.counts
        """The number of inner chunks along each dimension."""
        self.count = self.grid.count
        """The number of inner chunks."""
        if self.count > _MOST_CHUNKS:
            message = f"{name}: a shard of {self.count} inner chunks; zom supports at most {_MOST_CHUNKS}"
            raise ExtensionError(message)
        self.name = name
        """The name of the codec in errors."""
        least = 1 if inner.nbytes is None else inner.nbytes
        most = inner.most if inner.nbytes is None else inner.nbytes
        self.index = IndexCoder(self.counts, index, sizes=(least, most), location=location, name=name)
        """The coder of the index."""
        self.is_empty = FillTest(inner.block)
        """Tests whether an inner chunk holds only the fill value and is not stored."""
        self.rows = RowDecoder(inner, self.is_empty.cell)
        """Decodes many small inner chunks at once."""
        self._start = self.index.nbytes if location == "start" else 0
        self.most = self.index.nbytes + self._most_inside()

    def index_range(self) -> tuple[IndexLocation, int]:
        """Return the location of the index in a shard, and its fixed size in bytes."""
        return self.index.location, self.index.nbytes

    def parse_index(self, data: Data, size: int | None = None) -> ShardIndex:
        """Decode the index `data` of a shard of `size` bytes, if that is known."""
        return self.index.parse(data, size)

    def parse(self, shard: Data) -> ShardIndex:
        """Decode the index of a whole shard."""
        start, stop = self.index.range_in(len(shard))
        return self.index.parse(memoryview(shard)[start:stop], len(shard))

    def build(self, chunks: Sequence[Data | None]) -> Data:
        """Build a shard from encoded inner chunks in C order; None for a missing one."""
        sizes = [-1 if chunk is None else len(chunk) for chunk in chunks]
        return self._join(np.array(sizes, np.int64), [chunk for chunk in chunks if chunk is not None])

    def encode(self, chunk: Array, share: Share = _alone) -> Data:
        """Encode a shard without inner chunks that hold only the fill value; `share` may use threads."""
        if chunk.dtype != self.block.dtype:
            chunk = chunk.astype(self.block.dtype)
        if self.inner.direct and self.grid.can_split:
            return self._encode_direct(self.grid.split(chunk))
        blocks = self._cut(chunk)
        there = ~self._empty(blocks)
        places: list[int] = np.flatnonzero(there).tolist()
        present = self._encode_rows(blocks, there, share)
        if present is None:
            present = self._encode_each(blocks, places, share)
        del blocks  # as large as the data joined next
        sizes = np.full(self.count, -1)
        sizes[places] = [len(data) for data in present]
        return self._join(sizes, present)

    def _encode_rows(
        self, blocks: Sequence[Array] | Array, there: Array, share: Share
    ) -> Sequence[Data] | None:
        """Encode the inner chunks where `there`; return None if they are too large or one is invalid."""
        if not self.rows.is_possible or self.inner.direct or not isinstance(blocks, np.ndarray):
            return None
        step = max(1, _AT_ONCE // self.rows.nbytes)
        made: list[list[Data]] = [[] for _ in range(0, self.count, step)]

        def take(numbers: Iterator[int]) -> None:
            for number in numbers:
                some = slice(number * step, (number + 1) * step)
                part, kept = blocks[some], there[some]
                if kept.any():
                    made[number] = self.inner.encode_rows(part if kept.all() else part[kept])

        try:
            share(take, len(made))
        except CodecError:
            return None
        return list(chain.from_iterable(made))

    def _encode_each(
        self, blocks: Sequence[Array] | Array, places: list[int], share: Share
    ) -> Sequence[Data]:
        made: list[Data] = [b""] * len(places)
        encode = self.inner.encode

        def take(numbers: Iterator[int]) -> None:
            number = 0
            try:
                for number in numbers:
                    made[number] = encode(blocks[places[number]])
            except CodecError as cause:
                raise self.refuse(places[number], cause) from cause

        share(take, len(places))
        return made

    def decode(self, chunk: Data) -> Array:
        """Return the elements of a whole shard."""
        made = np.empty(self.block.shape, self.block.dtype)
        self.decode_array_into(chunk, made)
        return made

    def decode_array_into(self, chunk: Data, target: Array) -> None:
        """Check the index and decode each inner chunk to its place in `target`."""
        shard = memoryview(chunk)
        index = self.parse(shard)
        spans = index.ranges()
        if self.inner.direct and self.grid.can_split and (rows := self._rows(shard, index)) is not None:
            self.grid.split(target)[...] = rows.reshape(*self.counts, *self.chunk_shape)
            return
        if self.rows.is_possible and self.grid.can_split and self._decode_rows(shard, index, target):
            return
        fill, decode, into = self.is_empty.cell, self.inner.decode, self.inner.decode_into
        in_place = self.inner.serializer.scatters or self._lie_together(target)
        place = 0
        try:
            for place, (corner, span) in enumerate(zip(self.grid.corners(), spans, strict=True)):  # noqa: B007
                if span is None:
                    target[corner] = fill
                elif in_place:
                    into(shard[span[0] : span[1]], target[corner])
                else:
                    target[corner] = decode(shard[span[0] : span[1]])
        except CodecError as cause:
            raise self.refuse(place, cause, index.entry(place)) from cause

    def _decode_rows(self, shard: memoryview, index: ShardIndex, target: Array) -> bool:
        """Decode inner chunks into rows, some at a time; return False if one, still unknown, is invalid."""
        split = self.grid.split(target)
        below = self.count // self.counts[0] if self.count else 1
        step = max(1, _AT_ONCE // (below * self.rows.nbytes))
        try:
            for first in range(0, self.counts[0], step):
                part = split[first : first + step]
                entries = index.entries[first * below : (first + step) * below]
                there = entries[:, 0] != MISSING
                starts, lengths = entries[there].astype(np.int64).T
                part[...] = self.rows.decode(Pieces(shard, starts, lengths), there).reshape(part.shape)
        except CodecError:
            return False
        return True

    def refuse(self, place: int, cause: CodecError, span: tuple[int, int] | None = None) -> CodecError:
        """Return the error for the inner chunk at `place`, in C order, whose codecs raised `cause`."""
        where = "" if span is None else f", bytes {span[0]} to {span[1]}"
        error = self.index.refuse(place, f"{where}: {cause}")
        if span is not None:
            # For a nested shard, only its invalid part.
            first, last = cause.byte_range or (0, span[1] - span[0])
            error.byte_range = (span[0] + first, span[0] + last)
        return error

    def _encode_direct(self, split: Array) -> Data:
        """Encode a shard of uncompressed inner chunks, copying each element once."""
        there = ~self._empty_of(split)
        count = int(np.count_nonzero(there))
        nbytes = count * self.inner.most
        entries = self._entries(np.where(there, self.inner.most, -1))
        made = np.empty(nbytes + self.index.nbytes, np.uint8)
        first, stop = self.index.range_in(len(made))
        made[first:stop] = np.frombuffer(self.index.encode(entries), np.uint8)
        start = 0 if first else stop
        rows = made[start : start + nbytes].view(self.block.dtype)
        if count == self.count:
            rows.reshape(split.shape)[...] = split
        else:
            blocks = np.ascontiguousarray(split).reshape(self.count, *self.chunk_shape)
            rows.reshape(count, *self.chunk_shape)[...] = blocks[there]
        return byte_view(made)

    def _entries(self, sizes: Array) -> Array:
        """Return the index of consecutive inner chunks of these sizes; -1 means missing."""
        lengths = np.maximum(sizes, 0)
        entries = np.empty((self.count, 2), np.uint64)
        entries[:, 0] = lengths.cumsum() - lengths + self._start
        entries[:, 1] = lengths
        entries[sizes < 0] = MISSING
        return entries

    def _join(self, sizes: Array, present: Sequence[Data]) -> Data:
        """Join the `present` inner chunks and the index; a size of -1 means missing."""
        if self.index.least and not sizes.all():  # no reader takes an entry of 0 bytes
            reason = f": {', '.join(self.inner.names)}: expected at least one byte from encode, found none"
            raise self.index.refuse(int(np.flatnonzero(sizes == 0)[0]), reason)
        index = self.index.encode(self._entries(sizes))
        return b"".join([index, *present] if self._start else [*present, index])

    def _cut(self, shard: Array) -> Sequence[Array] | Array:
        """Return the inner chunks of a shard; if they are an array, each is contiguous.

        One copy of all is faster than one of each, and none is needed if they are in order already.
        """
        if not self.grid.can_split:
            return [shard[corner] for corner in self.grid.corners()]
        return np.ascontiguousarray(self.grid.split(shard)).reshape(self.count, *self.chunk_shape)

    def _empty(self, blocks: Sequence[Array] | Array) -> Array:
        """Return which of the inner chunks hold only the fill value."""
        if not isinstance(blocks, np.ndarray) or self.block.dtype.hasobject:
            return np.array([self.is_empty(block) for block in blocks])
        return self._empty_of(blocks.reshape(*self.counts, *self.chunk_shape))

    def _empty_of(self, split: Array) -> Array:
        """Return the same for a split shard; test only inner chunks whose first element is the fill value."""
        first: Any = (..., *(0,) * len(self.counts))
        firsts = byte_view(np.ascontiguousarray(split[first]))
        bits = np.frombuffer(self.is_empty.cell.tobytes(), np.uint8)
        empty: Array = (np.frombuffer(firsts, np.uint8).reshape(self.count, -1) == bits).all(axis=1)
        for place in np.flatnonzero(empty).tolist():
            empty[place] = self.is_empty(split[np.unravel_index(place, self.counts)])
        return empty

    def _rows(self, shard: memoryview, index: ShardIndex) -> Array | None:
        """Return all uncompressed inner chunks at once, or None if one is missing or they are not aligned."""
        nbytes = self.inner.most
        starts = index.entries[:, 0]
        first, last = int(starts.min()), int(starts.max())
        if last == MISSING:
            return None
        return self.rows.cut(shard[first : last + nbytes], (starts - np.uint64(first)).astype(np.intp))

    def _lie_together(self, target: Array) -> bool:
        """Whether the memory of an inner chunk in `target` is contiguous."""
        corner: Any = (*[slice(n) for n in self.chunk_shape], ...)
        return bool(target[corner].flags.c_contiguous)

    def _most_inside(self) -> int:
        """Return the maximum size of all inner chunks together, in bytes."""
        inner = self.inner
        if inner.block.nbytes is None:
            return inner.most + self.count * _ADDED
        nested = inner.serializer.most is not None
        return self.count * (inner.most if nested else min(inner.most, 2 * inner.block.nbytes + _ADDED))
