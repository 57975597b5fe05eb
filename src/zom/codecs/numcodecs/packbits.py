"""The codec `packbits` of numcodecs: eight booleans per byte; `numcodecs.packbits` in v3.

The first byte is the number of padding bits in the last one. Unlike the v3 codec `packbits`, it is an
array->array codec: its output is a one-dimensional array of uint8.

https://numcodecs.readthedocs.io/en/stable/filter/packbits.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.packbits
"""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

from zom.codecs.numcodecs.dtype import check_kind, stated_type
from zom.codecs.numcodecs.filter import blocks_of
from zom.errors import CodecError, ExtensionError
from zom.extension.bound import Coder
from zom.extension.codec import Codec, CodecKind, Elements, Representation, codecs
from zom.numpy_later import np

if TYPE_CHECKING:
    from zom.extension.bound import Array, Form
    from zom.problems import Fault, Path

__all__ = ["packbits"]

_MANY = 10_000
"""The maximum number of chunk shapes that are distinguished."""


def _packed(lengths: tuple[tuple[int, ...], ...] | None) -> tuple[tuple[int, ...], ...] | None:
    """Return the lengths of the packed chunks, or None if unknown."""
    if lengths is None or math.prod(map(len, lengths)) > _MANY:
        return None
    return (tuple(sorted({1 + -(-math.prod(shape) // 8) for shape in product(*lengths)})),)


class NumcodecsPackBits(Codec):
    """Packed booleans, in one dimension."""

    name = "numcodecs.packbits"
    kind: ClassVar[CodecKind] = "array->array"
    v2_id = "packbits"

    def thread(
        self,
        configuration: Any,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Elements | None:
        """Return one dimension of uint8: one header byte, and one byte for every eight booleans."""
        del configuration
        if not isinstance(before, Elements):
            return None
        check_kind(before.data_type, ("bool",), "elements of bool", faults, path)
        return Elements(_packed(before.lengths), stated_type("|u1", faults, path))

    def bind(self, configuration: Any, before: Form, after: Form) -> Coder[Any, Any]:
        """Return a coder with a bit for each boolean, the first in the highest bit."""
        del configuration
        block, _ = blocks_of(self.name, before, after)
        if block.dtype.kind != "b":
            raise ExtensionError(
                f"packbits keeps one bit of each element, and {block.data_type.name} has more"
            )
        return _Packed(block.shape)


class _Packed(Coder[Any, Any]):
    """Booleans, eight per byte."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape
        self._count = math.prod(shape)
        self._padding = -self._count % 8

    def encode(self, chunk: Array) -> Array:
        """Return the number of padding bits, then the packed bytes."""
        return np.concatenate(([np.uint8(self._padding)], np.packbits(chunk.reshape(-1))))

    def decode(self, chunk: Array) -> Array:
        """Return the booleans."""
        expected = 1 + (self._count + 7) // 8
        if chunk.size != expected:
            raise CodecError(f"expected {expected} bytes, found {chunk.size}")
        if chunk[0] != self._padding:
            raise CodecError(f"expected {self._padding} bits of padding, found {chunk[0]}")
        return np.unpackbits(chunk[1:], count=self._count).view(np.bool_).reshape(self._shape)


packbits = codecs.register(NumcodecsPackBits())
