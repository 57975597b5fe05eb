"""Signatures: the bytes by which a file says what it is."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

__all__ = ["HDF5_NAMES", "Signature", "signature_of"]

Signature = Literal["zip", "sqlite", "hdf5", "netcdf3"]
"""The kinds of files that hold a hierarchy. NetCDF4 files are HDF5 files."""

HDF5_NAMES: Final = (".nc", ".nc4", ".cdf", ".h5", ".hdf5", ".hdf", ".he5", ".h5ad")
"""How files of HDF5 and NetCDF are named, in lower case."""

_BEGINNINGS: Final[dict[bytes, Signature]] = {
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"SQLi": "sqlite",
    b"CDF\x01": "netcdf3",
    b"CDF\x02": "netcdf3",
    b"CDF\x05": "netcdf3",
}
_HDF5: Final = b"\x89HDF\r\n\x1a\n"


def signature_of(path: str | Path) -> Signature | None:
    r"""What the file at `path` says that it is; None where it says nothing known.

    HDF5 allows a block of the user's before the signature, whose size is a power of two from 512 on.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "a.nc"); _ = file.write_bytes(bytes(512) + b"\x89HDF\r\n\x1a\n")
    >>> signature_of(file)
    'hdf5'
    """
    with Path(path).open("rb") as file:
        beginning = file.read(len(_HDF5))
        if beginning[:4] in _BEGINNINGS:
            return _BEGINNINGS[beginning[:4]]
        place = 512
        while len(beginning) == len(_HDF5):
            if beginning == _HDF5:
                return "hdf5"
            file.seek(place)
            beginning = file.read(len(_HDF5))
            place *= 2
    return None
