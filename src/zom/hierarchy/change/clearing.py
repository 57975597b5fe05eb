"""Clearing: delete the chunks of a deleted array, or those outside a smaller shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.engine.chunks import Chunks, Options
from zom.engine.compile import compile_plan
from zom.errors import ChunkError
from zom.hierarchy.change.resize import clear_beyond
from zom.hierarchy.journal.cleared_array import array_of
from zom.hierarchy.stored.inventory import chunk_keys

if TYPE_CHECKING:
    from zom.hierarchy.journal.journal import Clearing
    from zom.model.spec import Spec
    from zom.stores.interface import Store

__all__ = ["clear_after", "clear_all", "clear_before"]


def clear_all(store: Store, clearing: Clearing) -> None:
    """Delete the chunks of a deleted array; other keys in its place stay."""
    if clearing.new is not None:
        return
    old, scalar = array_of(clearing, clearing.old), clearing.scalar
    keys = chunk_keys(old, clearing.prefix, store.list(clearing.prefix), scalar=scalar) or []
    if clearing.kept is not None:
        kept = array_of(clearing, clearing.kept)
        keys = sorted(set(keys) - set(chunk_keys(kept, clearing.prefix, keys) or ()))
    store.delete_many(keys)
    # A chunk of the new array may have the key of a directory of the old one: `c0`, for `c0/1`.
    store.prune(clearing.prefix)


def clear_before(store: Store, clearing: Clearing) -> None:
    """Before an array grows, delete leftovers of others in the new part."""
    if clearing.new is not None:
        old, new = array_of(clearing, clearing.old), array_of(clearing, clearing.new)
        _cut(store, clearing, old, new, shape=_shape(old))


def clear_after(store: Store, clearing: Clearing) -> None:
    """After an array has shrunk, delete everything beyond its new end."""
    if clearing.new is not None:
        old, new = array_of(clearing, clearing.old), array_of(clearing, clearing.new)
        _cut(store, clearing, old, new, shape=_shape(new))


def _cut(store: Store, clearing: Clearing, old: Spec, new: Spec, *, shape: tuple[int, ...]) -> None:
    both = tuple(map(max, _shape(old), _shape(new)))
    if both == shape:
        return
    wide = compile_plan(new.replace(shape=both))
    chunks = Chunks(wide, store, clearing.prefix, clearing.path, Options())
    try:
        clear_beyond(chunks, wide, shape)
    except ChunkError as error:
        if error.lacks_memory:
            raise
        # A chunk that can't be decoded stays as it is: reading it raises, as before.
        return


def _shape(spec: Spec) -> tuple[int, ...]:
    shape: tuple[int, ...] = spec.__dict__["shape"]
    return shape
