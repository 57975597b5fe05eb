"""Stores of zarr-python, icechunk sessions among them, as stores of zom, and the other way round.

zarr-python's stores are asynchronous. One event loop in a thread, made when the first such store is
opened, serves all of them; a batch crosses over to it once.
"""

from __future__ import annotations

import asyncio
import os
import threading
from typing import TYPE_CHECKING, Any, TypeVar

from typing_extensions import override

from zom.errors import StoreError
from zom.stores.extra import imported
from zom.stores.interface import ByteRange, Capabilities, Listing, Store, Suffix

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable, Sequence

__all__ = ["ZarrPythonStore", "as_zarr_python"]

T = TypeVar("T")


class _Loop:
    """An event loop in a thread of its own, one for each process."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._loop: tuple[int, asyncio.AbstractEventLoop] | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`."""
        with self._guard:
            if self._loop is None or self._loop[0] != os.getpid():
                made = asyncio.new_event_loop()
                threading.Thread(target=made.run_forever, name="zom-zarr-python", daemon=True).start()
                self._loop = (os.getpid(), made)
            loop = self._loop[1]
        return asyncio.run_coroutine_threadsafe(work, loop).result()


_loop = _Loop()


class ZarrPythonStore(Store):
    """A store of zarr-python 3, or the store of an icechunk session.

    >>> zarr = __import__("pytest").importorskip("zarr", minversion="3", reason="pip install zarr>=3")
    >>> store = ZarrPythonStore(zarr.storage.MemoryStore()); store.set("zarr.json", b"{}")
    >>> store.get("zarr.json")
    b'{}'
    """

    def __init__(self, inner: Any, *, read_only: bool = False, concurrency: int = 64) -> None:
        self._inner = inner
        self._abc = imported("zarr.abc.store", "zarr")
        buffer = imported("zarr.core.buffer", "zarr")
        self._prototype = buffer.default_buffer_prototype()
        self._concurrency = concurrency
        self._icechunk = type(inner).__module__.partition(".")[0] == "icechunk"
        with self._told("", "open"):
            if not inner._is_open:  # noqa: SLF001 - what zarr-python's own code asks
                _loop.run(inner._open())  # noqa: SLF001
        self.capabilities = Capabilities(
            writable=inner.supports_writes and not inner.read_only and not read_only,
            listable=inner.supports_listing,
            atomic_replace=self._icechunk,
        )

    @property
    @override
    def url(self) -> str:
        return f"zarr-python:{type(self._inner).__name__}"

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
        return self._read_many([(key, byte_range)])[0]

    @override
    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        async def one(gate: asyncio.Semaphore, key: str, byte_range: ByteRange | None) -> bytes | None:
            async with gate:
                return await self._get(key, byte_range)

        async def run() -> list[bytes | None]:
            gate = asyncio.Semaphore(self._concurrency)
            return await asyncio.gather(*(one(gate, *request) for request in requests))

        return _loop.run(run())

    async def _get(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        if byte_range is not None and byte_range.length == 0:
            return b"" if await self._exists(key) else None
        try:
            found = await self._inner.get(key, self._prototype, self._range(byte_range))
        except Exception as cause:
            if self._is_foreign(key, cause):
                return None
            raise StoreError(self.url, key, "read", f"{type(cause).__name__}: {cause}") from cause
        return None if found is None else bytes(found.to_bytes())

    async def _exists(self, key: str) -> bool:
        try:
            return bool(await self._inner.exists(key))
        except Exception as cause:
            if self._is_foreign(key, cause):
                return False
            raise StoreError(self.url, key, "read", f"{type(cause).__name__}: {cause}") from cause

    def _is_foreign(self, key: str, cause: Exception) -> bool:
        """Whether icechunk only says that such a key can't be there: it holds keys of Zarr v3 alone."""
        text = f"{type(cause).__name__} {cause}".lower()
        return (
            self._icechunk
            and bool(key)
            and ("notfound" in text or "not found" in text or "invalid zarr key" in text)
        )

    # --- writing -----------------------------------------------------------------------------------

    @override
    def _write(self, key: str, value: bytes) -> None:
        _loop.run(self._inner.set(key, self._prototype.buffer.from_bytes(value)))

    @override
    def _write_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        async def run() -> None:
            for key, value in items:
                try:
                    await self._inner.set(key, self._prototype.buffer.from_bytes(value))
                except Exception as cause:
                    raise StoreError(self.url, key, "write", f"{type(cause).__name__}: {cause}") from cause

        _loop.run(run())

    @override
    def _remove(self, key: str) -> None:
        _loop.run(self._inner.delete(key))

    # --- listing -----------------------------------------------------------------------------------

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        async def run() -> list[str]:
            return [key async for key in self._inner.list_prefix(prefix)]

        return _loop.run(run())

    @override
    def _list_dir(self, prefix: str) -> Listing:
        async def run() -> list[str]:
            return [name async for name in self._inner.list_dir(prefix.rstrip("/"))]

        names = sorted({name.rstrip("/").rpartition("/")[2] for name in _loop.run(run())})
        # zarr-python doesn't say which names are keys and which prefixes.
        whole = self._read_many([(prefix + name, _NOTHING) for name in names])
        keys = [prefix + name for name, found in zip(names, whole, strict=True) if found is not None]
        below = [f"{prefix}{name}/" for name, found in zip(names, whole, strict=True) if found is None]
        return Listing(keys, below)


_NOTHING = Suffix(0)


def as_zarr_python(store: Store) -> Any:
    """`store` as a store that zarr-python 3 takes.

    >>> zarr = __import__("pytest").importorskip("zarr", minversion="3", reason="pip install zarr>=3")
    >>> from zom.stores.memory import MemoryStore
    >>> as_zarr_python(MemoryStore()).supports_writes
    True
    """
    from zom.stores.zarr_bridge import bridge  # noqa: PLC0415 - its classes derive from zarr-python's

    return bridge(store)
