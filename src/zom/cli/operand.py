"""Places named on the command line: a document or a store, recognised by what is there.

-               a document on standard input
a file          a document; a store if it is a zip, SQLite or HDF5 file, by its signature or its name, or
                has kerchunk references
a directory     a store
scheme://...    a store
STORE::a/b      the node at /a/b in a store
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from zom.cli.document import read_document
from zom.cli.outcome import UNREADABLE, USAGE, CommandError, command_error
from zom.dataclass import dataclass
from zom.errors import ZomError
from zom.looks import is_directory, is_file
from zom.problems import no_warning
from zom.stores.credentials import shown_url
from zom.stores.local.files import is_there
from zom.stores.no_store import beginning_of, packed_reason
from zom.stores.signatures import HDF5_NAMES, signature_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from zom.hierarchy.stored.read import OnError
    from zom.model.spec import Spec
    from zom.problems import Problem
    from zom.stores.interface import Store

__all__ = ["Operand", "operand_of", "shown_name", "sound_part_at", "spec_at", "store_at", "target_at"]

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/", re.ASCII)
"""One slash is enough: a URL that lost the other is no path, and the store reports it."""
_INNER = re.compile(r"::(?![^\[]*\])")  # not the colons of http://[::1]/
_KINDS: Mapping[str | None, str] = {"zip": "zip", "sqlite": "sqlite", "hdf5": "store", "netcdf3": "store"}
"""Kinds of stores in one file, by the file's signature."""
_STORE_NAMES = (".zip", ".sqlite", ".sqlite3", ".db", *HDF5_NAMES)


_opened: ContextVar[tuple[str, ...]] = ContextVar("_opened", default=())
"""The URLs of the stores that a verb has open."""


@dataclass(frozen=True, slots=True)
class Operand:
    """A document, or a node of a store."""

    name: str
    """As the user typed it, without possible secrets in a URL."""
    where: str = field(repr=False)
    """The path or URL of the store, or the file of the document."""
    path: str = ""
    """The path of the node in the store."""
    kind: str = "document"
    """"document", "store", or the kind of a store in one file with another suffix: "zip", "sqlite"."""

    @property
    def is_store(self) -> bool:
        """Whether it is a node of a store."""
        return self.kind != "document"

    @property
    def store(self) -> str:
        """The name of the store in messages."""
        return shown_url(self.where) if _is_url(self.where) else self.where

    @property
    def exists(self) -> bool:
        """Whether it exists; always True for places that are not on local disks."""
        path = _path_of(self.where)
        try:
            return _is_url(path) or is_there(path)
        except (OSError, ValueError):
            return True  # opening it reports the error

    @contextmanager
    def opened(self, *, write: bool = False) -> Generator[Store]:
        """Open the store; raise errors inside as one-line CommandErrors.

        With two open stores, the error is about the one that it names.
        """
        url = ""
        around = _opened.get()
        try:
            with self._open(write=write) as store:
                url = store.url
                token = _opened.set((*around, url))
                try:
                    yield store
                finally:
                    _opened.reset(token)
        except ZomError as error:
            if any(each != url and str(error).startswith(f"{each}: ") for each in around):
                raise
            raise command_error(error, self.store, url or getattr(error, "store", "")) from error

    @contextmanager
    def surveyed(self) -> Generator[Store]:
        """Open the store for reading; a missing one appears empty, and is not created."""
        if self.exists:
            with self.opened() as store:
                yield store
        else:
            from zom.stores.memory import MemoryStore  # noqa: PLC0415 - documents need no stores

            yield MemoryStore(name=self.store)

    def _open(self, *, write: bool) -> Store:
        from zom.stores.opening import planned, store  # noqa: PLC0415 - documents need no stores

        if self.kind == "zip" or (self.kind == "store" and _is_named(self.where, ".zip")):
            from zom.stores.zip import ZipStore  # noqa: PLC0415 - as above

            if write and not self.exists:
                return ZipStore(_path_of(self.where), mode="w", create="later")
            return ZipStore(_path_of(self.where), mode="a" if write else "r")
        if self.kind == "sqlite":
            from zom.stores.sqlite import SQLiteStore  # noqa: PLC0415 - as above

            return SQLiteStore(self.where, read_only=not write)
        # The full path of a file whose own name has two colons doesn't begin like a chained URL.
        where = self.where if _is_url(self.where) else str(Path.cwd() / self.where)
        # A change that is refused before any write leaves no empty directory.
        return planned(where, read_only=False) if write else store(where, read_only=True)


def operand_of(name: str) -> Operand:
    """The existing document or store that `name` refers to.

    >>> operand_of("-").kind, operand_of("s3://bucket/a.zarr::t2m").path
    ('document', 't2m')
    >>> operand_of("nowhere")
    Traceback (most recent call last):
    zom.cli.outcome.CommandError: nowhere: no such file or directory; name a document, a store, or - for standard input
    """
    if name == "-":
        return Operand(name, name)
    where, path = _split(name)
    kind = _kind(where)
    if kind == "missing":
        hint = "name a document, a store, or - for standard input"
        raise CommandError(f"{name or repr(name)}: no such file or directory; {hint}", UNREADABLE)
    if kind == "document" and path:
        raise CommandError(f"{name}: {where} is a document, not a store; name it without ::{path}", USAGE)
    return Operand(_shown(where, path), where, path, kind)


