"""The container that Blosc 1 writes: what stands in it, checked before a decoder follows it.

https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst

    version, version of the inner format, flags, typesize      4 bytes
    bytes before compression, bytes of a block, bytes of all   3 x u32le
    where each block starts                                    u32le each; not in stored containers
    for each block its splits: length, data                    u32le, bytes

c-blosc believes the last of the three numbers: where it is larger than what was read, the decoder runs
past the end (numcodecs issue 228). Where a block is no whole number of elements but split by their
bytes, it leaves the rest of the block as it found it.
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
"""The formats of the data inside, by their number; lz4hc writes that of lz4."""

HEADER: Final = Struct("<4B3I")
"""The version, that of the inner format, the flags, the typesize, and the three numbers of bytes."""
SIZE: Final = 16
"""The bytes of a header."""
STORED: Final = 0x02
"""The flag of a container whose bytes are stored as they are."""

_LENGTH = Struct("<I")
_FUTURE: Final = 0x08
_WHOLE: Final = 0x10
# A block is split into the n-th bytes of its elements if they have few bytes, and it has many of them.
_MOST_SPLITS: Final = 16
_FEWEST_ELEMENTS: Final = 128
# So many blocks a loop checks faster than numpy.
_FEW: Final = 64


def check_container(data: Data, nbytes: int | None, most: int) -> tuple[int, str]:
    r"""How many bytes `data` decodes to, and the format inside, empty where they are stored as they are.

    `nbytes` is how many there must be, if that is known; there may be `most`.

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
    """What the header of a container says, but for its length."""

    made: int
    """The bytes before compression."""
    inner: str
    """The format inside; empty where bytes are stored as they are."""
    blocks: int = 0
    """How many blocks there are."""
    full: int = 0
    """How many of them are not shorter than the others."""
    splits: int = 0
    """In how many parts each of these is compressed."""
    first: int = 0
    """Where the first block can start."""


@lru_cache(maxsize=256)
def layout_of(header: tuple[int, ...], nbytes: int | None, most: int) -> Layout:
    """The layout that a header states; most chunks of an array state the same."""
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
        raise CodecError(f"{what}: the container says that it has {total} bytes, found {length}")


def _inner(flags: int, version: int) -> str:
    number = flags >> 5
    if number >= len(INNER):
        raise CodecError(f"unknown inner format {number}")
    if version != 1:
        raise CodecError(f"unknown version {version} of the inner format {INNER[number]}")
    return INNER[number]


def splits_of(flags: int, typesize: int, blocksize: int) -> int:
    """In how many parts a whole block is compressed."""
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
    # A number at each byte: where splits start is nowhere aligned.
    numbers: np.ndarray[tuple[int], np.dtype[np.uint32]] = np.ndarray(
        (length - 3,), "<u4", data, strides=(1,)
    )
    for split in range(splits):
        # A shorter block at the end has but one split.
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
