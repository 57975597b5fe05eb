"""gzip and zlib data by libdeflate, several times as fast as zlib.

libdeflate decodes one stream, checks its sum, and doesn't say where that stream ends: what stands behind
it would go unseen. So what it makes is only taken where the chunk ends with the sum of it (and, in gzip,
its size), and has these bytes nowhere else: then the stream ends where the chunk does. All other chunks,
which are few, are left to the decoder of `inflate`, as are damaged ones: it says what is wrong with them.
For WebAssembly there is no such package: there, Python's own zlib does all.
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
"""The package, which says no types; None where there is none."""
try:
    libdeflate = import_package("deflate")
except ImportError:
    libdeflate = None

adler32_sum: Callable[[Data, int], int] = (libdeflate or zlib).adler32
crc32_sum: Callable[[Data, int], int] = (libdeflate or zlib).crc32

_FEW = 1 << 14
"""So few bytes that `bytes.find` has looked through them before numpy is called."""
_MOST_PER_BYTE = 1032
"""No byte of deflate data makes more than so many."""


class ZlibByLibdeflate(Inflater):
    """RFC 1950."""

    def decode(self, chunk: Data) -> Data:
        """What all streams in `chunk` hold, one after the other."""
        size = self._size(chunk)
        if size:
            try:
                made = self._expand(chunk, size)
            except (libdeflate.DeflateError, ValueError):
                return super().decode(chunk)  # which tells what is wrong
            if len(made) == size and ends_with(chunk, self._tail(made)):
                return made
        return super().decode(chunk)

    def _expand(self, chunk: Data, size: int) -> bytearray:
        """Make exactly so many bytes, or fail."""
        made: bytearray = libdeflate.zlib_decompress(chunk, size)
        return made

    def _size(self, chunk: Data) -> int | None:
        """How many bytes a stream that is the whole chunk holds, if that can be told."""
        del chunk
        return self._before.nbytes

    def _tail(self, made: bytearray) -> bytes:
        """What stands at the end of a stream that holds `made`."""
        return adler32_sum(made, 1).to_bytes(4, "big")


class GzipByLibdeflate(ZlibByLibdeflate):
    """RFC 1952."""

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
    """Whether `tail`, of four or eight bytes, stands at the end of `data` and nowhere before.

    >>> ends_with(b"abc1234", b"1234"), ends_with(b"1234abc1234", b"1234")
    (True, False)
    """
    size = len(data)
    if data[-len(tail) :] != tail:
        return False
    if size > _FEW and len(tail) == 8:
        # Wherever eight bytes stand, four of them make a word that is aligned; a word is soon compared.
        words = np.frombuffer(data, "<u4", (size - 8) // 4)
        if not any((words == int.from_bytes(tail[k : k + 4], "little")).any() for k in range(4)):
            data = bytes(data[-20:])  # a word of what begins in here may end behind the last one
            return data.find(tail) == len(data) - 8
    return bytes(data).find(tail) == size - len(tail)
