"""Chunk grids: how an array is cut into chunks, as documents say it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from zom.errors import ExtensionError
from zom.extension.configuration import Configuration, NoConfiguration
from zom.extension.contract import BOOLEAN, CONFIGURATION, NAME, NAMES, Contract, method
from zom.extension.registry import Registry

if TYPE_CHECKING:
    from zom.extension.axis import Axis
    from zom.problems import Fault, Path

__all__ = ["ChunkGrid", "chunk_grids"]


class ChunkGrid(ABC):
    """One kind of grid. Stateless; the configuration is passed in."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    configuration: ClassVar[type[Configuration]] = NoConfiguration
    registered: ClassVar[bool] = True
    sees_lengths: ClassVar[bool] = True
    """Whether `lengths` looks at the array's lengths, not only at how many there are, and which are 0."""

    @abstractmethod
    def lengths(
        self,
        configuration: Any,
        shape: tuple[int, ...] | None,
        faults: list[Fault],
        path: Path,
    ) -> tuple[tuple[int, ...], ...] | None:
        """For each dimension, every length that a chunk has there; None where it can't be told.

        `shape` is None where the document's shape is itself at fault. `path` leads to the grid's
        definition: a fault in its configuration has the path (*path, "configuration", ...).
        """

    def axes(self, configuration: Any, shape: tuple[int, ...]) -> tuple[Axis, ...]:
        """The grid of an array of this shape, for whom `lengths` has found no fault."""
        del configuration, shape
        message = f"the chunk grid {self.name!r} can be written in documents, but not used: it has no `axes`"
        raise ExtensionError(message)

    def __repr__(self) -> str:
        return f"<chunk grid {self.name}>"


_CONTRACT = Contract(
    ChunkGrid,
    (
        NAME,
        NAMES,
        CONFIGURATION,
        BOOLEAN,
        BOOLEAN._replace(name="sees_lengths"),
        method("lengths", "configuration", "shape", "faults", "path", is_own=True),
        method("axes", "configuration", "shape", is_own=True),
    ),
)

chunk_grids: Registry[ChunkGrid] = Registry(
    "chunk grid", "zom.chunk_grids", home="zom.grids", contract=_CONTRACT.faults
)
"""All chunk grids that zom knows."""
