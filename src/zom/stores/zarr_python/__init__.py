"""Stores of zarr-python 3, including icechunk sessions, as stores of zom, and the other way round.

zarr-python's stores are asynchronous. They run in zarr-python's own event loop, so that both libraries
share their connections and files; a batch takes one call to the loop.
"""

from __future__ import annotations

import asyncio
import hashlib
import pickle
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar, cast

from typing_extensions import override

from zom.errors import ReadOnlyError, StoreError
from zom.packages import imported
from zom.paths import is_document
from zom.stores.credentials import hidden
from zom.stores.foreign_failures import is_panic
from zom.stores.interface import (
    ByteRange,
    Capabilities,
    Listing,
    Obstacle,
    Range,
    Store,
    Suffix,
    Wanted,
    cut,
)
from zom.stores.zarr_python.file_systems import entries
from zom.stores.zarr_python.sessions import (
    array_of_chunks,
    check_pickled,
    foreign_keys,
    is_committed,
    is_fork,
    is_missing,
    is_session_key,
    moves_nodes,
    session_of,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine, Iterable, Mapping, Sequence

    from zom.stores.backend import Backend

__all__ = ["ZarrPythonStore", "as_zarr_python"]

T = TypeVar("T")

_SOME = 1000
"""Keys per size request."""

_SCANNED = frozenset({"MemoryStore", "ManagedMemoryStore", "GpuMemoryStore", "ZipStore"})
"""The stores that scan all keys to list one directory."""


class ZarrPythonStore(Store):
    """A store of zarr-python 3, or the store of an icechunk session.

    >>> zarr = __import__("pytest").importorskip("zarr", minversion="3", reason="pip install 'zom[zarr]'")
    >>> store = ZarrPythonStore(zarr.storage.MemoryStore()); store.set("zarr.json", b"{}")
    >>> store.get("zarr.json")
    b'{}'
    """

    def __init__(self, inner: Any, *, read_only: bool = False, concurrency: int = 64) -> None:
        self._inner = inner
        self._abc: Any = imported("zarr.abc.store", "zarr")
        self._sync: Any = imported("zarr.core.sync", "zarr").sync
        self._prototype: Any = imported("zarr.core.buffer", "zarr").default_buffer_prototype()
        self._concurrency = concurrency
        self._session = session_of(inner)
        self._by_size = False
        """Whether suffixes are read by the size of the value, because the store has no suffix ranges."""
        if not isinstance(inner, self._abc.Store):
            found = f"{type(inner).__module__}.{type(inner).__qualname__}"
            raise StoreError(found, "", "open", "expected a store of zarr-python 3")
        if not inner._is_open:  # noqa: SLF001 - as zarr-python's own code does
            self._run("", "open", inner._open())  # noqa: SLF001
        kind, in_session = type(inner).__name__, self._session is not None
        self.capabilities = Capabilities(
            nested_keys=kind not in {"LocalStore", "FsspecStore"} and not in_session,
            writable=inner.supports_writes and not inner.read_only and not read_only,
            listable=inner.supports_listing,
            atomic_replace=in_session or kind == "ObjectStore",
            rename=in_session and moves_nodes(self._session),
            parallel=max(1, concurrency),
            transactional=in_session,
            merges=in_session and is_fork(self._session),
            zarr_keys=in_session,
        )
        if in_session and is_committed(self._session):
            self.capabilities = replace(self.capabilities, writable=False)

    @property
    def inner(self) -> Any:
        """The store of zarr-python."""
        return self._inner

    @property
    @override
    def url(self) -> str:
        return f"zarr-python:{type(self._inner).__name__}"

    @property
    @override
    def place(self) -> str:
        if self._session is None:
            return f"{self.url} {getattr(self._inner, 'root', '')}".rstrip()
        check_pickled(self._session, self.url)
        # Only the pickle identifies repository and snapshot; it may hold credentials, so it is hashed.
        return f"{self.url} {hashlib.sha256(pickle.dumps(self._inner)).hexdigest()}"

    def __reduce__(self) -> tuple[Any, ...]:
        if self._session is not None:
            check_pickled(self._session, self.url)
            return (_again, (self._inner, not self.capabilities.writable))
        if type(self._inner).__name__ != "LocalStore":
            reason = "it may hold credentials, or belong to its process; open it again in the other process"
            raise StoreError(self.url, "", "pickle", reason)
        return (_reopen, (str(self._inner.root), not self.capabilities.writable))

    # --- calls -------------------------------------------------------------------------------------

    def _run(self, key: str, verb: str, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` in the event loop, in one call, and return its result."""

        async def caught() -> T | BaseException:
            # A panic of icechunk is not an Exception, and would end the loop.
            try:
                return await work
            except BaseException as cause:  # noqa: BLE001 - raised in the caller's thread
                return cause

        result: T | BaseException = self._sync(caught())
        if not isinstance(result, BaseException):
            return result
        if isinstance(result, StoreError) or not (isinstance(result, Exception) or is_panic(result)):
            raise result
        raise StoreError(self.url, key, verb, _told(result))

    async def _batch(self, jobs: Iterable[Awaitable[T]]) -> list[T]:
        gate = asyncio.Semaphore(self._concurrency)

        async def one(job: Awaitable[T]) -> T:
            async with gate:
                return await job

        tasks = [asyncio.ensure_future(one(job)) for job in jobs]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()

    def _range(self, byte_range: ByteRange | None) -> Any:
        if byte_range is None:
            return None
        if isinstance(byte_range, Suffix):
            return self._abc.SuffixByteRequest(byte_range.length)
        start, length = byte_range
        if length is None:
            return self._abc.OffsetByteRequest(start)
        return self._abc.RangeByteRequest(start, start + length)

    # --- reading -----------------------------------------------------------------------------------

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        return self._run(key, "read", self._get(key, byte_range))

    @override
    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        return self._run("", "read", self._batch(self._get(*request) for request in requests))

    async def _get(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        if not self._may_hold(key):
            return None
        try:
            if byte_range is not None and byte_range.length == 0:
                # Stores differ in what `exists` returns for directories.
                return None if await self._get(key, Range(0, 1)) is None else b""
            if self._session is not None and byte_range is not None and key.endswith("zarr.json"):
                # icechunk 2.3 returns the wrong end of a document, or panics if it is short.
                return _cut(await self._whole(key), byte_range)
            if isinstance(byte_range, Suffix) and self._by_size:
                return await self._end(key, byte_range)
            found = await self._inner.get(key, self._prototype, self._range(byte_range))
        except Exception as cause:  # noqa: BLE001 - reported below
            # Several stores reject a range that starts at the end of the value, or a long suffix.
            value = await self._cut_anyway(key, byte_range, cause)
        else:
            value = None if found is None else bytes(found.to_bytes())
        return value

    async def _cut_anyway(self, key: str, byte_range: ByteRange | None, cause: Exception) -> bytes | None:
        """Read the range in another way if the store only rejected the range; raise otherwise."""
        if isinstance(byte_range, Suffix) and not self._by_size:
            try:
                found = await self._end(key, byte_range)
            except Exception:  # noqa: BLE001 - the next attempt decides, or the first exception is reported
                found = None
            if found:
                # Some reject only suffixes longer than the value; Azure supports no suffixes.
                self._by_size = len(found) == byte_range.length
                return found
        whole: bytes | None = None
        if byte_range is not None:
            try:
                whole = await self._whole(key)
            except Exception:  # noqa: BLE001 - the first exception is reported
                whole = None
        if whole is None or byte_range is None or not _overreaches(byte_range, len(whole)):
            raise StoreError(self.url, key, "read", _told(cause))
        return cut(whole, byte_range)

    async def _end(self, key: str, byte_range: Suffix) -> bytes | None:
        """Read the end of a value by its size."""
        size = await self._getsize(key)
        if not size:
            return None if size is None else b""
        start = max(size - byte_range.length, 0)
        return await self._get(key, Range(start, size - start))

    async def _whole(self, key: str) -> bytes | None:
        found = await self._inner.get(key, self._prototype)
        return None if found is None else bytes(found.to_bytes())

    def _may_hold(self, key: str) -> bool:
        """Whether the store can hold `key`: a session raises for any other key."""
        return self._session is None or is_session_key(key)

    # --- writing -----------------------------------------------------------------------------------

    async def _set(self, key: str, value: bytes) -> None:
        try:
            await self._inner.set(key, self._prototype.buffer.from_bytes(value))
        except Exception as cause:  # noqa: BLE001 - reported below, with the key
            reason = _told(cause)
        else:
            return
        raise StoreError(self.url, key, "write", reason)

    @override
    def _write(self, key: str, value: bytes) -> None:
        self._run(key, "write", self._set(key, value))

    @override
    def _write_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        # The last value of a repeated key wins; documents are written before the chunks that need them.
        last = dict(items)
        documents = [item for item in last.items() if is_document(item[0])]
        others = [item for item in last.items() if not is_document(item[0])]

        async def run() -> None:
            await self._batch(self._set(*item) for item in documents)
            await self._batch(self._set(*item) for item in others)

        with self._excluding_all(last):
            self._run("", "write", run())

    @override
    def _claim(self, key: str, value: bytes) -> bool | None:
        if self._session is not None:
            return super()._claim(key, value)

        async def put() -> None:
            await self._inner.set_if_not_exists(key, self._prototype.buffer.from_bytes(value))

        # It doesn't return whether it wrote the value.
        self._run(key, "create", put())
        return None

    @override
    def _create_many(self, items: Sequence[tuple[str, bytes]]) -> list[bool]:
        async def run() -> list[bool]:
            there = await self._batch(self._get(key, Range(0, 0)) for key, _ in items)
            missing = [found is None for found in there]
            await self._batch(self._set(*item) for item, new in zip(items, missing, strict=True) if new)
            return missing

        with self._excluding_all(key for key, _ in items):
            return self._run("", "create", run())

    async def _delete(self, key: str) -> None:
        if not self._may_hold(key):
            return
        try:
            await self._inner.delete(key)
        except FileNotFoundError:
            return
        except Exception as cause:  # noqa: BLE001 - reported below, with the key
            reason = _told(cause)
        else:
            return
        raise StoreError(self.url, key, "delete", reason)

    @override
    def _remove(self, key: str) -> None:
        self._run(key, "delete", self._delete(key))

    @override
    def _remove_many(self, keys: Sequence[str]) -> None:
        with self._excluding_all(keys):
            self._run("", "delete", self._batch(self._delete(key) for key in keys))

    # --- listing -----------------------------------------------------------------------------------

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        return self._run(prefix, "list", self._list(prefix))

    async def _list(self, prefix: str) -> list[str]:
        whole = prefix if self._session is None else await self._nearest(prefix)
        if whole is None:
            return []
        return [key async for key in self._inner.list_prefix(whole) if key.startswith(prefix)]

    async def _nearest(self, prefix: str) -> str | None:
        """Return a node's prefix that contains `prefix`, or None if no key is below `prefix`.

        A session lists no other prefixes.
        """
        if not prefix or await self._whole(f"{prefix}zarr.json") is not None:
            return prefix
        array = array_of_chunks(prefix)
        if array is not None and await self._whole(f"{array}zarr.json") is not None:
            return array
        # Groups without a document can contain nodes, too.
        async for _ in self._inner.list_dir(prefix.rstrip("/")):
            return ""
        return None

    @override
    def _sizes(self, prefix: str) -> Iterable[tuple[str, int]]:
        keys = iter(list(self._keys(prefix)))
        while some := list(islice(keys, _SOME)):
            sizes = self._run(prefix, "list", self._batch(self._getsize(key) for key in some))
            yield from ((key, size) for key, size in zip(some, sizes, strict=True) if size is not None)

    async def _getsize(self, key: str) -> int | None:
        if not self._may_hold(key):
            return None
        try:
            return int(await self._inner.getsize(key))
        except Exception as cause:
            if isinstance(cause, FileNotFoundError) or is_missing(cause):
                return None
            raise

    @override
    def _lists_by_scan(self) -> bool:
        return type(self._inner).__name__ in _SCANNED

    @override
    def _list_dir(self, prefix: str) -> Listing:
        async def run() -> Listing:
            told = await entries(self._inner, prefix)
            if told is not None:
                return told
            found = [name async for name in self._inner.list_dir(prefix.rstrip("/"))]
            names = sorted({name.rstrip("/").rpartition("/")[2] for name in found} - {""})
            # zarr-python doesn't tell keys from prefixes; some names are both.
            are_keys = await self._batch(self._is_key(prefix + name) for name in names)
            are_prefixes = await self._batch(
                self._is_prefix(f"{prefix}{name}/", is_key=is_key)
                for name, is_key in zip(names, are_keys, strict=True)
            )
            return Listing(
                [prefix + name for name, is_key in zip(names, are_keys, strict=True) if is_key],
                [f"{prefix}{name}/" for name, below in zip(names, are_prefixes, strict=True) if below],
            )

        return self._run(prefix, "list", run())

    # --- sessions ----------------------------------------------------------------------------------

    @override
    def _check_writable(self, key: str, verb: str) -> None:
        super()._check_writable(key, verb)
        if self._session is not None and is_committed(self._session):
            reason = "the session was committed; open another with repository.writable_session('main')"
            raise ReadOnlyError(self.url, key, verb, reason)

    @property
    @override
    def uncommitted(self) -> Mapping[str, Sequence[Sequence[int]]]:
        """Those of a writable session."""
        if self._session is None or not self.capabilities.writable:
            return {}
        found: dict[str, list[list[int]]] = self._session.status().updated_chunks
        return found

    @override
    def absorb(self, other: Backend) -> None:
        if not self.capabilities.merges or not isinstance(other, ZarrPythonStore):
            super().absorb(other)
        self._check_writable("", "merge")
        self._session.merge(session_of(cast("ZarrPythonStore", other).inner))

    @override
    def _obstacles(self, wanted: Wanted) -> Iterable[Obstacle]:
        return foreign_keys(wanted.writes) if self.capabilities.zarr_keys else super()._obstacles(wanted)

    @override
    def _rename(self, old: str, new: str) -> None:
        if not self.capabilities.rename:
            super()._rename(old, new)
            return
        self._session.move(f"/{old.rstrip('/')}", f"/{new.rstrip('/')}")

    # --- kinds of keys -----------------------------------------------------------------------------

    async def _is_key(self, key: str) -> bool:
        return await self._get(key, Range(0, 0)) is not None

    async def _is_prefix(self, prefix: str, *, is_key: bool) -> bool:
        if not is_key:
            return True
        if (
            is_document(prefix[:-1])
            or type(self._inner).__name__ == "LocalStore"
            or self._session is not None
        ):
            return False
        async for key in self._inner.list_prefix(prefix):
            if key.startswith(prefix):
                return True
        return False


def _again(inner: Any, read_only: bool) -> ZarrPythonStore:  # noqa: FBT001 - pickle passes positions
    return ZarrPythonStore(inner, read_only=read_only)


def _reopen(root: str, read_only: bool) -> ZarrPythonStore:  # noqa: FBT001 - pickle passes positions
    return ZarrPythonStore(imported("zarr.storage", "zarr").LocalStore(root), read_only=read_only)


def _cut(value: bytes | None, byte_range: ByteRange) -> bytes | None:
    return None if value is None else cut(value, byte_range)


def _overreaches(byte_range: ByteRange, size: int) -> bool:
    """Whether the range exceeds a value of that size."""
    if isinstance(byte_range, Suffix):
        return byte_range.length > size
    start, length = byte_range
    return start >= size or (length is not None and start + length > size)


def _told(cause: BaseException) -> str:
    text = hidden(str(cause).strip().partition("\n")[0])
    return f"{type(cause).__name__}: {text}".rstrip(": ")


def as_zarr_python(store: Store, *, read_only: bool = False) -> Any:
    """Return `store` as a store for zarr-python 3; if it wraps a zarr-python store, return that one.

    >>> zarr = __import__("pytest").importorskip("zarr", minversion="3", reason="pip install 'zom[zarr]'")
    >>> from zom.stores.memory import MemoryStore
    >>> as_zarr_python(MemoryStore()).supports_writes
    True
    """
    imported("zarr.abc.store", "zarr")
    may_write = store.capabilities.writable and not read_only
    if isinstance(store, ZarrPythonStore) and (may_write or store.inner.read_only):
        return store.inner
    from zom.stores.zarr_python.bridge import Bridge  # noqa: PLC0415 - its classes derive from zarr-python's

    return Bridge(store, read_only=not may_write)
