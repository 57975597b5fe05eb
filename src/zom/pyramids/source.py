"""Sources of the finest level: zom, numpy or dask arrays, or similar ones.

Arrays that are indexed, such as those of h5py or zarr-python, are read region by region. dask computes its
own arrays, with its scheduler.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from zom.dataclass import dataclass
from zom.engine.chunks import Options
from zom.engine.indexing import write_selection
from zom.engine.selection import basic_or_numpy
from zom.engine.workers import run
from zom.errors import SelectionError
from zom.formats.resolve import resolve
from zom.handles.array import Array
from zom.hierarchy.copy.chunks import copy_encoded, copy_raw
from zom.hierarchy.copy.pair import ArrayPair
from zom.hierarchy.copy.tally import Progress, Tally
from zom.hierarchy.copy.tiling import tiling
from zom.hierarchy.stored.array_chunks import ArrayPlace
from zom.hierarchy.stored.chunk_compatibility import disagreement
from zom.model.builders.build import AUTO
from zom.pyramids.filling import LEAST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.engine.chunks import Chunks
    from zom.hierarchy.executor import Pool

__all__ = ["Source", "alone", "chunks_of", "source_of", "write_source"]


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The source of the finest level."""

    image: Any
    shape: tuple[int, ...]
    dtype: Any
    """The type of its elements, in a form that `ArraySpec.build` accepts."""
    numpy_type: np.dtype[Any]
    names: tuple[str, ...] | None
    """The dimension names, or None unless all have one."""
    fill: Any
    """The fill value, or AUTO if unknown."""

    @property
    def lazy(self) -> bool:
        """Whether it is a dask array."""
        return hasattr(self.image, "__dask_graph__")


def source_of(image: Any) -> Source:
    """Describe `image`; raise TypeError if it is no array, SelectionError if its shape is empty or unknown.

    >>> source_of(np.zeros((2, 3), "u1")).shape
    (2, 3)
    """
    found = _handle(cast("Array", image)) if isinstance(image, Array) else _alike(image)
    if not found.shape or 0 in found.shape:
        raise SelectionError(
            f"image: expected an array with elements and dimensions, got shape {found.shape}"
        )
    return found


def _handle(image: Array) -> Source:
    resolved = resolve(image.spec)
    names = _names(image.dimension_names)
    return Source(image, image.shape, resolved.data_type, image.dtype, names, image.plan.fill[()])


def _alike(image: Any) -> Source:
    names = _names(getattr(image, "dims", None))
    if names is not None and hasattr(image, "data"):
        image = image.data  # xarray: the wrapped array, which may be lazy
    shape, dtype = getattr(image, "shape", None), getattr(image, "dtype", None)
    if not isinstance(shape, tuple) or dtype is None or not hasattr(image, "__getitem__"):
        kind = type(image).__name__
        raise TypeError(f"image: expected an array of zom, numpy or dask, or a similar one, got {kind}")
    lengths: tuple[Any, ...] = shape  # pyright: ignore[reportUnknownVariableType] - any library's array
    if not all(isinstance(length, (int, np.integer)) for length in lengths):
        raise SelectionError(
            f"image: expected known lengths, got shape {lengths}; compute its chunk sizes first"
        )
    _check_whole(image)
    fill = AUTO if image.__class__.__module__.partition(".")[0] in {"numpy", "dask"} else _fill(image)
    return Source(image, tuple(map(int, lengths)), dtype, np.dtype(dtype), names, fill)


def _check_whole(image: Any) -> None:
    """Raise TypeError for a masked array, or a dask array of masked blocks."""
    for each, fix in (
        (image, "image.filled(value)"),
        (getattr(image, "_meta", None), "dask.array.ma.filled(image)"),
    ):
        if isinstance(each, np.ma.MaskedArray):
            raise TypeError(
                f"image: expected an array without a mask, got a masked array; fill it first: {fix}"
            )


def _names(names: Any) -> tuple[str, ...] | None:
    if not isinstance(names, tuple):
        return None
    found: tuple[Any, ...] = names  # pyright: ignore[reportUnknownVariableType] - any library's array
    return found if all(isinstance(name, str) for name in found) else None


def _fill(image: Any) -> Any:
    """Return the fill value of an h5py or zarr-python array, or AUTO."""
    for name in ("fillvalue", "fill_value"):
        value = getattr(image, name, None)
        if value is not None and not callable(value):
            return value
    return AUTO


def alone(array: Array) -> Array:
    """Return the array for use by one of several threads, with parallel requests only if latency is high."""
    threads = 1 if array.store.capabilities.parallel <= 1 else None
    return array.with_options(threads=threads, missing="fill", write_empty_chunks=False)


def chunks_of(array: Array) -> Chunks:
    """Return the chunks of an array for use in one of several threads."""
    return alone(array).chunk_access


def write_source(  # noqa: PLR0913 - what to write, and how
    source: Source, target: Array, *, jobs: int, memory: int, progress: Progress, pool: Pool | None = None
) -> None:
    """Write the finest level; data in the memory of this process is written by its own threads."""
    if source.lazy:
        from zom.integrations.dask.store import store  # noqa: PLC0415 - dask is optional

        store(source.image, target, rechunk=True, scheduler=None if pool is None else pool.executor)
    elif isinstance(image := cast("object", source.image), Array):
        image = cast("Array", image)
        pair = ArrayPair(
            chunks_of(image),
            chunks_of(target),
            jobs=jobs,
            is_resumed=False,
            memory=memory,
            tally=Tally(),
            progress=progress,
            pool=pool,
            places=(_place_of(image), _place_of(target)),
        )
        plans = pair.old.plan, pair.new.plan
        (copy_encoded if disagreement(image.spec, target.spec, plans) else copy_raw)(pair)
    else:
        _write_regions(source, chunks_of(target), jobs=jobs, memory=memory, progress=progress)


def _place_of(array: Array) -> ArrayPlace:
    options = Options(threads=1 if array.store.capabilities.parallel <= 1 else None)
    return ArrayPlace(array.spec, array.store, array.path, array.layout, options)


def _write_regions(source: Source, target: Chunks, *, jobs: int, memory: int, progress: Progress) -> None:
    plan = target.plan
    tiles = tiling(plan.axes, plan.axes, max(plan.dtype.itemsize, 1), memory=memory, least=LEAST)

    def take(numbers: Iterator[int]) -> None:
        for number in numbers:
            region = tiles.region(number)
            read = source.image[region]
            if np.ma.is_masked(read):
                raise TypeError(
                    "image: expected elements without a mask, got masked ones; read it without a mask, or fill it "
                    "first, with .filled(value)"
                )
            values = np.asarray(read)
            write_selection(target, basic_or_numpy(region, plan.shape), values)
            progress.add(tiles.chunks(number))

    run(iter(range(tiles.count)), tiles.count, take, threads=jobs)
