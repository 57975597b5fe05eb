"""Files that are no stores: the error says what to open instead."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from zom.errors import StoreError
from zom.looks import is_file
from zom.stores.signatures import HDF5_NAMES, PACKED_NAMES, packed_as

__all__ = ["beginning_of", "packed_reason", "refuse_file", "refuse_new_file"]

_DOCUMENTS = ("zarr.json", ".zarray", ".zgroup", ".zmetadata")
"""The documents that tell a directory to be a part of a hierarchy."""


def refuse_file(path: str) -> None:
    """StoreError for a file that is no store, which says what to open where it is a part of a hierarchy."""
    packed = packed_reason(path, beginning_of(path))
    if packed is not None:
        raise StoreError(path, "", "open", packed)
    above, nodes = _nodes_above(path)
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


def _nodes_above(path: str) -> tuple[list[Path], list[Path]]:
    """The directories above a file, and those of them that are nodes."""
    above = list(Path(os.path.abspath(path)).parents)  # noqa: PTH100 - links stay as they are
    return above, [folder for folder in above if any(is_file(folder / name) for name in _DOCUMENTS)]


def packed_reason(path: str, beginning: bytes) -> str | None:
    r"""Why a file that begins so is not opened, and how to unpack it; None where it is packed in no known way, and for chunks.

    >>> packed_reason("a.tgz", b"\x1f\x8b")
    'a file packed as gzip, which is not opened in its place; unpack it: tar -xf a.tgz'
    >>> packed_reason("a.json", b"{}")
    """
    packed = packed_as(beginning)
    if packed is None or _nodes_above(path)[1]:
        return None
    name = path.lower()
    is_tar = packed == "tar" or ".tar." in name or name.endswith((".tgz", ".tbz2", ".txz"))
    fix = f"unpack it: tar -xf {shlex.quote(path)}" if is_tar else "unpack it first"
    return f"a file packed as {packed}, which is not opened in its place; {fix}"


def beginning_of(path: str) -> bytes:
    """The first bytes of a file, by which it says what it is; none of a pipe, or where it can't be read."""
    if not is_file(path):
        return b""
    try:
        with Path(path).open("rb") as file:
            return file.read(512)
    except OSError:
        return b""


def refuse_new_file(path: str) -> None:
    """StoreError for a new file of a kind that is not written: a directory of that name is not what anybody means."""
    suffix = Path(path).suffix.lower()
    if suffix in HDF5_NAMES:
        reason = "HDF5 and NetCDF files are read and not written; name a directory, such as out.zarr"
        raise StoreError(path, "", "create", reason)
    if suffix in PACKED_NAMES:
        reason = (
            f"files of the kind {suffix} are not written; name a zip file, such as out.zip, or a directory"
        )
        raise StoreError(path, "", "create", reason)
