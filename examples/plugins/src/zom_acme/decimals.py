"""The `decimals` codec: integers as text, with a separator."""

from __future__ import annotations

from typing import Literal

import numpy as np
from typing_extensions import override

from zom.extension import (
    Array,
    Block,
    Bytes,
    Codec,
    CodecError,
    Coder,
    Configuration,
    Data,
    Elements,
    ExtensionError,
    Fault,
    Form,
    Representation,
    Serializer,
    codecs,
    rule,
)

__all__ = ["DecimalsCodec", "DecimalsConfiguration", "decimals"]

TYPE = rule(
    "codec/decimals-type", "the decimals codec takes integers", source="the decimals codec, data types"
)


class DecimalsConfiguration(Configuration):
    """The separator between two numbers."""

    separator: Literal[",", ";", "\n"] = ","


class DecimalsCodec(Codec):
    """`decimals`: array -> bytes."""

    name = "decimals"
    kind = "array->bytes"
    configuration = DecimalsConfiguration
    registered = False

    @override
    def thread(
        self,
        configuration: DecimalsConfiguration,
        before: Representation,
        faults: list[Fault],
        path: tuple[str | int, ...],
    ) -> Bytes:
        """The encoded size varies."""
        found = before.data_type if isinstance(before, Elements) else None
        if found is not None and found.kind not in {"int", "uint"}:
            faults.append(Fault(TYPE, path, "a data type of integers", found.name))
        return Bytes()

    @override
    def bind(self, configuration: DecimalsConfiguration, before: Form, after: Form) -> Serializer:
        """The coder for chunks of the form `before`; decoding needs their shape."""
        if not isinstance(before, Block):
            raise ExtensionError("the decimals codec expects elements")
        return Decimals(before, configuration.separator)


class Decimals(Coder[Array, Data]):
    """Numbers of one chunk, in C order."""

    def __init__(self, block: Block, separator: str) -> None:
        self._block = block
        self._separator = separator
        limits = np.iinfo(block.dtype)
        longest = max(len(str(limits.min)), len(str(limits.max)))
        self.most = (longest + 1) * block.count  # longer chunks are refused

    @override
    def encode(self, chunk: Array) -> Data:
        return self._separator.join(map(str, chunk.reshape(-1).tolist())).encode("ascii")

    @override
    def decode(self, chunk: Data) -> Array:
        # Encoded bytes may be damaged or malicious: check them before allocating memory.
        texts = bytes(chunk).split(self._separator.encode()) if len(chunk) else []
        if len(texts) != self._block.count:
            raise CodecError(f"expected {self._block.count} numbers, found {len(texts)}")
        low, high = (int(getattr(np.iinfo(self._block.dtype), side)) for side in ("min", "max"))
        numbers = [int(text) for text in texts]
        if any(not low <= number <= high for number in numbers):
            raise CodecError(f"expected numbers from {low} to {high}")
        return np.array(numbers, self._block.dtype).reshape(self._block.shape)


decimals = codecs.register(DecimalsCodec())
"""The `decimals` codec."""
