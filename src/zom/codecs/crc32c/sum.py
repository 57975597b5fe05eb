"""CRC-32C (Castagnoli): the checksum of iSCSI, RFC 3720 section 12.1.

It is linear: the sum of a block is the exclusive or of the contributions of each byte at its position.
Without a compiled function, numpy looks up all bytes of a block at once.
"""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from zom.interpreter_lock import has_lock
from zom.numpy_later import np
from zom.packages import import_package

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.extension.bound import Data

__all__ = ["crc32c_function", "sum_by_tables"]

_POLYNOMIAL: Final = 0x82F63B78
"""The polynomial of the sum, bit-reversed."""

_BITS: Final = 0xFFFFFFFF

_BLOCK: Final = 1024
"""The bytes looked up at once; the tables take as many KiB."""

_MANY: Final = 64
"""The blocks looked up before their sums are combined, to limit memory."""


@lru_cache(maxsize=1)
def crc32c_function() -> Callable[[Data], int]:
    r"""Return the checksum function: with the processor's own instruction if available, or with tables.

    >>> hex(crc32c_function()(b"123456789"))
    '0xe3069283'
    """
    # On free-threaded Python, importing google-crc32c re-enables the GIL for all threads, permanently.
    compiled = _compiled() if has_lock() else None
    if compiled is None:
        return sum_by_tables

    def of_any(data: Data) -> int:
        # It accepts bytes and arrays, but no views.
        return compiled(data if type(data) is bytes else np.frombuffer(data, np.uint8))

    return of_any


def _compiled() -> Callable[[Any], int] | None:
    """Return google-crc32c's function; None if it isn't compiled, as its Python version is slower still."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            module = import_package("google_crc32c")
        except ImportError:  # not available for WebAssembly
            return None
    return None if module.implementation == "python" else module.value


def sum_by_tables(data: Data) -> int:
    r"""Return the sum, calculated by numpy at some hundred megabytes per second.

    >>> hex(sum_by_tables(b"123456789"))
    '0xe3069283'
    """
    values = np.frombuffer(data, np.uint8)
    if values.size < 4:
        return _sum_of_few(bytes(data))
    # The sum starts with all bits set, which equals inverting the first four bytes. Zeros before them then
    # change nothing, so the bytes that don't fill a block are the end of one.
    lead = values.size % _BLOCK
    if lead < 4:
        lead = min(lead + _BLOCK, values.size)
    head = np.zeros(-(-lead // _BLOCK) * _BLOCK, np.uint8)
    begin = head[-lead:]
    begin[:] = values[:lead]
    begin[:4] ^= 0xFF
    return _folded(values[lead:], _folded(head, 0)) ^ _BITS


def _folded(values: np.ndarray[Any, np.dtype[np.uint8]], known: int) -> int:
    """Continue the sum `known` over whole blocks."""
    tables, rows, first, second, third, fourth = _tables()
    blocks = values.reshape(-1, _BLOCK)
    for start in range(0, len(blocks), _MANY):
        found = tables.take(blocks[start : start + _MANY] + rows)
        for each in np.bitwise_xor.reduce(found, axis=1).tolist():
            known = (
                first[known & 255]
                ^ second[known >> 8 & 255]
                ^ third[known >> 16 & 255]
                ^ fourth[known >> 24]
                ^ each
            )
    return known


@lru_cache(maxsize=1)
def _tables() -> tuple[Any, Any, list[int], list[int], list[int], list[int]]:
    """Return the tables of all block positions as one array, their starts, and the first four as lists."""
    made = np.empty((_BLOCK, 256), np.uint32)
    made[-1] = np.arange(256)
    for _ in range(8):
        made[-1] = (made[-1] >> 1) ^ np.where(made[-1] & 1, _POLYNOMIAL, 0).astype(np.uint32)
    for place in range(_BLOCK - 1, 0, -1):
        made[place - 1] = made[-1].take(made[place] & 255) ^ (made[place] >> 8)
    first, second, third, fourth = made[:4].tolist()
    return made.ravel(), np.arange(_BLOCK) * 256, first, second, third, fourth


def _sum_of_few(data: bytes) -> int:
    table, known = _tables()[0][-256:].tolist(), _BITS
    for each in data:
        known = table[(known ^ each) & 255] ^ known >> 8
    return known ^ _BITS
