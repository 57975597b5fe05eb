"""The grammar of `cell_methods`: CF 7.3.

https://cfconventions.org/cf-conventions/cf-conventions.html#cell-methods

    dim1: [dim2: ...] method [where type1 [over type2]] [within|over days|years] [(comment)]
    dim1: [dim2: ...] anomaly wrt norm [(comment)]

The second form is one of CF 1.13.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

__all__ = ["METHODS", "CellMethod", "parse_cell_methods"]

METHODS: Final = (
    "anomaly", "point", "sum", "maximum", "maximum_absolute_value", "median", "mid_range", "minimum", "minimum_absolute_value",
    "mean", "mean_absolute_value", "mean_of_upper_decile", "mode", "range", "root_mean_square", "standard_deviation",
    "sum_of_squares", "variance",
)  # fmt: skip
"""The methods of Appendix E, and `anomaly`."""

_TOKEN: Final = re.compile(r"\([^()]*\)|[^\s()]+")
_NUMBER: Final = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")


class CellMethod(NamedTuple):
    """One entry: a method, and the dimensions that it was applied over."""

    dims: tuple[str, ...]
    method: str
    norm: str | None = None
    """The reference of an anomaly."""
    where: str | None = None
    over: str | None = None
    climate: tuple[tuple[str, str], ...] = ()
    """Climatological parts such as ("within", "days")."""
    comment: str | None = None

    @property
    def intervals(self) -> list[tuple[str, str]]:
        """The intervals in the comment, each as a number and a unit."""
        found: list[tuple[str, str]] = []
        words = (self.comment or "").split()
        for place, word in enumerate(words):
            if word == "interval:":
                value, unit = [*words[place + 1 : place + 3], "", ""][:2]
                found.append((value, unit))
            elif word == "comment:":
                break
        return found

    @property
    def wrong_interval(self) -> str | None:
        """An interval without a number or a unit, or None."""
        for value, unit in self.intervals:
            if _NUMBER.fullmatch(value) is None or not unit or unit.endswith(":"):
                return f"{value} {unit}".strip()
        return None


@lru_cache(maxsize=1024)
def parse_cell_methods(text: str) -> tuple[CellMethod, ...] | str:
    """The entries of `text`, or a description of the error.

    >>> [each.method for each in parse_cell_methods("time: mean (interval: 1 hr) lat: lon: maximum")]
    ['mean', 'maximum']
    >>> parse_cell_methods("mean")
    "'mean' is not a dimension with a colon"
    """
    if re.sub(r"\([^()]*\)", "", text).count("(") or re.sub(r"\([^()]*\)", "", text).count(")"):
        return "a parenthesis is not closed, or is inside another"
    tokens = _TOKEN.findall(text)
    found: list[CellMethod] = []
    place = 0
    while place < len(tokens):
        start = place
        while place < len(tokens) and tokens[place].endswith(":") and len(tokens[place]) > 1:
            place += 1
        if place == start:
            return f"{tokens[place]!r} is not a dimension with a colon"
        dims = tuple(token[:-1] for token in tokens[start:place])
        if place == len(tokens) or tokens[place].startswith("("):
            return f"no method follows {tokens[place - 1]!r}"
        method, place = tokens[place], place + 1
        norm: str | None = None
        if method == "anomaly":
            word, norm = [*tokens[place : place + 2], "", ""][:2]
            if word != "wrt" or not norm or norm.startswith("(") or norm.endswith(":"):
                return "'anomaly' is not followed by 'wrt' and a name"
            place += 2
        entry, place = _rest(tokens, place, CellMethod(dims, method, norm))
        if isinstance(entry, str):
            return entry
        found.append(entry)
    return tuple(found)


def _rest(tokens: list[str], place: int, entry: CellMethod) -> tuple[CellMethod | str, int]:
    """The parts after a method: where, over, within, and the comment."""
    while place < len(tokens) and not tokens[place].endswith(":"):
        word = tokens[place]
        if word.startswith("("):
            return entry._replace(comment=word[1:-1].strip()), place + 1
        after = tokens[place + 1] if place + 1 < len(tokens) else ""
        if word not in {"where", "over", "within"}:
            return f"unexpected {word!r} where the next entry should begin", place
        if not after or after.endswith(":") or after.startswith("("):
            return f"nothing follows {word!r}", place
        if word == "where":
            entry = entry._replace(where=after)
        elif after in {"days", "years"}:
            entry = entry._replace(climate=(*entry.climate, (word, after)))
        elif word == "over" and entry.where is not None:
            entry = entry._replace(over=after)
        else:
            return f"{word} {after!r}: expected days or years", place
        place += 2
    return entry, place
