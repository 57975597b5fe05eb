"""The Blosc 1 container: its contents, checked before a decoder uses them.

https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst

    version, version of the inner format, flags, typesize      4 bytes
    bytes before compression, bytes of a block, bytes of all   3 x u32le
    start of each block                                        u32le each; not in stored containers
    for each block its splits: length, data                    u32le, bytes

c-blosc trusts the last of the three numbers: if it is larger than the data, the decoder reads past the end
(numcodecs issue 228). If a block is split by the bytes of its elements but isn't a whole number of
elements, c-blosc leaves the rest of the block unwritten.
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple

from zom.errors import CodecError
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.extension.bound import Data

__all__ = ["HEADER", "INNER", "SIZE", "STORED", "Layout", "check_container", "layout_of", "splits_of"]

INNER: Final = ("blosclz", "lz4", "snappy", "zlib", "zstd")
"""The inner formats, by number; lz4hc uses the format of lz4."""

HEADER: Final = Struct("<4B3I")
"""The version, the version of the inner format, the flags, the typesize, and the three sizes."""
SIZE: Final = 16
"""The size of a header in bytes."""
STORED: Final = 0x02
"""The flag of a container with uncompressed bytes."""

_LENGTH = Struct("<I")
_FUTURE: Final = 0x08
_WHOLE: Final = 0x10
# A block is split by the n-th bytes of its elements if the elements are small and numerous.
_MOST_SPLITS: Final = 16
_FEWEST_ELEMENTS: Final = 128
# The number of blocks up to which a loop checks faster than numpy.
_FEW: Final = 64


def check_container(data: Data, nbytes: int | None, most: int) -> tuple[int, str]:
    r"""Check a container and return its decoded size and its inner format, "" if it is uncompressed.

    `nbytes` is the required decoded size, if known, and `most` the maximum.

    >>> check_container(b"\2\1\2\1" + b"\3\0\0\0" * 2 + b"\x13\0\0\0" + b"abc", 3, 3)
    (3, '')
    """
    if len(data) < SIZE:
        raise CodecError(f"truncated: a container has at least {SIZE} bytes, found {len(data)}")
    header = HEADER.unpack_from(data)
    total: int = header[6]
    layout = layout_of(header[:6], nbytes, most)
    _check_total(total, len(data))
    if not layout.inner:
        if total != layout.made + SIZE:
            raise CodecError(f"expected {layout.made} stored bytes, found {total - SIZE}")
        return layout.made, ""
    if layout.first > len(data):
        raise CodecError(f"truncated: {layout.blocks} blocks, but only {len(data)} bytes")
    walk = _walk if layout.blocks <= _FEW else _walk_many
    walk(data, layout)
    return layout.made, layout.inner


class Layout(NamedTuple):
    """The contents of a container's header, without its length."""

    made: int
    """The size before compression in bytes."""
    inner: str
    """The inner format; "" if bytes are uncompressed."""
    blocks: int = 0
    """The number of blocks."""
    full: int = 0
    """The number of blocks of full length."""
    splits: int = 0
    """The number of compressed parts of each full block."""
    first: int = 0
    """The first possible start of a block."""


@lru_cache(maxsize=256)
def layout_of(header: tuple[int, ...], nbytes: int | None, most: int) -> Layout:
    """Return the layout stated by a header; it is the same for most chunks of an array."""
    version, inner, flags, typesize, made, blocksize = header
    if version != 2:
        raise CodecError(f"expected a container of version 2, found {version}")
    if nbytes is not None and made != nbytes:
        raise CodecError(f"expected {nbytes} bytes, found a container of {made}")
    if made > most:
        raise CodecError(f"expected at most {most} bytes, found a container of {made}")
    if flags & _FUTURE:
        raise CodecError(f"unknown flags {flags:#04x}: the container is newer, or damaged")
    if not typesize:
        raise CodecError("expected elements of 1 to 255 bytes, found 0")
    if made and not 0 < blocksize <= made:
        raise CodecError(f"expected blocks of 1 to {made} bytes, found {blocksize}")
    if not made or flags & STORED:
        return Layout(made, "")
    full, rest = divmod(made, blocksize)
    count = full + (rest > 0)
    splits = splits_of(flags, typesize, blocksize)
    if splits > 1 and blocksize % typesize:
        raise CodecError(f"blocks of {blocksize} bytes can't be split by elements of {typesize}")
    return Layout(made, _inner(flags, inner), count, full, splits, SIZE + 4 * count)


def _check_total(total: int, length: int) -> None:
    if total != length:
        what = "truncated" if total > length else "trailing bytes"
        raise CodecError(f"{what}: expected {total} bytes, as the container states, found {length}")


def _inner(flags: int, version: int) -> str:
    number = flags >> 5
    if number >= len(INNER):
        raise CodecError(f"unknown inner format {number}")
    if version != 1:
        raise CodecError(f"unknown version {version} of the inner format {INNER[number]}")
    return INNER[number]


def splits_of(flags: int, typesize: int, blocksize: int) -> int:
    """Return the number of compressed parts of a full block."""
    few = typesize <= _MOST_SPLITS and blocksize // typesize >= _FEWEST_ELEMENTS
    return typesize if few and not flags & _WHOLE else 1


def _walk(data: Data, layout: Layout) -> None:
    _, _, count, full, splits, first = layout
    length = len(data)
    read: Callable[[Data, int], tuple[int]] = _LENGTH.unpack_from
    last = length - 4
    for block in range(count):
        (place,) = read(data, SIZE + 4 * block)
        for _ in range(splits if block < full else 1):
            if not first <= place <= last:
                raise _outside(block, place, length)
            (size,) = read(data, place)
            place += 4 + size
        if place > length:
            raise _outside(block, place, length)


def _walk_many(data: Data, layout: Layout) -> None:
    _, _, count, full, splits, first = layout
    length = len(data)
    places = np.frombuffer(data, "<u4", count, SIZE).astype(np.int64)
    # A number at each byte, because splits are not aligned.
    numbers: np.ndarray[tuple[int], np.dtype[np.uint32]] = np.ndarray(
        (length - 3,), "<u4", data, strides=(1,)
    )
    for split in range(splits):
        # A shorter block at the end has only one split.
        places = places if split == 0 else places[:full]
        wrong = (places < first) | (places > length - 4)
        if wrong.any():
            block = int(wrong.argmax())
            raise _outside(block, int(places[block]), length)
        places = places + (4 + numbers[places].astype(np.int64))
        if (places > length).any():
            block = int((places > length).argmax())
            raise _outside(block, int(places[block]), length)


def _outside(block: int, place: int, length: int) -> CodecError:
    return CodecError(f"block {block} reaches to byte {place} of {length}")
