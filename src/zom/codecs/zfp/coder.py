"""Coders of zfp: the v3 codec, whose chunks have no header, and numcodecs' zfpy, whose chunks have one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from typing_extensions import override

from zom.codecs.vlen import place_of
from zom.codecs.zfp.library import TYPES, Mode, Zfp
from zom.errors import CodecError, ExtensionError
from zom.extension.bound import Block, Coder
from zom.numpy_later import np

if TYPE_CHECKING:
    from zom.extension.bound import Array, Data

__all__ = ["ZfpCoder", "ZfpyCoder", "bits_of"]

_WIDE: Final = {4: "int32", 8: "int64"}


def bits_of(name: str) -> int:
    """Return the number of bits of the integer type `name`.

    >>> bits_of("uint4"), bits_of("int16")
    (4, 16)
    """
    return int(name.removeprefix("u").removeprefix("int"))


class ZfpCoder(Coder[Any, Any]):
    """Elements as zfp stores them, without a header; narrow types are promoted to 32 bits.

    zarrs stores unsigned integers of 32 and 64 bits as signed ones, and clamps the larger half of them to
    the maximum. This coder reads them in the same way, but raises CodecError for values that it would clamp.
    """

    def __init__(self, block: Block, mode: Mode) -> None:
        self._block = block
        self._kind = block.data_type.kind
        self._name = block.data_type.name
        if self._kind in {"datetime", "timedelta"}:
            inside = "int64"
        elif self._kind == "float":
            inside = "float64" if self._name == "float64" else "float32"
        else:
            inside = _WIDE.get(block.dtype.itemsize, "int32")
        self._inside: np.dtype[Any] = np.dtype(inside)
        self._zfp = Zfp(block.shape, self._inside, mode)

    @override
    def encode(self, chunk: Array) -> Data:
        promoted = self._promoted(chunk)
        return self._zfp.compress(np.ascontiguousarray(promoted))

    def _promoted(self, chunk: Array) -> Array:
        native = chunk.astype(chunk.dtype.newbyteorder("="), copy=False)
        if self._kind in {"datetime", "timedelta"}:
            return np.ascontiguousarray(native).view(np.int64)
        if self._kind == "float":
            return native.astype(self._inside, copy=False)
        bits = bits_of(self._name)
        if bits >= 32:
            if self._kind == "uint":
                self._refuse_large(native)
            return native.astype(self._inside, copy=False)
        signed = native.astype(np.int32)
        if self._kind == "uint":
            signed -= 1 << (bits - 1)
        return signed << (31 - bits)

    def _refuse_large(self, chunk: Array) -> None:
        most = 2 ** (bits_of(self._name) - 1) - 1
        wrong = chunk > most
        if wrong.any():
            index = int(wrong.reshape(-1).argmax())
            found = int(chunk.reshape(-1)[index])
            where = place_of(index, chunk.shape)
            raise CodecError(f"zfp supports {self._name} up to {most}, found {found} at {where}")

    @override
    def decode(self, chunk: Data) -> Array:
        return self._demoted(self._zfp.decompress(chunk)).reshape(self._block.shape)

    def _demoted(self, made: Array) -> Array:
        dtype = self._block.dtype
        if self._kind in {"datetime", "timedelta"}:
            return made.view(dtype.newbyteorder("=")).astype(dtype, copy=False)
        if self._kind == "float":
            with np.errstate(over="ignore", invalid="ignore"):
                return made.astype(dtype, copy=False)
        bits = bits_of(self._name)
        if bits < 32:
            made = made >> (31 - bits)
            low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
            made = made.clip(low, high)
            return (made - low if self._kind == "uint" else made).astype(dtype)
        return (made.clip(0) if self._kind == "uint" else made).astype(dtype, copy=False)


class ZfpyCoder(Coder[Any, Any]):
    """Elements as numcodecs' zfpy stores them: after a header, which must match their type and shape.

    A v2 filter passes flat arrays to numcodecs' zfpy, so a header with a flat shape is accepted too.
    """

    def __init__(self, block: Block, mode: Mode) -> None:
        stored = block.dtype.newbyteorder("=")
        self._block = block
        self._native = np.dtype(np.int64) if stored.kind in "mM" else stored
        if self._native.name not in TYPES:
            raise ExtensionError(f"zfpy takes int32, int64, float32 and float64, not {block.data_type.name}")
        self._zfp = Zfp(block.shape, self._native, mode)
        self._row = Zfp((block.count,), self._native, mode)

    @override
    def encode(self, chunk: Array) -> Data:
        native = np.ascontiguousarray(chunk, chunk.dtype.newbyteorder("="))
        return self._zfp.compress(native.view(self._native), header=True)

    @override
    def decode(self, chunk: Data) -> Array:
        in_a_row = len(self._block.shape) > 1 and self._row.is_of(chunk)
        made = (self._row if in_a_row else self._zfp).decompress(chunk, header=True)
        stored = self._block.dtype
        return made.view(stored.newbyteorder("=")).astype(stored, copy=False).reshape(self._block.shape)
