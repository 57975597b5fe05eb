"""Directories of zarr-python's FsspecStore, listed by its file system, which tells files from directories."""

from __future__ import annotations

from typing import Any

from zom.stores.results import Listing

__all__ = ["entries"]


async def entries(inner: Any, prefix: str) -> Listing | None:
    """List the keys and prefixes directly below `prefix` in one request; None if it can't tell them apart.

    zarr-python's own listing only has names: each would take another request to tell what it is.
    """
    if type(inner).__name__ != "FsspecStore":
        return None
    root = str(inner.path).rstrip("/")
    base = "/".join(part for part in (root, prefix.rstrip("/")) if part)
    try:
        found = await inner.fs._ls(base, detail=True)  # noqa: SLF001 - as zarr-python's own store does
    except (FileNotFoundError, NotADirectoryError):
        return Listing([], [])
    keys: list[str] = []
    prefixes: list[str] = []
    for entry in found:
        folder, _, name = str(entry["name"]).rstrip("/").rpartition("/")
        if folder.strip("/") != base.strip("/"):
            # A file lists itself; web servers list URLs.
            if str(entry["name"]).strip("/") != base.strip("/"):
                return None
        elif entry["type"] == "directory":
            prefixes.append(f"{prefix}{name}/")
        elif entry["type"] == "file":
            keys.append(prefix + name)
        else:
            return None  # a link: its target is unknown
    return Listing(keys, prefixes)
