"""Chunk and shard lengths of a variable: from its encoding, its lazy chunks, or zarr-python's guess.

The guess is zarr-python's `guess_chunks`, so that stores written here have the same layout as with `to_zarr`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from zom.count import count_of
from zom.model.builders.chunking import refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["chosen_grid", "guessed_chunks"]

_STEP: Final = 256 * 1024
_LEAST: Final = 128 * 1024
_MOST: Final = 64 * 1024 * 1024
_MOST_IN_SHARD: Final = 1024 * 1024


def guessed_chunks(shape: Sequence[int], itemsize: int, most: int = _MOST) -> tuple[int, ...]:
    """Return the chunk lengths that zarr-python chooses for an array.

    >>> guessed_chunks((48, 721, 1440), 4), guessed_chunks((0, 3), 8)
    ((6, 181, 360), (1, 3))
    """
    chunks = np.array([max(1, length) for length in shape], "f8")
    if not itemsize or not shape:
        return tuple(int(length) for length in chunks)
    whole = float(np.prod(chunks)) * itemsize
    target = min(max(_STEP * (2 ** math.log10(whole / (1024.0 * 1024))), _LEAST), most)
    turn = 0
    while True:
        size = float(np.prod(chunks)) * itemsize
        if (size < target or abs(size - target) / target < 0.5) and size < most:
            break
        if np.prod(chunks) == 1:
            break
        axis = turn % len(chunks)
        chunks[axis] = math.ceil(chunks[axis] / 2.0)
        turn += 1
    return tuple(int(length) for length in chunks)


def chosen_grid(
    name: str, variable: Any, encoding: dict[str, Any], itemsize: int
) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """Return the lengths of chunks, and of shards if the encoding requests them.

    >>> import numpy as np, xarray as xr
    >>> chosen_grid("t", xr.Variable(("y", "x"), np.zeros((4, 6))), {"chunks": (2, 3)}, 8)
    ((2, 3), None)
    """
    shape = tuple(variable.shape)
    shards = encoding.get("shards")
    chunks = _given(name, "chunks", encoding.get("chunks"), shape)
    if chunks is None and variable.chunks:
        chunks = _of_pieces(name, variable.chunks)
    if chunks is None:
        chunks = guessed_chunks(shape, itemsize, _MOST if shards is None else _MOST_IN_SHARD)
    if shards is None:
        return chunks, None
    if isinstance(shards, str):
        if shards != "auto":
            raise refuse(name, 'lengths of shards, or "auto"', shards)
        return chunks, _auto_shards(shape, chunks)
    if isinstance(shards, dict):
        shards = cast("dict[str, Any]", shards).get("shape")
    return chunks, _given(name, "shards", shards, shape, unit=chunks)


def _given(
    name: str, what: str, given: Any, shape: tuple[int, ...], unit: tuple[int, ...] | None = None
) -> tuple[int, ...] | None:
    """Return the lengths in an encoding; None if missing, or chunks of another rank, which xarray ignores."""
    if given is None or (given == () and shape):
        return None
    whole: Any = given
    lengths: list[Any] = [whole] * len(shape) if not np.iterable(whole) else list(whole)
    if len(lengths) != len(shape) and what == "chunks":
        return None
    for length in lengths:
        if isinstance(length, (list, tuple)):
            fix = "pass one length for each dimension, or remove them from the encoding"
            raise refuse(f"{name}.encoding[{what!r}]", "one length for each dimension", whole, fix)
        if (
            isinstance(length, bool)
            or not isinstance(length, (int, np.integer))
            or length == 0
            or length < -1
        ):
            raise refuse(f"{name}.encoding[{what!r}]", "lengths of at least 1, or -1 for all", whole)
    if len(lengths) != len(shape):
        raise refuse(f"{name}.encoding[{what!r}]", count_of(len(shape), "length"), whole)
    units = unit or (1,) * len(shape)
    return tuple(
        int(length) if length > 0 else each * max(1, -(-size // each))
        for length, size, each in zip(lengths, shape, units, strict=True)
    )


def _of_pieces(name: str, chunks: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return the chunk lengths of lazy data, which must be equal except for a shorter last one."""
    for axis, lengths in enumerate(chunks):
        if len(set(lengths[:-1])) > 1 or (len(lengths) > 1 and lengths[-1] > lengths[0]):
            expected = f"data chunks of one length along dimension {axis}, but for a shorter last one"
            fix = "rechunk it with .chunk(), or set encoding['chunks']"
            raise refuse(name, expected, list(lengths), fix)
    return tuple(max(1, int(lengths[0])) for lengths in chunks)


def _auto_shards(shape: tuple[int, ...], chunks: tuple[int, ...]) -> tuple[int, ...]:
    """Return shards of two chunks along each dimension with more than eight chunks, as zarr-python does."""
    return tuple(
        chunk * 2 if whole // chunk > 8 else chunk for whole, chunk in zip(shape, chunks, strict=True)
    )
