"""Build xarray Datasets as specs: dimensions, coordinates, masks, packing, times, child groups.

The result follows all of xarray's rules; anything else is refused before it is stored.
https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Mapping
from dataclasses import KW_ONLY, field
from typing import TYPE_CHECKING, Any, Final, Literal, overload

from zom.conventions.framework.detection import judge
from zom.conventions.framework.registered import conventions
from zom.dataclass import dataclass
from zom.errors import SpecError
from zom.extension.registry import did_you_mean, near
from zom.formats.families import FAMILIES
from zom.formats.node_view import spec_tree
from zom.model.builders.build import AUTO
from zom.model.builders.chunking import BUILD, refuse
from zom.problems import Problem, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.formats import v2, v3
    from zom.model.builders.build import Compression, DTypeLike, ShardChoice
    from zom.model.builders.chunking import ChunkChoice

__all__ = ["ENCODING_WORDS", "Variable", "auxiliary", "dataset", "encoded_attributes"]

ENCODING_WORDS: Final = ("units", "calendar", "scale_factor", "add_offset", "missing")
"""The settings, beside the data type, that describe how a variable is encoded."""

_NOT_MASKED: Final = "xarray/fill-value-dtype"


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a dataset: the names of its dimensions, its stored data type, and its encoding.

    >>> Variable(("time", "lat"), "int16", scale_factor=0.1, add_offset=273.15, missing=-32768).dims
    ('time', 'lat')
    """

    dims: str | Sequence[str]
    dtype: DTypeLike
    _: KW_ONLY
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    units: str | None = None
    """Units such as "K", or "days since 2000-01-01" for a time."""
    calendar: str | None = None
    missing: Any = None
    """The stored value for missing data; also the value of chunks that were never written."""
    scale_factor: float | None = None
    """The factor for stored values when they are read; then `add_offset` is added."""
    add_offset: float | None = None
    chunks: ChunkChoice | Mapping[str, int] = "auto"
    """A choice as for `ArraySpec.build`, or lengths by dimension; other dimensions are not chunked."""
    shards: ShardChoice = None
    """The shards, in Zarr v3 only."""
    compress: Compression = "zstd"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its dimensions."""
        return (self.dims,) if isinstance(self.dims, str) else tuple(self.dims)


Variables = Mapping[str, Variable]


@overload
def dataset(
    sizes: Mapping[str, int],
    variables: Variables,
    *,
    coordinates: Variables = ...,
    attributes: Mapping[str, Any] | None = ...,
    groups: Mapping[str, v3.GroupSpec] = ...,
    zarr_format: Literal[3] = ...,
) -> v3.GroupSpec: ...
@overload
def dataset(
    sizes: Mapping[str, int],
    variables: Variables,
    *,
    coordinates: Variables = ...,
    attributes: Mapping[str, Any] | None = ...,
    groups: Mapping[str, v2.GroupSpec] = ...,
    zarr_format: Literal[2],
) -> v2.GroupSpec: ...


def dataset(  # noqa: PLR0913 - a dataset has that many parts
    sizes: Mapping[str, int],
    variables: Variables,
    *,
    coordinates: Variables | None = None,
    attributes: Mapping[str, Any] | None = None,
    groups: Mapping[str, Any] | None = None,
    zarr_format: Literal[2, 3] = 3,
) -> v3.GroupSpec | v2.GroupSpec:
    """A group that xarray opens as a Dataset or, with child `groups`, as a DataTree.

    `sizes` has the length of each dimension by name. A coordinate with the name of its only dimension indexes
    it; the others are listed where xarray looks for them. Raises SpecError if the result would break rules of
    xarray.

    >>> spec = dataset(
    ...     {"time": 48, "lat": 181},
    ...     {"t2m": Variable(("time", "lat"), "float32", missing=float("nan"), units="K")},
    ...     coordinates={
    ...         "time": Variable("time", "int64", units="hours since 2000-01-01"),
    ...         "lat": Variable("lat", "float64", units="degrees_north"),
    ...         "zone": Variable("lat", "int8"),
    ...     },
    ... )
    >>> spec.members["t2m"].attributes
    {'units': 'K', '_FillValue': 'AAAAAAAA+H8=', 'coordinates': 'zone'}
    """
    build = _v3_array if zarr_format == 3 else _v2_array
    coordinates = coordinates or {}
    _refuse_twice(variables, coordinates, groups or {})
    _refuse_undeclared(sizes, {**variables, **coordinates})
    named = auxiliary(
        {name: each.names for name, each in variables.items() if "coordinates" not in each.attributes},
        {name: coordinates[name].names for name in _beside_indexes(coordinates)},
    )
    members: dict[str, Any] = {}
    for name, variable in (*coordinates.items(), *variables.items()):
        mentioned = named.get(name, [])
        extra = {"coordinates": " ".join(mentioned)} if mentioned else {}
        members[name] = build(name, variable, tuple(sizes[dim] for dim in variable.names), extra)
    said = dict(attributes or {})
    alone = [
        name for name in _beside_indexes(coordinates) if not any(name in each for each in named.values())
    ]
    if alone:
        said["coordinates"] = " ".join(sorted(alone))
    model: Any = FAMILIES["v3" if zarr_format == 3 else "v2"].classes["group"]
    spec: v3.GroupSpec | v2.GroupSpec = model(attributes=said, members={**members, **(groups or {})})
    _refuse_findings(spec)
    return spec


# --- coordinates -------------------------------------------------------------------------------------------


def _beside_indexes(coordinates: Variables) -> list[str]:
    """The coordinates that don't index a dimension."""
    return [name for name, variable in coordinates.items() if variable.names != (name,)]


