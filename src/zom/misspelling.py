"""Misspelling: whether a name is a known one, written wrongly.

Names are compared part by part, as -, _ and the like separate them. A part of four letters or more may have
one letter too many, too few, wrong or swapped with the next one, a part of nine letters two. Shorter parts,
such as the `u` and the `v` of two grids, are different words, except for one missing, extra or swapped letter
beside a long part that is right. Parts that end in different digits are different words, too.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = ["distance", "is_own_dimension", "is_short_slip", "meant", "misspelt", "slip"]

_JOINTS = re.compile(r"[\s_.:-]+")
_END = re.compile(r"[0-9]*\Z")


def distance(left: str, right: str, most: int) -> int:
    """The number of letters to insert, delete, replace or swap between two texts; `most` + 1 if it is larger.

    >>> distance("degress", "degrees", 2), distance("form", "from", 2), distance("average", "range", 2)
    (1, 1, 3)
    """
    if abs(len(left) - len(right)) > most:
        return most + 1
    before: list[int] = []
    above = list(range(len(right) + 1))
    for row, letter in enumerate(left, 1):
        here = [row]
        for column, other in enumerate(right, 1):
            cost = min(above[column] + 1, here[-1] + 1, above[column - 1] + (letter != other))
            swapped = row > 1 and column > 1 and letter == right[column - 2] and left[row - 2] == other
            here.append(min(cost, before[column - 2] + 1) if swapped else cost)
        if min(here) > most:
            return most + 1
        before, above = above, here
    return min(above[-1], most + 1)


@lru_cache(maxsize=4096)
def misspelt(name: str, known: str) -> bool:
    """Whether `name` differs from `known`, but is meant as it.

    >>> misspelt("OME", "ome"), misspelt("lattitude", "latitude"), misspelt("degress_north", "degrees_north")
    (True, True, True)
    >>> misspelt("grd_mapping", "grid_mapping"), misspelt("data_tpye", "data_type"), misspelt("lat_bnds", "lon_bnds")
    (True, True, False)
    >>> misspelt("degrees_south", "degrees_north"), misspelt("eta_u", "eta_v"), misspelt("x1", "x2"), misspelt("a", "a")
    (False, False, False, False)
    """
    # A document given as a Python dict may have keys that aren't strings.
    if not isinstance(cast("object", name), str) or name == known or len(name) > 64:
        return False
    parts, others = _parts(name), _parts(known)
    if "".join(parts) == "".join(others):
        return True
    if len(parts) != len(others):
        parts, others = ("".join(parts),), ("".join(others),)
    # A short part is hardly another word if a long one beside it is the same.
    is_sure = any(part == other and len(part) >= 4 for part, other in zip(parts, others, strict=True))
    return all(
        _is_slip(part, other) or (is_sure and is_short_slip(part, other))
        for part, other in zip(parts, others, strict=True)
    )


@lru_cache(maxsize=4096)
def is_own_dimension(dim: str, name: str) -> bool:
    """Whether the only dimension of an array is meant as its name, even if that is as short as `lat`.

    >>> is_own_dimension("tme", "time"), is_own_dimension("lattitude", "latitude"), is_own_dimension("y", "x")
    (True, True, False)
    """
    return misspelt(dim, name) or _is_one_letter_off(dim, name)


@lru_cache(maxsize=4096)
def is_short_slip(name: str, known: str) -> bool:
    """Whether a letter after the first is missing or extra, or two are swapped, and none is replaced.

    >>> is_short_slip("tme", "time"), is_short_slip("lta", "lat"), is_short_slip("lag", "lat"), is_short_slip("t", "ti")
    (True, True, False, False)
    """
    if not isinstance(cast("object", name), str):
        return False
    is_other_word = len(name) == len(known) and sorted(name) != sorted(known)
    return _is_one_letter_off(name, known) and name[0] == known[0] and not is_other_word


def _is_one_letter_off(name: str, known: str) -> bool:
    return min(len(name), len(known)) > 2 and distance(name, known, 1) == 1


def _parts(text: str) -> tuple[str, ...]:
    return tuple(each for each in _JOINTS.split(text.casefold()) if each)


def _is_slip(part: str, other: str) -> bool:
    if part == other:
        return True
    length = min(len(part), len(other))
    most = 1 if length < 9 else 2
    # An edit changes two letters at most, and most pairs of words differ in more.
    if length < 4 or len({*part} ^ {*other}) > 2 * most or _digits(part) != _digits(other):
        return False
    return distance(part, other, most) <= most


def _digits(part: str) -> str:
    found = _END.search(part)
    return "" if found is None else found[0]


def meant(name: str, known: Collection[str]) -> str | None:
    """The known name that is meant; None if `name` is known itself, or means none of them.

    >>> meant("coordinateTransformation", ["path", "coordinateTransformations"]), meant("path", ["path"])
    ('coordinateTransformations', None)
    """
    return None if name in known else next((each for each in known if misspelt(name, each)), None)


def slip(known: str, names: Iterable[str]) -> str | None:
    """The first of `names` that is meant as `known`, or None.

    >>> slip("labels", ["version", "lables"])
    'lables'
    """
    return next((each for each in names if misspelt(each, known)), None)
