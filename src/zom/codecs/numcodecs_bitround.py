"""The codec `bitround` of numcodecs: floats with fewer bits; `numcodecs.bitround` in v3.

https://numcodecs.readthedocs.io/en/stable/filter/bitround.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.bitround
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from zom.codecs.numcodecs_dtype import KIND
from zom.model.codec import Codec, CodecKind, Elements, Representation, codecs
from zom.model.configuration import Configuration
from zom.problems import Fault, rule, show

__all__ = ["NumcodecsBitroundConfiguration", "bitround"]

KEEPBITS = rule(
    "codec/numcodecs-keepbits",
    "bits to keep are no more than the mantissa of the elements has",
    source="https://numcodecs.readthedocs.io/en/stable/filter/bitround.html",
)

_MANTISSA = {"float16": 10, "float32": 23, "float64": 52}


class NumcodecsBitroundConfiguration(Configuration):
    """How many bits of the mantissa stay.

    >>> NumcodecsBitroundConfiguration(keepbits=3).keepbits
    3
    """

    keepbits: Annotated[int, Field(ge=0)]


class NumcodecsBitround(Codec):
    """Rounded floats, in a chunk of the same shape."""

    name = "numcodecs.bitround"
    kind: ClassVar[CodecKind] = "array->array"
    configuration = v2_configuration = NumcodecsBitroundConfiguration
    needs_configuration = True
    v2_id = "bitround"

    def thread(
        self,
        configuration: Any,
        before: Representation,
        faults: list[Fault],
        path: tuple[str | int, ...],
    ) -> Elements | None:
        """Elements of the same type."""
        if not isinstance(before, Elements):
            return None
        if before.data_type is not None:
            bits = _MANTISSA.get(before.data_type.name)
            if bits is None:
                words = "elements of float16, float32 or float64"
                faults.append(Fault(KIND, path, words, before.data_type.name))
            elif configuration.keepbits > bits:
                where = (*path, "configuration", "keepbits")
                words = f"at most {bits}, the mantissa of {before.data_type.name}"
                faults.append(Fault(KEEPBITS, where, words, show(configuration.keepbits)))
        return Elements(before.lengths, before.data_type)


bitround = codecs.register(NumcodecsBitround())
