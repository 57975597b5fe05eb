"""Casts of whole chunks, with the same rules as `scalar_cast` for one number.

No numpy cast is used that could round twice, or that wraps or clamps in its own way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.codecs.cast_value.exact_rounding import (
    integers_to_double,
    rounded,
    shortened,
    sticky_double,
)
from zom.codecs.cast_value.number_form import NAT, FloatForm, number_form
from zom.codecs.cast_value.scalar_cast import number
from zom.errors import CodecError, ExtensionError
from zom.extension.element_memory import index_text, reordered
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.codecs.cast_value.number_form import IntegerForm
    from zom.codecs.cast_value.scalar_cast import OutOfRange, Rounding
    from zom.extension.bound import Array
    from zom.extension.datatype import DataType

__all__ = ["ArrayCast"]

# Elements per step: intermediate results stay in the processor's cache.
_SPAN = 1 << 14


class ArrayCast:
    """Casts arrays from one type to another; `pairs` are scalars and their replacements.

    >>> import zom.dtypes
    >>> from zom.extension.resolve import data_type
    >>> cast = ArrayCast(data_type("float64"), data_type("uint8"), ())
    >>> cast(np.array([1.5, 2.5]))
    array([2, 2], dtype=uint8)
    >>> cast(np.array([1, 256.0]))
    Traceback (most recent call last):
    zom.errors.CodecError: expected a number that uint8 holds, found 256.0 at (1)
    """

    def __init__(
        self,
        source: DataType,
        target: DataType,
        pairs: Sequence[tuple[Any, Any]],
        *,
        rounding: Rounding = "nearest-even",
        out_of_range: OutOfRange | None = None,
    ) -> None:
        taken, given = number_form(source), number_form(target)
        if taken is None or given is None:
            other = source if taken is None else target
            raise ExtensionError(f"{other.name} has no real numbers to cast")
        self._target = target
        self._from, self._to = taken, given
        self._made = target.numpy()
        self._native = _native(self._made)
        self._work = _work_type(self._native)
        self._rounding: Rounding = rounding
        self._out_of_range: OutOfRange | None = out_of_range
        self._pairs = [(number(one), np.asarray(other, self._native)) for one, other in pairs]

    def __call__(self, array: Array) -> Array:
        """Return the numbers in the target type; raise CodecError for the first that can't be cast."""
        flat = np.ascontiguousarray(array).reshape(-1)
        made: Array = np.empty(flat.shape, self._native)
        for start in range(0, flat.size, _SPAN):
            part = _numbers(flat[start : start + _SPAN])
            found, wrong = self._cast(part)
            if self._pairs:
                self._look_up(part, found, wrong)
            if wrong is not None and wrong.any():
                first = start + int(np.argmax(wrong))
                where = index_text(first, array.shape)
                expected = f"expected a number that {self._target.name} holds"
                raise CodecError(f"{expected}, found {flat[first]!s}{where}")
            made[start : start + _SPAN] = found
        if made.dtype != self._made:
            made = reordered(made, self._made)
        return made.reshape(array.shape)

    def _look_up(self, part: Array, found: Array, wrong: Array | None) -> None:
        """Insert the replacements of `pairs`; of two equal scalars the first counts."""
        left = np.ones(part.shape, np.bool_)
        for taken, given in self._pairs:
            same = self._missing(part) if taken is None or taken != taken else part == taken  # noqa: PLR0124
            same &= left
            found[same] = given
            left &= ~same
        if wrong is not None:
            wrong &= left

    def _missing(self, part: Array) -> Array:
        """Return which elements are NaN or NaT."""
        if part.dtype.kind == "f":
            return np.isnan(part)
        if not isinstance(self._from, FloatForm) and self._from.time:
            return np.equal(part, NAT)
        return np.zeros(part.shape, np.bool_)

    def _cast(self, part: Array) -> tuple[Array, Array | None]:
        """Return the numbers in the native target type, and which of them it can't represent."""
        if isinstance(self._to, FloatForm):
            made, wrong = self._to_floats(part, self._to)
            absent = np.isnan(made)
            if self._to.nan is not None and absent.any():
                made[absent] = self._to.nan
            return made, wrong
        if part.dtype.kind == "f":
            whole, wrong = self._whole_floats(_widened(part, np.dtype(np.float64)), self._to)
        else:
            whole, wrong = self._whole_integers(part, self._to)
        return _as_type(whole, self._native), wrong

    def _to_floats(self, part: Array, form: FloatForm) -> tuple[Array, Array | None]:
        absent = None if part.dtype.kind == "f" else self._missing(part)
        values = part
        if part.dtype.kind != "f":
            long = part.dtype.itemsize == 8
            if long and self._native == np.float64:
                values = integers_to_double(part, self._rounding)
            else:
                values = sticky_double(part) if long else part.astype(np.float64)
            if absent is not None and absent.any():
                values = np.where(absent, np.nan, values)
        own = issubclass(self._native.type, np.floating)
        if own and values.dtype.itemsize <= self._native.itemsize:
            return _widened(values, self._native), None
        if own and self._rounding == "nearest-even":
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                made = values.astype(self._native)
            if self._out_of_range == "clamp":
                return made, None
            beyond = np.isinf(made)
            return made, beyond & np.isfinite(values) if beyond.any() else None
        wide = _widened(values, np.dtype(np.float64))
        doubles, wrong = shortened(wide, form, self._rounding, self._out_of_range)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return doubles.astype(self._native), wrong

    def _whole_floats(self, values: Array, form: IntegerForm) -> tuple[Array, Array | None]:
        """Return rounded floats as integers of the working type, and which are out of range."""
        with np.errstate(invalid="ignore"):
            whole = rounded(values, self._rounding)
        # Both limits are exact as floats. The minimum time would not be, so compare with NaT just below it.
        low, high = float(NAT if form.time else form.low), float(form.high + 1)
        inside = ((whole > low) if form.time else (whole >= low)) & (whole < high)
        if inside.all():
            return whole.astype(self._work), None
        made = np.where(inside, whole, 0.0).astype(self._work)
        wrong = ~inside
        finite = np.isfinite(whole)
        if self._out_of_range == "clamp":
            made[wrong & finite & (whole < 0)] = form.low
            made[wrong & finite & (whole > 0)] = form.high
            wrong &= ~finite
        elif self._out_of_range == "wrap":
            beyond = wrong & finite
            rest = np.fmod(whole[beyond], 2.0**64)
            size = np.abs(rest).astype(np.uint64)
            made[beyond] = _wrapped(np.where(rest < 0, ~size + np.uint64(1), size), form, self._work)
            wrong &= ~finite
        if form.time:
            made[np.isnan(values)] = NAT
            wrong = (wrong | (made == NAT)) & ~np.isnan(values)
        return made, wrong

    def _whole_integers(self, part: Array, form: IntegerForm) -> tuple[Array, Array | None]:
        """Return integers of the working type, and which are out of range."""
        if form.low <= int(part.min()) and int(part.max()) <= form.high:
            whole, wrong = part.astype(self._work), None
        else:
            below, above = part < form.low, part > form.high
            wrong = below | above
            if self._out_of_range == "clamp":
                whole = np.where(wrong, part.dtype.type(0), part).astype(self._work)
                whole[below], whole[above] = form.low, form.high
                wrong[...] = False
            else:
                signed = part.dtype.kind == "i"
                bits = part.astype(np.int64).view(np.uint64) if signed else part.astype(np.uint64)
                whole = _wrapped(bits, form, self._work)
                if self._out_of_range == "wrap":
                    wrong = (whole == NAT) if form.time else np.zeros(part.shape, np.bool_)
        absent = self._missing(part)
        if not absent.any():
            return whole, wrong
        if form.time:
            whole[absent] = NAT
            return whole, None if wrong is None else wrong & ~absent
        return whole, absent if wrong is None else wrong | absent


