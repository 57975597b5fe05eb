"""The `regular` chunk grid: all chunks have the same shape, and the last may extend past the array.

Zarr v3: https://zarr-specs.readthedocs.io/en/latest/v3/chunk-grids/regular-grid/index.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from zom.extension.axis import Axis
from zom.extension.configuration import Configuration
from zom.extension.field import Interval
from zom.extension.grid import ChunkGrid, chunk_grids
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["RegularConfiguration", "RegularGrid", "regular"]

_SOURCE = "zarr v3, regular chunk grid"

RANK = rule(
    "chunk-grid/regular-rank",
    "chunks have the same number of dimensions as the array",
    source=f"{_SOURCE}, abstract",
    compares=("shape",),
)
POSITIVE = rule(
    "chunk-grid/regular-positive",
    "the length of a chunk is a positive integer",
    source=_SOURCE,
    schema=True,
)


class RegularConfiguration(Configuration):
    """The length of every chunk along each dimension."""

    chunk_shape: list[Annotated[int, Interval(1, rule=POSITIVE)]]


class RegularGrid(ChunkGrid):
    """`regular`: chunks of one shape."""

    name = "regular"
    configuration = RegularConfiguration
    sees_lengths = False

    def lengths(
        self,
        configuration: RegularConfiguration,
        shape: tuple[int, ...] | None,
        faults: list[Fault],
        path: Path,
    ) -> tuple[tuple[int, ...], ...] | None:
        """Return one chunk length per dimension."""
        here = (*path, "configuration", "chunk_shape")
        chunk = configuration.chunk_shape
        if shape is not None and len(chunk) != len(shape):
            faults.append(Fault(RANK, here, wanted_rank(len(shape)), show(chunk)))
            known = False
        else:
            known = min(chunk, default=1) > 0
        return tuple((length,) for length in chunk) if known else None

    def axes(self, configuration: RegularConfiguration, shape: tuple[int, ...]) -> tuple[Axis, ...]:
        """Return one axis per dimension.

        >>> [axis.count for axis in regular.axes(RegularConfiguration(chunk_shape=[2, 1]), (5, 0))]
        [3, 0]
        """
        pairs = zip(shape, configuration.chunk_shape, strict=True)
        return tuple(Axis(length, size or 1) for length, size in pairs)


def wanted_rank(rank: int, what: Sequence[str] = ("length", "lengths")) -> str:
    """Describe a list with one entry for each of `rank` dimensions.

    >>> wanted_rank(2), wanted_rank(1), wanted_rank(0)
    ('a list of 2 lengths', 'a list of 1 length', 'an empty list')
    """
    return f"a list of {rank} {what[rank != 1]}" if rank else "an empty list"


regular = chunk_grids.register(RegularGrid())
"""The `regular` chunk grid."""
