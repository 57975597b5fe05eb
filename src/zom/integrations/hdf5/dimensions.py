"""Dimensions: the names that dimension scales and labels give them, as netCDF reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.integrations.hdf5.losses import DIMENSION
from zom.packages import imported
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zom.conversion.losses import Report
    from zom.integrations.hdf5.objects import HDF5Objects, Node

__all__ = ["dimension_names", "numbered_dimensions", "report_unused", "unlimited_shapes"]

_COORDINATES = "_Netcdf4Coordinates"
_NUMBER = "_Netcdf4Dimid"


def numbered_dimensions(
    found: HDF5Objects, datasets: Iterable[tuple[str, Any]]
) -> dict[int, tuple[str, Any]]:
    """The names and the scales of NetCDF dimensions by their numbers, of `datasets` by their names."""
    scales: dict[int, tuple[str, Any]] = {}
    if found.is_netcdf:
        for name, dataset in datasets:
            if _NUMBER in dataset.attrs and dataset.is_scale:
                scales[int(dataset.attrs[_NUMBER])] = (name, dataset)
    return scales


def dimension_names(
    node: Node, numbers: Mapping[int, tuple[str, Any]], report: Report
) -> tuple[str | None, ...] | None:
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
    numbered = _numbered(dataset, numbers)
    if numbered is not None:
        return tuple(name for name, _ in numbered)
    if rank == 1 and dataset.is_scale:
        return (node.names[-1],)
    if not any(name in dataset.attrs for name in ("DIMENSION_LIST", "DIMENSION_LABELS")):
        return None
    names = tuple(_name(dataset.dims[axis], report) for axis in range(rank))
    return names if any(name is not None for name in names) else None


def _numbered(dataset: Any, numbers: Mapping[int, tuple[str, Any]]) -> list[tuple[str, Any]] | None:
    """The dimensions whose numbers a NetCDF variable has; None where it has none."""
    found = dataset.attrs.get(_COORDINATES)
    if found is None or len(found) != len(dataset.shape or ()) or not all(int(n) in numbers for n in found):
        return None
    return [numbers[int(number)] for number in found]


def unlimited_shapes(
    nodes: Iterable[Node], numbers: Mapping[int, tuple[str, Any]]
) -> dict[str, tuple[int, ...]]:
    """The shapes of arrays along unlimited dimensions, by their paths: each as long as the longest of its arrays.

    HDF5 lets each dataset end where it was last written; in netCDF the dimension has one length.

    >>> import h5py
    >>> from zom.integrations.hdf5.objects import found_objects
    >>> with h5py.File("a.h5", "w", driver="core", backing_store=False) as file:
    ...     for name, length in (("t", 3), ("a", 2)):
    ...         made = file.create_dataset(name, (length,), "i4", maxshape=(None,))
    ...     file["t"].make_scale(); file["a"].dims[0].attach_scale(file["t"])
    ...     unlimited_shapes(found_objects(file).nodes[1:], {})
    {'/a': (3,), '/t': (3,)}
    """
    h5py = imported("h5py", "hdf5")
    lengths: dict[Any, int] = {}
    arrays: dict[str, list[tuple[int, Any]]] = {}
    for node in nodes:
        dataset = node.object
        axes: list[tuple[int, Any]] = [(length, None) for length in dataset.shape or ()]
        arrays[node.path] = axes
        for axis, scale in _unlimited(dataset, numbers):
            info = h5py.h5o.get_info(scale.id)
            mark = (info.fileno, info.addr)
            lengths[mark] = max(lengths.get(mark, 0), scale.shape[0], dataset.shape[axis])
            axes[axis] = (dataset.shape[axis], mark)
    return {
        path: tuple(length if mark is None else lengths[mark] for length, mark in axes)
        for path, axes in arrays.items()
        if any(mark is not None for _, mark in axes)
    }


def _unlimited(dataset: Any, numbers: Mapping[int, tuple[str, Any]]) -> Iterator[tuple[int, Any]]:
    """The unlimited dimensions of a dataset, and the scale of each."""
    free = [axis for axis, most in enumerate(dataset.maxshape or ()) if most is None]
    if not free:
        return
    numbered = _numbered(dataset, numbers)
    for axis in free:
        scale = None
        if numbered is not None:
            scale = numbered[axis][1]
        elif dataset.is_scale:
            scale = dataset if axis == 0 else None
        elif len(dataset.dims[axis]):
            scale = dataset.dims[axis][0]
        if scale is not None and scale.maxshape and scale.maxshape[0] is None:
            yield axis, scale


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
