"""A decoder of the blocks of a Blosc 1 container, for snappy, which numcodecs' blosc may lack.

https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst
The caller must check that all blocks are inside the container.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from zom.codecs.blosc.container import HEADER, SIZE, splits_of
from zom.codecs.blosc.snappy import decode_snappy
from zom.errors import CodecError
from zom.numpy_later import np

if TYPE_CHECKING:
    from zom.extension.bound import Data

__all__ = ["decode_blocks"]

_LENGTH = Struct("<I")
_SHUFFLED: Final = 0x01
_BITS_SHUFFLED: Final = 0x04

_Bytes: TypeAlias = "np.ndarray[Any, np.dtype[np.uint8]]"


def decode_blocks(data: Data) -> bytes:
    """Decode a container of snappy blocks."""
    _, _, flags, typesize, made, blocksize, _ = HEADER.unpack_from(data)
    view = memoryview(data)
    parts: list[bytes] = []
    for block in range(-(-made // blocksize)):
        size = min(blocksize, made - block * blocksize)
        splits = splits_of(flags, typesize, blocksize) if size == blocksize else 1
        (place,) = _LENGTH.unpack_from(data, SIZE + 4 * block)
        parts.append(_unshuffled(_block(view, place, size, splits), flags, typesize))
    return b"".join(parts)


def _block(view: memoryview, place: int, size: int, splits: int) -> _Bytes:
    """Decompress a block: the concatenation of its splits."""
    each = size // splits
    made = bytearray()
    for _ in range(splits):
        (length,) = _LENGTH.unpack_from(view, place)
        place += 4
        stored = view[place : place + length]
        # Data that compression doesn't make smaller is stored uncompressed.
        made += stored if length == each else decode_snappy(stored, each)
        place += length
    if len(made) != size:
        raise CodecError(f"damaged block: expected {size} bytes, found {len(made)}")
    return np.frombuffer(made, np.uint8)


def _unshuffled(block: _Bytes, flags: int, typesize: int) -> bytes:
    """Return the unshuffled elements of a block; bytes after the last whole element were not shuffled."""
    count = len(block) // typesize
    whole = count * typesize
    if flags & _BITS_SHUFFLED:
        if count % 8:
            return block.tobytes()
        bits = np.unpackbits(block[:whole].reshape(8 * typesize, -1), axis=1, bitorder="little")
        made = np.packbits(bits.T, axis=1, bitorder="little")
    elif flags & _SHUFFLED and typesize > 1:
        made = block[:whole].reshape(typesize, count).T
    else:
        return block.tobytes()
    return made.tobytes() + block[whole:].tobytes()
