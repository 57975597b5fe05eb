"""The `rot` codec: add a number to every byte, modulo 256."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from typing_extensions import override

from zom.extension import (
    ByteCoder,
    Bytes,
    Codec,
    Coder,
    Configuration,
    Data,
    Fault,
    Form,
    Interval,
    Representation,
    codecs,
    rule,
)

__all__ = ["RotCodec", "RotConfiguration", "rot"]

IDLE = rule(
    "codec/rot-idle",
    "the rot codec adds something: by 0 it does nothing",
    source="the rot codec, configuration",
    lenient="note",
    strict="warning",
)


class RotConfiguration(Configuration):
    """The number to add."""

    by: Annotated[int, Interval(0, 255)]


class RotCodec(Codec):
    """`rot`: bytes -> bytes."""

    name = "rot"
    kind = "bytes->bytes"
    configuration = RotConfiguration
    registered = False  # zarr-extensions doesn't list it: the level "closed" refuses it

    @override
    def thread(
        self,
        configuration: RotConfiguration,
        before: Representation,
        faults: list[Fault],
        path: tuple[str | int, ...],
    ) -> Bytes:
        """The encoded size equals the decoded size."""
        if configuration.by == 0:
            faults.append(Fault(IDLE, (*path, "configuration", "by"), "an integer from 1 to 255", "0"))
        return before if isinstance(before, Bytes) else Bytes()

    @override
    def bind(self, configuration: RotConfiguration, before: Form, after: Form) -> ByteCoder:
        """The coder for all chunks of one form. Several threads use it at once."""
        return Rot(configuration.by)


class Rot(Coder[Data, Data]):
    """Add `by` to every byte to encode, subtract it to decode."""

    def __init__(self, by: int) -> None:
        self._by = by

    @override
    def encode(self, chunk: Data) -> Data:
        return _added(chunk, self._by)

    @override
    def decode(self, chunk: Data) -> Data:
        return _added(chunk, 256 - self._by)


def _added(chunk: Data, number: int) -> bytes:
    return (np.frombuffer(chunk, np.uint8) + np.uint8(number % 256)).tobytes()


rot = codecs.register(RotCodec())
"""The `rot` codec."""
