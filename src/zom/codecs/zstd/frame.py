"""Zstandard frames, RFC 8878, section 3.1: the end and the maximum decoded size of each.

Nothing is decoded here. A frame is a header, blocks preceded by three bytes each, and, if the header says
so, four bytes of checksum. A skippable frame is a header with its length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from zom.errors import CodecError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.extension.bound import Data

__all__ = ["Frame", "frames_of", "is_one_frame", "stated_size"]

_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPED = b"\x2a\x4d\x18"  # after a byte from 0x50 to 0x5f
_CHECKSUM_OF_NOTHING = b"\x99\xe9\xd8\x51"
_BLOCK_MOST = 1 << 17
_RAW, _REPEATED, _COMPRESSED = 0, 1, 2
_SINGLE = 32
_SHORTEST = 9


class Header(NamedTuple):
    """The header before the first block."""

    end: int
    """The start of the first block."""
    size: int | None
    """The decoded size of the frame in bytes, if stated."""
    block_most: int
    """The maximum decoded size of a compressed block in bytes, at least 1."""
    has_checksum: bool


class Frame(NamedTuple):
    """One frame that holds data."""

    start: int
    end: int
    size: int | None
    """Its decoded size in bytes, if stated."""
    most: int
    """The maximum decoded size of its blocks in bytes."""


def stated_size(data: Data) -> int | None:
    r"""Return the decoded size stated by the first frame in `data`, or None.

    >>> stated_size(b"\x28\xb5\x2f\xfd\x20\x03\x19\x00\x00abc")
    3
    """
    # A fast path for the common case, as this runs for each chunk.
    if data[:4] == _MAGIC and len(data) > 13:
        flags = data[4]
        single = flags & _SINGLE
        start = (5 if single else 6) + (0, 1, 2, 4)[flags & 3]
        kind = flags >> 6
        if kind == 0:
            return data[start] if single else None
        if kind == 1:
            return data[start] + (data[start + 1] << 8) + 256
        if kind == 2:
            return int.from_bytes(data[start : start + 4], "little")
    return _read_header(data, 0).size if data[:4] == _MAGIC else None


def is_one_frame(data: Data, size: int) -> bool:
    r"""Whether `data` is one single-segment frame of one block that states `size` bytes.

    Other data may decode to the same size; use `frames_of` to find out.

    >>> is_one_frame(b"\x28\xb5\x2f\xfd\x20\x03\x19\x00\x00abc", 3)
    True
    """
    if len(data) < _SHORTEST or data[:4] != _MAGIC:
        return False
    flags = data[4]
    here = 5 + (0, 1, 2, 4)[flags & 3] + (1, 2, 4, 8)[flags >> 6]
    if not flags & _SINGLE or here + 3 > len(data) or stated_size(data) != size:
        return False
    word = data[here] | data[here + 1] << 8 | data[here + 2] << 16
    length = 1 if word >> 1 & 3 == _REPEATED else word >> 3
    return bool(word & 1) and here + 3 + length + (4 if flags & 4 else 0) == len(data)


def _read_header(data: Data, start: int) -> Header:
    here = start + 5
    if here > len(data):
        raise _truncated(start, len(data))
    flags = data[start + 4]
    if flags & 8:
        raise CodecError(f"damaged zstd frame at byte {start}: a reserved bit of its header is set")
    window = 0
    single = bool(flags & _SINGLE)
    if not single:
        exponent, mantissa = divmod(data[here], 8) if here < len(data) else (0, 0)
        window = (1 << (10 + exponent)) * (8 + mantissa) // 8
        here += 1
    here += (0, 1, 2, 4)[flags & 3]
    width = (int(single), 2, 4, 8)[flags >> 6]
    end = here + width
    if end > len(data):
        raise _truncated(start, len(data))
    size = int.from_bytes(data[here:end], "little") + (256 if width == 2 else 0) if width else None
    if single and size is not None:
        window = size
    return Header(end, size, max(1, min(window, _BLOCK_MOST)), bool(flags & 4))


def frames_of(data: Data) -> Iterator[Frame]:
    r"""Yield the frames in `data` except skippable ones; raise CodecError for anything else.

    >>> list(frames_of(b"\x28\xb5\x2f\xfd\x20\x03\x19\x00\x00abc"))
    [Frame(start=0, end=12, size=3, most=3)]
    """
    start = 0
    while start < len(data) or not start:
        magic = bytes(data[start : start + 4])
        if magic == _MAGIC:
            frame = _read_frame(data, start)
            start = frame.end
            yield frame
        elif magic[1:] == _SKIPPED and magic[0] >> 4 == 5:
            end = start + 8 + int.from_bytes(data[start + 4 : start + 8], "little")
            if end > len(data) or start + 8 > len(data):
                raise _truncated(start, len(data))
            start = end
        elif _MAGIC.startswith(magic):
            raise _truncated(start, len(data))
        else:
            raise CodecError(f"expected a zstd frame (28 b5 2f fd) at byte {start}, found {magic.hex(' ')}")


def _read_frame(data: Data, start: int) -> Frame:
    header = _read_header(data, start)
    here = header.end
    total = len(data)
    most = 0
    last = False
    while not last:
        if here + 3 > total:
            raise _truncated(start, total)
        word = data[here] | data[here + 1] << 8 | data[here + 2] << 16
        last = bool(word & 1)
        kind = word >> 1 & 3
        size = word >> 3
        here += 3
        if kind == _COMPRESSED:
            here += size
            most += header.block_most
        elif kind == _RAW:
            here += size
            most += size
        elif kind == _REPEATED:
            here += 1
            most += size
        else:
            raise CodecError(
                f"damaged zstd frame at byte {start}: a block of the reserved type at {here - 3}"
            )
    end = here + 4 if header.has_checksum else here
    if end > total:
        raise _truncated(start, total)
    if header.size is not None and header.size > most:
        message = f"states {header.size} bytes, but its blocks have at most {most}"
        raise CodecError(f"damaged zstd frame at byte {start}: it {message}")
    if not most and header.has_checksum and bytes(data[here:end]) != _CHECKSUM_OF_NOTHING:
        raise CodecError(
            f"damaged zstd frame at byte {start}: it is empty, but its checksum is not that of an empty frame"
        )
    return Frame(start, end, header.size, most)


def _truncated(start: int, total: int) -> CodecError:
    if not total:
        return CodecError("truncated zstd data: expected a frame, found 0 bytes")
    return CodecError(f"truncated zstd frame at byte {start}: it continues after the last byte, {total - 1}")
