"""Designs: the plan of a pyramid, complete before anything is written.

A design has the levels with their arrays, and the attributes that describe them. The attributes are written
last, so that readers never see an incomplete pyramid.
"""

from __future__ import annotations

import math
from dataclasses import field
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from zom.conventions import multiscales as shared
from zom.conventions.ome.build import axes_of, image_of, pixels_of
from zom.conventions.ome.build_arrays import array_of
from zom.conventions.ome.build_levels import levels_of
from zom.count import count_of
from zom.dataclass import dataclass
from zom.formats.resolve import resolve
from zom.json.value import thaw
from zom.pyramids.existing import Existing
from zom.pyramids.scaling import steps_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zom.conventions.ome.build import Channel
    from zom.conventions.ome.build_levels import BuiltLevel
    from zom.model.spec import Spec
    from zom.pyramids.method import Method
    from zom.pyramids.scaling import Factors
    from zom.pyramids.source import Source

__all__ = ["CONVENTIONS", "Choices", "ConventionName", "Design", "design_of", "like_finest"]

ConventionName: TypeAlias = Literal["ome/0.4", "ome/0.5", "ome/0.6", "multiscales"]
"""The conventions that can describe a pyramid."""

CONVENTIONS: Final = ("ome/0.4", "ome/0.5", "ome/0.6", "multiscales")


@dataclass(frozen=True, slots=True)
class Choices:
    """The caller's options for the levels and their metadata."""

    method: Method
    convention: str
    axes: str | Sequence[str] | None = None
    factors: Factors | None = None
    levels: int | None = None
    scale: Mapping[str, float] | Sequence[float] = ()
    translation: Mapping[str, float] | Sequence[float] = ()
    units: Mapping[str, str] | None = None
    types: Mapping[str, str] | None = None
    name: str | None = None
    channels: Sequence[Channel] = ()
    arrays: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Arguments for `ArraySpec.build`."""


@dataclass(frozen=True, slots=True)
class Design:
    """The levels, arrays and attributes of a pyramid to write."""

    levels: tuple[BuiltLevel, ...]
    arrays: Mapping[str, Spec]
    """The array of each level by path, the finest first."""
    attributes: Mapping[str, Any]
    """The group attributes that describe the levels."""


def design_of(source: Source, choices: Choices, existing: Existing | None = None, first: str = "0") -> Design:
    """Design the pyramid of `source`; metadata of `existing` is rewritten, and level `first` stays."""
    old = existing or Existing(choices.convention)
    names = _names(source, choices, old)
    if len(names) != len(source.shape):
        raise ValueError(
            f"axes: expected {count_of(len(source.shape), 'name')}, one for each dimension, got {names}"
        )
    if choices.convention == "multiscales":
        return _shared(source, choices, old, names, first)
    return _image(source, choices, old, names, first)


def _names(source: Source, choices: Choices, old: Existing) -> list[str]:
    if choices.axes is not None:
        return list(choices.axes)
    if old.axes is not None:
        return [axis["name"] for axis in old.axes]
    if source.names is not None:
        return list(source.names)
    if len(source.shape) == 2:
        return ["y", "x"]
    wanted = f"the names of {len(source.shape)} axes, as the image doesn't name its dimensions"
    raise ValueError(f'axes: expected {wanted}, got none; pass axes="zyx", "tczyx" or a list of names')


# --- OME-Zarr -------------------------------------------------------------------------------------------


def _image(source: Source, choices: Choices, old: Existing, names: list[str], first: str) -> Design:
    form: Any = choices.convention.removeprefix("ome/")
    if choices.axes is None and old.axes is not None and choices.units is None and choices.types is None:
        axes = list(old.axes)
    else:
        axes = axes_of(names, choices.types or {}, choices.units)
    space = [axis["name"] for axis in axes if axis.get("type") == "space"]
    steps = steps_of(choices.factors, names, space)
    built = _levels(
        source,
        choices,
        names,
        steps,
        scale=pixels_of(names, _given(choices.scale, old.scale)),
        start=pixels_of(names, _given(choices.translation, old.translation), "translation", 0),
    )
    _check_sizes(built)
    made = _named(built, old, first)
    spec = image_of(
        axes,
        made,
        {},
        form,
        name=choices.name or old.entry.get("name") or "image",
        channels=choices.channels,
        dtype=source.dtype,
        method=choices.method.name,
        details=_details(choices.method, made, names),
    )
    return Design(made, _arrays(source, choices, made, names, form), _merged(spec, old))


def _given(chosen: Any, old: tuple[float, ...]) -> Any:
    """Return the caller's value, or that of the group; both may be empty."""
    return chosen if chosen is not None and len(chosen) else old


def _check_sizes(made: Sequence[BuiltLevel]) -> None:
    for level in made:
        if not all(math.isfinite(each) for each in (*level.scale, *level.translation)):
            found = f"{level.scale} and {level.translation} of level {level.path}"
            raise ValueError(f"scale: expected elements of finite size and place at every level, got {found}")


