"""Which arrays of a group are wanted, and what is made of their fill values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.integrations.xarray.reading.array_kind import ArrayKind
    from zom.integrations.xarray.reading.found import FoundArray

__all__ = ["Wanted", "mentioned"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The arrays that become variables."""

    dropped: frozenset[str] = frozenset()
    kept: tuple[str, ...] | None = None
    """The only ones that are kept, beside their coordinates; None for all."""
    mask: bool | None = None
    """Whether fill values are missing values; None where the format decides."""

    def names_broken(self, name: str) -> bool:
        """Whether a member that can't be read is asked for."""
        return name not in self.dropped and (self.kept is None or name in self.kept)

    def arrays(self, found: Mapping[str, FoundArray], kinds: Mapping[str, ArrayKind]) -> set[str]:
        """The names of the arrays that are kept, and of all that may be coordinates of these.

        Which of them are coordinates is known once they are decoded.
        """
        kept = {name for name in self.kept or () if name in found}
        dimensions = {dimension for name in kept for dimension in kinds[name].dimensions}
        beside = {name for name, kind in kinds.items() if dimensions.issuperset(kind.dimensions)}
        return kept | beside | mentioned({name: found[name] for name in kept})


def mentioned(arrays: Mapping[str, FoundArray]) -> set[str]:
    """The names that stand in the attribute `coordinates` of any of these arrays.

    >>> mentioned({})
    set()
    """
    said: list[Any] = [array.attributes.get("coordinates") for array in arrays.values()]
    return {name for text in said if isinstance(text, str) for name in text.split()}
