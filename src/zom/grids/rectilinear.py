"""The `rectilinear` chunk grid: chunk lengths may vary along each dimension.

Zarr v3: https://github.com/zarr-developers/zarr-extensions/tree/main/chunk-grids/rectilinear
"The sum of the edge lengths MUST equal or exceed" the array's length. A bare integer repeats until
it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import Field

from zom.extension.axis import Axis
from zom.extension.configuration import Configuration
from zom.extension.field import Interval
from zom.extension.grid import ChunkGrid, chunk_grids
from zom.grids.regular import wanted_rank
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["RectilinearConfiguration", "RectilinearGrid", "rectilinear"]

_SOURCE = "zarr-extensions, rectilinear chunk grid, configuration"

RANK = rule(
    "chunk-grid/rectilinear-rank",
    "the grid has chunk lengths for each dimension of the array",
    source=_SOURCE,
    compares=("shape",),
)
COVERS = rule(
    "chunk-grid/rectilinear-covers",
    "the chunks along each dimension cover the array",
    source=f"{_SOURCE}, chunk edge lengths",
)

Positive = Annotated[int, Interval(1)]
Run = Annotated[list[Positive], Field(min_length=2, max_length=2)]
Edges: TypeAlias = Positive | list[Positive | Run]
"""The chunk lengths along one dimension: one repeated length, or lengths and [length, count] runs."""


class RectilinearConfiguration(Configuration):
    """The chunk lengths along each dimension."""

    kind: Literal["inline"]
    chunk_shapes: list[Edges]

    def canonical(self) -> dict[str, Any]:
        """Return the members with consecutive equal lengths merged into one run.

        >>> RectilinearConfiguration(kind="inline", chunk_shapes=[4, [2, 2, [2, 3], 1]]).canonical()
        {'kind': 'inline', 'chunk_shapes': [4, [[2, 5], 1]]}
        """
        shapes = [edges if isinstance(edges, int) else _merged(edges) for edges in self.chunk_shapes]
        return {"kind": self.kind, "chunk_shapes": shapes}


class RectilinearGrid(ChunkGrid):
    """`rectilinear`: chunks of different shapes."""

    name = "rectilinear"
    configuration = RectilinearConfiguration

    def lengths(
        self,
        configuration: RectilinearConfiguration,
        shape: tuple[int, ...] | None,
        faults: list[Fault],
        path: Path,
    ) -> tuple[tuple[int, ...], ...] | None:
        """Return the distinct chunk lengths of each dimension, sorted."""
        here = (*path, "configuration", "chunk_shapes")
        shapes = configuration.chunk_shapes
        if shape is not None and len(shapes) != len(shape):
            found = f"{len(shapes)} entries" if len(shapes) != 1 else "1 entry"
            faults.append(Fault(RANK, here, wanted_rank(len(shape), ("entry", "entries")), found))
            return None
        for place, edges in enumerate(shapes):
            if shape is None or isinstance(edges, int):
                continue
            covered = sum(length * count for length, count in _runs(edges))
            if covered < shape[place]:
                expected = f"lengths whose sum is at least {shape[place]}"
                found = f"{show(edges)}, whose sum is {covered}"
                faults.append(Fault(COVERS, (*here, place), expected, found))
        return tuple(
            (edges,) if isinstance(edges, int) else tuple(sorted({length for length, _ in _runs(edges)}))
            for edges in shapes
        )

    def axes(self, configuration: RectilinearConfiguration, shape: tuple[int, ...]) -> tuple[Axis, ...]:
        """Return one axis per dimension, with its chunk lengths or one repeated length.

        >>> shapes = RectilinearConfiguration(kind="inline", chunk_shapes=[4, [2, [3, 5]]])
        >>> [axis.count for axis in rectilinear.axes(shapes, (9, 9))]
        [3, 4]
        """
        pairs = zip(shape, configuration.chunk_shapes, strict=True)
        return tuple(
            Axis(length, edges) if isinstance(edges, int) else Axis.with_edges(length, _runs(edges))
            for length, edges in pairs
        )


def _runs(edges: list[int | list[int]]) -> Iterator[tuple[int, int]]:
    for edge in edges:
        yield (edge, 1) if isinstance(edge, int) else (edge[0], edge[1])


def _merged(edges: list[int | list[int]]) -> list[int | list[int]]:
    merged: list[tuple[int, int]] = []
    for length, count in _runs(edges):
        if merged and merged[-1][0] == length:
            merged[-1] = (length, merged[-1][1] + count)
        else:
            merged.append((length, count))
    return [length if count == 1 else [length, count] for length, count in merged]


rectilinear = chunk_grids.register(RectilinearGrid())
"""The `rectilinear` chunk grid."""
