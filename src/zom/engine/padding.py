"""Padding: the elements of a chunk beyond the end of its array, if its codecs reject the fill value.

Zarr v3, regular grid: chunks that overhang the array are stored whole; "the contents ... outside the
bounds of the array are undefined", and the fill value is recommended. A codec without support for NaN, such
as zfp except in its reversible mode, gets repeated edge elements instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.errors import CodecError

if TYPE_CHECKING:
    from zom.engine.plan import ChunkForm
    from zom.extension.bound import Array, Data

__all__ = ["Held", "encode_padded"]

Held = tuple[int, ...]
"""Number of elements of a chunk within the array, along each dimension."""


def encode_padded(form: ChunkForm, chunk: Array, held: Held | None, *, threads: int = 1) -> Data:
    """Encode `chunk`, of which only the `held` elements count; all of them if that is None."""
    try:
        return form.encode(chunk, threads=threads)
    except CodecError:
        if held is None or held == chunk.shape:
            raise
    return form.encode(_repeated(form, chunk, held), threads=threads)


def _repeated(form: ChunkForm, chunk: Array, held: Held) -> Array:
    """A chunk with its last elements in the array repeated behind them; in shards, within edge inner chunks.

    Inner chunks completely behind the end keep the fill value, and are not stored.
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
