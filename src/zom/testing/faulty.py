"""A store that fails on demand, for tests of everything that uses a store."""

from __future__ import annotations

import errno
import os
import threading
import time
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from typing_extensions import override

from zom.stores.interface import ByteRange, Listing, Store, Versioned
from zom.stores.locks import remake_in_children
from zom.stores.snapshots import Snapshot
from zom.stores.wrap import WrapperStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["FaultyStore", "Mishap"]

T = TypeVar("T")

Mishap = Literal["fail", "fail after", "delay", "shorten", "duplicate"]
"""What happens to an operation: it fails before it is done; it is done, but the answer is lost; it is slow;
the second half of the data is missing; it is done twice, as by a client that retries."""


class FaultyStore(WrapperStore):
    """Passes everything on, except the n-th operations, counted from 0, in `mishaps`.

    A batch counts as one operation per key. `operations` lists those so far, so that a test can make each of
    them fail in turn.

    >>> from zom.stores.memory import MemoryStore
    >>> store = FaultyStore(MemoryStore(), {1: "fail"}); store.set("a", b"1")
    >>> store.set("a", b"2")
    Traceback (most recent call last):
    zom.errors.StoreError: memory://: cannot write 'a': input/output error; check the disk, then try again
    >>> store.get("a"), store.operations
    (b'1', [('write', 'a'), ('write', 'a'), ('read', 'a')])
    """

    def __init__(
        self,
        inner: Store,
        mishaps: Mapping[int, Mishap] | None = None,
        *,
        error: int = errno.EIO,
        delay: float = 0.01,
    ) -> None:
        super().__init__(inner)
        self.mishaps: dict[int, Mishap] = dict(mishaps or {})
        self.operations: list[tuple[str, str]] = []
        self._error = error
        self._delay = delay
        self._guard = threading.Lock()
        remake_in_children(self)

    def after_fork(self) -> None:
        """Replace the lock of the parent's threads."""
        self._guard = threading.Lock()

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        return (FaultyStore, (self.inner, self.mishaps))

    def next(self, mishap: Mishap, after: int = 0) -> None:
        """Let `mishap` happen to the next operation, or the one `after` that many others."""
        self.mishaps[len(self.operations) + after] = mishap

    def done(self, verb: str, key: str, act: Callable[[], T]) -> T:
        """The result of `act()`, unless something happens to the operation."""
        with self._guard:
            mishap = self.mishaps.get(len(self.operations))
            self.operations.append((verb, key))
        if mishap == "fail":
            raise OSError(self._error, os.strerror(self._error))
        if mishap == "delay":
            time.sleep(self._delay)
        if mishap == "duplicate":
            act()
        answer = act()
        if mishap == "fail after":
            raise OSError(self._error, os.strerror(self._error))
        if mishap == "shorten" and isinstance(answer, bytes):
            return answer[: len(answer) // 2]  # type: ignore[return-value] # pyright: ignore[reportReturnType]
        return answer

    def _short(self, value: bytes) -> bytes:
        """The part of `value` that reaches the inner store in the next operation."""
        return value[: len(value) // 2] if self.mishaps.get(len(self.operations)) == "shorten" else value

    # --- reading -----------------------------------------------------------------------------------

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        return self.done("read", key, lambda: self.inner.get(key, byte_range))

    @override
    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        return Store._read_many(self, requests)  # noqa: SLF001 - one operation for each key

    @override
    def _read_into(self, key: str, target: memoryview[Any]) -> int | None:
        return Store._read_into(self, key, target)  # noqa: SLF001 - an operation that may be shortened

    @override
    def _snapshot(self, key: str) -> Snapshot | None:
        found = self.done("open", key, lambda: self.inner.open_snapshot(key))
        return None if found is None else _FaultySnapshot(self, key, found)

    @override
    def _read_version(self, key: str) -> Versioned | None:
        return self.done("read", key, lambda: self.inner.get_version(key))

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        return self.done("list", prefix, lambda: list(self.inner.list(prefix)))

    @override
    def _sizes(self, prefix: str) -> Iterable[tuple[str, int]]:
        return self.done("list", prefix, lambda: list(self.inner.sizes(prefix)))

    @override
    def _list_dir(self, prefix: str) -> Listing:
        return self.done("list", prefix, lambda: self.inner.list_dir(prefix))

    # --- writing -----------------------------------------------------------------------------------

    @override
    def _write(self, key: str, value: bytes) -> None:
        value = self._short(value)
        self.done("write", key, lambda: self.inner.set(key, value))

    @override
    def _write_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        Store._write_many(self, items)  # noqa: SLF001 - as above

    @override
    def _write_partial(self, key: str, start: int, value: bytes) -> None:
        value = self._short(value)
        self.done("write", key, lambda: self.inner.set_partial(key, start, value))

    @override
    def _remove(self, key: str) -> None:
        self.done("delete", key, lambda: self.inner.delete(key))

    @override
    def _remove_many(self, keys: Sequence[str]) -> None:
        Store._remove_many(self, keys)  # noqa: SLF001 - as above

    @override
    def _remove_prefix(self, prefix: str) -> None:
        Store._remove_prefix(self, prefix)  # noqa: SLF001 - as above

    @override
    def _create(self, key: str, value: bytes) -> bool:
        value = self._short(value)
        return self.done("create", key, lambda: self.inner.create(key, value))

    @override
    def _create_many(self, items: Sequence[tuple[str, bytes]]) -> list[bool]:
        return Store._create_many(self, items)  # noqa: SLF001 - as above

    @override
    def _replace(self, key: str, value: bytes, version: Any) -> bool:
        value = self._short(value)
        return self.done("write", key, lambda: self.inner.replace(key, value, version))

    @override
    def _rename(self, old: str, new: str) -> None:
        self.done("rename", old, lambda: self.inner.rename(old, new))

    @override
    def _move(self, key: str, new: str) -> None:
        self.done("move", key, lambda: self.inner.move(key, new))

    @override
    def flush(self) -> None:
        with self._told("", "flush"):
            self.done("flush", "", self.inner.flush)


class _FaultySnapshot(Snapshot):
    """A snapshot for which each part that is read counts as an operation of the store."""

    def __init__(self, store: FaultyStore, key: str, inner: Snapshot) -> None:
        super().__init__(store, key)
        self._done = store.done
        self._inner = inner
        self.size = inner.size
        self.consistent = inner.consistent

    @override
    def _part(self, byte_range: ByteRange | None) -> bytes:
        return self._done("read", self._key, lambda: self._inner.get(byte_range))

    @override
    def close(self) -> None:
        self._inner.close()
