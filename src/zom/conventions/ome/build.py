"""Build OME-Zarr: the spec of an image with all its levels, and of an image with labels.

The specs have no data: create them with `zom.materialize`, then fill the arrays one by one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from zom.conventions.ome.build_arrays import Version, array_of, label_array
from zom.conventions.ome.build_levels import levels_of
from zom.count import count_of
from zom.extension.resolve import data_type
from zom.formats import v2, v3

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.conventions.ome.build_levels import BuiltLevel

__all__ = [
    "Channel",
    "Version",
    "axes_of",
    "described_levels",
    "group_of",
    "image",
    "image_of",
    "labels",
    "metadata_of",
    "pixels_of",
]

Channel: TypeAlias = str | Mapping[str, Any]
"""A channel: its label, or the members of its object in `omero`, such as `color` and `window`."""

_TYPES: Final = {"t": "time", "c": "channel", "z": "space", "y": "space", "x": "space"}
_COLORS: Final = ("FF00FF", "00FF00", "00FFFF", "FFFF00", "FF0000", "0000FF")
_SYSTEM: Final = "physical"
_METHOD: Final = "local mean"


def image(  # noqa: PLR0913 - each is a choice of the caller's
    axes: str | Sequence[str],
    shape: Sequence[int],
    *,
    scale: Mapping[str, float] | Sequence[float] = (),
    translation: Mapping[str, float] | Sequence[float] = (),
    levels: int | None = None,
    chunks: Any = None,
    dtype: Any = "uint16",
    name: str = "image",
    units: Mapping[str, str] | None = None,
    types: Mapping[str, str] | None = None,
    halved: Iterable[str] | None = None,
    factors: Mapping[str, int] | Sequence[Mapping[str, int]] | None = None,
    channels: Sequence[Channel] = (),
    method: str = _METHOD,
    version: Version = "0.5",
    **array: Any,
) -> Any:
    """The spec of an image: a group with an array for each level, each half as large as the one before.

    Name axes by letters, "tczyx", or by a list of names. t is time, c a channel, z, y and x are space; pass
    `types` for others. `scale` is the pixel size by axis, 1 by default; `translation` is the position of the
    first pixel; `units` default to micrometers and seconds. The axes of space are `halved` for `levels`
    levels, or until none is longer than 1024. Pass `factors` instead of `halved` for others: `{"y": 3, "x":
    3}`, or a list, one for each step.

    `method` is how the levels will be filled. A pixel's center is the middle of the pixels that it stands
    for, and each level has a matching translation; with "stride", it is the first of them, and translations
    stay the same. `zom.pyramid` makes the same image and fills it. `channels` describe how to show it.
    Further arguments go to `ArraySpec.build`: `compress`, `shards`, `fill_value` ...

    >>> spec = image("cyx", (2, 1500, 1000), scale={"y": 0.5, "x": 0.5}, channels=["DNA", "actin"])
    >>> [member.shape for member in spec.members.values()]
    [(2, 1500, 1000), (2, 750, 500)]
    >>> spec.attributes["ome"]["multiscales"][0]["datasets"][1]["coordinateTransformations"]
    [{'type': 'scale', 'scale': [1.0, 1.0, 1.0]}, {'type': 'translation', 'translation': [0.0, 0.25, 0.25]}]
    >>> from zom import validate
    >>> list(validate(spec, conventions=["ome/0.5"]))
    []
    """
    described = axes_of(axes, types or {}, units)
    names = [axis["name"] for axis in described]
    space = [axis["name"] for axis in described if axis.get("type") == "space"]
    if factors is not None and halved is not None:
        raise ValueError("halved: expected none if factors are given")
    made = levels_of(
        names,
        shape,
        pixels_of(names, scale),
        halved=set(space if halved is None else halved),
        factors=[factors] if isinstance(factors, Mapping) else factors,
        levels=levels,
        start=pixels_of(names, translation, "translation", 0),
        first=names if method == "stride" else (),
    )
    details = {"description": f"each level is smaller than the one before along {_reduced(names, made)}"}
    if factors is None:
        details = {"description": f"each level is half as large as the one before along {', '.join(space)}"}
    built = {
        level.path: array_of(level.shape, names, dtype, version, {"chunks": chunks, **array})
        for level in made
    }
    return image_of(
        described,
        made,
        built,
        version,
        name=name,
        channels=channels,
        dtype=dtype,
        method=method,
        details=details,
    )


def image_of(  # noqa: PLR0913 - the facts of an image
    axes: Sequence[Mapping[str, Any]],
    made: Sequence[BuiltLevel],
    arrays: Mapping[str, Any],
    version: Version,
    *,
    name: str,
    channels: Sequence[Channel],
    dtype: Any,
    method: str,
    details: Mapping[str, Any],
) -> Any:
    """The spec of an image with these axes, levels and arrays; `details` are its `metadata`."""
    metadata = {
        "name": name,
        "type": method,
        "metadata": dict(details),
        **described_levels(list(axes), made, version),
    }
    attributes: dict[str, Any] = {"multiscales": [metadata]}
    if channels:
        attributes["omero"] = _omero([axis["name"] for axis in axes], made[0].shape, channels, dtype)
    return group_of(attributes, arrays, version)


def labels(
    source: Any,
    name: str,
    *,
    dtype: Any = "uint32",
    colors: Mapping[int, Sequence[int]] | None = None,
    properties: Mapping[int, Mapping[str, Any]] | None = None,
    **array: Any,
) -> Any:
    """Return the image `source`, as `image` makes it, with a label image below it of as many levels.

    The labels have the image's axes, scales and chunks, and length 1 along a channel axis. Make their levels
    by mode, or by stride if the image's are. `colors` are red, green, blue, opacity by label, each 0 to 255.

    >>> spec = labels(image("yx", (64, 64)), "nuclei", colors={1: (255, 0, 0, 255)})
    >>> spec.members["labels"].members["nuclei"].attributes["ome"]["image-label"]["colors"]
    [{'label-value': 1, 'rgba': [255, 0, 0, 255]}]
    >>> from zom import validate
    >>> list(validate(spec, conventions=["ome/0.5"]))
    []
    """
    metadata, version = metadata_of(source)
    of_image: dict[str, Any] = metadata["multiscales"][0]
    # The translations are the image's: a value from the middle of a block can't be its first.
    method = "stride" if of_image.get("type") == "stride" else "mode"
    axes = _axes_in(of_image)
    flat = [place for place, axis in enumerate(axes) if axis.get("type") == "channel"]
    told = {
        "image-label": {
            "colors": [{"label-value": each, "rgba": list(color)} for each, color in (colors or {1: (255, 255, 0, 255)}).items()],
            **({"properties": [{"label-value": each, **facts} for each, facts in properties.items()]} if properties else {}),
            "source": {"image": "../../"},
            **({"version": version} if version != "0.6" else {}),
        },
        "multiscales": [{**of_image, "name": name, "type": method}],
    }  # fmt: skip
    members = {
        dataset["path"]: label_array(source.members[dataset["path"]], flat, dtype, version, array)
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


def axes_of(
    axes: str | Sequence[str], types: Mapping[str, str], units: Mapping[str, str] | None
) -> list[dict[str, Any]]:
    """The axes as objects with types and units; ValueError for an image that OME-Zarr doesn't allow."""
    names = list(axes)
    if len(set(names)) != len(names):
        raise ValueError(f"axes: expected different names, got {axes!r}")
    unknown = [name for name in names if name not in _TYPES and name not in types]
    if unknown:
        message = f"axes: expected t, c, z, y or x, got {unknown[0]!r}; pass its type: types={{{unknown[0]!r}: ...}}"
        raise ValueError(message)
    for what, given in (("types", types), ("units", units or {})):
        other = next((name for name in given if name not in names), None)
        if other is not None:
            raise ValueError(f"{what}: expected the name of an axis, {', '.join(names)}, got {other!r}")
    made: list[dict[str, Any]] = []
    for name in names:
        kind = types.get(name) or _TYPES[name]
        unit = (units or {}).get(name) or {"space": "micrometer", "time": "second"}.get(kind)
        made.append({"name": name, "type": kind, **({"unit": unit} if unit else {})})
    kinds = [axis["type"] for axis in made]
    order = sorted(kinds, key=lambda kind: {"time": 0, "space": 2}.get(kind, 1))
    if kinds != order or not 2 <= kinds.count("space") <= 3:
        message = (
            f"axes: expected time, then a channel, then two or three spatial axes, got {', '.join(kinds)}"
        )
        raise ValueError(message)
    if len(names) > 5 or kinds.count("time") > 1:
        raise ValueError(f"axes: expected at most one time, one channel and three spatial axes, got {names}")
    return made


