"""GeoZarr: multiscales, spatial and proj together, and where they have to agree.

https://github.com/zarr-developers/geozarr-spec. GeoZarr is made of those conventions, each with its own
rules. The rules here compare what two of them say about the same thing, in pyramids with positions in space.
A rule does not apply if one of the two says nothing.
"""

from __future__ import annotations

from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING, Final

from zom.checks.check import Skip
from zom.checks.checked_rule import holds
from zom.conventions.affine import affine_of, integers_of, numbers_of
from zom.conventions.framework.registered import register
from zom.conventions.framework.rulebook import read_rulebook
from zom.conventions.multiscale_layout import arrays_of, factors_of, levels_of, odd_levels, sources_of
from zom.conventions.spatial.attributes import (
    BBOX,
    DIMENSIONS,
    REGISTRATION,
    SHAPE,
    TRANSFORM,
)
from zom.conventions.spatial.extent import lengths_of, off_by
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zom.checks.check import Breach, Site
    from zom.conventions.affine import Affine
    from zom.conventions.multiscale_layout import ResolutionLevel
    from zom.formats.node_view import Node

__all__ = ["GEOZARR"]


class _Step:
    """A level made from another level, with the positions of both in space."""

    def __init__(self, level: ResolutionLevel, source: ResolutionLevel, here: Affine, there: Affine) -> None:
        self.level = level
        self.here = here
        self.there = there
        self.scale = level.numbers("scale")
        self.translation = level.numbers("translation") or ()
        self.source = source


def _steps(node: Node) -> Iterator[_Step]:
    for level, source in sources_of(levels_of(node)):
        here, there = affine_of(level.entry.get(TRANSFORM)), affine_of(source.entry.get(TRANSFORM))
        if here is not None and there is not None:
            yield _Step(level, source, here, there)


_NO_STEP: Final = Skip("no level with a spatial:transform is derived from one with a spatial:transform")


def _cells_are_scaled(site: Site) -> Iterable[Breach] | Skip:
    steps = [step for step in _steps(site.node) if step.scale is not None and len(step.scale) == 2]
    if not steps:
        return _NO_STEP
    factors = factors_of(levels_of(site.node))
    # scale is in the order of spatial:dimensions: first Y with the coefficients b and e, then X with a and d.
    return [
        breach for axis, place in ((1, 0), (0, 4)) for breach in _off_scale(site, steps, factors, axis, place)
    ]


def _off_scale(
    site: Site, steps: Sequence[_Step], factors: Mapping[int, Sequence[float]], axis: int, place: int
) -> Iterator[Breach]:
    cells = _by_level((step, step.here.cell[axis], step.there.cell[axis]) for step in steps)
    scales = {(step.level.place, step.source.place): (step.scale or ())[axis] for step in steps}

    def factor(level: ResolutionLevel, other: ResolutionLevel) -> float | None:
        """The expected ratio of the cell sizes of two levels."""
        if (level.place, other.place) in scales:
            return scales[level.place, other.place]
        if level.place not in factors or other.place not in factors:
            return None
        return factors[level.place][axis] / factors[other.place][axis]

    def fits(level: ResolutionLevel, other: ResolutionLevel) -> bool:
        by = factor(level, other)
        return by is not None and isclose(
            cells[other.place] * by, cells[level.place], rel_tol=0.01, abs_tol=0.0
        )

    broken = [(step.level, step.source) for step in steps if not fits(step.level, step.source)]
    for level, other in odd_levels(broken, fits):
        by = factor(level, other) or 0.0
        wanted = show(round(cells[other.place] * by, 9))
        expected = f"a cell of {wanted}, {by:g} times that of {show(other.asset)}"
        yield site.breach(level.at(TRANSFORM, place), expected, show(round(cells[level.place], 9)))


def _by_level(found: Iterable[tuple[_Step, float, float]]) -> dict[int, float]:
    """A number for each level, by its place, from pairs of a level and its source."""
    numbers: dict[int, float] = {}
    for step, here, there in found:
        numbers.update({step.level.place: here, step.source.place: there})
    return numbers


def _are_areas(node: Node) -> bool:
    return bool(node.attributes.get(REGISTRATION, "pixel") == "pixel")


def _shifted(step: _Step) -> list[int]:
    """The origin coefficients that differ by more than a hundredth of a source cell."""
    y, x = step.there.cell
    pairs = ((2, step.there.c, step.here.c, x), (5, step.there.f, step.here.f, y))
    return [place for place, there, here, cell in pairs if abs(there - here) > 0.01 * cell]


def _origin_stays(site: Site) -> Iterable[Breach] | Skip:
    if not _are_areas(site.node):
        return Skip("the cells are points")
    steps = list(_steps(site.node))
    if not steps:
        return _NO_STEP
    return [breach for place in (2, 5) for breach in _off_origin(site, steps, place)]


