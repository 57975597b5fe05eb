"""Nodes that can't be read: their stand-ins among the members of a group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.dataclass import dataclass
from zom.errors import SpecError

if TYPE_CHECKING:
    from zom.problems import Problem
    from zom.stores.interface import Store

__all__ = ["BrokenNode"]


@dataclass(frozen=True, slots=True, eq=False)
class BrokenNode:
    """A member of a group whose documents can't be read, or break rules.

    >>> import zom
    >>> group = zom.create_group("memory:", zom.v3.GroupSpec())
    >>> group.store.set("a/zarr.json", b"{")
    >>> group.members()["a"]
    <zom.BrokenNode memory:// /a: expected a name in double quotes or "}", found the end of the text (line 1, column 2)>
    """

    store: Store
    path: str
    """Its path in the hierarchy, as `/a/b`."""
    problems: tuple[Problem, ...]
    """All its problems."""

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def error(self) -> SpecError:
        """The error that opening it raises."""
        return SpecError(self.problems, self.store.url)

    def __repr__(self) -> str:
        shown = [each for each in self.problems if each.severity == "error"] or self.problems
        text = str(shown[0]).removeprefix(f"{self.path}: ") if len(shown) == 1 else f"{len(shown)} problems"
        return f"<zom.BrokenNode {self.store.url} {self.path}: {text}>"
