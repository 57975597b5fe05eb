"""Stores around other stores: read-only or below a prefix, and their base class."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from zom.paths import check_stored_prefix
from zom.problems import pointer_of
from zom.stores.interface import (
    ByteRange,
    Capabilities,
    Listing,
    Obstacle,
    Part,
    Snapshot,
    Store,
    Versioned,
    Wanted,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from zom.problems import Problem
    from zom.stores.backend import Backend, Origin
    from zom.stores.oddities import Oddity

__all__ = ["PrefixStore", "ReadOnlyStore", "WrapperStore"]


class WrapperStore(Store):
    """A store that passes every call on to another: the base class of wrappers.

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

    @property
    @override
    def place(self) -> str:
        return self.inner.place if self.url == self.inner.url else f"{self.inner.place} {self.url}"

    @property
    @override
    def oddities(self) -> Sequence[Oddity]:
        """Those of the inner store."""
        return self.inner.oddities

    @property
    @override
    def losses(self) -> Sequence[Problem]:
        """Those of the inner store."""
        return self.inner.losses

    @property
    @override
    def uncommitted(self) -> Mapping[str, Sequence[Sequence[int]]]:
        """Those of the inner store."""
        return self.inner.uncommitted

    @override
    def absorb(self, other: Backend) -> None:
        self.inner.absorb(other.inner if isinstance(other, WrapperStore) else other)

    @override
    def origin(self, prefix: str) -> Origin:
        return self.inner.origin(self._path(prefix))

    def _path(self, key: str) -> str:
        """Return the inner store's name for `key`."""
        return key

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        return self.inner.get(self._path(key), byte_range)

    @override
    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        return self.inner.get_many([(self._path(key), byte_range) for key, byte_range in requests])

    @override
    def _read_parts(self, parts: Sequence[Part]) -> list[Versioned | None]:
        if all(getattr(type(self), name) is getattr(WrapperStore, name) for name in ("_read", "_read_many")):
            return self.inner.get_parts([part._replace(key=self._path(part.key)) for part in parts])
        return super()._read_parts(parts)  # a subclass that changes bytes changes them here, too

    @override
    def _read_into(self, key: str, target: memoryview[Any]) -> int | None:
        return self.inner.get_into(self._path(key), target)

    @override
    def _snapshot(self, key: str) -> Snapshot | None:
        return self.inner.open_snapshot(self._path(key))

    @override
    def _write(self, key: str, value: bytes) -> None:
        self.inner.set(self._path(key), value)

    @override
    def _write_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        self.inner.set_many([(self._path(key), value) for key, value in items])

    @override
    def _writing(self, *, helps: bool) -> AbstractContextManager[None]:
        return self.inner.writing(helps=helps)

    @override
    def _write_partial(self, key: str, start: int, value: bytes) -> None:
        self.inner.set_partial(self._path(key), start, value)

    @override
    def _remove(self, key: str) -> None:
        self.inner.delete(self._path(key))

    @override
    def _remove_many(self, keys: Sequence[str]) -> None:
        self.inner.delete_many([self._path(key) for key in keys])

    @override
    def _remove_prefix(self, prefix: str) -> None:
        self.inner.delete_prefix(self._path(prefix))

    @override
    def _prune(self, prefix: str) -> None:
        self.inner.prune(self._path(prefix))

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        return self.inner.list(prefix)

    @override
    def _sizes(self, prefix: str) -> Iterable[tuple[str, int]]:
        return self.inner.sizes(prefix)

    @override
    def _list_dir(self, prefix: str) -> Listing:
        return self.inner.list_dir(prefix)

    @override
    def _lists_by_scan(self) -> bool:
        return self.inner.lists_by_scan

    @override
    def _create(self, key: str, value: bytes) -> bool:
        return self.inner.create(self._path(key), value)

    @override
    def _create_many(self, items: Sequence[tuple[str, bytes]]) -> list[bool]:
        return self.inner.create_many({self._path(key): value for key, value in items})

    @override
    def _read_version(self, key: str) -> Versioned | None:
        return self.inner.get_version(self._path(key))

    @override
    def _replace(self, key: str, value: bytes, version: Any) -> bool:
        return self.inner.replace(self._path(key), value, version)

    @override
    def _rename(self, old: str, new: str) -> None:
        self.inner.rename(old, new)

    @override
    def holds(self, key: str) -> bool:
        return self.inner.holds(self._path(key))

    @property
    @override
    def folds_names(self) -> bool:
        return self.inner.folds_names

    @override
    def _obstacles(self, wanted: Wanted) -> Iterable[Obstacle]:
        return self.inner.obstacles(wanted)

    @override
    def _move(self, key: str, new: str) -> None:
        self.inner.move(self._path(key), self._path(new))

    @override
    def _lock(self, key: str) -> AbstractContextManager[None]:
        return self.inner.lock(self._path(key))

    @override
    def _presence(self, key: str) -> AbstractContextManager[None]:
        # `self.lock` covers subclasses that change keys or locks; without locks, the inner store decides.
        return self.lock(key) if self.capabilities.process_locks else self.inner.presence(self._path(key))

    @override
    def _excluding(self, key: str) -> AbstractContextManager[None]:
        """Nothing: the inner store does this."""
        return nullcontext()

    @override
    def flush(self) -> None:
        self.inner.flush()

    @override
    def sweep(self) -> int:
        self._check_writable("", "sweep")
        return self.inner.sweep()

    @override
    def close(self) -> None:
        self.inner.close()


