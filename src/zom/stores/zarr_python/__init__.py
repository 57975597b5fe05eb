"""Stores of zarr-python 3, icechunk sessions among them, as stores of zom, and the other way round.

zarr-python's stores are asynchronous. Its own event loop serves them, so that what they keep open can be
used by both; a batch crosses over to it once.
"""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from typing_extensions import override

from zom.errors import StoreError
from zom.stores.credentials import hidden
from zom.stores.extra import imported, is_panic
from zom.stores.interface import ByteRange, Capabilities, Listing, Range, Store, Suffix, cut

if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine, Iterable, Sequence

__all__ = ["ZarrPythonStore", "as_zarr_python"]

T = TypeVar("T")

_SOME = 1000
"""Of how many keys the sizes are asked for at once."""

_SCANNED = frozenset({"MemoryStore", "ManagedMemoryStore", "GpuMemoryStore", "ZipStore"})
"""The stores that look at all keys to list one directory."""

_DOCUMENTS = ("zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata")


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
        self._is_icechunk = type(inner).__module__.partition(".")[0] == "icechunk"
        if not isinstance(inner, self._abc.Store):
            found = f"{type(inner).__module__}.{type(inner).__qualname__}"
            raise StoreError(found, "", "open", "expected a store of zarr-python 3")
        if not inner._is_open:  # noqa: SLF001 - what zarr-python's own code asks
            self._run("", "open", inner._open())  # noqa: SLF001
        kind = type(inner).__name__
        self.capabilities = Capabilities(
            nested_keys=kind not in {"LocalStore", "FsspecStore"} and not self._is_icechunk,
            writable=inner.supports_writes and not inner.read_only and not read_only,
            listable=inner.supports_listing,
            atomic_replace=self._is_icechunk or kind == "ObjectStore",
            parallel=max(1, concurrency),
        )

    @property
    @override
    def url(self) -> str:
        return f"zarr-python:{type(self._inner).__name__}"

    def __reduce__(self) -> tuple[Any, ...]:
        if type(self._inner).__name__ != "LocalStore":
            reason = "it may hold credentials, or belong to its process; open it again in the other one"
            raise StoreError(self.url, "", "pickle", reason)
        return (_reopen, (str(self._inner.root), not self.capabilities.writable))

    # --- calls -------------------------------------------------------------------------------------

    def _run(self, key: str, verb: str, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`, with which one call crosses over to the loop."""

        async def caught() -> T | BaseException:
            # A panic of icechunk is no Exception, and would end the loop.
            try:
                return await work
            except BaseException as cause:  # noqa: BLE001 - told by the caller's thread
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
        try:
            if byte_range is not None and byte_range.length == 0:
                # What "exists" says of directories differs.
                return None if await self._get(key, Range(0, 1)) is None else b""
            if self._is_icechunk and byte_range is not None and key.endswith("zarr.json"):
                # icechunk 2.3 gives the wrong end of a document, or panics where it is short.
                return _cut(await self._whole(key), byte_range)
            found = await self._inner.get(key, self._prototype, self._range(byte_range))
        except Exception as cause:  # noqa: BLE001 - told below
            if self._is_foreign(cause):
                return None
            # Several stores refuse a range that begins where the value ends, or a long suffix.
            value = await self._cut_anyway(key, byte_range, cause)
        else:
            value = None if found is None else bytes(found.to_bytes())
        return value

    async def _cut_anyway(self, key: str, byte_range: ByteRange | None, cause: Exception) -> bytes | None:
        """What the range means where the store only refused the range."""
        whole: bytes | None = None
        if byte_range is not None:
            try:
                whole = await self._whole(key)
            except Exception:  # noqa: BLE001 - the first exception is told
                whole = None
        if whole is None or byte_range is None or not _overreaches(byte_range, len(whole)):
            raise StoreError(self.url, key, "read", _told(cause))
        return cut(whole, byte_range)

    async def _whole(self, key: str) -> bytes | None:
        found = await self._inner.get(key, self._prototype)
        return None if found is None else bytes(found.to_bytes())

    def _is_foreign(self, cause: Exception) -> bool:
        """Whether icechunk only says that such a key can't be there: it holds keys of Zarr v3 alone."""
        text = str(cause)
        return self._is_icechunk and text.startswith(("invalid zarr key format", "v2 key not found"))

    # --- writing -----------------------------------------------------------------------------------

    async def _set(self, key: str, value: bytes) -> None:
        try:
            await self._inner.set(key, self._prototype.buffer.from_bytes(value))
        except Exception as cause:  # noqa: BLE001 - told below, with the key
            reason = _told(cause)
        else:
            return
        raise StoreError(self.url, key, "write", reason)

    @override
    def _write(self, key: str, value: bytes) -> None:
        self._run(key, "write", self._set(key, value))

    @override
    def _write_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        # Of several values for one key the last must win; documents go before the chunks that need them.
        last = sorted(dict(items).items(), key=lambda item: (not _is_document(item[0]), item[0].count("/")))
        documents = [item for item in last if _is_document(item[0])]

        async def run() -> None:
            for item in documents:
                await self._set(*item)
            await self._batch(self._set(*item) for item in last[len(documents) :])

        with self._excluding_all(key for key, _ in last):
            self._run("", "write", run())

    async def _delete(self, key: str) -> None:
        try:
            await self._inner.delete(key)
        except FileNotFoundError:
            return
        except Exception as cause:  # noqa: BLE001 - told below, with the key
            if self._is_foreign(cause):
                return
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
        async def run() -> list[str]:
            return [key async for key in self._inner.list_prefix(prefix) if key.startswith(prefix)]

        return self._run(prefix, "list", run())

    @override
    def _sizes(self, prefix: str) -> Iterable[tuple[str, int]]:
        keys = iter(list(self._keys(prefix)))
        while some := list(islice(keys, _SOME)):
            sizes = self._run(prefix, "list", self._batch(self._getsize(key) for key in some))
            yield from ((key, size) for key, size in zip(some, sizes, strict=True) if size is not None)

    async def _getsize(self, key: str) -> int | None:
        try:
            return int(await self._inner.getsize(key))
        except FileNotFoundError:
            return None

    @override
    def _lists_by_scan(self) -> bool:
        return type(self._inner).__name__ in _SCANNED

    @override
    def _list_dir(self, prefix: str) -> Listing:
        async def run() -> Listing:
            found = [name async for name in self._inner.list_dir(prefix.rstrip("/"))]
            names = sorted({name.rstrip("/").rpartition("/")[2] for name in found} - {""})
            # zarr-python doesn't say which names are keys and which prefixes; some are both.
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

    async def _is_key(self, key: str) -> bool:
        return await self._get(key, Range(0, 0)) is not None

    async def _is_prefix(self, prefix: str, *, is_key: bool) -> bool:
        if not is_key:
            return True
        if _is_document(prefix[:-1]) or type(self._inner).__name__ == "LocalStore" or self._is_icechunk:
            return False
        async for key in self._inner.list_prefix(prefix):
            if key.startswith(prefix):
                return True
        return False


def _reopen(root: str, read_only: bool) -> ZarrPythonStore:  # noqa: FBT001 - pickle passes positions
    return ZarrPythonStore(imported("zarr.storage", "zarr").LocalStore(root), read_only=read_only)


def _cut(value: bytes | None, byte_range: ByteRange) -> bytes | None:
    return None if value is None else cut(value, byte_range)


def _overreaches(byte_range: ByteRange, size: int) -> bool:
    """Whether the range means bytes that a value of that size hasn't got."""
    if isinstance(byte_range, Suffix):
        return byte_range.length > size
    start, length = byte_range
    return start >= size or (length is not None and start + length > size)


def _is_document(key: str) -> bool:
    return key.rpartition("/")[2] in _DOCUMENTS


def _told(cause: BaseException) -> str:
    text = hidden(str(cause).strip().partition("\n")[0])
    return f"{type(cause).__name__}: {text}".rstrip(": ")


def as_zarr_python(store: Store, *, read_only: bool = False) -> Any:
    """`store` as a store that zarr-python 3 takes.

    >>> zarr = __import__("pytest").importorskip("zarr", minversion="3", reason="pip install 'zom[zarr]'")
    >>> from zom.stores.memory import MemoryStore
    >>> as_zarr_python(MemoryStore()).supports_writes
    True
    """
    imported("zarr.abc.store", "zarr")
    from zom.stores.zarr_python.bridge import Bridge  # noqa: PLC0415 - its classes derive from zarr-python's

    return Bridge(store, read_only=read_only or not store.capabilities.writable)
