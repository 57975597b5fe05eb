"""Dimensions: the names that dimension scales and labels give them, as netCDF reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.integrations.hdf5.losses import DIMENSION
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zom.conversion.losses import Report
    from zom.integrations.hdf5.objects import HDF5Objects, Node

__all__ = ["dimension_names", "numbered_dimensions", "report_unused"]

_COORDINATES = "_Netcdf4Coordinates"
_NUMBER = "_Netcdf4Dimid"


def numbered_dimensions(found: HDF5Objects, datasets: Iterable[tuple[str, Any]]) -> dict[int, str]:
    """The names of NetCDF dimensions by their numbers, of `datasets` by their names."""
    names: dict[int, str] = {}
    if found.is_netcdf:
        for name, dataset in datasets:
            if _NUMBER in dataset.attrs and dataset.is_scale:
                names[int(dataset.attrs[_NUMBER])] = name
    return names


def dimension_names(node: Node, numbers: Mapping[int, str], report: Report) -> tuple[str | None, ...] | None:
    """The name of each dimension of a dataset, None for one that has none; None where none has any.

    >>> import h5py
    >>> from zom.integrations.hdf5.objects import found_objects
    >>> with h5py.File("a.h5", "w", driver="core", backing_store=False) as file:
    ...     file["a"] = [[1, 2]]; file["x"] = [3, 4]; file["x"].make_scale()
    ...     file["a"].dims[1].attach_scale(file["x"])
    ...     a, x = found_objects(file).nodes[1:]
    ...     dimension_names(a, {}, a.report), dimension_names(x, {}, x.report)
    ((None, 'x'), ('x',))
    """
    dataset = node.object
    rank = len(dataset.shape or ())
    if not rank and dataset.shape is not None:
        return ()  # xarray reads no v2 array that doesn't say so
    coordinates = dataset.attrs.get(_COORDINATES)
    if coordinates is not None and len(coordinates) == rank and all(int(n) in numbers for n in coordinates):
        return tuple(numbers[int(number)] for number in coordinates)
    if rank == 1 and dataset.is_scale:
        return (node.names[-1],)
    if not any(name in dataset.attrs for name in ("DIMENSION_LIST", "DIMENSION_LABELS")):
        return None
    names = tuple(_name(dataset.dims[axis], report) for axis in range(rank))
    return names if any(name is not None for name in names) else None


def _name(dimension: Any, report: Report) -> str | None:
    """The name of the first scale of a dimension, or its label."""
    count = len(dimension)
    scale = dimension[0].name if count else None
    if count > 1:
        others = ", ".join(show(dimension[index].name) for index in range(1, count))
        report.add(
            DIMENSION, ("dimension_names",), "one scale", f"{scale!r} and {others}", "the first counts"
        )
    if scale is not None:
        return str(scale).rpartition("/")[2]
    return str(dimension.label) or None


def report_unused(found: HDF5Objects, used: Mapping[tuple[str, ...], set[str]]) -> None:
    """Report the dimensions that no array has: nothing else says how long they are.

    `used` has the names of the dimensions of arrays, by the group that the arrays are in.
    """
    for (*above, name), length in found.dimensions.items():
        group = tuple(above)
        if not any(name in names for at, names in used.items() if at[: len(group)] == group):
            owner = next(node for node in found.nodes if node.names == group)
            text = f"{show(name)} of length {length}, which no array has"
            owner.report.add(DIMENSION, (), "a dimension of an array", text, "it is dropped")
