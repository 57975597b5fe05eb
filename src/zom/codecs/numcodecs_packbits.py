"""The codec `packbits` of numcodecs: eight booleans a byte; `numcodecs.packbits` in v3.

The first byte says how many bits of the last one are padding. Array to array, unlike the v3 codec
`packbits`: what comes out is a list of uint8.

https://numcodecs.readthedocs.io/en/stable/filter/packbits.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.packbits
"""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

from zom.codecs.numcodecs_dtype import check_kind, stated_type
from zom.model.codec import Codec, CodecKind, Elements, Representation, codecs

if TYPE_CHECKING:
    from zom.problems import Fault

__all__ = ["packbits"]

_MANY = 10_000
"""More chunk shapes than this are not told apart."""


def _packed(lengths: tuple[tuple[int, ...], ...] | None) -> tuple[tuple[int, ...], ...] | None:
    """The lengths of the packed chunks; None where they are not known."""
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
        path: tuple[str | int, ...],
    ) -> Elements | None:
        """One dimension of uint8: a byte of its own, and one for each eight booleans."""
        del configuration
        if not isinstance(before, Elements):
            return None
        check_kind(before.data_type, ("bool",), "elements of bool", faults, path)
        return Elements(_packed(before.lengths), stated_type("|u1", faults, path))


packbits = codecs.register(NumcodecsPackBits())
