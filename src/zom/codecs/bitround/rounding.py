"""Rounding of numbers to fewer bits for `bitround`.

Floats are rounded to the nearest pattern with trailing zeros, ties to even, as in numcodecs, with one
difference: in numcodecs the carry of the rounding turns some NaNs into infinity or -0.0; here such NaNs
are unchanged. Integers keep their highest bits. For negative numbers the bits of the magnitude count: in
two's complement the highest set bit is the sign, and -1 would become a very different number. Values that
would leave the range of the type are rounded towards zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.extension.bound import Coder
from zom.extension.complex_parts import has_parts
from zom.extension.element_memory import reordered
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.codecs.cast_value.number_form import FloatForm
    from zom.extension.bound import Array

__all__ = ["BitRounding", "round_floats", "round_integers"]


def _unsigned(size: int) -> Any:
    """Return the unsigned integer type of `size` bytes."""
    return np.dtype(f"u{size}").type


class BitRounding(Coder[Any, Any]):
    """Rounds chunks of one type with a function of flat arrays; decoding changes nothing."""

    def __init__(self, dtype: np.dtype[Any], rounding: Callable[[Array], Array]) -> None:
        self._dtype = dtype
        self._rounding = rounding

    def encode(self, chunk: Array) -> Array:
        """Return the rounded numbers."""
        native = chunk if chunk.dtype.isnative else chunk.astype(chunk.dtype.newbyteorder("="))
        made = self._rounding(np.ascontiguousarray(native).reshape(-1)).reshape(chunk.shape)
        return made if made.dtype == self._dtype else reordered(made, self._dtype)

    def decode(self, chunk: Array) -> Array:
        """Return the numbers unchanged."""
        return chunk


def round_floats(values: Array, form: FloatForm, keepbits: int) -> Array:
    """Round floats of native order to `keepbits` bits of mantissa; complex numbers count as two floats.

    >>> from zom.codecs.cast_value.number_form import FloatForm
    >>> form = FloatForm(23, -149, float(np.finfo("f4").max), float(np.finfo("f4").min), True, np.float32("nan"))
    >>> round_floats(np.array([1.3, np.nan], "f4"), form, 2).tolist()
    [1.25, nan]
    """
    drop = form.digits - keepbits
    if drop <= 0:
        return values
    dtype = values.dtype
    part = dtype["real"] if has_parts(dtype) else dtype
    if dtype.kind == "c":
        part = np.dtype(f"f{dtype.itemsize // 2}")
    unsigned = _unsigned(part.itemsize)
    one = unsigned(1)
    top = int(np.array(form.largest, part).view(unsigned)) + form.infinite
    # The sign bit is the one above the largest positive pattern.
    sign = unsigned(1 << top.bit_length())
    patterns = values.view(unsigned)
    size: Array = patterns & (sign - one)
    low = unsigned((1 << drop) - 1)
    made: Array = (size + ((size >> unsigned(drop)) & one) + (low >> one)) & ~low
    absent: Array = size > unsigned(top)
    beyond: Array = (made > unsigned(top)) & ~absent
    if beyond.any():
        made = np.where(beyond, size & ~low, made)
    if absent.any():
        lost: Array = absent & ((made <= unsigned(top)) | (made >= sign))
        made = np.where(lost, size, made)
    signs: Array = patterns & ~(sign - one)
    if form.nan is not None and np.array(form.nan, part).view(unsigned) == sign:
        # In some types the pattern of -0.0 is NaN.
        signs = np.where((made == 0) & (size != 0), unsigned(0), signs)
    made |= signs
    return made.view(dtype)


def round_integers(values: Array, keepbits: int) -> Array:
    """Round integers of native order to `keepbits` bits, counted from the highest set bit.

    >>> round_integers(np.array([100, -100, 127, -1], "i1"), 2).tolist()
    [96, -96, 96, -1]
    """
    dtype = values.dtype
    unsigned = _unsigned(dtype.itemsize)
    one = unsigned(1)
    patterns = values.view(unsigned)
    signed = dtype.kind != "u"
    negative = values.view(f"i{dtype.itemsize}") < 0 if signed else np.zeros(values.shape, np.bool_)
    size = np.where(negative, ~patterns + one, patterns)
    low = _ones(size) >> unsigned(keepbits) if keepbits < 8 * dtype.itemsize else np.zeros_like(size)
    tie = ((size & (low + one)) != 0) & (low != 0)
    made = (size + (low >> one) + tie.astype(unsigned)) & ~low
    most = unsigned((1 << (8 * dtype.itemsize - signed)) - 1)
    made = np.where((made < size & ~low) | (made > most), size & ~low, made)
    result: Array = np.where(negative, ~made + one, made)
    return result.view(dtype)


def _ones(size: Array) -> Array:
    """Return for each number the one with all bits set from its highest set bit down."""
    made = size
    shift = 1
    while shift < 8 * size.dtype.itemsize:
        made = made | made >> size.dtype.type(shift)
        shift *= 2
    return made
