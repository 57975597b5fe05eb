"""Opening a store by what people call it: a path, a URL, or an object that is one already."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from zom.errors import StoreError
from zom.stores.http import HTTPStore
from zom.stores.interface import Store
from zom.stores.local import LocalStore
from zom.stores.memory import MemoryStore
from zom.stores.sqlite import SQLiteStore
from zom.stores.wrap import ReadOnlyStore
from zom.stores.zip import ZipStore

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Place", "schemes", "store"]

Place = Any
"""A path, a URL, a store, or an object of zarr-python, obstore, fsspec, icechunk or universal-pathlib."""

_memories: dict[str, MemoryStore] = {}

_SQLITE = (".sqlite", ".sqlite3", ".db")


def store(place: Place, *, read_only: bool | None = None, **options: Any) -> Store:
    """The store at `place`.

    A path that ends in `.zip` or `.sqlite` is such a file, another a directory, which is made where it
    is missing. `memory://name` is one store for each name in the process. Web servers are read-only;
    `s3://`, `gs://` and `az://` need obstore. `options` go to the store.

    >>> store("memory://example") is store("memory://example")
    True
    >>> store("ftp://example.org/data")
    Traceback (most recent call last):
    zom.errors.StoreError: ftp://example.org/data: cannot open: unknown scheme 'ftp'; known are az, file, gs, http, https, memory, s3
    """
    if isinstance(place, Store):
        return ReadOnlyStore(place) if read_only and place.capabilities.writable else place
    if isinstance(place, (str, os.PathLike)) and not (hasattr(place, "fs") and hasattr(place, "path")):
        text = os.fspath(place)
        if not isinstance(text, str):
            raise StoreError(repr(text), "", "open", "expected a path as text, found bytes")
        scheme, separator, _ = text.partition("://")
        if not separator:
            return _at_path(text, read_only=bool(read_only), options=options)
        opener = _SCHEMES.get(scheme.lower())
        if opener is None:
            known = ", ".join(sorted(_SCHEMES))
            shown = f"{scheme}://{text[len(scheme) + 3 :].rpartition('@')[2].partition('?')[0]}"
            raise StoreError(shown, "", "open", f"unknown scheme {scheme!r}; known are {known}")
        return opener(text, bool(read_only), options)
    return _adapted(place, read_only=bool(read_only))


def schemes() -> list[str]:
    """The URL schemes that `store` knows.

    >>> "s3" in schemes()
    True
    """
    return sorted(_SCHEMES)


def _at_path(path: str, *, read_only: bool, options: dict[str, Any]) -> Store:
    suffix = Path(path).suffix.lower()
    if suffix == ".zip" and not Path(path).is_dir():
        mode = options.pop("mode", "r" if read_only or Path(path).is_file() else "w")
        return ZipStore(path, mode=mode, **options)
    if suffix in _SQLITE and not Path(path).is_dir():
        return SQLiteStore(path, read_only=read_only, **options)
    return LocalStore(path, read_only=read_only, **options)


def _file(url: str, read_only: bool, options: dict[str, Any]) -> Store:  # noqa: FBT001 - a table's entry
    parts = urlsplit(url)
    if parts.netloc not in {"", "localhost"}:
        raise StoreError(
            url, "", "open", "expected file:/// and a path: files of other hosts can't be opened"
        )
    return _at_path(unquote(parts.path), read_only=read_only, options=options)


def _memory(url: str, read_only: bool, options: dict[str, Any]) -> Store:  # noqa: FBT001 - a table's entry
    if options:
        raise StoreError(url, "", "open", f"expected no options, found {', '.join(options)}")
    name = url.partition("://")[2]
    found = _memories.setdefault(name, MemoryStore(name=name))
    return ReadOnlyStore(found) if read_only else found


def _http(url: str, read_only: bool, options: dict[str, Any]) -> Store:  # noqa: FBT001 - a table's entry
    del read_only
    return HTTPStore(url, **options)


def _object(url: str, read_only: bool, options: dict[str, Any]) -> Store:  # noqa: FBT001 - a table's entry
    from zom.stores.object import ObjectStore  # noqa: PLC0415 - asyncio is loaded where it is needed

    return ObjectStore.from_url(url, read_only=read_only, **options)


_SCHEMES: dict[str, Callable[[str, bool, dict[str, Any]], Store]] = {
    "file": _file,
    "memory": _memory,
    "http": _http,
    "https": _http,
    "s3": _object,
    "gs": _object,
    "az": _object,
}


def _adapted(place: Any, *, read_only: bool) -> Store:
    """A store around an object of another library, told by what it offers."""
    module = type(place).__module__.partition(".")[0]
    if module == "obstore":
        from zom.stores.object import ObjectStore  # noqa: PLC0415 - asyncio is loaded where it is needed

        return ObjectStore(place, read_only=read_only)
    if hasattr(place, "fs") and hasattr(place, "path"):
        from zom.stores.fsspec import FsspecStore  # noqa: PLC0415 - only for such paths

        return FsspecStore(place.fs, place.path, read_only=read_only)
    session = getattr(place, "store", None)
    if module in {"zarr", "icechunk"} or type(session).__module__.partition(".")[0] == "icechunk":
        from zom.stores.zarr_python import ZarrPythonStore  # noqa: PLC0415 - needs zarr-python

        return ZarrPythonStore(place if session is None else session, read_only=read_only)
    found = f"{type(place).__module__}.{type(place).__qualname__}"
    wanted = "expected a path, a URL, or a store of zom, zarr-python, obstore, fsspec or icechunk"
    raise StoreError(found, "", "open", wanted)
