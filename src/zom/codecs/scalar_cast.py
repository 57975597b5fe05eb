"""Scalar casts: one number as a number of another type, as the `cast_value` codec defines it.

https://github.com/zarr-developers/zarr-extensions/blob/main/codecs/cast_value/README.md, Procedure:
first what is exactly representable, then rounding, then what is out of range.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from zom.errors import ZomError

if TYPE_CHECKING:
    from zom.model.datatype import DataType

__all__ = ["OutOfRange", "Rounding", "cast_scalar", "number", "same_scalar"]

Rounding: TypeAlias = Literal[
    "nearest-even", "towards-zero", "towards-positive", "towards-negative", "nearest-away"
]
"""Which neighbour stands for a number that the target type doesn't have."""

OutOfRange: TypeAlias = Literal["clamp", "wrap"]
"""What becomes of a number that is too large for the target type."""

_INTEGER_NAME = re.compile(r"(u?)int(\d+)")


def number(scalar: Any) -> int | float | None:
    """`scalar` as a Python number, exactly; None where it is none, or its type is not installed.

    >>> number(np.int16(-3)), number(np.float32(0.5)), number(np.void(b"x"))
    (-3, 0.5, None)
    """
    if isinstance(scalar, (np.datetime64, np.timedelta64)):
        return int(scalar.astype(np.int64))
    if isinstance(scalar, (np.void, np.bytes_, np.str_, np.complexfloating)):
        return None
    if isinstance(scalar, int):
        return scalar
    # int4 of ml_dtypes is no np.integer; its values are whole all the same.
    if "int" in type(scalar).__name__:
        return int(scalar)
    try:
        return float(scalar)
    except (TypeError, ValueError):
        return None


def same_scalar(left: Any, right: Any) -> bool:
    """Whether two scalars are the same number; NaN is the same as NaN.

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
    """`value` as a number of `target`; None where the cast must fail.

    >>> import zom.dtypes
    >>> from zom.model.resolve import parse_v3
    >>> cast_scalar(2.5, parse_v3("int8", [], ()), "nearest-even", None)
    2
    >>> cast_scalar(128.0, parse_v3("int8", [], ()), "nearest-even", "wrap")
    -128
    >>> cast_scalar(128.0, parse_v3("int8", [], ()), "nearest-even", None)
    """
    span = _span(target)
    if span is None:
        return _to_float(value, target, rounding, out_of_range)
    if not math.isfinite(value):
        return None
    whole = _round(Fraction(value), rounding)
    low, high = span
    if low <= whole <= high:
        return whole
    if out_of_range == "clamp":
        return low if whole < low else high
    return (whole - low) % (high - low + 1) + low if out_of_range == "wrap" else None


def _span(data_type: DataType) -> tuple[int, int] | None:
    """The least and the greatest integer of `data_type`; None where it holds fractions."""
    if data_type.kind in {"datetime", "timedelta"}:
        return (-(1 << 63), (1 << 63) - 1)
    found = _INTEGER_NAME.fullmatch(data_type.name)
    if found is None:
        return None
    bits = int(found[2])
    return (0, (1 << bits) - 1) if found[1] else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def _round(value: Fraction, rounding: Rounding) -> int:
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
    value: float, target: DataType, rounding: Rounding, out_of_range: OutOfRange | None
) -> float | None:
    nearest = _nearest(value, target)
    if nearest is None or not math.isfinite(value):
        # NaN and the infinities pass unchanged to a type that has them, and to no other.
        return nearest if nearest is not None and same_scalar(nearest, value) else None
    if not math.isfinite(nearest):
        return math.copysign(math.inf, value) if out_of_range == "clamp" else None
    exact = Fraction(value)
    error = Fraction(nearest) - exact
    if error == 0 or rounding == "nearest-even":
        return nearest
    step = _neighbour(nearest, target, up=error < 0)
    if step is None or not math.isfinite(step):
        return nearest
    low, high = sorted((nearest, step))
    if rounding == "nearest-away":
        tie = Fraction(low) + Fraction(high) == 2 * exact
        return max(low, high, key=abs) if tie else nearest
    up = rounding == "towards-positive" or (rounding == "towards-zero" and value < 0)
    return high if up else low


def _nearest(value: float, target: DataType) -> float | None:
    try:
        with np.errstate(all="ignore"):
            # An integer of more than 53 bits would go through a double to numpy's smaller floats.
            return float(target.numpy().type(value))
    except (ZomError, TypeError, ValueError, OverflowError):
        return None


def _neighbour(value: float, target: DataType, *, up: bool) -> float | None:
    made = target.numpy().type
    try:
        return float(np.nextafter(made(value), made(math.inf if up else -math.inf)))
    except TypeError:
        return None
