"""Tasks: pieces of lazy data, each written into its own part of an array."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

import numpy as np

from zom.dataclass import dataclass
from zom.errors import StoreError
from zom.hierarchy.executor import check_target
from zom.packages import imported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from zom.extension.axis import Axis
    from zom.handles.array import Array
    from zom.stores.interface import Store

__all__ = ["Task", "check_merged", "check_sendable", "computed", "delayed", "writing"]


@dataclass(frozen=True, slots=True)
class Task:
    """A dask array and its target."""

    path: str
    data: Any
    starts: tuple[int, ...]
    target: Array | None
    """The array to write, or None if it must be created first."""


def delayed(make: Callable[[], list[Any]]) -> Any:
    """Return a `Delayed` that computes what `make` returns, such as arrays of `writing`; its result is None.

    >>> delayed(list).compute()
    """
    imported("dask", "dask")
    from zom.integrations.dask.later import Later  # noqa: PLC0415 - its class inherits from dask's

    return Later(make)


def check_sendable(
    store: Store,
    targets: Iterable[Array],
    options: Mapping[str, Any] | None = None,
    *,
    compute: bool = True,
) -> None:
    """Raise StoreError if other processes need the store but can't receive it, or writes can't be merged.

    >>> from zom.stores.memory import MemoryStore
    >>> check_sendable(MemoryStore(), [], {"scheduler": "threads"})
    """
    if store.capabilities.merges and not compute:
        reason = "writes of tasks into a fork are merged when the tasks are done; pass compute=True"
        raise StoreError(store.url, "", "share", reason)
    options = options or {}
    get = imported("dask.base", "dask").get_scheduler(scheduler=options.get("scheduler"))
    if get is None or getattr(get, "func", get).__module__ in {"dask.threaded", "dask.local"}:
        return
    check_target(store)
    for target in targets:
        pickle.dumps(target)


def check_merged(
    store: Store, path: str, axes: Sequence[Axis], starts: Sequence[int], shape: Sequence[int]
) -> None:
    """Raise StoreError if tasks would write chunks with uncommitted writes: merge order would be undefined.

    >>> from zom.stores.memory import MemoryStore
    >>> check_merged(MemoryStore(), "/a", [], [], [])
    """
    if not store.capabilities.merges or 0 in shape:
        return
    held = store.uncommitted.get(path, ())
    places = zip(axes, starts, shape, strict=True)
    spans = [(axis.at(start)[0], axis.at(start + length - 1)[0]) for axis, start, length in places]
    for chunk in held:
        if all(first <= number <= last for number, (first, last) in zip(chunk, spans, strict=True)):
            reason = (
                f"chunk {tuple(chunk)} of {path} was written since the last commit, and might not be merged; "
                "merge this fork, commit, and write into a new one"
            )
            raise StoreError(store.url, "", "share", reason)


def writing(task: Task) -> Any:
    """Return a dask array with one element per chunk of the data, which writes that chunk when computed.

    >>> import dask.array as da, zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"))
    >>> writing(Task("/", da.ones(4, chunks=4), (0,), array)).compute()
    array([ True])
    """
    dask: Any = imported("dask.array", "dask")
    data, target = task.data, cast("Array", task.target).with_options(threads=1)
    merges = target.store.capabilities.merges
    given = np.dtype(object if merges else np.bool_)
    places = tuple(_offsets(lengths, start) for lengths, start in zip(data.chunks, task.starts, strict=True))
    return dask.map_blocks(
        _write_in_copy if merges else _write_block,
        data,
        target=target,
        places=places,
        chunks=tuple((1,) * len(lengths) for lengths in data.chunks),
        # A unique name, so that dask doesn't take a second write for the same task.
        name=f"zom-store-{uuid4().hex}",
        dtype=given,
        meta=np.empty((0,) * data.ndim, given),
    )


def computed(written: Sequence[Any], store: Store, options: Mapping[str, Any] | None = None) -> None:
    """Compute arrays of `writing` for `store`, and merge what tasks wrote into copies of it.

    >>> from zom.stores.memory import MemoryStore
    >>> computed([], MemoryStore())
    """
    (found,) = imported("dask", "dask").compute(list(written), **(options or {}))
    if store.capabilities.merges:
        for copies in found:
            for copy in copies.flat:
                store.absorb(copy)


def _offsets(lengths: Sequence[int], start: int) -> Sequence[int]:
    """Return the start of each chunk: a small range if all have one length, since every task carries it.

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
    """Write one chunk of the data; dask passes its index as `block_id`."""
    starts = [place[number] for place, number in zip(places, block_id, strict=True)]
    key = tuple(slice(start, start + length) for start, length in zip(starts, block.shape, strict=True))
    target[key] = block
    return np.ones((1,) * block.ndim, np.bool_)


def _write_in_copy(
    block: Any, target: Array, places: tuple[Sequence[int], ...], block_id: tuple[int, ...] = ()
) -> Any:
    """Write one chunk into its own copy of the store, and return the copy to be merged."""
    mine: Array = pickle.loads(pickle.dumps(target))  # noqa: S301 - our own
    _write_block(block, mine, places, block_id)
    found = np.empty((1,) * block.ndim, object)
    found[(0,) * block.ndim] = mine.store
    return found
