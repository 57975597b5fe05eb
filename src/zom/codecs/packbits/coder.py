"""The coder of `packbits`: some bits of each component, packed consecutively.

https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/packbits: "element `i` corresponds to
bits `[i * k, (i+1) * k)`", counted from the least significant bit of each byte. The padding "is padded
with 0 bits"; it is ignored when decoding. The number of padding bits, if stored, is "an additional
sanity check": if it doesn't match the shape, the chunk is damaged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from zom.errors import CodecError
from zom.extension.bound import Coder
from zom.extension.element_memory import reordered, trim
from zom.numpy_later import np

if TYPE_CHECKING:
    from zom.extension.bound import Array, Block, Data

__all__ = ["Kept", "PackbitsCoder"]

# The components unpacked at once, each bit into its own byte: a multiple of 8.
_SPAN = 1 << 14

_Bytes: TypeAlias = "np.ndarray[Any, np.dtype[np.uint8]]"


class Kept(NamedTuple):
    """The stored bits of a component, `number` from `first` on, and its total number `bits`."""

    first: int
    number: int
    bits: int
    signed: bool = False
    """Whether the component is a signed integer."""

    @property
    def extends(self) -> bool:
        """Whether bits above the kept ones are restored by sign extension."""
        return self.signed and self.first + self.number < self.bits


class PackbitsCoder(Coder[Any, Any]):
    r"""Packs the components of a block.

    >>> import zom.dtypes
    >>> from zom.extension.bound import Block
    >>> from zom.extension.resolve import data_type
    >>> coder = PackbitsCoder(Block((3,), data_type("bool"), None), Kept(0, 1, 1), "first_byte")
    >>> coder.encode(np.array([True, False, True])), coder.decode(bytes([5, 5]))
    (b'\x05\x05', array([ True, False,  True]))
    """

    def __init__(self, block: Block, kept: Kept, padding: str) -> None:
        self._shape = block.shape
        self._memory = block.dtype
        self._stored = block.dtype.newbyteorder("<")
        self._trim = trim(block.dtype)
        self._kept = kept
        self._padding = padding
        components = 2 if block.data_type.kind == "complex" else 1
        self._components = block.count * components
        self._width = block.dtype.itemsize // components
        total = self._components * kept.number
        self._packed = (total + 7) // 8
        self._missing = -total % 8

    def encode(self, chunk: Array) -> Data:
        """Return the kept bits of all components, and the optional padding byte."""
        if chunk.dtype != self._stored:
            chunk = reordered(chunk, self._stored)
        packed = _pack(np.ascontiguousarray(chunk).reshape(-1).view(np.uint8), self._width, self._kept)
        padding = bytes([self._missing])
        if self._padding == "first_byte":
            return padding + packed
        return packed + padding if self._padding == "last_byte" else packed

    def decode(self, chunk: Data) -> Array:
        """Return the components; bits that were not kept are 0 or sign-extended."""
        view = np.frombuffer(chunk, np.uint8)
        expected = self._packed + (self._padding != "none")
        if view.size != expected:
            raise CodecError(f"expected {expected} bytes, found {view.size}")
        if self._padding != "none":
            at = 0 if self._padding == "first_byte" else -1
            if view[at] != self._missing:
                raise CodecError(f"expected {self._missing} bits of padding, found {view[at]}")
            view = view[1:] if at == 0 else view[:-1]
        made = _unpack(view, self._width, self._kept, self._components)
        array = made.view(self._stored).reshape(self._shape)
        if self._trim is not None:
            array = self._trim.decode(array)
        return array if self._stored == self._memory else reordered(array, self._memory)


def _pack(memory: _Bytes, width: int, kept: Kept) -> bytes:
    """Return the kept bits of components of `width` bytes each."""
    if kept.first % 8 == 0 and kept.number % 8 == 0:
        start = kept.first // 8
        return memory.reshape(-1, width)[:, start : start + kept.number // 8].tobytes()
    if width == 1 and kept.number == 1:
        return np.packbits(memory >> kept.first & 1, bitorder="little").tobytes()
    if width == 1 and 8 % kept.number == 0:
        return _pack_few(memory, kept)
    cells = memory.reshape(-1, width)
    made = bytearray()
    for start in range(0, len(cells), _SPAN):
        bits = np.unpackbits(cells[start : start + _SPAN], axis=1, bitorder="little")
        wanted = bits[:, kept.first : kept.first + kept.number]
        # Eight components fill whole bytes, so each span but the last ends with a byte.
        made += np.packbits(wanted, bitorder="little").tobytes()
    return bytes(made)


def _pack_few(memory: _Bytes, kept: Kept) -> bytes:
    """Pack several components per byte: 2 of 4 bits, or 4 of 2."""
    each = 8 // kept.number
    size = -(-memory.size // each)
    made = np.zeros(size, np.uint8)
    mask = np.uint8((1 << kept.number) - 1)
    for place in range(each):
        part = (memory[place::each] >> kept.first & mask) << (place * kept.number)
        made[: part.size] |= part
    return made.tobytes()


def _unpack(packed: _Bytes, width: int, kept: Kept, components: int) -> _Bytes:
    """Return the memory of components of `width` bytes each."""
    if kept.first % 8 == 0 and kept.number % 8 == 0 and not kept.extends:
        made: _Bytes = np.zeros((components, width), np.uint8)
        start, size = kept.first // 8, kept.number // 8
        made[:, start : start + size] = packed.reshape(components, size)
        return made.reshape(-1)
    if width == 1 and 8 % kept.number == 0 and not kept.extends:
        return _unpack_few(packed, kept, components)
    cells: _Bytes = np.empty((components, width), np.uint8)
    for start in range(0, components, _SPAN):
        count = min(_SPAN, components - start)
        first = start * kept.number // 8
        span = packed[first : first + (count * kept.number + 7) // 8]
        flat = np.unpackbits(span, count=count * kept.number, bitorder="little")
        bits: _Bytes = np.zeros((count, 8 * width), np.uint8)
        found = flat.reshape(count, kept.number)
        bits[:, kept.first : kept.first + kept.number] = found
        if kept.extends:
            bits[:, kept.first + kept.number :] = found[:, -1:]
        cells[start : start + count] = np.packbits(bits, bitorder="little").reshape(count, width)
    return cells.reshape(-1)


def _unpack_few(packed: _Bytes, kept: Kept, components: int) -> _Bytes:
    """Unpack several components per byte: 8 of 1 bit, 4 of 2 or 2 of 4."""
    if kept.number == 1:
        return np.unpackbits(packed, count=components, bitorder="little") << np.uint8(kept.first)
    each = 8 // kept.number
    made: _Bytes = np.empty(packed.size * each, np.uint8)
    mask = np.uint8((1 << kept.number) - 1)
    for place in range(each):
        made[place::each] = (packed >> (place * kept.number) & mask) << kept.first
    return made[:components]
