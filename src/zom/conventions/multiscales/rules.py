"""The convention multiscales, version 0.1: the form of a layout, and how its levels relate to each other.

https://github.com/zarr-conventions/multiscales/blob/v0.1/README.md
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import Field

from zom.checks.check import Skip
from zom.conventions.affine import MOST
from zom.conventions.framework.attributes import Attributes, Part
from zom.conventions.framework.declarations import Published
from zom.conventions.framework.registered import register
from zom.conventions.framework.rulebook import read_rulebook
from zom.conventions.multiscale_layout import arrays_of, factors_of, levels_of, odd_levels, sources_of
from zom.count import count_of
from zom.formats.node_view import Node
from zom.json.python_value import is_dict
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zom.checks.check import Breach, Site
    from zom.conventions.multiscale_layout import ResolutionLevel

__all__ = ["MULTISCALES", "PUBLISHED"]

TEXT: Final = "https://github.com/zarr-conventions/multiscales/blob/v0.1/README.md"
PUBLISHED: Final = Published(
    uuid="d35379db-88df-4056-af3a-620245f8e347",
    schema_url="https://raw.githubusercontent.com/zarr-conventions/multiscales/refs/tags/v0.1/schema.json",
    spec_url=TEXT,
    description="Multiscale layout of zarr datasets",
    name="multiscales",
    needs_uuid=True,
)


class Transform(Part):
    """How to derive the coordinates of a level from those of its source."""

    scale: list[float] = Field(default_factory=list[float])
    translation: list[float] = Field(default_factory=list[float])


class Entry(Part):
    """A level of the pyramid."""

    asset: str
    derived_from: str = ""
    transform: Transform = Field(default_factory=Transform)
    resampling_method: str = ""


class Multiscales(Attributes, key="multiscales"):
    """The attribute `multiscales`."""

    layout: list[Entry] = Field(min_length=1)
    resampling_method: str = ""


_MOST_SHOWN: Final = 12
"""The most levels of a cycle that a message names."""


# --- rules that need a function ------------------------------------------------------------------------------


def _of_one_kind(site: Site) -> Iterable[Breach] | Skip:
    found = [
        (level, node)
        for level in levels_of(site.node)
        if level.asset and isinstance(node := site.node.at(level.asset), Node)
    ]
    if len(found) < 2:
        return Skip("fewer than two levels exist")
    # The majority is right, so that the level that differs is reported rather than all others.
    ((kind, _),) = Counter(node.kind for _, node in found).most_common(1)
    first = next(node for _, node in found if node.kind == kind)
    return [
        site.breach(
            level.at("asset"), f"the path of {_kind(first)}, like {first.path}", _kind(node), related=[node]
        )
        for level, node in found
        if node.kind != kind
    ]


def _kind(node: Node) -> str:
    return "an array" if node.is_array else "a group"


def _of_a_level(site: Site) -> Iterable[Breach] | Skip:
    levels = levels_of(site.node)
    if not any(level.source for level in levels):
        return Skip("no level is derived from another one")
    assets = dict.fromkeys(level.asset for level in levels if level.asset is not None)
    if len(assets) < len([level for level in levels if level.asset is not None]):
        return Skip("an asset occurs twice: the name of another level is not known")
    shown = f"one of {', '.join(map(show, list(assets)[:12]))}"
    return [
        site.breach(level.at("derived_from"), shown, show(level.source), cause=(level.source, site.node.path))
        for level in levels
        if level.source is not None and level.source not in assets
    ]


def _without_rings(site: Site) -> Iterable[Breach] | Skip:
    levels = levels_of(site.node)
    if not any(level.source for level in levels):
        return Skip("no level is derived from another one")
    above = {level.asset: level.source for level in reversed(levels) if level.asset and level.source}
    # If two levels have the same asset, the reference is ambiguous.
    counts = Counter(level.asset for level in levels)
    place = {level.asset: level for level in levels if counts[level.asset] == 1}
    # Report a cycle once, at its first level in the layout.
    rings = [
        (min(place[name].place for name in ring), len(ring))
        for ring in _rings(above)
        if place.keys() >= {*ring}
    ]
    return [
        site.breach(
            level.at("derived_from"), "a level that is not derived from this one", _way(level, above, length)
        )
        for first, length in sorted(rings)
        for level in levels
        if level.place == first
    ]


def _rings(above: dict[str, str]) -> Iterator[list[str]]:
    """The cycles of levels that derive from themselves; visits each level once."""
    passed: set[str] = set()
    for start in above:
        way: list[str] = []
        here = start
        while here in above and here not in passed:
            passed.add(here)
            way.append(here)
            here = above[here]
        if here in way:
            yield way[way.index(here) :]


def _way(level: ResolutionLevel, above: dict[str, str], length: int) -> str:
    """The path from a level back to itself; a long one is cut after `_MOST_SHOWN` levels."""
    way = [level.asset or ""]
    while len(way) <= min(length, _MOST_SHOWN):
        way.append(above[way[-1]])
    names = [*map(show, way), *(("...", show(way[0])) if length > _MOST_SHOWN else ())]
    return " from ".join(names)


def _as_many_numbers(site: Site) -> Iterable[Breach] | Skip:
    found = [
        (level, name, numbers)
        for level in levels_of(site.node)
        for name in ("scale", "translation")
        if (numbers := level.numbers(name)) is not None
    ]
    if not found:
        return Skip("no level has scale or translation")
    # The majority is right, so that the one that differs is reported rather than all others.
    ((axes, _),) = Counter(len(numbers) for _, _, numbers in found).most_common(1)
    return [
        site.breach(
            level.at("transform", name),
            f"{count_of(axes, 'number')}, as elsewhere in the layout",
            f"{len(numbers)}: {show(list(numbers))}",
        )
        for level, name, numbers in found
        if len(numbers) != axes
    ]


def _scaled(site: Site) -> Iterable[Breach] | Skip:
    levels = levels_of(site.node)
    compared = False
    told: dict[tuple[int, int], list[Breach]] = {}
    broken: list[tuple[ResolutionLevel, ResolutionLevel]] = []
    for level, source in sources_of(levels):
        scale = level.numbers("scale")
        if not scale or any(each < 0 for each in scale) or level.asset == source.asset:
            continue
        pairs = _pairs(site.node, level, source, len(scale))
        compared = compared or bool(pairs)
        breaches = list(_unlike(site, level, scale, pairs))
        if breaches:
            broken.append((level, source))
            told[level.place, source.place] = told[source.place, level.place] = breaches
    if not compared:
        return Skip("no arrays of a level and its source have as many dimensions as scale")
    factors = factors_of(levels) if len(broken) > 1 else {}

    def fits(level: ResolutionLevel, other: ResolutionLevel) -> bool:
        if level.place not in factors or other.place not in factors:
            return False
        scale = [one / by for one, by in zip(factors[level.place], factors[other.place], strict=False)]
        return not any(_unlike(site, level, scale, _pairs(site.node, level, other, len(scale))))

    return [breach for one, other in odd_levels(broken, fits) for breach in told[one.place, other.place]]


def _pairs(
    group: Node, level: ResolutionLevel, source: ResolutionLevel, ndim: int
) -> list[tuple[Node, Node]]:
    """The source's arrays of `ndim` dimensions, each with the array of the same name in the level."""
    coarse, fine = arrays_of(group, level), arrays_of(group, source)
    return [
        (array, coarse[name])
        for name, array in fine.items()
        if name in coarse and len(array.shape or ()) == ndim
    ]


