"""Tasks: pieces of lazy data, each written into its own part of an array."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

import numpy as np

from zom.hierarchy.executor import check_target
from zom.packages import imported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from zom.handles.array import Array
    from zom.stores.interface import Store

__all__ = ["Task", "check_sendable", "delayed", "writing"]


@dataclass(frozen=True, slots=True)
class Task:
    """A dask array, and where it goes."""

    path: str
    data: Any
    starts: tuple[int, ...]
    target: Array | None
    """None where the array is created first."""


def delayed(make: Callable[[], list[Any]]) -> Any:
    """A `Delayed` that computes what `make` returns, such as arrays of `writing`, and gives None.

    >>> delayed(list).compute()
    """
    imported("dask", "dask")
    from zom.integrations.dask.later import Later  # noqa: PLC0415 - its class derives from dask's

    return Later(make)


def check_sendable(store: Store, targets: Iterable[Array], options: Mapping[str, Any] | None = None) -> None:
    """StoreError where tasks go to other processes, and the store can't go there.

    >>> from zom.stores.memory import MemoryStore
    >>> check_sendable(MemoryStore(), [], {"scheduler": "threads"})
    """
    options = options or {}
    get = imported("dask.base", "dask").get_scheduler(scheduler=options.get("scheduler"))
    if get is None or getattr(get, "func", get).__module__ in {"dask.threaded", "dask.local"}:
        return
    check_target(store)
    for target in targets:
        pickle.dumps(target)


def writing(task: Task) -> Any:
    """A dask array of one element for each chunk of the data, which writes the chunk when it is computed.

    >>> import dask.array as da, zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"))
    >>> writing(Task("/", da.ones(4, chunks=4), (0,), array)).compute()
    array([ True])
    """
    dask: Any = imported("dask.array", "dask")
    data, target = task.data, cast("Array", task.target).with_options(threads=1)
    places = tuple(_offsets(lengths, start) for lengths, start in zip(data.chunks, task.starts, strict=True))
    return dask.map_blocks(
        _write_block,
        data,
        target=target,
        places=places,
        chunks=tuple((1,) * len(lengths) for lengths in data.chunks),
        # Writing again is another task, though it has the same name in the eyes of dask.
        name=f"zom-store-{uuid4().hex}",
        dtype=np.bool_,
        meta=np.empty((0,) * data.ndim, np.bool_),
    )


def _offsets(lengths: Sequence[int], start: int) -> Sequence[int]:
    """Where each chunk begins; few bytes, where all have one length: it goes with every task.

    >>> _offsets((4, 4, 2), 8), _offsets((1, 2, 2), 0)
    (range(8, 20, 4), (0, 1, 3))
    """
    first = max(lengths[0], 1)
    if all(each == first for each in lengths[:-1]):
        return range(start, start + first * len(lengths), first)
    return tuple(int(start + end - length) for end, length in zip(np.cumsum(lengths), lengths, strict=True))


def _write_block(
    block: Any, target: Array, places: tuple[Sequence[int], ...], block_id: tuple[int, ...] = ()
) -> Any:
    """Write one chunk of the data; dask says which by the name `block_id`."""
    starts = [place[number] for place, number in zip(places, block_id, strict=True)]
    key = tuple(slice(start, start + length) for start, length in zip(starts, block.shape, strict=True))
    target[key] = block
    return np.ones((1,) * block.ndim, np.bool_)
