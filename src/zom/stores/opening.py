"""Opening a store by what people call it: a path, a URL, or an object that is one already."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from zom.errors import ReadOnlyError, StoreError
from zom.stores.credentials import shown_url
from zom.stores.interface import Store
from zom.stores.local import LocalStore
from zom.stores.memory import MemoryStore
from zom.stores.wrap import PrefixStore, ReadOnlyStore

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Place", "schemes", "store"]

Place = Any
"""A path, a URL, a store, or an object of zarr-python, obstore, fsspec, icechunk or universal-pathlib."""

_memories: dict[str, MemoryStore] = {}

_SQLITE = (".sqlite", ".sqlite3", ".db")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_BROKEN = re.compile(r"(s3|gs|az|https?|memory):/(?!/)", re.IGNORECASE)
_CHAIN = re.compile(r"[a-z][a-z0-9+.-]*::|::[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_BRACKETS = re.compile(r"\[[^\]/]*\]")


def store(place: Place, *, read_only: bool | None = None, **options: Any) -> Store:
    """The store at `place`.

    A path that ends in `.zip` or `.sqlite` is such a file, another a directory, which is made where it
    is missing. `memory://name` is one store for each name in the process. Web servers are read-only;
    `s3://`, `gs://` and `az://` need obstore. `options` go to the store. With `read_only=False`, a store
    that can't be written is an error at once.

    >>> store("memory://example") is store("memory://example")
    True
    >>> store("ftp://example.org/data")
    Traceback (most recent call last):
    zom.errors.StoreError: ftp://example.org/data: cannot open: unknown scheme 'ftp'; known are az, file, gs, http, https, memory, s3 (az, gs and s3 with pip install 'zom[cloud]'); anything that fsspec opens is taken as a file system object (pip install 'zom[fsspec]')
    """
    if _is_path(place):
        made = _named(os.fspath(place), read_only=bool(read_only), options=options)
    elif options:
        names = ", ".join(sorted(options))
        raise StoreError(
            _kind(place), "", "open", f"expected no options for a store that is open, found {names}"
        )
    elif isinstance(place, Store):
        made = ReadOnlyStore(place) if read_only and place.capabilities.writable else place
    else:
        made = _adapted(place, read_only=bool(read_only))
    if read_only is False and not made.capabilities.writable:
        raise ReadOnlyError(made.url, "", "open for writing")
    return made


def schemes() -> list[str]:
    """The URL schemes that `store` knows.

    >>> "s3" in schemes()
    True
    """
    return sorted(_SCHEMES)


def _named(text: Any, *, read_only: bool, options: dict[str, Any]) -> Store:
    """The store at a path or URL."""
    if not isinstance(text, str):
        raise StoreError(repr(text), "", "open", "expected a path as text, found bytes")
    if not text or "\0" in text:
        raise StoreError(repr(text), "", "open", "expected a path or a URL")
    if broken := _BROKEN.match(text):
        reason = f"expected {broken[1]}:// and two slashes; a Path swallows one, pass the URL as text"
        raise StoreError(_BROKEN.sub(r"\1:/...", text)[: len(broken[0]) + 3], "", "open", reason)
    is_url = _SCHEME.match(text)
    if _CHAIN.match(text) or (is_url and "::" in _BRACKETS.sub("", text)):
        reason = "chained URLs ('::') are not opened; open each part, or pass the file system of fsspec"
        raise StoreError(f"{text.partition('::')[0].partition('://')[0]}...", "", "open", reason)
    if text.lower().startswith("file:"):
        return _file(text, read_only, options)
    if is_url is None:
        return _at_path(text, read_only=read_only, options=options)
    opener = _SCHEMES.get(is_url[1].lower())
    if opener is None:
        reason = (
            f"unknown scheme {is_url[1]!r}; known are {', '.join(schemes())} (az, gs and s3 with pip install "
            "'zom[cloud]'); anything that fsspec opens is taken as a file system object (pip install "
            "'zom[fsspec]')"
        )
        raise StoreError(shown_url(text), "", "open", reason)
    return opener(text, read_only, options)


def _at_path(path: str, *, read_only: bool, options: dict[str, Any]) -> Store:
    suffix = Path(path).suffix.lower()
    if suffix == ".zip" and not Path(path).is_dir():
        mode = options.pop("mode", "r" if read_only or Path(path).is_file() else "w")
        from zom.stores.zip import ZipStore  # noqa: PLC0415 - zipfile is loaded where it is needed

        return ZipStore(path, mode=mode, **options)
    if suffix in _SQLITE and not Path(path).is_dir():
        from zom.stores.sqlite import SQLiteStore  # noqa: PLC0415 - as is sqlite3

        return SQLiteStore(path, read_only=read_only, **options)
    return LocalStore(path, read_only=read_only, **options)


def _file(url: str, read_only: bool, options: dict[str, Any]) -> Store:  # noqa: FBT001 - a table's entry
    parts = urlsplit(url)
    if parts.netloc not in {"", "localhost"} or not parts.path.startswith("/"):
        reason = "expected file:/// and an absolute path: files of other hosts can't be opened"
        raise StoreError(shown_url(url), "", "open", reason)
    if parts.query or parts.fragment:
        reason = "expected no query and no fragment: in a path, '?' is written %3F and '#' %23"
        raise StoreError(shown_url(url), "", "open", reason)
    path = unquote(parts.path, errors="surrogateescape")
    if "\0" in path:
        raise StoreError(shown_url(url), "", "open", "expected a path without NUL")
    return _at_path(path, read_only=read_only, options=options)


def _memory(url: str, read_only: bool, options: dict[str, Any]) -> Store:  # noqa: FBT001 - a table's entry
    if options:
        raise StoreError(url, "", "open", f"expected no options, found {', '.join(sorted(options))}")
    name = url.partition("://")[2]
    found = _memories.setdefault(name, MemoryStore(name=name))
    return ReadOnlyStore(found) if read_only else found


def _http(url: str, read_only: bool, options: dict[str, Any]) -> Store:  # noqa: FBT001 - a table's entry
    del read_only
    from zom.stores.http import HTTPStore  # noqa: PLC0415 - http.client is loaded where it is needed

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


def _is_path(place: Any) -> bool:
    return isinstance(place, (str, os.PathLike)) and not _is_remote_upath(place)


def _is_remote_upath(place: Any) -> bool:
    """Whether it is a UPath of anything but local files, which our own store serves better."""
    return (
        hasattr(place, "fs")
        and hasattr(place, "path")
        and getattr(place, "protocol", "") not in {"", "file", "local"}
    )


def _adapted(place: Any, *, read_only: bool) -> Store:
    """A store around an object of another library, told by what it offers."""
    if _is_of("zarr.storage", "StorePath", place) or hasattr(place, "store_path"):
        at = getattr(place, "store_path", place)
        return _below(_adapted(at.store, read_only=read_only), str(at.path))
    if _is_of("zarr.abc.store", "Store", place):
        return _from_zarr_python(place, read_only=read_only)
    if _is_of("icechunk", "Session", place):
        return _from_zarr_python(place.store, read_only=read_only)
    if _is_of("icechunk", "Repository", place):
        reason = (
            "expected a session: repository.readonly_session('main') or repository.writable_session('main')"
        )
        raise StoreError(_kind(place), "", "open", reason)
    if type(place).__module__.partition(".")[0] == "obstore":
        from zom.stores.object import ObjectStore  # noqa: PLC0415 - asyncio is loaded where it is needed

        return ObjectStore(place, read_only=read_only)
    path = getattr(place, "path", getattr(place, "root", None))
    if hasattr(place, "fs") and isinstance(path, str):
        from zom.stores.fsspec import FsspecStore  # noqa: PLC0415 - only for such paths

        return FsspecStore(place.fs, path, read_only=read_only)
    wanted = "expected a path, a URL, or a store of zom, zarr-python, obstore, fsspec or icechunk"
    raise StoreError(_kind(place), "", "open", wanted)


def _from_zarr_python(place: Any, *, read_only: bool) -> Store:
    """A store around one of zarr-python's; one that is only a cover is taken off."""
    if _is_of("zom.stores.zarr_bridge", "Bridge", place):
        return store(place.inner, read_only=read_only or place.read_only or None)
    if _is_of("zarr.storage", "ObjectStore", place):
        return _adapted(place.store, read_only=read_only or place.read_only)
    from zom.stores.zarr_python import ZarrPythonStore  # noqa: PLC0415 - needs zarr-python

    return ZarrPythonStore(place, read_only=read_only)


def _below(whole: Store, path: str) -> Store:
    return PrefixStore(whole, f"{path.strip('/')}/") if path.strip("/") else whole


def _is_of(module: str, name: str, place: object) -> bool:
    """Whether it is an instance of a class in a module; nothing is imported to find out."""
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(place, kind)


def _kind(place: object) -> str:
    return f"{type(place).__module__}.{type(place).__qualname__}"
