"""Chunk and shard shapes for arrays whose designer leaves them open."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

from zom.errors import SpecError
from zom.problems import Fault, Problem, dotted, rule, show

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ChunkChoice", "auto_chunks", "auto_shards", "chosen_chunks", "refuse"]

ChunkChoice: TypeAlias = "Literal['auto', 'whole'] | int | Sequence[int | None]"
"""How chunks are chosen: by size, one for the whole array, one length for all dimensions, or a length
for each; None or -1 there means the whole dimension."""

CHUNK_BYTES = 1 << 22
INNER_BYTES = 1 << 20
SHARD_BYTES = 1 << 26

BUILD = rule(
    "spec/build",
    "what a spec is built from fits together",
    source="the arguments of build",
)


def refuse(name: str, expected: str, found: object, fix: str | None = None) -> SpecError:
    """The error for an argument that doesn't fit."""
    fault = Fault(BUILD, (name,), expected, show(found), fix)
    problem = Problem(BUILD.code, "error", "/", "", fault.path, expected, fault.found, fix)
    return SpecError([problem], f"cannot build {dotted((name,))}")


def auto_chunks(shape: Sequence[int], itemsize: int, target: int = CHUNK_BYTES) -> tuple[int, ...]:
    """Chunk lengths for about `target` bytes: the longest dimension is halved until they fit.

    >>> auto_chunks((48, 721, 1440), 4)
    (48, 91, 180)
    """
    chunks = [max(1, length) for length in shape]
    while math.prod(chunks) * itemsize > target and max(chunks) > 1:
        longest = chunks.index(max(chunks))
        chunks[longest] = -(-chunks[longest] // 2)
    # Even lengths: the last chunk of a dimension is not a sliver.
    return tuple(
        -(-length // -(-length // chunk)) if length else 1
        for length, chunk in zip(shape, chunks, strict=True)
    )


def auto_shards(shape: Sequence[int], chunks: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """Shard lengths for about 64 MiB: whole multiples of the chunk lengths, no longer than needed.

    >>> auto_shards((4096, 4096), (512, 512), 4)
    (4096, 4096)
    """
    counts = [1] * len(chunks)
    most = [max(1, -(-length // chunk)) for length, chunk in zip(shape, chunks, strict=True)]
    while True:
        size = math.prod(n * chunk for n, chunk in zip(counts, chunks, strict=True)) * itemsize
        open_dims = [i for i in range(len(chunks)) if counts[i] < most[i]]
        if not open_dims or size * 2 > SHARD_BYTES:
            return tuple(n * chunk for n, chunk in zip(counts, chunks, strict=True))
        fewest = min(open_dims, key=lambda i: counts[i] * chunks[i])
        counts[fewest] = min(counts[fewest] * 2, most[fewest])


def chosen_chunks(
    choice: ChunkChoice, shape: Sequence[int], itemsize: int, target: int = CHUNK_BYTES
) -> tuple[int, ...]:
    """The chunk lengths that `choice` stands for.

    >>> chosen_chunks((10, None), (100, 7), 8)
    (10, 7)
    """
    if choice == "auto":
        return auto_chunks(shape, itemsize, target)
    if choice == "whole":
        return tuple(max(1, length) for length in shape)
    if isinstance(choice, str):
        raise refuse("chunks", '"auto", "whole" or lengths', choice)
    given = [choice] * len(shape) if isinstance(choice, int) else list(choice)
    if len(given) != len(shape):
        raise refuse("chunks", f"{len(shape)} lengths, one for each dimension", given)
    return tuple(
        max(1, length) if chunk is None or chunk == -1 else int(chunk)
        for length, chunk in zip(shape, given, strict=True)
    )
