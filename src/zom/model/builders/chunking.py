"""Chunk and shard shapes for arrays without given ones."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from zom.count import count_of
from zom.errors import SpecError
from zom.numpy_later import np
from zom.problems import Fault, Problem, dotted, rule, show

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ChunkChoice", "auto_chunks", "auto_shards", "chosen_chunks", "inner_chunks", "refuse"]

ChunkChoice: TypeAlias = "Literal['auto', 'whole'] | int | Sequence[int | None]"
"""How to choose chunks: by size, one for the whole array, one length for all dimensions, or a length
per dimension; None or -1 means the whole dimension."""

CHUNK_BYTES = 1 << 22
INNER_BYTES = 1 << 20
SHARD_BYTES = 1 << 26

BUILD = rule(
    "spec/build",
    "the arguments of a spec fit together",
    source="the arguments of build",
)


def refuse(name: str, expected: str, found: object, fix: str | None = None) -> SpecError:
    """Return the error for an invalid argument."""
    fault = Fault(BUILD, (name,), expected, show(found), fix)
    problem = Problem(BUILD.code, "error", "/", "", fault.path, expected, fault.found, fix)
    return SpecError([problem], f"cannot build {dotted((name,))}")


def auto_chunks(shape: Sequence[int], itemsize: int, target: int = CHUNK_BYTES) -> tuple[int, ...]:
    """Choose chunk lengths for about `target` bytes by halving the longest dimension until they fit.

    >>> auto_chunks((48, 721, 1440), 4)
    (48, 91, 180)
    """
    chunks = [max(1, length) for length in shape]
    while math.prod(chunks) * itemsize > target and max(chunks) > 1:
        longest = chunks.index(max(chunks))
        chunks[longest] = -(-chunks[longest] // 2)
    # Even out lengths, so that the last chunk of a dimension is not a sliver.
    return tuple(
        -(-length // -(-length // chunk)) if length else 1
        for length, chunk in zip(shape, chunks, strict=True)
    )


def auto_shards(
    shape: Sequence[int], chunks: Sequence[int], itemsize: int, target: int = SHARD_BYTES
) -> tuple[int, ...]:
    """Choose shard lengths for about `target` bytes: multiples of the chunk lengths, no longer than needed.

    >>> auto_shards((4096, 4096), (512, 512), 4)
    (4096, 4096)
    """
    counts = [1] * len(chunks)
    most = [max(1, -(-length // chunk)) for length, chunk in zip(shape, chunks, strict=True)]
    while True:
        size = math.prod(n * chunk for n, chunk in zip(counts, chunks, strict=True)) * itemsize
        open_dims = [i for i in range(len(chunks)) if counts[i] < most[i]]
        if not open_dims or size * 2 > target:
            return tuple(n * chunk for n, chunk in zip(counts, chunks, strict=True))
        fewest = min(open_dims, key=lambda i: counts[i] * chunks[i])
        counts[fewest] = min(counts[fewest] * 2, most[fewest])


def inner_chunks(shards: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """Choose chunk lengths for about 1 MiB that divide the shard lengths.

    >>> inner_chunks((1000, 900), 4)
    (500, 450)
    """
    wanted = auto_chunks(shards, itemsize, INNER_BYTES)
    return tuple(
        next(length for length in range(most, 0, -1) if shard % length == 0)
        for shard, most in zip(shards, wanted, strict=True)
    )


def chosen_chunks(
    choice: ChunkChoice,
    shape: Sequence[int],
    itemsize: int,
    target: int = CHUNK_BYTES,
    name: str = "chunks",
) -> tuple[int, ...]:
    """Return the chunk lengths that `choice` selects.

    >>> chosen_chunks((10, None), (100, 7), 8)
    (10, 7)
    """
    if isinstance(choice, str):
        if choice == "auto":
            return auto_chunks(shape, itemsize, target)
        if choice == "whole":
            return tuple(max(1, length) for length in shape)
        raise refuse(name, '"auto", "whole" or lengths', choice)
    many: Any = choice
    given: list[Any] = list(many) if np.iterable(many) else [many] * len(shape)
    if len(given) != len(shape):
        count = count_of(len(shape), "length")
        raise refuse(name, f"{count}, one for each dimension", given)
    return tuple(_length(chunk, length, name) for chunk, length in zip(given, shape, strict=True))


def _length(chunk: Any, whole: int, name: str) -> int:
    """Return one chunk length; None and -1 mean the whole dimension."""
    try:
        length = -1 if chunk is None else operator.index(chunk)
    except TypeError:
        raise refuse(name, "integers, or None for the whole dimension", chunk) from None
    if isinstance(chunk, bool) or length == 0 or length < -1:
        raise refuse(name, "lengths of at least 1, or None for the whole dimension", chunk)
    return max(1, whole) if length == -1 else length
