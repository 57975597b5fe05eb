"""Values: small arrays whose elements a declaration states, such as coordinates."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from zom.errors import SpecError
from zom.json.python_value import is_dict, is_list
from zom.problems import rule, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.declaration.source import At
    from zom.extension.datatype import DataType
    from zom.problems import Problem

__all__ = ["VALUES", "UnfitError", "stated", "steps_of"]

VALUES = rule(
    "declaration/values",
    "the values of an array fit its shape and its data type",
    source="the form of declarations, docs/declaring.md",
)

MOST: Final = 1 << 20
"""More values are data, and no declaration."""

_RANGE: Final = frozenset({"start", "stop", "step"})


class UnfitError(Exception):
    """The values don't fit: what was expected, what was found, what to do."""

    def __init__(self, expected: str, found: str, fix: str | None = None) -> None:
        super().__init__(found)
        self.expected, self.found, self.fix = expected, found, fix

    def problem(self, at: At) -> Problem:
        """The same, where it stands."""
        return at.problem(VALUES, self.expected, self.found, self.fix)


def steps_of(given: dict[str, Any], count: int | None = None) -> list[Any]:
    """The numbers of a range: `start` and `step`, or `start` and `stop`, which is reached, or all three.

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
        raise UnfitError("a step that leads from start to stop", show(given))
    found = math.floor((stop - start) / step + 1e-9) + 1
    if found > MOST:
        raise UnfitError(f"at most {MOST} values", str(found))
    if count is not None and found != count:
        raise UnfitError(
            f"{count} values, as the dimension has", f"{found} from {show(given)}", "leave stop or step out"
        )
    return [start + step * index for index in range(found)]


def _between(start: float, stop: Any, count: int) -> list[Any]:
    if count == 1 and start != stop:
        raise UnfitError("a range with start and step, for one value", show({"start": start, "stop": stop}))
    if count <= 1:
        return [start] * count
    gap = stop - start
    if isinstance(gap, int) and gap % (count - 1) == 0 and abs(gap) == count - 1:
        return [start + gap // (count - 1) * index for index in range(count)]
    return [float(each) for each in np.linspace(float(start), float(stop), count)]


def stated(given: Any, shape: Sequence[int], kind: DataType) -> np.ndarray[Any, Any]:
    """The elements that `given` states: a list of lists, a range along the one dimension, or one value for all.

    >>> from zom.extension.resolve import data_type
    >>> stated({"start": 0, "step": 2}, (3,), data_type("int8"))
    array([0, 2, 4], dtype=int8)
    """
    size = math.prod(shape)
    if size > MOST:
        raise UnfitError(
            f"at most {MOST} values in a declaration", str(size), "write them through the handle"
        )
    if is_dict(given):
        if len(shape) != 1:
            raise UnfitError("a list, for a range has one dimension", show(given))
        steps = steps_of(given, shape[0])
        if kind.numpy().kind in "iu" and all(float(each).is_integer() for each in steps):
            steps = [int(each) for each in steps]
        given = steps
    if is_list(given):
        found = _lengths(given)
        if found != tuple(shape):
            raise UnfitError(f"values of shape {list(shape)}", f"values of shape {list(found)}")
    return _array(given, tuple(shape), kind)


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
        flat = list(_flat(given, len(shape))) if is_list(given) else [given] * math.prod(shape)
        if len(flat) != made.size:
            raise UnfitError(f"values of shape {list(shape)}", "lists of different lengths")
        cast = [kind.cast(each) for each in flat]
        view = made.reshape(-1)
        for index, each in enumerate(cast):
            view[index] = each  # a lone surrogate is told only here
    except SpecError as cause:
        first = cause.problems[0]
        raise UnfitError(first.expected, first.found, first.fix) from cause
    except (ValueError, TypeError, OverflowError) as cause:
        raise UnfitError(f"values of the type {kind.name}", str(cause)) from cause
    return made


def _flat(given: Any, depth: int) -> Any:
    if depth <= 1:
        for each in given:
            if is_list(each):
                raise UnfitError("single values", show(each))
        yield from given
        return
    for each in given:
        if not is_list(each):
            raise UnfitError("a list of lists, one list for each dimension", show(each))
        yield from _flat(each, depth - 1)
