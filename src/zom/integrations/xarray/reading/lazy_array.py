"""A stored array as xarray's `BackendArray`: elements are read on access."""

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
    """The elements of an array; index coordinates are read together, in one batch.

    Pickling keeps the array and drops the batch.
    """

    __slots__ = ("_array", "_batch", "dtype", "shape")

    def __init__(self, array: Array, dtype: np.dtype[Any], batch: IndexBatch | None = None) -> None:
        self._array = array
        self._batch = batch
        self.shape = array.shape
        self.dtype = dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        # All xarray indexes are valid in numpy; xarray's own simplification fails for empty backward slices.
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
        # With an ellipsis, a single element is a 0-d array of the array's own type.
        values: NumpyArray = self._source()[(*key, ...)]
        if self._batch is not None and values.size == self._array.size:
            self._batch.drop(self._array)
            self._batch = None
        return values

    def __reduce__(self) -> tuple[Any, ...]:
        return (LazyArray, (self._array, self.dtype))
