"""Values that wait beside a journal or a mark, as a store with their final keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import override

from zom.hierarchy.journal.journal import NEW
from zom.stores.interface import Store
from zom.stores.wrap import PrefixStore, WrapperStore

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.stores.interface import Listing

__all__ = ["Aside"]


class Aside(WrapperStore):
    """A store of keys below the prefix `base`, kept aside until all of them are written.

    >>> from zom.stores.memory import MemoryStore
    >>> store = MemoryStore()
    >>> aside = Aside(store, "a/"); aside.set("a/zarr.json", b"{}")
    >>> list(store.list()), list(aside.list("a/"))
    (['a/.zom.new/zarr.json'], ['a/zarr.json'])
    """

    def __init__(self, store: Store, base: str) -> None:
        super().__init__(PrefixStore(store, base + NEW))
        self.base = base
        self._whole = store

    @property
    @override
    def url(self) -> str:
        return self._whole.url

    @override
    def _path(self, key: str) -> str:
        return key[len(self.base) :]

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        return (self.base + key for key in self.inner.list(self._path(prefix)))

    @override
    def _sizes(self, prefix: str) -> Iterable[tuple[str, int]]:
        return ((self.base + key, size) for key, size in self.inner.sizes(self._path(prefix)))

    @override
    def _list_dir(self, prefix: str) -> Listing:
        return Store._list_dir(self, prefix)  # noqa: SLF001 - by the keys

    @override
    def _rename(self, old: str, new: str) -> None:
        self.inner.rename(self._path(old), self._path(new))
