"""The `halves` codec: each integer of 16 bits becomes two of 8, along a new last dimension."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from zom.dtypes.int import IntType
from zom.extension import (
    Array,
    ArrayCoder,
    Codec,
    Coder,
    Elements,
    Fault,
    Form,
    NoConfiguration,
    Representation,
    codecs,
    rule,
)

__all__ = ["HalvesCodec", "halves"]

TYPE = rule("codec/halves-type", "the halves codec takes uint16", source="the halves codec, data types")


class HalvesCodec(Codec):
    """`halves`: array -> array."""

    name = "halves"
    kind = "array->array"
    registered = False

    @override
    def thread(
        self,
        configuration: NoConfiguration,
        before: Representation,
        faults: list[Fault],
        path: tuple[str | int, ...],
    ) -> Elements | None:
        """Chunks of uint8 with one more dimension and the fill value 0."""
        if not isinstance(before, Elements):
            return None
        if before.data_type is not None and before.data_type.name != "uint16":
            faults.append(Fault(TYPE, path, "the data type uint16", before.data_type.name))
            return None
        lengths = None if before.lengths is None else (*before.lengths, (2,))
        return Elements(lengths, IntType(8, signed=False), np.uint8(0))

    @override
    def bind(self, configuration: NoConfiguration, before: Form, after: Form) -> ArrayCoder:
        """The coder is the same for all chunks."""
        return Halves()


class Halves(Coder[Array, Array]):
    """High byte first."""

    @override
    def encode(self, chunk: Array) -> Array:
        return np.array(chunk, ">u2", order="C")[..., np.newaxis].view(np.uint8)

    @override
    def decode(self, chunk: Array) -> Array:
        made: Array = np.array(chunk, order="C").view(">u2")[..., 0]
        return made.astype(np.uint16)


halves = codecs.register(HalvesCodec())
"""The `halves` codec."""
