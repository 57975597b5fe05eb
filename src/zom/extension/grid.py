"""Chunk grids: how an array is divided into chunks, as described in documents."""

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
    """One kind of grid. Stateless; methods take the configuration as an argument."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    configuration: ClassVar[type[Configuration]] = NoConfiguration
    registered: ClassVar[bool] = True
    sees_lengths: ClassVar[bool] = True
    """Whether `lengths` depends on the array's lengths, not only on their number and on which are 0."""

    @abstractmethod
    def lengths(
        self,
        configuration: Any,
        shape: tuple[int, ...] | None,
        faults: list[Fault],
        path: Path,
    ) -> tuple[tuple[int, ...], ...] | None:
        """Return the chunk lengths that occur along each dimension, or None if unknown.

        `shape` is None if the document's shape is invalid. `path` is the path of the grid's definition:
        a fault in its configuration has the path (*path, "configuration", ...).
        """

    def axes(self, configuration: Any, shape: tuple[int, ...]) -> tuple[Axis, ...]:
        """Return the axes of the grid for an array of this shape; `lengths` has found no fault."""
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
"""All known chunk grids."""
