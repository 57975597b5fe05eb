"""Affine transforms from cell indexes to coordinates, as `spatial:transform` has them.

https://github.com/zarr-conventions/spatial/blob/v0.1/README.md#spatialtransform: x = a*column + b*row + c and
y = d*column + e*row + f, in rasterio's order [a, b, c, d, e, f].
"""

from __future__ import annotations

from math import hypot, isfinite
from typing import TYPE_CHECKING, Final, NamedTuple

from zom.json.python_value import is_list

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MOST", "Affine", "affine_of", "integers_of", "numbers_of"]

MOST: Final = 1 << 53
"""The longest dimension used in calculations: a double holds no larger integer exactly."""


class Affine(NamedTuple):
    """The six coefficients.

    >>> Affine(10.0, 0.0, 500000.0, 0.0, -10.0, 5000000.0).at(6, 8)
    (500060.0, 4999920.0)
    """

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    def at(self, column: float, row: float) -> tuple[float, float]:
        """The coordinates (x, y) at a column and row."""
        return self.a * column + self.b * row + self.c, self.d * column + self.e * row + self.f

    @property
    def determinant(self) -> float:
        """The determinant; 0 if the axes span no area."""
        return self.a * self.e - self.b * self.d

    @property
    def cell(self) -> tuple[float, float]:
        """The distance of cells along a column and along a row: first Y, then X.

        >>> Affine(8.0, -6.0, 0.0, 6.0, -8.0, 0.0).cell
        (10.0, 10.0)
        """
        return hypot(self.b, self.e), hypot(self.a, self.d)

    def extent(self, height: int, width: int) -> tuple[float, float, float, float]:
        """The box around a grid of `height` by `width` cells: xmin, ymin, xmax, ymax.

        >>> Affine(10.0, 0.0, 0.0, 0.0, -10.0, 80.0).extent(8, 6)
        (0.0, 0.0, 60.0, 80.0)
        """
        corners = [self.at(column, row) for column in (0, width) for row in (0, height)]
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        return min(xs), min(ys), max(xs), max(ys)

    def scaled(self, y: float, x: float) -> Affine:
        """The transform of a grid from the same corner, with cells that are `y` and `x` times as large.

        >>> Affine(10.0, 0.0, 5.0, 0.0, -10.0, 7.0).scaled(2, 4)
        Affine(a=40.0, b=0.0, c=5.0, d=0.0, e=-20.0, f=7.0)
        """
        return Affine(self.a * x, self.b * y, self.c, self.d * x, self.e * y, self.f)


def numbers_of(value: object, count: int | None = None) -> tuple[float, ...] | None:
    """The finite numbers of a list of `count` (or any length), or None for anything else.

    >>> numbers_of([1, 2.5]), numbers_of([1, "2"]), numbers_of([1], 2), numbers_of([True])
    ((1.0, 2.5), None, None, None)
    """
    if not is_list(value) or (count is not None and len(value) != count):
        return None
    found: list[float] = []
    for each in value:
        if isinstance(each, bool) or not isinstance(each, (int, float)):
            return None
        try:
            found.append(float(each))
        except OverflowError:  # an integer of hundreds of digits
            return None
    return tuple(found) if all(map(isfinite, found)) else None


def integers_of(value: object, count: int) -> tuple[int, ...] | None:
    """The integers of a list of `count` whole numbers, or None for anything else.

    >>> integers_of([8, 6.0], 2), integers_of([8.5, 6], 2)
    ((8, 6), None)
    """
    found = numbers_of(value, count)
    if found is None or not all(each.is_integer() for each in found):
        return None
    return tuple(map(int, found))


def affine_of(value: object) -> Affine | None:
    """The transform given by a list of six numbers, or None for anything else.

    >>> affine_of([1, 0, 0, 0, -1, 0])
    Affine(a=1.0, b=0.0, c=0.0, d=0.0, e=-1.0, f=0.0)
    """
    found: Sequence[float] | None = numbers_of(value, 6)
    return None if found is None else Affine(*found)
