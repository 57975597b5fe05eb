"""Bridges to other libraries: xarray, dask, HDF5.

Each folder here needs the package that it is named after, and is loaded only where it is asked for. A package
that is not installed is an ExtensionError which names the extra: `pip install 'zom[xarray]'`.
"""

__all__ = ["FILES"]

FILES = ("xarray",)
"""The folders that register a bridge between specs and a library's objects."""
