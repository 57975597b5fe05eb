"""The levels of an image: how large each is, how large its pixels are, and where its first pixel is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["BuiltLevel", "levels_of"]

_LONGEST: Final = 1024
"""Where nobody says how many levels there are, the last has no longer axis of those that are halved."""


class BuiltLevel(NamedTuple):
    """One level."""

    path: str
    shape: tuple[int, ...]
    scale: tuple[float, ...]
    translation: tuple[float, ...]


def levels_of(
    names: Sequence[str],
    shape: Sequence[int],
    scale: Sequence[float],
    *,
    halved: Collection[str],
    levels: int | None = None,
) -> list[BuiltLevel]:
    """The levels, from the largest on.

    A pixel stands for two of the level before along each axis that is halved, and its center is between
    theirs: the translation is half of what the pixel has grown by. A length that is odd is rounded up, for
    no pixel is left out; an axis of length 1 stays as it is.

    >>> [(each.shape, each.translation) for each in levels_of("yx", (5, 1), (2, 2), halved="yx", levels=3)]
    [((5, 1), (0.0, 0.0)), ((3, 1), (1.0, 0.0)), ((2, 1), (3.0, 0.0))]
    """
    if len(shape) != len(names):
        raise ValueError(f"shape: expected {len(names)} lengths, one for each axis, got {len(shape)}")
    unknown = [name for name in halved if name not in names]
    if unknown:
        raise ValueError(f"halved: expected the names of axes, {', '.join(names)}, got {unknown[0]!r}")
    if levels is not None and levels < 1:
        raise ValueError(f"levels: expected 1 or more, got {levels}")
    made: list[BuiltLevel] = []
    size, factors = tuple(int(length) for length in shape), [1] * len(names)
    while True:
        pixels = tuple(each * factor for each, factor in zip(scale, factors, strict=True))
        moved = tuple((a - b) / 2 for a, b in zip(pixels, scale, strict=True))
        made.append(BuiltLevel(str(len(made)), size, pixels, moved))
        turn = [name in halved and length > 1 for name, length in zip(names, size, strict=True)]
        if not any(turn) or len(made) == levels:
            return made
        if (
            levels is None
            and max(length for name, length in zip(names, size, strict=True) if name in halved) <= _LONGEST
        ):
            return made
        factors = [factor * 2 if now else factor for factor, now in zip(factors, turn, strict=True)]
        size = tuple((length + 1) // 2 if now else length for length, now in zip(size, turn, strict=True))
