"""Stores that others write: ome-zarr-py 0.4 and 0.5, yaozarrs and ngff-zarr 0.5."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import zarr

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["MODULES", "WRITERS"]

_PIXELS = np.arange(3 * 64 * 48, dtype="uint16").reshape(3, 64, 48)


def _ome_zarr_py(folder: Path, version: str) -> None:
    from ome_zarr.format import format_from_version
    from ome_zarr.writer import write_image, write_labels, write_plate_metadata, write_well_metadata

    fmt = format_from_version(version)
    root = zarr.open_group(folder, mode="w", zarr_format=2 if version == "0.4" else 3)
    wells = ("A/1", "B/2")
    write_plate_metadata(root, ["A", "B"], ["1", "2"], list(wells), fmt=fmt, field_count=1, name="plate")
    for well in wells:
        row = root.require_group(well.partition("/")[0])
        group = row.require_group(well.partition("/")[2])
        write_well_metadata(group, ["0"], fmt=fmt)
        field = group.require_group("0")
        units = {"y": "micrometer", "x": "micrometer"}
        write_image(_PIXELS, field, axes="cyx", fmt=fmt, scale_factors=[2, 4], axes_units=units)
        label = (_PIXELS > 9).astype("uint8")
        write_labels(label, field, name="cells", axes="cyx", fmt=fmt, scale_factors=[2, 4], axes_units=units)


def _ome_zarr_py_04(folder: Path) -> None:
    _ome_zarr_py(folder, "0.4")


def _ome_zarr_py_05(folder: Path) -> None:
    _ome_zarr_py(folder, "0.5")


def _yaozarrs(folder: Path) -> None:
    from yaozarrs import DimSpec, v05
    from yaozarrs.write.v05 import write_image

    dims = [DimSpec(name="c", size=3), DimSpec(name="y", size=64, scale=0.5, unit="micrometer")]
    dims.append(DimSpec(name="x", size=48, scale=0.5, unit="micrometer"))
    image = v05.Image(multiscales=[v05.Multiscale.from_dims(dims, n_levels=2)])
    write_image(folder, image, [_PIXELS, _PIXELS[:, ::2, ::2]], writer="zarr")


def _ngff_zarr(folder: Path) -> None:
    import ngff_zarr

    units: Any = {"y": "micrometer", "x": "micrometer"}
    image = ngff_zarr.to_ngff_image(
        _PIXELS, dims=("c", "y", "x"), scale={"y": 0.5, "x": 0.5}, axes_units=units
    )
    scales = ngff_zarr.to_multiscales(image, scale_factors=[2])
    ngff_zarr.to_ngff_zarr(str(folder), scales, version="0.5")


WRITERS: dict[str, Callable[[Path], None]] = {
    "ome-zarr-py 0.4": _ome_zarr_py_04,
    "ome-zarr-py 0.5": _ome_zarr_py_05,
    "yaozarrs 0.5": _yaozarrs,
    "ngff-zarr 0.5": _ngff_zarr,
}
MODULES = {
    "ome-zarr-py 0.4": "ome_zarr",
    "ome-zarr-py 0.5": "ome_zarr",
    "yaozarrs 0.5": "yaozarrs",
    "ngff-zarr 0.5": "ngff_zarr",
}
"""What each of them needs."""
