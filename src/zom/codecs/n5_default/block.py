"""Blocks of N5 in default mode: a header that states the shape, then the encoded elements.

    mode, number of dimensions    2 x u16be; mode 0
    each dimension                u32be

https://github.com/saalfeldlab/n5, file system specification
"""

from __future__ import annotations

import math
from functools import lru_cache
from struct import Struct, pack
from typing import TYPE_CHECKING, Any, Final

from zom.count import count_of
from zom.errors import CodecError
from zom.extension.bound import Block, Coder
from zom.extension.bound_chain import bind_chain
from zom.extension.fill_bits import fill_cell
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zom.extension.bound import Array, Data
    from zom.extension.bound_chain import BoundChain
    from zom.extension.link import Link

__all__ = ["N5Coder"]

_HEAD: Final = Struct(">HH")

# The bytes that a block may hold in addition to the chunk's: blocks are decoded whole, then cropped.
_SLACK: Final = 1 << 24

# The number of block shapes with bound codecs: whole blocks, and those at edges and corners.
_SHAPES: Final = 64


class N5Coder(Coder[Any, Any]):
    r"""Chunks as N5 blocks; a block shorter than the chunk is padded with the fill value.

    >>> import zom.codecs, zom.dtypes
    >>> from zom.extension.link import parse_links
    >>> from zom.extension.resolve import data_type
    >>> links = parse_links([{"name": "transpose", "configuration": {"order": [0]}}, "bytes"])
    >>> coder = N5Coder(Block((3,), data_type("int8"), 7), links)
    >>> bytes(coder.encode(np.array([1, 2, 3], "i1")))
    b'\x00\x00\x00\x01\x00\x00\x00\x03\x01\x02\x03'
    >>> coder.decode(b"\0\0\0\1\0\0\0\2\1\2")
    array([1, 2, 7], dtype=int8)
    """

    def __init__(self, block: Block, links: Sequence[Link]) -> None:
        self._block = block
        rank = len(block.shape)
        self._header = pack(f">HH{rank}I", 0, rank, *block.shape)
        self._dimensions = Struct(f">{rank}I")
        self._fill = fill_cell(block.dtype, block.data_type.default() if block.fill is None else block.fill)
        nbytes = block.nbytes or 0
        self._most = max(2 * nbytes, nbytes + _SLACK)

        def bound(shape: tuple[int, ...]) -> BoundChain:
            return bind_chain(links, Block(shape, block.data_type, block.fill))

        self._chain: Callable[[tuple[int, ...]], BoundChain] = lru_cache(_SHAPES)(bound)
        whole = self._chain(block.shape)
        self.most = len(self._header) + (whole.most if whole.nbytes is None else whole.nbytes)

    def encode(self, chunk: Array) -> Data:
        """Return a block of the whole chunk."""
        return self._header + bytes(self._chain(self._block.shape).encode(chunk))

    def decode(self, chunk: Data) -> Array:
        """Return the elements of the chunk, whatever the shape of its block."""
        shape, start = self._shape(chunk)
        made = self._chain(shape).decode(memoryview(chunk)[start:])
        if shape == self._block.shape:
            return made
        target: Array = np.empty(self._block.shape, self._block.dtype)
        target[...] = self._fill
        both = tuple(slice(min(pair)) for pair in zip(shape, self._block.shape, strict=True))
        target[both] = made[both]
        return target

    def _shape(self, chunk: Data) -> tuple[tuple[int, ...], int]:
        """Return the shape in the header, and the start of the data."""
        length, rank = len(self._header), len(self._block.shape)
        if len(chunk) < _HEAD.size:
            raise CodecError(f"truncated: the header of a block has {length} bytes, found {len(chunk)}")
        mode, found = _HEAD.unpack_from(chunk)
        if mode:
            raise CodecError(f"expected a block of mode 0 (default), found mode {mode}")
        if found != rank:
            raise CodecError(f"expected a block of {count_of(rank, 'dimension')}, found {found}")
        if len(chunk) < length:
            raise CodecError(f"truncated: the header of a block has {length} bytes, found {len(chunk)}")
        shape: tuple[int, ...] = self._dimensions.unpack_from(chunk, _HEAD.size)
        nbytes = math.prod(shape) * self._block.dtype.itemsize
        if nbytes > self._most:
            lengths = " x ".join(map(str, shape))
            raise CodecError(f"expected at most {self._most} bytes, found a block of {lengths} elements")
        return shape, length