def pixels_of(
    names: Sequence[str],
    given: Mapping[str, float] | Sequence[float],
    what: str = "scale",
    default: float = 1,
) -> list[float]:
    """A number for each axis: given by name or in order, otherwise the default.

    >>> pixels_of("yx", (0.5, 0))
    Traceback (most recent call last):
    ValueError: scale: expected finite numbers above 0, got 0 for x
    """
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in names]
        if unknown:
            raise ValueError(f"{what}: expected the name of an axis, {', '.join(names)}, got {unknown[0]!r}")
        each: list[Any] = [given.get(name, default) for name in names]
    elif len(given) and len(given) != len(names):
        raise ValueError(
            f"{what}: expected {count_of(len(names), 'number')}, one for each axis, got {len(given)}"
        )
    else:
        each = list(given) or [default] * len(names)
    return [_pixel(number, name, what) for number, name in zip(each, names, strict=True)]


def _pixel(number: Any, name: str, what: str) -> float:
    """Return a finite number, above 0 for a scale; ValueError otherwise."""
    try:
        found = math.nan if isinstance(number, (str, bytes, bool)) else float(number)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found) or (what == "scale" and found <= 0):
        wanted = "finite numbers above 0" if what == "scale" else "finite numbers"
        raise ValueError(f"{what}: expected {wanted}, got {number!r} for {name}")
    return found


