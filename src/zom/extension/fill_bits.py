"""Tests whether a chunk holds only its fill value, so that it need not be stored.

Bits are compared, not values: a NaN with another payload is not the fill value NaN, and -0.0 is not 0.0.
Python objects and text have no fixed bits; they are compared as values.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from zom.extension.raw import byte_view
from zom.numpy_later import np

if TYPE_CHECKING:
    from zom.extension.bound import Array, Block

__all__ = ["FillTest", "fill_cell", "is_fill"]

# Bytes per comparison: they stay in the processor's cache, and copying them costs less than a view.
_SPAN = 1 << 16

# Types whose equal values are identical; floats and lists may differ: 0.0 and -0.0, [1] and [True].
_EXACT = (str, bytes, int, bool, type(None))


class _Cells(NamedTuple):
    """The facts that a test needs, without a block."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fill: Any


class FillTest:
    """Test arrays of one type: whether every element is the fill value.

    >>> import zom.dtypes
    >>> from zom.extension.bound import Block
    >>> from zom.extension.resolve import data_type
    >>> empty = FillTest(Block((2,), data_type("float32"), np.float32(0)))
    >>> empty(np.zeros(2, "f4")), empty(np.array([0.0, -0.0], "f4"))
    (True, False)
    """

    __slots__ = ("_dtype", "_item", "_tile", "cell")

    def __init__(self, block: Block | _Cells) -> None:
        self.cell = fill_cell(block.dtype, block.fill)
        """The fill value as an array without dimensions; assigning from it preserves all bits."""
        self._dtype = block.dtype
        self._item = b"" if block.dtype.hasobject else self.cell.tobytes()
        width = len(self._item)
        nbytes = min(_SPAN, math.prod(block.shape) * width)
        self._tile = self._item * max(1, nbytes // width) if width else b""

    def __call__(self, array: Array) -> bool:
        """Whether all elements of `array`, of any shape, are the fill value."""
        if not array.size:
            return True
        if self._dtype.hasobject:
            return _equals(array, self.cell)
        if array.dtype != self._dtype:
            array = array.astype(self._dtype)
        if array[(slice(0, 1),) * array.ndim].tobytes() != self._item:
            return False
        return self._all(array)

    def _all(self, array: Array) -> bool:
        """Compare all elements, without the quick check of the first one."""
        if array.flags.c_contiguous:
            return self._memory(byte_view(array))
        if array.flags.f_contiguous:
            return self._memory(byte_view(array.T))
        if 0 in array.strides:
            # Compare broadcast elements once.
            once = tuple(slice(None) if stride else slice(0, 1) for stride in array.strides)
            array = array[once]
        tile = self._tile
        rows = len(array)
        width = array.nbytes // rows
        if width > len(tile):
            return all(self._all(row) for row in array)
        step = len(tile) // width
        for start in range(0, rows, step):
            part = array[start : start + step].tobytes()
            if part != tile[: len(part)]:
                return False
        return True

    def _memory(self, data: memoryview) -> bool:
        tile = self._tile
        step = len(tile)
        rest = len(data) % step if step else 0
        for start in range(0, len(data) - rest, step or 1):
            if bytes(data[start : start + step]) != tile:
                return False
        return not rest or bytes(data[-rest:]) == tile[:rest]


def fill_cell(dtype: np.dtype[Any], fill: Any) -> Array:
    """Return the fill value as an array without dimensions, with all its bits.

    >>> fill_cell(np.dtype("i2"), 7)
    array(7, dtype=int16)
    """
    cell = np.zeros((), dtype)
    cell[()] = fill
    return cell


def is_fill(array: Array, fill: Any) -> bool:
    """Whether all elements of `array` are `fill`, bit for bit.

    For many arrays of one type, create a `FillTest` once.

    >>> is_fill(np.full(3, np.nan), np.nan), is_fill(np.full(3, -0.0), 0.0)
    (True, False)
    """
    return FillTest(_Cells(array.shape, array.dtype, fill))(array)


def _equals(array: Array, cell: Array) -> bool:
    fill: object = cell.item()
    if array.dtype.kind == "T":
        return bool(array.flat[0] == fill) and bool((array == fill).all())
    kind = type(fill)
    exact = kind in _EXACT
    return all(item is fill or (exact and type(item) is kind and item == fill) for item in array.flat)
