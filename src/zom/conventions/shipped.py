"""The conventions that come with zom: importing this module registers them."""

from zom.conventions import (
    anndata,
    cf,
    consolidated,
    geozarr,
    license,  # noqa: A004 - a convention of that name
    multiscales,
    nczarr,
    nz,
    ome,
    proj,
    spatial,
    spatialdata,
    uom,
    vcf_zarr,
    xarray,
    zarr_conventions,
)

__all__ = [
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
]
