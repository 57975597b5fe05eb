"""Building OME-Zarr: the spec of an image with all its levels, and of an image with labels.

What is built has no data yet: `zom.materialize` makes it real, and its arrays are filled one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from zom.conventions.ome.build_levels import BuiltLevel, levels_of
from zom.formats import v2, v3

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.model.spec import Spec

__all__ = ["Channel", "Version", "group_of", "image", "labels", "metadata_of"]

Version: TypeAlias = Literal["0.4", "0.5", "0.6"]
"""The versions that can be built."""

Channel: TypeAlias = str | Mapping[str, Any]
"""A channel: its label, or members of its object in `omero`, such as `color` and `window`."""

_TYPES: Final = {"t": "time", "c": "channel", "z": "space", "y": "space", "x": "space"}
_COLORS: Final = ("FF00FF", "00FF00", "00FFFF", "FFFF00", "FF0000", "0000FF")
_SYSTEM: Final = "physical"
_METHOD: Final = "local mean"


def image(  # noqa: PLR0913 - each is a choice of the caller's
    axes: str | Sequence[str],
    shape: Sequence[int],
    *,
    scale: Mapping[str, float] | Sequence[float] = (),
    levels: int | None = None,
    chunks: Sequence[int] | None = None,
    dtype: Any = "uint16",
    name: str = "image",
    units: Mapping[str, str] | None = None,
    types: Mapping[str, str] | None = None,
    halved: Iterable[str] | None = None,
    channels: Sequence[Channel] = (),
    method: str = _METHOD,
    version: Version = "0.5",
    **array: Any,
) -> Any:
    """The spec of an image: a group with an array for each level, each half as large as the one before.

    Axes are named by letters, "tczyx", or by a list of names; t is time, c a channel, z, y and x are
    space, and `types` says what others are. `scale` is the size of a pixel by axis, 1 where it isn't
    given; `units` default to micrometers and seconds. The axes of space are `halved` as often as `levels`
    says, or until none is longer than 1024; each level's translation keeps the centers of its pixels
    where those that they stand for have theirs. With `channels`, the image says how to show them.
    What else is given goes to the arrays, as to `ArraySpec.build`: `compress`, `shards`, `fill_value` ...

    >>> spec = image("cyx", (2, 1500, 1000), scale={"y": 0.5, "x": 0.5}, channels=["DNA", "actin"])
    >>> [member.shape for member in spec.members.values()]
    [(2, 1500, 1000), (2, 750, 500)]
    >>> spec.attributes["ome"]["multiscales"][0]["datasets"][1]["coordinateTransformations"]
    [{'type': 'scale', 'scale': [1.0, 1.0, 1.0]}, {'type': 'translation', 'translation': [0.0, 0.25, 0.25]}]
    >>> from zom import validate
    >>> list(validate(spec, conventions=["ome/0.5"]))
    []
    """
    names = _names(axes)
    described = _axes(names, types or {}, units)
    space = [axis["name"] for axis in described if axis.get("type") == "space"]
    pixels = _pixels(names, scale)
    made = levels_of(names, shape, pixels, halved=set(space if halved is None else halved), levels=levels)
    metadata: dict[str, Any] = {
        "name": name,
        "type": method,
        "metadata": {
            "description": f"each level is half as large as the one before along {', '.join(space)}"
        },
        **_described(described, made, version),
    }
    attributes: dict[str, Any] = {"multiscales": [metadata]}
    if channels:
        attributes["omero"] = _omero(names, shape, channels, dtype)
    members = {level.path: _array(level, names, dtype, version, chunks, array) for level in made}
    return group_of(attributes, members, version)


def labels(
    source: Any,
    name: str,
    *,
    dtype: Any = "uint32",
    colors: Mapping[int, Sequence[int]] | None = None,
    properties: Mapping[int, Mapping[str, Any]] | None = None,
    **array: Any,
) -> Any:
    """The spec of an image, as `image` makes it, with a label image below it, of as many levels.

    The labels have the axes, scales and chunks of the image; along an axis of channels they are of length
    1. `colors` are red, green, blue and opacity by label, each from 0 to 255.

    >>> spec = labels(image("yx", (64, 64)), "nuclei", colors={1: (255, 0, 0, 255)})
    >>> spec.members["labels"].members["nuclei"].attributes["ome"]["image-label"]["colors"]
    [{'label-value': 1, 'rgba': [255, 0, 0, 255]}]
    >>> from zom import validate
    >>> list(validate(spec, conventions=["ome/0.5"]))
    []
    """
    metadata, version = metadata_of(source)
    of_image: dict[str, Any] = metadata["multiscales"][0]
    axes = _axes_in(of_image)
    flat = [place for place, axis in enumerate(axes) if axis.get("type") == "channel"]
    told = {
        "image-label": {
            "colors": [{"label-value": each, "rgba": list(color)} for each, color in (colors or {1: (255, 255, 0, 255)}).items()],
            **({"properties": [{"label-value": each, **facts} for each, facts in properties.items()]} if properties else {}),
            "source": {"image": "../../"},
            **({"version": version} if version != "0.6" else {}),
        },
        "multiscales": [{**of_image, "name": name, "type": "nearest neighbour"}],
    }  # fmt: skip
    members = {
        dataset["path"]: _label_array(source.members[dataset["path"]], flat, dtype, version, array)
        for dataset in of_image["datasets"]
    }
    label = group_of(told, members, version)
    group = source.members.get("labels")
    listed = [] if group is None else list(metadata_of(group)[0]["labels"])
    below = {} if group is None else dict(group.members)
    everything = {**below, name: label}
    listing = {"labels": [*(each for each in listed if each != name), name]}
    return source.replace(members={**source.members, "labels": group_of(listing, everything, version)})


# --- parts ------------------------------------------------------------------------------------------------


def _names(axes: str | Sequence[str]) -> list[str]:
    names = list(axes)
    if len(set(names)) != len(names):
        raise ValueError(f"axes: expected different names, got {axes!r}")
    return names


def _axes(
    names: Sequence[str], types: Mapping[str, str], units: Mapping[str, str] | None
) -> list[dict[str, Any]]:
    unknown = [name for name in names if name not in _TYPES and name not in types]
    if unknown:
        message = f"axes: expected t, c, z, y or x, got {unknown[0]!r}; tell its type: types={{{unknown[0]!r}: ...}}"
        raise ValueError(message)
    made: list[dict[str, Any]] = []
    for name in names:
        kind = types.get(name) or _TYPES[name]
        unit = (units or {}).get(name) or {"space": "micrometer", "time": "second"}.get(kind)
        made.append({"name": name, "type": kind, **({"unit": unit} if unit else {})})
    kinds = [axis["type"] for axis in made]
    order = sorted(kinds, key=lambda kind: {"time": 0, "space": 2}.get(kind, 1))
    if kinds != order or not 2 <= kinds.count("space") <= 3:
        message = f"axes: expected time, then a channel, then two or three of space, got {', '.join(kinds)}"
        raise ValueError(message)
    if len(names) > 5 or kinds.count("time") > 1:
        raise ValueError(
            f"axes: expected one of time, one of channels and three of space at most, got {names}"
        )
    return made


def _pixels(names: Sequence[str], scale: Mapping[str, float] | Sequence[float]) -> list[float]:
    if isinstance(scale, Mapping):
        unknown = [name for name in scale if name not in names]
        if unknown:
            raise ValueError(f"scale: expected the name of an axis, {', '.join(names)}, got {unknown[0]!r}")
        return [float(scale.get(name, 1)) for name in names]
    if scale and len(scale) != len(names):
        raise ValueError(f"scale: expected {len(names)} numbers, one for each axis, got {len(scale)}")
    return [float(each) for each in scale] or [1.0] * len(names)


def _described(axes: list[dict[str, Any]], made: Sequence[BuiltLevel], version: Version) -> dict[str, Any]:
    """What tells of the axes and of the levels, as the version has it."""
    if version == "0.6":
        return {
            "coordinateSystems": [{"name": _SYSTEM, "axes": axes}],
            "datasets": [
                {"path": level.path, "coordinateTransformations": [_sequence(level)]} for level in made
            ],
        }
    said = {} if version == "0.5" else {"version": version}
    datasets = [{"path": level.path, "coordinateTransformations": _steps(level)} for level in made]
    return {**said, "axes": axes, "datasets": datasets}


def _steps(level: BuiltLevel) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = [{"type": "scale", "scale": list(level.scale)}]
    if any(level.translation):
        steps.append({"type": "translation", "translation": list(level.translation)})
    return steps


def _sequence(level: BuiltLevel) -> dict[str, Any]:
    steps = _steps(level)
    ends = {"input": {"path": level.path}, "output": {"name": _SYSTEM}}
    return {**steps[0], **ends} if len(steps) == 1 else {"type": "sequence", **ends, "transformations": steps}


def _omero(
    names: Sequence[str], shape: Sequence[int], channels: Sequence[Channel], dtype: Any
) -> dict[str, Any]:
    size = shape[names.index("c")] if "c" in names else 1
    if len(channels) != size:
        raise ValueError(f"channels: expected {size}, as many as the axis c is long, got {len(channels)}")
    top = _top(dtype)
    made: list[dict[str, Any]] = []
    for place, channel in enumerate(channels):
        given = {"label": channel} if isinstance(channel, str) else dict(channel)
        window = {"min": 0, "max": top, "start": 0, "end": top}
        made.append({"color": _COLORS[place % len(_COLORS)], "window": window, "active": True, **given})
    return {"channels": made}


def _top(dtype: Any) -> int | float:
    import numpy as np  # noqa: PLC0415 - not needed before

    kind = np.dtype(dtype)
    return int(np.iinfo(kind).max) if kind.kind in "iu" else 1


def _array(  # noqa: PLR0913, PLR0917 - the facts of an array
    level: BuiltLevel,
    names: Sequence[str],
    dtype: Any,
    version: Version,
    chunks: Sequence[int] | None,
    options: Mapping[str, Any],
) -> Spec:
    fitted: Any = "auto"
    if chunks is not None:
        fitted = tuple(min(a, max(b, 1)) for a, b in zip(chunks, level.shape, strict=True))
    return _built(level.shape, names, dtype, version, {"chunks": fitted, **options})


def _label_array(
    array: Any, flat: Sequence[int], dtype: Any, version: Version, options: Mapping[str, Any]
) -> Spec:
    shape = tuple(1 if place in flat else length for place, length in enumerate(array.shape))
    grid: Any = array.chunks if version == "0.4" else array.chunk_grid["configuration"]["chunk_shape"]
    chunks = tuple(min(a, max(b, 1)) for a, b in zip(grid, shape, strict=True))
    names: Any = () if version == "0.4" else array.dimension_names
    return _built(shape, names, dtype, version, {"chunks": chunks, **options})


def _built(
    shape: Sequence[int], names: Sequence[str], dtype: Any, version: Version, options: dict[str, Any]
) -> Spec:
    if version == "0.4":
        given: dict[str, Any] = {"separator": "/", **options}
        return v2.ArraySpec.build(shape=shape, dtype=dtype, **given)
    given = {"dimension_names": tuple(names), **options}
    return v3.ArraySpec.build(shape=shape, dtype=dtype, **given)


def group_of(metadata: Mapping[str, Any] | None, members: Mapping[str, Any], version: Version) -> Any:
    """A group with its metadata where the version has it; one without any, where that is None."""
    if metadata is None:
        return (
            v2.GroupSpec(members=dict(members)) if version == "0.4" else v3.GroupSpec(members=dict(members))
        )
    if version == "0.4":
        return v2.GroupSpec(attributes=dict(metadata), members=dict(members))
    return v3.GroupSpec(attributes={"ome": {"version": version, **metadata}}, members=dict(members))


def metadata_of(spec: Any) -> tuple[dict[str, Any], Version]:
    """The metadata of a group that was built, and its version."""
    attributes: dict[str, Any] = dict(spec.attributes)
    if "ome" not in attributes:
        return attributes, "0.4"
    return dict(attributes["ome"]), attributes["ome"]["version"]


def _axes_in(of_image: Mapping[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (
        of_image["coordinateSystems"][0]["axes"] if "coordinateSystems" in of_image else of_image["axes"]
    )
    return found
