"""Indexing an array: the meaning of a key in brackets, and the kinds of indexing.

`array[key]` follows numpy; `oindex`, `vindex` and `blocks` give a key other meanings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from zom.engine.indexing import read_selection, split_fields, write_selection

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.engine.selection import Selection
    from zom.extension.bound import Array as NumpyArray
    from zom.handles.array import Array

__all__ = ["Indexer", "read_indexed", "write_indexed"]

_Select: TypeAlias = "Callable[[Any, tuple[int, ...]], Selection]"
"""Returns the selection of a key in an array of a shape."""


class Indexer:
    """One way to index an array: `array.oindex`, `array.vindex`, `array.blocks`.

    >>> import numpy as np, zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(3, 4), dtype="int8"))
    >>> array[:] = np.arange(12).reshape(3, 4)
    >>> array.oindex[[0, 2], [1, 3]]
    array([[ 1,  3],
           [ 9, 11]], dtype=int8)
    >>> array.vindex[[0, 2], [1, 3]]
    array([ 1, 11], dtype=int8)
    """

    def __init__(self, array: Array, select: _Select) -> None:
        self._array = array
        self._select = select

    def __getitem__(self, key: Any) -> NumpyArray:
        return read_indexed(self._array, self._select, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        write_indexed(self._array, self._select, key, value)

    def read(self, key: Any = (), *, out: NumpyArray | None = None) -> NumpyArray:
        """Read the elements that `key` selects, into `out` if given."""
        return read_indexed(self._array, self._select, key, out)


def read_indexed(array: Array, select: _Select, key: Any, out: NumpyArray | None = None) -> NumpyArray:
    """Read the elements of `array` that `key` selects, into `out` if given.

    A single element is returned as a numpy scalar, which can do everything that a zero-dimensional array can.
    """
    fields, rest = split_fields(key)
    selection = select(rest, array.shape)
    chunks = array.chunk_access
    made = read_selection(chunks, selection, fields=fields, out=out)
    if chunks.missing:
        array.warn_of_other_keys()
    scalar = out is None and not made.ndim and not _has_ellipsis(rest)
    found: Any = made[()] if scalar else made
    return cast("NumpyArray", found)


def write_indexed(array: Array, select: _Select, key: Any, value: Any) -> None:
    """Write `value` to the elements of `array` that `key` selects."""
    array.check_writable()
    array.check_current()
    fields, rest = split_fields(key)
    write_selection(array.chunk_access, select(rest, array.shape), value, fields=fields)


def _has_ellipsis(key: Any) -> bool:
    parts: tuple[Any, ...] = cast("tuple[Any, ...]", key) if isinstance(key, tuple) else (key,)
    return any(part is Ellipsis for part in parts)
