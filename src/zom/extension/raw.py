"""Elements as consecutive bytes: the codec `bytes`, and v2's implicit conversion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.errors import CodecError, ExtensionError, ZomError
from zom.extension.bound import Block, Coder
from zom.extension.element_memory import element_check, reordered, trim
from zom.numpy_later import np
from zom.problems import cause_text, given_text

if TYPE_CHECKING:
    from zom.extension.bound import Array, Data
    from zom.extension.datatype import ByteOrder

__all__ = ["FromBytes", "Packed", "Raw", "byte_view", "raw"]


class Raw(Coder[Any, Any]):
    r"""Elements as they are in memory, in C order: v2's implicit conversion.

    >>> import zom.dtypes
    >>> from zom.extension.resolve import data_type
    >>> raw = Raw(Block((2,), data_type("int8"), 0))
    >>> bytes(raw.encode(np.array([1, 2], "i1"))), raw.decode(b"ab")
    (b'\x01\x02', array([97, 98], dtype=int8))
    """

    plain = True

    def __init__(self, block: Block, stored: np.dtype[Any] | None = None) -> None:
        if block.nbytes is None:
            raise ExtensionError(f"elements of {block.data_type.name} have no fixed size: a codec is missing")
        self._shape = block.shape
        self._dtype = block.dtype if stored is None else stored
        self._nbytes = block.nbytes
        self.verify = element_check(self._dtype)
        self._trim = trim(self._dtype)
        self.plain = self._trim is None and self._dtype == block.dtype

    def encode(self, chunk: Array) -> Data:
        """Return the bytes of the elements, in C order."""
        if chunk.dtype is not self._dtype and chunk.dtype != self._dtype:
            chunk = reordered(chunk, self._dtype)
        if self._trim is not None:
            chunk = self._trim.encode(chunk)
        return byte_view(chunk) if chunk.flags.c_contiguous else chunk.tobytes()

    def decode(self, chunk: Data) -> Array:
        """Return the elements that `chunk` stores."""
        view = memoryview(chunk)
        if view.nbytes != self._nbytes:
            raise CodecError(f"expected {self._nbytes} bytes, found {view.nbytes}")
        if not self._nbytes:
            # `np.zeros` gives elements of 0 bytes a size of 1.
            return np.ndarray(self._shape, self._dtype)
        made = np.frombuffer(view, self._dtype).reshape(self._shape)
        if self._trim is not None:
            made = self._trim.decode(made)
        if self.verify is not None:
            self.verify(made)
        return made

    def decode_into(self, chunk: Data, target: memoryview) -> None:
        """Copy the bytes to `target`, which must have the same size."""
        view = memoryview(chunk)
        if view.nbytes != len(target):
            raise CodecError(f"expected {len(target)} bytes, found {view.nbytes}")
        target[:] = view


class Packed(Coder[Any, Any]):
    r"""Elements whose stored bytes differ from memory: their data type converts them.

    >>> import zom.dtypes
    >>> from zom.dtypes.int import IntType
    >>> packed = Packed(Block((2,), IntType(3, signed=True), 0), "little")
    >>> bytes(packed.encode(np.array([1, -2], "i1"))), packed.decode(b"\x01\x06")
    (b'\x01\xfe', array([ 1, -2], dtype=int8))
    """

    def __init__(self, block: Block, order: ByteOrder) -> None:
        self._block = block
        self._order: ByteOrder = order
        self._width = block.data_type.itemsize or 0

    def encode(self, chunk: Array) -> Data:
        """Return the bytes of the elements, in C order."""
        stored = self._given("dump", chunk, np.dtype(np.uint8), (*chunk.shape, self._width))
        return byte_view(np.ascontiguousarray(stored))

    def decode(self, chunk: Data) -> Array:
        """Return the elements that `chunk` stores."""
        view = memoryview(chunk)
        if view.nbytes != self._block.nbytes:
            raise CodecError(f"expected {self._block.nbytes} bytes, found {view.nbytes}")
        stored = np.frombuffer(view, np.uint8).reshape(*self._block.shape, self._width)
        return self._given("load", stored, self._block.dtype, self._block.shape)

    def _given(self, method: str, elements: Array, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
        """Call a method of the data type; raise CodecError if it returns anything but such an array."""
        data_type = self._block.data_type
        try:
            made: object = getattr(data_type, method)(elements, self._order)
        except (ZomError, MemoryError, RecursionError):
            raise
        except Exception as cause:
            raise CodecError(f"{data_type.name}: {method} raised {cause_text(cause)}") from cause
        # numpy often returns a scalar for an array without dimensions.
        is_array = isinstance(made, (np.ndarray, np.generic))
        given: Array | None = np.asarray(cast("Array", made)) if is_array else None
        if given is not None and given.dtype == dtype and given.shape == shape:
            return given
        found = given_text(made) if given is None else f"{given.dtype} of shape {given.shape}"
        raise CodecError(f"{data_type.name}: expected {dtype} of shape {shape} from {method}, found {found}")


def raw(block: Block) -> Coder[Any, Any]:
    """Return the coder used if no codec says how: in the byte order of the type, little-endian by default."""
    is_packed = block.data_type.is_packed
    return Packed(block, block.data_type.order or "little") if is_packed else Raw(block)


class FromBytes(Coder[Any, Any]):
    """Bytes as elements of one byte: for v2 filters that need elements after a filter that returns bytes."""

    def encode(self, chunk: Data) -> Array:
        """Return the bytes as an array of uint8."""
        return np.frombuffer(chunk, np.uint8)

    def decode(self, chunk: Array) -> Data:
        """Return the bytes of the array, whatever its type."""
        return byte_view(np.ascontiguousarray(chunk))


def byte_view(array: Array) -> memoryview:
    """Return the memory of a contiguous array as bytes; writable if the array is.

    >>> byte_view(np.array(["2020"], "M8[Y]")).nbytes
    8
    """
    # Not every numpy type supports the buffer protocol; uint8 does.
    if not array.dtype.itemsize:
        return memoryview(bytearray())
    return array.reshape(-1).view(np.uint8).data
