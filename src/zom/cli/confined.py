"""A directory store that symbolic links can't leave.

Web pages of any site can read a served store, so it must not expose other files, whatever its links point to.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from typing_extensions import override

from zom.stores.interface import ByteRange, Listing, Snapshot, Store
from zom.stores.local import LocalStore
from zom.stores.wrap import WrapperStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["ConfinedStore"]


class ConfinedStore(WrapperStore):
    """Another store, for reading, without keys outside of its directory; stores of other kinds keep all keys.

    >>> from zom.stores.memory import MemoryStore
    >>> ConfinedStore(MemoryStore({"a": b"1"})).get("a")
    b'1'
    """

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self._root = inner.root if isinstance(inner, LocalStore) else None
        self._real_root = "" if self._root is None else os.path.realpath(self._root)

    def leads_out(self, key: str) -> bool:
        """Whether the file or directory of a key is outside of the store's directory."""
        if self._root is None:
            return False
        try:
            return not Path(os.path.realpath(self._root / key)).is_relative_to(self._real_root)
        except (OSError, ValueError):
            return True

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        return None if self.leads_out(key) else super()._read(key, byte_range)

    @override
    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        inside = [request for request in requests if not self.leads_out(request[0])]
        found = dict(zip(inside, super()._read_many(inside), strict=True))
        return [found.get(request) for request in requests]

    @override
    def _snapshot(self, key: str) -> Snapshot | None:
        return None if self.leads_out(key) else super()._snapshot(key)

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        return (key for key in super()._keys(prefix) if not self.leads_out(key))

    @override
    def _sizes(self, prefix: str) -> Iterable[tuple[str, int]]:
        return ((key, size) for key, size in super()._sizes(prefix) if not self.leads_out(key))

    @override
    def _list_dir(self, prefix: str) -> Listing:
        found = super()._list_dir(prefix)
        return Listing(
            [key for key in found.keys if not self.leads_out(key)],
            [below for below in found.prefixes if not self.leads_out(below)],
        )
