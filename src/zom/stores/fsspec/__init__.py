"""Any fsspec file system as a store, and so any protocol of fsspec.

A UPath is recognized by its `fs` and `path`, without importing universal-pathlib. File systems of fsspec
cache listings, and some answer from them: the cache is cleared before each request.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, unquote

from typing_extensions import override

from zom.errors import StoreError
from zom.packages import imported
from zom.reason import reason_of
from zom.stores.credentials import hidden, secrets_in, shown_url
from zom.stores.foreign_failures import is_absence, is_no_directory, lacks_bucket
from zom.stores.fsspec.file_systems import (
    FTP,
    LOCAL,
    REFERENCES,
    WEB,
    WINDOWS,
    deletes_patterns,
    in_flight,
    in_turn,
    is_archive,
    is_cache,
    is_written,
    keeps_full,
    lists_flat,
    options,
    protocols,
    refuse_old_caches,
    remove_directory,
    root_of,
    unwrapped,
)
from zom.stores.fsspec.ftp import answer_of, is_refusal, is_unclear, list_whole
from zom.stores.fsspec.links import Links
from zom.stores.fsspec.parts import Parts, bounds_of, takes_parts
from zom.stores.interface import ByteRange, Capabilities, Listing, Obstacle, Store, Suffix, Wanted
from zom.stores.obstacles import refuse_any, reserved_keys

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence

__all__ = ["FsspecStore"]

_PATTERN = re.compile(r"[*?[]")

_LONG = 1 << 26
"""Length in bytes above which a range request first asks for the size of the file."""


class FsspecStore(Store):
    """The files below a path of an fsspec file system.

    >>> fsspec = __import__("pytest").importorskip("fsspec", reason="pip install 'zom[fsspec]'")
    >>> store = FsspecStore(fsspec.filesystem("memory"), "/doctest"); store.set("a/0", b"123")
    >>> store.get("a/0")
    b'123'
    """

    def __init__(
        self, filesystem: Any, path: str | os.PathLike[str] | None = None, *, read_only: bool = False
    ) -> None:
        kind = type(filesystem).__name__
        if path is None:
            if not hasattr(filesystem, "fs") or not hasattr(filesystem, "path"):
                raise StoreError(kind, "", "open", "expected a file system and a path, or a UPath")
            filesystem, path = filesystem.fs, filesystem.path
        try:
            filesystem, root = unwrapped(filesystem, os.fspath(path or ""))
        except ValueError as cause:
            raise StoreError(kind, "", "open", str(cause)) from None
        if getattr(filesystem, "asynchronous", False):
            reason = "expected a file system for synchronous use; open it with asynchronous=False"
            raise StoreError(kind, "", "open", reason)
        self._is_cache = is_cache(filesystem)
        if self._is_cache:
            refuse_old_caches(kind)
        self._fs: Any = in_turn(filesystem)
        self._protocol = protocols(filesystem)[0]
        self._root = root_of(filesystem, str(filesystem._strip_protocol(root)).rstrip("/"))  # noqa: SLF001 - as `ls`
        # With an empty root, only some file systems start paths with a slash.
        self._base = f"{self._root}/" if self._root else str(filesystem.root_marker)
        self._secrets = tuple(secrets_in(options(filesystem), every=True))
        self._is_flat = lists_flat(filesystem)
        self._by_size = self._is_cache or self._protocol == FTP
        """Whether suffixes are read by the size of the value, because there are no suffix ranges."""
        # fsspec writes files in place: readers see the half-written file of a crash.
        self.capabilities = Capabilities(
            writable=not read_only and is_written(filesystem),
            atomic_replace=False,
            nested_keys=self._is_flat,
            parallel=in_flight(filesystem),
        )
        self._takes_many = self._is_flat and self.capabilities.parallel > 1
        """Whether many keys are changed at once: only without directories to create or remove."""
        self._parts = Parts(
            self._fs,
            takes_parts=takes_parts(filesystem),
            is_archive=is_archive(filesystem),
            is_cache=self._is_cache,
        )
        self._links = Links()
        self._keeps_full = keeps_full(filesystem)

    @property
    @override
    def url(self) -> str:
        if "://" in self._root:
            return shown_url(self._root)
        host = options(self._fs).get("host") or getattr(self._fs, "host", None)
        if isinstance(host, str):
            return f"{self._protocol}://{host}/{self._root.lstrip('/')}"
        return f"{self._protocol}://{self._root if self._protocol in LOCAL else self._root.lstrip('/')}"

    def __reduce__(self) -> tuple[Any, ...]:
        reason = ""
        if self._fs.storage_options or "@" in self._root:
            reason = "its options may hold credentials; open it again in the other process"
        elif self._protocol == "memory":
            reason = "a file system in memory belongs to its process"
        if reason:
            raise StoreError(self.url, "", "pickle", reason)
        return (_reopen, (self._protocol, self._root, not self.capabilities.writable))

    def _path(self, key: str) -> str:
        return f"{self._base}{quote(key) if self._protocol in WEB else key}"

    def _name(self, path: str) -> str:
        return unquote(path) if self._protocol in WEB else path

    def _failure(self, key: str, verb: str, cause: BaseException) -> StoreError:
        if isinstance(cause, StoreError):
            return cause
        if isinstance(cause, OSError) and cause.strerror:
            return StoreError(self.url, key, verb, hidden(reason_of(cause), self._secrets))
        told = answer_of(cause) or cause
        text = hidden(str(told).strip().partition("\n")[0], self._secrets)
        return StoreError(self.url, key, verb, f"{type(told).__name__}: {text}".rstrip(": "))

    # --- reading -----------------------------------------------------------------------------------

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        return self._read_many([(key, byte_range)])[0]

    @override
    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        found = self._found_of(requests, by_size=self._by_size)
        refused = [
            index
            for index, ((_, byte_range), answer) in enumerate(zip(requests, found, strict=True))
            if isinstance(byte_range, Suffix) and isinstance(answer, Exception)
            if not (self._by_size or isinstance(answer, StoreError) or _is_gone(answer))
        ]
        if refused:
            again = self._found_of([requests[index] for index in refused], by_size=True)
            for index, answer in zip(refused, again, strict=True):
                if not isinstance(answer, Exception):
                    # Azure supports no suffix ranges: from now on, request sizes first.
                    self._by_size = True
                if not isinstance(answer, Exception) or _is_gone(answer):
                    found[index] = answer
        return [self._value(*request, answer) for request, answer in zip(requests, found, strict=True)]

    def _found_of(
        self, requests: Sequence[tuple[str, ByteRange | None]], *, by_size: bool
    ) -> list[bytes | Exception | None]:
        """Return the bytes or exception of each request; `by_size` reads suffixes by the size of the file."""
        found: list[bytes | Exception | None] = [None] * len(requests)
        looked_at = [i for i, each in enumerate(requests) if self._is_looked_at(each[1], by_size=by_size)]
        infos = dict(zip(looked_at, self._infos([requests[i][0] for i in looked_at]), strict=True))
        asked: list[int] = []
        bounds: list[tuple[int | None, int | None]] = []
        for index, (key, byte_range) in enumerate(requests):
            info = infos.get(index)
            if info is not None:
                found[index] = self._told_at_once(key, byte_range, info)
            if info is None or (found[index] is None and isinstance(info, dict) and info["type"] == "file"):
                asked.append(index)
                bounds.append(bounds_of(byte_range, info.get("size") if info else None))
        if asked:
            answers = self._parts.read([self._path(requests[index][0]) for index in asked], bounds)
            for index, answer in zip(asked, answers, strict=True):
                found[index] = answer
        return found

    def _is_looked_at(self, byte_range: ByteRange | None, *, by_size: bool) -> bool:
        """Whether to request the file's info before its bytes."""
        if self._protocol in LOCAL or (by_size and isinstance(byte_range, Suffix)):
            return True
        length = None if byte_range is None else byte_range.length
        return length is not None and (length == 0 or length > _LONG)

    def _told_at_once(
        self, key: str, byte_range: ByteRange | None, info: dict[str, Any] | Exception
    ) -> bytes | Exception | None:
        """Return the answer if the file's info is enough, None otherwise."""
        if isinstance(info, Exception):
            return info
        is_file = info["type"] == "file"
        if not is_file and self._protocol in LOCAL:
            # Reading a pipe could wait forever for its other end.
            what = "a directory" if info["type"] == "directory" else "something else"
            return StoreError(self.url, key, "read", f"expected a regular file, found {what}")
        return b"" if is_file and byte_range is not None and byte_range.length == 0 else None

    def _infos(self, keys: Sequence[str]) -> list[dict[str, Any] | Exception]:
        """Return the file system's info of each file, or its exception."""
        is_awaited = self.capabilities.parallel > 1 and not self._is_cache and self._protocol != REFERENCES
        if is_awaited and len(keys) > 1:
            self._fs.invalidate_cache()
            return self._awaited([self._fs._info(self._path(key)) for key in keys])  # noqa: SLF001 - as `info`
        found: list[dict[str, Any] | Exception] = []
        for key in keys:
            try:
                found.append(self._info(key))
            except Exception as cause:  # noqa: BLE001 - reported with the other answers
                found.append(cause)
        return found

    def _info(self, key: str) -> dict[str, Any]:
        path = self._path(key)
        self._fs.invalidate_cache(path.rpartition("/")[0])
        return dict(self._fs.info(path))

    def _value(
        self, key: str, byte_range: ByteRange | None, answer: bytes | Exception | None
    ) -> bytes | None:
        if answer is None or self._is_missing(key, answer):
            return None
        if not isinstance(answer, Exception):
            return bytes(answer)
        if isinstance(answer, StoreError):
            raise answer
        # Some services reject a range that starts at the end of the value; here it is b"".
        if byte_range is not None and self._selects_nothing(key, byte_range):
            return b""
        failure = self._failure(key, "read", answer)
        raise failure

    def _is_missing(self, key: str, answer: bytes | Exception) -> bool:
        """Whether the key is missing. A reference to a missing target is an error, not a missing key."""
        if isinstance(answer, bytes) or not _is_gone(answer):
            return False
        if self._protocol == FTP and is_unclear(answer) and self._is_known(key):
            return False
        return self._protocol != REFERENCES or self._path(key) not in self._fs.references

    def _is_known(self, key: str) -> bool:
        """Whether the file exists, or the file system can't tell."""
        try:
            self._info(key)
        except Exception as cause:  # noqa: BLE001 - the first exception is reported
            return not _is_gone(cause)
        return True

    def _selects_nothing(self, key: str, byte_range: ByteRange) -> bool:
        try:
            size = self._info(key).get("size")
        except Exception:  # noqa: BLE001 - the first exception is reported
            return False
        if size is None:
            return False
        return int(size) == 0 if isinstance(byte_range, Suffix) else byte_range.start >= int(size)

    # --- writing -----------------------------------------------------------------------------------

    @override
    def _write(self, key: str, value: bytes) -> None:
        path = self._path(key)
        try:
            self._refuse_directory(path)
            refuse_any(self._renamed([key]))
            self._put(path, value)
        except Exception as cause:  # noqa: BLE001 - raised below, as a StoreError
            failure = self._failure(key, "write", cause)
        else:
            return
        raise failure

    def _put(self, path: str, value: bytes) -> None:
        folder = path.rpartition("/")[0]
        for _ in range(3):
            try:
                self._fs.pipe_file(path, value)
            except Exception as cause:
                # Create the directory only on failure, to save requests; others may prune it. FTP has its own
                # error for a missing one. In an object store the bucket is missing: don't create it.
                if self._is_flat or (not is_absence(cause) and self._fs.isdir(folder)):
                    raise
                self._fs.makedirs(folder, exist_ok=True)
            else:
                return
        self._fs.pipe_file(path, value)

    @override
    def _write_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        if not self._takes_many:
            super()._write_many(items)
            return
        last = dict(items)
        with self._excluding_all(last):
            put = self._fs._pipe_file  # noqa: SLF001 - like `pipe`, whose errors name no key
            self._make("write", {key: put(self._path(key), value) for key, value in last.items()})

    def _awaited(self, calls: Sequence[Coroutine[Any, Any, Any]]) -> list[Any]:
        """Return the results or exceptions of the calls, several of which run at once."""
        from zom.stores.fsspec.at_once import answers  # noqa: PLC0415 - asyncio is loaded only if needed

        return answers(self._fs, calls, self.capabilities.parallel)

    def _make(self, verb: str, calls: Mapping[str, Coroutine[Any, Any, Any]]) -> None:
        """Await the call for each key; raise the first failure."""
        for key, result in zip(calls, self._awaited(list(calls.values())), strict=True):
            if isinstance(result, BaseException) and not (verb == "delete" and _is_gone(result)):
                raise self._failure(key, verb, result)

    def _refuse_directory(self, path: str) -> None:
        if self._protocol == "memory" and self._fs.isdir(path):
            raise IsADirectoryError(21, "Is a directory")  # it would hold both, but list only one

    @override
    def _remove(self, key: str) -> None:
        path = self._path(key)
        try:
            self._refuse_pattern(key)
            refuse_any(self._links.obstacles([key]))
            # Some file systems delete a directory with all its content.
            is_asked = self._protocol in LOCAL | {"memory"} or not (self._is_flat or self._keeps_full)
            if is_asked and self._fs.isdir(path):
                return
            self._fs.rm_file(path)
        except Exception as cause:  # noqa: BLE001 - raised below
            if _is_gone(cause) or (self._protocol == FTP and not self._is_known(key)):
                return
            failure = self._failure(key, "delete", cause)
        else:
            self._remove_empty_above(path)
            return
        raise failure

    @override
    def _remove_many(self, keys: Sequence[str]) -> None:
        refuse_any(self._links.obstacles(keys))
        if not self._takes_many:
            super()._remove_many(keys)
            return
        for key in keys:
            self._refuse_pattern(key)
        with self._excluding_all(keys):
            delete = self._fs._rm_file  # noqa: SLF001 - `rm` treats names with "*" as patterns
            self._make("delete", {key: delete(self._path(key)) for key in dict.fromkeys(keys)})

    def _refuse_pattern(self, key: str) -> None:
        if _PATTERN.search(self._path(key)) and deletes_patterns(self._fs):
            reason = f"the file system {self._protocol} treats this key as a pattern and would delete every key that matches it"
            raise StoreError(self.url, key, "delete", reason)

    @override
    def _remove_prefix(self, prefix: str) -> None:
        self._look_above(prefix)
        super()._remove_prefix(prefix)

    @override
    def _obstacles(self, wanted: Wanted) -> Iterable[Obstacle]:
        # The content below was listed, since the keys are known.
        self._look_above(os.path.commonprefix(wanted.removes))  # noqa: RUF071 - cut at a slash there
        return [
            *super()._obstacles(wanted),
            *self._renamed(wanted.writes),
            *self._links.obstacles(wanted.removes),
        ]

    def _renamed(self, keys: Iterable[str]) -> Iterable[Obstacle]:
        """Yield obstacles for keys that a Windows file server would list under other names."""
        return reserved_keys(keys) if self._protocol in WINDOWS else ()

    @property
    @override
    def folds_names(self) -> bool:
        return self._protocol in WINDOWS

    def _look_above(self, prefix: str) -> None:
        """List the directories above `prefix` to find links among them."""
        above = "" if self._is_flat or self._lists_by_scan() else prefix.rpartition("/")[0]
        while above:
            above = above.rpartition("/")[0]
            self._entries(f"{above}/" if above else "")

    def _remove_empty_above(self, path: str) -> None:
        """Remove directories above a deleted file that are empty now: a store has no empty prefixes.

        They stay if the file system might delete a directory that is not empty.
        """
        parent = path.rpartition("/")[0]
        while self._keeps_full and not self._is_flat and len(parent) > len(self._root):
            try:
                remove_directory(self._fs, parent)
            except Exception:  # noqa: BLE001 - not empty or not removable: it stays
                return
            parent = parent.rpartition("/")[0]

    # --- listing -----------------------------------------------------------------------------------

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        return (key for key, _ in self._found(prefix))

    @override
    def _sizes(self, prefix: str) -> Iterable[tuple[str, int]]:
        for key, size in self._found(prefix):
            known = self._size_of(key) if size is None else size
            if known is not None:
                yield key, known

    @override
    def _size_of(self, key: str) -> int | None:
        found = self._told_by(key, lambda: [self._told_size(key, self._asked_size(self._path(key)))])
        return super()._size_of(key) if found == [None] else found[0] if found else None

    def _asked_size(self, path: str) -> int | None:
        # Before fsspec 2026.9, `size` and `_info` of a reference to a local file wait for themselves.
        size: int | None = (
            self._fs.info(path)["size"] if self._protocol == REFERENCES else self._fs.size(path)
        )
        return size

    def _told_size(self, key: str, size: int | None) -> int | None:
        """Return the file system's `size`; None for inline references, where it counts base64 text."""
        if self._protocol == REFERENCES and isinstance(
            self._fs.references.get(self._path(key)), (str, bytes)
        ):
            return None
        return size

    def _found(self, prefix: str) -> Iterator[tuple[str, int | None]]:
        """Yield every key below `prefix`, with its size if the listing has it."""
        if self._is_flat:
            base = f"{self._base}{prefix}".rstrip("/")
            entries = self._told_by(prefix, lambda: self._fs.find(base, detail=True).items())
            for path, entry in entries:
                key = self._key_below(prefix, path)
                if key:
                    yield key, entry.get("size")
            return
        if self._lists_by_scan():
            start = len(self._base)
            for path, file in list(self._fs.store.items()):
                if path.startswith(f"{self._base}{prefix}"):
                    yield path[start:], int(file.size)
            return
        # fsspec's own walk silently skips unreadable directories.
        waiting = [prefix]
        while waiting:
            keys, prefixes = self._entries(waiting.pop())
            yield from keys.items()
            waiting.extend(prefixes)

    @override
    def _lists_by_scan(self) -> bool:
        """True in memory, where listing a directory scans all files."""
        return self._protocol == "memory" and isinstance(getattr(self._fs, "store", None), dict)

    @override
    def _list_dir(self, prefix: str) -> Listing:
        keys, prefixes = self._entries(prefix)
        return Listing(sorted(keys), sorted(prefixes))

    def _entries(self, prefix: str) -> tuple[dict[str, int | None], set[str]]:
        """Return the keys directly below `prefix` with their sizes, if listed, and the prefixes."""
        try:
            self._links.check_listed(prefix)
        except OSError as cause:
            raise StoreError(self.url, prefix[:-1], "list", f"{cause.strerror}") from cause
        base = self._path(prefix).rstrip("/")
        keys: dict[str, int | None] = {}
        prefixes: set[str] = set()
        for entry in self._told_by(prefix, lambda: self._ls(base or "/")):
            key = self._key_below(prefix, str(entry["name"]).rstrip("/"))
            if not key or "/" in key[len(prefix) :]:
                continue
            found = entry if entry["type"] in {"directory", "file"} else self._followed(prefix, entry["name"])
            if found["type"] == "directory":
                prefixes.add(f"{key}/")
                if found is not entry:
                    self._links.add(f"{key}/")
            elif found["type"] == "file":
                keys[key] = self._told_size(key, found.get("size"))
        return keys, prefixes

    def _ls(self, path: str) -> list[Any]:
        if self._protocol == FTP:
            return cast("list[Any]", self._fs.in_turn(list_whole, path))
        return cast("list[Any]", self._fs.ls(path, detail=True))

    def _followed(self, prefix: str, path: str) -> dict[str, Any]:
        """Return the info of a link's target; the type "nothing" if the target is missing."""
        found = self._told_by(prefix, lambda: [self._fs.info(path)])
        return found[0] if found else {"type": "nothing"}

    def _key_below(self, prefix: str, path: str) -> str:
        """Return the key of a listed path; "" for the listed directory, which some file systems include.

        Some file systems drop slashes or unescape names, and so list another directory than the requested
        one. Web pages also link to other places.
        """
        name = self._name(path)
        folder = f"{self._base}{prefix}"
        if name.startswith(folder):
            return name[len(self._base) :] if name != folder else ""
        if name == folder.rstrip("/") or self._protocol in WEB:
            return ""
        reason = (
            f"the file system lists {shown_url(name)!r}, which is not in this folder; "
            "check that its path has no empty parts and nothing that the file system unescapes"
        )
        raise StoreError(self.url, prefix, "list", reason)

    def _told_by(self, prefix: str, call: Any) -> list[Any]:
        try:
            self._fs.invalidate_cache()
            return list(call())
        except Exception as cause:  # noqa: BLE001 - raised below
            if _is_gone(cause) or is_no_directory(cause):
                return []
            failure = self._failure(prefix, "list", cause)
        raise failure


def _reopen(protocol: str, root: str, read_only: bool) -> FsspecStore:  # noqa: FBT001 - pickle passes positions
    return FsspecStore(imported("fsspec", "fsspec").filesystem(protocol), root, read_only=read_only)


def _is_gone(cause: BaseException) -> bool:
    return is_absence(cause) and not lacks_bucket(cause) and not is_refusal(cause)
