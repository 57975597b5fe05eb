"""The lists stored by json2 and msgpack2: the elements, their type, and the shape of the array.

The nesting of elements matches the array's dimensions; their type is in numpy's spelling.

https://numcodecs.readthedocs.io/en/stable/other/json.html
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

from zom.count import count_of
from zom.errors import CodecError
from zom.numpy_later import np

if TYPE_CHECKING:
    from zom.extension.bound import Array, Block

__all__ = ["as_list", "from_list"]


def as_list(chunk: Array) -> list[Any]:
    """Return the stored list of `chunk`.

    >>> as_list(np.array([["a", None]], object))
    [['a', None], '|O', [1, 2]]
    """
    items: list[Any] = np.atleast_1d(chunk).tolist()
    return [*items, chunk.dtype.str, list(chunk.shape)]


def from_list(found: object, block: Block) -> Array:
    """Return the elements in the list `found`; raise CodecError if they don't match `block`.

    >>> import zom.dtypes
    >>> from zom.extension.bound import Block
    >>> from zom.extension.resolve import data_type
    >>> from_list([1, 2, "<i4", [2]], Block((2,), data_type("int32"), 0)).tolist()
    [1, 2]
    """
    if not isinstance(found, list) or len(cast("list[Any]", found)) < 2:
        raise CodecError("expected a list that ends with a type and a shape")
    *items, name, shape = cast("list[Any]", found)
    flat = _flat(items, _checked_shape(shape, block))
    name = name.decode("latin-1") if isinstance(name, bytes) else name
    # Don't use the stated type: numpy would allocate memory according to it.
    if name != block.dtype.str:
        raise CodecError(f"expected elements of type {block.dtype.str!r}, found {str(name)[:40]!r}")
    made = np.empty(len(flat), block.dtype)
    if block.dtype.kind == "O":
        # Assign one by one: numpy treats a list of lists as a table.
        for index, item in enumerate(flat):
            made[index] = item
    else:
        made[:] = flat
    return made.reshape(block.shape)


def _checked_shape(shape: object, block: Block) -> tuple[int, ...]:
    if not isinstance(shape, list) or any(type(length) is not int for length in cast("list[Any]", shape)):
        raise CodecError("expected a list that ends with a type and a shape")
    found = tuple(cast("list[int]", shape))
    if found not in {block.shape, (math.prod(block.shape),)}:
        raise CodecError(f"expected the shape {list(block.shape)}, found {list(found)[:64]}")
    return found


def _flat(items: list[Any], shape: tuple[int, ...]) -> list[Any]:
    """Return the elements in C order; an array without dimensions is a list of one."""
    flat: list[Any] = [items]
    for length in shape or (1,):
        made: list[Any] = []
        for row in flat:
            if not isinstance(row, list) or len(cast("list[Any]", row)) != length:
                what = (
                    count_of(len(cast("list[Any]", row)), "item")
                    if isinstance(row, list)
                    else type(row).__name__
                )
                raise CodecError(f"expected a list of {count_of(length, 'item')}, found {what}")
            made.extend(cast("list[Any]", row))
        flat = made
    return flat
