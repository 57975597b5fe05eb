"""A decoder of snappy's raw format, which the blosc in numcodecs' wheels lacks.

https://github.com/google/snappy/blob/main/format_description.txt
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.errors import CodecError

if TYPE_CHECKING:
    from zom.extension.bound import Data

__all__ = ["decode_snappy"]

_LONG: Final = 60
"""Tags from this number on have the length of their literal in the bytes after the tag."""


def decode_snappy(data: Data, size: int) -> bytearray:
    r"""Decode `data` to `size` bytes; raise CodecError if its size differs.

    >>> decode_snappy(b"\x0a\x04ab\x11\x02", 10)
    bytearray(b'ababababab')
    """
    stated, at = _stated(data)
    if stated != size:
        raise CodecError(f"damaged snappy data: expected {size} bytes, found a stated size of {stated}")
    made = bytearray()
    end = len(data)
    while at < end:
        tag = data[at]
        at += 1
        if not tag & 3:
            at, length = _literal(data, at, tag >> 2)
            made += data[at : at + length]
            at += length
        else:
            width, length = _copy(tag)
            offset = int.from_bytes(data[at : at + width], "little")
            if at + width > end:
                raise _truncated(end)
            if width == 1:
                offset |= tag >> 5 << 8
            at += width
            if not 0 < offset <= len(made):
                raise CodecError(f"damaged snappy data: a copy from {offset} bytes before byte {len(made)}")
            _repeat(made, offset, length)
        if len(made) > size or at > end:
            break
    if at > end:
        raise _truncated(end)
    if len(made) != size:
        raise CodecError(
            f"damaged snappy data: expected {size} bytes, found {'more' if len(made) > size else len(made)}"
        )
    return made


def _stated(data: Data) -> tuple[int, int]:
    """Return the decoded size stated by `data`, and the start of the first tag."""
    stated = 0
    for at, byte in enumerate(data[:5]):
        stated |= (byte & 127) << 7 * at
        if byte < 128:
            return stated, at + 1
    raise CodecError("damaged snappy data: it doesn't begin with a length")


def _literal(data: Data, at: int, number: int) -> tuple[int, int]:
    """Return the start and the length of a literal."""
    if number < _LONG:
        return at, number + 1
    width = number - _LONG + 1
    return at + width, int.from_bytes(data[at : at + width], "little") + 1


def _copy(tag: int) -> tuple[int, int]:
    """Return the number of bytes of a copy's offset, and the copy's length."""
    if tag & 3 == 1:
        return 1, (tag >> 2 & 7) + 4
    return (2 if tag & 3 == 2 else 4), (tag >> 2) + 1


def _repeat(made: bytearray, offset: int, length: int) -> None:
    """Append `length` bytes from `offset` before the end; the source may overlap the appended bytes."""
    start = len(made) - offset
    if offset >= length:
        made += made[start : start + length]
    else:
        pattern = bytes(made[start:])
        made += (pattern * (length // offset + 1))[:length]


def _truncated(end: int) -> CodecError:
    return CodecError(f"truncated snappy data: it continues after the last byte, {end - 1}")
