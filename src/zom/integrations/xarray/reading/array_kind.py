"""What all arrays with one spec have in common for xarray: worked out once, for hundreds of variables."""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING, Any, Final

from xarray.core.indexing import BasicIndexer

from zom.dataclass import dataclass
from zom.integrations.xarray.reading.dimensions import dimensions_of
from zom.integrations.xarray.reading.encoding import encoding_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    import numpy as np

    from zom.handles.array import Array

__all__ = ["ArrayKind"]

_CODECS: Final = ("compressors", "filters", "serializer")


@dataclass(frozen=True, slots=True)
class ArrayKind:
    """The dimensions, the type, the fill value and the encoding of arrays."""

    dimensions: tuple[Hashable, ...]
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fill_value: Any
    key: BasicIndexer
    """All elements, as xarray says it."""
    stored: dict[str, Any]
    """Their encoding without codecs; `encoding` copies it."""
    codecs: Any
    """Their codecs: those of numcodecs, or documents as `marshal` writes them, which is the quickest way to copy."""

    @classmethod
    def of(cls, array: Array) -> ArrayKind:
        """The kind that `array` is of."""
        dimensions = dimensions_of(array)
        stored = encoding_of(array, dimensions)
        codecs: Any = {place: stored.pop(place) for place in _CODECS if place in stored}
        if array.layout.family.form != "v2":
            codecs = marshal.dumps(codecs)
        key = BasicIndexer((slice(None),) * array.ndim)
        return cls(dimensions, array.dtype, array.shape, _fill_value(array), key, stored, codecs)

    def encoding(self) -> dict[str, Any]:
        """The encoding for one variable, which may change it."""
        codecs: Any = marshal.loads(self.codecs) if isinstance(self.codecs, bytes) else self.codecs  # noqa: S302 - our own bytes
        return {**self.stored, "preferred_chunks": dict(self.stored["preferred_chunks"]), **codecs}


def _fill_value(array: Array) -> Any:
    """The fill value; that of texts is one that masks no empty ones where zarr-python 2 wrote its default, 0.

    zarr-python 3 has "0" there, and so has xarray's engine "zarr".
    """
    fill = array.fill_value
    written: object = array.spec.document.get("fill_value")
    return str(written) if isinstance(fill, str) and type(written) is int else fill
