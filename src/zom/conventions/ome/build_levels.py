"""The levels of an image: their shapes, pixel sizes, and the position of the first pixel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zom.count import count_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

__all__ = ["BuiltLevel", "levels_of"]

_LONGEST: Final = 1024
"""The longest halved axis of the last level if the number of levels is not given."""


class BuiltLevel(NamedTuple):
    """One level."""

    path: str
    shape: tuple[int, ...]
    scale: tuple[float, ...]
    translation: tuple[float, ...]
    factors: tuple[int, ...]
    """How many elements of the previous level make one of this level, along each axis."""


def levels_of(  # noqa: PLR0913 - each is a choice of the caller's
    names: Sequence[str],
    shape: Sequence[int],
    scale: Sequence[float],
    *,
    halved: Collection[str] = (),
    factors: Sequence[Mapping[str, int]] | None = None,
    levels: int | None = None,
    start: Sequence[float] | None = None,
    first: Sequence[str] = (),
) -> list[BuiltLevel]:
    """The levels, from the largest on.

    A pixel stands for two of the previous level along each halved axis, or for as many as `factors` gives,
    one mapping per step or one for all. Its center is the middle of theirs: the translation grows by half of
    the increase in pixel size. Along the axes in `first`, it is at the first of them, and the translation
    stays the same. A remainder at the end makes a pixel, too, and an axis shorter than its factor becomes one
    pixel. `start` is the translation of the first level.

    >>> [(each.shape, each.translation) for each in levels_of("yx", (5, 1), (2, 2), halved="yx", levels=3)]
    [((5, 1), (0.0, 0.0)), ((3, 1), (1.0, 0.0)), ((2, 1), (3.0, 0.0))]
    >>> levels_of("x", (7,), (1,), factors=[{"x": 3}, {"x": 4}])[2]
    BuiltLevel(path='2', shape=(1,), scale=(9.0,), translation=(4.0,), factors=(3,))
    """
    _check(names, shape, halved, factors, levels)
    steps = [dict.fromkeys(halved, 2)] if factors is None else list(factors)
    if len(steps) > 1 and levels is None:
        levels = len(steps) + 1
    one, origin = (1,) * len(names), tuple(float(each) for each in start or (0,) * len(names))
    size, whole = tuple(int(length) for length in shape), one
    made = [BuiltLevel("0", size, tuple(map(float, scale)), origin, one)]
    while len(made) != levels:
        step = steps[min(len(made), len(steps)) - 1]
        by = tuple(min(step.get(name, 1), max(length, 1)) for name, length in zip(names, size, strict=True))
        reduced = [length for length, factor in zip(size, by, strict=True) if factor > 1]
        if not reduced or (levels is None and max(reduced) <= _LONGEST):
            break
        size = tuple(-(-length // factor) for length, factor in zip(size, by, strict=True))
        whole = tuple(a * b for a, b in zip(whole, by, strict=True))
        pixels = tuple(float(each * factor) for each, factor in zip(scale, whole, strict=True))
        moved = tuple(
            begin if name in first else begin + (a - b) / 2
            for name, begin, a, b in zip(names, origin, pixels, scale, strict=True)
        )
        made.append(BuiltLevel(str(len(made)), size, pixels, moved, by))
    return made


def _check(
    names: Sequence[str],
    shape: Sequence[int],
    halved: Collection[str],
    factors: Sequence[Mapping[str, int]] | None,
    levels: int | None,
) -> None:
    if len(shape) != len(names):
        raise ValueError(
            f"shape: expected {count_of(len(names), 'length')}, one for each axis, got {len(shape)}"
        )
    for what, given in [("halved", halved), *(("factors", step) for step in factors or ())]:
        unknown = [name for name in given if name not in names]
        if unknown:
            raise ValueError(f"{what}: expected the names of axes, {', '.join(names)}, got {unknown[0]!r}")
    if levels is not None and (not isinstance(levels, int) or levels < 1):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"levels: expected 1 or more, got {levels}")
    if factors is not None and len(factors) > 1 and levels is not None and levels != len(factors) + 1:
        raise ValueError(
            f"levels: expected {len(factors) + 1}, one more than the number of factors, got {levels}"
        )
