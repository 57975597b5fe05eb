"""A decoder of self-terminating streams that never produces more than the expected size.

Shared by gzip, zlib, bzip2 and xz: Python has a decompressor object for each, with a limit on its output.
The limit is one byte more than expected, because a decompressor only sees the end of a stream, with its
sum, if it has room left.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from zom.codecs.stream_size import check_size, expected_size
from zom.errors import CodecError
from zom.extension.bound import Coder, Data

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.extension.bound import Stream

__all__ = ["Decompressor", "Format", "Inflater"]

_FIRST_PIECE = 1 << 12
_SLACK = 1 << 16


class Decompressor(Protocol):
    """The decompressor of Python's own modules for one stream."""

    @property
    def eof(self) -> bool:
        """Whether the end of the stream was reached."""
        ...

    @property
    def unused_data(self) -> bytes:
        """The input after the end of the stream."""
        ...

    def decompress(self, data: Any, max_length: int, /) -> bytes:
        """Decode `data` to at most `max_length` bytes; keep the rest for later."""
        ...


class Format(NamedTuple):
    """One format of streams."""

    name: str
    """The name in messages."""
    fresh: Callable[[], Decompressor]
    """Creates a decompressor for one stream."""
    errors: tuple[type[Exception], ...]
    """The exceptions that it raises for a damaged stream."""
    magic: bytes | None = None
    """The first bytes of each stream; None if a chunk may contain only one stream."""


class Inflater(Coder[Data, Data]):
    """Chunks in one of the formats.

    >>> import zlib
    >>> from zom.extension.bound import Stream
    >>> zlib_format = Format("zlib", zlib.decompressobj, (zlib.error,))
    >>> coder = Inflater(Stream(100, 100), zlib_format, zlib.compress)
    >>> bytes(coder.decode(coder.encode(bytes(100)))) == bytes(100)
    True
    >>> coder.decode(zlib.compress(bytes(1000)))
    Traceback (most recent call last):
    zom.errors.CodecError: expected 100 bytes, found more
    """

    is_slow = True

    def __init__(self, before: Stream, streams: Format, compress: Callable[[Data], Data]) -> None:
        self._before = before
        self._format = streams
        self._compress = compress

    def encode(self, chunk: Data) -> Data:
        """Return one stream."""
        return self._compress(chunk)

    def decode(self, chunk: Data) -> Data:
        """Return the concatenated contents of all streams in `chunk`."""
        most = self._before.most
        if len(chunk) > 2 * most + _SLACK:
            # zlib copies input that it has no room to decode, so feed very long chunks in pieces.
            rest = memoryview(chunk)
            end, parts = self._one(rest, 0, 0)
            return self._following(parts, rest[end:])
        decompressor = self._format.fresh()
        made = self._call(decompressor, chunk, most + 1)
        if not decompressor.eof or len(made) > most:
            raise self._unfinished(len(made))
        if decompressor.unused_data:
            return self._following([made], memoryview(decompressor.unused_data))
        check_size(self._before, len(made))
        return made

    def _call(self, decompressor: Decompressor, data: Data, most: int) -> bytes:
        try:
            return decompressor.decompress(data, min(most, sys.maxsize))
        except self._format.errors as cause:
            raise CodecError(f"damaged {self._format.name} data: {_reason(cause)}") from cause

    def _unfinished(self, made: int) -> CodecError:
        expected = expected_size(self._before)
        if made > self._before.most:
            return CodecError(f"expected {expected}, found more")
        return CodecError(
            f"truncated {self._format.name} data: expected {expected} and an end, found {made} bytes"
        )

    def _following(self, parts: list[bytes], rest: memoryview[int]) -> bytes:
        """Join `parts` and the contents of the streams in `rest`; zeros may surround each stream."""
        size = sum(map(len, parts))
        magic = self._format.magic
        start = _after_zeros(rest, 0)
        while start < len(rest):
            if magic is None or bytes(rest[start : start + len(magic)]) != magic:
                found = bytes(rest[start : start + 4]).hex(" ")
                count = len(rest) - start
                raise CodecError(
                    f"expected nothing after the {self._format.name} data, found {count} bytes, {found}"
                )
            start, more = self._one(rest, start, size)
            parts += more
            size += sum(map(len, more))
            start = _after_zeros(rest, start)
        check_size(self._before, size)
        return b"".join(parts)

    def _one(self, rest: memoryview[int], start: int, before: int) -> tuple[int, list[bytes]]:
        """Return the end and the contents of the stream that starts at `start`."""
        decompressor = self._format.fresh()
        made: list[bytes] = []
        size = before
        length = _FIRST_PIECE
        # Feed pieces of growing size: `unused_data` is a copy, and there may be very many streams.
        while not decompressor.eof:
            piece = rest[start : start + length]
            if not piece:
                raise self._unfinished(size)
            made.append(self._call(decompressor, piece, self._before.most + 1 - size))
            size += len(made[-1])
            if size > self._before.most:
                raise self._unfinished(size)
            start += len(piece)
            length *= 2
        return start - len(decompressor.unused_data), made


def _after_zeros(view: memoryview[int], start: int) -> int:
    """Return the position of the next non-zero byte."""
    while start < len(view):
        piece = bytes(view[start : start + _FIRST_PIECE])
        zeros = len(piece) - len(piece.lstrip(b"\0"))
        start += zeros
        if zeros < len(piece):
            break
    return start


def _reason(cause: Exception) -> str:
    """Return the library's message without the words that zlib always adds."""
    text = str(cause)
    _, found, rest = text.partition(" while decompressing data: ")
    return rest if found else text[:1].lower() + text[1:]
