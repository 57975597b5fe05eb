"""Properties of fsspec file systems that a store needs: wrappers, read-only ones, thread safety."""

from __future__ import annotations

import errno
import os
import threading
from functools import wraps
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from zom.errors import StoreError
from zom.packages import imported, version_of
from zom.stores.locks import remake_in_children

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "FTP",
    "LOCAL",
    "REFERENCES",
    "WEB",
    "WINDOWS",
    "deletes_patterns",
    "in_flight",
    "in_turn",
    "is_archive",
    "is_arrow",
    "is_cache",
    "is_written",
    "keeps_full",
    "lists_flat",
    "options",
    "protocols",
    "refuse_old_caches",
    "remove_directory",
    "root_of",
    "unwrapped",
]

LOCAL = {"file", "local"}
WEB = {"http", "https"}
FTP = "ftp"
REFERENCES = "reference"
WINDOWS = {"smb"}
"""Protocols for Windows files: names ignore case, and some are listed differently."""

_ARCHIVES = {"zip", "tar", "libarchive"}
_VERSIONED = {"git", "github", "gist"}
_READ_ONLY = {*WEB, REFERENCES, *_ARCHIVES, *_VERSIONED, "data"}
"""Read-only protocols. A reference file system keeps writes in memory and loses them, and an archive would
hold two values of a name that is written twice."""

_SOUND_CACHES = (2025, 9)

_AT_ONCE = {*LOCAL, "memory", "data", "hdfs", "arrow_hdfs"}
"""Protocols that are safe for concurrent calls from threads. The others share a connection or an open file
among threads, as archives do, or might do so."""

_MANY = 128
"""The minimum default concurrency of fsspec."""


class _Turns:
    """The lock of each file system, which is always free in a forked process."""

    def __init__(self) -> None:
        self.after_fork()
        remake_in_children(self)

    def after_fork(self) -> None:
        self._guard = threading.Lock()
        self._locks: WeakKeyDictionary[Any, threading.RLock] = WeakKeyDictionary()

    def of(self, filesystem: Any) -> threading.RLock:
        with self._guard:
            return self._locks.setdefault(filesystem, threading.RLock())


_turns = _Turns()


def protocols(filesystem: Any) -> tuple[str, ...]:
    """Return the protocol names of a file system."""
    protocol = filesystem.protocol
    return (protocol,) if isinstance(protocol, str) else tuple(map(str, protocol))


def unwrapped(filesystem: Any, path: str) -> tuple[Any, str]:
    """Return the file system inside a directory or asynchronous wrapper, and the path in it.

    Such wrappers hide the properties of the file system inside.
    """
    while True:
        if "dir" in protocols(filesystem):
            if ".." in path.split("/"):  # `_join` of earlier versions of fsspec accepts it
                raise ValueError(f"the path {path!r} escapes from the directory of the file system")
            path = filesystem._join(path)  # noqa: SLF001 - as its own methods
            filesystem = filesystem.fs
        elif type(filesystem).__name__ == "AsyncFileSystemWrapper":
            filesystem = filesystem.sync_fs
        else:
            return filesystem, path


def root_of(filesystem: Any, root: str) -> str:
    """Return the path of the root: "." in an archive whose names start with "./", as tar writes them."""
    if root or not is_archive(filesystem):
        return root
    return "." if [str(each).rstrip("/") for each in filesystem.ls("", detail=False)] == ["."] else root


def is_written(filesystem: Any) -> bool:
    """Whether the file system supports writes that can be read back: a cache returns outdated data."""
    return not (is_cache(filesystem) or _READ_ONLY.intersection(protocols(filesystem)))


def is_archive(filesystem: Any) -> bool:
    """Whether its files are members of one file."""
    return not _ARCHIVES.isdisjoint(protocols(filesystem))


def is_cache(filesystem: Any) -> bool:
    """Whether it caches another file system and answers from the cache.

    Its protocol may be that of the other one.
    """
    return "CachingFileSystem" in _classes(filesystem)


