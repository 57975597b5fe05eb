"""Rows: small chunks, decoded together into one array and then copied to their places at once.

A numpy operation for each chunk takes as long as decoding some KiB. Larger chunks are decoded directly
into their places, as a copy would cost more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.errors import CodecError
from zom.extension.raw import byte_view
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from zom.extension.bound import Array, Data
    from zom.extension.bound_chain import BoundChain

__all__ = ["RowDecoder"]

_MOST = 1 << 14
"""The maximum decoded size of a chunk for rows to be faster, in bytes."""

_MOST_OF_BATCHES = 1 << 16
"""The same limit for a slow codec that decodes many chunks at once."""


class RowDecoder:
    """Decodes chunks into the rows of an array.

    >>> import zom.dtypes
    >>> from zom.extension.bound import Block
    >>> from zom.extension.bound_chain import bind_chain
    >>> from zom.extension.resolve import data_type
    >>> chain = bind_chain([], Block((2,), data_type("int8"), 0))
    >>> RowDecoder(chain, np.int8(7)).decode([b"ab"], np.array([True, False]))
    array([[97, 98],
           [ 7,  7]], dtype=int8)
    """

    __slots__ = ("_chain", "_fill", "is_possible", "nbytes")

    def __init__(self, chain: BoundChain, fill: Any) -> None:
        self._chain = chain
        self._fill = fill
        self.nbytes = chain.block.count * chain.block.dtype.itemsize
        """The decoded size of a chunk in bytes."""
        self.is_possible = chain.moves_bytes and 0 < self.nbytes <= (
            _MOST_OF_BATCHES if chain.batches and chain.is_slow else _MOST
        )
        """Whether the codecs can decode rows and the chunks are small enough."""

    def decode(self, chunks: Sequence[Data], there: Array | None = None) -> Array:
        """Return a row for each of `chunks`; with `there`, add rows of the fill value where it is False.

        A CodecError does not say which chunk is invalid.
        """
        block = self._chain.block
        made = np.empty((len(chunks), *block.shape), block.dtype)
        if len(chunks):
            self._chain.decode_rows(chunks, byte_view(made))
            self._chain.verify(made)
        if there is None or len(there) == len(chunks):
            return made
        rows = np.empty((len(there), *block.shape), block.dtype)
        rows[...] = self._fill
        rows[there] = made
        return rows

    def cut(self, data: memoryview, starts: Array) -> Array | None:
        """Return the uncompressed rows at `starts` in `data`, or None if these are not multiples of a row."""
        places, rest = np.divmod(starts, self.nbytes)
        if rest.any():
            return None
        count = len(data) // self.nbytes
        block = self._chain.block
        rows = np.frombuffer(data[: count * self.nbytes], block.dtype).reshape(count, *block.shape)
        if count == len(places) and bool((places[1:] > places[:-1]).all()):
            return rows
        if len(places) and int(places.max()) >= count:
            raise CodecError("fewer bytes than the index states")
        return rows[places]
