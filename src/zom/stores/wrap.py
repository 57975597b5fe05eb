"""Stores around other stores: read-only, under a prefix, cached, logged."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from zom.paths import check_prefix
from zom.stores.interface import ByteRange, Capabilities, Listing, Store, Versioned, cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["CacheStore", "Call", "LoggedStore", "PrefixStore", "ReadOnlyStore", "WrapperStore"]


class WrapperStore(Store):
    """A store that passes everything on to another; others are made from it.

    >>> from zom.stores.memory import MemoryStore
    >>> WrapperStore(MemoryStore({"a": b"1"})).get("a")
    b'1'
    """

    def __init__(self, inner: Store) -> None:
        self.inner = inner
        self.capabilities: Capabilities = inner.capabilities

    @property
    @override
    def url(self) -> str:
        return self.inner.url

    def _path(self, key: str) -> str:
        """What the inner store calls `key`."""
        return key

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        return self.inner.get(self._path(key), byte_range)

    @override
    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        return self.inner.get_many([(self._path(key), byte_range) for key, byte_range in requests])

    @override
    def _write(self, key: str, value: bytes) -> None:
        self.inner.set(self._path(key), value)

    @override
    def _write_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        self.inner.set_many([(self._path(key), value) for key, value in items])

    @override
    def _remove(self, key: str) -> None:
        self.inner.delete(self._path(key))

    @override
    def _remove_many(self, keys: Sequence[str]) -> None:
        self.inner.delete_many([self._path(key) for key in keys])

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        return self.inner.list(prefix)

    @override
    def _list_dir(self, prefix: str) -> Listing:
        return self.inner.list_dir(prefix)

    @override
    def _create(self, key: str, value: bytes) -> bool:
        return self.inner.create(self._path(key), value)

    @override
    def _read_version(self, key: str) -> Versioned | None:
        return self.inner.get_version(self._path(key))

    @override
    def _replace(self, key: str, value: bytes, version: Any) -> bool:
        return self.inner.replace(self._path(key), value, version)

    @override
    def _rename(self, old: str, new: str) -> None:
        self.inner.rename(old, new)

    @contextmanager
    @override
    def _lock(self, key: str) -> Iterator[None]:
        with self.inner.lock(self._path(key)):
            yield

    @override
    def flush(self) -> None:
        self.inner.flush()

    @override
    def close(self) -> None:
        self.inner.close()


class ReadOnlyStore(WrapperStore):
    """A store that can't be changed through this door.

    >>> from zom.stores.memory import MemoryStore
    >>> ReadOnlyStore(MemoryStore()).capabilities.writable
    False
    """

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self.capabilities = replace(inner.capabilities, writable=False)


class PrefixStore(WrapperStore):
    """What lies below a prefix of another store, as a store.

    >>> from zom.stores.memory import MemoryStore
    >>> PrefixStore(MemoryStore({"data/a": b"1", "b": b"2"}), "data/").get("a")
    b'1'
    """

    def __init__(self, inner: Store, prefix: str) -> None:
        super().__init__(inner)
        self.prefix = check_prefix(prefix)

    @property
    @override
    def url(self) -> str:
        return f"{self.inner.url.rstrip('/')}/{self.prefix.rstrip('/')}"

    @override
    def _path(self, key: str) -> str:
        return self.prefix + key

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        return (key[len(self.prefix) :] for key in self.inner.list(self.prefix + prefix))

    @override
    def _list_dir(self, prefix: str) -> Listing:
        found = self.inner.list_dir(self.prefix + prefix)
        start = len(self.prefix)
        return Listing([key[start:] for key in found.keys], [below[start:] for below in found.prefixes])

    @override
    def _rename(self, old: str, new: str) -> None:
        self.inner.rename(self.prefix + old, self.prefix + new)


class CacheStore(WrapperStore):
    """Remembers whole values that were read, up to a number of bytes, the oldest forgotten first.

    What others change behind it is not noticed: use it on data that is not being written.

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
        self._guard = threading.Lock()

    def _remember(self, key: str, value: bytes | None) -> None:
        self._forget(key)
        if value is None or len(value) > self.max_bytes:
            return
        with self._guard:
            self._values[key] = value
            self._size += len(value)
            while self._size > self.max_bytes:
                _, oldest = self._values.popitem(last=False)
                self._size -= len(oldest)

    def _forget(self, key: str) -> None:
        with self._guard:
            old = self._values.pop(key, None)
            self._size -= len(old) if old is not None else 0

    def _known(self, key: str) -> bytes | None:
        with self._guard:
            found = self._values.get(key)
            if found is not None:
                self._values.move_to_end(key)
            return found

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        return self._read_many([(key, byte_range)])[0]

    @override
    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
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
                self._remember(key, answer)
        return values

    @override
    def _write(self, key: str, value: bytes) -> None:
        self._forget(key)
        try:
            self.inner.set(key, value)
        finally:
            self._forget(key)

    @override
    def _write_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        try:
            self.inner.set_many(items)
        finally:
            for key, _ in items:
                self._forget(key)

    @override
    def _remove(self, key: str) -> None:
        self._remove_many([key])

    @override
    def _remove_many(self, keys: Sequence[str]) -> None:
        try:
            self.inner.delete_many(keys)
        finally:
            for key in keys:
                self._forget(key)

    @override
    def _create(self, key: str, value: bytes) -> bool:
        self._forget(key)
        return self.inner.create(key, value)

    @override
    def _replace(self, key: str, value: bytes, version: Any) -> bool:
        try:
            return self.inner.replace(key, value, version)
        finally:
            self._forget(key)

    @override
    def _rename(self, old: str, new: str) -> None:
        try:
            self.inner.rename(old, new)
        finally:
            with self._guard:
                self._values.clear()
                self._size = 0


