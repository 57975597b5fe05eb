"""Coders of numcodecs' filters: elements viewed as the type stated in the configuration.

numcodecs views the memory of its input as its own `dtype`, flattens it and returns a flat array. The same
is done here, in C order, and the flat array is reshaped to the shape from `thread`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.errors import ExtensionError, ZomError
from zom.extension.bound import Block, Coder
from zom.extension.element_memory import reordered
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.extension.bound import Array, Form
    from zom.extension.codec import Elements
    from zom.extension.datatype import DataType

__all__ = ["Filter", "blocks_of", "stored_fill"]


def blocks_of(name: str, before: Form, after: Form) -> tuple[Block, Block]:
    """Return both forms as blocks; raise ExtensionError if one is not."""
    if not isinstance(before, Block) or not isinstance(after, Block):
        raise ExtensionError(f"the {name} codec expects elements")
    return before, after


def stored_fill(
    before: Elements, taken: DataType | None, stored: DataType | None, forward: Callable[[Array], Array]
) -> Any:
    """Return the fill value as stored by a filter of single elements, or None if unknown.

    Missing inner chunks of a shard hold this value.
    """
    if taken is None or stored is None or before.data_type is None:
        return None
    if before.fill is None or isinstance(before.fill, np.void):
        return None
    try:
        seen = np.array([before.fill], before.data_type.numpy()).view(taken.numpy())
        with np.errstate(all="ignore"):
            made = forward(seen).astype(stored.numpy(), copy=False)
    except (ZomError, ValueError, TypeError, OverflowError):
        return None
    return made[0] if made.size == 1 else None


class Filter(Coder[Any, Any]):
    """A filter of two functions on flat arrays: from the stated type to the stored one, and back.

    >>> import zom.dtypes
    >>> from zom.extension.resolve import data_type
    >>> int8 = data_type("int8")
    >>> block = Block((2, 1), int8, None)
    >>> Filter(block, int8, block, np.negative, np.negative).encode(np.array([[1], [2]], "i1")).tolist()
    [[-1], [-2]]
    """

    def __init__(
        self,
        before: Block,
        taken: DataType,
        after: Block,
        forward: Callable[[Array], Array],
        back: Callable[[Array], Array],
    ) -> None:
        self._before = before
        self._after = after
        self._taken = taken.numpy()
        self._forward = forward
        self._back = back

    def encode(self, chunk: Array) -> Array:
        """Apply the first function to the elements."""
        made = self._forward(_seen(chunk, self._before.dtype, self._taken))
        return _exact(made, self._after.dtype).reshape(self._after.shape)

    def decode(self, chunk: Array) -> Array:
        """Apply the second function to the stored elements."""
        made = _exact(self._back(_seen(chunk, self._after.dtype, self._after.dtype)), self._taken)
        return _seen(made, self._taken, self._before.dtype).reshape(self._before.shape)


def _exact(array: Array, dtype: np.dtype[Any]) -> Array:
    """Return the array in the byte order of `dtype`."""
    return array if array.dtype == dtype else reordered(array, dtype)


def _seen(array: Array, dtype: np.dtype[Any], other: np.dtype[Any]) -> Array:
    """View the memory of an array of `dtype`, in C order, as a flat array of `other`."""
    flat = np.ascontiguousarray(_exact(array, dtype)).reshape(-1)
    return flat if dtype == other else flat.view(other)
