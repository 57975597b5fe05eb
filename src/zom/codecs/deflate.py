"""gzip (RFC 1952) and zlib (RFC 1950) data, bound: by libdeflate where it is installed, else by zlib."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from zom.codecs.inflate import Format, Inflater
from zom.codecs.libdeflate import GzipByLibdeflate, ZlibByLibdeflate, libdeflate
from zom.codecs.stream_size import stream_before

if TYPE_CHECKING:
    from zom.model.bound import ByteCoder, Form

__all__ = ["bind_gzip", "bind_zlib"]

_GZIP, _ZLIB = 31, 15
"""What zlib calls the two in `wbits`."""

GZIP = Format("gzip", lambda: zlib.decompressobj(_GZIP), (zlib.error,), b"\x1f\x8b")
ZLIB = Format("zlib", lambda: zlib.decompressobj(_ZLIB), (zlib.error,))


def bind_gzip(before: Form, name: str, level: int) -> ByteCoder:
    """The coder of gzip data. The time in their headers is 0, so that equal chunks are stored equal.

    >>> from zom.model.bound import Stream
    >>> coder = bind_gzip(Stream(100, 100), "gzip", 5)
    >>> bytes(coder.decode(coder.encode(bytes(100)))) == bytes(100)
    True
    """
    stream = stream_before(before, name)
    package = libdeflate()
    if package is not None:
        return GzipByLibdeflate(stream, GZIP, level, package)
    return Inflater(stream, GZIP, lambda chunk: zlib.compress(chunk, level, _GZIP))


def bind_zlib(before: Form, name: str, level: int) -> ByteCoder:
    """The coder of zlib data.

    >>> from zom.model.bound import Stream
    >>> coder = bind_zlib(Stream(100, 100), "zlib", 5)
    >>> bytes(coder.decode(coder.encode(bytes(100)))) == bytes(100)
    True
    """
    stream = stream_before(before, name)
    package = libdeflate()
    if package is not None:
        return ZlibByLibdeflate(stream, ZLIB, level, package)
    return Inflater(stream, ZLIB, lambda chunk: zlib.compress(chunk, level, _ZLIB))
