"""Bound codecs: a codec with its configuration, ready for chunks of one form.

Binding is done once for all chunks of a shape; what then runs for each chunk is `encode` and `decode` of
a `Coder`. Coders keep no state between calls and may be used from several threads at once.
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
"""Bytes, wherever they lie; a view is of single bytes and contiguous."""


@dataclass(frozen=True, slots=True)
class Block:
    """A chunk as an array in memory, all of whose facts are known.

    >>> import numpy as np, zom.dtypes
    >>> from zom.extension.resolve import data_type
    >>> Block((2, 3), data_type("int16"), np.int16(0)).nbytes
    12
    """

    shape: tuple[int, ...]
    data_type: DataType
    fill: Any
    """The scalar that stands where nothing was written, of this type."""
    dtype: np.dtype[Any] = field(init=False)
    """What numpy holds the elements as."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", self.data_type.numpy())

    @property
    def count(self) -> int:
        """How many elements there are."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int | None:
        """The bytes of all elements as a chunk stores them; None where elements differ in length."""
        width = self.data_type.itemsize
        return None if width is None else self.count * width


@dataclass(frozen=True, slots=True)
class Stream:
    """A chunk as bytes.

    >>> Stream(12, 12, 2).nbytes
    12
    """

    nbytes: int | None
    """How many there are, where that is the same for all chunks of the form."""
    most: int
    """How many there may be: a decoder never makes more, and refuses what would be."""
    width: int = 1
    """The bytes of one element of the array that they were: what shuffles work by."""


Form: TypeAlias = Block | Stream
"""What stands between two coders."""

D = TypeVar("D")
E = TypeVar("E")


class Coder(ABC, Generic[D, E]):
    """One codec, bound: turns what was decoded into what is encoded, and back.

    Whatever is wrong with the data is a `CodecError`, whose message doesn't repeat the codec's name; what
    a library below raises may pass through, the chain turns it into one. The data is hostile until it is
    checked: no coder may crash, hang, or use more memory than twice what its form declares.
    """

    plain: bool = False
    """For array->bytes: whether the bytes are the memory of the array, in C order."""
    verify: Callable[[Array], None] | None = None
    """For array->bytes that are plain: what refuses memory that holds no elements."""
    is_view: bool = False
    """For array->array: whether `encode` gives a view, so that what is put into it is decoded."""
    scatters: bool = False
    """For array->bytes: whether `decode_array_into` spares the copy of what `decode` gives."""
    is_slow: bool = False
    """For bytes->bytes: whether a KiB takes it a microsecond or more, without the interpreter's lock."""
    allocates: bool = False
    """For bytes->bytes: whether `decode` makes memory of its own at no cost, and `decode_into` copies it."""
    batches: bool = False
    """For bytes->bytes: whether `decode_rows` decodes many chunks at once, without the interpreter's lock."""
    most: int | None = None
    """How many bytes `encode` may give, where the coder knows better than the chain."""

    @abstractmethod
    def encode(self, chunk: D) -> E:
        """What `chunk` is stored as; `chunk` itself stays as it is."""

    def encode_rows(self, rows: memoryview, count: int) -> list[Data]:
        """For bytes->bytes: what each of `count` chunks is stored as, that lie one behind the other in `rows`."""
        size = len(rows) // count
        encode: Any = self.encode
        return [encode(rows[start : start + size]) for start in range(0, count * size, size)]

    @abstractmethod
    def decode(self, chunk: E) -> D:
        """What `chunk` was made of; it may share memory with `chunk`, and may be read-only."""

    def decode_into(self, chunk: E, target: memoryview) -> None:
        """Put the bytes that `chunk` was made of into `target`, which has room for just so many."""
        made: Any = self.decode(chunk)
        view = memoryview(made)
        if view.nbytes != len(target):
            raise CodecError(f"expected {len(target)} bytes, found {view.nbytes}")
        target[:] = view.cast("B")

    def decode_rows(self, chunks: Sequence[E], target: memoryview) -> None:
        """Put the bytes that each of `chunks` was made of into `target`, one behind the other: all are as many.

        The CodecError of one that is at fault does not tell which it was.
        """
        size = len(target) // len(chunks)
        into = self.decode_into
        for number, chunk in enumerate(chunks):
            into(chunk, target[number * size : (number + 1) * size])

    def decode_array_into(self, chunk: E, target: Array) -> None:
        """Put the elements that `chunk` was made of into `target`, however that lies in memory."""
        target[...] = self.decode(chunk)


ArrayCoder: TypeAlias = Coder[Array, Array]
"""A bound array->array codec. It gets and gives arrays of the shapes and types of its two blocks."""

Serializer: TypeAlias = "Coder[Array, Data]"
"""A bound array->bytes codec."""

ByteCoder: TypeAlias = "Coder[Data, Data]"
"""A bound bytes->bytes codec."""
