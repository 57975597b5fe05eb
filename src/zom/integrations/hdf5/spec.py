"""`zom.from_hdf5`: the hierarchy of an HDF5 or NetCDF4 file as a spec; no elements are read."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from zom.conversion.losses import Conversion
from zom.conversion.trees import convert
from zom.dataclass import dataclass
from zom.engine.compile import compile_plan
from zom.errors import SpecError
from zom.formats.v3 import GroupSpec
from zom.integrations.hdf5.arrays import source_array
from zom.integrations.hdf5.attributes import attributes_of, mask_of
from zom.integrations.hdf5.dimensions import numbered_dimensions, report_unused, unlimited_shapes
from zom.integrations.hdf5.file import opened_file, told_of_damage
from zom.integrations.hdf5.objects import found_objects
from zom.model.builders.build import AUTO
from zom.model.construction import assembled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.integrations.hdf5.arrays import SourceArray
    from zom.integrations.hdf5.objects import HDF5Objects, Node
    from zom.model.spec import Spec
    from zom.problems import Problem

__all__ = ["HDF5Hierarchy", "from_hdf5", "read_hierarchy"]


@dataclass(frozen=True, slots=True)
class HDF5Hierarchy:
    """A group of a file as a v3 spec, what it loses, and the dataset of each array."""

    spec: Spec
    losses: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    """Allowed but unusual parts of the spec: reserved names, NaN in attributes."""
    arrays: Mapping[str, SourceArray]
    masks: Mapping[str, Any]
    """The value that the attribute `_FillValue` of each array masks, or None."""


def from_hdf5(source: Any, *, zarr_format: Literal[2, 3] = 3, compress: Any = AUTO) -> Conversion:
    """Return the spec of an HDF5 or NetCDF4 file, and the parts that Zarr can't represent.

    `source` is a path, or an h5py file or group. Elements are not read. Datasets keep their chunks, and
    codecs replace their filters; pass `compress` for other codecs, as in `ArraySpec.build`. Datasets without
    chunks get chunks of 4 MiB. Dimension names come from dimension scales.

    In v2 the fill value is the value that the attribute `_FillValue` masks, as xarray reads it there, or null
    if nothing is masked.

    The result has the `spec`, the `losses` (a `Problem` for each: links, references, ...), and `same_chunks`,
    which maps each array to whether its chunks have the same bytes in the file and in Zarr.
    `zom.copy("file.nc", "out.zarr")` also copies the elements.

    >>> import h5py
    >>> with h5py.File("a.h5", "w", driver="core", backing_store=False) as file:
    ...     file.attrs["title"] = "a small climate"
    ...     made = file.create_dataset("t2m", (48, 181, 360), "f4", chunks=(24, 91, 180), compression="gzip")
    ...     found = from_hdf5(file)
    >>> found.spec["t2m"].shape, [codec["name"] for codec in found.spec["t2m"].codecs], found.same_chunks
    ((48, 181, 360), ['bytes', 'numcodecs.zlib'], {'/t2m': True})
    """
    if zarr_format not in {2, 3}:
        raise ValueError(f"zarr_format: expected 2 or 3, got {zarr_format!r}")
    file = opened_file(source)
    try:
        with told_of_damage(file.url):
            found = read_hierarchy(file.group, compress=compress)
    finally:
        file.close()
    same = {path: array.same_bytes for path, array in found.arrays.items()}
    losses = (*found.losses, *found.warnings)
    if zarr_format == 3:
        return Conversion(found.spec, losses, same)
    older = convert(found.spec.map(_without_mask), "v2")
    with_masks = older.spec.map(partial(_masked, masks=found.masks))
    return Conversion(with_masks, (*losses, *older.losses), same)


def _without_mask(_path: str, node: Any) -> Any:
    attributes = dict(node.document.get("attributes") or {})
    if node.kind != "array" or attributes.pop("_FillValue", None) is None:
        return node
    return node.replace(attributes=attributes)


def _masked(path: str, node: Any, *, masks: Mapping[str, Any]) -> Any:
    """Return a v2 array whose fill value is the value that xarray masks, or null if nothing is masked."""
    if node.kind != "array":
        return node
    mask = masks.get(path)
    kind = compile_plan(node).data_type
    spelled = None if mask is None else kind.fill_json(kind.cast(mask[()]), "v2")
    return node.replace(fill_value=spelled)


def read_hierarchy(root: Any, *, compress: Any = AUTO) -> HDF5Hierarchy:
    """Read the hierarchy below an h5py group.

    >>> import h5py
    >>> with h5py.File("a.h5", "w", driver="core", backing_store=False) as file:
    ...     file["x"] = [1, 2]
    ...     found = read_hierarchy(file)
    >>> found.spec["x"].data_type, list(found.arrays)
    ('int64', ['/x'])
    """
    found = found_objects(root)
    numbers = numbered_dimensions(found, _datasets(root, found))
    shapes = unlimited_shapes((node for node in found.nodes if node.is_array), numbers)
    documents: dict[tuple[str, ...], dict[str, Any]] = {}
    arrays: dict[str, SourceArray] = {}
    used: dict[tuple[str, ...], set[str]] = {}
    for node in found.nodes:
        if not node.is_array:
            documents[node.names] = _group(node, is_netcdf=found.is_netcdf)
        else:
            made = source_array(
                node, numbers, shapes.get(node.path), compress=compress, is_netcdf=found.is_netcdf
            )
            if made is None:
                continue
            arrays[node.path] = made
            documents[node.names] = made.document
            used.setdefault(node.names[:-1], set()).update(made.document.get("dimension_names") or ())
        if node.names:
            documents[node.names[:-1]]["members"][node.names[-1]] = documents[node.names]
    report_unused(found, used)
    spec, problems = assembled(GroupSpec, documents[()], "lenient")
    if spec is None:
        raise SpecError(problems, root.file.filename)
    losses = tuple(loss for node in found.nodes for loss in node.report.losses)
    masks = {path: mask_of(array.dataset) for path, array in arrays.items()}
    return HDF5Hierarchy(spec, losses, problems, arrays, masks)


def _group(node: Node, *, is_netcdf: bool) -> dict[str, Any]:
    document: dict[str, Any] = {"zarr_format": 3, "node_type": "group"}
    attributes = attributes_of(node.object, node.report, is_netcdf=is_netcdf)
    if attributes:
        document["attributes"] = attributes
    document["members"] = {}
    return document


def _datasets(root: Any, found: HDF5Objects) -> list[tuple[str, Any]]:
    """Return all datasets with their names, including those that are only dimensions."""
    own = [(node.names[-1], node.object) for node in found.nodes if node.is_array]
    return [*own, *((names[-1], root["/".join(names)]) for names in found.dimensions)]
