r"""Small containers of one layout, joined into one container that c-blosc decodes in one call.

https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst
A container has a table of block starts, and blocks are independent. So the joined container holds the
originals unchanged, after a table of all their blocks. One call for many takes two thirds of the time or
less, and acquires the GIL only once.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple

from zom.codecs.blosc.container import HEADER, SIZE, STORED, Layout, layout_of
from zom.errors import CodecError
from zom.numpy_later import np

if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from zom.extension.bound import Data
    from zom.extension.pieces import Pieces

    _Bytes: TypeAlias = "np.ndarray[Any, np.dtype[np.uint8]]"
    _Numbers: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
    _Unaligned: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.uint32]]"
    _Booleans: TypeAlias = "np.ndarray[Any, np.dtype[np.bool]]"

__all__ = ["Joined", "joined"]

_STORED: Final = STORED << 16
"""The flag within the first of the four numbers of a header."""
_NUMBERS: Final = Struct("<4I")
_MOST: Final = 2**31 - 1 - SIZE


class Joined(NamedTuple):
    """Valid containers of equal decoded size."""

    data: _Bytes
    """One container of all compressed ones, in order."""
    inner: str
    """The inner format; "" if none is compressed."""
    is_stored: _Booleans
    """Which of the containers are uncompressed; their blocks are not in the table."""
    stored: _Numbers
    """The starts of the bytes of uncompressed containers in `data`."""


def joined(pieces: Pieces, nbytes: int) -> Joined | None:
    r"""Join `pieces` if all are valid, have one layout and hold `nbytes` bytes each.

    Return None otherwise; the caller must then handle each piece alone.

    >>> from zom.extension.pieces import Pieces
    >>> pieces = Pieces.of([b"\2\1\2\1" + b"\3\0\0\0" * 2 + b"\x13\0\0\0" + b"abc"] * 2)
    >>> both = joined(pieces, 3)
    >>> [both.data[start : start + 3].tobytes() for start in both.stored]
    [b'abc', b'abc']
    """
    lengths = pieces.lengths
    layout = _layout(pieces[0], nbytes) if int(lengths.min()) >= SIZE else None
    if layout is None:
        return None
    room = SIZE + 4 * layout.blocks * len(pieces)
    size = room + len(pieces.data)
    if max(size, nbytes * len(pieces)) > _MOST:
        return None
    data = np.empty(size, np.uint8)
    data[room:] = np.frombuffer(pieces.data, np.uint8)
    starts = pieces.starts + room
    # A number at each byte, because blocks and splits are not aligned.
    numbers: _Unaligned = np.ndarray((size - 3,), "<u4", data, strides=(1,))
    heads = numbers[starts[:, None] + (0, 4, 8, 12)]
    is_stored = (heads[:, 0] & _STORED) != 0
    heads[:, 0] |= _STORED
    if (heads[:, :3] != heads[0, :3]).any() or (heads[:, 3] != lengths).any():
        return None
    if is_stored.any():
        if (lengths[is_stored] != nbytes + SIZE).any():
            return None
        blocks = _blocks(numbers, starts[~is_stored], lengths[~is_stored], layout)
    else:
        blocks = _blocks(numbers, starts, lengths, layout)
    if blocks is None:
        return None
    count = len(blocks)
    first, _, blocksize, _ = heads[0].tolist()
    _NUMBERS.pack_into(data.data, 0, first & ~_STORED, count * nbytes, blocksize, size)
    data[SIZE : SIZE + 4 * blocks.size] = blocks.astype("<u4").reshape(-1).view(np.uint8)
    return Joined(data, layout.inner if count else "", is_stored, starts[is_stored] + SIZE)


def _layout(container: Data, nbytes: int) -> Layout | None:
    """Return the layout as if compressed; None if it is invalid or the last block is shorter."""
    version, inner, flags, *sizes, _ = HEADER.unpack_from(container)
    try:
        layout = layout_of((version, inner, flags & ~STORED, *sizes), nbytes, nbytes)
    except CodecError:
        return None
    return layout if layout.inner and layout.full == layout.blocks else None


def _blocks(numbers: _Unaligned, starts: _Numbers, lengths: _Numbers, layout: Layout) -> _Numbers | None:
    """Return the block starts of the containers at `starts`, or None if a block leaves its container."""
    corner = starts[:, None]
    try:
        blocks: _Numbers = corner + numbers[corner + np.arange(SIZE, layout.first, 4)]
        places = blocks.copy()
        for _ in range(layout.splits):
            places += numbers[places]
            places += 4
    except IndexError:
        return None
    # Places only increase from one split to the next.
    if (blocks < corner + layout.first).any() or (places > (starts + lengths)[:, None]).any():
        return None
    return blocks
