"""The blocks of a Blosc 1 container, decoded here: for snappy, which numcodecs' blosc may lack.

https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst
The caller has checked the container: where its blocks start, and that they end inside of it.
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
    """What a container of snappy blocks holds."""
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
    """The bytes of a block as they were before compression: its splits, one after the other."""
    each = size // splits
    made = bytearray()
    for _ in range(splits):
        (length,) = _LENGTH.unpack_from(view, place)
        place += 4
        stored = view[place : place + length]
        # What compression does not make smaller is stored as it is.
        made += stored if length == each else decode_snappy(stored, each)
        place += length
    if len(made) != size:
        raise CodecError(f"damaged block: expected {size} bytes, found {len(made)}")
    return np.frombuffer(made, np.uint8)


def _unshuffled(block: _Bytes, flags: int, typesize: int) -> bytes:
    """The elements of a block; what is behind the last whole one was not shuffled."""
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
