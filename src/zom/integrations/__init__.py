"""Bridges to other libraries: xarray, dask, HDF5.

Each folder here needs the package that it is named after, and is loaded only on use. If the package is not
installed, an ExtensionError names the extra: `pip install 'zom[xarray]'`.
"""

__all__ = ["FILES"]

FILES = ("xarray",)
"""The folders that register a bridge between specs and a library's objects."""
