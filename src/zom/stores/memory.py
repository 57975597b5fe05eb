"""A store in memory, for tests, examples and temporary data."""

from __future__ import annotations

import errno
import threading
from typing import TYPE_CHECKING, Any, NoReturn

from typing_extensions import override

from zom.errors import StoreError
from zom.stores.interface import ByteRange, Capabilities, Listing, Snapshot, Store, Versioned, cut
from zom.stores.key_tree import KeyTree
from zom.stores.locks import remake_in_children
from zom.stores.snapshots import ValueSnapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from typing_extensions import Buffer

__all__ = ["MemoryStore"]


class MemoryStore(Store):
    """Bytes by key, in a dict.

    >>> store = MemoryStore(); store.set("a/0", b"123"); store.get("a/0")
    b'123'
    """

    # No other process has this store: a lock excludes everyone.
    capabilities = Capabilities(
        create_if_absent=True, compare_and_set=True, rename=True, move=True, process_locks=True
    )

    def __init__(self, data: Mapping[str, Buffer] | None = None, *, name: str = "") -> None:
        self._data: dict[str, tuple[bytes, int]] = {}
        self._tree = KeyTree()
        self._name = name
        self._version = 0
        self._guard = threading.RLock()
        remake_in_children(self)
        if data:
            self.set_many(data)

    def after_fork(self) -> None:
        """Forget the lock of the parent's threads."""
        self._guard = threading.RLock()

    @override
    def holds(self, key: str) -> bool:
        return True

    @property
    @override
    def url(self) -> str:
        return f"memory://{self._name}"

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        found = self._data.get(key)
        return None if found is None else cut(found[0], byte_range)

    @override
    def _snapshot(self, key: str) -> Snapshot | None:
        found = self._data.get(key)
        return None if found is None else ValueSnapshot(self, key, found[0])

    @override
    def _write(self, key: str, value: bytes) -> None:
        with self._guard:
            self._version += 1
            if key not in self._data:
                self._tree.add(key)
            self._data[key] = (value, self._version)

    @override
    def _remove(self, key: str) -> None:
        with self._guard:
            if self._data.pop(key, None) is not None:
                self._tree.remove(key)

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        with self._guard:
            return self._tree.below(prefix) if prefix else list(self._data)

    @override
    def _sizes(self, prefix: str) -> Iterable[tuple[str, int]]:
        with self._guard:
            return [(key, len(self._data[key][0])) for key in self._keys(prefix)]

    @override
    def _list_dir(self, prefix: str) -> Listing:
        with self._guard:
            return self._tree.list_dir(prefix)

    @override
    def _create(self, key: str, value: bytes) -> bool:
        with self._guard:
            if key in self._data:
                return False
            self._write(key, value)
            return True

    @override
    def _read_version(self, key: str) -> Versioned | None:
        found = self._data.get(key)
        return None if found is None else Versioned(*found)

    @override
    def _replace(self, key: str, value: bytes, version: Any) -> bool:
        with self._guard:
            found = self._data.get(key)
            if (None if found is None else found[1]) != version:
                return False
            self._write(key, value)
            return True

    @override
    def _rename(self, old: str, new: str) -> None:
        with self._guard:
            # One assignment, so that readers see all keys at the old prefix or all at the new one.
            self._data = {
                new + key[len(old) :] if key.startswith(old) else key: value
                for key, value in self._data.items()
            }
            self._tree = KeyTree(self._data)

    @override
    def _move(self, key: str, new: str) -> None:
        with self._guard:
            if key not in self._data:
                raise FileNotFoundError(errno.ENOENT, "the key to move is missing")
            self._write(new, self._data[key][0])
            self._remove(key)

    @override
    def __reduce__(self) -> NoReturn:
        # A copy in another process would accept writes that are never read.
        raise StoreError(
            self.url,
            "",
            "pickle",
            "a store in memory belongs to its process; use one that processes share, such as a directory",
        )
