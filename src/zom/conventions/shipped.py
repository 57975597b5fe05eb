"""The conventions that come with zom: importing this module registers them."""

from zom.conventions import (
    anndata,
    consolidated,
    geozarr,
    license,
    multiscales,
    nczarr,
    nz,
    ome,
    proj,
    spatial,
    uom,
    vcf_zarr,
    xarray,
    zarr_conventions,
)

__all__ = [
    "anndata",
    "consolidated",
    "geozarr",
    "license",
    "multiscales",
    "nczarr",
    "nz",
    "ome",
    "proj",
    "spatial",
    "uom",
    "vcf_zarr",
    "xarray",
    "zarr_conventions",
]
