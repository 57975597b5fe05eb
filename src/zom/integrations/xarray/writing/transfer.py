"""Transfers: the values of variables, encoded and written into arrays.

In-memory values are encoded when they are written, one variable after the other. Data from files is read and
written in slabs. Lazy data is written by tasks, each with its own whole chunks.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from zom.dataclass import dataclass
from zom.engine.workers import run
from zom.hierarchy.change.values import threads_for
from zom.integrations.dask.alignment import aligned_chunks, alignment_problems, stored_axes
from zom.integrations.xarray.writing.cf_variables import encoded, is_lazy, is_loaded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zom.handles.array import Array
    from zom.model.spec import Spec
    from zom.problems import Problem

__all__ = ["Transfer", "Values", "aligned", "misaligned", "tasks_of", "transfer_now"]

_SLAB: Final = 1 << 26
"""Bytes of a file variable that are in memory at once, rounded to whole chunks along the first dimension."""


@dataclass(frozen=True)
class Transfer:
    """A variable and the target of its values."""

    path: str
    """The array's path, relative to the written group."""
    source: Any
    """The variable from the dataset, with the encoding of the array."""
    spec: Spec
    """The final spec of the array."""
    number: int
    """The Zarr format."""
    starts: tuple[int, ...]
    """The start of the values in the array."""
    made: Any = None
    """The encoded variable, if already known."""

    @property
    def name(self) -> str:
        """The variable's name."""
        return self.path.rpartition("/")[2]

    @property
    def is_lazy(self) -> bool:
        """Whether tasks write the values."""
        return is_lazy(self.source)

    @property
    def is_loaded(self) -> bool:
        """Whether the values are in memory."""
        return is_loaded(self.source)

    @property
    def region(self) -> tuple[slice, ...]:
        """The region of the array that the values fill."""
        places = zip(self.starts, self.source.shape, strict=True)
        return tuple(slice(start, start + length) for start, length in places)

    def ready(self) -> Transfer:
        """Return the transfer, encoded if it is lazy, which reads nothing."""
        return replace(self, made=self._encoded()) if self.made is None and self.is_lazy else self

    def encoded(self) -> Any:
        """Return the encoded values; lazy data stays lazy."""
        return (self._encoded() if self.made is None else self.made).data

    def _encoded(self) -> Any:
        return encoded(self.name, self.source, self.number, values=True)


class Values:
    """The values of an in-memory variable, encoded when numpy converts them."""

    def __init__(self, transfer: Transfer) -> None:
        self._transfer = transfer
        self.shape = tuple(transfer.source.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:  # noqa: FBT001 - numpy's protocol
        return np.asarray(self._transfer.encoded(), dtype)


def misaligned(transfers: Sequence[Transfer], root: str, *, whole: bool) -> list[Problem]:
    """Report lazy variables whose tasks would share chunks or shards."""
    problems: list[Problem] = []
    for each in transfers:
        if each.is_lazy:
            fix = "rechunk the data with .chunk(), or pass align_chunks=True, or safe_chunks=False to a single writer"
            problems += alignment_problems(
                f"{root.rstrip('/')}/{each.path}",
                each.source.chunks,
                stored_axes(each.spec),
                each.starts,
                names=each.source.dims,
                whole=whole,
                fix=fix,
            )
    return problems


def aligned(transfer: Transfer) -> Transfer:
    """Return the transfer, with lazy data rechunked so that its tasks share no chunk or shard."""
    if not transfer.is_lazy:
        return transfer
    chunks = aligned_chunks(transfer.source.chunks, stored_axes(transfer.spec), transfer.starts)
    source = transfer.source.chunk(dict(zip(transfer.source.dims, chunks, strict=True)))
    return replace(transfer, source=source, made=None)


def transfer_now(transfers: Sequence[Transfer], arrays: Sequence[Array]) -> None:
    """Write all data that is not lazy, many variables at once if the store supports parallel requests."""
    pairs = [(each, array) for each, array in zip(transfers, arrays, strict=True) if not each.is_lazy]
    if not pairs:
        return

    def take(items: Iterator[tuple[Transfer, Array]]) -> None:
        for transfer, array in items:
            _write(transfer, array)

    run(iter(pairs), len(pairs), take, threads=threads_for([array.chunk_access for _, array in pairs]))


def tasks_of(transfers: Sequence[Transfer], arrays: Sequence[Array]) -> list[Any]:
    """Return the dask arrays whose computation writes the lazy data."""
    from zom.integrations.dask.tasks import Task, writing  # noqa: PLC0415 - only lazy data needs it

    return [
        writing(Task(each.path, each.encoded(), each.starts, array))
        for each, array in zip(transfers, arrays, strict=True)
        if each.is_lazy
    ]


def _write(transfer: Transfer, array: Array) -> None:
    if transfer.is_loaded or not transfer.source.ndim:
        array[transfer.region] = np.asarray(transfer.encoded())
        return
    rest = transfer.region[1:]
    first = transfer.starts[0]
    for start, stop in _slabs(transfer):
        part = replace(transfer, source=transfer.source[start:stop], made=None)
        array[(slice(first + start, first + stop), *rest)] = np.asarray(part.encoded())


def _slabs(transfer: Transfer) -> Iterator[tuple[int, int]]:
    """Yield parts along the first dimension, each of whole stored objects."""
    axis, offset = stored_axes(transfer.spec)[0], transfer.starts[0]
    length, *others = transfer.source.shape
    row = math.prod(others) * (transfer.source.dtype.itemsize or 1)
    start = 0
    while start < length:
        stop = min(length, start + max(1, _SLAB // (row or 1)))
        if stop < length:
            _, begun, size = axis.at(offset + stop)
            stop = begun - offset if begun > offset + start else min(length, begun + size - offset)
        yield start, stop
        start = stop
