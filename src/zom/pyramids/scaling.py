"""Scaling: the axes that shrink from level to level and their factors, from the caller's argument."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from zom.json.python_value import integer_of

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Factors", "steps_of"]

Factors: TypeAlias = int | Mapping[str, int] | Sequence[int] | Sequence[Mapping[str, int]]
"""Factors by which axes shrink: a number for the default axes; numbers by axis, as a mapping or a sequence in
axis order, for every level; or a list of mappings, one for each level after the first."""


def steps_of(factors: Factors | None, names: Sequence[str], default: Iterable[str]) -> list[dict[str, int]]:
    """Return the factors by axis for each level; a single mapping is for all levels.

    >>> steps_of(3, "cyx", "yx"), steps_of((1, 2, 4), "cyx", "yx"), steps_of([{"y": 2}, {"x": 2}], "yx", "yx")
    ([{'y': 3, 'x': 3}], [{'c': 1, 'y': 2, 'x': 4}], [{'y': 2}, {'x': 2}])
    """
    given: Any = 2 if factors is None else factors
    number = integer_of(given)
    if number is not None:
        steps: list[Any] = [dict.fromkeys(default, number)]
    elif isinstance(given, Mapping):
        steps = [given]
    elif isinstance(given, Sequence) and not isinstance(given, str):
        steps = list(cast("Sequence[Any]", given))
        if not any(isinstance(step, Mapping) for step in steps):
            if len(steps) != len(names):
                one = f"{len(names)} integers, one for each axis, {', '.join(names)}, the same at every level"
                each = ", ".join(repr(dict.fromkeys(default, number)) for number in (2, 4))
                raise ValueError(
                    f"factors: expected {one}, or mappings, one for each level, as [{each}], got {given!r}"
                )
            steps = [dict(zip(names, steps, strict=True))]
    else:
        steps = []
    return [_checked(step, names, given) for step in steps] or [_checked(None, names, given)]


def _checked(step: Any, names: Sequence[str], given: Any) -> dict[str, int]:
    if not isinstance(step, Mapping) or not step:
        wanted = "an integer, integers by axis such as {'y': 2, 'x': 2}, or a list of such mappings, one for each level"
        raise ValueError(f"factors: expected {wanted}, got {given!r}")
    found = {**cast("Mapping[Any, Any]", step)}
    for name, factor in found.items():
        if name not in names:
            raise ValueError(f"factors: expected the names of axes, {', '.join(names)}, got {name!r}")
        if (integer_of(factor) or 0) < 1:
            raise ValueError(f"factors: expected integers from 1, got {factor!r} for {name}")
    if max(found.values()) < 2:
        raise ValueError(
            f"factors: expected at least one factor from 2, got {given!r}: no level would be smaller"
        )
    return {name: int(factor) for name, factor in found.items()}
