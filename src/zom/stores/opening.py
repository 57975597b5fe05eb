"""Opening a store by a path, a URL, or an object of a supported library."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from zom.errors import ReadOnlyError, StoreError, StoreNotFound
from zom.file_url import path_of
from zom.looks import is_directory
from zom.packages import imported
from zom.reason import reason_of
from zom.stores.credentials import shown_url
from zom.stores.foreign import SESSION, adapted, is_of, kind_of
from zom.stores.interface import Store
from zom.stores.kinds import store_kinds
from zom.stores.local import LocalStore
from zom.stores.local.files import is_there
from zom.stores.memory import MemoryStore
from zom.stores.no_store import refuse_file, refuse_new_file
from zom.stores.signatures import HDF5_NAMES, signature_of
from zom.stores.wrap import ReadOnlyStore

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Place", "exists", "home", "is_name", "opened", "planned", "schemes", "store"]

Place = Any
"""A path, a URL, a store, an object of a supported library, or a dict of kerchunk references."""

_memories: dict[str, MemoryStore] = {}

_SQLITE = (".sqlite", ".sqlite3", ".db")
_REFERENCES = {".json", ".parq", ".parquet"}
"""The suffixes of reference documents."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_BROKEN = re.compile(r"(s3|gs|az|https?|memory):/(?!/)", re.IGNORECASE)
_NEAR = re.compile(
    r"(s3a?|gs|gcs|az|abfss?|https?|ftp|hdfs|memory|mem|reference|zip|sqlite)(:(?!//)|//)", re.IGNORECASE
)
"""Text that looks like a URL with a mistake before its path; a directory of that name needs `./`."""

_CHAIN = re.compile(r"[a-z][a-z0-9+.-]*::|::[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_BRACKETS = re.compile(r"\[[^\]/]*\]")


def store(place: Place, *, read_only: bool | None = None, **options: Any) -> Store:
    """Open the store at `place`.

    A path that ends in `.zip` or `.sqlite` is such a file; any other is a directory, created if missing. HDF5
    and NetCDF4 files are read as Zarr v3. A power cut may lose recent writes to a directory, except with
    `durability="full"`. An existing zip file opens for reading; pass `read_only=False` to change it.
    `memory://name` is one store per name and process. Web servers are read-only; `s3://`, `gs://` and `az://`
    need obstore. Kerchunk references are a dict, a `.json` file or a `.parq` directory. `options` go to the
    store. With `read_only=False`, a read-only store raises at once. Other packages add schemes and suffixes.

    >>> store("memory://example") is store("memory://example")
    True
    >>> store("ftp://example.org/data")
    Traceback (most recent call last):
    zom.errors.StoreError: ftp://example.org/data: cannot open: unknown scheme 'ftp'; known are az, file, gs, http, https, memory, reference, s3 (az, gs and s3 with pip install 'zom[cloud]'); for others, pass an fsspec file system (pip install 'zom[fsspec]'), or install a package with an entry point of "zom.stores"
    """
    if _is_path(place):
        made = _named(os.fspath(place), read_only=read_only, options=options)
    elif isinstance(place, dict):
        made = _references(cast("Any", place), options)
    elif is_of("h5py", "Group", place):
        made = _hdf5(place, options)
    elif options:
        names = ", ".join(sorted(options))
        raise StoreError(kind_of(place), "", "open", f"expected no options for an open store, found {names}")
    elif isinstance(place, Store):
        made = ReadOnlyStore(place) if read_only and place.capabilities.writable else place
    else:
        made = adapted(place, read_only=bool(read_only))
    if read_only is False and not made.capabilities.writable:
        raise ReadOnlyError(made.url, "", "open for writing")
    return made


def planned(place: Place, *, read_only: bool | None = None) -> Store:
    """Open as `store` does, but let the first write create a missing directory or file.

    >>> planned("no/such/directory").get("zarr.json") is None
    True
    """
    text = _text_of(place)
    is_new = not read_only and _is_plain(text) and not exists(home(text))
    if not is_new or store_kinds.of_path(text):
        return store(place, read_only=read_only)
    path = home(text)
    suffix = Path(path).suffix.lower()
    if suffix not in {".zip", *_SQLITE}:
        _refuse_inner_path(text)
        refuse_new_file(path)
        return LocalStore(path, create="later")
    if not is_directory(Path(path).absolute().parent):
        return store(place, read_only=read_only)
    if suffix == ".zip":
        from zom.stores.zip import ZipStore  # noqa: PLC0415 - as below

        return ZipStore(path, mode="w", create="later")
    from zom.stores.sqlite import SQLiteStore  # noqa: PLC0415 - as below

    return SQLiteStore(path, create="later")


def is_name(place: Place) -> bool:
    """Whether `place` is the name of a store, not an open store."""
    return isinstance(place, (str, os.PathLike))


