"""Files that are not stores: the error says what to open instead."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from zom.errors import StoreError
from zom.looks import is_file
from zom.stores.signatures import HDF5_NAMES, PACKED_NAMES, packed_as

__all__ = ["beginning_of", "packed_reason", "refuse_file", "refuse_new_file"]

_DOCUMENTS = ("zarr.json", ".zarray", ".zgroup", ".zmetadata")
"""The documents that mark a directory as part of a hierarchy."""


def refuse_file(path: str) -> None:
    """Raise StoreError for a file that is not a store, and name the hierarchy that it is part of, if any."""
    packed = packed_reason(path, beginning_of(path))
    if packed is not None:
        raise StoreError(path, "", "open", packed)
    above, nodes = _nodes_above(path)
    if not nodes:
        reason = "expected a directory, a zip (.zip), SQLite (.sqlite) or HDF5 file, found another file"
        raise StoreError(path, "", "open", f"{reason}; open the directory that holds the hierarchy")
    # The nearest node, and the root of the nodes above it without a gap.
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
    """Return the directories above a file, and those of them that are nodes."""
    above = list(Path(os.path.abspath(path)).parents)  # noqa: PTH100 - links stay as they are
    return above, [folder for folder in above if any(is_file(folder / name) for name in _DOCUMENTS)]


def packed_reason(path: str, beginning: bytes) -> str | None:
    r"""Say why a packed file is not opened and how to unpack it; None if it is not packed, or in a node.

    >>> packed_reason("a.tgz", b"\x1f\x8b")
    'a file packed as gzip, which zom does not open; unpack it: tar -xf a.tgz'
    >>> packed_reason("a.json", b"{}")
    """
    packed = packed_as(beginning)
    if packed is None or _nodes_above(path)[1]:
        return None
    name = path.lower()
    is_tar = packed == "tar" or ".tar." in name or name.endswith((".tgz", ".tbz2", ".txz"))
    fix = f"unpack it: tar -xf {shlex.quote(path)}" if is_tar else "unpack it first"
    return f"a file packed as {packed}, which zom does not open; {fix}"


def beginning_of(path: str) -> bytes:
    """Return the first bytes of a file, for its signature; b"" for pipes and unreadable files."""
    if not is_file(path):
        return b""
    try:
        with Path(path).open("rb") as file:
            return file.read(512)
    except OSError:
        return b""


def refuse_new_file(path: str) -> None:
    """Raise StoreError for a new file of a kind that zom doesn't write, instead of creating a directory."""
    suffix = Path(path).suffix.lower()
    if suffix in HDF5_NAMES:
        reason = "zom reads HDF5 and NetCDF files but does not write them; name a directory, such as out.zarr"
        raise StoreError(path, "", "create", reason)
    if suffix in PACKED_NAMES:
        reason = f"zom does not write {suffix} files; name a zip file, such as out.zip, or a directory"
        raise StoreError(path, "", "create", reason)
