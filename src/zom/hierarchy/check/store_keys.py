"""Check the keys and chunks of a whole hierarchy: one listing of all keys, then chunks array by array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, cast

from zom.errors import StoreError, ZomError
from zom.hierarchy.check.chunk_keys import KeysOfArray
from zom.hierarchy.check.chunk_rules import NOT_CHECKED, UNLISTED
from zom.hierarchy.check.chunk_values import Progress, ValuesOfArray
from zom.hierarchy.check.expected import joined
from zom.hierarchy.check.loose_keys import LooseKeys
from zom.hierarchy.stored.array_chunks import ArrayPlace
from zom.hierarchy.stored.findings import UNLISTED_GROUP, UNREADABLE, Findings
from zom.hierarchy.stored.tree import spec_of
from zom.model.tree import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zom.hierarchy.check.store import DataScope
    from zom.hierarchy.check.tally import Tally
    from zom.hierarchy.executor import Pool
    from zom.hierarchy.stored.node import StoredNode
    from zom.hierarchy.stored.tree import StoredTree
    from zom.limits import Limits
    from zom.model.spec import Spec
    from zom.stores.interface import Store

__all__ = ["StoreCheck"]

_SOME: Final = 1000
"""The number of keys between calls of `progress`."""


class _CheckedArray(NamedTuple):
    """An array, with the checks of its keys and values."""

    keys: KeysOfArray
    values: ValuesOfArray


class StoreCheck:
    """The check of one hierarchy."""

    def __init__(self, store: Store, tree: StoredTree, tally: Tally, limits: Limits) -> None:
        self._store = store
        self._tree = tree
        self._tally = tally
        self._limits = limits
        specs: dict[str, Spec] = {}
        if tree.spec is not None:
            specs = {joined(tree.path, path): spec for path, spec in walk(cast("Spec", tree.spec))}
        self._arrays: dict[str, _CheckedArray | None] = {}
        """By chunk prefix; None for arrays that can't be checked."""
        for node in tree.root.walk():
            if node.kind != "group":
                prefix = tree.layout.chunk_prefix(node.path)
                self._arrays[prefix] = self._entry(node, specs.get(node.path))

    def _entry(self, node: StoredNode, spec: Spec | None) -> _CheckedArray | None:
        layout = self._tree.layout
        if spec is None:
            spec = spec_of(node, Findings(self._store.url, "lenient", self._limits))
        if spec is None or spec.kind != "array":
            return None  # its document is invalid, which was reported
        try:
            place = ArrayPlace(spec, self._store, node.path, layout)
            chunks = place.open()
        except ZomError as error:
            wanted = "an array whose chunk keys zom knows"
            key = next(iter(layout.keys(node.path, "array")))
            self._tally.add(NOT_CHECKED, node.path, wanted, str(error), key=key)
            return None
        keys = KeysOfArray(chunks, layout, self._tally)
        return _CheckedArray(keys, ValuesOfArray(place, chunks, keys, self._tally))

    def check(
        self, data: DataScope, progress: Callable[[int, int], object] | None, pool: Pool | None
    ) -> None:
        """Check the keys, and the values of chunks as requested by `data`."""
        if self._store.capabilities.listable:
            self.check_keys(progress)
        else:
            self._tally.add(UNLISTED, self._tree.path, "a store that lists its keys", "one that can't")
        if data != "keys":
            self.check_values(progress, pool, decodes=data == "all")

    # --- keys ------------------------------------------------------------------------------------------

    def check_keys(self, progress: Callable[[int, int], object] | None) -> None:
        """Check every key of one listing; the total is not known beforehand."""
        if any(each.code in {UNREADABLE.code, UNLISTED_GROUP.code} for each in self._tree.problems):
            self._check_readable_arrays()
            return
        try:
            self._check_listing(progress)
        except StoreError as error:
            self._note_unlisted(self._tree.path, error)

    def _note_unlisted(self, node: str, error: StoreError) -> None:
        key = error.key.strip("/") or None
        self._tally.add(UNLISTED_GROUP, node, "keys that can be listed", error.reason, key=key)

    def _check_readable_arrays(self) -> None:
        """Check the keys of each array by itself, because a part of the store can't be listed."""
        for prefix, entry in self._arrays.items():
            if entry is None:
                continue
            try:
                for key, size in self._store.sizes(prefix):
                    if self._owner(key) == prefix:
                        entry.keys.take(key, size)
                entry.keys.finish()
            except StoreError as error:
                self._note_unlisted(f"/{prefix[:-1]}", error)

    def _check_listing(self, progress: Callable[[int, int], object] | None) -> None:
        loose = LooseKeys(self._tree, self._tally)
        arrays = self._arrays
        last: str | None = None
        for number, (key, size) in enumerate(self._listed(), 1):
            if last is None or not key.startswith(last):
                last = self._owner(key)
            if last is None:
                loose.take(key)
            elif (entry := arrays[last]) is not None:
                entry.keys.take(key, size)
            if progress is not None and not number % _SOME:
                progress(number, 0)
        loose.finish()
        for entry in arrays.values():
            if entry is not None:
                entry.keys.finish()

    def _listed(self) -> Iterator[tuple[str, int]]:
        layout, path = self._tree.layout, self._tree.root.inner
        is_whole = not layout.implicit_groups or f"{path}/".lstrip("/") == layout.base
        prefixes = (f"{path}/".lstrip("/"),) if is_whole else layout.node_prefixes(path)
        for prefix in prefixes:
            yield from self._store.sizes(prefix)

    def _owner(self, key: str) -> str | None:
        """The chunk prefix of the array that the key is below, or None."""
        end = len(key)
        while end > 0:
            end = key.rfind("/", 0, end)
            prefix = key[: end + 1]
            if prefix in self._arrays:
                return prefix
        return None

    # --- values ----------------------------------------------------------------------------------------

    def check_values(
        self, progress: Callable[[int, int], object] | None, pool: Pool | None, *, decodes: bool
    ) -> None:
        """Check the chunks of each array."""
        entries = [entry for entry in self._arrays.values() if entry is not None]
        total = Progress(progress, sum(entry.keys.count for entry in entries))
        for entry in entries:
            if self._store.capabilities.listable:
                entry.values.check(decodes=decodes, progress=total, pool=pool)
            else:
                entry.values.check_unlisted(decodes=decodes, progress=progress, pool=pool)
