"""An array of a store as xarray's `BackendArray`: elements are read when they are asked for."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from typing_extensions import override
from xarray.backends.common import BackendArray
from xarray.core import indexing

if TYPE_CHECKING:
    import numpy as np

    from zom.extension.bound import Array as NumpyArray
    from zom.handles.array import Array
    from zom.integrations.xarray.reading.index_batch import IndexBatch

__all__ = ["LazyArray"]


class LazyArray(BackendArray):
    """The elements of an array; those of index coordinates come with all others of these.

    A pickled one knows its array, and nothing of what was read together.
    """

    __slots__ = ("_array", "_batch", "dtype", "shape")

    def __init__(self, array: Array, dtype: np.dtype[Any], batch: IndexBatch | None = None) -> None:
        self._array = array
        self._batch = batch
        self.shape = array.shape
        self.dtype = dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        # All of xarray's indexes are numpy's; xarray's own way to simplify them fails for empty backward slices.
        if isinstance(key, indexing.VectorizedIndexer):
            return self._source().vindex[key.tuple]
        if isinstance(key, indexing.OuterIndexer):
            return self._source().oindex[key.tuple]
        return self._basic(key.tuple)

    @override
    async def async_getitem(self, key: indexing.ExplicitIndexer) -> Any:
        return await asyncio.to_thread(self.__getitem__, key)

    def _source(self) -> Array:
        batch = self._batch
        return self._array if batch is None else batch.source(self._array)

    def _basic(self, key: tuple[Any, ...]) -> NumpyArray:
        # With an ellipsis a single element is an array without dimensions, of the array's own type.
        values: NumpyArray = self._source()[(*key, ...)]
        if self._batch is not None and values.size == self._array.size:
            self._batch.drop(self._array)
            self._batch = None
        return values

    def __reduce__(self) -> tuple[Any, ...]:
        return (LazyArray, (self._array, self.dtype))
