"""The `offset` chunk grid: a regular grid with shorter first chunks, for tiles that begin at round coordinates."""

from __future__ import annotations

from typing import Annotated

from typing_extensions import override

from zom.extension import Axis, ChunkGrid, Configuration, Fault, Interval, chunk_grids, rule

__all__ = ["OffsetConfiguration", "OffsetGrid", "offset"]

RANK = rule(
    "chunk-grid/offset-rank",
    "an offset grid has a length and an offset for each dimension",
    source="the offset grid, configuration",
)
SHORTER = rule(
    "chunk-grid/offset-shorter",
    "the first chunk is not longer than the others",
    source="the offset grid, configuration",
)


class OffsetConfiguration(Configuration):
    """The chunk length and the first chunk's length along each dimension."""

    chunk_shape: list[Annotated[int, Interval(1)]]
    first: list[Annotated[int, Interval(1)]]


class OffsetGrid(ChunkGrid):
    """`offset`: one shorter chunk, then chunks of equal length."""

    name = "offset"
    configuration = OffsetConfiguration
    registered = False

    @override
    def lengths(
        self,
        configuration: OffsetConfiguration,
        shape: tuple[int, ...] | None,
        faults: list[Fault],
        path: tuple[str | int, ...],
    ) -> tuple[tuple[int, ...], ...] | None:
        """All chunk lengths along each dimension, or None if the grid is invalid."""
        before = len(faults)
        for name, given in (("chunk_shape", configuration.chunk_shape), ("first", configuration.first)):
            if shape is not None and len(given) != len(shape):
                here = (*path, "configuration", name)
                faults.append(Fault(RANK, here, f"{len(shape)} integers", f"{len(given)} integers"))
        for place, (first, size) in enumerate(
            zip(configuration.first, configuration.chunk_shape, strict=False)
        ):
            if first > size:
                here = (*path, "configuration", "first", place)
                faults.append(Fault(SHORTER, here, f"an integer up to {size}", str(first)))
        if shape is None or len(faults) > before:
            return None
        return tuple(axis.sizes for axis in self.axes(configuration, shape))

    @override
    def axes(self, configuration: OffsetConfiguration, shape: tuple[int, ...]) -> tuple[Axis, ...]:
        """The first chunk and as many others as the array needs, per dimension."""
        return tuple(
            Axis.with_edges(length, [(first, 1), (size, max(0, -(-(length - first) // size)))])
            for length, first, size in zip(shape, configuration.first, configuration.chunk_shape, strict=True)
        )


offset = chunk_grids.register(OffsetGrid())
"""The `offset` chunk grid."""
