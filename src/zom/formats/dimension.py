"""Dimensions by name, or by index as "0" or "-1"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["dimensions_called", "is_place"]

_PLACE = re.compile(r"-?[0-9]{1,9}", re.ASCII)


def is_place(name: str) -> bool:
    """Whether `name` is the index of a dimension.

    >>> is_place("-1"), is_place("x1")
    (True, False)
    """
    return _PLACE.fullmatch(name) is not None


def dimensions_called(name: str, names: Sequence[str | None] | None, rank: int) -> tuple[int, ...]:
    """Return the dimensions that `name` means: the one at this index, or those with this name.

    A number is always an index, so that its meaning does not depend on the names.

    >>> dimensions_called("x", ("y", "x"), 2), dimensions_called("-1", None, 3), dimensions_called("z", None, 3)
    ((1,), (2,), ())
    """
    if not is_place(name):
        return tuple(place for place, each in enumerate(names or ()) if each == name)
    place = int(name) + (rank if name.startswith("-") else 0)
    return (place,) if 0 <= place < rank else ()
