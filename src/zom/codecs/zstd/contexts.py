"""Contexts of libzstd that are used again, by the package zstandard: part of the extra `fast` of zom.

What numcodecs calls makes a context for each chunk, which takes longer than to decode a small one. A context
serves one thread at a time, so each thread has its own.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zom.extension.bound import Data

__all__ = ["ZstdContexts", "contexts_for"]


class ZstdContexts(threading.local):
    """A compressor and a decompressor for each thread."""

    def __init__(self, package: Any, level: int, *, checksum: bool) -> None:
        self._error: type[Exception] = package.ZstdError
        self._compress = package.ZstdCompressor(level=level, write_checksum=checksum).compress
        self._decompress = package.ZstdDecompressor().decompress

    def compress(self, chunk: Data) -> Data:
        """One frame, which states its size."""
        made: bytes = self._compress(chunk)
        return made

    def decompress(self, chunk: Data, nbytes: int) -> bytes | None:
        """The `nbytes` bytes that the one frame in `chunk` holds; None where it is another, or more than that.

        The caller has seen that the frame states so many, or none.
        """
        try:
            made: bytes = self._decompress(chunk, max_output_size=nbytes, allow_extra_data=False)
        except self._error:
            return None
        return made if len(made) == nbytes else None


def contexts_for(level: int, *, checksum: bool) -> ZstdContexts | None:
    """The contexts for chunks of this kind; None where zstandard isn't installed.

    >>> contexts_for(3, checksum=True) is contexts_for(3, checksum=True)
    True
    """
    return _contexts(level, checksum)


@lru_cache(maxsize=256)
def _contexts(level: int, checksum: bool) -> ZstdContexts | None:  # noqa: FBT001 - a key of the cache
    try:
        package = import_module("zstandard")
    except ImportError:
        return None
    return ZstdContexts(package, level, checksum=checksum)
