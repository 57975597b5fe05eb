"""Coders of the `scale_offset` codec: encode (x - offset) * scale, decode x / scale + offset.

"If any intermediate or final value produced during encoding or decoding is not representable in that data
type, implementations MUST treat this as an error": integers never wrap around and divide without
remainder, and finite floats stay finite. NaT stays NaT.
https://github.com/zarr-developers/zarr-extensions/blob/main/codecs/scale_offset/README.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.codecs.cast_value.number_form import NAT, FloatForm, number_form
from zom.errors import CodecError, ExtensionError
from zom.extension.bound import Coder
from zom.extension.element_memory import index_text, reordered
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.extension.bound import Array
    from zom.extension.datatype import DataType

__all__ = ["FloatShift", "IntegerShift"]


class FloatShift(Coder[Any, Any]):
    """Floats and complex numbers, in the arithmetic of their type.

    >>> FloatShift(np.dtype("f4"), np.float32(5), np.float32(0.5)).encode(np.array([7], "f4"))
    array([1.], dtype=float32)
    """

    def __init__(self, dtype: np.dtype[Any], offset: Any, scale: Any) -> None:
        self._dtype = dtype
        self._offset = offset
        self._scale = scale

    def encode(self, chunk: Array) -> Array:
        """Shift, then scale."""
        with np.errstate(all="ignore"):
            made = chunk if self._offset is None else chunk - self._offset
            made = made if self._scale is None else made * self._scale
        return self._checked(chunk, made)

    def decode(self, chunk: Array) -> Array:
        """Undo the scale, then the shift."""
        with np.errstate(all="ignore"):
            made = chunk if self._scale is None else chunk / self._scale
            made = made if self._offset is None else made + self._offset
        return self._checked(chunk, made)

    def _checked(self, chunk: Array, made: Array) -> Array:
        if made is chunk:
            return chunk
        finite = np.isfinite(made)
        if not finite.all():
            lost = np.isfinite(chunk) & ~finite
            if lost.any():
                place = int(np.argmax(lost))
                found = f"{chunk.reshape(-1)[place]!s}, which becomes {made.reshape(-1)[place]!s}"
                where = index_text(place, chunk.shape)
                raise CodecError(f"expected a number that stays finite, found {found}{where}")
        return np.asarray(made) if made.dtype == self._dtype else reordered(np.asarray(made), self._dtype)


class IntegerShift(Coder[Any, Any]):
    """Integers, and the ticks of dates and durations."""

    def __init__(self, data_type: DataType, dtype: np.dtype[Any], offset: int, scale: int) -> None:
        form = number_form(data_type)
        if form is None or isinstance(form, FloatForm):
            raise ExtensionError(f"{data_type.name} has no integers")
        self._name = data_type.name
        self._form = form
        self._dtype = dtype
        self._offset = offset
        self._scale = scale
        if dtype.kind in "mM":
            self._work: np.dtype[Any] = np.dtype(np.int64)
        elif dtype.kind in "iu":
            self._work = dtype.newbyteorder("=")
        else:
            self._work = np.dtype(np.uint8 if form.low == 0 else np.int8)

    def encode(self, chunk: Array) -> Array:
        """Shift, then scale."""
        return self._apply(chunk, self._forward)

    def decode(self, chunk: Array) -> Array:
        """Divide by the scale, which must leave no remainder, then undo the shift."""
        return self._apply(chunk, self._back)

    def _apply(self, chunk: Array, change: Callable[[Array], Array]) -> Array:
        values = self._integers(chunk)
        absent = values == NAT if self._form.time else None
        if absent is not None and absent.any():
            made = np.full(values.shape, NAT)
            made[~absent] = change(values[~absent])
        else:
            made = change(values)
        if self._form.time:
            return made.astype(f"{self._dtype.byteorder}i8").view(self._dtype)
        return np.asarray(made).astype(self._dtype)

    def _integers(self, chunk: Array) -> Array:
        if self._form.time:
            return chunk.view(f"{chunk.dtype.byteorder}i8").astype(np.int64)
        return chunk.astype(self._work)

    def _forward(self, values: Array) -> Array:
        offset, scale = self._offset, self._scale
        self._check(values, lambda value: value - offset)
        self._check(values, lambda value: (value - offset) * scale)
        made: Array = values - self._work.type(offset)
        made *= self._work.type(scale)
        return made

    def _back(self, values: Array) -> Array:
        offset, scale = self._offset, self._scale
        if scale not in {1, -1}:
            rest = values % self._work.type(scale)
            if rest.any():
                place = int(np.argmax(rest != 0))
                where = index_text(place, values.shape)
                found = f"{values.reshape(-1)[place]}{where}"
                raise CodecError(f"expected a multiple of {scale}, found {found}")
        self._check(values, lambda value: value // scale)
        self._check(values, lambda value: value // scale + offset)
        made: Array = values if scale == 1 else values // self._work.type(scale)
        shifted: Array = made + self._work.type(offset)
        return shifted

    def _check(self, values: Array, change: Callable[[int], int]) -> None:
        """Raise CodecError if `change` leaves the range of the type, which the extreme values show."""
        if not values.size:
            return
        for find in (np.argmin, np.argmax):
            place = int(find(values))
            value = int(values.reshape(-1)[place])
            made = change(value)
            if not self._form.low <= made <= self._form.high:
                where = index_text(place, values.shape)
                found = (
                    f"{value}, which becomes {made},{where}" if where else f"{value}, which becomes {made}"
                )
                raise CodecError(f"expected a number that stays within {self._name}, found {found}")
