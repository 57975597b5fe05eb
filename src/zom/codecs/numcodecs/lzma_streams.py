"""Coders of xz, .lzma and raw streams: run by Python's lzma, with a memory limit."""

from __future__ import annotations

import lzma
from typing import TYPE_CHECKING, Any

from zom.codecs.gzip.inflate import Format, Inflater

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.codecs.gzip.inflate import Decompressor
    from zom.extension.bound import ByteCoder, Stream

__all__ = ["bind_lzma"]

_MEMORY = 96 << 20
"""Memory limit of decoding; the largest preset needs 65 MiB."""
_LEAST_DICTIONARY = 4096
_DICTIONARIES = (lzma.FILTER_LZMA1, lzma.FILTER_LZMA2)

Filters = list[dict[str, Any]]


def bind_lzma(  # noqa: PLR0913 - the parameters of lzma
    before: Stream,
    *,
    format: int,  # noqa: A002 - the name in documents
    check: int = -1,
    preset: int | None = None,
    filters: Filters | None = None,
    delta: int | None = None,
) -> ByteCoder:
    """Return the coder of lzma data; `delta` is the distance of GDAL's delta filter, which is used with xz.

    >>> from zom.extension.bound import Stream
    >>> coder = bind_lzma(Stream(100, 100), format=1, preset=6, delta=1)
    >>> bytes(coder.decode(coder.encode(bytes(100)))) == bytes(100)
    True
    """
    if delta is not None and filters is None and format == lzma.FORMAT_XZ:
        last = {"id": lzma.FILTER_LZMA2, "preset": lzma.PRESET_DEFAULT if preset is None else preset}
        filters, preset = [{"id": lzma.FILTER_DELTA, "dist": delta}, last], None
    # A dictionary longer than the chunk only takes memory.
    enough = max(before.most, _LEAST_DICTIONARY)
    filters = None if filters is None else [_with_dictionary(each, enough) for each in filters]
    fresh = _decompressors(before, format, filters)
    magic = b"\xfd7zXZ\0" if format == lzma.FORMAT_XZ else None
    name = {lzma.FORMAT_XZ: "xz", lzma.FORMAT_ALONE: "lzma"}.get(format, "raw lzma")
    streams = Format(name, fresh, (lzma.LZMAError, ValueError), magic)

    def compress(chunk: Any) -> bytes:
        return lzma.compress(chunk, format, check, preset, filters)

    return Inflater(before, streams, compress)


def _decompressors(before: Stream, format: int, filters: Filters | None) -> Callable[[], Decompressor]:  # noqa: A002
    if format != lzma.FORMAT_RAW:
        # The stream states its filters and their dictionary sizes, which determine memory.
        limit = _MEMORY + 2 * before.most
        return lambda: lzma.LZMADecompressor(format, memlimit=limit)
    return lambda: lzma.LZMADecompressor(format, filters=filters)


def _with_dictionary(each: dict[str, Any], most: int) -> dict[str, Any]:
    size = each.get("dict_size")
    if each["id"] in _DICTIONARIES and isinstance(size, int) and size > most:
        return {**each, "dict_size": most}
    return each
