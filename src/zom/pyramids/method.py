"""Methods: how the elements of a block become one element of the level above."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np

from zom.dataclass import dataclass
from zom.extension.registry import did_you_mean, near
from zom.pyramids.exact_mean import mean_of_blocks
from zom.pyramids.ranked_values import median_of_blocks, mode_of_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zom.extension.bound import Array

__all__ = ["METHODS", "Method", "MethodName", "method_of"]

MethodName: TypeAlias = Literal["mean", "median", "mode", "max", "min", "stride"]
"""The names of the methods."""


@dataclass(frozen=True, slots=True)
class Method:
    """One method."""

    name: str
    words: str
    """What an element is, of its block."""
    resampling: str
    """What the convention multiscales calls it: the names are those of GDAL where it has one."""
    kinds: str | None
    """The kinds of numpy's types that it is defined for; None for every type."""
    reduce: Callable[[Array, Sequence[int]], Array]
    """The element of each block, for blocks that fill the array."""
    centered: bool = True
    """Whether an element stands in the middle of its block, or where the first of the block is."""

    def check(self, dtype: np.dtype[Any], computed: np.dtype[Any] | None = None) -> None:
        """TypeError for a type of elements that the method is not defined for; they are `computed` as another one."""
        kind = (computed or dtype).kind
        if self.kinds is not None and kind not in self.kinds:
            able = [each.name for each in METHODS.values() if each.kinds is None or kind in each.kinds]
            choices = " or ".join(f"method={name!r}" for name in able)
            raise TypeError(
                f"method: {self.name!r} is not defined for elements of type {dtype}; use {choices}"
            )


def _extremes(choose: np.ufunc) -> Callable[[Array, Sequence[int]], Array]:
    def reduce(values: Array, factors: Sequence[int]) -> Array:
        found = values
        for axis, factor in enumerate(factors):
            if factor > 1:
                parts = [found[(*[slice(None)] * axis, slice(i, None, factor))] for i in range(factor)]
                found = choose(parts[0], parts[1])
                for part in parts[2:]:
                    choose(found, part, out=found)
        return found

    return reduce


def _first(values: Array, factors: Sequence[int]) -> Array:
    return values[tuple(slice(None, None, factor) for factor in factors)]


METHODS: Final = {
    each.name: each
    for each in (
        Method("mean", "the mean", "average", "iufcmM", mean_of_blocks),
        Method("median", "the median", "med", "iuf", median_of_blocks),
        Method("mode", "the most frequent value", "mode", "biufmM", mode_of_blocks),
        Method("max", "the largest value", "max", "biufmM", _extremes(np.maximum)),
        Method("min", "the smallest value", "min", "biufmM", _extremes(np.minimum)),
        Method("stride", "the first value", "stride", None, _first, centered=False),
    )
}
"""The methods by name."""


def method_of(name: object) -> Method:
    """The method of that name.

    >>> method_of("average")
    Traceback (most recent call last):
    ValueError: method: expected one of mean, median, mode, max, min, stride, got 'average'
    """
    found = METHODS.get(name) if isinstance(name, str) else None
    if found is None:
        like = near(name, METHODS)
        tail = f"; {did_you_mean(like, METHODS)}" if like else ""
        raise ValueError(f"method: expected one of {', '.join(METHODS)}, got {name!r}{tail}")
    return found
