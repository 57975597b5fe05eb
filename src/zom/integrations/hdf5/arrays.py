"""Arrays: the spec of one dataset, and the information to make Zarr chunks of its elements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zom.dataclass import dataclass
from zom.formats.v3 import ArraySpec
from zom.integrations.hdf5.attributes import attributes_of
from zom.integrations.hdf5.datatypes import elements_of
from zom.integrations.hdf5.dimensions import dimension_names
from zom.integrations.hdf5.filters import pipeline_of
from zom.integrations.hdf5.losses import FILL_VALUE, NULL_SPACE, UNLIMITED, VIRTUAL
from zom.integrations.hdf5.netcdf_fill import netcdf_fill
from zom.looks import exists
from zom.model.builders.build import AUTO
from zom.packages import imported
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.conversion.losses import Report
    from zom.integrations.hdf5.datatypes import Elements
    from zom.integrations.hdf5.filters import Pipeline
    from zom.integrations.hdf5.objects import Node

__all__ = ["SourceArray", "source_array"]


@dataclass(frozen=True, slots=True)
class SourceArray:
    """A dataset and the document of its array."""

    dataset: Any
    elements: Elements
    document: dict[str, Any]
    same_bytes: bool
    """Whether chunks in the file have the same bytes as chunks of the array."""
    held: tuple[int, ...]
    """The shape of the elements in the file, smaller than the array's if an unlimited dimension is longer."""
    missing: str | None
    """The missing filter that reading the elements requires, if any."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return tuple(self.document["shape"])


def source_array(
    node: Node,
    numbers: Mapping[int, tuple[str, Any]],
    shape: tuple[int, ...] | None = None,
    *,
    compress: Any = AUTO,
    is_netcdf: bool,
) -> SourceArray | None:
    """Return the array of a dataset, with `shape` if given; None if Zarr has no data type for it."""
    dataset, report = node.object, node.report
    elements = elements_of(dataset, report)
    if elements is None:
        return None
    held = _shape(dataset, report)
    shape = held if shape is None else shape
    if shape != held:
        report.add(UNLIMITED, ("shape",), show(shape), show(held), "the rest is fill values")
    _check_sources(dataset, report)
    width = 0 if isinstance(elements.dtype, str) else int(elements.dtype.itemsize)
    pipeline = pipeline_of(dataset, report, width=width, is_stored=elements.is_stored)
    names = dimension_names(node, numbers, report)
    spec = ArraySpec.build(
        shape=(*shape, *elements.inner),
        dtype=elements.dtype,
        chunks=(*dataset.chunks, *elements.inner) if dataset.chunks else "auto",
        compress=None if compress is AUTO else compress,
        fill_value=_fill_value(dataset, elements, report, is_netcdf=is_netcdf and shape != held),
        dimension_names=None if names is None else (*names, *(None for _ in elements.inner)),
    )
    document = dict(spec.document)
    if compress is AUTO:
        document["codecs"] = [*document["codecs"], *pipeline.codecs]
    attributes = attributes_of(dataset, report, is_netcdf=is_netcdf, dtype=elements.dtype)
    attributes.update(_flags(elements, attributes))
    if attributes:
        document["attributes"] = attributes
    same = _same_bytes(dataset, elements, pipeline) and compress is AUTO
    is_filled = any(
        length < longer and length % size
        for length, longer, size in zip(held, shape, dataset.chunks or held, strict=True)
    )
    missing = None if same and not is_filled else pipeline.missing
    return SourceArray(dataset, elements, document, same, (*held, *elements.inner), missing)


def _shape(dataset: Any, report: Report) -> tuple[int, ...]:
    if dataset.shape is not None:
        return tuple(dataset.shape)
    report.add(NULL_SPACE, ("shape",), "a shape", "no shape: the dataset is empty", "it gets the shape (0,)")
    return (0,)


def _same_bytes(dataset: Any, elements: Elements, pipeline: Pipeline) -> bool:
    return dataset.chunks is not None and elements.is_stored and pipeline.same_bytes


def _flags(elements: Elements, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the names of an enumeration as CF flag attributes, unless the dataset has these itself."""
    if elements.enum is None or "flag_values" in attributes or "flag_meanings" in attributes:
        return {}
    meanings = " ".join(name.replace(" ", "_") for name in elements.enum)
    return {"flag_values": [int(value) for value in elements.enum.values()], "flag_meanings": meanings}


def _fill_value(dataset: Any, elements: Elements, report: Report, *, is_netcdf: bool) -> Any:
    """Return the value of unwritten elements: HDF5's default is zeros, netCDF has its own defaults."""
    h5py = imported("h5py", "hdf5")
    status = dataset.id.get_create_plist().fill_value_defined()
    path = ("fill_value",)
    if status == h5py.h5d.FILL_VALUE_UNDEFINED and not is_netcdf:
        report.add(FILL_VALUE, path, "a fill value", "an undefined one", "zeros are used")
    is_text = isinstance(elements.dtype, str)
    if status == h5py.h5d.FILL_VALUE_USER_DEFINED:
        found: Any = None
        try:
            found = dataset.fillvalue
            made = elements.converted(np.asarray(found, object if is_text else None))
            if not made.shape:
                return made[()]
        except (TypeError, ValueError, RuntimeError, OSError):
            pass
        report.add(FILL_VALUE, path, "one value", show(repr(found)), "zeros are used")
    own = netcdf_fill(dataset, elements.dtype) if is_netcdf else None
    if own is not None:
        return own
    return "" if is_text else np.zeros((), elements.dtype)[()]


def _check_sources(dataset: Any, report: Report) -> None:
    """Report missing source files of a virtual dataset: HDF5 reads fill values in their place."""
    if not dataset.is_virtual:
        return
    home = Path(dataset.file.filename).parent
    names = {source.file_name for source in dataset.virtual_sources()} - {"."}
    # HDF5 also accepts patterns (`%b`), whose files can't be listed beforehand.
    missing = sorted(name for name in names if "%" not in name and not (exists(home / name) or exists(name)))
    if missing:
        found = f"no file {', '.join(map(show, missing))}"
        report.add(
            VIRTUAL, (), "the sources of a virtual dataset", found, "their elements read as fill values"
        )
