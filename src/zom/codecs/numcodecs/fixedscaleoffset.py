"""The codec `fixedscaleoffset`: (x - offset) * scale, rounded; `numcodecs.fixedscaleoffset` in v3.

https://numcodecs.readthedocs.io/en/stable/filter/fixedscaleoffset.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.fixedscaleoffset
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from zom.codecs.numcodecs.dtype import StatedType, recast, stated_type, typestr
from zom.codecs.numcodecs.filter import Filter, blocks_of, stored_fill
from zom.errors import ExtensionError
from zom.extension.codec import Codec, CodecKind, Elements, Representation, codecs
from zom.extension.configuration import Configuration
from zom.numpy_later import np
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from zom.extension.bound import Array, Coder, Form

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
    """Offset and scale, and the types before and after encoding, by default the same.

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
        """Return all four members, with types as typestrs."""
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
    v2_id = "fixedscaleoffset"

    def thread(
        self,
        configuration: Any,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Elements | None:
        """Return elements of the stored type."""
        if configuration.scale == 0:
            where = (*path, "configuration", "scale")
            faults.append(Fault(SCALE, where, "a number other than 0", show(configuration.scale)))
        if not isinstance(before, Elements):
            return None
        after = recast(before, configuration, faults, path, kinds=_KINDS, words=_WORDS)
        taken = stated_type(configuration.dtype, [], ())
        fill = stored_fill(before, taken, after.data_type, lambda array: _scaled(array, configuration))
        return replace(after, fill=fill)

    def bind(
        self, configuration: FixedScaleOffsetConfiguration, before: Form, after: Form
    ) -> Coder[Any, Any]:
        """Return a filter that scales in numpy's arithmetic."""
        block, stored = blocks_of(self.name, before, after)
        if configuration.scale == 0:
            raise ExtensionError("a scale of 0 makes all elements equal: they can't be restored")
        taken = stated_type(configuration.dtype, [], ()) or block.data_type
        there, back = stored.dtype, taken.numpy()

        def forward(array: Array) -> Array:
            return _scaled(array, configuration).astype(there, copy=False)

        def backward(array: Array) -> Array:
            made: Array = (array / configuration.scale) + configuration.offset
            return made.astype(back, copy=False)

        return Filter(block, taken, stored, forward, backward)


def _scaled(array: Array, configuration: FixedScaleOffsetConfiguration) -> Array:
    made: Array = np.around((array - configuration.offset) * configuration.scale)
    return made


fixedscaleoffset = codecs.register(FixedScaleOffset())