def auxiliary(
    variables: Mapping[str, Sequence[str | None]], coordinates: Mapping[str, Sequence[str | None]]
) -> dict[str, list[str]]:
    """For each variable, the coordinates with no other dimensions, as xarray writes them; takes dims by name.

    >>> auxiliary({"t": ("y", "x"), "s": ("y",)}, {"lon": ("y", "x")})
    {'t': ['lon'], 's': []}
    """
    return {
        name: sorted(each for each, own in coordinates.items() if set(own) <= set(dims))
        for name, dims in variables.items()
    }


def _refuse_twice(*parts: Mapping[str, Any]) -> None:
    names = [name for part in parts for name in part]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        expected = "unique names of variables, coordinates and groups"
        raise refuse("members", expected, ", ".join(twice))


def _refuse_undeclared(sizes: Mapping[str, int], variables: Variables) -> None:
    problems: list[Problem] = []
    for name, variable in variables.items():
        for place, dim in enumerate(variable.names):
            if dim not in sizes:
                fix = did_you_mean(near(dim, sizes)) or "give the length of the dimension in sizes"
                path = ("dimension_names", place)
                expected = f"a dimension among {', '.join(map(show, sizes)) or 'none'}"
                pointer = f"/members/{name}/dimension_names/{place}"
                problems.append(
                    Problem(BUILD.code, "error", f"/{name}", pointer, path, expected, show(dim), fix)
                )
    if problems:
        raise SpecError(problems, "dataset")


def _refuse_findings(spec: v3.GroupSpec | v2.GroupSpec) -> None:
    found = judge(spec_tree(spec), [conventions["xarray"]]).problems
    problems = [problem for problem in found if problem.severity != "note"]
    if problems:
        raise SpecError(problems, "dataset")


# --- arrays ------------------------------------------------------------------------------------------------


def encoded_attributes(
    name: str, data_type: object, encoding: Mapping[str, Any], attributes: Mapping[str, Any], form: str
) -> dict[str, Any]:
    """The attributes of a variable together with those that describe its encoding, as xarray writes them.

    `encoding` has any of units, calendar, scale_factor, add_offset and missing, each a value; spell the data
    type as the Zarr format does.

    >>> encoded_attributes("t", "int16", {"scale_factor": 1, "missing": -9}, {"long_name": "heat"}, "v3")
    {'long_name': 'heat', 'scale_factor': 1.0, '_FillValue': -9}
    """
    missing = encoding.get("missing")
    given = {
        "units": encoding.get("units"),
        "calendar": encoding.get("calendar"),
        # An integer would make xarray decode to integers, which cannot hold NaN.
        **{
            word: None if encoding.get(word) is None else float(encoding[word])
            for word in ("scale_factor", "add_offset")
        },
        # In v2 the fill value is the mask.
        "_FillValue": None if missing is None or form != "v3" else _mask(name, data_type, missing),
    }
    return {**attributes, **{key: value for key, value in given.items() if value is not None}}


def _attributes(
    name: str, variable: Variable, data_type: object, extra: Mapping[str, Any], form: str
) -> dict[str, Any]:
    encoding = {word: getattr(variable, word) for word in ENCODING_WORDS}
    return {**encoded_attributes(name, data_type, encoding, variable.attributes, form), **extra}


def _lengths(variable: Variable) -> Any:
    if isinstance(variable.chunks, Mapping):
        return tuple(variable.chunks.get(dim) for dim in variable.names)
    return variable.chunks


def _v3_array(
    name: str, variable: Variable, shape: tuple[int, ...], extra: Mapping[str, Any]
) -> v3.ArraySpec:
    from zom.formats import v3  # noqa: PLC0415 - only if one is built

    fill = AUTO if variable.missing is None else variable.missing
    spec = v3.ArraySpec.build(
        shape=shape,
        dtype=variable.dtype,
        chunks=_lengths(variable),
        shards=variable.shards,
        compress=variable.compress,
        fill_value=fill,
        dimension_names=variable.names,
    )
    return spec.model_copy(update={"attributes": _attributes(name, variable, spec.data_type, extra, "v3")})


def _v2_array(
    name: str, variable: Variable, shape: tuple[int, ...], extra: Mapping[str, Any]
) -> v2.ArraySpec:
    if variable.shards is not None:
        raise refuse(f"{name}.shards", "none, as Zarr v2 has no shards", variable.shards)
    from zom.formats import v2  # noqa: PLC0415 - only if one is built

    # xarray uses fill_value as the mask: it has to be null if nothing is missing.
    return v2.ArraySpec.build(
        shape=shape,
        dtype=variable.dtype,
        chunks=_lengths(variable),
        compress=variable.compress,
        fill_value=variable.missing,
        dimension_names=variable.names,
        attributes=_attributes(name, variable, variable.dtype, extra, "v2"),
    )


def _mask(name: str, data_type: object, missing: Any) -> Any:
    """The `_FillValue` attribute for Zarr v3: floats in base64, which can also hold NaN."""
    kind = data_type.rstrip("0123456789") if isinstance(data_type, str) else ""
    if kind == "float":
        return _in_base64(missing)
    if kind == "complex":
        number = complex(missing)
        return [_in_base64(number.real), _in_base64(number.imag)]
    if kind in {"int", "uint"}:
        return int(missing)
    if kind == "bool":
        return bool(missing)
    expected = "no missing value, as xarray cannot decode one for this data type in Zarr v3"
    path = ("attributes", "_FillValue")
    pointer = f"/members/{name}/attributes/_FillValue"
    problem = Problem(
        _NOT_MASKED, "error", f"/{name}", pointer, path, expected, show(str(missing)), "leave it out"
    )
    raise SpecError([problem], "dataset")


def _in_base64(value: float) -> str:
    return base64.b64encode(struct.pack("<d", float(value))).decode("ascii")