def _unlike(
    site: Site, level: ResolutionLevel, scale: Sequence[float], pairs: list[tuple[Node, Node]]
) -> Iterator[Breach]:
    for axis, factor in enumerate(scale):
        for fine, coarse in pairs:
            before, after = (fine.shape or ())[axis], (coarse.shape or ())
            if (
                len(after) != len(scale)
                or not 0 <= min(before, after[axis]) <= max(before, after[axis]) <= MOST
            ):
                continue
            # A remainder below a pixel is rounded up or down, and a factor such as 0.333 is itself rounded.
            if abs(before - factor * after[axis]) >= max(1.0, factor, 0.01 * before):
                ratio = f"{before / after[axis]:.6g}" if after[axis] else "more"
                expected = f"{ratio}, as {fine.path} has {before} and {coarse.path} {after[axis]}"
                path = level.at("transform", "scale", axis)
                yield site.breach(path, expected, show(factor), related=[fine, coarse])
                break


def _all_consolidated(site: Site) -> Iterable[Breach] | Skip:
    block = site.node.document.get("consolidated_metadata")
    entries: Any = block.get("metadata") if is_dict(block) else None
    if not is_dict(entries):
        return Skip("the document has no consolidated metadata: stores create it")
    return [
        site.breach(level.at("asset"), "the path of a node in consolidated_metadata", show(level.asset))
        for level in levels_of(site.node)
        if level.asset and level.asset not in entries
    ]


MULTISCALES: Final = register(
    read_rulebook(
        Path(__file__).with_name("multiscales.toml"),
        attributes={"group": Multiscales},
        functions=(
            _of_one_kind,
            _of_a_level,
            _without_rings,
            _as_many_numbers,
            _scaled,
            _all_consolidated,
            PUBLISHED.check(),
        ),
    )
)
"""Pyramids: `multiscales` of zarr-conventions."""