def opened(place: Place, *, read_only: bool | None = None, existing: bool = False) -> Store:
    """Open as `planned` does; "memory:" is a new store, and with `existing` a missing path raises.

    >>> opened("memory:") is opened("memory:")
    False
    """
    if existing and is_name(place) and place != "memory:":
        name = os.fspath(cast("str", place))
        is_plain = "::" not in name and not name.lower().startswith("file:") and "://" not in name
        if is_plain and not exists(home(name)):
            raise StoreNotFound(name, "", "open", "there is no such file or directory")
    return MemoryStore() if is_name(place) and place == "memory:" else planned(place, read_only=read_only)


def exists(path: str) -> bool:
    """Whether `path` exists; StoreError if access is denied.

    >>> exists("/"), exists("/no/such/file")
    (True, False)
    """
    try:
        return is_there(path)
    except (OSError, ValueError) as cause:
        raise StoreError(path, "", "open", reason_of(cause)) from cause


def _text_of(place: Place) -> str:
    """Return the path or URL as text; "" if `place` is neither."""
    text = cast("object", os.fspath(place) if _is_path(place) else "")
    return text if isinstance(text, str) else ""


def _is_plain(text: str) -> bool:
    """Whether a text is the path of a directory or file, not a URL."""
    drive, path = os.path.splitdrive(text)  # C: is not a scheme
    return bool(drive or path) and "\0" not in text and ":" not in path.partition("/")[0]


def schemes() -> list[str]:
    """List the URL schemes that `store` supports.

    >>> "s3" in schemes()
    True
    """
    return sorted([*_SCHEMES, *store_kinds.schemes()])


def _named(text: Any, *, read_only: bool | None, options: dict[str, Any]) -> Store:
    """Open the store at a path or URL."""
    if not isinstance(text, str):
        raise StoreError(repr(text), "", "open", "expected a path as text, found bytes")
    if not text or "\0" in text:
        raise StoreError(repr(text), "", "open", "expected a path or a URL")
    if broken := _BROKEN.match(text):
        reason = f"expected {broken[1]}:// and two slashes; a Path drops one, pass the URL as text"
        raise StoreError(_BROKEN.sub(r"\1:/...", text)[: len(broken[0]) + 3], "", "open", reason)
    is_url = _SCHEME.match(text)
    _refuse_inner_path(text)
    if _CHAIN.match(text) or (is_url and "::" in _BRACKETS.sub("", text)):
        reason = "chained URLs ('::') are not supported; open each part, or pass an fsspec file system"
        raise StoreError(f"{text.partition('::')[0].partition('://')[0]}...", "", "open", reason)
    if near := _NEAR.match(text):
        reason = (
            f"expected {near[1].lower()}:// and the rest of a URL, found {near[0]!r}; write a directory of "
            f"that name as './{near[0]}...'"
        )
        raise StoreError(shown_url(text), "", "open", reason)
    if text.lower().startswith("file:"):
        return _file(text, read_only, options)
    if is_url is None:
        return _at_path(text, read_only=read_only, options=options)
    return _at_url(text, is_url[1], read_only=read_only, options=options)


def _at_url(url: str, scheme: str, *, read_only: bool | None, options: dict[str, Any]) -> Store:
    opener = _SCHEMES.get(scheme.lower())
    if opener is not None:
        return opener(url, bool(read_only), options)
    if scheme.lower() == "icechunk":
        raise StoreError(shown_url(url), "", "open", f"{SESSION} (pip install 'zom[icechunk]')")
    kind = store_kinds.of_scheme(scheme)
    if kind is not None:
        return store_kinds.open(kind, url, read_only=read_only, options=options)
    reason = (
        f"unknown scheme {scheme!r}; known are {', '.join(schemes())} (az, gs and s3 with pip install "
        "'zom[cloud]'); for others, pass an fsspec file system (pip install 'zom[fsspec]'), or install a "
        'package with an entry point of "zom.stores"'
    )
    raise StoreError(shown_url(url), "", "open", "; ".join([reason, *map(str, store_kinds.plugins.failures)]))


def _refuse_inner_path(text: str) -> None:
    """Raise StoreError for a store and inner path in one text: only the command line accepts that."""
    if "::" not in _BRACKETS.sub("", text):
        return
    place, mark, inner = text.rpartition("::") if _SCHEME.match(text) else text.partition("::")
    is_far = _SCHEME.match(place) is not None and _SCHEME.match(inner) is None
    if not mark or not place or not (is_far or (exists(home(place)) and not exists(text))):
        return
    inner = inner.strip("/")
    wanted = f"{shown_url(place)!r}, {inner!r}" if inner else f"{shown_url(place)!r}"
    reason = f"a path within a store is a separate argument; pass {wanted}, as in zom.open({wanted})"
    raise StoreError(shown_url(place) + f"::{inner}", "", "open", reason)


def home(text: str) -> str:
    """Return `text` with `~` expanded to the user's home, unless a directory of that name exists.

    >>> home("data/~x"), home("~/x") == os.path.expanduser("~/x")
    ('data/~x', True)
    """
    if not text.startswith("~"):
        return text
    first = text.partition("/")[0]
    return text if is_there(first) else os.path.expanduser(text)  # noqa: PTH111 - a Path changes the text


