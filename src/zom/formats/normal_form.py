"""The layout of an array in one form for all formats and spellings: the properties of `zom.Array`.

The document's own spelling is in `spec.document`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.errors import UnknownName
from zom.formats.resolve import resolve
from zom.model.array import Array
from zom.problems import show

if TYPE_CHECKING:
    import numpy as np

    from zom.formats.resolved import Lengths, ResolvedArray

__all__ = ["NormalForm"]

ChunkShape = tuple[int | tuple[int, ...], ...]
"""A length per dimension; if chunks differ along one, the tuple of all their lengths."""


class NormalForm(Array):
    """An array of a format with several spellings of chunks, shards and types.

    >>> from zom import v3
    >>> spec = v3.ArraySpec.build(shape=(4, 6), dtype="float32", chunks=(2, 3), shards=(4, 6))
    >>> spec.chunks, spec.shards, spec.dtype
    ((2, 3), (4, 6), dtype('float32'))
    """

    @property
    def chunks(self) -> ChunkShape:
        """The shape of the smallest piece that can be read, for any spelling of grid and shards.

        If chunks differ in length along a dimension, its entry is a tuple of all lengths.
        """
        array = resolve(self)
        if array.chunks is None:
            raise _unknown("chunk grid", array.document[array.family.chunks_path[0]])
        return _shape(array, array.chunks)

    @property
    def shards(self) -> ChunkShape | None:
        """The shape of the stored objects if they hold several chunks, else None."""
        array = resolve(self)
        return None if array.shards is None else _shape(array, array.shards)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy dtype of the elements; `data_type` is the document's value."""
        array = resolve(self)
        if array.data_type is None:
            raise _unknown("data type", array.document[array.family.type_path[0]])
        return array.data_type.numpy()


def _shape(array: ResolvedArray, lengths: Lengths) -> ChunkShape:
    axes = array.encoding.axes(array.shape) if array.encoding.axes is not None else ()
    shape: list[int | tuple[int, ...]] = []
    for place, choices in enumerate(lengths):
        if len(choices) == 1 or place >= len(axes):
            shape.append(choices[0])
        else:
            shape.append(tuple(axes[place].size(index) for index in range(axes[place].count)))
    return tuple(shape)


def _unknown(what: str, found: Any) -> UnknownName:
    step = "zom.load_extensions() loads those of packages"
    return UnknownName(f"{what}: expected a registered one, found {show(found)}; {step}")
