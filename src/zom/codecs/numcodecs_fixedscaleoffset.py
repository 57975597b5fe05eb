"""The codec `fixedscaleoffset`: (x - offset) * scale, rounded; `numcodecs.fixedscaleoffset` in v3.

https://numcodecs.readthedocs.io/en/stable/filter/fixedscaleoffset.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.fixedscaleoffset
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - pydantic reads the annotation
from typing import Any, ClassVar

from zom.codecs.numcodecs_dtype import StatedType, recast, typestr
from zom.model.codec import Codec, CodecKind, Elements, Representation, codecs
from zom.model.configuration import Configuration
from zom.problems import Fault, rule, show

__all__ = ["FixedScaleOffsetConfiguration", "fixedscaleoffset"]

SCALE = rule(
    "codec/scale-zero",
    "a scale is not 0: decoding divides by it",
    source="https://numcodecs.readthedocs.io/en/stable/filter/fixedscaleoffset.html",
    lenient="warning",
    schema=True,
)

_KINDS = frozenset({"int", "uint", "float", "complex"})
_WORDS = "a type of numbers"


class FixedScaleOffsetConfiguration(Configuration):
    """The two numbers, and the types before and after, which are the same unless stated.

    >>> FixedScaleOffsetConfiguration(offset=0, scale=10, dtype="<f8", astype="|u1").scale
    10
    """

    strict_schema: ClassVar[Mapping[str, Any]] = {
        "properties": {"scale": {"type": "number", "not": {"const": 0}}}
    }

    offset: int | float
    scale: int | float
    dtype: StatedType
    astype: StatedType | None = None

    def canonical(self) -> dict[str, Any]:
        """All four members, the types as typestrs."""
        dtype = typestr(self.dtype)
        return {
            "offset": self.offset,
            "scale": self.scale,
            "dtype": dtype,
            "astype": dtype if self.astype is None else typestr(self.astype),
        }


class FixedScaleOffset(Codec):
    """Scaled numbers, in a chunk of the same shape."""

    name = "numcodecs.fixedscaleoffset"
    kind: ClassVar[CodecKind] = "array->array"
    configuration = v2_configuration = FixedScaleOffsetConfiguration
    needs_configuration = True
    v2_id = "fixedscaleoffset"

    def thread(
        self,
        configuration: Any,
        before: Representation,
        faults: list[Fault],
        path: tuple[str | int, ...],
    ) -> Elements | None:
        """Elements of the type that is stored."""
        if configuration.scale == 0:
            where = (*path, "configuration", "scale")
            faults.append(Fault(SCALE, where, "a number other than 0", show(configuration.scale)))
        if not isinstance(before, Elements):
            return None
        return recast(before, configuration, faults, path, kinds=_KINDS, words=_WORDS)


fixedscaleoffset = codecs.register(FixedScaleOffset())