class ReadOnlyStore(WrapperStore):
    """A read-only view of a store.

    >>> from zom.stores.memory import MemoryStore
    >>> ReadOnlyStore(MemoryStore()).capabilities.writable
    False
    """

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self.capabilities = replace(inner.capabilities, writable=False)

    @override
    def flush(self) -> None:
        """Nothing: nothing was written here."""


class PrefixStore(WrapperStore):
    """The keys below a prefix of another store, as a store.

    >>> from zom.stores.memory import MemoryStore
    >>> PrefixStore(MemoryStore({"data/a": b"1", "b": b"2"}), "data/").get("a")
    b'1'
    """

    def __init__(self, inner: Store, prefix: str) -> None:
        super().__init__(inner)
        self.prefix = check_stored_prefix(prefix)

    @property
    @override
    def url(self) -> str:
        return f"{self.inner.url.rstrip('/')}/{self.prefix.rstrip('/')}"

    @property
    @override
    def losses(self) -> Sequence[Problem]:
        """Those below the prefix, with paths relative to it."""
        names = self.prefix.rstrip("/").split("/")
        start, pointer = (
            "/".join(("", *names)),
            pointer_of(step for name in names for step in ("members", name)),
        )
        return [
            replace(loss, node=loss.node[len(start) :] or "/", pointer=loss.pointer.removeprefix(pointer))
            for loss in self.inner.losses
            if f"{loss.node}/".startswith(f"{start}/")
        ]

    @property
    @override
    def uncommitted(self) -> Mapping[str, Sequence[Sequence[int]]]:
        """Those below the prefix, by paths relative to it."""
        start = f"/{self.prefix.rstrip('/')}"
        return {
            path[len(start) :] or "/": chunks
            for path, chunks in self.inner.uncommitted.items()
            if f"{path}/".startswith(f"{start}/")
        }

    @override
    def _path(self, key: str) -> str:
        return self.prefix + key

    @override
    def _claim(self, key: str, value: bytes) -> bool | None:
        return self.inner.claim(self._path(key), value)

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        return (key[len(self.prefix) :] for key in self.inner.list(self.prefix + prefix))

    @override
    def _sizes(self, prefix: str) -> Iterable[tuple[str, int]]:
        start = len(self.prefix)
        return ((key[start:], size) for key, size in self.inner.sizes(self.prefix + prefix))

    @override
    def _list_dir(self, prefix: str) -> Listing:
        found = self.inner.list_dir(self.prefix + prefix)
        start = len(self.prefix)
        return Listing([key[start:] for key in found.keys], [below[start:] for below in found.prefixes])

    @override
    def _obstacles(self, wanted: Wanted) -> Iterable[Obstacle]:
        start = len(self.prefix)
        found = self.inner.obstacles(wanted.prefixed(self.prefix))
        return (each._replace(key=each.key[start:]) for each in found)

    @override
    def _rename(self, old: str, new: str) -> None:
        self.inner.rename(self.prefix + old, self.prefix + new)
