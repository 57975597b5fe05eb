"""The arrays of a group to read, and how to treat their fill values."""

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
    """The arrays to keep, with their coordinates; None for all."""
    mask: bool | None = None
    """Whether fill values are missing values; None lets the format decide."""

    def names_broken(self, name: str) -> bool:
        """Whether an unreadable member is selected."""
        return name not in self.dropped and (self.kept is None or name in self.kept)

    def arrays(self, found: Mapping[str, FoundArray], kinds: Mapping[str, ArrayKind]) -> set[str]:
        """Return the names of the arrays to keep, and of all their possible coordinates.

        Which of these are coordinates is known only after decoding.
        """
        kept = {name for name in self.kept or () if name in found}
        dimensions = {dimension for name in kept for dimension in kinds[name].dimensions}
        beside = {name for name, kind in kinds.items() if dimensions.issuperset(kind.dimensions)}
        return kept | beside | mentioned({name: found[name] for name in kept})


def mentioned(arrays: Mapping[str, FoundArray]) -> set[str]:
    """Return the names in the `coordinates` attributes of these arrays.

    >>> mentioned({})
    set()
    """
    said: list[Any] = [array.attributes.get("coordinates") for array in arrays.values()]
    return {name for text in said if isinstance(text, str) for name in text.split()}
