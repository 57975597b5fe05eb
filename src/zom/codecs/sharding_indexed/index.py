"""The index of a shard: the location of each inner chunk, checked before use.

Zarr v3, sharding_indexed codec, binary shard format: for each inner chunk, in C order, the offset and the
number of its bytes, both uint64; both are 2^64 - 1 if the chunk is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, cast

from zom.errors import CodecError, ExtensionError
from zom.extension.bound import Block
from zom.extension.resolve import parse_v3
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.extension.bound import Array, Data
    from zom.extension.bound_chain import BoundChain
    from zom.extension.datatype import DataType

__all__ = ["MISSING", "IndexCoder", "IndexLocation", "ShardIndex", "index_block"]

IndexLocation = Literal["start", "end"]
"""The end of a shard where its index is."""

MISSING: Final = 2**64 - 1
"""Offset and number of bytes of a missing inner chunk."""

# The maximum length of a value, so that offset plus length of a checked entry is below 2^64.
_LONGEST: Final = 2**63 - 1

# numpy's maximum rank.
_MOST_RANK: Final = 64

# Entries checked at once: intermediate results stay in the processor's cache.
_BLOCK: Final = 1 << 13

# The maximum size of a cached index in bytes.
_KEPT: Final = 1 << 20

# The number of entries up to which a loop is faster than numpy.
_FEW: Final = 32


def index_block(counts: tuple[int, ...]) -> Block:
    """Return the block that the index codecs are bound for, if a shard has `counts` inner chunks.

    >>> import zom.dtypes
    >>> index_block((2, 3)).shape
    (2, 3, 2)
    """
    if len(counts) >= _MOST_RANK:
        message = f"a shard of {len(counts)} dimensions: its index has one more, and numpy supports at most {_MOST_RANK}"
        raise ExtensionError(message)
    uint64 = cast("DataType", parse_v3("uint64", []))
    return Block((*counts, 2), uint64, np.uint64(0))


class IndexCoder:
    """Encodes and decodes the index of a shard.

    >>> import zom.dtypes
    >>> from zom.extension.bound_chain import bind_chain
    >>> coder = IndexCoder((2,), bind_chain([], index_block((2,))), sizes=(1, 100))
    >>> coder.nbytes, coder.range_in(1000)
    (32, (968, 1000))
    """

    __slots__ = ("_last", "chain", "counts", "least", "location", "most", "name", "nbytes")

    def __init__(
        self,
        counts: tuple[int, ...],
        chain: BoundChain,
        *,
        sizes: tuple[int, int],
        location: IndexLocation = "end",
        name: str = "sharding_indexed",
    ) -> None:
        self.counts = counts
        """The number of inner chunks along each dimension."""
        self.chain = chain
        if chain.nbytes is None:
            raise CodecError("the codecs of the index don't have a fixed output size", name)
        self.nbytes = chain.nbytes
        """The size of an encoded index in bytes."""
        self.least, self.most = sizes
        self.location: IndexLocation = location
        self.name = name
        """The name of the codec in errors."""
        self._last: tuple[bytes, int | None, ShardIndex] | None = None

    def range_in(self, size: int) -> tuple[int, int]:
        """Return the byte range of the index in a shard of `size` bytes; raise CodecError if it can't fit."""
        if size < self.nbytes:
            raise CodecError(f"expected at least {self.nbytes} bytes, for the index, found {size}", self.name)
        return (0, self.nbytes) if self.location == "start" else (size - self.nbytes, size)

    def parse(self, data: Data, size: int | None = None) -> ShardIndex:
        """Decode the index `data` of a shard of `size` bytes, if that is known.

        The last index is cached with its check result, as reads of one shard often follow each other.
        """
        if not isinstance(data, bytes) or len(data) > _KEPT:
            return self._parse(data, size)
        last = self._last
        if last is None or last[1] != size or last[0] != data:
            last = self._last = (data, size, self._parse(data, size))
        return last[2]

    def _parse(self, data: Data, size: int | None) -> ShardIndex:
        here, span = "index", None
        if size is not None:
            span = self.range_in(size)
            here = "index, bytes {} to {}".format(*span)
        if len(data) != self.nbytes:
            message = f"{here}: expected {self.nbytes} bytes, found {len(data)}"
            raise CodecError(message, self.name, byte_range=span)
        try:
            made = self.chain.decode(data)
        except CodecError as cause:
            raise CodecError(f"{here}: {cause}", self.name, byte_range=span) from cause
        # Copy, because the memory of `data` may be reused soon.
        return ShardIndex(np.array(made, np.uint64, order="C").reshape(-1, 2), self, size)

    def encode(self, entries: Array) -> Data:
        """Encode an index with these rows of offset and number of bytes."""
        return self.chain.encode(entries.reshape(*self.counts, 2))

    def refuse(self, place: int, reason: str) -> CodecError:
        """Return the error for the inner chunk at `place`, in C order."""
        where = ", ".join(str(int(number)) for number in np.unravel_index(place, self.counts))
        return CodecError(f"inner chunk ({where}){reason}", self.name)


