"""Bound codecs: a codec with its configuration, ready for chunks of one form.

A codec is bound once for all chunks of a shape; `encode` and `decode` of the `Coder` then run for each
chunk. Coders keep no state between calls, and several threads may use one at the same time.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import field
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from zom.dataclass import dataclass
from zom.errors import CodecError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

    from zom.extension.datatype import DataType

__all__ = ["Array", "ArrayCoder", "Block", "ByteCoder", "Coder", "Data", "Form", "Serializer", "Stream"]

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
"""A numpy array of any type and shape."""

Data: TypeAlias = "bytes | bytearray | memoryview[int]"
"""Bytes in any buffer; a view must be contiguous, with items of one byte."""


@dataclass(frozen=True, slots=True)
class Block:
    """A chunk as an array in memory: its shape, data type and fill value.

    >>> import numpy as np, zom.dtypes
    >>> from zom.extension.resolve import data_type
    >>> Block((2, 3), data_type("int16"), np.int16(0)).nbytes
    12
    """

    shape: tuple[int, ...]
    data_type: DataType
    fill: Any
    """The fill value, as a scalar of this type."""
    dtype: np.dtype[Any] = field(init=False)
    """The numpy type of the elements."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", self.data_type.numpy())

    @property
    def count(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int | None:
        """The size of all elements in a stored chunk, in bytes; None if elements vary in length."""
        width = self.data_type.itemsize
        return None if width is None else self.count * width


@dataclass(frozen=True, slots=True)
class Stream:
    """A chunk as bytes.

    >>> Stream(12, 12, 2).nbytes
    12
    """

    nbytes: int | None
    """The number of bytes, if it is the same for all chunks of the form; None otherwise."""
    most: int
    """The maximum number of bytes: a decoder raises instead of producing more."""
    width: int = 1
    """The size of one element of the original array in bytes, for shuffles."""


Form: TypeAlias = Block | Stream
"""The form of a chunk between two coders."""

D = TypeVar("D")
E = TypeVar("E")


class Coder(ABC, Generic[D, E]):
    """One bound codec: encodes and decodes chunks.

    Raise `CodecError` for invalid data; the message doesn't repeat the codec's name. Exceptions of an
    underlying library may pass through: the chain converts them. Treat data as hostile until it is
    checked: no coder may crash, hang, or use more memory than twice what its form declares.
    """

    plain: bool = False
    """For array->bytes: whether the bytes equal the memory of the array, in C order."""
    verify: Callable[[Array], None] | None = None
    """For plain array->bytes: a function that raises CodecError if memory holds invalid elements."""
    is_view: bool = False
    """For array->array: whether `encode` returns a view, so that writing encoded data into it decodes it."""
    scatters: bool = False
    """For array->bytes: whether `decode_array_into` avoids the copy that `decode` needs."""
    is_slow: bool = False
    """For bytes->bytes: whether a KiB takes a microsecond or more, without holding the GIL."""
    allocates: bool = False
    """For bytes->bytes: whether `decode` allocates its result at no cost, and `decode_into` copies it."""
    batches: bool = False
    """For bytes->bytes: whether `decode_rows` decodes many chunks at once, without holding the GIL."""
    most: int | None = None
    """The maximum number of bytes that `encode` returns, if the coder knows a better bound than the chain."""

    @abstractmethod
    def encode(self, chunk: D) -> E:
        """Return the encoded form of `chunk`, without changing `chunk`."""

    def encode_rows(self, rows: memoryview, count: int) -> list[Data]:
        """For bytes->bytes: encode `count` chunks of equal size that are consecutive in `rows`."""
        size = len(rows) // count
        encode: Any = self.encode
        return [encode(rows[start : start + size]) for start in range(0, count * size, size)]

    @abstractmethod
    def decode(self, chunk: E) -> D:
        """Return the decoded form of `chunk`; it may share memory with `chunk` and may be read-only."""

    def decode_into(self, chunk: E, target: memoryview) -> None:
        """Decode `chunk` into `target`, which has exactly the decoded size."""
        made: Any = self.decode(chunk)
        view = memoryview(made)
        if view.nbytes != len(target):
            raise CodecError(f"expected {len(target)} bytes, found {view.nbytes}")
        target[:] = view.cast("B")

    def decode_rows(self, chunks: Sequence[E], target: memoryview) -> None:
        """Decode `chunks` into consecutive parts of `target`; all have the same decoded size.

        A CodecError does not say which chunk is invalid.
        """
        size = len(target) // len(chunks)
        into = self.decode_into
        for number, chunk in enumerate(chunks):
            into(chunk, target[number * size : (number + 1) * size])

    def decode_array_into(self, chunk: E, target: Array) -> None:
        """Decode `chunk` into `target`, which may have any memory layout."""
        target[...] = self.decode(chunk)


ArrayCoder: TypeAlias = Coder[Array, Array]
"""A bound array->array codec. It takes and returns arrays of the shapes and types of its two blocks."""

Serializer: TypeAlias = "Coder[Array, Data]"
"""A bound array->bytes codec."""

ByteCoder: TypeAlias = "Coder[Data, Data]"
"""A bound bytes->bytes codec."""
