"""spatial: from the indexes of two dimensions, Y and X, to coordinates.

https://github.com/zarr-conventions/spatial/blob/v0.1/README.md. A group's attributes apply to its direct
child arrays that have both dimensions and declare nothing themselves, so not to a coordinate such as `x`.
Within `multiscales.layout`, each level may have its own `spatial:transform` and `spatial:shape`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import Skip
from zom.conventions.affine import Affine, affine_of, integers_of, numbers_of
from zom.conventions.framework.convention import declaration_of
from zom.conventions.framework.near_keys import spelled
from zom.conventions.framework.registered import register
from zom.conventions.framework.rulebook import read_rulebook
from zom.conventions.multiscale_layout import levels_of
from zom.conventions.spatial.attributes import (
    BBOX,
    DIMENSIONS,
    PUBLISHED,
    REGISTRATION,
    SHAPE,
    TRANSFORM,
    TYPE,
    SpatialArray,
    SpatialGroup,
)
from zom.conventions.spatial.extent import lengths_of, off_by
from zom.extension.registry import did_you_mean, near
from zom.formats.node_view import Node
from zom.json.python_value import is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zom.checks.check import Breach, Site

__all__ = ["SPATIAL"]

# --- attributes that apply to a node ---------------------------------------------------------------------


def _heirs(group: Node) -> list[Node]:
    """The direct child arrays of a group that declare nothing themselves."""
    return [each for each in group.arrays.values() if declaration_of(SPATIAL, each) is None]


def _in_levels(group: Node) -> list[Node]:
    """The arrays with named dimensions in the levels of a pyramid that declare nothing themselves."""
    levels = [group.at(level.asset) for level in levels_of(group) if level.asset]
    nodes = [level for level in levels if isinstance(level, Node)]
    arrays = [each for node in nodes for each in ([node] if node.is_array else _heirs(node))]
    return [each for each in arrays if len(each.dims or ()) >= 2]


def _of_members(site: Site) -> Iterable[Breach] | Skip:
    dimensions = site.node.attributes.get(DIMENSIONS)
    if (
        not is_list(dimensions)
        or len(dimensions) != 2
        or not all(isinstance(each, str) for each in dimensions)
    ):
        return Skip(f"the group has no {DIMENSIONS}")
    arrays = [each for each in _heirs(site.node) if len(each.dims or ()) >= 2] or _in_levels(site.node)
    if not arrays:
        return Skip(
            "no array with two named dimensions is directly in the group or in a level of its pyramid"
        )
    if any(lengths_of(each, dimensions) is not None for each in arrays):
        return ()
    known = list(dict.fromkeys(name for each in arrays for name in each.dims or () if name is not None))
    hint = _near_names(dimensions, known)
    expected = f"two of {', '.join(map(show, known))}"
    return [site.breach(("attributes", DIMENSIONS), expected, show(dimensions), fix=hint, related=arrays[:3])]


def _near_names(dimensions: list[str], known: list[str]) -> str | None:
    """A suggestion: names that differ by case only, or slightly."""
    folded = {name.casefold(): name for name in known}
    if all(name.casefold() in folded for name in dimensions):
        return f"did you mean {show([folded[name.casefold()] for name in dimensions])}?"
    found = (near(name, known) for name in dimensions if name not in known)
    return did_you_mean(next(filter(None, found), ()))


def _has_transform(site: Site) -> Iterable[Breach] | Skip:
    node = site.node
    kind = node.attributes.get(TYPE, "affine")
    if kind != "affine":
        return ()
    if TRANSFORM in node.attributes or any(TRANSFORM in each for each in _above(node)):
        return ()
    return [site.breach(("attributes", TRANSFORM), "six numbers, as the transform is affine", "nothing")]


def _above(node: Node) -> Iterator[Any]:
    """The attributes that apply to an array from above: its group's, and those of its pyramid levels."""
    parent = node.parent
    if parent is not None and declaration_of(SPATIAL, parent) is not None:
        yield parent.attributes
    for group in node.ancestors():
        for level in levels_of(group):
            if level.asset and group.at(level.asset) in (node, parent):
                yield level.entry


def _invertible(site: Site) -> Iterable[Breach] | Skip:
    affine = affine_of(site.node.attributes.get(TRANSFORM))
    if affine is None:
        return Skip(f"no {TRANSFORM} of six numbers")
    if affine.determinant != 0:
        return ()
    return [
        site.breach(
            ("attributes", TRANSFORM),
            "coefficients with a nonzero a*e - b*d",
            site.node.attributes[TRANSFORM],
        )
    ]