def _merged(spec: Any, old: Existing) -> dict[str, Any]:
    """Return the attributes, with the old members that don't describe levels."""
    attributes = cast("dict[str, Any]", thaw(spec.document["attributes"]))
    holder: dict[str, Any] = attributes.get("ome", attributes)
    entry: dict[str, Any] = holder["multiscales"][0]
    if old.system is not None:
        entry["coordinateSystems"] = old.entry["coordinateSystems"]
        for dataset in entry["datasets"]:
            dataset["coordinateTransformations"][0]["output"] = {"name": old.system}
    holder["multiscales"] = [{**old.entry, **entry}]
    return attributes


def _details(method: Method, made: Sequence[BuiltLevel], names: Sequence[str]) -> dict[str, Any]:
    """Return the `metadata` of a multiscale image, which describes the method."""
    factors = [
        {name: factor for name, factor in zip(names, level.factors, strict=True) if factor > 1}
        for level in made[1:]
    ]
    try:
        number = {"version": version("zom")}
    except PackageNotFoundError:  # zom is not installed, as in a checkout
        number = {}
    return {
        "description": f"each element of a level is {method.words} of a block of the previous level; the last blocks "
        "may be smaller",
        "method": "zom.pyramid",
        **number,
        "kwargs": {"method": method.name, "factors": factors},
    }


# --- the multiscales convention -------------------------------------------------------------------------


def _shared(source: Source, choices: Choices, old: Existing, names: list[str], first: str) -> Design:
    for what in ("scale", "translation", "units", "types", "name", "channels"):
        value = getattr(choices, what)
        if value is not None and len(value):
            reason = "as the convention multiscales has no member for it"
            raise ValueError(f"{what}: expected none, {reason}, got {getattr(choices, what)!r}")
    if len(set(names)) != len(names):
        raise ValueError(f"axes: expected different names, got {names!r}")
    made = _named(_levels(source, choices, names, steps_of(choices.factors, names, names[-2:])), old, first)
    layout: list[dict[str, Any]] = []
    for level in made:
        moved = [(factor - 1) / 2 if choices.method.centered else 0.0 for factor in level.factors]
        derived = {"derived_from": layout[-1]["asset"]} if layout else {}
        transform = {"scale": [float(factor) for factor in level.factors], "translation": moved}
        layout.append({"asset": level.path, **derived, "transform": transform})
    said = shared.multiscales(layout, resampling_method=choices.method.resampling)
    said["multiscales"] = {**old.entry, **said["multiscales"]}
    return Design(made, _arrays(source, choices, made, names, "0.5"), said)


# --- both -----------------------------------------------------------------------------------------------


def _levels(  # noqa: PLR0913 - each is an option of the caller
    source: Source,
    choices: Choices,
    names: Sequence[str],
    steps: Sequence[Mapping[str, int]],
    *,
    scale: Sequence[float] = (),
    start: Sequence[float] | None = None,
) -> list[BuiltLevel]:
    return levels_of(
        names,
        source.shape,
        scale or [1.0] * len(names),
        factors=steps,
        levels=choices.levels,
        start=start,
        first=() if choices.method.centered else names,
    )


def _named(made: Sequence[BuiltLevel], old: Existing, first: str) -> tuple[BuiltLevel, ...]:
    """Return the levels with their paths: the existing paths of a pyramid, then numbers."""
    taken = [first, *old.paths[1:]] if old.paths[:1] == (first,) else [first]
    free = (str(number) for number in range(1, len(made) + len(taken) + 1) if str(number) not in taken)
    paths = [*taken[: len(made)], *(next(free) for _ in made[len(taken) :])]
    return tuple(level._replace(path=path) for level, path in zip(made, paths, strict=True))


def _arrays(
    source: Source, choices: Choices, made: Sequence[BuiltLevel], names: Sequence[str], form: Any
) -> dict[str, Spec]:
    given = {"chunks": None, "fill_value": source.fill, **choices.arrays}
    return {level.path: array_of(level.shape, names, source.dtype, form, given) for level in made}


def like_finest(spec: Spec, made: Sequence[BuiltLevel]) -> dict[str, Spec]:
    """Return the other levels' arrays, modeled on the finest one; chunks are at most as long as the arrays.

    >>> from zom import v2
    >>> finest = v2.ArraySpec.build(shape=(8,), dtype="u1", chunks=(6,))
    >>> like_finest(finest, levels_of("x", (8,), (1,), factors=[{"x": 2}], levels=2))["1"].chunks
    (4,)
    """
    resolved, given = resolve(spec), cast("Any", spec)
    lengths = resolved.encoding.lengths
    if lengths is None or any(len(each) != 1 for each in lengths):
        raise ValueError(
            "chunks: expected chunk lengths, as the finest level has different ones; pass chunks="
        )
    found: dict[str, Spec] = {}
    for level in made[1:]:
        cut = [min(each[0], length) for each, length in zip(lengths, level.shape, strict=True)]
        grid = {"name": "regular", "configuration": {"chunk_shape": cut}}
        changes: dict[str, Any] = {"chunks": cut} if resolved.form == "v2" else {"chunk_grid": grid}
        found[level.path] = given.replace(shape=level.shape, **({} if resolved.sharded else changes))
    return found
