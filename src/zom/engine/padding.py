"""Padding: what a chunk holds beyond the end of its array, where its codecs refuse the fill value.

Zarr v3, regular grid: chunks that overhang the array are stored whole; "the contents ... outside the
bounds of the array are undefined", and the fill value is recommended. A codec that holds no NaN, as zfp
but in its reversible mode, gets the elements at the edge again instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.errors import CodecError

if TYPE_CHECKING:
    from zom.engine.plan import ChunkForm
    from zom.extension.bound import Array, Data

__all__ = ["Held", "encode_padded"]

Held = tuple[int, ...]
"""How many elements of a chunk lie in the array, along each dimension."""


def encode_padded(form: ChunkForm, chunk: Array, held: Held | None, *, threads: int = 1) -> Data:
    """What `chunk` is stored as, of which only `held` elements mean something; all do where that is None."""
    try:
        return form.encode(chunk, threads=threads)
    except CodecError:
        if held is None or held == chunk.shape:
            raise
    return form.encode(_repeated(form, chunk, held), threads=threads)


def _repeated(form: ChunkForm, chunk: Array, held: Held) -> Array:
    """A chunk whose last elements in the array are repeated behind it; of a shard, in inner chunks at the edge.

    Inner chunks that lie wholly behind it stay fill, and are not stored.
    """
    innermost = form
    while innermost.inner is not None:
        innermost = innermost.inner
    made = chunk.copy()
    for place, (count, size) in enumerate(zip(held, innermost.shape, strict=True)):
        before = (slice(None),) * place
        end = -(-count // size) * size
        made[(*before, slice(count, end))] = made[(*before, slice(count - 1, count))]
    return made
