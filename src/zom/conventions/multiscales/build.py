"""Build pyramids: groups of levels that record the source and the position in space of each level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from zom.conventions.affine import affine_of
from zom.conventions.multiscales.rules import PUBLISHED
from zom.conventions.proj import PUBLISHED as PROJ
from zom.conventions.spatial.attributes import BBOX, DIMENSIONS, SHAPE, TRANSFORM
from zom.conventions.spatial.attributes import PUBLISHED as SPATIAL
from zom.formats.v3 import ArraySpec, GroupSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zom.conventions.affine import Affine

__all__ = ["group", "multiscales"]


def multiscales(
    layout: Iterable[Mapping[str, Any]], *, resampling_method: str | None = None
) -> dict[str, Any]:
    """The attributes of a pyramid group with this `layout`: the declaration and `multiscales`.

    >>> attributes = multiscales([{"asset": "0"}, {"asset": "1", "derived_from": "0", "transform": {"scale": [2, 2]}}])
    >>> sorted(attributes), attributes["multiscales"]["layout"][0]
    (['multiscales', 'zarr_conventions'], {'asset': '0'})
    """
    method = {} if resampling_method is None else {"resampling_method": resampling_method}
    return {
        "zarr_conventions": [PUBLISHED.declaration],
        "multiscales": {"layout": [dict(level) for level in layout], **method},
    }


class _Grid(NamedTuple):
    """The properties that all levels share, and the position of the finest level."""

    dimensions: tuple[str, str]
    factors: tuple[int, int]
    affine: Affine | None
    crs: Mapping[str, Any]

    def lengths(self, finest: tuple[int, int], level: int) -> tuple[int, int]:
        """The lengths of the dimensions at a level, rounded up: a remainder becomes one more cell."""
        y, x = (-(-length // factor**level) for length, factor in zip(finest, self.factors, strict=True))
        return y, x

    def transform(self, level: int) -> list[float] | None:
        """The transform of a level: larger cells from the same corner."""
        if self.affine is None:
            return None
        y, x = (factor**level for factor in self.factors)
        return list(self.affine.scaled(y, x))

    def declared(self) -> tuple[list[dict[str, str]], dict[str, Any]]:
        """The declarations of spatial and proj, and the attributes that every level shares."""
        entries: list[dict[str, str]] = []
        said: dict[str, Any] = {}
        if self.affine is not None:
            entries.append(SPATIAL.declaration)
            said[DIMENSIONS] = list(self.dimensions)
        if self.crs:
            entries.append(PROJ.declaration)
            said.update({f"proj:{name}": value for name, value in self.crs.items()})
        return entries, said


def group(  # noqa: PLR0913 - a pyramid has that many properties
    arrays: Mapping[str, ArraySpec],
    *,
    levels: int = 2,
    factor: int | Sequence[int] = 2,
    dimensions: tuple[str, str] = ("y", "x"),
    names: Sequence[str] | None = None,
    resampling_method: str | None = None,
    transform: Sequence[float] | None = None,
    crs: Mapping[str, Any] | None = None,
    attributes: Mapping[str, Any] | None = None,
) -> GroupSpec:
    """A pyramid: a group of `levels` groups, each with all of `arrays`, from the finest to the coarsest.

    `arrays` are those of the finest level. From level to level, the two `dimensions`, Y and X, shrink by
    `factor`, one number or two; arrays without both keep their shape in them. Pass `transform`, the six
    numbers of spatial for the finest level, to position every level in space. `crs` names the coordinate
    reference system: any of `code`, `wkt2` and `projjson`.

    >>> from zom import v3
    >>> red = v3.ArraySpec.build(shape=(9, 8), dtype="uint8", dimension_names=("y", "x"))
    >>> pyramid = group({"red": red}, transform=[10, 0, 500000, 0, -10, 5000000])
    >>> pyramid.attributes["multiscales"]["layout"][1]["spatial:transform"]
    [20.0, 0.0, 500000.0, 0.0, -20.0, 5000000.0]
    >>> pyramid.members["1"].members["red"].shape
    (5, 4)
    """
    labels = [str(level) for level in range(levels)] if names is None else list(names)
    if not labels or len(set(labels)) != len(labels):
        raise ValueError(f"levels: expected one or more levels with different names, got {labels!r}")
    factors = (factor, factor) if isinstance(factor, int) else tuple(factor)
    if len(factors) != 2 or any(each < 1 for each in factors):
        raise ValueError(f"factor: expected one or two positive integers, got {factor!r}")
    affine = None if transform is None else affine_of(list(transform))
    if transform is not None and affine is None:
        raise ValueError(f"transform: expected six numbers [a, b, c, d, e, f], got {transform!r}")
    grid = _Grid(dimensions, (factors[0], factors[1]), affine, _checked(crs))
    finest = _lengths(arrays, dimensions)
    root = multiscales(
        (_entry(grid, finest, labels, level) for level in range(len(labels))),
        resampling_method=resampling_method,
    )
    entries, said = grid.declared()
    root["zarr_conventions"] += entries
    if affine is not None:
        said[BBOX] = list(affine.extent(*finest))
    members = {name: _level(grid, arrays, finest, level) for level, name in enumerate(labels)}
    return GroupSpec(attributes={**(attributes or {}), **root, **said}, members=members)


def _checked(crs: Mapping[str, Any] | None) -> Mapping[str, Any]:
    unknown = [name for name in crs or {} if name not in {"code", "wkt2", "projjson"}]
    if unknown or crs == {}:
        raise ValueError(f"crs: expected any of code, wkt2 and projjson, got {', '.join(unknown) or 'none'}")
    return crs or {}


def _lengths(arrays: Mapping[str, ArraySpec], dimensions: tuple[str, str]) -> tuple[int, int]:
    """The lengths of the two dimensions in the arrays that have both."""
    found: dict[tuple[int, int], str] = {}
    for name, array in arrays.items():
        dims = array.dimension_names or ()
        if all(each in dims for each in dimensions):
            y, x = (array.shape[dims.index(each)] for each in dimensions)
            found.setdefault((y, x), name)
    if len(found) != 1:
        shown = ", ".join(f"{name} {lengths}" for lengths, name in found.items())
        wanted = f"arrays with the dimensions {dimensions!r}, all of the same lengths"
        raise ValueError(f"arrays: expected {wanted}, got {shown or 'none'}")
    return next(iter(found))


def _entry(grid: _Grid, finest: tuple[int, int], labels: Sequence[str], level: int) -> dict[str, Any]:
    """The layout entry of a level."""
    entry: dict[str, Any] = {"asset": labels[level]}
    scale = [1.0, 1.0] if level == 0 else [float(each) for each in grid.factors]
    if level:
        entry["derived_from"] = labels[level - 1]
    entry["transform"] = {"scale": scale}
    placed = grid.transform(level)
    if placed is not None:
        entry["transform"]["translation"] = [0.0, 0.0]
        entry[SHAPE] = list(grid.lengths(finest, level))
        entry[TRANSFORM] = placed
    return entry


def _level(grid: _Grid, arrays: Mapping[str, ArraySpec], finest: tuple[int, int], level: int) -> GroupSpec:
    """The group of a level with its own position, since its parent's attributes don't apply to its arrays."""
    lengths = dict(zip(grid.dimensions, grid.lengths(finest, level), strict=True))
    members: dict[str, ArraySpec] = {}
    for name, array in arrays.items():
        dims = array.dimension_names or (None,) * len(array.shape)
        shape = [lengths.get(dim or "", length) for dim, length in zip(dims, array.shape, strict=True)]
        members[name] = array if list(array.shape) == shape else array.replace(shape=shape)
    entries, said = grid.declared()
    placed = grid.transform(level)
    if placed is not None:
        said |= {SHAPE: [lengths[name] for name in grid.dimensions], TRANSFORM: placed}
    declared = {"zarr_conventions": entries} if entries else {}
    return GroupSpec(attributes={**declared, **said}, members=members)
