"""A store of zom behind the interface of zarr-python 3; imported where zarr-python is there."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from typing_extensions import override
from zarr.abc.store import (  # type: ignore[import-not-found,unused-ignore]
    OffsetByteRequest,
    RangeByteRequest,
    Store as ZarrStore,
    SuffixByteRequest,
)

from zom.stores.interface import ByteRange, Range, Store, Suffix

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

__all__ = ["bridge"]


class _Bridge(ZarrStore):  # type: ignore[misc,unused-ignore]
    """Hands every call to a thread: zom's stores are synchronous."""

    def __init__(self, inner: Store, *, read_only: bool) -> None:
        super().__init__(read_only=read_only)
        self.inner = inner

    @override
    def with_read_only(self, read_only: bool = False) -> _Bridge:  # noqa: FBT001, FBT002 - zarr-python's signature
        return _Bridge(self.inner, read_only=read_only)

    @override
    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Bridge) and other.inner is self.inner

    @override
    def __hash__(self) -> int:
        return hash(id(self.inner))

    @override
    async def get(self, key: str, prototype: Any, byte_range: Any = None) -> Any:
        value = await asyncio.to_thread(self.inner.get, key, _range(byte_range))
        return None if value is None else prototype.buffer.from_bytes(value)

    @override
    async def get_partial_values(self, prototype: Any, key_ranges: Iterable[tuple[str, Any]]) -> list[Any]:
        requests = [(key, _range(byte_range)) for key, byte_range in key_ranges]
        values = await asyncio.to_thread(self.inner.get_many, requests)
        return [None if value is None else prototype.buffer.from_bytes(value) for value in values]

    @override
    async def exists(self, key: str) -> bool:
        return await asyncio.to_thread(self.inner.exists, key)

    @property
    @override
    def supports_writes(self) -> bool:
        return self.inner.capabilities.writable

    @property
    @override
    def supports_deletes(self) -> bool:
        return self.inner.capabilities.writable

    @property
    @override
    def supports_listing(self) -> bool:
        return self.inner.capabilities.listable

    @override
    async def set(self, key: str, value: Any) -> None:
        self._check_writable()
        await asyncio.to_thread(self.inner.set, key, value.to_bytes())

    @override
    async def set_if_not_exists(self, key: str, value: Any) -> None:
        self._check_writable()
        await asyncio.to_thread(self.inner.create, key, value.to_bytes())

    @override
    async def delete(self, key: str) -> None:
        self._check_writable()
        await asyncio.to_thread(self.inner.delete, key)

    @override
    async def list(self) -> AsyncIterator[str]:
        for key in await asyncio.to_thread(lambda: list(self.inner.list())):
            yield key

    @override
    async def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        # zarr-python's prefixes may end within a name; zom's end in a slash.
        folder = prefix.rpartition("/")[0]
        below = f"{folder}/" if folder else ""
        for key in await asyncio.to_thread(lambda: list(self.inner.list(below))):
            if key.startswith(prefix):
                yield key

    @override
    async def list_dir(self, prefix: str) -> AsyncIterator[str]:
        below = f"{prefix.rstrip('/')}/" if prefix else ""
        found = await asyncio.to_thread(self.inner.list_dir, below)
        for path in (*found.keys, *found.prefixes):
            yield path[len(below) :].rstrip("/")


def _range(byte_range: Any) -> ByteRange | None:
    if isinstance(byte_range, RangeByteRequest):
        return Range(byte_range.start, byte_range.end - byte_range.start)
    if isinstance(byte_range, OffsetByteRequest):
        return Range(byte_range.offset)
    if isinstance(byte_range, SuffixByteRequest):
        return Suffix(byte_range.suffix)
    return None


def bridge(store: Store) -> Any:
    """`store` as a store of zarr-python."""
    return _Bridge(store, read_only=not store.capabilities.writable)
