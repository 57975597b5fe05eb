"""Values: the elements of small arrays in a declaration, such as coordinates."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from zom.declaration.dates import clock_of, is_date
from zom.declaration.element import UnfitError, element_of
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.declaration.dates import Clock
    from zom.extension.datatype import DataType

__all__ = ["are_same", "stated", "steps_of", "unlike"]

MOST: Final = 1 << 20
"""The most values of an array in a declaration."""

_RANGE: Final = frozenset({"start", "stop", "step"})


def are_same(left: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> bool:
    """Whether two arrays have the same elements, bit for bit: NaN equals itself, and -0.0 is not 0.0.

    >>> are_same(np.array([np.nan, 0.0]), np.array([np.nan, 0.0])), are_same(np.array([0.0]), np.array([-0.0]))
    (True, False)
    """
    return left.shape == right.shape and not len(unlike(left, right))


def unlike(left: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the indices, in C order, of the elements that differ between arrays of the same shape.

    >>> unlike(np.array([1, 2, 3]), np.array([1, 5, 4])).tolist()
    [1, 2]
    """
    mine, theirs = np.ascontiguousarray(left).reshape(-1), np.ascontiguousarray(right).reshape(-1)
    if mine.dtype.hasobject or theirs.dtype.hasobject or mine.dtype.kind == "T":
        return np.flatnonzero(np.asarray(mine != theirs, "bool"))
    mine = mine.astype(theirs.dtype, copy=False)
    if not mine.size or not mine.dtype.itemsize:
        return np.empty(0, "intp")
    bits = [each.view("u1").reshape(len(each), -1) for each in (mine, theirs)]
    return np.flatnonzero((bits[0] != bits[1]).any(axis=1))


def steps_of(given: dict[str, Any], count: int | None = None) -> list[Any]:
    """Return the numbers of a range with `start` and `step`, `start` and an inclusive `stop`, or all three.

    >>> steps_of({"start": 1, "stop": 4}), steps_of({"start": 90, "stop": -90}, 5), steps_of({"start": 0, "step": 2}, 3)
    ([1, 2, 3, 4], [90.0, 45.0, 0.0, -45.0, -90.0], [0, 2, 4])
    """
    wrong = sorted(given.keys() - _RANGE)
    numbers = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in given.values())
    if wrong or not numbers or not all(math.isfinite(each) for each in given.values()):
        raise UnfitError("a range of numbers: start, and stop or step", show(given))
    start, stop, step = given.get("start", 0), given.get("stop"), given.get("step")
    if stop is None and (count is None or step is None):
        raise UnfitError("a range with start, and stop or step", show(given), "add stop, the last value")
    if step is None and count is not None:
        return _between(start, stop, count)
    step = 1 if step is None else step
    if stop is None:
        return [start + step * index for index in range(count or 0)]
    if step == 0 or (stop - start) * step < 0:
        raise UnfitError("a step in the direction from start to stop", show(given))
    many = (stop - start) / step
    if not abs(many) < MOST:
        raise UnfitError(
            f"at most {MOST} values", str(math.floor(many) + 1) if math.isfinite(many) else "more"
        )
    found = math.floor(many + 1e-9) + 1
    if count is not None and found != count:
        raise UnfitError(
            f"{count} values, as the dimension has", f"{found} from {show(given)}", "leave out stop or step"
        )
    return [start + step * index for index in range(found)]


def _between(start: float, stop: Any, count: int) -> list[Any]:
    if count == 1 and start != stop:
        raise UnfitError("a range with start and step for one value", show({"start": start, "stop": stop}))
    if count <= 1:
        return [start] * count
    gap = stop - start
    if isinstance(gap, int) and gap % (count - 1) == 0 and abs(gap) == count - 1:
        return [start + gap // (count - 1) * index for index in range(count)]
    return [float(each) for each in np.linspace(float(start), float(stop), count)]


def stated(
    given: Any, shape: Sequence[int], kind: DataType, units: Any = None, calendar: Any = None
) -> np.ndarray[Any, Any]:
    """Return the stated elements: from nested lists, a range for one dimension, or one value for all.

    If `units` are a time since a date, numbers may be written as dates.

    >>> from zom.extension.resolve import data_type
    >>> stated({"start": 0, "step": 2}, (3,), data_type("int8"))
    array([0, 2, 4], dtype=int8)
    >>> stated({"start": "2000-01-31", "step": "12 hours"}, (3,), data_type("float32"), "days since 2000-01-01")
    array([30. , 30.5, 31. ], dtype=float32)
    """
    size = math.prod(shape)
    if size > MOST:
        raise UnfitError(
            f"at most {MOST} values in a declaration", str(size), "write them through the handle"
        )
    if is_dict(given):
        if len(shape) != 1:
            raise UnfitError("a list, as a range has one dimension", show(given))
        clock = clock_of(kind, units, calendar)
        if clock is not None and _has_dates(given):
            return _array(clock.range(given, shape[0], MOST), tuple(shape), kind)
        steps = steps_of(given, shape[0])
        if kind.numpy().kind in "iu" and all(float(each).is_integer() for each in steps):
            steps = [int(each) for each in steps]
        given = steps
    if is_list(given):
        found = _lengths(given)[: len(shape) if kind.kind == "complex" else None]
        if found != tuple(shape):
            raise UnfitError(f"values of shape {list(shape)}", f"values of shape {list(found)}")
    if kind.kind in {"int", "uint", "float"}:
        given = _dated(given, clock_of(kind, units, calendar))
    return _array(given, tuple(shape), kind)


def _has_dates(given: dict[str, Any]) -> bool:
    return given.keys() <= _RANGE and any(isinstance(given.get(name), str) for name in ("start", "stop"))


def _dated(given: Any, clock: Clock | None) -> Any:
    """Replace dates by numbers."""
    if clock is None:
        return given
    if is_list(given):
        return [_dated(each, clock) for each in given]
    return clock.number(given) if is_date(given) else given


def _lengths(given: Any) -> tuple[int, ...]:
    lengths: list[int] = []
    while is_list(given):
        lengths.append(len(given))
        if not given:
            break
        given = given[0]
    return tuple(lengths)


def _array(given: Any, shape: tuple[int, ...], kind: DataType) -> np.ndarray[Any, Any]:
    made = np.empty(shape, kind.numpy())
    try:
        flat = (
            list(_flat(given, len(shape), pairs=kind.kind == "complex"))
            if is_list(given)
            else [given] * math.prod(shape)
        )
        if len(flat) != made.size:
            raise UnfitError(f"values of shape {list(shape)}", "lists of different lengths")
        cast = [element_of(each, kind) for each in flat]
        view = made.reshape(-1)
        for index, each in enumerate(cast):
            view[index] = each  # a lone surrogate is detected only here
    except (ValueError, TypeError, OverflowError) as cause:
        raise UnfitError(f"values of the type {kind.name}", str(cause)) from cause
    return made


def _flat(given: Any, depth: int, *, pairs: bool) -> Any:
    """Yield the elements in order; with `pairs`, complex numbers may be lists of two."""
    for each in given:
        if depth > 1 and not is_list(each):
            raise UnfitError("a list of lists, one list for each dimension", show(each))
        if depth > 1:
            yield from _flat(each, depth - 1, pairs=pairs)
        elif is_list(each) and not pairs:
            raise UnfitError("single values", show(each))
        else:
            yield each