def refuse_old_caches(kind: str) -> None:
    """Raise StoreError for a cache of class `kind` if fsspec reports failed reads of caches as missing files."""
    fsspec = imported("fsspec", "fsspec")
    if () < version_of(fsspec) < _SOUND_CACHES:
        reason = f"expected fsspec 2025.9 or newer for a cache, found {fsspec.__version__}: a read that fails could pass for a missing file"
        raise StoreError(kind, "", "open", f"{reason}; pip install -U fsspec")


def in_turn(filesystem: Any) -> Any:
    """Return `filesystem` if known to be thread-safe, else a wrapper that serves one thread at a time."""
    names = protocols(filesystem)
    answers_many = getattr(filesystem, "async_impl", False) or not _AT_ONCE.isdisjoint(names)
    return filesystem if answers_many and not is_cache(filesystem) else _OneAtATime(filesystem)


class _OneAtATime:
    """A file system whose calls run one at a time, also those through another store."""

    def __init__(self, filesystem: Any) -> None:
        self._filesystem = filesystem
        self._process = None if is_cache(filesystem) else os.getpid()

    def in_turn(self, act: Callable[..., Any], *given: Any) -> Any:
        """Run `act` with the file system as one call, and return its result."""
        return self._in_turn(act)(self._filesystem, *given)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._filesystem, name)
        return self._in_turn(found) if callable(found) else found

    def _in_turn(self, found: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(found)
        def call(*given: Any, **named: Any) -> Any:
            if self._process not in {None, os.getpid()}:
                # Both processes would share the position in a file or in a connection's answers.
                reason = (
                    "its files and connections belong to the parent process of this fork; open it again here"
                )
                raise OSError(errno.EBADF, reason)
            with _turns.of(self._filesystem):
                return found(*given, **named)

        return call


def lists_flat(filesystem: Any) -> bool:
    """Whether it has its own recursive listing, like object stores, which have no directories."""
    own: Any = getattr(filesystem, "_find", None)
    return own is not None and own.__module__ != "fsspec.asyn"


def deletes_patterns(filesystem: Any) -> bool:
    """Whether deleting a file treats "*" or "[" in its path as a pattern."""
    own: Any = getattr(filesystem, "_rm_file", None)
    return own is not None and own.__module__ == "fsspec.asyn"


_REFUSE_FULL = frozenset(
    [
        "LocalFileSystem",
        "MemoryFileSystem",
        "SFTPFileSystem",
        "SSHFileSystem",
        "FTPFileSystem",
        "SMBFileSystem",
    ]
)
"""Classes whose `rmdir` only removes empty directories. That of pyarrow's file systems, such as HDFS, and of
some packages also deletes the content."""


def keeps_full(filesystem: Any) -> bool:
    """Whether it is known to refuse to remove a directory that holds anything.

    >>> keeps_full(object())
    False
    """
    return not is_arrow(filesystem) and not _REFUSE_FULL.isdisjoint(_classes(filesystem))


def is_arrow(filesystem: Any) -> bool:
    """Whether it wraps a pyarrow file system; its protocol is that of the inner one."""
    return "ArrowFSWrapper" in _classes(filesystem)


def _classes(filesystem: Any) -> list[str]:
    """Return the names of its classes, so that no module must be imported for a comparison."""
    return [each.__name__ for each in type(filesystem).__mro__]


def remove_directory(filesystem: Any, path: str) -> None:
    """Remove an empty directory with `_rmdir` if asynchronous: the `rmdir` of those may do nothing."""
    own: Any = getattr(filesystem, "_rmdir", None) if getattr(filesystem, "async_impl", False) else None
    if own is None:
        filesystem.rmdir(path)
    else:
        imported("fsspec.asyn", "fsspec").sync(filesystem.loop, own, path)


def in_flight(filesystem: Any) -> int:
    """Return the number of concurrent requests of one call: 1 unless the file system is asynchronous."""
    if not getattr(filesystem, "async_impl", False):
        return 1
    stated = getattr(filesystem, "batch_size", None)
    return stated if isinstance(stated, int) and stated > 0 else _MANY


def options(filesystem: Any) -> dict[str, Any]:
    """Return the options of a file system and of one behind a cache, without a table of references."""
    found: dict[str, Any] = getattr(filesystem, "storage_options", None) or {}
    inner = {"behind": options(filesystem.fs)} if is_cache(filesystem) else {}
    return inner | {name: value for name, value in found.items() if name != "fo"}
