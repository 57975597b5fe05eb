"""What file systems of fsspec are, as far as a store needs to know: around another one, read-only, asked in turn."""

from __future__ import annotations

import errno
import os
import threading
from functools import wraps
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from zom.packages import imported
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
    "is_arrow",
    "is_cache",
    "is_written",
    "keeps_full",
    "lists_flat",
    "options",
    "protocols",
    "remove_directory",
    "root_of",
    "unwrapped",
]

LOCAL = {"file", "local"}
WEB = {"http", "https"}
FTP = "ftp"
REFERENCES = "reference"
WINDOWS = {"smb"}
"""Those of Windows' files: their names are the same in capitals, and some are listed under others."""

_CACHES = {"cached", "blockcache", "filecache", "simplecache"}
_ARCHIVES = {"zip", "tar", "libarchive"}
_VERSIONED = {"git", "github", "gist"}
_READ_ONLY = {*WEB, REFERENCES, *_CACHES, *_ARCHIVES, *_VERSIONED, "data"}
"""Protocols that are only read. A reference file system would keep writes in memory and lose them, a cache would
answer with what it kept before they were made, and an archive holds two values of a name that is written twice."""

_AT_ONCE = {*LOCAL, "memory", "data", "hdfs", "arrow_hdfs"}
"""Those whose calls of several threads don't meet. The others have a connection or an open file that all threads
share, as archives do, or nobody says that they have none."""

_MANY = 128
"""How many requests fsspec has in flight at least, where nobody said."""


class _Turns:
    """The lock of each file system: free in a forked process, whoever held it before."""

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
    """The names that fsspec knows it by."""
    protocol = filesystem.protocol
    return (protocol,) if isinstance(protocol, str) else tuple(map(str, protocol))


def unwrapped(filesystem: Any, path: str) -> tuple[Any, str]:
    """The file system that `filesystem` asks for everything, with what it makes of `path`.

    A directory of another file system knows nothing of how that one works, nor does one that makes it asynchronous.
    """
    while True:
        if "dir" in protocols(filesystem):
            path = filesystem._join(path)  # noqa: SLF001 - it refuses paths that lead out of the directory
            filesystem = filesystem.fs
        elif type(filesystem).__name__ == "AsyncFileSystemWrapper":
            filesystem = filesystem.sync_fs
        else:
            return filesystem, path


def root_of(filesystem: Any, root: str) -> str:
    """The path at which its files begin: an archive whose names begin with "./", as tar makes them, has one in its root."""
    if root or _ARCHIVES.isdisjoint(protocols(filesystem)):
        return root
    return "." if [str(each).rstrip("/") for each in filesystem.ls("", detail=False)] == ["."] else root


def is_written(filesystem: Any) -> bool:
    """Whether what is written there is what is read then."""
    return not _READ_ONLY.intersection(protocols(filesystem))


def is_cache(filesystem: Any) -> bool:
    """Whether it keeps what it read of another one, and answers with that."""
    return not _CACHES.isdisjoint(protocols(filesystem))


def in_turn(filesystem: Any) -> Any:
    """`filesystem`, asked by one thread at a time, unless it is known to answer several."""
    names = protocols(filesystem)
    answers_many = getattr(filesystem, "async_impl", False) or not _AT_ONCE.isdisjoint(names)
    return filesystem if answers_many and not is_cache(filesystem) else _OneAtATime(filesystem)


class _OneAtATime:
    """A file system whose methods wait for each other, also for those called through another store."""

    def __init__(self, filesystem: Any) -> None:
        self._filesystem = filesystem
        self._process = None if is_cache(filesystem) else os.getpid()

    def in_turn(self, act: Callable[..., Any], *given: Any) -> Any:
        """What `act` gives, which asks the file system several things."""
        return self._in_turn(act)(self._filesystem, *given)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._filesystem, name)
        return self._in_turn(found) if callable(found) else found

    def _in_turn(self, found: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(found)
        def call(*given: Any, **named: Any) -> Any:
            if self._process not in {None, os.getpid()}:
                # The place in a file, or in what a connection answers, would be that of both processes.
                reason = (
                    "its files and connections are those of another process, which was forked; open it here"
                )
                raise OSError(errno.EBADF, reason)
            with _turns.of(self._filesystem):
                return found(*given, **named)

        return call


def lists_flat(filesystem: Any) -> bool:
    """Whether it has a way of its own to list everything, as object stores do: they know no directories."""
    own: Any = getattr(filesystem, "_find", None)
    return own is not None and own.__module__ != "fsspec.asyn"


def deletes_patterns(filesystem: Any) -> bool:
    """Whether to delete one file is to it to delete whatever a path with "*" or "[" in it could mean."""
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
"""Classes whose `rmdir` takes away an empty directory and no other. That of pyarrow's file systems, as HDFS, and those of some
packages take away whatever is in it."""


def keeps_full(filesystem: Any) -> bool:
    """Whether it is known to refuse to remove a directory that holds anything.

    >>> keeps_full(object())
    False
    """
    return not is_arrow(filesystem) and not _REFUSE_FULL.isdisjoint(_classes(filesystem))


def is_arrow(filesystem: Any) -> bool:
    """Whether it is one of pyarrow's, which has the protocol of what it leads to."""
    return "ArrowFSWrapper" in _classes(filesystem)


def _classes(filesystem: Any) -> list[str]:
    """The names of its classes; to ask for a class itself, its module would have to be loaded."""
    return [each.__name__ for each in type(filesystem).__mro__]


def remove_directory(filesystem: Any, path: str) -> None:
    """Remove an empty directory, by what asynchronous file systems have for it: their other method may do nothing."""
    own: Any = getattr(filesystem, "_rmdir", None) if getattr(filesystem, "async_impl", False) else None
    if own is None:
        filesystem.rmdir(path)
    else:
        imported("fsspec.asyn", "fsspec").sync(filesystem.loop, own, path)


def in_flight(filesystem: Any) -> int:
    """How many requests of one call the file system has in flight; many only where it is asynchronous."""
    if not getattr(filesystem, "async_impl", False):
        return 1
    stated = getattr(filesystem, "batch_size", None)
    return stated if isinstance(stated, int) and stated > 0 else _MANY


def options(filesystem: Any) -> dict[str, Any]:
    """The options that a file system, or the one behind it, was opened with, without a table of references."""
    found: dict[str, Any] = getattr(filesystem, "storage_options", None) or {}
    inner = {"behind": options(filesystem.fs)} if is_cache(filesystem) else {}
    return inner | {name: value for name, value in found.items() if name != "fo"}