def _off_origin(site: Site, steps: Sequence[_Step], place: int) -> Iterator[Breach]:
    origins = _by_level((step, step.here[place], step.there[place]) for step in steps)
    broken = [
        (step.level, step.source) for step in steps if not any(step.translation) and place in _shifted(step)
    ]
    cell = min((min(step.there.cell) for step in steps), default=0.0)

    def fits(level: ResolutionLevel, other: ResolutionLevel) -> bool:
        return abs(origins[level.place] - origins[other.place]) <= 0.01 * cell

    for level, other in odd_levels(broken, fits):
        expected = f"{show(origins[other.place])}, as for {show(other.asset)}"
        yield site.breach(level.at(TRANSFORM, place), expected, show(origins[level.place]))


def _translation_is_an_offset(site: Site) -> Iterable[Breach] | Skip:
    if not _are_areas(site.node):
        return Skip("the cells are points")
    steps = [step for step in _steps(site.node) if step.translation]
    if not steps:
        return Skip("no level with a spatial:transform has a translation")
    return [
        site.breach(
            step.level.at("transform", "translation"),
            f"{show([0.0] * len(step.translation))}, as the origin is that of {show(step.source.asset)}",
            show(list(step.translation)),
        )
        for step in steps
        if any(step.translation) and not _shifted(step)
    ]


def _levels_are_placed(site: Site) -> Iterable[Breach] | Skip:
    if not _is_placed(site):
        return Skip("the levels do not use spatial")
    levels = levels_of(site.node)
    return [
        site.breach(level.at(name), f"a value at {show(name)}", "nothing")
        for level in levels
        for name in (TRANSFORM, SHAPE)
        if name not in level.entry
    ]


def _levels_have_lengths(site: Site) -> Iterable[Breach] | Skip:
    dimensions = site.node.attributes.get(DIMENSIONS)
    compared = False
    breaches: list[Breach] = []
    for level in levels_of(site.node):
        said = integers_of(level.entry.get(SHAPE), 2)
        for array in arrays_of(site.node, level).values():
            found = lengths_of(array, dimensions or array.attributes.get(DIMENSIONS))
            if said is None or found is None:
                continue
            compared = True
            wrong = [axis for axis in (0, 1) if said[axis] != found[axis]]
            breaches += [
                site.breach(
                    level.at(SHAPE, axis),
                    f"{found[axis]}, as in {array.path}",
                    str(said[axis]),
                    related=[array],
                )
                for axis in wrong
            ]
            if wrong:
                break
    return (
        breaches if compared else Skip("no level with a spatial:shape has arrays with the spatial:dimensions")
    )


def _scale_has_axes(site: Site) -> Iterable[Breach] | Skip:
    if not _is_placed(site):
        return Skip("the levels do not use spatial")
    found = [
        (level, scale) for level in levels_of(site.node) if (scale := level.numbers("scale")) is not None
    ]
    if not found:
        return Skip("no level has a scale")
    breaches: list[Breach] = []
    for level, scale in found:
        ndims = {array.ndim for array in arrays_of(site.node, level).values()}
        if len(scale) != 2 and len(scale) not in ndims:
            path = level.at("transform", "scale")
            breaches.append(site.breach(path, "2 numbers, for Y and X", f"{len(scale)}: {show(list(scale))}"))
    return breaches


def _bbox_is_a_level_s(site: Site) -> Iterable[Breach] | Skip:
    node = site.node
    bbox = numbers_of(node.attributes.get(BBOX), 4)
    placed = [
        (affine, shape)
        for level in levels_of(node)
        if (affine := affine_of(level.entry.get(TRANSFORM))) is not None
        and (shape := integers_of(level.entry.get(SHAPE), 2)) is not None
    ]
    if bbox is None or not placed:
        return Skip(f"no {BBOX}, or no level with {TRANSFORM} and {SHAPE}")
    apart = [off_by(bbox, node, affine, shape) for affine, shape in placed]
    if any(each is None for each in apart):
        return ()
    return [site.breach(("attributes", BBOX), str(apart[0]), show(node.attributes[BBOX]))]


def _is_placed(site: Site) -> bool:
    """Whether both conventions are present; rules that a caller asks for also run where they are absent."""
    return any(all(holds(each, site) for each in conditions) for conditions in GEOZARR.signs)


GEOZARR: Final = register(
    read_rulebook(
        Path(__file__).with_name("geozarr.toml"),
        functions=(
            _cells_are_scaled,
            _origin_stays,
            _translation_is_an_offset,
            _levels_are_placed,
            _levels_have_lengths,
            _scale_has_axes,
            _bbox_is_a_level_s,
        ),
    )
)