def _reduced(names: Sequence[str], made: Sequence[BuiltLevel]) -> str:
    """The axes along which any level is smaller than the one before."""
    return ", ".join(
        name for place, name in enumerate(names) if any(level.factors[place] > 1 for level in made)
    )


def described_levels(
    axes: list[Mapping[str, Any]], made: Sequence[BuiltLevel], version: Version
) -> dict[str, Any]:
    """The description of the axes and levels in the form of the version."""
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
        raise ValueError(f"channels: expected {size}, the length of the axis c, got {len(channels)}")
    top = _top(dtype)
    made: list[dict[str, Any]] = []
    for place, channel in enumerate(channels):
        given = {"label": channel} if isinstance(channel, str) else dict(channel)
        window = {"min": 0, "max": top, "start": 0, "end": top}
        made.append({"color": _COLORS[place % len(_COLORS)], "window": window, "active": True, **given})
    return {"channels": made}


def _top(dtype: Any) -> int | float:
    import numpy as np  # noqa: PLC0415 - not needed before

    kind = data_type(dtype).numpy()
    return int(np.iinfo(kind).max) if kind.kind in "iu" else 1


def group_of(metadata: Mapping[str, Any] | None, members: Mapping[str, Any], version: Version) -> Any:
    """A group with its metadata in the version's place, or without metadata if None."""
    if metadata is None:
        return (
            v2.GroupSpec(members=dict(members)) if version == "0.4" else v3.GroupSpec(members=dict(members))
        )
    if version == "0.4":
        return v2.GroupSpec(attributes=dict(metadata), members=dict(members))
    return v3.GroupSpec(attributes={"ome": {"version": version, **metadata}}, members=dict(members))


def metadata_of(spec: Any) -> tuple[dict[str, Any], Version]:
    """The metadata and the version of a group spec."""
    attributes: dict[str, Any] = dict(spec.attributes)
    if "ome" not in attributes:
        return attributes, "0.4"
    return dict(attributes["ome"]), attributes["ome"]["version"]


def _axes_in(of_image: Mapping[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (
        of_image["coordinateSystems"][0]["axes"] if "coordinateSystems" in of_image else of_image["axes"]
    )
    return found
