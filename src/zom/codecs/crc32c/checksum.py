"""A sum of four bytes, little-endian, beside the bytes that it is of: what checksums have in common."""

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
    r"""Bytes, and the sum of them.

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
        """The bytes, then their sum."""
        return b"".join((chunk, self._sum_of(chunk).to_bytes(_SIZE, "little")))

    def decode(self, chunk: Data) -> Data:
        """The bytes, if they have this sum: a part of `chunk`."""
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
    r"""The sum of bytes, and the bytes.

    >>> import zlib
    >>> from zom.extension.bound import Stream
    >>> SumBefore(Stream(3, 3), zlib.crc32).encode(b"abc")
    b'\xc2A$5abc'
    """

    def encode(self, chunk: Data) -> Data:
        """The sum of the bytes, then they themselves."""
        return b"".join((self._sum_of(chunk).to_bytes(_SIZE, "little"), chunk))

    def decode(self, chunk: Data) -> Data:
        """The bytes, if they have this sum: a part of `chunk`."""
        view = memoryview(chunk)
        self._check_length(view)
        return self._checked(view[_SIZE:], view[:_SIZE])
