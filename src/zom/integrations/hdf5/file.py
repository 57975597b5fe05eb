"""Open files: turn what a user passes into an h5py group, or raise one error that identifies it."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from zom.dataclass import dataclass
from zom.errors import StoreError, StoreNotFound, ZomError
from zom.packages import imported
from zom.reason import reason_of
from zom.stores.signatures import signature_of

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["HDF5File", "opened_file", "told_of_damage"]

_WANTED = "expected a path, or a file or group of h5py"
_NETCDF3 = (
    "this is a NetCDF file of the classic format (NetCDF3), which is not HDF5; convert it with "
    "`nccopy -k nc4 old.nc new.nc`, or read it with xarray and write the dataset"
)
_BEING_WRITTEN = "another program has it open for writing, or was killed while it had; see h5clear"


@dataclass(frozen=True, slots=True)
class HDF5File:
    """A group of an open file, and the path if the file was opened here."""

    group: Any
    url: str
    path: str | None
    """The path of a file that was opened here and must be closed."""

    def close(self) -> None:
        """Close the file if it was opened here."""
        if self.path is not None and self.group:
            self.group.file.close()


@contextmanager
def told_of_damage(url: str) -> Generator[None]:
    """Raise StoreError for read errors of h5py in the block; h5py raises various exception types.

    >>> with told_of_damage("a.h5"):
    ...     raise KeyError("unable to open object")
    Traceback (most recent call last):
    zom.errors.StoreError: a.h5: cannot read: this HDF5 file is damaged: unable to open object; check that the place is right, and the data complete
    """
    try:
        yield
    except ZomError:
        raise
    except (OSError, RuntimeError, KeyError, ValueError) as cause:
        text = cause.args[0] if isinstance(cause, KeyError) and cause.args else cause
        raise StoreError(url, "", "read", f"this HDF5 file is damaged: {text}") from cause


def opened_file(source: Any) -> HDF5File:
    """Open the file at a path for reading, or wrap an h5py file or group.

    >>> opened_file(3)
    Traceback (most recent call last):
    zom.errors.StoreError: builtins.int: cannot open: expected a path, or a file or group of h5py
    """
    h5py = imported("h5py", "hdf5")
    path = _path(source)
    if path is not None:
        return _at_path(h5py, path)
    if not isinstance(source, h5py.Group):
        kind = f"{type(source).__module__}.{type(source).__qualname__}"
        raise StoreError(kind, "", "open", _WANTED)
    if not source:
        raise StoreError("h5py.File", "", "open", "the file is closed")
    name = "" if source.name in {"/", None} else f"::{source.name.strip('/')}"
    return HDF5File(source, f"{source.file.filename}{name}", None)


def _path(source: Any) -> str | None:
    """Return `source` as a path, or None if it isn't one or is a bytes path."""
    path = cast("object", os.fspath(source)) if isinstance(source, (str, os.PathLike)) else None
    return path if isinstance(path, str) else None


def _at_path(h5py: Any, path: str) -> HDF5File:
    try:
        found = signature_of(path)
    except FileNotFoundError:
        raise StoreNotFound(path, "", "open", "there is no such file") from None
    except (OSError, ValueError) as cause:
        raise StoreError(path, "", "open", reason_of(cause)) from cause
    if found == "netcdf3":
        raise StoreError(path, "", "open", _NETCDF3)
    if found != "hdf5":
        what = "an empty file" if not Path(path).stat().st_size else "another file"
        raise StoreError(path, "", "open", f"expected an HDF5 or NetCDF4 file, found {what}")
    try:
        return HDF5File(h5py.File(path, "r"), path, path)
    except OSError as cause:
        raise StoreError(path, "", "open", _reason(cause)) from cause


def _reason(cause: OSError) -> str:
    text = str(cause)
    if "truncated file" in text:
        return "the file is truncated: it is shorter than it states; copy it again from its source"
    if "lock file" in text or "already open for write" in text:
        return _BEING_WRITTEN
    return f"this HDF5 file is damaged: {text}"
