"""CRC-32C (Castagnoli): the sum of iSCSI, RFC 3720 section 12.1, over bytes.

The package google-crc32c uses the processor's own instruction; it is taken where it is installed. Without
it numpy does the work, of which there is little, for this reason: bytes are a polynomial over GF(2), the sum
is its remainder, and one relation holds between powers of x modulo the polynomial of this sum:

    x^(8·5685) = x^(8·1362) + x^(8·426) + 1

So a byte may be taken away at one place if it is added (xor) at three places behind it, and that goes for
thousands of bytes at once. Squaring both sides doubles all distances, so the front of a long piece goes in a
few strides. What is left, 5,696 bytes at most, is looked up, each byte in a table for its place.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.extension.bound import Data

Bytes: TypeAlias = "np.ndarray[Any, np.dtype[np.uint8]]"
Registers: TypeAlias = "np.ndarray[Any, np.dtype[np.uint32]]"
Places: TypeAlias = "np.ndarray[Any, np.dtype[np.intp]]"

__all__ = ["crc32c_function", "crc32c_in_numpy"]

_POLYNOMIAL = 0x82F63B78
"""x^32 + ..., its lowest bit the coefficient of x^31, as in all tables of a reflected sum."""
_ONES = 0xFFFFFFFF

_SPAN, _MIDDLE, _NEAR = 5685, 1362, 426
"""The exponents of the relation above, in bytes."""
_SHIFTS = (_SPAN - _MIDDLE, _SPAN - _NEAR, _SPAN)
"""How far behind it a byte is added."""
_ROW = 64
_LEFT = 89 * _ROW
"""The bytes that are looked up; no fewer than the span."""
_PIECE = 1 << 20
"""The bytes that are folded at a time: what a cache close to the processor holds."""
_FEW = 24
"""So few bytes that a loop is done sooner than numpy is called."""


@lru_cache(maxsize=1)
def crc32c_function() -> Callable[[Data], int]:
    r"""The fastest function there is for the sum.

    >>> hex(crc32c_function()(b"123456789"))
    '0xe3069283'
    """
    try:
        package: Any = import_module("google_crc32c")
    except ImportError:
        return crc32c_in_numpy
    if package.implementation != "c":
        return crc32c_in_numpy
    value: Callable[[Any], int] = package.value

    def of_any(data: Data) -> int:
        # It takes bytes, and arrays, but no views.
        return value(data if type(data) is bytes else np.frombuffer(data, np.uint8))

    return of_any


def crc32c_in_numpy(data: Data) -> int:
    r"""The sum, by numpy.

    >>> hex(crc32c_in_numpy(bytes(32)))
    '0x8a9136aa'
    """
    view = np.frombuffer(data, np.uint8)
    register = _ONES
    for start in range(0, view.size, _PIECE):
        register = _after(register, view[start : start + _PIECE])
    return register ^ _ONES


def _after(register: int, piece: Bytes) -> int:
    """What `register` becomes when `piece` goes through it."""
    size = piece.size
    if size <= _FEW:
        single = _tables().single
        for byte in piece.tobytes():
            register = single[(register ^ byte) & 255] ^ (register >> 8)
        return register
    # A register is the same as its four bytes added to the first four; zeros before them change nothing.
    start = -size % _ROW if size < _LEFT else 0
    room = np.empty(start + size, np.uint8)
    room[:start] = 0
    room[start:] = piece
    room[start : start + 4] ^= np.frombuffer(register.to_bytes(4, "little"), np.uint8)
    if size > _LEFT:
        _fold(room)
        room = room[-_LEFT:]
    return _look_up(room)


def _fold(room: Bytes) -> None:
    """Bring all of `room` into its last `_LEFT` bytes; what stands before them has no meaning then."""
    start, size = 0, room.size
    scale = 1 << (max(1, size // _SPAN).bit_length() - 1)
    while scale:
        leave = max(_SPAN * scale, _LEFT)
        while size - start > leave:
            length = min(size - start - leave, _SHIFTS[0] * scale)
            front = room[start : start + length]
            for shift in _SHIFTS:
                place = room[start + shift * scale : start + shift * scale + length]
                np.bitwise_xor(place, front, out=place)
            start += length
        scale >>= 1


def _look_up(room: Bytes) -> int:
    """The register after `room`, some rows of bytes, when it was zero before."""
    tables = _tables()
    index: Places = room.reshape(-1, _ROW).T.astype(np.intp)
    index += tables.in_row
    added: Registers = tables.of_row.take(index)
    rows = np.bitwise_xor.reduce(added, axis=0)
    last = int(rows[-1])
    if rows.size == 1:
        return last
    index = rows[:-1].astype("<u4").view(np.uint8).astype(np.intp)
    index += tables.in_rows[-index.size :]
    return last ^ int(np.bitwise_xor.reduce(tables.of_rows.take(index)))


class _Tables(NamedTuple):
    """What each byte at each place adds to the register."""

    single: list[int]
    """By the value of the byte that comes last."""
    of_row: Registers
    """By place in a row, and value."""
    in_row: Places
    """Where in `of_row` the places are; a column."""
    of_rows: Registers
    """By row, all but the last; by byte of the register after that row; and value."""
    in_rows: Places
    """Where in `of_rows` the bytes of the rows' registers are."""


@lru_cache(maxsize=1)
def _tables() -> _Tables:
    single: Registers = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        single = _registers((single >> 1) ^ np.where(single & 1, _POLYNOMIAL, 0))
    behind = [single]  # by the number of bytes that follow
    while len(behind) < _ROW:
        behind.append(_registers(single[behind[-1] & 255] ^ (behind[-1] >> 8)))
    # A register before k bytes is the same as its bytes before k - 4.
    register = [behind[_ROW - 1 - k] for k in range(4)]
    rows = [np.stack(register)]
    while len(rows) < _LEFT // _ROW - 1:
        parts: list[Registers] = [register[k][(rows[-1] >> (8 * k)) & 255] for k in range(4)]
        rows.append(_registers(np.bitwise_xor.reduce(parts)))
    places = 4 * len(rows)
    return _Tables(
        single.tolist(),
        np.concatenate(behind[::-1]),
        (np.arange(_ROW, dtype=np.intp) * 256)[:, None],
        np.concatenate(rows[::-1]).reshape(-1),
        np.arange(places, dtype=np.intp) * 256,
    )


def _registers(values: Any) -> Registers:
    return np.asarray(values, np.uint32)
