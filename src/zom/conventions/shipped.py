"""The conventions that come with zom: importing this module registers them."""

from zom.conventions import anndata, consolidated, vcf_zarr, xarray

__all__ = ["anndata", "consolidated", "vcf_zarr", "xarray"]
