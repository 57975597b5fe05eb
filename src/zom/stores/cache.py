"""A store that caches the values that it reads."""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from zom.dataclass import dataclass
from zom.stores.interface import ByteRange, Snapshot, Store, Versioned, cut
from zom.stores.locks import remake_in_children
from zom.stores.snapshots import ValueSnapshot
from zom.stores.wrap import WrapperStore

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from zom.stores.interface import Part

__all__ = ["CacheStore"]

_OVERHEAD = 200
"""Approximate memory of an entry besides its value: many empty values take memory, too."""


@dataclass(frozen=True, slots=True)
class _Held:
    """The mark of a cached version: it holds the value, which the cache may drop before the next part."""

    value: bytes


class CacheStore(WrapperStore):
    """Caches whole values that were read, up to `max_bytes`, and drops the least recently used first.

    It only notices changes made by others for a key that is locked: use it on data that is not being written.

    >>> from zom.stores.memory import MemoryStore
    >>> inner = MemoryStore({"a": b"1"}); store = CacheStore(inner)
    >>> store.get("a"); inner.delete("a"); store.get("a")
    b'1'
    b'1'
    """

    def __init__(self, inner: Store, *, max_bytes: int = 1 << 28) -> None:
        super().__init__(inner)
        self.max_bytes = max_bytes
        self._values: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0
        self._changes = 0
        self._guard = threading.Lock()
        remake_in_children(self)

    def after_fork(self) -> None:
        """Start empty: the parent's threads may have been in the middle of a change."""
        self._values = OrderedDict()
        self._size = 0
        self._guard = threading.Lock()

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        return (_remake, (self.inner, self.max_bytes))

    # --- the cache ---------------------------------------------------------------------------------

    def _remember(self, key: str, value: bytes | None, changes: int) -> None:
        size = _OVERHEAD + len(value or b"")
        with self._guard:
            # A value read before a change may be outdated.
            if value is None or size > self.max_bytes or changes != self._changes or key in self._values:
                return
            self._values[key] = value
            self._size += size
            while self._size > self.max_bytes:
                _, oldest = self._values.popitem(last=False)
                self._size -= _OVERHEAD + len(oldest)

    @contextmanager
    def _changing(self, keys: Sequence[str] | None) -> Generator[None]:
        """Drop `keys`, or all, before and after the block: a read in it may return either value."""
        self._forget(keys)
        try:
            yield
        finally:
            self._forget(keys)

    def _forget(self, keys: Sequence[str] | None) -> None:
        with self._guard:
            self._changes += 1
            for key in list(self._values) if keys is None else keys:
                old = self._values.pop(key, None)
                if old is not None:
                    self._size -= _OVERHEAD + len(old)

    def _known(self, key: str) -> bytes | None:
        with self._guard:
            found = self._values.get(key)
            if found is not None:
                self._values.move_to_end(key)
            return found

    # --- reading -----------------------------------------------------------------------------------

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        return self._read_many([(key, byte_range)])[0]

    @override
    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        changes = self._changes
        found = [self._known(key) for key, _ in requests]
        asked = [index for index, value in enumerate(found) if value is None]
        answers = self.inner.get_many([requests[index] for index in asked]) if asked else []
        values = [
            None if value is None else cut(value, byte_range)
            for value, (_, byte_range) in zip(found, requests, strict=True)
        ]
        for index, answer in zip(asked, answers, strict=True):
            key, byte_range = requests[index]
            values[index] = answer
            if byte_range is None:
                self._remember(key, answer, changes)
        return values

    @override
    def _read_parts(self, parts: Sequence[Part]) -> list[Versioned | None]:
        found = [self._held(part) for part in parts]
        asked = [index for index, value in enumerate(found) if value is None]
        answers = self.inner.get_parts([parts[index] for index in asked]) if asked else []
        versions: list[Versioned | None] = [
            None if held is None else Versioned(cut(held.value, part.byte_range), held)
            for held, part in zip(found, parts, strict=True)
        ]
        for index, answer in zip(asked, answers, strict=True):
            versions[index] = answer
        return versions

    def _held(self, part: Part) -> _Held | None:
        """Return the value of the part if it is cached, or was when another part of it was read."""
        if part.version is None:
            value = self._known(part.key)
            return None if value is None else _Held(value)
        return part.version if isinstance(part.version, _Held) else None

    @override
    def _read_into(self, key: str, target: memoryview[Any]) -> int | None:
        return Store._read_into(self, key, target)  # noqa: SLF001 - the default reads through the cache

    @override
    def _snapshot(self, key: str) -> Snapshot | None:
        found = self._known(key)
        return super()._snapshot(key) if found is None else ValueSnapshot(self, key, found)

    @contextmanager
    @override
    def _lock(self, key: str) -> Generator[None]:
        with super()._lock(key):
            self._forget([key])
            yield

    # --- writing -----------------------------------------------------------------------------------

    @override
    def _write(self, key: str, value: bytes) -> None:
        with self._changing([key]):
            super()._write(key, value)

    @override
    def _write_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        with self._changing([key for key, _ in items]):
            super()._write_many(items)

    @override
    def _write_partial(self, key: str, start: int, value: bytes) -> None:
        with self._changing([key]):
            super()._write_partial(key, start, value)

    @override
    def _remove(self, key: str) -> None:
        with self._changing([key]):
            super()._remove(key)

    @override
    def _remove_many(self, keys: Sequence[str]) -> None:
        with self._changing(keys):
            super()._remove_many(keys)

    @override
    def _remove_prefix(self, prefix: str) -> None:
        with self._changing(None):
            super()._remove_prefix(prefix)

    @override
    def _create(self, key: str, value: bytes) -> bool:
        with self._changing([key]):
            return super()._create(key, value)

    @override
    def _create_many(self, items: Sequence[tuple[str, bytes]]) -> list[bool]:
        with self._changing([key for key, _ in items]):
            return super()._create_many(items)

    @override
    def _replace(self, key: str, value: bytes, version: Any) -> bool:
        with self._changing([key]):
            return super()._replace(key, value, version)

    @override
    def _rename(self, old: str, new: str) -> None:
        with self._changing(None):
            super()._rename(old, new)

    @override
    def _move(self, key: str, new: str) -> None:
        with self._changing(None):
            super()._move(key, new)


def _remake(inner: Store, max_bytes: int) -> CacheStore:
    return CacheStore(inner, max_bytes=max_bytes)
