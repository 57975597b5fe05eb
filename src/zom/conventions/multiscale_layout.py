"""The layout of a pyramid: its levels, their sources and their arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zom.conventions.affine import numbers_of
from zom.formats.node_view import Node
from zom.json.python_value import is_dict, is_list

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from zom.problems import Path


__all__ = ["ResolutionLevel", "arrays_of", "factors_of", "levels_of", "odd_levels", "sources_of"]

PLACE: Final[Path] = ("attributes", "multiscales", "layout")


class ResolutionLevel(NamedTuple):
    """One entry of a layout, and its index there."""

    place: int
    entry: Mapping[str, Any]

    def text(self, name: str) -> str | None:
        """The string at `name`, or None if it is not a string."""
        found = self.entry.get(name)
        return found if isinstance(found, str) else None

    @property
    def asset(self) -> str | None:
        """The path of the level's group or array."""
        return self.text("asset")

    @property
    def source(self) -> str | None:
        """The path of the level that this one was made from."""
        return self.text("derived_from")

    def numbers(self, name: str) -> tuple[float, ...] | None:
        """The numbers of the level's `scale` or `translation`, or None."""
        transform = self.entry.get("transform")
        return numbers_of(transform.get(name)) if is_dict(transform) else None

    def at(self, *steps: str | int) -> Path:
        """The path to `steps` in this entry, from the document of its group."""
        return (*PLACE, self.place, *steps)


def levels_of(node: Node) -> list[ResolutionLevel]:
    """The valid levels in a group's layout.

    >>> from zom.formats.node_view import attributes_node
    >>> levels_of(attributes_node({"multiscales": {"layout": [{"asset": "0"}, 7]}}))
    [ResolutionLevel(place=0, entry={'asset': '0'})]
    """
    multiscales = node.attributes.get("multiscales")
    layout = multiscales.get("layout") if is_dict(multiscales) else None
    entries = enumerate(layout) if is_list(layout) else ()
    return [ResolutionLevel(place, entry) for place, entry in entries if is_dict(entry)]


def sources_of(levels: Sequence[ResolutionLevel]) -> Iterator[tuple[ResolutionLevel, ResolutionLevel]]:
    """Each derived level with its source.

    >>> zero, one = ResolutionLevel(0, {"asset": "0"}), ResolutionLevel(1, {"asset": "1", "derived_from": "0"})
    >>> [(level.asset, source.asset) for level, source in sources_of([zero, one])]
    [('1', '0')]
    """
    by_asset: dict[str, ResolutionLevel] = {}
    for level in levels:
        if level.asset is not None:
            by_asset.setdefault(level.asset, level)
    for level in levels:
        source = by_asset.get(level.source) if level.source else None
        if source is not None and source is not level:
            yield level, source


def factors_of(levels: Sequence[ResolutionLevel]) -> dict[int, tuple[float, ...]]:
    """The factors by which each level is coarser than the first level that it derives from, by place.

    Levels are left out if a scale on the way is unknown or not above 0.

    >>> zero = ResolutionLevel(0, {"asset": "0"})
    >>> one = ResolutionLevel(1, {"asset": "1", "derived_from": "0", "transform": {"scale": [2]}})
    >>> two = ResolutionLevel(2, {"asset": "2", "derived_from": "1", "transform": {"scale": [3]}})
    >>> factors_of([zero, one, two])
    {0: (1.0,), 1: (2.0,), 2: (6.0,)}
    """
    above = {level.place: (level, source) for level, source in sources_of(levels)}
    found: dict[int, tuple[float, ...] | None] = {}
    for start in above:
        way: dict[int, None] = {}
        here = start
        while here in above and here not in found and here not in way:
            way[here] = None
            here = above[here][1].place
        if here in way:  # a cycle
            found.update(dict.fromkeys(way))
        for place in reversed(way):
            level, source = above[place]
            found[place] = _scaled(found.get(source.place, ()), level.numbers("scale"))
    known = {place: factors for place, factors in found.items() if factors is not None}
    firsts = {above[place][1].place: (1.0,) * len(factors) for place, factors in known.items()}
    return {**firsts, **known}


def _scaled(before: Sequence[float] | None, scale: Sequence[float] | None) -> tuple[float, ...] | None:
    """The factors of a level; `before` is empty for a source that isn't derived, None for unknown factors."""
    if before is None or not scale or min(scale) <= 0 or len(before) not in {0, len(scale)}:
        return None
    return tuple(one * other for one, other in zip(before or (1.0,) * len(scale), scale, strict=True))


def odd_levels(
    broken: Sequence[tuple[ResolutionLevel, ResolutionLevel]],
    fits: Callable[[ResolutionLevel, ResolutionLevel], bool],
) -> list[tuple[ResolutionLevel, ResolutionLevel]]:
    """The level at fault and the other one, for each level and source that don't fit each other.

    This is the level, unless one level is between two others that fit each other, or is their source. Then
    that shared level is at fault, and is reported once.

    >>> zero, one, two = (ResolutionLevel(place, {}) for place in range(3))
    >>> [(odd.place, other.place) for odd, other in odd_levels([(one, zero), (two, one)], lambda a, b: True)]
    [(1, 0)]
    >>> [(odd.place, other.place) for odd, other in odd_levels([(one, zero), (two, zero)], lambda a, b: True)]
    [(0, 1)]
    """
    odd: list[tuple[ResolutionLevel, ResolutionLevel]] = []
    for level, source in broken:
        for at, pair in enumerate(odd):
            shared = next((each for each in (level, source) if each in pair), None)
            if shared is None:
                continue
            other = pair[1] if shared == pair[0] else pair[0]
            if fits(other, source if shared == level else level):
                odd[at] = (shared, other)
                break
        else:
            odd.append((level, source))
    return odd


def arrays_of(group: Node, level: ResolutionLevel) -> dict[str, Node]:
    """The arrays of a level by name, empty for a level that is an array; no arrays if unknown."""
    if not level.asset:
        return {}
    node = group.at(level.asset)
    if not isinstance(node, Node):
        return {}
    return {"": node} if node.is_array else node.arrays