def _looks_like_gdals(affine: Affine) -> bool:
    return affine.c == 0 == affine.e and affine.b != 0 and affine.f != 0 and affine.a != 0


def _not_gdals(site: Site) -> Iterable[Breach] | Skip:
    affine = affine_of(site.node.attributes.get(TRANSFORM))
    if affine is None:
        return Skip(f"no {TRANSFORM} of six numbers")
    if _looks_like_gdals(affine):
        path = ("attributes", TRANSFORM)
        return [
            site.breach(
                path,
                "[a, b, c, d, e, f]",
                f"{show(site.node.attributes[TRANSFORM])}, which looks like GDAL's order",
            )
        ]
    return ()


def _lengths_agree(site: Site) -> Iterable[Breach] | Skip:
    node = site.node
    said = integers_of(node.attributes.get(SHAPE), 2)
    arrays = [node] if node.is_array else _heirs(node)
    dimensions = node.attributes.get(DIMENSIONS)
    found = [(each, lengths) for each in arrays if (lengths := lengths_of(each, dimensions)) is not None]
    if said is None or not found:
        return Skip(f"no {SHAPE}, or no array that has the {DIMENSIONS}")
    breaches: list[Breach] = []
    for axis, name in enumerate(("Y", "X")):
        for each, lengths in found:
            if lengths[axis] != said[axis]:
                place = "" if each is node else f", as in {each.path}"
                path = ("attributes", SHAPE, axis)
                expected = f"{lengths[axis]} for the {name} dimension{place}"
                breaches.append(
                    site.breach(path, expected, show(said[axis]), related=[] if each is node else [each])
                )
                break
    return breaches


def _ordered(site: Site) -> Iterable[Breach] | Skip:
    bbox = numbers_of(site.node.attributes.get(BBOX), 4)
    if bbox is None:
        return Skip(f"no {BBOX} of four numbers")
    return [
        site.breach(
            ("attributes", BBOX, axis + 2), f"{name}max, at least {show(bbox[axis])}", show(bbox[axis + 2])
        )
        for axis, name in enumerate("xy")
        if bbox[axis] > bbox[axis + 2]
    ]


def _as_the_transform_says(site: Site) -> Iterable[Breach] | Skip:
    node = site.node
    bbox, affine = numbers_of(node.attributes.get(BBOX), 4), affine_of(node.attributes.get(TRANSFORM))
    if node.attributes.get(TYPE, "affine") != "affine" or bbox is None or affine is None:
        return Skip(f"no {BBOX} with an affine {TRANSFORM}")
    shape = integers_of(node.attributes.get(SHAPE), 2)
    lengths = shape or (lengths_of(node, node.attributes.get(DIMENSIONS)) if node.is_array else None)
    if lengths is None:
        return Skip("the shape of the grid is not known")
    apart = off_by(bbox, node, affine, lengths)
    if apart is None:
        return ()
    fix = f"reorder {TRANSFORM}, which looks like GDAL's order" if _looks_like_gdals(affine) else None
    return [site.breach(("attributes", BBOX), apart, show(node.attributes[BBOX]), fix=fix)]


def _levels_declare(site: Site) -> Iterable[Breach] | Skip:
    node = site.node
    used = [level.at(key) for level in levels_of(node) for key in level.entry if key.startswith("spatial:")]
    if not used:
        return Skip("no level has spatial attributes")
    if declaration_of(SPATIAL, node) is not None or any(
        key.startswith("spatial:") for key in node.attributes
    ):
        return ()  # other attributes without a declaration are reported instead
    return [site.breach(used[0], "spatial declared in zarr_conventions", "no declaration of it")]


SPATIAL: Final = register(
    read_rulebook(
        Path(__file__).with_name("spatial.toml"),
        attributes={"group": SpatialGroup, "array": SpatialArray},
        functions=(
            spelled("spatial:", (DIMENSIONS, BBOX, TYPE, TRANSFORM, SHAPE, REGISTRATION)),
            PUBLISHED.check(),
            _levels_declare,
            _of_members,
            _has_transform,
            _invertible,
            _not_gdals,
            _lengths_agree,
            _ordered,
            _as_the_transform_says,
        ),
    )
)
"""Coordinates in space: `spatial` of zarr-conventions."""
