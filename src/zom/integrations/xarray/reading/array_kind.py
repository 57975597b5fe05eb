"""The xarray properties that all arrays with the same spec share, computed once for hundreds of variables."""

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
    """The dimensions, data type, fill value and encoding of arrays with one spec."""

    dimensions: tuple[Hashable, ...]
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fill_value: Any
    key: BasicIndexer
    """xarray's indexer for all elements."""
    stored: dict[str, Any]
    """Their encoding without codecs; `encoding` copies it."""
    codecs: Any
    """Their codecs: numcodecs objects, or documents as `marshal` bytes, the fastest way to copy them."""

    @classmethod
    def of(cls, array: Array) -> ArrayKind:
        """Return the kind of `array`."""
        dimensions = dimensions_of(array)
        stored = encoding_of(array, dimensions)
        codecs: Any = {place: stored.pop(place) for place in _CODECS if place in stored}
        if array.layout.family.form != "v2":
            codecs = marshal.dumps(codecs)
        key = BasicIndexer((slice(None),) * array.ndim)
        return cls(dimensions, array.dtype, array.shape, _fill_value(array), key, stored, codecs)

    def encoding(self) -> dict[str, Any]:
        """Return a copy of the encoding, which one variable may change."""
        codecs: Any = marshal.loads(self.codecs) if isinstance(self.codecs, bytes) else self.codecs  # noqa: S302 - our own bytes
        return {**self.stored, "preferred_chunks": dict(self.stored["preferred_chunks"]), **codecs}


def _fill_value(array: Array) -> Any:
    """Return the fill value; for text with zarr-python 2's default 0, "0", which doesn't mask empty text.

    zarr-python 3 and xarray's engine "zarr" also use "0" there.
    """
    fill = array.fill_value
    written: object = array.spec.document.get("fill_value")
    return str(written) if isinstance(fill, str) and type(written) is int else fill
