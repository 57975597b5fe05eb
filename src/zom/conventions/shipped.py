"""The conventions that come with zom: files and folders, each imported with the first question for it."""

from __future__ import annotations

__all__ = ["FILES"]

FILES = (
    "anndata",
    "cf",
    "consolidated",
    "geozarr",
    "license",
    "multiscales",
    "nczarr",
    "nz",
    "ome",
    "proj",
    "spatial",
    "spatialdata",
    "uom",
    "vcf_zarr",
    "xarray",
    "zarr_conventions",
)
"""Each is named after the id of its convention, and holds all versions of it."""
