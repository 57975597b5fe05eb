"""Specs of datasets: what xarray would write, as one document, without reading data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from zom.formats import v2, v3
from zom.integrations.xarray.writing.array_spec import array_spec
from zom.integrations.xarray.writing.cf_variables import encoded, is_lazy, prepared, with_known_type
from zom.model.builders.chunking import refuse
from zom.packages import imported

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Written", "datasets_of", "from_xarray", "group_spec", "to_spec", "written"]

_NAME = "__xarray_dataarray_name__"
_VARIABLE = "__xarray_dataarray_variable__"


class Written(NamedTuple):
    """A variable and its stored form."""

    path: str
    source: Any
    """The variable from the dataset, with the requested encoding."""
    spec: Any
    made: Any = None
    """The encoded variable, if it is lazy and will be written."""


def to_spec(data: Any, *, zarr_format: int = 3, encoding: Mapping[str, Any] | None = None) -> Any:
    """Return the spec of what `to_zarr` would write for a Dataset, DataTree or DataArray; no data is read.

    Data that is not in memory is never read or computed. In-memory datetimes and durations, such as
    coordinates, are read if the encoding has no units. Lazy ones are encoded in their own resolution since
    1970. Objects that are not in memory are refused, since their type is unknown.

    `encoding` replaces the variables' own, by variable name; for a DataTree, by group path.

    >>> import numpy as np, xarray as xr
    >>> ds = xr.Dataset({"t2m": (("time", "x"), np.zeros((2, 3), "f4"))}, {"time": [10, 20]}, {"title": "a"})
    >>> spec = to_spec(ds, encoding={"t2m": {"chunks": (1, 3)}})
    >>> spec["t2m"].dimension_names, spec["t2m"].chunk_grid["configuration"], spec.attributes
    (('time', 'x'), {'chunk_shape': [1, 3]}, {'title': 'a'})
    >>> to_spec(ds, zarr_format=2)["time"].attributes
    {'_ARRAY_DIMENSIONS': ['time']}
    """
    made = written(data, zarr_format=zarr_format, encoding=encoding)
    return group_spec(*made, zarr_format)


from_xarray = to_spec
"""`to_spec`, under its name in `zom`."""


def written(
    data: Any, *, zarr_format: int, encoding: Mapping[str, Any] | None, loads: bool = False
) -> tuple[dict[str, dict[str, Any]], list[Written]]:
    """Return the attributes of each group by path, and all variables with their specs.

    With `loads`, load objects and times that are not in memory if their encoding depends on the values.
    """
    if zarr_format not in {2, 3}:
        raise refuse("zarr_format", "2 or 3", zarr_format)
    attributes: dict[str, dict[str, Any]] = {}
    found: list[Written] = []
    for path, dataset, own in datasets_of(data, encoding, zarr_format):
        variables, attributes[path] = prepared(dataset, own)
        for name, variable in variables.items():
            source = with_known_type(variable) if loads else variable
            as_lazy = loads and is_lazy(source)
            made = encoded(name, source, zarr_format, values=as_lazy)
            spec = array_spec(name, made, source, zarr_format, strict=name in (own or {}))
            found.append(Written(f"{path}/{name}".lstrip("/"), source, spec, made if as_lazy else None))
    return attributes, found


def group_spec(attributes: dict[str, dict[str, Any]], variables: list[Written], zarr_format: int) -> Any:
    """Build the spec of a group tree from its attributes and variables."""
    cls: Any = v2.GroupSpec if zarr_format == 2 else v3.GroupSpec
    members: dict[str, dict[str, Any]] = {path: {} for path in attributes}
    for each in variables:
        path, _, name = each.path.rpartition("/")
        members[path][name] = each.spec
    made: Any = None
    for path in sorted(attributes, key=lambda path: (-path.count("/") - bool(path), path)):
        made = cls(attributes=attributes[path], members=members[path])
        if path:
            above, _, name = path.rpartition("/")
            members[above][name] = made
    return made


def datasets_of(
    data: Any, encoding: Mapping[str, Any] | None, zarr_format: int
) -> Iterator[tuple[str, Any, Mapping[str, Any] | None]]:
    """Yield the path, dataset and encoding of each group that `to_zarr` would write."""
    xarray = imported("xarray", "xarray")
    if isinstance(data, xarray.DataArray):
        yield "", _dataset_of(data, zarr_format), encoding
    elif isinstance(data, xarray.Dataset):
        yield "", data, encoding
    elif isinstance(data, xarray.DataTree):
        tree: Any = data
        unknown = [path for path in encoding or {} if path not in tree.groups]
        if unknown:
            raise refuse("encoding", f"paths of groups: {', '.join(tree.groups)}", unknown)
        for path, node in tree.subtree_with_keys:
            here = "" if node is tree else str(path)
            own = None if encoding is None else encoding.get(node.path)
            yield here, node.to_dataset(inherit=node is tree), own
    else:
        raise refuse("data", "a Dataset, DataTree or DataArray of xarray", type(data).__name__)


def _dataset_of(array: Any, zarr_format: int) -> Any:
    """Return the dataset that stores a DataArray; xarray's special names mark it as an array."""
    is_member = array.name is not None and array.name not in array.coords and array.name not in array.dims
    if is_member:
        return array.to_dataset()
    if zarr_format == 3:
        found = "none" if array.name is None else f"{array.name!r}, the name of a dimension or coordinate"
        fix = f"rename it with .rename(); xarray's own {_VARIABLE!r} is a reserved name in v3"
        raise refuse("name", "a unique name for the array", found, fix)
    made = array.to_dataset(name=_VARIABLE)
    if array.name is not None:
        made.attrs[_NAME] = array.name
    return made
