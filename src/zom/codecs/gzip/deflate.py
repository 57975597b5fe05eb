"""Coders of gzip (RFC 1952) and zlib (RFC 1950) data: libdeflate writes it and reads single streams."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from zom.codecs.gzip.inflate import Format, Inflater
from zom.codecs.gzip.libdeflate import GzipByLibdeflate, ZlibByLibdeflate, libdeflate
from zom.codecs.stream_size import stream_before

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.extension.bound import ByteCoder, Data, Form

__all__ = ["bind_gzip", "bind_zlib"]

_GZIP, _ZLIB = 31, 15
"""zlib's values of `wbits` for the two formats."""
_DEFAULT = 6
"""The level that zlib uses for -1."""

GZIP = Format("gzip", lambda: zlib.decompressobj(_GZIP), (zlib.error,), b"\x1f\x8b")
ZLIB = Format("zlib", lambda: zlib.decompressobj(_ZLIB), (zlib.error,))


def bind_gzip(before: Form, name: str, level: int) -> ByteCoder:
    """Return a coder of gzip data; the time in headers is 0, so that equal chunks have equal bytes.

    >>> from zom.extension.bound import Stream
    >>> coder = bind_gzip(Stream(100, 100), "gzip", 5)
    >>> bytes(coder.decode(coder.encode(bytes(100)))) == bytes(100)
    True
    """
    stream = stream_before(before, name)
    if libdeflate is None:
        return Inflater(stream, GZIP, lambda chunk: zlib.compress(chunk, level, _GZIP))
    return GzipByLibdeflate(stream, GZIP, _compressor(libdeflate.gzip_compress, level, _GZIP))


def bind_zlib(before: Form, name: str, level: int) -> ByteCoder:
    """Return a coder of zlib data.

    >>> from zom.extension.bound import Stream
    >>> coder = bind_zlib(Stream(100, 100), "zlib", 5)
    >>> bytes(coder.decode(coder.encode(bytes(100)))) == bytes(100)
    True
    """
    stream = stream_before(before, name)
    if libdeflate is None:
        return Inflater(stream, ZLIB, lambda chunk: zlib.compress(chunk, level, _ZLIB))
    return ZlibByLibdeflate(stream, ZLIB, _compressor(libdeflate.zlib_compress, level, _ZLIB))


def _compressor(compress: Callable[[Data, int], bytearray], level: int, wbits: int) -> Callable[[Data], Data]:
    if level == 0:  # level 0 doesn't compress; not every release of the package supports it
        return lambda chunk: zlib.compress(chunk, level, wbits)
    known = _DEFAULT if level == -1 else level
    return lambda chunk: compress(chunk, known)
