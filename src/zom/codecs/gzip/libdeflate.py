"""gzip and zlib data by libdeflate, several times as fast as zlib: the extra `fast` of zom.

libdeflate decodes one stream, checks its sum, and doesn't say where that stream ends: what stands behind
it would go unseen. So what it makes is only taken where the chunk ends with the sum of it (and, in gzip,
its size), and has these bytes nowhere else: then the stream ends where the chunk does. All other chunks,
which are few, are left to the decoder of `inflate`, as are damaged ones: it says what is wrong with them.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from zom.codecs.gzip.inflate import Format, Inflater

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.extension.bound import Data, Stream

__all__ = ["GzipByLibdeflate", "ZlibByLibdeflate", "ends_with", "libdeflate"]

_FEW = 1 << 14
"""So few bytes that `bytes.find` has looked through them before numpy is called."""
_MOST_PER_BYTE = 1032
"""No byte of deflate data makes more than so many."""


@lru_cache(maxsize=1)
def libdeflate() -> Any:
    """The package deflate; None where it isn't installed."""
    try:
        return import_module("deflate")
    except ImportError:
        return None


class ZlibByLibdeflate(Inflater):
    """RFC 1950."""

    def __init__(
        self, before: Stream, streams: Format, compress: Callable[[Data], Data], package: Any
    ) -> None:
        super().__init__(before, streams, compress)
        self._package = package
        self._error: type[Exception] = package.DeflateError
        self._expand: Callable[[Data, int], bytearray] = self._expander(package)

    def decode(self, chunk: Data) -> Data:
        """What all streams in `chunk` hold, one after the other."""
        size = self._size(chunk)
        if size:
            try:
                made = self._expand(chunk, size)
            except (self._error, ValueError):
                return super().decode(chunk)  # which tells what is wrong
            if len(made) == size and ends_with(chunk, self._tail(made)):
                return made
        return super().decode(chunk)

    def _expander(self, package: Any) -> Callable[[Data, int], bytearray]:
        expand: Callable[[Data, int], bytearray] = package.zlib_decompress
        return expand

    def _size(self, chunk: Data) -> int | None:
        """How many bytes a stream that is the whole chunk holds, if that can be told."""
        del chunk
        return self._before.nbytes

    def _tail(self, made: bytearray) -> bytes:
        """What stands at the end of a stream that holds `made`."""
        adler: int = self._package.adler32(made, 1)
        return adler.to_bytes(4, "big")


class GzipByLibdeflate(ZlibByLibdeflate):
    """RFC 1952."""

    def _expander(self, package: Any) -> Callable[[Data, int], bytearray]:
        expand: Callable[[Data, int], bytearray] = package.gzip_decompress
        return expand

    def _size(self, chunk: Data) -> int | None:
        stated = int.from_bytes(chunk[-4:], "little")
        if self._before.nbytes is not None:
            return stated if stated == self._before.nbytes else None
        return stated if stated <= min(self._before.most, _MOST_PER_BYTE * len(chunk)) else None

    def _tail(self, made: bytearray) -> bytes:
        crc: int = self._package.crc32(made, 0)
        return crc.to_bytes(4, "little") + len(made).to_bytes(4, "little")


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