class ShardIndex:
    """The entries of a shard's index. Call `check` before you use any of them.

    An inner chunk must be inside the shard and outside its index, and have a length that its codecs can
    produce. Partly overlapping ranges are invalid: "inner chunks are written successively in a shard,
    where unused space between them is allowed", so at least one of two such entries is wrong, and it is
    unknown which. Gaps are valid. So are entries with the same range: the specification does not forbid
    them, and a writer may store equal chunks once.

    >>> import zom.dtypes
    >>> from zom.extension.bound_chain import bind_chain
    >>> coder = IndexCoder((2,), bind_chain([], index_block((2,))), sizes=(1, 100))
    >>> index = ShardIndex(np.array([[0, 8], [MISSING, MISSING]], "u8"), coder)
    >>> index.entry(0), index.entry(1)
    ((0, 8), None)
    >>> ShardIndex(index.entries, coder, size=36).entry(0)
    Traceback (most recent call last):
    zom.errors.CodecError: sharding_indexed: inner chunk (0): bytes 0 to 8 overlap the index, bytes 4 to 36
    """

    __slots__ = ("_coder", "_end", "_first", "_flat", "_is_checked", "_region", "_size", "entries")

    def __init__(self, entries: Array, coder: IndexCoder, size: int | None = None) -> None:
        self.entries = entries
        """A row of offset and number of bytes for each inner chunk, in C order; not checked."""
        self._flat = entries.reshape(-1).data
        self._coder = coder
        self._size = size
        self._is_checked = False
        if size is not None:
            self._region = coder.range_in(size)
        else:
            self._region = (0, coder.nbytes) if coder.location == "start" else (_LONGEST, _LONGEST)
        at_start = coder.location == "start"
        self._first = coder.nbytes if at_start else 0
        self._end = (_LONGEST if size is None else size) if at_start else self._region[0]

    def __len__(self) -> int:
        return len(self.entries)

    def entry(self, place: int) -> tuple[int, int] | None:
        """Return start and end of the inner chunk at `place`, in C order, or None if it is missing.

        Raise CodecError if the entry is invalid.
        """
        start: int = self._flat[2 * place]
        length: int = self._flat[2 * place + 1]
        coder = self._coder
        stop = start + length
        if start >= self._first and coder.least <= length <= coder.most and stop <= self._end:
            return start, stop
        if start == MISSING and length == MISSING:
            return None
        raise self._refusal(place)

    def ranges(self) -> Iterator[tuple[int, int] | None]:
        """Yield `entry` of all inner chunks, in C order, after checking all of them."""
        self.check()
        # Generate them lazily: lists of numbers would take many times the memory of the index.
        pairs = iter(self._flat)
        rows = zip(pairs, pairs, strict=True)
        return (None if start == MISSING else (start, start + length) for start, length in rows)

    def check(self) -> None:
        """Raise CodecError if an entry is invalid or partly overlaps another."""
        if not self._is_checked:
            (self._check_few if len(self.entries) <= _FEW else self._check_many)()
            self._is_checked = True

    def _check_many(self) -> None:
        in_order, last = True, 0
        for first in range(0, len(self.entries), _BLOCK):
            starts, stops = self._present(self.entries[first : first + _BLOCK])
            if in_order and len(starts):
                in_order = last <= int(starts[0]) and bool((starts[1:] >= stops[:-1]).all())
                last = int(stops[-1])
        if in_order:
            return
        starts, stops = self._present(self.entries)
        starts.sort()
        stops.sort()
        # Ranges are disjoint exactly if, with starts and stops sorted independently, no start is before the
        # previous stop. That is much faster than sorting ranges.
        if (starts[1:] < stops[:-1]).any():
            self._check_overlaps()

    def _present(self, entries: Array) -> tuple[Array, Array]:
        """Return the starts and stops of the present inner chunks, each checked by itself."""
        starts, lengths = entries[:, 0], entries[:, 1]
        there = starts != MISSING
        if there.all():
            starts, lengths = starts.copy(), lengths.copy()
        else:
            if (lengths[~there] != MISSING).any():
                self._refuse_first()
            starts, lengths = starts[there], lengths[there]
        if not len(starts):
            return starts, lengths
        sound = self._coder.least <= int(lengths.min()) and int(lengths.max()) <= self._coder.most
        if not sound or int(starts.min()) < self._first or int(starts.max()) > self._end:
            self._refuse_first()
        lengths += starts
        if int(lengths.max()) > self._end:
            self._refuse_first()
        return starts, lengths

    def _is_in_order(self) -> bool:
        """Whether all entries are valid and in order, as nearly all writers write them."""
        least, most, last, end = self._coder.least, self._coder.most, self._first, self._end
        pairs = iter(self._flat.tolist())
        for start, length in zip(pairs, pairs, strict=True):
            if start == MISSING == length:
                continue
            if start < last or not least <= length <= most:
                return False
            last = start + length
        return last <= end

    def _check_few(self) -> None:
        if self._is_in_order():
            return
        there: list[tuple[int, int, int]] = []
        for place in range(len(self.entries)):
            span = self.entry(place)
            if span is not None:
                there.append((*span, place))
        there.sort()
        start = stop = other = -1
        for begin, end, place in there:
            if begin < stop and (begin != start or end != stop):
                raise self._overlap(*sorted((other, place)))
            start, stop, other = begin, end, place

    def _refuse_first(self) -> None:
        """Raise CodecError for the first invalid entry."""
        coder = self._coder
        starts, lengths = self.entries[:, 0], self.entries[:, 1]
        # Unsigned numbers wrap: values below the minimum end up above the maximum.
        after = starts - np.uint64(self._first)
        room = np.uint64(max(self._end - self._first, 0))
        bad = after > room
        bad |= lengths > room - after
        bad |= lengths - np.uint64(coder.least) > np.uint64(coder.most - coder.least)
        bad &= (starts & lengths) != MISSING
        raise self._refusal(int(bad.argmax()))

    def _check_overlaps(self) -> None:
        """Raise CodecError if two ranges partly overlap; equal ranges are valid."""
        there = np.flatnonzero(self.entries[:, 0] != MISSING)
        starts, lengths = self.entries[there, 0], self.entries[there, 1]
        order = np.lexsort((lengths, starts))
        starts, lengths = starts[order], lengths[order]
        # If any ranges partly overlap, so do two different neighbours in this order.
        bad = starts[1:] < starts[:-1] + lengths[:-1]
        bad &= (starts[1:] != starts[:-1]) | (lengths[1:] != lengths[:-1])
        if bad.any():
            first = int(bad.argmax())
            one, other = sorted((int(there[order[first]]), int(there[order[first + 1]])))
            raise self._overlap(one, other)

    def _overlap(self, one: int, other: int) -> CodecError:
        """Return the error for two inner chunks whose ranges partly overlap."""
        start, stop = cast("tuple[int, int]", self.entry(one))
        begin, end = cast("tuple[int, int]", self.entry(other))
        found = f"bytes {start} to {stop} overlap bytes {begin} to {end}"
        where = ", ".join(str(int(number)) for number in np.unravel_index(other, self._coder.counts))
        return self._coder.refuse(one, f": {found} of inner chunk ({where})")

    def _refusal(self, place: int) -> CodecError:
        """Return the error for the invalid entry at `place`."""
        coder = self._coder
        start: int = self._flat[2 * place]
        length: int = self._flat[2 * place + 1]
        stop = start + length
        if MISSING in {start, length}:
            only = "offset" if start == MISSING else "number of bytes"
            reason = f"only its {only} is 2**64 - 1; a missing chunk has it twice"
        elif not coder.least <= length <= coder.most:
            exact = coder.least == coder.most
            wanted = f"{coder.least}" if exact else f"from {coder.least} to {coder.most}"
            reason = f"expected {wanted} bytes, found {length} in the index"
        elif stop > (_LONGEST if self._size is None else self._size):
            end = "any value" if self._size is None else f"the shard, which has {self._size} bytes"
            reason = f"bytes {start} to {stop} end beyond {end}"
        else:
            reason = "bytes {} to {} overlap the index, bytes {} to {}".format(start, stop, *self._region)
        return coder.refuse(place, f": {reason}")
