"""The index of a shard: where each inner chunk lies, checked before it is believed.

Zarr v3, sharding_indexed codec, binary shard format: for each inner chunk, in C order, the offset and the
number of its bytes, both uint64; 2^64 - 1 twice where the chunk is missing.
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
"""Which end of a shard its index stands at."""

MISSING: Final = 2**64 - 1
"""Offset and number of bytes of an inner chunk that is not there."""

# No value is longer, so the sum of the two numbers of a checked entry is below 2^64.
_LONGEST: Final = 2**63 - 1

# What numpy holds.
_MOST_RANK: Final = 64

# So many entries are looked at at once: what is computed of them fits into the processor's cache.
_BLOCK: Final = 1 << 13

# An index of more bytes is not kept.
_KEPT: Final = 1 << 20

# So few entries are looked at one by one sooner than by numpy.
_FEW: Final = 32


def index_block(counts: tuple[int, ...]) -> Block:
    """What the codecs of an index are bound for, where a shard has `counts` inner chunks.

    >>> import zom.dtypes
    >>> index_block((2, 3)).shape
    (2, 3, 2)
    """
    if len(counts) >= _MOST_RANK:
        message = f"a shard of {len(counts)} dimensions: its index has one more, numpy at most {_MOST_RANK}"
        raise ExtensionError(message)
    uint64 = cast("DataType", parse_v3("uint64", []))
    return Block((*counts, 2), uint64, np.uint64(0))


class IndexCoder:
    """Between the index of a shard and the bytes that it is stored as.

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
        """How many inner chunks a shard has along each dimension."""
        self.chain = chain
        if chain.nbytes is None:
            raise CodecError("the codecs of the index give bytes of no fixed number", name)
        self.nbytes = chain.nbytes
        """How many bytes an encoded index has."""
        self.least, self.most = sizes
        self.location: IndexLocation = location
        self.name = name
        """The codec that errors name."""
        self._last: tuple[bytes, int | None, ShardIndex] | None = None

    def range_in(self, size: int) -> tuple[int, int]:
        """Where the index lies in a shard of `size` bytes; CodecError where it has no room there."""
        if size < self.nbytes:
            raise CodecError(f"expected at least {self.nbytes} bytes, for the index, found {size}", self.name)
        return (0, self.nbytes) if self.location == "start" else (size - self.nbytes, size)

    def parse(self, data: Data, size: int | None = None) -> ShardIndex:
        """The index that is stored as `data`, of a shard of `size` bytes where that is known.

        The last index is kept, with the result of its check: reads of one shard often follow each other.
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
        # A copy: `data` may be memory that is soon used again.
        return ShardIndex(np.array(made, np.uint64, order="C").reshape(-1, 2), self, size)

    def encode(self, entries: Array) -> Data:
        """What an index with these rows of offset and number of bytes is stored as."""
        return self.chain.encode(entries.reshape(*self.counts, 2))

    def refuse(self, place: int, reason: str) -> CodecError:
        """The error of the inner chunk that is at `place` in C order."""
        where = ", ".join(str(int(number)) for number in np.unravel_index(place, self.counts))
        return CodecError(f"inner chunk ({where}){reason}", self.name)


class ShardIndex:
    """The entries of a shard. Call `check` before you use any of them.

    An inner chunk must lie inside the shard and outside its index, and have a length that its codecs can
    produce. Ranges that overlap in part are refused: "inner chunks are written successively in a shard,
    where unused space between them is allowed", so at least one of two such entries is wrong, and nothing
    tells which. Gaps are valid. So are entries with the same range: the text does not forbid them, and a
    writer may store equal chunks once.

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
        """A row for each inner chunk, in C order: offset and number of bytes; not checked."""
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
        """Start and end of the inner chunk at `place`, in C order; None where it is missing.

        CodecError where the entry can't be true.
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
        """What `entry` gives for every inner chunk, in C order; all are checked before the first is given."""
        self.check()
        # One by one: lists of numbers would take many times the memory of the index.
        pairs = iter(self._flat)
        rows = zip(pairs, pairs, strict=True)
        return (None if start == MISSING else (start, start + length) for start, length in rows)

    def check(self) -> None:
        """Raise CodecError if an entry can't be true, or overlaps another in part."""
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
        # Ranges are apart exactly where each starts behind the one before, of starts and stops that are
        # sorted by themselves. That is much faster than to sort ranges.
        if (starts[1:] < stops[:-1]).any():
            self._check_overlaps()

    def _present(self, entries: Array) -> tuple[Array, Array]:
        """Starts and stops of the inner chunks that are there, each checked by itself."""
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
        """Whether all entries are true, and each lies behind the one before: what nearly all writers make."""
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
        """Raise the CodecError of the first entry that can't be true."""
        coder = self._coder
        starts, lengths = self.entries[:, 0], self.entries[:, 1]
        # Numbers without a sign wrap: what is below the smallest ends up above the largest.
        after = starts - np.uint64(self._first)
        room = np.uint64(max(self._end - self._first, 0))
        bad = after > room
        bad |= lengths > room - after
        bad |= lengths - np.uint64(coder.least) > np.uint64(coder.most - coder.least)
        bad &= (starts & lengths) != MISSING
        raise self._refusal(int(bad.argmax()))

    def _check_overlaps(self) -> None:
        """Raise CodecError if two ranges overlap in part; equal ranges are valid."""
        there = np.flatnonzero(self.entries[:, 0] != MISSING)
        starts, lengths = self.entries[there, 0], self.entries[there, 1]
        order = np.lexsort((lengths, starts))
        starts, lengths = starts[order], lengths[order]
        # Of ranges that overlap, two that are neighbours in this order do, unless they are the same.
        bad = starts[1:] < starts[:-1] + lengths[:-1]
        bad &= (starts[1:] != starts[:-1]) | (lengths[1:] != lengths[:-1])
        if bad.any():
            first = int(bad.argmax())
            one, other = sorted((int(there[order[first]]), int(there[order[first + 1]])))
            raise self._overlap(one, other)

    def _overlap(self, one: int, other: int) -> CodecError:
        """The error of two inner chunks whose ranges overlap in part."""
        start, stop = cast("tuple[int, int]", self.entry(one))
        begin, end = cast("tuple[int, int]", self.entry(other))
        found = f"bytes {start} to {stop} overlap bytes {begin} to {end}"
        where = ", ".join(str(int(number)) for number in np.unravel_index(other, self._coder.counts))
        return self._coder.refuse(one, f": {found} of inner chunk ({where})")

    def _refusal(self, place: int) -> CodecError:
        """Why the entry at `place` can't be true."""
        coder = self._coder
        start: int = self._flat[2 * place]
        length: int = self._flat[2 * place + 1]
        stop = start + length
        if MISSING in {start, length}:
            only = "offset" if start == MISSING else "number of bytes"
            reason = f"only its {only} is 2**64 - 1, which a missing chunk has twice"
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
