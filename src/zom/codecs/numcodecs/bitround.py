"""The codec `bitround` of numcodecs: floats with fewer bits; `numcodecs.bitround` in v3.

https://numcodecs.readthedocs.io/en/stable/filter/bitround.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.bitround
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from zom.codecs.bitround.rounding import BitRounding, round_floats
from zom.codecs.cast_value.number_form import FloatForm, number_form
from zom.codecs.numcodecs.dtype import KIND
from zom.codecs.numcodecs.filter import blocks_of, stored_fill
from zom.errors import ExtensionError
from zom.extension.codec import Codec, CodecKind, Elements, Representation, codecs
from zom.extension.configuration import Configuration
from zom.extension.field import Interval
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from zom.extension.bound import Array, Coder, Form
    from zom.extension.datatype import DataType

__all__ = ["NumcodecsBitroundConfiguration", "bitround"]

KEEPBITS = rule(
    "codec/numcodecs-keepbits",
    "the number of bits to keep is at most the size of the mantissa",
    source="https://numcodecs.readthedocs.io/en/stable/filter/bitround.html",
    lenient="warning",  # numcodecs decodes such chunks, but refuses to encode more
)

_MANTISSA = {"float16": 10, "float32": 23, "float64": 52}


class NumcodecsBitroundConfiguration(Configuration):
    """The number of bits to keep of the mantissa.

    >>> NumcodecsBitroundConfiguration(keepbits=3).keepbits
    3
    """

    keepbits: Annotated[int, Interval(0)]


class NumcodecsBitround(Codec):
    """Rounded floats, in a chunk of the same shape."""

    name = "numcodecs.bitround"
    kind: ClassVar[CodecKind] = "array->array"
    configuration = v2_configuration = NumcodecsBitroundConfiguration
    v2_id = "bitround"

    def thread(
        self,
        configuration: Any,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Elements | None:
        """Return elements of the same type."""
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
        data_type, keepbits = before.data_type, configuration.keepbits
        fill = stored_fill(before, data_type, data_type, lambda array: _rounded(array, data_type, keepbits))
        return Elements(before.lengths, data_type, fill)

    def bind(
        self, configuration: NumcodecsBitroundConfiguration, before: Form, after: Form
    ) -> Coder[Any, Any]:
        """Return a coder that rounds; decoding changes nothing."""
        block, _ = blocks_of(self.name, before, after)
        data_type, keepbits = block.data_type, configuration.keepbits
        if data_type.name not in _MANTISSA:
            raise ExtensionError(f"bitround rounds float16, float32 and float64, not {data_type.name}")
        return BitRounding(block.dtype, lambda array: _rounded(array, data_type, keepbits))


def _rounded(array: Array, data_type: DataType | None, keepbits: int) -> Array:
    form = None if data_type is None else number_form(data_type)
    if not isinstance(form, FloatForm):
        raise ExtensionError("bitround rounds only floats")
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    return round_floats(native, form, keepbits)


bitround = codecs.register(NumcodecsBitround())
