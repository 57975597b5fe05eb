"""Shared code of vlen-utf8, vlen-bytes and vlen-array: items of any length, each preceded by its length.

A chunk is the number of items (u32, little-endian), then for each item its length in bytes (u32,
little-endian) and its bytes. Each number is checked against the available bytes before use.
"""

from __future__ import annotations

import math
from struct import Struct
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from typing_extensions import override

from zom.count import count_of
from zom.dataclass import dataclass
from zom.errors import CodecError, ExtensionError
from zom.extension.bound import Block, Coder
from zom.extension.codec import Bytes, Codec, Elements
from zom.numpy_later import np
from zom.problems import Fault, Path, Rule, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.extension.bound import Array, Data, Form
    from zom.extension.codec import Representation

__all__ = ["Items", "VlenCodec", "VlenCoder", "as_bytes", "as_text", "join_items", "parse_items", "place_of"]

_NUMBER = Struct("<I")
_MOST: Final = 2**32 - 1
_SHORT: Final = 100


class VlenCoder(Coder[Any, Any]):
    """A coder of the items of a block."""

    def __init__(self, block: Block) -> None:
        self._shape = block.shape


class VlenCodec(Codec):
    """A codec of items of any length: array -> bytes."""

    kind = "array->bytes"
    sees_lengths = False
    holds_objects = True
    takes: ClassVar[Literal["string", "bytes"]]
    """The required data type and kind."""
    broken: ClassVar[Rule]
    """The rule that another data type breaks."""
    coder: ClassVar[type[VlenCoder]]

    @override
    def thread(self, configuration: Any, before: Representation, faults: list[Fault], path: Path) -> Bytes:
        """Return bytes of variable size."""
        del configuration
        data_type = before.data_type if isinstance(before, Elements) else None
        if data_type is not None and (data_type.kind != self.takes or data_type.itemsize is not None):
            found = f"the data type {show(data_type.name)}"
            faults.append(Fault(self.broken, path, f"the data type {show(self.takes)}", found))
        return Bytes()

    @override
    def bind(self, configuration: Any, before: Form, after: Form) -> VlenCoder:
        """Return a coder for all chunks of a shape."""
        del configuration, after
        if not isinstance(before, Block):
            raise ExtensionError(f"the {self.name} codec expects elements")
        return self.coder(before)


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a chunk: the start of each in `data`, and its size in bytes."""

    data: bytes
    begins: np.ndarray[Any, np.dtype[np.int64]]
    lengths: np.ndarray[Any, np.dtype[np.int64]]

    def __getitem__(self, index: int) -> bytes:
        """Return the bytes of one item."""
        begin = int(self.begins[index])
        return self.data[begin : begin + int(self.lengths[index])]

    @property
    def are_short(self) -> bool:
        """Whether the items are short enough for `cells` to be faster."""
        return len(self.data) < _SHORT * len(self.lengths)

    def each(self) -> list[bytes]:
        """Return the bytes of each item."""
        ends = (self.begins + self.lengths).tolist()
        return [self.data[begin:end] for begin, end in zip(self.begins.tolist(), ends, strict=True)]

    def cells(self) -> tuple[Array, list[int]]:
        """Return the items as byte strings of one length, and the positions of those too long or ending in 0.

        The cells of the latter are empty, as a truncated item could end inside a character. The cells take
        at most twice the memory of the items plus 16 bytes each.
        """
        count = len(self.lengths)
        limit = min(int(self.lengths.max()), 16 + 2 * len(self.data) // count)
        limit = max(limit, 1)
        padded = np.frombuffer(self.data + bytes(limit), np.uint8)
        # A cell at each byte, of which those at the items' starts are selected.
        windows: Array = np.ndarray((len(self.data) + 1,), f"S{limit}", padded, strides=(1,))
        cells = windows[self.begins]
        grid = cells.view(np.uint8).reshape(count, limit)
        grid[np.arange(limit) >= self.lengths[:, None]] = 0
        last = padded[self.begins + np.maximum(self.lengths, 1) - 1]
        odd = np.flatnonzero((self.lengths > limit) | ((last == 0) & (self.lengths > 0)))
        grid[odd] = 0
        return cells, odd.tolist()


def parse_items(data: Data, shape: tuple[int, ...]) -> Items:
    r"""Parse the items of a chunk of `shape`; raise CodecError if their number or size doesn't match.

    >>> items = parse_items(b"\2\0\0\0" + b"\1\0\0\0a" + b"\2\0\0\0bc", (2,))
    >>> items[0], items[1]
    (b'a', b'bc')
    """
    raw = bytes(data)
    count = math.prod(shape)
    if len(raw) < 4:
        raise CodecError(f"truncated: expected the number of items in 4 bytes, found {len(raw)}")
    (found,) = _NUMBER.unpack_from(raw)
    if found != count:
        raise CodecError(f"expected {count_of(count, 'item')}, found {found}")
    if len(raw) < 4 + 4 * count:
        raise CodecError(f"truncated: {count} items take at least {4 + 4 * count} bytes, found {len(raw)}")
    made = _short(raw, count) or _any(raw, shape)
    end = int(made.begins[-1] + made.lengths[-1]) if count else 4
    if end != len(raw):
        raise CodecError(f"trailing bytes: the items end at byte {end} of {len(raw)}")
    return made


def _short(raw: bytes, count: int) -> Items | None:
    """Return the items if all have fewer than 256 bytes, so that one byte of each length suffices."""
    places = [0] * count
    place = 4
    try:
        for index in range(count):
            places[index] = place
            place += 4 + raw[place]
    except IndexError:
        return None
    if place > len(raw):
        return None
    starts = np.array(places, np.int64)
    numbers: Array = np.ndarray((len(raw) - 3,), "<u4", raw, strides=(1,))
    lengths = numbers[starts].astype(np.int64)
    ends = np.append(starts[1:], place) if count else starts
    return Items(raw, starts + 4, lengths) if np.array_equal(starts + 4 + lengths, ends) else None


def _any(raw: bytes, shape: tuple[int, ...]) -> Items:
    count = math.prod(shape)
    begins: list[int] = []
    lengths: list[int] = []
    place, end = 4, len(raw)
    read = _NUMBER.unpack_from
    for index in range(count):
        if place + 4 > end:
            where = place_of(index, shape)
            raise CodecError(f"truncated: no length for the item at {where}: the data ends at byte {end}")
        (length,) = read(raw, place)
        place += 4
        if place + length > end:
            where = place_of(index, shape)
            raise CodecError(
                f"truncated: the item at {where} has {length} bytes, but only {end - place} are left"
            )
        begins.append(place)
        lengths.append(length)
        place += length
    return Items(raw, np.array(begins, np.int64), np.array(lengths, np.int64))


def place_of(index: int, shape: tuple[int, ...]) -> str:
    """Return the position of the element with flat index `index` in a chunk of `shape`.

    >>> place_of(5, (2, 3))
    '(1, 2)'
    """
    return f"({', '.join(str(int(number)) for number in np.unravel_index(index, shape))})" if shape else "()"


def join_items(payload: bytes, lengths: Sequence[int], shape: tuple[int, ...]) -> Data:
    r"""Encode the items that are consecutive in `payload` as a chunk.

    >>> bytes(join_items(b"abc", [1, 2], (2,)))
    b'\x02\x00\x00\x00\x01\x00\x00\x00a\x02\x00\x00\x00bc'
    """
    count = len(lengths)
    sizes = np.fromiter(lengths, np.int64, count)
    longest = int(sizes.argmax()) if count else 0
    if count > _MOST or (count and sizes[longest] > _MOST):
        where = f" at {place_of(longest, shape)}" if count <= _MOST else ""
        raise CodecError(f"expected at most {_MOST} items of at most as many bytes each, found more{where}")
    made = bytearray(4 + 4 * count + len(payload))
    _NUMBER.pack_into(made, 0, count)
    if count:
        whole = np.frombuffer(made, np.uint8)
        heads = 4 + 4 * np.arange(count) + np.cumsum(sizes) - sizes
        free = np.ones(len(made), np.bool_)
        free[:4] = False
        places = (heads[:, None] + np.arange(4)).reshape(-1)
        free[places] = False
        whole[places] = sizes.astype("<u4").view(np.uint8)
        whole[free] = np.frombuffer(payload, np.uint8)
    return made


def as_bytes(items: Items, shape: tuple[int, ...]) -> Array:
    r"""Return the items in an object array of `shape`.

    >>> as_bytes(parse_items(b"\1\0\0\0\2\0\0\0ab", (1,)), (1,)).tolist()
    [b'ab']
    """
    count = len(items.lengths)
    made = np.empty(count, np.object_)
    if items.are_short and count:
        cells, odd = items.cells()
        made[...] = cells
        for index in odd:
            made[index] = items[index]
    elif count:
        made[...] = np.fromiter(items.each(), np.object_, count)
    return made.reshape(shape)


def as_text(items: Items, shape: tuple[int, ...]) -> Array:
    r"""Return the items as text in an array of `shape`; raise CodecError if one is not UTF-8.

    >>> as_text(parse_items(b"\1\0\0\0\2\0\0\0ab", (1,)), (1,)).tolist()
    ['ab']
    """
    count = len(items.lengths)
    made: Array = np.empty(count, np.dtypes.StringDType())
    if items.are_short and count:
        _check_together(items, shape)
        cells, odd = items.cells()
        made[...] = cells
        for index in odd:
            made[index] = str(items[index], "utf-8")
    elif count:
        try:
            # Not from a list: numpy would first allocate the longest length for each item.
            each = (str(item, "utf-8") for item in items.each())
            made = np.fromiter(each, np.object_, count).astype(made.dtype)
        except UnicodeDecodeError as cause:
            raise _no_text(items, shape) from cause
    return made.reshape(shape)


def _check_together(items: Items, shape: tuple[int, ...]) -> None:
    raw = np.frombuffer(items.data, np.uint8)
    inside = np.ones(len(raw), np.bool_)
    inside[:4] = False
    inside[((items.begins - 4)[:, None] + np.arange(4)).reshape(-1)] = False
    text = raw[inside].tobytes()
    if text.isascii():
        return
    first = raw[items.begins[items.lengths > 0]]
    try:
        # If all text together is UTF-8 and no item begins inside a character, each item is UTF-8.
        text.decode()
        right = not ((first & 0xC0) == 0x80).any()
    except UnicodeDecodeError:
        right = False
    if not right:
        raise _no_text(items, shape)


def _no_text(items: Items, shape: tuple[int, ...]) -> CodecError:
    for index, item in enumerate(items.each()):
        try:
            str(item, "utf-8")
        except UnicodeDecodeError as cause:
            where = place_of(index, shape)
            byte = int(items.begins[index]) + cause.start
            return CodecError(
                f"the text at {where} is not UTF-8: {cause.reason}, at byte {byte} of the chunk"
            )
    return CodecError("the text is not UTF-8")
