"""Dimension names from dimension scales and labels, as netCDF reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.integrations.hdf5.losses import DIMENSION
from zom.integrations.hdf5.objects import UNREADABLE, readable_attribute
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
    """Return the names and scales of NetCDF dimensions by number, from (name, dataset) pairs."""
    scales: dict[int, tuple[str, Any]] = {}
    if found.is_netcdf:
        for name, dataset in datasets:
            number = readable_attribute(dataset, _NUMBER)
            if number is not None and dataset.is_scale:
                scales[int(number)] = (name, dataset)
    return scales


def dimension_names(
    node: Node, numbers: Mapping[int, tuple[str, Any]], report: Report
) -> tuple[str | None, ...] | None:
    """Return the names of a dataset's dimensions, None for an unnamed one; None if all are unnamed.

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
        return ()  # xarray rejects v2 arrays without an explicit list
    numbered = _numbered(dataset, numbers)
    if numbered is not None:
        return tuple(name for name, _ in numbered)
    if rank == 1 and dataset.is_scale:
        return (node.names[-1],)
    scales, labels = _scales(dataset), _labels(dataset)
    names = tuple(_name(scales[axis], labels[axis], report) for axis in range(rank))
    return names if any(name is not None for name in names) else None


def _numbered(dataset: Any, numbers: Mapping[int, tuple[str, Any]]) -> list[tuple[str, Any]] | None:
    """Return the dimensions that a NetCDF variable lists by number, or None if it has no valid list."""
    found = readable_attribute(dataset, _COORDINATES)
    if found is None or len(found) != len(dataset.shape or ()) or not all(int(n) in numbers for n in found):
        return None
    return [numbers[int(number)] for number in found]


def unlimited_shapes(
    nodes: Iterable[Node], numbers: Mapping[int, tuple[str, Any]]
) -> dict[str, tuple[int, ...]]:
    """Return shapes by path for arrays with unlimited dimensions, each as long as its longest array.

    In HDF5 each dataset ends where it was last written; in netCDF the dimension has one length.

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
    """Yield the unlimited dimensions of a dataset, each with its scale."""
    free = [axis for axis, most in enumerate(dataset.maxshape or ()) if most is None]
    if not free:
        return
    numbered = _numbered(dataset, numbers)
    scales = _scales(dataset) if numbered is None else []
    for axis in free:
        scale = None
        if numbered is not None:
            scale = numbered[axis][1]
        elif dataset.is_scale:
            scale = dataset if axis == 0 else None
        else:
            scale = next(filter(None, scales[axis]), None)
        if scale is not None and scale.maxshape and scale.maxshape[0] is None:
            yield axis, scale


def _scales(dataset: Any) -> list[list[Any | None]]:
    """Return the scales of each dimension, with None for a deleted scale.

    HDF5's own functions crash if the attribute has an unexpected type.
    """
    h5py = imported("h5py", "hdf5")
    rank = len(dataset.shape or ())
    kind = _kind(dataset, "DIMENSION_LIST")
    is_list = kind is not None and kind[0] == (rank,) and h5py.check_vlen_dtype(kind[1]) == h5py.ref_dtype
    if not is_list:
        return [[] for _ in range(rank)]
    found = readable_attribute(dataset, "DIMENSION_LIST")
    return [[_target(h5py, dataset, each) for each in references] for references in found]


def _target(h5py: Any, dataset: Any, reference: Any) -> Any | None:
    """Return the dataset that a reference points to, or None if it was deleted."""
    try:
        found = dataset.file[reference]
    except (ValueError, RuntimeError, KeyError, OSError):
        return None
    return found if isinstance(found, h5py.Dataset) and found.name is not None else None


def _labels(dataset: Any) -> list[str]:
    """Return the label of each dimension, or "" if missing; read here for the same reason."""
    h5py = imported("h5py", "hdf5")
    rank = len(dataset.shape or ())
    kind = _kind(dataset, "DIMENSION_LABELS")
    if kind is None or kind[0] != (rank,) or h5py.check_string_dtype(kind[1]) is None:
        return [""] * rank
    found = readable_attribute(dataset, "DIMENSION_LABELS")
    return [each.decode("utf-8", "replace") if isinstance(each, bytes) else str(each) for each in found]


def _kind(dataset: Any, name: str) -> tuple[tuple[int, ...], Any] | None:
    """Return the shape and type of an attribute, or None if it is missing or h5py can't read it."""
    if name not in dataset.attrs:
        return None
    try:
        attribute = dataset.attrs.get_id(name)
        kind = attribute.dtype
    except UNREADABLE:
        return None
    return attribute.shape, kind


def _name(linked: list[Any | None], label: str, report: Report) -> str | None:
    """Return the name of the first scale of a dimension, or else its label."""
    scales = [scale for scale in linked if scale is not None]
    if len(scales) < len(linked):
        fix = "it is skipped; detach it, or attach another one"
        report.add(DIMENSION, ("dimension_names",), "existing scales", "a deleted one", fix)
    scale = scales[0].name if scales else None
    if len(scales) > 1:
        others = ", ".join(show(other.name) for other in scales[1:])
        report.add(
            DIMENSION, ("dimension_names",), "one scale", f"{scale!r} and {others}", "the first is used"
        )
    if scale is not None:
        return str(scale).rpartition("/")[2]
    return label or None


def report_unused(found: HDF5Objects, used: Mapping[tuple[str, ...], set[str]]) -> None:
    """Report dimensions that no array uses, since their lengths are lost.

    `used` maps groups to the names of their arrays' dimensions.
    """
    for (*above, name), length in found.dimensions.items():
        group = tuple(above)
        if not any(name in names for at, names in used.items() if at[: len(group)] == group):
            owner = next(node for node in found.nodes if node.names == group)
            text = f"{show(name)} of length {length}, which no array uses"
            owner.report.add(DIMENSION, (), "a dimension of an array", text, "it is dropped")