def shown_name(name: str) -> str:
    """The name as messages show it, whether it exists or not.

    >>> shown_name("a.zarr::t")
    'a.zarr::t'
    """
    return _shown(*_split(name))


def store_at(name: str) -> Operand:
    """The node of a store that `name` refers to; raise CommandError for a document.

    >>> store_at("-")
    Traceback (most recent call last):
    zom.cli.outcome.CommandError: -: expected a store, found a document; name a directory, a zip or SQLite file, or a URL
    """
    found = operand_of(name)
    if not found.is_store:
        packed = None if name == "-" else packed_reason(name, beginning_of(found.where))
        hint = "name a directory, a zip or SQLite file, or a URL"
        raise CommandError(f"{name}: {packed or f'expected a store, found a document; {hint}'}", UNREADABLE)
    return found


def target_at(name: str) -> Operand:
    """The node of a store to write, which may be missing.

    >>> target_at("new.zarr::a/b")
    Operand(name='new.zarr::a/b', path='a/b', kind='store')
    """
    where, path = _split(name)
    if not where or name == "-":
        raise CommandError(f"{name!r}: expected a store; name a directory, a zip file, or a URL", USAGE)
    if where.startswith("memory:"):
        raise CommandError(
            f"{name}: a memory store is lost when the command ends; name a directory or a file", USAGE
        )
    kind = _kind(where)
    if kind == "document":
        raise CommandError(f"{name}: is a file, not a store; name a new place", UNREADABLE)
    return Operand(_shown(where, path), where, path, "store" if kind == "missing" else kind)


def spec_at(
    name: str,
    *,
    depth: int | None = None,
    on_error: OnError = "raise",
    on_warning: Callable[[Problem], None] | None = None,
    parameters: Mapping[str, str] | None = None,
) -> Spec:
    """The hierarchy at `name`, read as leniently as possible; from a store, down to `depth` levels.

    `parameters` are for a declaration.

    With `on_error="skip"`, unreadable nodes of a store are left out, and reported to `on_warning`.
    """
    place = operand_of(name)
    if not place.is_store:
        return read_document(name, parameters).spec()
    from zom.hierarchy.stored.read import read  # noqa: PLC0415 - documents need none of it

    with place.opened() as store:
        found: Any = read(
            store, place.path, depth=depth, on_error=on_error, on_warning=on_warning or no_warning
        )
    return cast("Spec", found)


def sound_part_at(
    name: str, *, depth: int | None = None, parameters: Mapping[str, str] | None = None
) -> tuple[Spec, Mapping[str, str]]:
    """Like `spec_at`, without unreadable nodes; also the reasons by path."""
    place = operand_of(name)
    if not place.is_store:
        return read_document(name, parameters).spec(), {}
    from zom.hierarchy.stored.read import read_tree  # noqa: PLC0415 - documents need none of it

    with place.opened() as store:
        tree = read_tree(store, place.path, depth=depth, on_error="skip")
    return cast("Spec", tree.spec), tree.reasons()


def _split(name: str) -> tuple[str, str]:
    """The store and the path of the node in it."""
    if "::" not in name or (not _is_url(name) and os.path.lexists(name)):
        return name, ""
    found = list(_INNER.finditer(name))
    if not found:
        return name, ""
    return name[: found[-1].start()], name[found[-1].end() :].strip("/")


def _shown(where: str, path: str) -> str:
    shown = shown_url(where) if _is_url(where) else where
    return f"{shown}::{path}" if path else shown


def _kind(where: str) -> str:
    """Like `Operand.kind`, or "missing"."""
    if _is_url(where):
        return "store"
    path = Path(where)
    try:
        if "\0" not in where and not is_there(where):
            return "missing"
    except OSError:
        # Access is denied, or the name is too long: opening it reports that.
        return "document" if path.suffix == ".json" else "store"
    except ValueError:
        return "document"  # reading it as a document reports the error
    try:
        # Other packages' stores may begin like zip or SQLite files.
        if is_directory(path) or path.suffix.lower() in _STORE_NAMES or _has_kind(path):
            return "store"
        # Only read the signature of regular files: a pipe gives its content only once.
        found = signature_of(path) if is_file(path) else None
    except (OSError, ValueError):
        found = None  # reading it as a document reports the error
    return _KINDS.get(found) or ("store" if _has_references(path) else "document")


def _has_kind(path: Path) -> bool:
    """Whether its name is that of a store that another package opens."""
    from zom.stores.kinds import store_kinds  # noqa: PLC0415 - documents need no stores

    return store_kinds.of_path(str(path)) is not None


def _has_references(path: Path) -> bool:
    """Whether it is a file of kerchunk references, which is a store in JSON."""
    if path.suffix.lower() != ".json" or not is_file(path):
        return False
    from zom.stores.references.opening import are_references  # noqa: PLC0415 - documents need no stores

    return are_references(str(path))


def _is_url(where: str) -> bool:
    return _SCHEME.match(where) is not None


def _is_named(where: str, suffix: str) -> bool:
    path = _path_of(where)
    return not _is_url(path) and Path(path).suffix.lower() == suffix and not is_directory(path)


def _path_of(where: str) -> str:
    """The path of a file: URL, or the path itself."""
    if not where.startswith("file:"):
        return where
    from urllib.parse import urlsplit  # noqa: PLC0415 - only for URLs

    from zom.file_url import path_of  # noqa: PLC0415 - as above

    return path_of(urlsplit(where)) or where