def _native(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype if dtype.isnative else dtype.newbyteorder("=")


def _work_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return numpy's integer type used for integers of `dtype`."""
    if dtype.kind in "mM":
        return np.dtype(np.int64)
    if dtype.kind in "iu":
        return dtype
    return np.dtype(np.uint8 if dtype.name.startswith("uint") else np.int8)


def _numbers(part: Array) -> Array:
    """Return elements as numbers of numpy's own types, in native byte order."""
    dtype = part.dtype
    if dtype.kind in "mM":
        return part.view(f"{dtype.byteorder}i8").astype(np.int64)
    if issubclass(dtype.type, np.number):
        return part.astype(dtype.newbyteorder("="), copy=False)
    return part.astype(_work_type(dtype) if "int" in dtype.name else np.float32)


def _widened(values: Array, dtype: np.dtype[Any]) -> Array:
    """Cast to a type that holds all numbers; suppress numpy's warning that signalling NaNs become quiet."""
    with np.errstate(invalid="ignore"):
        return values.astype(dtype)


def _as_type(whole: Array, dtype: np.dtype[Any]) -> Array:
    """Convert integers of the working type to the target type."""
    return whole.view(dtype) if dtype.kind in "mM" else whole.astype(dtype, copy=False)


def _wrapped(bits: Array, form: IntegerForm, work: np.dtype[Any]) -> Array:
    """Return the lowest bits of 64-bit integers as integers of the form."""
    above = np.uint64(64 - form.bits)
    high: Any = bits << above
    # Shifting signed integers back extends their sign.
    made: Array = high >> above if form.low == 0 else high.view(np.int64) >> np.int64(64 - form.bits)
    return made.astype(work)
