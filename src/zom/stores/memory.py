"""A store in memory, for tests, examples and data that need not outlive the process."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NoReturn

from zom.errors import StoreError
from zom.stores.interface import ByteRange, Capabilities, Store, Versioned, cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["MemoryStore"]


class MemoryStore(Store):
    """Bytes by key, in a dict.

    >>> store = MemoryStore(); store.set("a/0", b"123"); store.get("a/0")
    b'123'
    """

    capabilities = Capabilities(create_if_absent=True, compare_and_set=True, rename=True)

    def __init__(self, data: Mapping[str, bytes] | None = None, *, name: str = "") -> None:
        self._data: dict[str, tuple[bytes, int]] = {}
        self._name = name
        self._version = 0
        self._guard = threading.RLock()
        if data:
            self.set_many(data)

    @property
    def url(self) -> str:
        return f"memory://{self._name}"

    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        found = self._data.get(key)
        return None if found is None else cut(found[0], byte_range)

    def _write(self, key: str, value: bytes) -> None:
        with self._guard:
            self._version += 1
            self._data[key] = (value, self._version)

    def _remove(self, key: str) -> None:
        with self._guard:
            self._data.pop(key, None)

    def _keys(self, prefix: str) -> Iterable[str]:
        with self._guard:
            return [key for key in self._data if key.startswith(prefix)]

    def _create(self, key: str, value: bytes) -> bool:
        with self._guard:
            if key in self._data:
                return False
            self._write(key, value)
            return True

    def _read_version(self, key: str) -> Versioned | None:
        found = self._data.get(key)
        return None if found is None else Versioned(*found)

    def _replace(self, key: str, value: bytes, version: Any) -> bool:
        with self._guard:
            found = self._data.get(key)
            if (None if found is None else found[1]) != version:
                return False
            self._write(key, value)
            return True

    def _rename(self, old: str, new: str) -> None:
        with self._guard:
            moved = {key: self._data.pop(key) for key in self._keys(old)}
            self._data.update({new + key[len(old) :]: value for key, value in moved.items()})

    def __reduce__(self) -> NoReturn:
        # A copy in another process would take writes that nobody ever reads.
        raise StoreError(self.url, "", "pickle", "a store in memory belongs to its process")
