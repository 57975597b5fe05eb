"""Any fsspec file system as a store, and with it whatever fsspec has a protocol for.

A UPath is taken by its `fs` and `path`; universal-pathlib need not be known.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from zom.errors import StoreError
from zom.stores.interface import ByteRange, Capabilities, Listing, Store, Suffix

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["FsspecStore"]


class FsspecStore(Store):
    """The files below a path of an fsspec file system.

    >>> fsspec = __import__("pytest").importorskip("fsspec", reason="pip install fsspec")
    >>> store = FsspecStore(fsspec.filesystem("memory"), "/doctest"); store.set("a/0", b"123")
    >>> store.get("a/0")
    b'123'
    """

    def __init__(
        self, filesystem: Any, path: str | os.PathLike[str] | None = None, *, read_only: bool = False
    ) -> None:
        if path is None:
            if not hasattr(filesystem, "fs") or not hasattr(filesystem, "path"):
                raise StoreError(
                    type(filesystem).__name__, "", "open", "expected a file system and a path, or a UPath"
                )
            filesystem, path = filesystem.fs, filesystem.path
        self._fs = filesystem
        self._root = os.fspath(path).rstrip("/") if path is not None else ""
        # Files of fsspec are written in place: a crash in the middle shows.
        self.capabilities = Capabilities(writable=not read_only, atomic_replace=False)

    @property
    @override
    def url(self) -> str:
        protocol = self._fs.protocol if isinstance(self._fs.protocol, str) else self._fs.protocol[0]
        return f"{protocol}://{self._root.lstrip('/') if protocol != 'file' else self._root}"

    def __reduce__(self) -> tuple[Any, ...]:
        if self._fs.storage_options:
            reason = "its options may hold credentials; open it again in the other process"
            raise StoreError(self.url, "", "pickle", reason)
        protocol = self._fs.protocol if isinstance(self._fs.protocol, str) else self._fs.protocol[0]
        return (_reopen, (protocol, self._root, not self.capabilities.writable))

    def _path(self, key: str) -> str:
        return f"{self._root}/{key}"

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        start, end = _bounds(byte_range)
        try:
            if byte_range is not None and byte_range.length == 0:
                return b"" if self._fs.exists(self._path(key)) else None
            if start is not None and start > 0:
                size = self._fs.size(self._path(key))
                if size is not None and start >= size:
                    return b""
            return bytes(self._fs.cat_file(self._path(key), start=start, end=end))
        except FileNotFoundError:
            return None

    @override
    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        if any(byte_range is not None for _, byte_range in requests) or len(requests) < 2:
            return super()._read_many(requests)
        paths = [self._path(key) for key, _ in requests]
        found = self._fs.cat(list(dict.fromkeys(paths)), on_error="return")
        values: list[bytes | None] = []
        for path, (key, _) in zip(paths, requests, strict=True):
            value = found.get(path, found.get(self._fs._strip_protocol(path)))  # noqa: SLF001 - its keys are stripped
            if isinstance(value, FileNotFoundError):
                values.append(None)
            elif isinstance(value, Exception) or value is None:
                raise StoreError(self.url, key, "read", f"{type(value).__name__}: {value}")
            else:
                values.append(bytes(value))
        return values

    @override
    def _write(self, key: str, value: bytes) -> None:
        path = self._path(key)
        self._fs.makedirs(path.rpartition("/")[0], exist_ok=True)
        self._fs.pipe_file(path, value)

    @override
    def _remove(self, key: str) -> None:
        try:
            self._fs.rm_file(self._path(key))
        except FileNotFoundError:
            return

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        base = self._fs._strip_protocol(f"{self._root}/{prefix}".rstrip("/"))  # noqa: SLF001 - as find gives it
        root = self._fs._strip_protocol(self._root)  # noqa: SLF001
        try:
            return [path[len(root) :].lstrip("/") for path in self._fs.find(base)]
        except FileNotFoundError:
            return []

    @override
    def _list_dir(self, prefix: str) -> Listing:
        base = f"{self._root}/{prefix}".rstrip("/")
        try:
            entries = self._fs.ls(base, detail=True)
        except (FileNotFoundError, NotADirectoryError):
            return Listing([], [])
        keys: list[str] = []
        prefixes: list[str] = []
        for entry in entries:
            name = entry["name"].rstrip("/").rpartition("/")[2]
            (prefixes if entry["type"] == "directory" else keys).append(
                f"{prefix}{name}/" if entry["type"] == "directory" else prefix + name
            )
        return Listing(sorted(keys), sorted(prefixes))


def _reopen(protocol: str, root: str, read_only: bool) -> FsspecStore:  # noqa: FBT001 - pickle passes positions
    from zom.stores.extra import imported  # noqa: PLC0415 - fsspec is there where this store was made

    return FsspecStore(imported("fsspec", "fsspec").filesystem(protocol), root, read_only=read_only)


def _bounds(byte_range: ByteRange | None) -> tuple[int | None, int | None]:
    if byte_range is None:
        return None, None
    if isinstance(byte_range, Suffix):
        return -byte_range.length, None
    start, length = byte_range
    return start, None if length is None else start + length
