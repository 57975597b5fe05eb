"""Copying the chunks of one array: raw if they mean the same, otherwise encoded again region by region.

Threads, or an executor's processes, share the work. Memory is limited: each holds one batch of chunks, or one
region with the chunk being decoded and the one being encoded. A listing takes 8 bytes per chunk at most.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice, product
from operator import lt
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from zom.engine.index import Index
from zom.engine.indexing import read_selection
from zom.engine.selection import basic_or_numpy
from zom.engine.split import walk
from zom.errors import CodecError, StoreError
from zom.hierarchy.copy.pair import share
from zom.hierarchy.copy.tiling import distinct, tiling
from zom.hierarchy.stored.chunk_compatibility import same_fill
from zom.stores.interface import Range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zom.engine.chunks import Chunks
    from zom.engine.plan import ChunkForm
    from zom.extension.axis import Axis
    from zom.hierarchy.copy.pair import ArrayPair
    from zom.hierarchy.copy.tiling import Tiling

__all__ = ["copy_encoded", "copy_raw", "stored_chunks", "verify_encoded", "verify_raw"]

_LEAST = 1 << 20
"""The minimum size of regions, if there are enough elements: small ones are not worthwhile."""

_SENT = 1 << 24
"""The size in bytes, in memory, of the regions sent to another process at once; small, to share them."""

_BATCH = 256
"""The maximum number of chunks requested at once."""


# --- raw ------------------------------------------------------------------------------------------------


def copy_raw(pair: ArrayPair) -> None:
    """Copy every chunk as it is, to its key in the target."""
    share(pair, _RawCopy, _batches(pair))


class _RawCopy:
    """Copies batches of chunks."""

    def __init__(self, pair: ArrayPair) -> None:
        self._pair = pair

    def do(self, unit: list[tuple[str, str]]) -> int:
        pair = self._pair
        wanted = _missing(pair, unit) if pair.is_resumed else unit
        values = pair.old.store.get_many([key for key, _ in wanted])
        found = [(key, value) for (_, key), value in zip(wanted, values, strict=True) if value is not None]
        pair.new.store.set_many(found)
        nbytes = sum(len(value) for _, value in found)
        pair.tally.add(raw=len(found), skipped=len(unit) - len(wanted), nbytes=nbytes)
        return len(unit)


def verify_raw(pair: ArrayPair) -> None:
    """Raise StoreError unless every chunk of the source has the same bytes in the target.

    Raise ChunkError if the index of a shard is damaged, or a chunk of a file of another format can't be
    decoded: equal bytes don't prove that they can be read.
    """
    share(pair, _RawCheck, _batches(pair))


class _RawCheck:
    """Compares batches of chunks."""

    def __init__(self, pair: ArrayPair) -> None:
        self._pair = pair
        self._check = _shard_check(pair.new)
        self._decodes = pair.old.store.origin(pair.old.prefix) == "foreign"

    def do(self, unit: list[tuple[str, str]]) -> int:
        old, new = self._pair.old.store, self._pair.new.store
        mine = old.get_many([key for key, _ in unit])
        theirs = new.get_many([key for _, key in unit])
        for (source, target), a, b in zip(unit, mine, theirs, strict=True):
            if a != b:
                found = "nothing" if b is None else "other bytes"
                reason = f"expected the bytes of {source!r} in {old.url}, found {found}"
                raise StoreError(new.url, target, "verify", reason)
            if self._check is not None and b is not None:
                self._check(target, b)
            if self._decodes and b is not None:
                self._decode(source, b)
        return len(unit)

    def _decode(self, key: str, value: bytes) -> None:
        """Raise ChunkError if the chunk under `key` in the source can't be decoded (not tried before)."""
        plan = self._pair.old.plan
        try:
            # Files of other formats have regular grids.
            plan.form(cast("tuple[int, ...]", plan.uniform)).chain.decode(value)
        except (CodecError, MemoryError) as error:
            raise self._pair.old.refused("decode", key, error) from error


def _shard_check(chunks: Chunks) -> Callable[[str, bytes], None] | None:
    """A function that raises ChunkError if a shard's index is damaged; None if chunks are not shards."""
    uniform = chunks.plan.uniform
    shard = None if uniform is None else chunks.plan.form(uniform).shard
    if shard is None:
        return None

    def check(key: str, value: bytes) -> None:
        try:
            shard.parse(value).check()
        except (CodecError, MemoryError) as error:
            raise chunks.refused("verify", key, error) from error

    return check


