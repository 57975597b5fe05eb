"""A store that counts and times its operations, for tests and benchmarks."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from zom.dataclass import dataclass
from zom.stores.snapshots import Snapshot
from zom.stores.wrap import WrapperStore

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

    from zom.stores.interface import ByteRange, Listing, Part, Store, Versioned

__all__ = ["Call", "Log", "LoggedStore"]


@dataclass(frozen=True, slots=True)
class Call:
    """One operation of a logged store."""

    verb: str
    keys: tuple[str, ...]
    seconds: float
    bytes: int = 0


@dataclass
class Log:
    """The calls of a logged store, with counts by verb."""

    calls: list[Call] = field(default_factory=list[Call])

    @property
    def counts(self) -> Counter[str]:
        """Number of calls of each verb."""
        return Counter(call.verb for call in self.calls)

    @property
    def keys(self) -> int:
        """Number of keys in all calls."""
        return sum(len(call.keys) for call in self.calls)


class LoggedStore(WrapperStore):
    """Counts and times the operations that it passes on.

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
    def timed(self, verb: str, keys: Sequence[str], size: int = 0) -> Generator[None]:
        """Log the work in the block as one call."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.log.calls.append(Call(verb, tuple(keys), time.perf_counter() - start, size))

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        with self.timed("read", [key]):
            return super()._read(key, byte_range)

    @override
    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        with self.timed("read", [key for key, _ in requests]):
            return super()._read_many(requests)

    @override
    def _read_parts(self, parts: Sequence[Part]) -> list[Versioned | None]:
        with self.timed("read", [part.key for part in parts]):
            return self.inner.get_parts(parts)

    @override
    def _read_into(self, key: str, target: memoryview[Any]) -> int | None:
        with self.timed("read", [key]):
            return super()._read_into(key, target)

    @override
    def _snapshot(self, key: str) -> Snapshot | None:
        with self.timed("open", [key]):
            found = super()._snapshot(key)
        return None if found is None else _LoggedSnapshot(self, key, found)

    @override
    def _write(self, key: str, value: bytes) -> None:
        with self.timed("write", [key], len(value)):
            super()._write(key, value)

    @override
    def _write_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        with self.timed("write", [key for key, _ in items], sum(len(value) for _, value in items)):
            super()._write_many(items)

    @override
    def _remove(self, key: str) -> None:
        with self.timed("delete", [key]):
            super()._remove(key)

    @override
    def _remove_many(self, keys: Sequence[str]) -> None:
        with self.timed("delete", keys):
            super()._remove_many(keys)

    @override
    def _write_partial(self, key: str, start: int, value: bytes) -> None:
        with self.timed("write", [key], len(value)):
            super()._write_partial(key, start, value)

    @override
    def _remove_prefix(self, prefix: str) -> None:
        with self.timed("delete", [prefix]):
            super()._remove_prefix(prefix)

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        with self.timed("list", [prefix]):
            return list(super()._keys(prefix))

    @override
    def _sizes(self, prefix: str) -> Iterable[tuple[str, int]]:
        with self.timed("list", [prefix]):
            return list(super()._sizes(prefix))

    @override
    def _list_dir(self, prefix: str) -> Listing:
        with self.timed("list", [prefix]):
            return super()._list_dir(prefix)

    @override
    def _create(self, key: str, value: bytes) -> bool:
        with self.timed("create", [key], len(value)):
            return super()._create(key, value)

    @override
    def _create_many(self, items: Sequence[tuple[str, bytes]]) -> list[bool]:
        with self.timed("create", [key for key, _ in items], sum(len(value) for _, value in items)):
            return super()._create_many(items)

    @override
    def _read_version(self, key: str) -> Versioned | None:
        with self.timed("read", [key]):
            return super()._read_version(key)

    @override
    def _replace(self, key: str, value: bytes, version: Any) -> bool:
        with self.timed("write", [key], len(value)):
            return super()._replace(key, value, version)

    @contextmanager
    @override
    def _lock(self, key: str) -> Generator[None]:
        with self.timed("lock", [key]), super()._lock(key):
            yield

    @override
    def flush(self) -> None:
        with self.timed("flush", []):
            super().flush()

    @override
    def _rename(self, old: str, new: str) -> None:
        with self.timed("rename", [old, new]):
            super()._rename(old, new)

    @override
    def _move(self, key: str, new: str) -> None:
        with self.timed("move", [key, new]):
            super()._move(key, new)


class _LoggedSnapshot(Snapshot):
    """A snapshot whose reads are logged as reads of the store."""

    def __init__(self, store: LoggedStore, key: str, inner: Snapshot) -> None:
        super().__init__(store, key)
        self._timed = store.timed
        self._inner = inner
        self.size = inner.size
        self.consistent = inner.consistent

    @override
    def _part(self, byte_range: ByteRange | None) -> bytes:
        with self._timed("read", [self._key]):
            return self._inner.get(byte_range)

    @override
    def _parts(self, ranges: Sequence[ByteRange]) -> list[bytes]:
        with self._timed("read", [self._key] * len(ranges)):
            return self._inner.get_many(ranges)

    @override
    def close(self) -> None:
        self._inner.close()
