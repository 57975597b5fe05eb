"""Reused libzstd contexts from the package zstandard, which is part of zom's extra `fast`.

numcodecs creates a context for each chunk, which takes longer than decoding a small one. Only one thread at
a time may use a context, so each thread has its own.
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
        # The variant of the package without C has no batches.
        self._decompress_many = getattr(decompressor, "multi_decompress_to_buffer", None)
        self._buffer = getattr(package, "BufferWithSegments", None)
        self.has_batches = None not in (self._decompress_many, self._buffer)

    def compress(self, chunk: Data) -> Data:
        """Return one frame, which states its size."""
        made: bytes = self._compress(chunk)
        return made

    def compress_rows(self, rows: memoryview, count: int) -> list[Data]:
        """Compress `count` chunks that are consecutive in `rows`, without holding the GIL."""
        size = len(rows) // count
        chunks = [rows[start : start + size] for start in range(0, count * size, size)]
        if self._compress_many is None:
            return [self.compress(chunk) for chunk in chunks]
        found = self._compress_many(chunks, threads=1)
        return [found[number].tobytes() for number in range(count)]

    def decompress(self, chunk: Data, nbytes: int) -> bytes | None:
        """Decompress the single frame `chunk` to `nbytes` bytes; return None if its contents or size differ.

        The caller must check that the frame states this size or none.
        """
        try:
            made: bytes = self._decompress(chunk, max_output_size=nbytes, allow_extra_data=False)
        except self._error:
            return None
        return made if len(made) == nbytes else None

    def decompress_rows(self, chunks: Pieces, target: memoryview) -> bool:
        """Decode single-frame chunks into `target`, without holding the GIL; return False on failure.

        The caller must check that all chunks state the same size and have no trailing data.
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
    """Return the contexts for these parameters, or None if zstandard isn't installed.

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
