"""Coders for checksums: a little-endian sum of four bytes, before or after the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.codecs.stream_size import check_size
from zom.errors import CodecError
from zom.extension.bound import Coder, Data

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.extension.bound import Stream

__all__ = ["SumAfter", "SumBefore"]

_SIZE = 4


class SumAfter(Coder[Data, Data]):
    r"""Bytes, then their sum.

    >>> import zlib
    >>> from zom.extension.bound import Stream
    >>> coder = SumAfter(Stream(3, 3), zlib.crc32)
    >>> coder.encode(b"abc")
    b'abc\xc2A$5'
    >>> bytes(coder.decode(b"abc\xc2A$5"))
    b'abc'
    """

    def __init__(self, before: Stream, sum_of: Callable[[Data], int]) -> None:
        self._before = before
        self._sum_of = sum_of

    def encode(self, chunk: Data) -> Data:
        """Return the bytes, then their sum."""
        return b"".join((chunk, self._sum_of(chunk).to_bytes(_SIZE, "little")))

    def decode(self, chunk: Data) -> Data:
        """Return the bytes as a view of `chunk`; raise CodecError if the sum doesn't match."""
        view = memoryview(chunk)
        self._check_length(view)
        return self._checked(view[:-_SIZE], view[-_SIZE:])

    def _check_length(self, view: memoryview[int]) -> None:
        found = len(view) - _SIZE
        if found != self._before.nbytes:
            if found < 0:
                raise CodecError(f"truncated checksum: expected at least {_SIZE} bytes, found {len(view)}")
            check_size(self._before, found)

    def _checked(self, payload: memoryview[int], tail: memoryview[int]) -> Data:
        stored = int.from_bytes(tail, "little")
        found = self._sum_of(payload)
        if stored != found:
            raise CodecError(f"checksum mismatch: expected 0x{stored:08x}, found 0x{found:08x}")
        return payload


class SumBefore(SumAfter):
    r"""The sum of bytes, then the bytes.

    >>> import zlib
    >>> from zom.extension.bound import Stream
    >>> SumBefore(Stream(3, 3), zlib.crc32).encode(b"abc")
    b'\xc2A$5abc'
    """

    def encode(self, chunk: Data) -> Data:
        """Return the sum of the bytes, then the bytes."""
        return b"".join((self._sum_of(chunk).to_bytes(_SIZE, "little"), chunk))

    def decode(self, chunk: Data) -> Data:
        """Return the bytes as a view of `chunk`; raise CodecError if the sum doesn't match."""
        view = memoryview(chunk)
        self._check_length(view)
        return self._checked(view[_SIZE:], view[:_SIZE])
