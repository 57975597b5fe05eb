"""The conventions that come with zom: files and folders, each imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FILES"]

FILES: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "anndata": (("encoding-type", "encoding-version"), ("obs", "obsm", "uns", "var", "varm")),
    "cf": (("Conventions",), ()),
    "consolidated": ((), ()),
    "geozarr": (("multiscales", "zarr_conventions"), ()),
    "license": (("license",), ()),
    "multiscales": (("multiscales",), ()),
    "nczarr": ((), ()),
    "nz": (("Conventions", "conventions", "zarr_conventions"), ()),
    "ome": (
        (
            "bioformats2raw.layout",
            "image-label",
            "labels",
            "multiscales",
            "ome",
            "omero",
            "plate",
            "series",
            "well",
        ),
        (),
    ),
    "proj": (("proj:*", "proj:code", "proj:projjson", "proj:wkt2"), ()),
    "spatial": (
        (
            "multiscales",
            "spatial:bbox",
            "spatial:dimensions",
            "spatial:registration",
            "spatial:shape",
            "spatial:transform",
            "spatial:transform_type",
        ),
        (),
    ),
    "spatialdata": (("encoding-type", "spatialdata-encoding-type", "spatialdata_attrs"), ()),
    "uom": (("uom",), ()),
    "vcf_zarr": (
        ("vcf_meta_information", "vcf_zarr_version"),
        ("variant_allele", "variant_contig", "variant_position"),
    ),
    "xarray": ((), ()),
    "zarr_conventions": (("zarr_conventions",), ()),
}
"""The files by convention id; each holds all versions of its convention.

Each has the attributes that identify the convention, and names of members: hierarchies with none of them
don't import the file. If it lists no attributes, a function detects the convention, and it is always called.
"""
