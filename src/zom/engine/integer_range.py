"""Refuse numbers that integers of a data type can't hold, before anything is written.

Numpy keeps the lowest bits of integers that are too large, and turns NaN into 0 or another number. To get
that, cast with `values.astype("int8")`. Fractions are cut off, as in every numpy assignment to integers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.engine.fields import leaves
from zom.errors import CodecError
from zom.extension.element_memory import index_text, integer_bounds

if TYPE_CHECKING:
    import numpy as np

    from zom.extension.bound import Array

__all__ = ["check_integers"]

_AT_ONCE: Final = 65_536


def check_integers(given: Array, dtype: np.dtype[Any]) -> None:
    """Raise CodecError if integers of `dtype`, or of its fields, can't hold a number in `given`.

    >>> import numpy as np
    >>> check_integers(np.array([1, -128, 127.9]), np.dtype("int8"))
    >>> check_integers(np.array([1, 300]), np.dtype("int8"))
    Traceback (most recent call last):
    zom.errors.CodecError: expected numbers from -128 to 127 at (1), found 300; choose a data type that holds it, or cast the values yourself: values.astype('int8')
    """
    if given.dtype == dtype:
        return
    for part, wanted, field in leaves(given, dtype):
        _check(part, wanted, field)


def _check(given: Array, dtype: np.dtype[Any], field: str) -> None:
    bounds = integer_bounds(dtype)
    if (
        bounds is None
        or given.dtype.kind not in "iufO"
        or not given.size
        or _always_fits(given.dtype, bounds)
    ):
        return
    low, high = bounds
    if given.dtype.kind == "O" or not (low - 1 < given.min().item() and given.max().item() < high + 1):
        _refuse(given, bounds, dtype, field)


def _always_fits(given: np.dtype[Any], bounds: tuple[int, int]) -> bool:
    mine = integer_bounds(given)
    return mine is not None and bounds[0] <= mine[0] and mine[1] <= bounds[1]


def _refuse(given: Array, bounds: tuple[int, int], dtype: np.dtype[Any], field: str) -> None:
    low, high = bounds
    flat = given.reshape(-1)
    for start in range(0, flat.size, _AT_ONCE):
        items: list[Any] = flat[start : start + _AT_ONCE].tolist()
        for index, item in enumerate(items, start):
            if isinstance(item, (int, float)) and not low - 1 < item < high + 1:
                place = f"{f' in the field {field!r}' if field else ''}{index_text(index, given.shape)}"
                raise CodecError(
                    f"expected numbers from {low} to {high}{place}, found {item}; choose a data type that holds "
                    f"it, or cast the values yourself: values.astype({dtype.name!r})"
                )
