"""The CF rules for values of coordinate variables: none is missing, and they are strictly monotonic.

https://cfconventions.org/cf-conventions/cf-conventions.html#terminology, "coordinate variable".
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import VALUES_UNREAD, Breach, Site, Skip, of_values
from zom.conventions.cf.variable import Variable
from zom.formats.node_view import remembered
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.conventions.framework.rulebook import Functions

__all__ = ["CHECKS"]


_NUMBERS: Final = "iufM"


def _blocks_of(site: Site) -> Iterator[Any] | Skip:
    """The values of a numeric coordinate variable, block by block."""
    if not remembered(site.node, Variable).is_coordinate:
        return Skip("not a coordinate variable")
    blocks = site.node.blocks()
    if blocks is None:
        return VALUES_UNREAD
    first = next(blocks, None)
    if first is None or first[1].dtype.kind not in _NUMBERS:
        return Skip("its values are not numbers")
    return (values for _, values in chain((first,), blocks))


def _none_missing(site: Site) -> Iterator[Breach] | Skip:
    blocks = _blocks_of(site)
    return blocks if isinstance(blocks, Skip) else _missing(site, blocks)


def _missing(site: Site, blocks: Iterator[Any]) -> Iterator[Breach]:
    count, first, begin = 0, 0, 0
    for values in blocks:
        places = np.flatnonzero(np.asarray(values != values))  # noqa: PLR0124 - true for NaN and NaT only
        first = begin + int(places[0]) if places.size and not count else first
        count += places.size
        begin += len(values)
    if count:
        yield site.breach((), "no missing values", f"{count}, the first at index {first}", node=site.node)


def _monotonic(site: Site) -> Iterator[Breach] | Skip:
    if (site.node.shape or (0,))[0] < 2:
        return Skip("it has fewer than two values")
    blocks = _blocks_of(site)
    return blocks if isinstance(blocks, Skip) else _turning(site, blocks)


def _turning(site: Site, blocks: Iterator[Any]) -> Iterator[Breach]:
    last: Any = None
    rises, begin = True, 0
    for block in blocks:
        values = block if last is None else np.concatenate((last, block))
        begin -= last is not None
        before, after = values[:-1], values[1:]
        if not begin and len(after):
            rises = bool(after[0] > before[0])
        places = np.flatnonzero(~np.asarray(after > before if rises else after < before))
        if places.size:
            place = int(places[0])
            goes = (
                "increase"
                if rises
                else "increase, or all decrease"
                if not begin and before[0] == after[0]
                else "decrease"
            )
            expected = f"values that all {goes}"
            found = f"{before[place]!s} and then {after[place]!s} at index {begin + place + 1}"
            yield site.breach((), expected, found, node=site.node)
            return
        begin += len(values)
        last = values[-1:]


CHECKS: Final[Functions] = {
    "coordinate-values-missing": of_values(_none_missing),
    "coordinate-values-monotonic": of_values(_monotonic),
}
