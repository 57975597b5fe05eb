"""gzip and zlib data by libdeflate, several times as fast as zlib.

libdeflate decodes one stream and checks its sum, but doesn't report where the stream ends, so trailing
bytes would go unnoticed. Its result is used only if the chunk ends with the sum of the result (and, in
gzip, its size) and contains these bytes nowhere else: then the stream ends where the chunk does. The few
other chunks go to the decoder of `inflate`, as do damaged ones, for its error messages. The package is not
available for WebAssembly, where Python's own zlib is used.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from zom.codecs.gzip.inflate import Inflater
from zom.numpy_later import np
from zom.packages import import_package

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.extension.bound import Data

__all__ = ["GzipByLibdeflate", "ZlibByLibdeflate", "adler32_sum", "crc32_sum", "ends_with", "libdeflate"]

libdeflate: Any
"""The package, which has no type hints; None if it is not available."""
try:
    libdeflate = import_package("deflate")
except ImportError:
    libdeflate = None

adler32_sum: Callable[[Data, int], int] = (libdeflate or zlib).adler32
crc32_sum: Callable[[Data, int], int] = (libdeflate or zlib).crc32

_FEW = 1 << 14
"""The size in bytes up to which `bytes.find` is faster than a numpy call."""
_MOST_PER_BYTE = 1032
"""The maximum number of decoded bytes per byte of deflate data."""


class ZlibByLibdeflate(Inflater):
    """zlib data, RFC 1950."""

    def decode(self, chunk: Data) -> Data:
        """Return the concatenated contents of all streams in `chunk`."""
        size = self._size(chunk)
        if size:
            try:
                made = self._expand(chunk, size)
            except (libdeflate.DeflateError, ValueError):
                return super().decode(chunk)  # which reports what is wrong
            if len(made) == size and ends_with(chunk, self._tail(made)):
                return made
        return super().decode(chunk)

    def _expand(self, chunk: Data, size: int) -> bytearray:
        """Decode exactly `size` bytes, or raise."""
        made: bytearray = libdeflate.zlib_decompress(chunk, size)
        return made

    def _size(self, chunk: Data) -> int | None:
        """Return the decoded size if one stream fills the chunk, or None if unknown."""
        del chunk
        return self._before.nbytes

    def _tail(self, made: bytearray) -> bytes:
        """Return the end of a stream with the content `made`."""
        return adler32_sum(made, 1).to_bytes(4, "big")


class GzipByLibdeflate(ZlibByLibdeflate):
    """gzip data, RFC 1952."""

    @override
    def _expand(self, chunk: Data, size: int) -> bytearray:
        made: bytearray = libdeflate.gzip_decompress(chunk, size)
        return made

    @override
    def _size(self, chunk: Data) -> int | None:
        stated = int.from_bytes(chunk[-4:], "little")
        if self._before.nbytes is not None:
            return stated if stated == self._before.nbytes else None
        return stated if stated <= min(self._before.most, _MOST_PER_BYTE * len(chunk)) else None

    @override
    def _tail(self, made: bytearray) -> bytes:
        return crc32_sum(made, 0).to_bytes(4, "little") + len(made).to_bytes(4, "little")


def ends_with(data: Data, tail: bytes) -> bool:
    """Whether `tail`, of four or eight bytes, is at the end of `data` and nowhere before.

    >>> ends_with(b"abc1234", b"1234"), ends_with(b"1234abc1234", b"1234")
    (True, False)
    """
    size = len(data)
    if data[-len(tail) :] != tail:
        return False
    if size > _FEW and len(tail) == 8:
        # Any eight bytes contain an aligned word of four bytes, and words are fast to compare.
        words = np.frombuffer(data, "<u4", (size - 8) // 4)
        if not any((words == int.from_bytes(tail[k : k + 4], "little")).any() for k in range(4)):
            data = bytes(data[-20:])  # a match that begins here may contain only later words
            return data.find(tail) == len(data) - 8
    return bytes(data).find(tail) == size - len(tail)
