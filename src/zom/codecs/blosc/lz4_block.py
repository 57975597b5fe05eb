"""An lz4 block preceded by its decoded length in four bytes, run by numcodecs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from zom.codecs.stream_size import check_size
from zom.errors import CodecError
from zom.extension.bound import Coder, Data
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.extension.bound import Stream

__all__ = ["Lz4Coder"]

_HEADER = 4
_NOTHING = b"\0"
"""The empty block: a token without literals."""
_MOST_PER_BYTE = 255
"""The maximum number of decoded bytes per byte of a block."""


class Lz4Coder(Coder[Data, Data]):
    """Chunks of numcodecs' lz4.

    >>> from zom.extension.bound import Stream
    >>> coder = Lz4Coder(Stream(100, 100), 1)
    >>> bytes(coder.decode(coder.encode(bytes(100)))) == bytes(100)
    True
    """

    def __init__(self, before: Stream, acceleration: int) -> None:
        lz4: Any = import_module("numcodecs.lz4")
        self._before = before
        self._acceleration = acceleration
        self._compress: Callable[[Data, int], bytes] = lz4.compress
        self._decompress: Callable[[Data, Data], object] = lz4.decompress
        self._most: int = lz4.LZ4.max_buffer_size

    def encode(self, chunk: Data) -> Data:
        """Return the length of `chunk` and an lz4 block."""
        if len(chunk) > self._most:
            raise CodecError(f"expected at most {self._most} bytes, the maximum of lz4, found {len(chunk)}")
        return self._compress(chunk, self._acceleration)

    def decode(self, chunk: Data) -> Data:
        """Return the decoded block."""
        made = np.empty(self._stated(chunk), np.uint8).data
        self._fill(chunk, made)
        return made

    def decode_into(self, chunk: Data, target: memoryview) -> None:
        """Decode the block into `target`."""
        size = self._stated(chunk)
        if size != len(target):
            raise CodecError(f"expected {len(target)} bytes, found {size}")
        self._fill(chunk, target)

    def _fill(self, chunk: Data, target: memoryview) -> None:
        size = len(target)
        if not size:
            if bytes(chunk[_HEADER:]) != _NOTHING:
                raise CodecError(
                    f"expected an lz4 block of no bytes, found {len(chunk) - _HEADER} bytes of data"
                )
            return
        try:
            self._decompress(chunk, target)
        except RuntimeError as cause:
            raise CodecError(f"damaged or truncated lz4 block: it doesn't have {size} bytes") from cause

    def _stated(self, chunk: Data) -> int:
        found = len(chunk)
        if found <= _HEADER:
            raise CodecError(f"truncated lz4 data: expected at least {_HEADER + 1} bytes, found {found}")
        size = int.from_bytes(chunk[:_HEADER], "little")
        check_size(self._before, size)
        block = found - _HEADER
        if size > _MOST_PER_BYTE * block:
            message = f"{block} bytes can't hold the {size} that it states"
            raise CodecError(f"damaged or truncated lz4 block: {message}")
        return size
