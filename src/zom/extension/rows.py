"""Rows: small chunks, decoded together into one array, and put into their places at once.

A numpy operation for each chunk takes as long as to decode some KiB. Larger ones are decoded straight
into their places: there, a copy would cost more.
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
"""The bytes of a chunk, decoded, up to which that is faster, ..."""

_MOST_OF_BATCHES = 1 << 16
"""... and where a codec that takes its time decodes many at once."""


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
        """The bytes of a chunk, decoded."""
        self.is_possible = chain.moves_bytes and 0 < self.nbytes <= (
            _MOST_OF_BATCHES if chain.batches and chain.is_slow else _MOST
        )
        """Whether the codecs of chunks put bytes into memory, and these are small."""

    def decode(self, chunks: Sequence[Data], there: Array | None = None) -> Array:
        """A row for each of `chunks`; with rows of the fill value between them, where `there` says which are there.

        The CodecError of one that is at fault does not tell which it was.
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
        """The rows that begin at `starts` in `data`, stored as they lie in memory; None where they lie unevenly."""
        places, rest = np.divmod(starts, self.nbytes)
        if rest.any():
            return None
        count = len(data) // self.nbytes
        block = self._chain.block
        rows = np.frombuffer(data[: count * self.nbytes], block.dtype).reshape(count, *block.shape)
        if count == len(places) and bool((places[1:] > places[:-1]).all()):
            return rows
        if len(places) and int(places.max()) >= count:
            raise CodecError("fewer bytes are there than the index says")
        return rows[places]