def _missing(pair: ArrayPair, batch: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The part of a batch that is missing in the target."""
    there = _there(pair, [key for _, key in batch])
    return [one for one in batch if one[1] not in there]


def _there(pair: ArrayPair, keys: list[str]) -> set[str]:
    """The keys that exist in the target."""
    found = pair.new.store.get_many([(key, Range(0, 0)) for key in keys])
    return {key for key, value in zip(keys, found, strict=True) if value is not None}


def _batches(pair: ArrayPair) -> Iterator[list[tuple[str, str]]]:
    """The keys of chunks in source and target, in batches that fit into memory."""
    plan = pair.old.plan
    largest = math.prod(max(axis.sizes, default=1) for axis in plan.axes) * max(plan.dtype.itemsize, 1)
    room = pair.memory if pair.is_far else pair.memory // 4
    count = max(1, min(_BATCH, room // max(largest, 1)))
    form, prefix = pair.new.plan.keys, pair.new.prefix
    pairs = ((key, prefix + form.key(chunk)) for key, chunk in stored_chunks(pair.old, pair.stray))
    while batch := list(islice(pairs, count)):
        yield batch


def stored_chunks(
    chunks: Chunks, stray: Callable[[str], object] | None = None
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The key and position of each stored chunk, or of each in the grid if the store can't be listed.

    Other keys below the array go to `stray`. Code that uses a chunk's key makes it again from the position:
    no name from a store is used as it is.
    """
    plan, prefix = chunks.plan, chunks.prefix
    rank, grid, form = len(plan.axes), plan.grid, plan.keys
    if not chunks.store.capabilities.listable:
        for chunk in product(*map(range, grid)):
            yield prefix + form.key(chunk), chunk
        return
    for key in chunks.store.list(prefix):
        place = form.coords(key[len(prefix) :], rank)
        if place is not None and all(map(lt, place, grid)):
            yield key, place
        elif stray is not None:
            stray(key)


# --- decoded and encoded --------------------------------------------------------------------------------


def copy_encoded(pair: ArrayPair) -> None:
    """Copy the elements of the chunks, region by region; each chunk of the target is written once, whole."""
    tiles = tiles_of(pair)
    share(pair, _RegionCopy, _numbers(pair, tiles), together=_together(pair, tiles))


class _RegionCopy:
    """Copies the elements of regions, by their numbers."""

    def __init__(self, pair: ArrayPair) -> None:
        self._pair = pair
        self._tiles = tiles_of(pair)
        self._room = _Room(self._tiles)

    def do(self, unit: int) -> int:
        _copy_region(self._pair, self._tiles.region(unit), self._room)
        return self._tiles.chunks(unit)


def verify_encoded(pair: ArrayPair) -> None:
    """Raise StoreError unless both arrays hold the same elements, bit for bit."""
    tiles = tiles_of(pair)
    share(pair, _RegionCheck, _numbers(pair, tiles), together=_together(pair, tiles))


class _RegionCheck:
    """Compares the elements of regions, by their numbers."""

    def __init__(self, pair: ArrayPair) -> None:
        self._pair = pair
        self._tiles = tiles_of(pair)
        self._mine, self._theirs = _Room(self._tiles), _Room(self._tiles)

    def do(self, unit: int) -> int:
        pair, region = self._pair, self._tiles.region(unit)
        a = self._mine.read(pair.old, region)
        b = self._theirs.read(pair.new, region)
        if not _same(a, b):
            where = ", ".join(f"{part.start}:{part.stop}" for part in region)
            reason = (
                f"[{where}] reads back with elements that differ from {pair.old.node} in {pair.old.store.url}; "
                "lossy codecs have this effect, too"
            )
            raise StoreError(pair.new.store.url, pair.new.node.strip("/"), "verify", reason)
        return self._tiles.chunks(unit)


def _together(pair: ArrayPair, tiles: Tiling) -> int:
    """The number of regions sent to another process at once."""
    return max(1, _SENT // max(1, tiles.most * max(pair.new.plan.dtype.itemsize, 1)))


def tiles_of(pair: ArrayPair) -> Tiling:
    """The regions in which the pair is copied."""
    old, new = pair.old.plan, pair.new.plan
    width = max(old.dtype.itemsize, 1)
    chunk = width * max(_largest(old.axes), _largest(new.axes))
    memory = max(pair.memory, chunk)
    least = memory // 4 if pair.is_far else min(_LEAST, memory)
    return tiling(_decoded_axes(pair.old), new.axes, width, memory=memory, least=least)


def _largest(axes: tuple[Axis, ...]) -> int:
    return math.prod(max(axis.sizes, default=1) for axis in axes)


def _decoded_axes(chunks: Chunks) -> tuple[Axis, ...]:
    """The grid of what is decoded on its own; for shards, the chunks in them."""
    plan = chunks.plan
    if not plan.sharded:
        return plan.axes
    form = plan.form(cast("tuple[int, ...]", plan.uniform))
    inner = cast("ChunkForm", form.inner).shape
    # The engine's grid of a shard fits the array's only if it divides it, as the codec demands.
    return tuple(
        replace(axis, regular=size) if axis.regular is not None else axis
        for axis, size in zip(plan.axes, inner, strict=True)
    )


def _numbers(pair: ArrayPair, tiles: Tiling) -> Iterator[int]:
    """The numbers of the regions that may hold anything other than the fill value."""
    listable = pair.old.store.capabilities.listable
    if not tiles.count:
        return iter(())
    if not listable or not same_fill(pair.old.plan, pair.new.plan):
        return iter(range(tiles.count))
    return iter(_touched(pair, tiles))


def _touched(pair: ArrayPair, tiles: Tiling) -> Iterator[int]:
    """The numbers of the regions that contain chunks of the source, in order."""
    axes, chunks = pair.old.plan.axes, stored_chunks(pair.old, pair.stray)
    return distinct((number for _, chunk in chunks for number in tiles.touched(axes, chunk)), tiles.count)


class _Room:
    """Memory for the largest region, allocated once: regions are views of it."""

    def __init__(self, tiles: Tiling) -> None:
        self._count = tiles.most
        self._memory: Any = None

    def read(self, chunks: Chunks, region: tuple[slice[int, int, int], ...]) -> Any:
        """The elements of a region."""
        shape = tuple(part.stop - part.start for part in region)
        dtype = chunks.plan.dtype
        if dtype.hasobject or dtype.kind == "T":
            return read_selection(chunks, basic_or_numpy(region, chunks.plan.shape))
        if self._memory is None:
            self._memory = np.empty(self._count, dtype)
        work = self._memory[: math.prod(shape)].reshape(shape)
        return read_selection(chunks, basic_or_numpy(region, chunks.plan.shape), out=work)


def _copy_region(pair: ArrayPair, region: tuple[slice[int, int, int], ...], room: _Room) -> None:
    new, plan = pair.new, pair.new.plan
    parts = list(new.keyed(walk(Index(region), plan.axes)))
    if pair.is_resumed:
        there = _there(pair, [key for _, key in parts])
        pair.tally.add(skipped=len(there))
        parts = [one for one in parts if one[1] not in there]
    if not parts:
        return
    work = room.read(pair.old, region)
    # Stores that work on many requests at once get many; others get each chunk while it is in the cache.
    parallel = new.store.capabilities.parallel
    batch: list[tuple[str, Any]] = []
    key = ""
    try:
        for part, key in parts:
            form = plan.form(plan.chunk_shape(part.chunk))
            data = _encoded(form, work[part.outside], part.inside)
            if data is None:
                continue
            batch.append((key, data))
            if len(batch) >= parallel:
                _put(pair, batch)
                batch = []
    except (CodecError, MemoryError) as error:
        raise new.refused("encode", key, error) from error
    _put(pair, batch)


def _put(pair: ArrayPair, batch: list[tuple[str, Any]]) -> None:
    pair.new.store.set_many(batch)
    nbytes = sum(memoryview(data).nbytes for _, data in batch)
    pair.tally.add(encoded=len(batch), nbytes=nbytes)


def _encoded(form: ChunkForm, values: Any, inside: Index) -> Any:
    """The encoded chunk of `values`, its part inside the array; None if it holds only the fill value."""
    if values.shape == form.shape:
        chunk = np.asarray(values, form.chain.block.dtype)
    else:
        chunk = form.new()
        chunk[inside.as_numpy()] = values
    return None if form.is_fill(chunk) else form.chain.encode(chunk)


def _same(a: Any, b: Any) -> bool:
    if a.dtype.kind in "OT" or b.dtype.kind in "OT":
        pairs = zip(a.reshape(-1).tolist(), b.reshape(-1).tolist(), strict=True)
        return all(_same_object(x, y) for x, y in pairs)
    native = a.dtype.newbyteorder("=")
    return bool(a.astype(native).tobytes() == b.astype(native).tobytes())


def _same_object(x: Any, y: Any) -> bool:
    if type(x) is not type(y):
        return False
    if isinstance(y, np.ndarray):
        a: Any = x
        b: Any = y  # pyright: ignore[reportUnknownVariableType]
        return bool(a.shape == b.shape and a.dtype == b.dtype and _same(a, b))
    return x is y or bool(x == y) or (x != x and y != y)  # noqa: PLR0124 - NaN
