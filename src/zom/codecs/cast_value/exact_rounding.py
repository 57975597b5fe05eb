"""Arrays of numbers rounded exactly once: to integers, and to floats with fewer digits.

A float is divided by the distance between the shorter floats around it. This distance is a power of two,
so the division is exact, and rounding becomes rounding to an integer, in any mode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.numpy_later import np

if TYPE_CHECKING:
    from zom.codecs.cast_value.number_form import FloatForm
    from zom.codecs.cast_value.scalar_cast import OutOfRange, Rounding
    from zom.extension.bound import Array

__all__ = ["integers_to_double", "rounded", "shortened", "sticky_double"]


def rounded(values: Array, rounding: Rounding) -> Array:
    """Round floats to integers, as floats.

    >>> rounded(np.array([-2.5, 0.5, 0.49999999999999994]), "nearest-away").tolist()
    [-3.0, 1.0, 0.0]
    """
    if rounding == "nearest-even":
        return np.rint(values)
    if rounding == "towards-zero":
        return np.trunc(values)
    if rounding == "towards-positive":
        return np.ceil(values)
    if rounding == "towards-negative":
        return np.floor(values)
    whole = np.trunc(values)
    # Adding 0.5 first would itself round.
    return np.where(np.abs(values - whole) >= 0.5, whole + np.copysign(1.0, values), whole)


def shortened(
    values: Array, form: FloatForm, rounding: Rounding, out_of_range: OutOfRange | None
) -> tuple[Array, Array]:
    """Round doubles to the numbers of a shorter type, still as doubles; also return which it can't represent.

    >>> from zom.codecs.cast_value.number_form import FloatForm
    >>> few = FloatForm(digits=1, lowest=-1, largest=6.0, least=-6.0, infinite=False, nan=None)
    >>> [part.tolist() for part in shortened(np.array([2.4, 2.5, 9.0]), few, "nearest-even", None)]
    [[2.0, 2.0, 8.0], [False, False, True]]
    """
    finite = np.isfinite(values)
    plain = values if finite.all() else np.where(finite, values, 1.0)
    power: Any = np.frexp(plain)[1] - 1
    if not form.powers:
        power = np.maximum(power, form.lowest + form.digits)
    power -= form.digits
    ratio = _scaled(plain, -power)
    nearest = np.rint(ratio)
    if form.powers:
        # Ties between two powers of two go to the lower one.
        nearest = np.where(ratio == 1.5, 1.0, nearest)
    near = _scaled(nearest, power)
    outside = (near < form.least) | (near > form.largest)
    if rounding == "nearest-even":
        made = near
    else:
        made = _scaled(rounded(ratio, rounding), power)
        made = np.where((made < form.least) | (made > form.largest), near, made)
    made = np.copysign(made, plain)
    if out_of_range == "clamp" and outside.any():
        made = np.where(outside, _limits(plain, form), made)
        outside[...] = False
    if plain is not values:
        made = np.where(finite, made, values)
        held = np.where(np.isnan(values), form.nan is not None, form.infinite)
        outside = np.where(finite, outside, ~held)
    return made, outside


def _scaled(values: Array, power: Array) -> Array:
    # A result that becomes infinite is also too large for a shorter type.
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(values, power)


def _limits(values: Array, form: FloatForm) -> Array:
    if form.infinite:
        return np.copysign(np.inf, values)
    return np.where(values < form.largest, form.least, form.largest)


def sticky_double(values: Array) -> Array:
    """Convert 64-bit integers to doubles that round to any shorter float like the integers themselves.

    One sticky bit represents all bits beyond the digits of a double: it is set if any of them is.

    >>> float(sticky_double(np.array([2**62 + 1]))[0]) == 2.0**62 + 2**12
    True
    """
    size = _magnitude(values)
    rest = size & np.uint64(0xFFF)
    short = (size ^ rest) | ((rest != 0).astype(np.uint64) << np.uint64(12))
    made = np.where(size >> np.uint64(53), short, size).astype(np.float64)
    return np.where(values < 0, -made, made)


def integers_to_double(values: Array, rounding: Rounding) -> Array:
    """Convert 64-bit integers to doubles.

    >>> integers_to_double(np.array([2**53 + 1]), "towards-positive").tolist()
    [9007199254740994.0]
    """
    if rounding == "nearest-even":
        return values.astype(np.float64)
    size = _magnitude(values)
    # The upper 53 of 64 bits are exact as a double, so its exponent gives the bit length.
    length: Any = np.frexp((size >> np.uint64(11)).astype(np.float64))[1] + 11
    shift = np.maximum(length - 53, 0).astype(np.uint64)
    low = (size >> shift) << shift
    rest = size - low
    negative = values < 0
    if rounding == "nearest-away":
        up = (rest << np.uint64(1)) >> shift != 0
    elif rounding == "towards-positive":
        up = (rest != 0) & ~negative
    elif rounding == "towards-negative":
        up = (rest != 0) & negative
    else:
        up = np.zeros(size.shape, np.bool_)
    step: Array = np.ldexp(1.0, shift.astype(np.int64))
    made: Array = low.astype(np.float64) + np.where(up, step, 0.0)
    return np.where(negative, -made, made)


def _magnitude(values: Array) -> Array:
    if values.dtype.kind == "u":
        return values.astype(np.uint64)
    bits = values.astype(np.int64).view(np.uint64)
    return np.where(values < 0, ~bits + np.uint64(1), bits)
