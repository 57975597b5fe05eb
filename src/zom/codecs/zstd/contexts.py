"""Contexts of libzstd that are used again, by the package zstandard: part of the extra `fast` of zom.

What numcodecs calls makes a context for each chunk, which takes longer than to decode a small one. A context
serves one thread at a time, so each thread has its own.
"""

from __future__ import annotations

import sys
import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from zom.numpy_later import np
from zom.packages import import_package

if TYPE_CHECKING:
    from zom.extension.bound import Data
    from zom.extension.pieces import Pieces

__all__ = ["ZstdContexts", "contexts_for"]


class ZstdContexts(threading.local):
    """A compressor and a decompressor for each thread."""

    def __init__(self, package: Any, level: int, *, checksum: bool) -> None:
        self._error: type[Exception] = package.ZstdError
        compressor = package.ZstdCompressor(level=level, write_checksum=checksum)
        self._compress = compressor.compress
        self._compress_many = getattr(compressor, "multi_compress_to_buffer", None)
        decompressor = package.ZstdDecompressor()
        self._decompress = decompressor.decompress
        # The package has a form without C, which has no batches.
        self._decompress_many = getattr(decompressor, "multi_decompress_to_buffer", None)
        self._buffer = getattr(package, "BufferWithSegments", None)
        self.has_batches = None not in (self._decompress_many, self._buffer)

    def compress(self, chunk: Data) -> Data:
        """One frame, which states its size."""
        made: bytes = self._compress(chunk)
        return made

    def compress_rows(self, rows: memoryview, count: int) -> list[Data]:
        """The same of `count` chunks, one behind the other in `rows`, without the interpreter's lock."""
        size = len(rows) // count
        chunks = [rows[start : start + size] for start in range(0, count * size, size)]
        if self._compress_many is None:
            return [self.compress(chunk) for chunk in chunks]
        found = self._compress_many(chunks, threads=1)
        return [found[number].tobytes() for number in range(count)]

    def decompress(self, chunk: Data, nbytes: int) -> bytes | None:
        """The `nbytes` bytes that the one frame in `chunk` holds; None where it is another, or more than that.

        The caller has seen that the frame states so many, or none.
        """
        try:
            made: bytes = self._decompress(chunk, max_output_size=nbytes, allow_extra_data=False)
        except self._error:
            return None
        return made if len(made) == nbytes else None

    def decompress_rows(self, chunks: Pieces, target: memoryview) -> bool:
        """Put the bytes of all chunks, each one frame, into `target`, without the interpreter's lock; False where it can't.

        The caller has seen that each states as many bytes as the others, and that nothing stands behind it.
        """
        if self._decompress_many is None or self._buffer is None:
            return False
        size = len(target) // len(chunks)
        sizes = size.to_bytes(8, sys.byteorder) * len(chunks)
        segments = np.stack((chunks.starts, chunks.lengths), axis=1).astype(np.uint64).tobytes()
        try:
            buffer = self._buffer(chunks.data, segments)
            found = self._decompress_many(buffer, decompressed_sizes=sizes, threads=1)
        except self._error:
            return False
        for number in range(len(chunks)):
            target[number * size : (number + 1) * size] = found[number]
        return True


def contexts_for(level: int, *, checksum: bool) -> ZstdContexts | None:
    """The contexts for chunks of this kind; None where zstandard isn't installed.

    >>> contexts_for(3, checksum=True) is contexts_for(3, checksum=True)
    True
    """
    return _contexts(level, checksum)


@lru_cache(maxsize=256)
def _contexts(level: int, checksum: bool) -> ZstdContexts | None:  # noqa: FBT001 - a key of the cache
    try:
        package = import_package("zstandard")
    except ImportError:
        return None
    return ZstdContexts(package, level, checksum=checksum)
