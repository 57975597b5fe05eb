"""The arrays of an image's levels and of its labels."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from zom.extension.registry import did_you_mean, near
from zom.extension.resolve import data_type
from zom.formats import v2, v3
from zom.model.builders.build import item_size
from zom.model.builders.chunking import chosen_chunks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zom.model.spec import Spec

__all__ = ["Version", "array_of", "label_array"]

Version: TypeAlias = Literal["0.4", "0.5", "0.6"]
"""The versions that can be built."""


def array_of(
    shape: Sequence[int], names: Sequence[str], dtype: Any, version: Version, options: Mapping[str, Any]
) -> Spec:
    """The array of a level, with chunks and shards cut to its shape.

    >>> array_of((300, 4000), "yx", "u1", "0.5", {"chunks": (512, 512), "shards": (2048, 2048)}).chunk_grid
    {'name': 'regular', 'configuration': {'chunk_shape': [300, 2048]}}
    """
    _check(names, version, options)
    if version == "0.4":
        given: dict[str, Any] = {"separator": "/", **options, **_fitted(shape, dtype, options)}
        return v2.ArraySpec.build(shape=shape, dtype=dtype, **given)
    given = {"dimension_names": tuple(names), **options, **_fitted(shape, dtype, options)}
    return v3.ArraySpec.build(shape=shape, dtype=dtype, **given)


def _check(names: Sequence[str], version: Version, options: Mapping[str, Any]) -> None:
    """Raise ValueError for an option that the image determines, TypeError for an unknown one."""
    mine, other = (v2, v3) if version == "0.4" else (v3, v2)
    known, foreign = (
        set(signature(each.ArraySpec.build).parameters) - {"shape", "dtype"} for each in (mine, other)
    )
    for name, value in options.items():
        if name in {"shape", "dtype"}:
            fix = "; convert the image first, for example with astype" if name == "dtype" else ""
            raise ValueError(f"{name}: expected none, as the image determines it, got {value!r}{fix}")
        if name not in known and name in foreign:
            form, choice = ("v2", "0.5") if version == "0.4" else ("v3", "0.4")
            reason = f"as Zarr {form} arrays have none"
            raise ValueError(f"{name}: expected none, {reason}, got {value!r}; OME-Zarr {choice} has them")
        if name not in known:
            hint = did_you_mean(near(name, known), known)
            raise TypeError(f"{name}: expected an argument of ArraySpec.build, got an unknown one; {hint}")
    called = options.get("dimension_names")
    if called is not None and list(called) != list(names):
        raise ValueError(
            f"dimension_names: expected the axes, {', '.join(names)}, got {called!r}; pass these names as axes"
        )


def _fitted(shape: Sequence[int], dtype: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """The chunks and shards as lengths if the caller chose them, cut to the shape of a small level."""
    chunks, shards = options.get("chunks"), options.get("shards")
    if chunks is None or chunks == "auto":
        return {"chunks": "auto"}
    size = item_size(data_type(dtype))
    inner = chosen_chunks(chunks, tuple(shape), size)
    fitted = tuple(min(a, max(b, 1)) for a, b in zip(inner, shape, strict=True))
    if shards is None or shards == "auto":
        return {"chunks": fitted}
    outer = chosen_chunks(shards, tuple(shape), size, name="shards")
    counts = [max(-(-length // chunk), 1) for length, chunk in zip(shape, fitted, strict=True)]
    return {
        "chunks": fitted,
        "shards": tuple(
            chunk * count if chunk * count <= shard or chunk < whole else shard
            for chunk, count, shard, whole in zip(fitted, counts, outer, inner, strict=True)
        ),
    }


def label_array(
    array: Any, flat: Sequence[int], dtype: Any, version: Version, options: Mapping[str, Any]
) -> Spec:
    """The array of a label level beside that of the image, with length 1 along the axes at `flat`."""
    shape = tuple(1 if place in flat else length for place, length in enumerate(array.shape))
    grid: Any = array.chunks if version == "0.4" else array.chunk_grid["configuration"]["chunk_shape"]
    chunks = tuple(min(a, max(b, 1)) for a, b in zip(grid, shape, strict=True))
    names: Any = () if version == "0.4" else array.dimension_names
    return array_of(shape, names, dtype, version, {"chunks": chunks, **options})
