"""The conventions as a source of schemas: `convention/ome/0.5` is a name just like `v3/array`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.conventions.framework.registered import conventions
from zom.dataclass import dataclass
from zom.schema.source import sources

if TYPE_CHECKING:
    from zom.schema.source import Described

__all__ = ["SOURCE", "ConventionSchemas"]


@dataclass(frozen=True)
class ConventionSchemas:
    """The schemas of all registered conventions.

    >>> "xarray" in ConventionSchemas().names()
    True
    """

    name: str = "convention"
    aliases: tuple[str, ...] = ()

    def names(self) -> list[str]:
        """The names of the conventions."""
        return sorted(each.name for each in conventions)

    def find(self, name: str) -> Described:
        """The convention with that name."""
        return conventions[name]


SOURCE: Final = sources.register(ConventionSchemas())
"""The source for names that begin with `convention/`."""
