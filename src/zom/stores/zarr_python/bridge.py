"""A store of zom behind the interface of zarr-python 3; only imported if zarr-python is installed."""

# ruff: noqa: D102 - zarr-python documents these methods
from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from zom.errors import StoreError
from zom.packages import imported
from zom.stores.interface import ByteRange, Range, Store, Suffix

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

__all__ = ["Bridge"]

# Type checks of zom must work without zarr-python.
_abc: Any = imported("zarr.abc.store", "zarr")
_buffers: Any = imported("zarr.core.buffer", "zarr")


class Bridge(_abc.Store):  # type: ignore[misc] # its type is unknown here
    """Runs every call in a thread, because zom's stores are synchronous."""

    def __init__(self, inner: Store, *, read_only: bool = False) -> None:
        super().__init__(read_only=read_only)  # pyright: ignore[reportUnknownMemberType]
        self.inner = inner

    def with_read_only(self, read_only: bool = False) -> Bridge:  # noqa: FBT001, FBT002 - its signature
        return Bridge(self.inner, read_only=read_only)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Bridge) or self.read_only != other.read_only:
            return False
        recipe = _recipe(self.inner)
        return self.inner is other.inner or (recipe is not None and recipe == _recipe(other.inner))

    def __hash__(self) -> int:
        return hash((type(self.inner), self.inner.url))

    def __str__(self) -> str:
        return self.inner.url

    def __repr__(self) -> str:
        return f"<Bridge of {self.inner!r}>"

    # --- reading -----------------------------------------------------------------------------------

    async def get(self, key: str, prototype: Any = None, byte_range: Any = None) -> Any:
        await self._ready()
        value = await asyncio.to_thread(self.inner.get, key, _range(byte_range))
        return _buffer(value, prototype)

    async def get_partial_values(self, prototype: Any, key_ranges: Iterable[tuple[str, Any]]) -> list[Any]:
        await self._ready()
        requests = [(key, _range(byte_range)) for key, byte_range in key_ranges]
        values = await asyncio.to_thread(self.inner.get_many, requests)
        return [_buffer(value, prototype) for value in values]

    async def exists(self, key: str) -> bool:
        await self._ready()
        return await asyncio.to_thread(self.inner.exists, key)

    async def _ready(self) -> None:
        if not self._is_open:
            await self._open()

    # --- capabilities ------------------------------------------------------------------------------

    @property
    def supports_writes(self) -> bool:
        return self.inner.capabilities.writable

    @property
    def supports_deletes(self) -> bool:
        return self.inner.capabilities.writable

    @property
    def supports_listing(self) -> bool:
        return self.inner.capabilities.listable

    # --- writing -----------------------------------------------------------------------------------

    async def set(self, key: str, value: Any) -> None:
        self._check_writable()
        await self._ready()
        await asyncio.to_thread(self.inner.set, key, _bytes(value))

    async def set_if_not_exists(self, key: str, value: Any) -> None:
        self._check_writable()
        await self._ready()
        await asyncio.to_thread(self.inner.create, key, _bytes(value))

    async def _set_many(self, values: Iterable[tuple[str, Any]]) -> None:
        self._check_writable()
        await self._ready()
        items = [(key, _bytes(value)) for key, value in values]
        await asyncio.to_thread(self.inner.set_many, items)

    async def delete(self, key: str) -> None:
        self._check_writable()
        await self._ready()
        await asyncio.to_thread(self.inner.delete, key)

    async def delete_dir(self, prefix: str) -> None:
        self._check_writable()
        await self._ready()
        below = f"{prefix.rstrip('/')}/" if prefix.strip("/") else ""
        await asyncio.to_thread(self.inner.delete_prefix, below)

    async def clear(self) -> None:
        await self.delete_dir("")

    # --- listing -----------------------------------------------------------------------------------

    async def list(self) -> AsyncIterator[str]:
        await self._ready()
        for key in await asyncio.to_thread(lambda: list(self.inner.list())):
            yield key

    async def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        # zarr-python's prefixes may end within a name; zom's end in a slash.
        await self._ready()
        folder = prefix.rpartition("/")[0]
        below = f"{folder}/" if folder else ""
        for key in await asyncio.to_thread(lambda: list(self.inner.list(below))):
            if key.startswith(prefix):
                yield key

    async def list_dir(self, prefix: str) -> AsyncIterator[str]:
        await self._ready()
        below = f"{prefix.rstrip('/')}/" if prefix.strip("/") else ""
        found = await asyncio.to_thread(self.inner.list_dir, below)
        for name in sorted({path[len(below) :].rstrip("/") for path in (*found.keys, *found.prefixes)}):
            yield name


def _buffer(value: bytes | None, prototype: Any) -> Any:
    made = _buffers.default_buffer_prototype() if prototype is None else prototype
    return None if value is None else made.buffer.from_bytes(value)


def _bytes(value: Any) -> bytes:
    if not isinstance(value, _buffers.Buffer):
        raise TypeError(f"expected a Buffer of zarr-python, got {type(value).__name__}")
    return bytes(value.to_bytes())


def _recipe(store: Store) -> Any:
    """Return the store's pickle recipe, for comparison; None if it can't be pickled or has no recipe."""
    if "__reduce__" not in type(store).__dict__:
        return None
    try:
        return store.__reduce__()
    except StoreError:
        return None


def _range(byte_range: Any) -> ByteRange | None:
    if byte_range is None:
        return None
    if isinstance(byte_range, _abc.RangeByteRequest):
        return Range(byte_range.start, byte_range.end - byte_range.start)
    if isinstance(byte_range, _abc.OffsetByteRequest):
        return Range(byte_range.offset)
    if isinstance(byte_range, _abc.SuffixByteRequest):
        return Suffix(byte_range.suffix)
    raise TypeError(f"Unexpected byte_range, got {byte_range!r}")
