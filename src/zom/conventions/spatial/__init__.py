"""spatial: from the indexes of two dimensions, Y and X, to coordinates.

https://github.com/zarr-conventions/spatial/blob/v0.1/README.md. What a group declares holds for the arrays
right in it that have both dimensions and declare nothing themselves; a coordinate such as `x` is none of
them. Within `multiscales.layout`, each level may have its own `spatial:transform` and `spatial:shape`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import Skip, python
from zom.checks.checked_rule import CheckedRule, has
from zom.checks.values import (
    between,
    json_type,
    length,
    member_of,
    one_of,
    required,
    unique,
)
from zom.conventions.affine import affine_of, integers_of, numbers_of
from zom.conventions.framework.convention import Convention, declaration_of, register
from zom.conventions.framework.declarations import declared_as_published
from zom.conventions.framework.near_keys import spelled
from zom.conventions.multiscale_layout import levels_of
from zom.conventions.spatial.attributes import (
    BBOX,
    DIMENSIONS,
    PUBLISHED,
    REGISTRATION,
    SHAPE,
    TEXT,
    TRANSFORM,
    TYPE,
    SpatialArray,
    SpatialGroup,
)
from zom.conventions.spatial.extent import lengths_of, off_by
from zom.extension.registry import did_you_mean, near
from zom.json.python_value import is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zom.checks.check import Breach, Check, Site
    from zom.formats.node_view import Node

__all__ = ["SPATIAL"]

_RAW: Final = "https://raw.githubusercontent.com/zarr-conventions/spatial"


# --- what holds for a node -----------------------------------------------------------------------------------


def _heirs(group: Node) -> list[Node]:
    """The arrays right in a group that declare nothing themselves."""
    return [each for each in group.arrays.values() if declaration_of(SPATIAL, each) is None]


def _of_members(site: Site) -> Iterable[Breach] | Skip:
    dimensions = site.node.attributes.get(DIMENSIONS)
    if (
        not is_list(dimensions)
        or len(dimensions) != 2
        or not all(isinstance(each, str) for each in dimensions)
    ):
        return Skip(f"the group has no {DIMENSIONS}")
    arrays = [each for each in _heirs(site.node) if len(each.dims or ()) >= 2]
    if not arrays:
        return Skip("no array with two named dimensions is right in the group")
    if any(lengths_of(each, dimensions) is not None for each in arrays):
        return ()
    known = list(dict.fromkeys(name for each in arrays for name in each.dims or () if name is not None))
    hint = _near_names(dimensions, known)
    expected = f"two of {', '.join(map(show, known))}"
    return [site.breach(("attributes", DIMENSIONS), expected, show(dimensions), fix=hint, related=arrays[:3])]


def _near_names(dimensions: list[str], known: list[str]) -> str | None:
    """What may be meant: names that differ by case only, or a little."""
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
    """What groups say of an array: the one that it is in, and the levels of the pyramids that it is in."""
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
            "coefficients with a*e - b*d that is not 0",
            site.node.attributes[TRANSFORM],
        )
    ]


def _not_gdals(site: Site) -> Iterable[Breach] | Skip:
    affine = affine_of(site.node.attributes.get(TRANSFORM))
    if affine is None:
        return Skip(f"no {TRANSFORM} of six numbers")
    if affine.c == 0 == affine.e and affine.b != 0 and affine.f != 0 and affine.a != 0:
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
        return Skip(f"no {SHAPE} beside an array that has the {DIMENSIONS}")
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
        return Skip(f"no {BBOX} beside an affine {TRANSFORM}")
    shape = integers_of(node.attributes.get(SHAPE), 2)
    lengths = shape or (lengths_of(node, node.attributes.get(DIMENSIONS)) if node.is_array else None)
    if lengths is None:
        return Skip("the shape of the grid is not known")
    apart = off_by(bbox, node, affine, lengths)
    return () if apart is None else [site.breach(("attributes", BBOX), apart, show(node.attributes[BBOX]))]


def _levels_declare(site: Site) -> Iterable[Breach] | Skip:
    node = site.node
    used = [level.at(key) for level in levels_of(node) for key in level.entry if key.startswith("spatial:")]
    if not used:
        return Skip("no level has attributes of spatial")
    if declaration_of(SPATIAL, node) is not None or any(
        key.startswith("spatial:") for key in node.attributes
    ):
        return ()  # where other attributes are used, those are what is told of
    return [site.breach(used[0], "spatial declared in zarr_conventions", "no declaration of it")]


def _in_levels(check: Check) -> CheckedRule:
    return CheckedRule(
        "layout",
        check,
        must="spatial:transform has six numbers and spatial:shape two in a level of multiscales, too",
        fix="write them as for an array",
        link=f"{TEXT}#usage-with-multiscales-convention",
        source="both",
        each="multiscales.layout[*]",
        on="group",
    )


SPATIAL: Final = register(
    Convention(
        id="spatial",
        version="v0.1",
        title="Spatial coordinates of zarr-conventions",
        link=TEXT,
        uuid=PUBLISHED.uuid,
        aliases=(PUBLISHED.schema_url, TEXT, f"{_RAW}/54d81b7ced0376e63ee10f34db31db7d08dcc28d/schema.json"),
        dead_aliases=(
            f"{_RAW}/refs/tags/v1/schema.json",
            f"{_RAW}/f5c536b9a3386e4127e3d2426dcefeebe6e5bf1a/schema.json",
            "https://github.com/zarr-conventions/spatial/blob/v1/README.md",
        ),
        attributes={"group": SpatialGroup, "array": SpatialArray},
        owns=("spatial:*",),
        within=("multiscales.layout[*]",),
        signs=(
            *((has(name),) for name in (DIMENSIONS, BBOX, TYPE, TRANSFORM, SHAPE, REGISTRATION)),
            *((has(f"multiscales.layout[*].{name}"),) for name in (TRANSFORM, SHAPE)),
        ),
        declared=True,
        rules=(
            CheckedRule(
                "shape-positive",
                between(1, at=f"{SHAPE}[*]"),
                must="the lengths in spatial:shape are at least 1",
                fix="write the lengths of the Y and the X dimension",
                link=f"{TEXT}#spatialshape",
                source="schema",
            ),
            *(
                _in_levels(each)
                for each in (
                    json_type(["array"], at=f".{TRANSFORM}"),
                    length(f".{TRANSFORM}", equals=6),
                    json_type(["number"], at=f".{TRANSFORM}[*]"),
                    json_type(["array"], at=f".{SHAPE}"),
                    length(f".{SHAPE}", equals=2),
                    json_type(["integer"], at=f".{SHAPE}[*]"),
                )
            ),
            CheckedRule(
                "spelling",
                spelled("spatial:", (DIMENSIONS, BBOX, TYPE, TRANSFORM, SHAPE, REGISTRATION)),
                should="an attribute that begins with spatial: is not nearly one of the convention's: readers pass over it",
                fix="correct the name",
                link=f"{TEXT}#properties",
            ),
            CheckedRule(
                "layout-declared",
                python(_levels_declare),
                must="a group declares spatial where the levels of its pyramid have attributes of it",
                fix="add spatial to zarr_conventions",
                link=f"{TEXT}#convention-registration",
                on="group",
            ),
            CheckedRule(
                "dimensions-distinct",
                unique(f"{DIMENSIONS}[*]"),
                must="the two names in spatial:dimensions differ",
                fix="write the name of the Y and that of the X dimension",
                link=f"{TEXT}#spatialdimensions",
            ),
            CheckedRule(
                "dimension-names",
                required("@dims"),
                must="an array that declares spatial has dimension names",
                fix="add dimension_names to the array",
                link=f"{TEXT}#spatialdimensions",
                on="array",
            ),
            CheckedRule(
                "dimensions-named",
                member_of(f"{DIMENSIONS}[*]", "@dims[*]"),
                must="each of spatial:dimensions is one of the array's dimension names",
                fix="write the names that the array gives its dimensions",
                link=f"{TEXT}#spatialdimensions",
                on="array",
            ),
            CheckedRule(
                "dimensions-of-members",
                python(_of_members),
                should="the spatial:dimensions of a group are those of at least one array in it",
                fix="write the names that the arrays give their dimensions",
                link=f"{TEXT}#can-i-use-spatial-at-the-group-level",
                on="group",
            ),
            CheckedRule(
                "transform-required",
                python(_has_transform),
                must="an array has a spatial:transform where its transform type is affine or not given: its own, its "
                "group's, or that of its level",
                fix="add spatial:transform, or name another spatial:transform_type",
                link=f"{TEXT}#spatialtransform",
                on="array",
            ),
            CheckedRule(
                "transform-invertible",
                python(_invertible),
                should="the axes of spatial:transform span an area: a*e - b*d is not 0",
                fix="correct the coefficients; their order is [a, b, c, d, e, f]",
                link=f"{TEXT}#spatialtransform",
            ),
            CheckedRule(
                "transform-order",
                python(_not_gdals),
                note="spatial:transform is not in the order of GDAL: c, a, b, f, d, e",
                fix="reorder it as [gt[1], gt[2], gt[0], gt[4], gt[5], gt[3]]",
                link=f"{TEXT}#coefficient-ordering",
            ),
            CheckedRule(
                "transform-known",
                one_of(["affine"], at=TYPE),
                note="the transform type is one that the convention defines: affine",
                fix="check that readers know the type",
                link=f"{TEXT}#spatialtransform_type",
            ),
            CheckedRule(
                "shape-of-array",
                python(_lengths_agree),
                must="spatial:shape has the lengths of the two dimensions that spatial:dimensions names",
                fix="write the lengths of the array's Y and X dimension",
                link=f"{TEXT}#spatialshape",
            ),
            CheckedRule(
                "bbox-order",
                python(_ordered),
                must="in spatial:bbox, no minimum is above its maximum",
                fix="write [xmin, ymin, xmax, ymax]",
                link=f"{TEXT}#spatialbbox",
            ),
            CheckedRule(
                "bbox-extent",
                python(_as_the_transform_says),
                should="spatial:bbox is the extent that spatial:transform and the shape give, to half a cell",
                fix="derive the bounding box from the transform",
                link=f"{TEXT}#spatialregistration",
                after=("shape*", "transform*", "dimensions*"),
            ),
            declared_as_published(PUBLISHED, f"{TEXT}#convention-registration"),
        ),
    )
)
