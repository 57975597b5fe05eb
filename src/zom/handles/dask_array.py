"""Arrays as dask arrays: each task reads its part of the array when dask computes it.

dask is imported on first use.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from zom.packages import imported

if TYPE_CHECKING:
    from zom.handles.array import Array

__all__ = ["lengths", "to_dask"]

_WAYS = ("auto", "native", "shards")


def to_dask(array: Array, chunks: Any = "auto") -> Any:
    """The array as a dask array; see `Array.to_dask`.

    >>> import zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(6,), dtype="int8", chunks=(2,)))
    >>> to_dask(array, "native").chunks
    ((2, 2, 2),)
    """
    dask: Any = imported("dask.array", "dask")
    if isinstance(chunks, str) and chunks not in _WAYS:
        raise ValueError(
            f'chunks: expected "auto", "native", "shards", or chunks in the form of dask, got {chunks!r}'
        )
    wanted = _chosen(array, chunks, dask.core.normalize_chunks)
    # One thread per task: dask has its own threads.
    reader = array.as_reader(threads=1)
    meta = np.empty((0,) * array.ndim, array.dtype)
    # Inline in each task: as a separate task, all others would wait for it.
    return dask.from_array(reader, wanted, meta=meta, inline_array=True)


def _chosen(array: Array, chunks: Any, normalized: Any) -> Any:
    """The chunks of the dask array."""
    native = lengths(array.chunks, array.shape)
    stored = lengths(array.shards or array.chunks, array.shape)
    if not isinstance(chunks, str):
        return normalized(chunks, array.shape, dtype=array.dtype, previous_chunks=stored)
    # dask can't estimate how many strings fit into memory.
    if chunks == "shards" or (chunks == "auto" and array.dtype.hasobject):
        return stored
    for base in (stored, native) if chunks == "auto" else ():
        found = normalized("auto", array.shape, dtype=array.dtype, previous_chunks=base)
        if all(map(_is_whole, found, base)):
            return found
    # dask would split chunks larger than its tasks should be, and each part would decode the whole chunk.
    return native


def _is_whole(lengths: tuple[int, ...], base: tuple[int, ...]) -> bool:
    """Whether each of the lengths is the sum of consecutive lengths of `base`."""
    return set(accumulate(lengths)) <= set(accumulate(base))


def lengths(chunks: tuple[Any, ...], shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The length of every chunk along each dimension, in dask's form; the last ends with the array.

    >>> lengths((4, (1, 2)), (10, 3)), lengths((4,), (0,))
    (((4, 4, 2), (1, 2)), ((0,),))
    """
    return tuple(_along(size, length) for size, length in zip(chunks, shape, strict=True))


def _along(size: int | tuple[int, ...], length: int) -> tuple[int, ...]:
    if not length:
        return (0,)
    if isinstance(size, int):
        whole, rest = divmod(length, size)
        return (size,) * whole + ((rest,) if rest else ())
    found: list[int] = []
    left = length
    for each in size:
        if left <= 0:
            break
        found.append(min(each, left))
        left -= each
    return tuple(found)
