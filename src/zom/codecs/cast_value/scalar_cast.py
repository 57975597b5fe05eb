"""Scalar casts: one number to another type, as defined by the `cast_value` codec.

https://github.com/zarr-developers/zarr-extensions/blob/main/codecs/cast_value/README.md, Procedure:
first exact representation, then rounding, then the range. "NaT ... is treated as `NaN`": it becomes NaN
or NaT, but no integer.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from zom.codecs.cast_value.number_form import NAT, FloatForm, number_form
from zom.numpy_later import np

if TYPE_CHECKING:
    from zom.codecs.cast_value.number_form import IntegerForm
    from zom.extension.datatype import DataType

__all__ = ["OutOfRange", "Rounding", "cast_scalar", "number", "round_fraction", "same_scalar"]

Rounding: TypeAlias = Literal[
    "nearest-even", "towards-zero", "towards-positive", "towards-negative", "nearest-away"
]
"""How to round a number that the target type can't represent."""

OutOfRange: TypeAlias = Literal["clamp", "wrap"]
"""How to handle a number outside the target type's range."""


def number(scalar: Any) -> int | float | None:
    """Return `scalar` as an exact Python number; None if it isn't a real number or its type is not installed.

    >>> number(np.int16(-3)), number(np.float32(0.5)), number(np.void(b"x"))
    (-3, 0.5, None)
    """
    if isinstance(scalar, (np.datetime64, np.timedelta64)):
        ticks = int(scalar.astype(np.int64))
        return math.nan if ticks == NAT else ticks
    if isinstance(scalar, (np.void, np.bytes_, np.str_, np.complexfloating)):
        return None
    if isinstance(scalar, int):
        return scalar
    # int4 of ml_dtypes is not an np.integer, but its values are integers.
    if "int" in type(scalar).__name__:
        return int(scalar)
    try:
        return float(scalar)
    except (TypeError, ValueError):
        return None


def same_scalar(left: Any, right: Any) -> bool:
    """Whether two scalars are the same number; NaN equals NaN.

    >>> same_scalar(np.float32("nan"), float("nan")), same_scalar(1, np.float64(1.5))
    (True, False)
    """
    one, other = number(left), number(right)
    if one is None or other is None:
        return False
    if one != one or other != other:  # noqa: PLR0124 - NaN
        return one != one and other != other  # noqa: PLR0124
    return one == other


def cast_scalar(
    value: float, target: DataType, rounding: Rounding, out_of_range: OutOfRange | None
) -> int | float | None:
    """Cast `value` to a number of `target`; return None if the cast must fail.

    >>> import zom.dtypes
    >>> from zom.extension.resolve import parse_v3
    >>> cast_scalar(2.5, parse_v3("int8", [], ()), "nearest-even", None)
    2
    >>> cast_scalar(128.0, parse_v3("int8", [], ()), "nearest-even", "wrap")
    -128
    >>> cast_scalar(128.0, parse_v3("int8", [], ()), "nearest-even", None)
    """
    form = number_form(target)
    if form is None:
        return None
    if isinstance(form, FloatForm):
        return _to_float(value, form, rounding, out_of_range)
    return _to_integer(value, form, rounding, out_of_range)


def _to_integer(
    value: float, form: IntegerForm, rounding: Rounding, out_of_range: OutOfRange | None
) -> int | None:
    if not math.isfinite(value):
        return NAT if form.time and math.isnan(value) else None
    whole = round_fraction(Fraction(value), rounding)
    low, high = form.low, form.high
    if low <= whole <= high:
        return whole
    if out_of_range == "clamp":
        return low if whole < low else high
    if out_of_range == "wrap":
        start = NAT if form.time else low
        wrapped = (whole - start) % (1 << form.bits) + start
        # A result that would be NaT is not a number.
        return wrapped if wrapped >= low else None
    return None


def round_fraction(value: Fraction, rounding: Rounding) -> int:
    """Round `value` to an integer.

    >>> round_fraction(Fraction(5, 2), "nearest-away")
    3
    """
    if rounding == "nearest-even":
        return round(value)
    if rounding == "towards-zero":
        return math.trunc(value)
    if rounding == "towards-positive":
        return math.ceil(value)
    if rounding == "towards-negative":
        return math.floor(value)
    away = math.floor(abs(value) + Fraction(1, 2))
    return away if value >= 0 else -away


def _to_float(
    value: float, form: FloatForm, rounding: Rounding, out_of_range: OutOfRange | None
) -> float | None:
    if not math.isfinite(value):
        # NaN and the infinities pass unchanged to a type that has them, and to no other.
        has = form.nan is not None if math.isnan(value) else form.infinite
        return float(value) if has else None
    exact = Fraction(value)
    step = _step(exact, form)
    ratio = exact / step
    # Ties between two powers of two go to the lower one.
    tie_down = form.powers and ratio == Fraction(3, 2)
    nearest = (1 if tie_down else round(ratio)) * step
    if not form.least <= nearest <= form.largest or (form.powers and nearest <= 0):
        if out_of_range != "clamp":
            return None
        if form.infinite:
            return math.copysign(math.inf, value)
        return form.least if value < form.largest else form.largest
    made = nearest if rounding == "nearest-even" else round_fraction(ratio, rounding) * step
    if not form.least <= made <= form.largest:
        made = nearest
    return math.copysign(float(made), value)


def _step(value: Fraction, form: FloatForm) -> Fraction:
    """Return the distance between the numbers of the type around `value`."""
    size = abs(value)
    power = size.numerator.bit_length() - size.denominator.bit_length()
    power -= size < Fraction(2) ** power
    if not form.powers:
        power = max(power, form.lowest + form.digits)
    return Fraction(2) ** (power - form.digits)
