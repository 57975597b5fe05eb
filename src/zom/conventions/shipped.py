"""The conventions that come with zom: importing this module registers them."""

from zom.conventions import anndata, consolidated, nczarr, nz, ome, vcf_zarr, xarray

__all__ = ["anndata", "consolidated", "nczarr", "nz", "ome", "vcf_zarr", "xarray"]
