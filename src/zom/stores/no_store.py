"""Files that are no stores: the error says what to open instead."""

from __future__ import annotations

import os
from pathlib import Path

from zom.errors import StoreError
from zom.stores.signatures import HDF5_NAMES

__all__ = ["refuse_file", "refuse_new_hdf5"]

_DOCUMENTS = ("zarr.json", ".zarray", ".zgroup", ".zmetadata")
"""The documents that tell a directory to be a part of a hierarchy."""


def refuse_file(path: str) -> None:
    """StoreError for a file that is no store, which says what to open where it is a part of a hierarchy."""
    above = list(Path(os.path.abspath(path)).parents)  # noqa: PTH100 - links stay as they are
    nodes = [folder for folder in above if any((folder / name).is_file() for name in _DOCUMENTS)]
    if not nodes:
        reason = "expected a directory, a zip (.zip), SQLite (.sqlite) or HDF5 file, found another file"
        raise StoreError(path, "", "open", f"{reason}; open the directory that holds the hierarchy")
    # The nearest node, and the highest of those that lie in each other.
    first = above.index(nodes[0])
    root = nodes[0]
    for folder in above[first + 1 :]:
        if folder not in nodes:
            break
        root = folder
    inner = nodes[0].relative_to(root).as_posix()
    whole = str(root)
    node = f", or the node that it belongs to: zom.open({whole!r}, {inner!r})" if inner != "." else ""
    reason = f"expected a store, found a file in one; open the directory: zom.open({whole!r}){node}"
    raise StoreError(path, "", "open", reason)


def refuse_new_hdf5(path: str) -> None:
    """StoreError for a new file of HDF5 or NetCDF: a directory of that name is not what anybody means."""
    if Path(path).suffix.lower() in HDF5_NAMES:
        raise StoreError(
            path,
            "",
            "create",
            "HDF5 and NetCDF files are read and not written; name a directory, such as out.zarr",
        )