@dataclass(frozen=True, slots=True)
class Call:
    """One operation that reached a logged store."""

    verb: str
    keys: tuple[str, ...]
    seconds: float
    bytes: int = 0


@dataclass
class Log:
    """The calls of a logged store, and how many of each verb there were."""

    calls: list[Call] = field(default_factory=list)

    @property
    def counts(self) -> Counter[str]:
        """How many calls of each verb there were."""
        return Counter(call.verb for call in self.calls)

    @property
    def keys(self) -> int:
        """How many keys all calls asked for."""
        return sum(len(call.keys) for call in self.calls)


class LoggedStore(WrapperStore):
    """Counts and times what it passes on.

    >>> from zom.stores.memory import MemoryStore
    >>> store = LoggedStore(MemoryStore()); store.set("a", b"1"); store.get_many(["a", "b"])
    [b'1', None]
    >>> dict(store.log.counts)
    {'write': 1, 'read': 1}
    """

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self.log = Log()

    @contextmanager
    def _timed(self, verb: str, keys: Sequence[str], size: int = 0) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.log.calls.append(Call(verb, tuple(keys), time.perf_counter() - start, size))

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        with self._timed("read", [key]):
            return super()._read(key, byte_range)

    @override
    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        with self._timed("read", [key for key, _ in requests]):
            return super()._read_many(requests)

    @override
    def _write(self, key: str, value: bytes) -> None:
        with self._timed("write", [key], len(value)):
            super()._write(key, value)

    @override
    def _write_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        with self._timed("write", [key for key, _ in items], sum(len(value) for _, value in items)):
            super()._write_many(items)

    @override
    def _remove(self, key: str) -> None:
        with self._timed("delete", [key]):
            super()._remove(key)

    @override
    def _remove_many(self, keys: Sequence[str]) -> None:
        with self._timed("delete", keys):
            super()._remove_many(keys)

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        with self._timed("list", [prefix]):
            return list(super()._keys(prefix))

    @override
    def _list_dir(self, prefix: str) -> Listing:
        with self._timed("list", [prefix]):
            return super()._list_dir(prefix)

    @override
    def _create(self, key: str, value: bytes) -> bool:
        with self._timed("create", [key], len(value)):
            return super()._create(key, value)

    @override
    def _read_version(self, key: str) -> Versioned | None:
        with self._timed("read", [key]):
            return super()._read_version(key)

    @override
    def _replace(self, key: str, value: bytes, version: Any) -> bool:
        with self._timed("write", [key], len(value)):
            return super()._replace(key, value, version)

    @override
    def _rename(self, old: str, new: str) -> None:
        with self._timed("rename", [old, new]):
            super()._rename(old, new)
