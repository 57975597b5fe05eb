"""Signatures: the bytes that identify the kind of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

__all__ = ["HDF5_NAMES", "PACKED_NAMES", "Signature", "packed_as", "signature_of"]

Signature = Literal["zip", "sqlite", "hdf5", "netcdf3"]
"""The kinds of files that hold a hierarchy. NetCDF4 files are HDF5 files."""

HDF5_NAMES: Final = (".nc", ".nc4", ".cdf", ".h5", ".hdf5", ".hdf", ".he5", ".h5ad")
"""The suffixes of HDF5 and NetCDF files, in lower case."""

_BEGINNINGS: Final[dict[bytes, Signature]] = {
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"SQLi": "sqlite",
    b"CDF\x01": "netcdf3",
    b"CDF\x02": "netcdf3",
    b"CDF\x05": "netcdf3",
}
_HDF5: Final = b"\x89HDF\r\n\x1a\n"

PACKED_NAMES: Final = (".tar", ".tgz", ".tbz2", ".txz", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar")
"""The suffixes of packed files, which must be unpacked first, in lower case."""

_PACKED: Final = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!": "rar",
}
_TAR_AT: Final = 257
_TAR: Final = b"ustar"


def packed_as(beginning: bytes) -> str | None:
    r"""Return the packing of a file that starts with `beginning` and must be unpacked; None for others.

    >>> packed_as(b"\x1f\x8b\x08"), packed_as(b"{}")
    ('gzip', None)
    """
    if beginning[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR:
        return "tar"
    return next((name for start, name in _PACKED.items() if beginning.startswith(start)), None)


def signature_of(path: str | Path) -> Signature | None:
    r"""Return the kind of the file at `path` by its signature; None if unknown.

    HDF5 allows a user block before the signature, whose size is a power of two from 512 on.

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
