"""What all arrays with one spec have in common for xarray: worked out once, for hundreds of variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from zom.integrations.xarray.reading.dimensions import dimensions_of
from zom.integrations.xarray.reading.encoding import encoding_of
from zom.json.value import thaw

if TYPE_CHECKING:
    from collections.abc import Hashable

    import numpy as np

    from zom.handles.array import Array

__all__ = ["ArrayKind"]


@dataclass(frozen=True, slots=True)
class ArrayKind:
    """The dimensions, the type, the fill value and the encoding of arrays."""

    dimensions: tuple[Hashable, ...]
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fill_value: Any
    stored: dict[str, Any]
    """Their encoding; `encoding` copies it."""

    @classmethod
    def of(cls, array: Array) -> ArrayKind:
        """The kind that `array` is of."""
        dimensions = dimensions_of(array)
        return cls(dimensions, array.dtype, array.shape, array.fill_value, encoding_of(array, dimensions))

    def encoding(self) -> dict[str, Any]:
        """The encoding for one variable, which may change it."""
        made = {**self.stored, "preferred_chunks": dict(self.stored["preferred_chunks"])}
        for place in ("filters", "serializer", "compressors"):
            found: Any = made.get(place)
            if found:
                made[place] = (
                    thaw(found) if place == "serializer" else tuple([thaw(codec) for codec in found])
                )
        return made