def _at_path(path: str, *, read_only: bool | None, options: dict[str, Any]) -> Store:
    path = home(path)
    kind = store_kinds.of_path(path)
    if kind is not None:
        return store_kinds.open(kind, path, read_only=read_only, options=options)
    return _at_own_path(path, read_only=read_only, options=options)


def _at_own_path(path: str, *, read_only: bool | None, options: dict[str, Any]) -> Store:
    suffix = Path(path).suffix.lower()
    if suffix in _REFERENCES:
        from zom.stores.references import opening as references  # noqa: PLC0415 - loaded only for references

        found = references.at_path(path, options)
        if found is not None:
            return found
    if suffix not in {".zip", *_SQLITE}:
        if stat.S_ISREG(_mode_of(path)):
            if suffix in HDF5_NAMES or _signature(path) in {"hdf5", "netcdf3"}:
                return _hdf5(path, options)
            refuse_file(path)
        if not read_only and not _mode_of(path):
            refuse_new_file(path)
        return LocalStore(path, read_only=bool(read_only), **options)
    mode = _mode_of(path)
    if stat.S_ISDIR(mode):
        return LocalStore(path, read_only=bool(read_only), **options)
    if suffix == ".zip":
        from zom.stores.zip import ZipStore  # noqa: PLC0415 - zipfile is loaded only if needed

        # An existing archive is changed only on request: a change needs a close.
        changes = "a" if read_only is False else "w"
        chosen = options.pop("mode", "r" if read_only or (changes == "w" and stat.S_ISREG(mode)) else changes)
        return ZipStore(path, mode=chosen, **options)
    from zom.stores.sqlite import SQLiteStore  # noqa: PLC0415 - as is sqlite3

    return SQLiteStore(path, read_only=bool(read_only), **options)


def _signature(path: str) -> str | None:
    """Return the kind of a file by its signature; None if it can't be read."""
    try:
        return signature_of(path)
    except OSError:
        return None


def _hdf5(place: Any, options: dict[str, Any]) -> Store:
    """Return a store for an HDF5 or NetCDF file, or an h5py group."""
    # Imported by name, like a plugin: it depends on layers above the stores.
    made: Store = imported("zom.integrations.hdf5.store", "hdf5").HDF5Store(place, **options)
    return made


def _mode_of(path: str) -> int:
    """Return the mode of the file at `path`; 0 if it is missing."""
    try:
        return Path(path).stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        # No file has a name that the system can't encode: opening it reports the error.
        return 0
    except OSError as cause:
        raise StoreError(path, "", "open", reason_of(cause)) from cause


def _file(url: str, read_only: bool | None, options: dict[str, Any]) -> Store:  # noqa: FBT001 - a table's entry
    parts = urlsplit(url)
    path = path_of(parts)
    if path is None or not Path(path).is_absolute():
        reason = "expected file:/// and an absolute path: files of other hosts can't be opened"
        raise StoreError(shown_url(url), "", "open", reason)
    if parts.query or parts.fragment:
        reason = "expected no query and no fragment: in a path, write '?' as %3F and '#' as %23"
        raise StoreError(shown_url(url), "", "open", reason)
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
    if PurePosixPath(urlsplit(url).path).suffix.lower() in _REFERENCES:
        return _references(url, options)
    from zom.stores.http import HTTPStore  # noqa: PLC0415 - http.client is loaded only if needed

    return HTTPStore(url, **options)


def _object(url: str, read_only: bool, options: dict[str, Any]) -> Store:  # noqa: FBT001 - a table's entry
    if PurePosixPath(urlsplit(url).path).suffix.lower() in _REFERENCES:
        return _references(url, options)
    from zom.stores.object import ObjectStore  # noqa: PLC0415 - asyncio is loaded only if needed

    return ObjectStore.from_url(url, read_only=read_only, **options)


def _references(place: Any, options: dict[str, Any]) -> Store:
    from zom.stores.references import opening as references  # noqa: PLC0415 - loaded only for references

    if isinstance(place, dict):
        return references.from_document(cast("dict[str, Any]", place), **options)
    return references.from_place(os.fspath(cast("str", place)), **options)


def _reference(url: str, read_only: bool, options: dict[str, Any]) -> Store:  # noqa: FBT001 - a table's entry
    """Open `reference://` as fsspec does: the document is the option `fo`, or follows the scheme."""
    del read_only
    place: Any = options.pop("fo", None) or url.partition("://")[2]
    if not place:
        raise StoreError(url, "", "open", "expected a reference document as fo=...: a path, a URL or a dict")
    return _references(place, options)


_SCHEMES: dict[str, Callable[[str, bool, dict[str, Any]], Store]] = {
    "file": _file,
    "memory": _memory,
    "http": _http,
    "https": _http,
    "s3": _object,
    "gs": _object,
    "az": _object,
    "reference": _reference,
}


def _is_path(place: Any) -> bool:
    return isinstance(place, (str, os.PathLike)) and not _is_remote_upath(place)


def _is_remote_upath(place: Any) -> bool:
    """Whether it is a UPath of anything but local files, for which LocalStore is better."""
    return (
        hasattr(place, "fs")
        and hasattr(place, "path")
        and getattr(place, "protocol", "") not in {"", "file", "local"}
    )
