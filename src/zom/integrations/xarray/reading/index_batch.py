"""The index coordinates of a dataset or tree: one batch of requests reads the chunks of all of them.

xarray reads them one by one as soon as a dataset is open. On a store with latency, the first read fetches all
of them; the bytes are kept until each coordinate is read.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from typing_extensions import override

from zom.engine.selection import basic_or_numpy
from zom.engine.split import walk
from zom.errors import ZomError
from zom.handles.array import Array
from zom.stores.interface import Store, Versioned, cut
from zom.stores.wrap import WrapperStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from zom.stores.interface import ByteRange, Part, Snapshot

__all__ = ["IndexBatch"]

_MOST: Final = 1 << 26
"""Limit of decoded bytes for all coordinates of a batch; coordinates that don't fit are read separately."""


class IndexBatch:
    """Coordinates that are read together, on the first read of any of them.

    >>> import zom
    >>> spec = zom.v3.ArraySpec.build(shape=(4,), dtype="int8", fill_value=7)
    >>> array = zom.create_array("memory:", spec)
    >>> batch = IndexBatch(array.store)
    >>> batch.add(array, 1), batch.source(array) is array
    (False, True)
    """

    def __init__(self, store: Store) -> None:
        # A store without latency gains nothing.
        self._room = _MOST if store.capabilities.parallel > 1 else 0
        self._store = store
        self._waiting: list[Array] = []
        self._found: dict[str, Array] = {}
        self._lock = threading.Lock()

    def add(self, array: Array, itemsize: int) -> bool:
        """Add an array if it fits; return whether it is read with the others."""
        nbytes = array.size * itemsize
        if not 0 < nbytes <= self._room:
            return False
        self._room -= nbytes
        self._waiting.append(array)
        return True

    def source(self, array: Array) -> Array:
        """Return the array to read elements from: `array` itself, or its prefetched copy."""
        with self._lock:
            if self._waiting:
                waiting, self._waiting = self._waiting, []
                self._found = self._fetched(waiting)
            return self._found.get(array.path, array)

    def drop(self, array: Array) -> None:
        """Discard the prefetched bytes of `array`."""
        with self._lock:
            self._found.pop(array.path, None)

    def _fetched(self, arrays: Sequence[Array]) -> dict[str, Array]:
        keys = [key for array in arrays for key in _keys(array)]
        try:
            values = self._store.get_many(keys)
        except ZomError:
            return {}  # then each is read separately, and the broken one raises
        store = _Fetched(self._store, dict(zip(keys, values, strict=True)))
        return {array.path: Array(array.spec, store, array.path, array.layout) for array in arrays}


def _keys(array: Array) -> Iterator[str]:
    """Return the keys of all chunks of an array."""
    chunks = array.chunk_access
    index = basic_or_numpy((), array.shape).index
    return walk(index, chunks.plan.axes).keys(chunks.plan.keys, chunks.prefix)


class _Fetched(WrapperStore):
    """A store with some prefetched values."""

    def __init__(self, inner: Store, values: Mapping[str, bytes | None]) -> None:
        super().__init__(inner)
        self.capabilities = replace(inner.capabilities, parallel=1, writable=False)
        self._values = values

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        if key not in self._values:
            return self.inner.get(key, byte_range)
        value = self._values[key]
        return None if value is None else cut(value, byte_range)

    @override
    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        return [self._read(key, byte_range) for key, byte_range in requests]

    @override
    def _read_parts(self, parts: Sequence[Part]) -> list[Versioned | None]:
        made: list[Versioned | None] = []
        for part in parts:
            if part.key in self._values:
                value = self._read(part.key, part.byte_range)
                made.append(None if value is None else Versioned(value, None))
            else:
                made += self.inner.get_parts([part])
        return made

    @override
    def _read_into(self, key: str, target: memoryview[Any]) -> int | None:
        return Store._read_into(self, key, target)  # noqa: SLF001 - as for stores that have only `_read`

    @override
    def _snapshot(self, key: str) -> Snapshot | None:
        return Store._snapshot(self, key)  # noqa: SLF001 - as above
