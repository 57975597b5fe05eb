"""Methods: how to reduce a block to one element of the next coarser level."""

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
    """A method to reduce blocks."""

    name: str
    words: str
    """The description of an element, as in "the mean" of a block."""
    resampling: str
    """The name in the multiscales convention: GDAL's name if it has one."""
    kinds: str | None
    """The supported kinds of numpy types; None for all types."""
    reduce: Callable[[Array, Sequence[int]], Array]
    """The reduction of each block, for an array of whole blocks."""
    centered: bool = True
    """Whether an element is placed at the center of its block, rather than at its first element."""

    def check(self, dtype: np.dtype[Any], computed: np.dtype[Any] | None = None) -> None:
        """Raise TypeError for an unsupported type; `computed` is the type to compute with, if different."""
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
    """Return the method with a name.

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
