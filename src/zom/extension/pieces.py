"""Pieces: encoded chunks in one buffer, given by their starts and lengths.

They are a sequence of chunks. Code that handles all of them at once can use the arrays, without an object
for each chunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from typing_extensions import override

from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from zom.extension.bound import Data

    _Numbers: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"

__all__ = ["Pieces"]


class Pieces(Sequence[memoryview]):
    """Parts of one buffer.

    >>> pieces = Pieces.of([b"ab", b"cde"])
    >>> bytes(pieces[1]), [len(piece) for piece in pieces], pieces.starts
    (b'cde', [2, 3], array([0, 2]))
    """

    __slots__ = ("data", "lengths", "starts")

    def __init__(self, data: memoryview, starts: _Numbers, lengths: _Numbers) -> None:
        self.data = data
        """The buffer, which may contain other data too."""
        self.starts = starts
        """The offset of each piece in the buffer."""
        self.lengths = lengths
        """The size of each piece in bytes."""

    @classmethod
    def of(cls, chunks: Iterable[Data]) -> Pieces:
        """Copy chunks into one buffer; return pieces unchanged."""
        if isinstance(chunks, Pieces):
            return chunks
        values = list(chunks)
        lengths = np.array([len(value) for value in values], np.int64)
        return cls(memoryview(b"".join(values)), lengths.cumsum() - lengths, lengths)

    def compact(self) -> Pieces:
        """Copy the pieces to a buffer of their own if they take less than half of this one."""
        return self if len(self.data) <= 2 * int(self.lengths.sum()) else Pieces.of(list(self))

    @override
    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, number: int) -> memoryview: ...

    @overload
    def __getitem__(self, number: slice) -> Pieces: ...

    @override
    def __getitem__(self, number: int | slice) -> memoryview | Pieces:
        if isinstance(number, slice):
            return Pieces(self.data, self.starts[number], self.lengths[number])
        start = int(self.starts[number])
        return self.data[start : start + int(self.lengths[number])]

    @override
    def __iter__(self) -> Iterator[memoryview]:
        data = self.data
        stops = (self.starts + self.lengths).tolist()
        return (data[start:stop] for start, stop in zip(self.starts.tolist(), stops, strict=True))
